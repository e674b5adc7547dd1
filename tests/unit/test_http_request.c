/*
 * tests/unit/test_http_request.c: pf_http: which requests are refused, where secrets go, and what is left of
 * them in answers.
 */
#include "check.h"

#include "pinfold.h"

#include <stdlib.h>

static const char config[] =
    "{\"allow\": [\"https://api.stripe.com/**\", \"https://evil.com/**\", \"http://localhost:8000/**\","
    "             \"http://127.0.0.1:8000/**\", \"GET https://**/**\"],"
    " \"addresses\": [\"192.168.0.0/16\"],"
    " \"secrets\": {\"KEY\": {\"value\": \"sk_live_a+b/c\\\"d=e\", \"hosts\": [\"api.stripe.com\"],"
    "                        \"headers\": [\"Authorization\"]}}}";
#define PLACEHOLDER "pfsecret_KEY_0123456789abcdef0123456789abcdef"

static pf_http *http;
static pf_error error;

static char *request(const char *params) {
    char *out = NULL;
    size_t len;
    pf_status status = pf_http_request(http, params, strlen(params), &out, &len, &error);
    CHECK((status == PF_OK) == (out != NULL));
    return out;
}

static void gives(const char *params, const char *part) {
    char *out = request(params);
    if (!out) fprintf(stderr, "%s: %s\n", params, error.message);
    CHECK(out && strstr(out, part));
    if (out && !strstr(out, part)) fprintf(stderr, "%s: %s\n", params, out);
    free(out);
}

static void refused(const char *params, const char *why) {
    char *out = request(params);
    CHECK(!out && strstr(error.message, why));
    if (!out && !strstr(error.message, why)) fprintf(stderr, "%s: %s\n", params, error.message);
    if (out) fprintf(stderr, "%s: %s\n", params, out);
    CHECK(out || !strstr(error.message, "sk_live"));
    free(out);
}

#define STRIPE "\"url\": \"https://api.stripe.com/v1\""

static void requests(void) {
    gives("{" STRIPE "}", "\"method\":\"GET\",\"url\":\"https://api.stripe.com/v1\"");
    gives("{" STRIPE ", \"headers\": {\"A\": [\"1\", \" 2 \"], \"Host\": \"api.stripe.com\", \"B\": \"\"}}",
          "[[\"A\",\"1\"],[\"A\",\"2\"],[\"B\",\"\"]]");
    gives("{" STRIPE ", \"body\": \"abc\", \"headers\": {\"content-length\": \"3\"}}", "\"headers\":[]");
    refused("{" STRIPE ", \"body\": \"abc\", \"headers\": {\"content-length\": \"4\"}}", "length of the body");
    refused("{" STRIPE ", \"headers\": {\"Host\": \"evil.com\"}}", "names another host");
    refused("{" STRIPE ", \"headers\": {\"A\": \"b\\r\\nHost: evil.com\"}}", "line end");
    refused("{" STRIPE ", \"headers\": {\"A\\r\\nB\": \"b\"}}", "name is not valid");
    refused("{" STRIPE ", \"headers\": {\"Transfer-Encoding\": \"chunked\"}}", "connection's");
    refused("{" STRIPE ", \"method\": \"CONNECT\"}", "never allowed");
    refused("{" STRIPE ", \"method\": \"GET / HTTP/1.1\\r\\n\"}", "method");
    refused("{\"url\": \"https://u:p@api.stripe.com/\"}", "user name");
    refused("{\"url\": \"http://api.stripe.com/\"}", "no rule allows GET http://api.stripe.com/");
    refused("{\"url\": \"https://other.com/\", \"method\": \"POST\"}", "allowed: https://api.stripe.com/**");
    refused("{" STRIPE ", \"body\": \"a\", \"body_base64\": \"YQ==\"}", "exclude");
    refused("{" STRIPE ", \"body_base64\": \"*\"}", "not Base64");
    refused("{}", "url");
    refused("[]", "object");
}

static void secrets(void) {
    gives("{" STRIPE ", \"headers\": {\"authorization\": \"Bearer " PLACEHOLDER "\"}}",
          "Bearer sk_live_a+b/c\\\"d=e");
    gives("{" STRIPE ", \"headers\": {\"Authorization\": \"Basic "
          "cGZzZWNyZXRfS0VZXzAxMjM0NTY3ODlhYmNkZWYwMTIzNDU2Nzg5YWJjZGVmOg==\"}}",
          "Basic c2tfbGl2ZV9hK2IvYyJkPWU6");
    refused("{" STRIPE ", \"headers\": {\"X\": \"" PLACEHOLDER "\"}}", "in the header Authorization");
    refused("{" STRIPE ", \"headers\": {\"" PLACEHOLDER "\": \"x\"}}", "header's name");
    refused("{\"url\": \"https://evil.com/\", \"headers\": {\"Authorization\": \"" PLACEHOLDER "\"}}",
            "only to https://api.stripe.com");
    refused("{\"url\": \"https://api.stripe.com/?k=" PLACEHOLDER "\"}", "in a URL");
    refused("{\"url\": \"https://api.stripe.com/?k=pfsecret%5fKEY\"}", "in a URL");
    refused("{" STRIPE ", \"body\": \"k=" PLACEHOLDER "\"}", "in a body");
    refused("{" STRIPE ", \"body_base64\": \"cGZzZWNyZXRfS0VZ\"}", "in a body");
    refused("{" STRIPE ", \"headers\": {\"Authorization\": \"pfsecret_OTHER_0123\"}}", "no secret");
    refused("{" STRIPE ", \"headers\": {\"Authorization\": \"PFSECRET_KEY_0123\"}}", "no secret");
    refused("{" STRIPE ", \"headers\": {\"Range\": \"bytes=0-1\", \"Authorization\": \"" PLACEHOLDER "\"}}",
            "Range");
}

