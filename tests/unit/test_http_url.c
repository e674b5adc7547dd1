/*
 * tests/unit/test_http_url.c: how addresses are read and written (WHATWG's URL standard), what kind
 * of place an IP address is, and which of them rules match.
 */
#include "check.h"

#include "host/base/error.h"
#include "host/http/address.h"
#include "host/http/rule.h"

#include <stdlib.h>

static struct http_url url;

/* wanted NULL: it is refused. */
static void reads(const char *text, const char *wanted) {
    const char *why = NULL;
    bool good = http_url_read(&url, text, strlen(text), &why);
    CHECK(good == (wanted != NULL));
    if (good && wanted && strcmp(url.text, wanted) != 0)
        fprintf(stderr, "%s became %s, not %s\n", text, url.text, wanted);
    if (good && wanted) CHECK(strcmp(url.text, wanted) == 0);
    if (good != (wanted != NULL)) fprintf(stderr, "%s: %s\n", text, good ? url.text : why);
    if (!good) return;
    static struct http_url again;
    CHECK(http_url_read(&again, url.text, url.len, &why));
    CHECK(strcmp(again.text, url.text) == 0);
}

static void addresses_of_the_web(void) {
    reads("https://example.com", "https://example.com/");
    reads("  HTTPS://EXAMPLE.com:443/a?b#c \n", "https://example.com/a?b");
    reads("http://example.com:080/", "http://example.com/");
    reads("http:\\\\example.com\\a\\..\\b", "http://example.com/b");
    reads("http:////example.com/", "http://example.com/");
    reads("ht\ntp://exa\tmple.com/x\ry", "http://example.com/xy");
    reads("https://example.com/a/./b/../c/%2e%2E/d/", "https://example.com/a/d/");
    reads("https://example.com/..", "https://example.com/");
    reads("https://example.com/a b\"<>`{}\xc3\xa9",
          "https://example.com/a%20b%22%3C%3E%60%7B%7D%C3%A9");
    reads("https://example.com/%zz?a b'\"", "https://example.com/%zz?a%20b%27%22");
    reads("https://exa%6dple.com/", "https://example.com/");
    reads("https://example.com./", "https://example.com./");
    reads("https://localhost./", "https://localhost./");
    reads("", NULL);
    reads("example.com", NULL);
    reads("//example.com/", NULL);
    reads("file:///etc/passwd", NULL);
    reads("ftp://example.com/", NULL);
    reads("https:example.com", NULL);
    reads("https://", NULL);
    reads("https:///", NULL);
    reads("https://a@example.com/", NULL);
    reads("https://api.example.com:x@evil.com/", NULL);
    reads("https://api.example.com\\@evil.com/", "https://api.example.com/@evil.com/");
    reads("https://exa mple.com/", NULL);
    reads("https://example.com%00.evil.com/", NULL);
    reads("https://example.com%2f.evil.com/", NULL);
    reads("https://example..com/", NULL);
    reads("https://example.com:0/", NULL);
    reads("https://example.com:65536/", NULL);
    reads("https://example.com:99999999999/", NULL);
    reads("https://example.com:8o/", NULL);
}

static void numbers(void) {
    reads("http://127.0.0.1/", "http://127.0.0.1/");
    reads("http://0x7f.1/", "http://127.0.0.1/");
    reads("http://017700000001/", "http://127.0.0.1/");
    reads("http://2130706433/", "http://127.0.0.1/");
    reads("http://0X7F.0.0.0x1./", "http://127.0.0.1/");
    reads("http://127.1.1/", "http://127.1.0.1/");
    reads("http://\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.1/", "http://127.0.0.1/");
    reads("http://%31%32%37.1/", "http://127.0.0.1/");
    reads("http://256.1/", NULL);
    reads("http://1.2.3.4.5/", NULL);
    reads("http://127.0.0.08/", NULL);
    reads("http://4294967296/", NULL);
    reads("http://a.0x/", NULL);
    reads("http://[::1]/", "http://[::1]/");
    reads("http://[0:0::0:1]:8080/", "http://[::1]:8080/");
    reads("http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/");
    reads("http://[2001:DB8:0:0:1:0:0:1]/", "http://[2001:db8::1:0:0:1]/");
    reads("http://[fe80::1%25eth0]/", NULL);
    reads("http://[::1/", NULL);
    reads("http://[1:2:3]/", NULL);
    reads("http://[::1::]/", NULL);
    reads("http://[::127.0.0.01]/", NULL);
    reads("http://[::4294967423.0.0.1]/", NULL);
}

static void letters(void) {
    reads("https://b\xc3\xbc"
          "cher.example/",
          "https://xn--bcher-kva.example/");
    reads("https://B\xc3\x9c"
          "CHER.example/",
          "https://xn--bcher-kva.example/");
    reads("https://bu\xcc\x88"
          "cher.example/",
          "https://xn--bcher-kva.example/");
    reads("https://fa\xc3\x9f.de/", "https://xn--fa-hia.de/");
    reads("https://\xe4\xbe\x8b\xe3\x81\x88.jp/", "https://xn--r8jz45g.jp/");
    reads("https://\xef\xbc\xa5xample\xe3\x80\x82"
          "com/",
          "https://example.com/");
    reads("https://\xe2\x98\x83.net/", "https://xn--n3h.net/");
    reads("https://\xce\x91\xce\xa9.gr/", "https://xn--mxa2c.gr/");
    reads("https://a\xe2\x80\x8b"
          "b.com/",
          NULL); /* a space without width */
    reads("https://a\xe2\x80\x8d"
          "b.com/",
          NULL);
    reads("https://\xff.com/", NULL);
}

static void places(void) {
    static const char *const cases[][2] = {
        {"8.8.8.8", "public"},
        {"127.255.0.1", "loopback"},
        {"10.1.2.3", "private"},
        {"172.31.0.1", "private"},
        {"172.32.0.1", "public"},
        {"192.168.1.1", "private"},
        {"169.254.1.1", "link-local"},
        {"169.254.169.254", "metadata"},
        {"168.63.129.16", "metadata"},
        {"100.100.100.200", "metadata"},
        {"100.64.0.1", "shared"},
        {"0.0.0.0", "reserved"},
        {"255.255.255.255", "reserved"},
        {"224.0.0.1", "multicast"},
        {"::1", "loopback"},
        {"::", "reserved"},
        {"::ffff:127.0.0.1", "loopback"},
        {"::127.0.0.1", "loopback"},
        {"::ffff:8.8.8.8", "public"},
        {"64:ff9b::7f00:1", "loopback"},
        {"2002:7f00:1::", "loopback"},
        {"2001:0:4136:e378::1", "reserved"},
        {"fe80::1", "link-local"},
        {"fe80::1%eth0", "link-local"},
        {"fd00:ec2::254", "metadata"},
        {"fd12::1", "private"},
        {"2606:4700::1", "public"},
        {"ff02::1", "multicast"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct http_address a;
        CHECK(http_address_read(&a, cases[i][0], strlen(cases[i][0])));
        const char *class = http_address_class(&a);
        if (strcmp(class, cases[i][1]) != 0) fprintf(stderr, "%s is %s\n", cases[i][0], class);
        CHECK(strcmp(class, cases[i][1]) == 0);
    }
    struct http_network n;
    struct http_address a;
    CHECK(http_address_read(&a, "10.9.8.7", 8) && http_network_read(&n, "10.0.0.0/8", 10));
    CHECK(http_network_has(&n, &a));
    CHECK(http_network_read(&n, "10.9.8.0/25", 11) && http_network_has(&n, &a));
    CHECK(http_network_read(&n, "10.9.8.128/25", 13) && !http_network_has(&n, &a));
    CHECK(http_network_read(&n, "private", 7) && http_network_has(&n, &a));
    CHECK(!http_network_read(&n, "10.0.0.0/33", 11) && !http_network_read(&n, "public", 6));
    CHECK(!http_network_read(&n, "10.0.0/8", 8));
}

static void matches(const char *rule, const char *method, const char *text, bool wanted) {
    struct base_arena arena;
    struct http_rule read;
    pf_error error;
    const char *why;
    base_arena_init(&arena, 1 << 20);
    CHECK(http_rule_read(&read, &arena, rule, strlen(rule), true, &error) == PF_OK);
    CHECK(http_url_read(&url, text, strlen(text), &why));
    bool got = http_rule_matches(&read, method, &url);
    if (got != wanted) fprintf(stderr, "%s %s by %s: %d\n", method, text, rule, got);
    CHECK(got == wanted);
    base_arena_free(&arena);
}

static void refuses(const char *rule) {
    struct base_arena arena;
    struct http_rule read;
    pf_error error;
    base_arena_init(&arena, 1 << 20);
    CHECK(http_rule_read(&read, &arena, rule, strlen(rule), true, &error) == PF_INVALID);
    base_arena_free(&arena);
}

static void rules(void) {
    const char *api = "https://api.example.com/v1/**";
    matches(api, "POST", "https://api.example.com/v1", true);
    matches(api, "POST", "https://api.example.com/v1/", true);
    matches(api, "GET", "https://api.example.com:443/v1/a/b?c", true);
    matches(api, "GET", "https://api.example.com/v10", false);
    matches(api, "GET", "https://api.example.com/v1/../admin", false);
    matches(api, "GET", "https://api.example.com/v1/%2e%2e/admin", false);
    matches(api, "GET", "https://api.example.com/v1/..%2fadmin", false);
    matches(api, "GET", "https://api.example.com/v1/x%2f..%5cadmin", false);
    matches(api, "GET", "https://api.example.com/v1/%252e%252e/admin", false);
    matches(api, "GET", "https://api.example.com/v1/..;/admin", false);
    static const char *const astray[] = {
        "%c0%ae%c0%ae/admin", "..%C0%AFadmin", "%e0%80%ae./admin",    "%f0%80%80%ae./admin",
        "%u002e%u002e/admin", "..%20/admin",   "%20%2e./admin",       "..%09",
        "..%0d%0a/admin",     "..%3b/admin",   "%2e%2e%23/admin",     "..%3Fx/admin",
        ".%20/admin",         "x;../admin",    "a/b%2f..%20%2f/admin"};
    static const char *const plain[] = {"a%20.",        "What%3f.", "%c3%a9", "%e0%a0%80%e2%82%ac",
                                        "%f0%9f%98%80", "100%/x",   "...%20", "a%20..%20b",
                                        "C%23.",        "%20a.b"};
    char url[100];
    for (size_t i = 0; i < sizeof astray / sizeof *astray; i++) {
        snprintf(url, sizeof url, "https://api.example.com/v1/%s", astray[i]);
        matches(api, "GET", url, false);
    }
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        snprintf(url, sizeof url, "https://api.example.com/v1/%s", plain[i]);
        matches(api, "GET", url, true);
    }
    matches(api, "GET", "https://api.example.com/v1/group%2Fname", true);
    matches(api, "GET", "https://api.example.com/v1/a..b", true);
    matches(api, "GET", "http://api.example.com/v1/", false);
    matches(api, "GET", "https://api.example.com:8443/v1/", false);
    matches(api, "GET", "https://api.example.com./v1/", false);
    matches(api, "GET", "https://api.example.com.evil.com/v1/", false);
    const char *wiki = "GET https://*.wikipedia.org/**";
    matches(wiki, "GET", "https://en.wikipedia.org/wiki/X", true);
    matches(wiki, "get", "https://en.wikipedia.org/wiki/X", false);
    matches(wiki, "POST", "https://en.wikipedia.org/", false);
    matches(wiki, "GET", "https://wikipedia.org/", false);
    matches(wiki, "GET", "https://en.m.wikipedia.org/", false);
    matches(wiki, "GET", "https://en.wikipedia.org.evil.com/", false);
    matches(wiki, "GET", "https://evilwikipedia.org/", false);
    matches("https://**.wikipedia.org/**", "GET", "https://en.m.wikipedia.org/", true);
    matches("https://**.wikipedia.org/**", "GET", "https://wikipedia.org/", false);
    matches("https://api-*.x.com", "GET", "https://api-7.x.com/any/thing", true);
    matches("https://x.com/", "GET", "https://x.com/any", false);
    matches("https://x.com/", "GET", "https://x.com/?q", true);
    matches("GET,HEAD https://x.com/*/b", "HEAD", "https://x.com/a/b", true);
    matches("https://x.com/*/b", "HEAD", "https://x.com//b", false);
    matches("https://x.com/**/z", "GET", "https://x.com/a/b/z", true);
    matches("https://x.com/**/z", "GET", "https://x.com/z", true);
    matches("https://x.com/**/z", "GET", "https://x.com/zz", false);
    matches("https://x.com/**/a/**/b", "GET", "https://x.com/a/a/b/c/b", true);
    matches("https://x.com/f*.txt", "GET", "https://x.com/foo.txt", true);
    matches("https://x.com/f*.txt", "GET", "https://x.com/f/o.txt", false);
    matches("*://x.com:*/**", "GET", "http://x.com:99/", true);
    matches("*://x.com/**", "GET", "http://x.com/", true);
    matches("https://**/**", "GET", "https://127.0.0.1/", true); /* its address is judged later */
    matches("https://*.*.*.*/**", "GET", "https://127.0.0.1/", false);
    matches("http://127.1:8000/**", "GET", "http://0x7f000001:8000/a", true);
    matches("https://b\xc3\xbc"
            "cher.example",
            "GET", "https://xn--bcher-kva.example/", true);
    refuses("");
    refuses("example.com");
    refuses("ftp://x.com/");
    refuses("get https://x.com/");
    refuses("GET, https://x.com/");
    refuses("https://x.com/?a=1");
    refuses("https://u@x.com/");
    refuses("https:///x");
    refuses("https://a**.com/");
    refuses("https://x..com/*");
    refuses("https://*..com/*");
    refuses("https://x.com:abc/");
    refuses("https://x.com /");
}

int main(void) {
    addresses_of_the_web();
    numbers();
    letters();
    places();
    rules();
    return check_report();
}