static void clean(const char *text, const char *wanted) {
    char *out;
    size_t len;
    CHECK(pf_http_clean(http, text, strlen(text), &out, &len, &error) == PF_OK);
    if (strcmp(out, wanted) != 0) fprintf(stderr, "%s became %s\n", text, out);
    CHECK(len == strlen(wanted) && strcmp(out, wanted) == 0);
    free(out);
}

#define HIDDEN "pfsecret_KEY_hidden"

static void answers(void) {
    clean("", "");
    clean("nothing of it: sk_live_a+b", "nothing of it: sk_live_a+b");
    clean("a sk_live_a+b/c\"d=e b sk_live_a+b/c\"d=e", "a " HIDDEN " b " HIDDEN);
    clean("{\"k\": \"sk_live_a+b\\/c\\\"d=e\"}", "{\"k\": \"" HIDDEN "\"}");
    clean("k=sk_live_a%2Bb%2fc%22d%3De&", "k=" HIDDEN "&");
    clean("k=%73%6b_live_a%2bb/c\"d=e", "k=" HIDDEN);
    clean("\\u0073k_live_a\\u002bb/c\\u0022d=e", HIDDEN);
    clean("<b>sk_live_a&#43;b&#x2F;c&quot;d=e</b>", "<b>" HIDDEN "</b>");
    clean("736b5f6c6976655f612b622f6322643d65", HIDDEN);
    clean("736B5F6C6976655F612B622F6322643D65", HIDDEN);
    clean("e=d\"c/b+a_evil_ks", HIDDEN);
    clean("Basic dTpza19saXZlX2ErYi9jImQ9ZTo=", "Basic dTp" HIDDEN "To="); /* u:KEY: */
    clean("c2tfbGl2ZV9hK2IvYyJkPWU=", HIDDEN "U=");
}

static void addresses(void) {
    const char *stripe = "https://api.stripe.com/", *local = "http://localhost:8000/";
    CHECK(pf_http_address(http, stripe, "8.8.8.8", &error) == PF_OK);
    CHECK(pf_http_address(http, stripe, "192.168.3.4", &error) == PF_OK);
    CHECK(pf_http_address(http, stripe, "127.0.0.1", &error) == PF_DENIED);
    CHECK(strstr(error.message, "api.stripe.com is 127.0.0.1, a loopback address") != NULL);
    CHECK(pf_http_address(http, stripe, "::ffff:10.0.0.1", &error) == PF_DENIED);
    CHECK(pf_http_address(http, stripe, "169.254.169.254", &error) == PF_DENIED);
    CHECK(pf_http_address(http, local, "127.0.0.1", &error) == PF_OK);
    CHECK(pf_http_address(http, local, "::1", &error) == PF_OK);
    CHECK(pf_http_address(http, local, "10.0.0.1", &error) == PF_DENIED);
    CHECK(pf_http_address(http, "http://localhost.:8000/", "127.0.0.1", &error) == PF_DENIED);
    CHECK(pf_http_address(http, "http://localhost/", "127.0.0.1", &error) == PF_DENIED);
    CHECK(pf_http_address(http, "http://0x7f.1:8000/", "127.0.0.1", &error) == PF_OK);
    CHECK(pf_http_address(http, "https://127.0.0.1/", "127.0.0.1", &error) == PF_DENIED);
    CHECK(pf_http_address(http, "https://8.8.8.8/", "8.8.4.4", &error) == PF_DENIED);
    CHECK(pf_http_address(http, stripe, "nonsense", &error) == PF_INVALID);
}

static void wrong(const char *text, const char *why) {
    pf_http *made = NULL;
    CHECK(pf_http_new(text, strlen(text), &made, &error) == PF_INVALID && !made);
    if (!strstr(error.message, why)) fprintf(stderr, "%s: %s\n", text, error.message);
    CHECK(strstr(error.message, why) != NULL);
}

#define SECRET(value, hosts, headers)                                                              \
    "{\"allow\": [], \"secrets\": {\"K\": {\"value\": \"" value "\", \"hosts\": " hosts                \
    ", \"headers\": " headers "}}}"

static void configurations(void) {
    wrong("[]", "object");
    wrong("{}", "allow");
    wrong("{\"allow\": [\"x.com\"]}", "rule");
    wrong("{\"allow\": [], \"denied\": []}", "not known");
    wrong("{\"allow\": [], \"addresses\": [\"all\"]}", "no network");
    wrong(SECRET("short", "[\"x.com\"]", "[\"A\"]"), "8 to");
    wrong(SECRET("long\\r\\nenough", "[\"x.com\"]", "[\"A\"]"), "one line");
    wrong(SECRET("longenough", "[]", "[\"A\"]"), "nowhere");
    wrong(SECRET("longenough", "[\"**\"]", "[\"A\"]"), "names hosts");
    wrong(SECRET("longenough", "[\"x.com/v1\"]", "[\"A\"]"), "names hosts");
    wrong(SECRET("longenough", "[\"x.com\"]", "[]"), "nowhere");
}

int main(void) {
    CHECK(pf_http_new(config, strlen(config), &http, &error) == PF_OK);
    if (!http) return fprintf(stderr, "%s\n", error.message), 1;
    requests();
    secrets();
    answers();
    addresses();
    configurations();
    pf_http_free(http);
    return check_report();
}
