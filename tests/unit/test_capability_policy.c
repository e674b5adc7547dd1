/*
 * Policy documents: what is refused, what comes out again, and which policies are inside others.
 */
#include "check.h"
#include "host/capability/policy.h"

#include <stdlib.h>

static void refuses(const char *json, const char *wanted) {
    pf_error error = {0};
    pf_status status = cap_policy_check(json, strlen(json), &error);
    bool good = status == PF_INVALID && strstr(error.message, wanted);
    if (!good) fprintf(stderr, "%s -> %s\n", json, status == PF_OK ? "accepted" : error.message);
    CHECK(good);
}

static void test_malformed(void) {
    refuses("", "the policy: not valid JSON: the text is empty");
    refuses("{\"capabilities\":[", "the policy: not valid JSON");
    refuses("[]", "the policy: it is an object");
    refuses("{}", "\"capabilities\" is missing");
    refuses("{\"capabilities\":{}}", "must be a list");
    refuses("{\"capabilities\":[],\"capabilities\":[]}", "appears twice");
    refuses("{\"capabilites\":[]}", "the key \"capabilites\" is not known");
    refuses("{\"version\":2,\"capabilities\":[]}", "version 1 only");
    refuses("{\"version\":\"1\",\"capabilities\":[]}", "version 1 only");
    refuses("{\"capabilities\":[5]}", "capabilities[0]: a capability is an object, not number");
    refuses("{\"capabilities\":[{}]}", "\"method\" must be a pattern");
    refuses("{\"capabilities\":[{\"method\":[\"a\"]}]}", "\"method\" must be a pattern");
    refuses("{\"capabilities\":[{\"method\":\"a\"},{\"method\":\"a//b\"}]}",
            "capabilities[1]: the pattern \"a//b\" has an empty segment");
    refuses("{\"capabilities\":[{\"method\":\"a*\"}]}", "not a whole segment");
    refuses("{\"capabilities\":[{\"method\":\"a\",\"max_call\":1}]}",
            "the key \"max_call\" is not known");
    refuses("{\"capabilities\":[{\"method\":\"a\",\"asks\":true}]}", "the key \"asks\" is not known");
    refuses("{\"capabilities\":[{\"method\":\"a\",\"ask\":1}]}", "ask is true or false");
    static const char *const bad[] = {"-1",   "1.5", "\"5\"", "true", "[]", "99999999999999999999",
                                      "1e400"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[200];
        snprintf(text, sizeof text, "{\"capabilities\":[{\"method\":\"a\",\"max_calls\":%s}]}",
                 bad[i]);
        refuses(text, i == 6 ? "too large" : "max_calls is a whole number");
    }
    pf_error error;
    const char *good = "{\"$schema\":\"policy.schema.json\",\"version\":1,\"capabilities\":[{"
                       "\"method\":\"a\",\"max_calls\":null,\"constraints\":[]}]}";
    CHECK_EQ(cap_policy_check(good, strlen(good), &error), PF_OK);
}

static void test_normal_form(void) {
    static const char *const cases[][2] = {
        {"{\"capabilities\":[]}", "{\"version\":1,\"capabilities\":[]}"},
        {"{\"capabilities\":[{\"max_calls\":1e2,\"method\":\"mcp:a.b.*\",\"constraints\":{\"x\":\"<"
         "=5.50\",\"y\":[1,\"a\"]}}]}",
         "{\"version\":1,\"capabilities\":[{\"method\":\"a/b/"
         "*\",\"constraints\":[{\"param\":\"x\",\"op\":\"<=\",\"value\":5.50},"
         "{\"param\":\"y\",\"op\":\"in\",\"value\":[1,\"a\"]}],\"max_calls\":100}]}"},
        {"{\"capabilities\":[{\"method\":\"a\",\"constraints\":[{\"not\":{\"any\":[{\"param\":"
         "\"x\",\"op\":\"<\",\"value\":1},"
         "{\"param\":\"y[*]\",\"op\":\"==\",\"value\":2},{\"param\":\"z\",\"op\":\"matches\","
         "\"value\":\"a\"}]}},"
         "{\"param\":\"w\",\"of\":\"length\",\"op\":\">\",\"value\":3,\"optional\":true},{"
         "\"param\":\"v\",\"op\":\"exists\"}]}]}",
         "{\"version\":1,\"capabilities\":[{\"method\":\"a\",\"constraints\":[{\"all\":[{\"param\":"
         "\"x\",\"op\":\">=\",\"value\":1},"
         "{\"not\":{\"param\":\"y[*]\",\"op\":\"==\",\"value\":2}},{\"not\":{\"param\":\"z\","
         "\"op\":\"matches\",\"value\":\"a\"}}]},"
         "{\"param\":\"w\",\"of\":\"length\",\"op\":\">\",\"value\":3,\"optional\":true},{"
         "\"param\":\"v\",\"op\":\"exists\"}]}]}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *out, *again;
        size_t len, again_len;
        pf_error error;
        CHECK_EQ(cap_policy_normalize(cases[i][0], strlen(cases[i][0]), &out, &len, &error), PF_OK);
        if (strcmp(out, cases[i][1]) != 0) fprintf(stderr, "%s\n", out);
        CHECK(strcmp(out, cases[i][1]) == 0);
        CHECK_EQ(cap_policy_normalize(out, len, &again, &again_len, &error), PF_OK);
        CHECK(len == again_len && strcmp(out, again) == 0);
        free(out);
        free(again);
    }
}

/* ---- attenuation */

/* One capability each, on the method "m", with these constraints. wanted NULL: inside. */
static void narrows(const char *child, const char *parent, const char *wanted) {
    char c[2000], p[2000];
    snprintf(c, sizeof c, "{\"capabilities\":[{\"method\":\"m\",\"constraints\":%s}]}", child);
    snprintf(p, sizeof p, "{\"capabilities\":[{\"method\":\"m\",\"constraints\":%s}]}", parent);
    bool subset;
    char *why;
    pf_error error = {0};
    CHECK_EQ(cap_policy_is_subset(c, strlen(c), p, strlen(p), &subset, &why, &error), PF_OK);
    bool good = wanted ? !subset && why && strstr(why, wanted) : subset && !why;
    if (!good)
        fprintf(stderr, "%s in %s -> %s %s\n", child, parent, why ? why : "yes", error.message);
    CHECK(good);
    free(why);
}

#define INSIDE(child, parent)  narrows(child, parent, NULL)
#define OUTSIDE(child, parent) narrows(child, parent, "does not ensure")
#define P(op, value)           "{\"param\":\"x\",\"op\":\"" op "\",\"value\":" value "}"
#define O(op, value)           "{\"param\":\"x\",\"op\":\"" op "\",\"value\":" value ",\"optional\":true}"
#define L(op, value)           "{\"param\":\"x\",\"of\":\"length\",\"op\":\"" op "\",\"value\":" value "}"
#define EXISTS                 "{\"param\":\"x\",\"op\":\"exists\"}"
#define NOT_EXISTS             "{\"param\":\"x\",\"op\":\"not_exists\"}"

static void test_bounds(void) {
    INSIDE("{\"x\":\"<=5\"}", "{\"x\":\"<=5\"}");
    INSIDE("{\"x\":\"<=5\"}", "{\"x\":\"<=5.0\"}");
    INSIDE("{\"x\":\"<=5\"}", "{\"x\":\"<=6\"}");
    INSIDE("{\"x\":\"<=5\"}", "{\"x\":\"<6\"}");
    INSIDE("{\"x\":\"<5\"}", "{\"x\":\"<=5\"}");
    INSIDE("{\"x\":\"<5\"}", "{\"x\":\"<5.0\"}");
    OUTSIDE("{\"x\":\"<=5\"}", "{\"x\":\"<5\"}");
    OUTSIDE("{\"x\":\"<=6\"}", "{\"x\":\"<=5\"}");
    OUTSIDE("{\"x\":\">=5\"}", "{\"x\":\"<=5\"}");
    INSIDE("{\"x\":\">5\"}", "{\"x\":\">=5\"}");
    INSIDE("{\"x\":\">=9007199254740993\"}", "{\"x\":\">9007199254740992\"}");
    OUTSIDE("{\"x\":\">=9007199254740992\"}", "{\"x\":\">9007199254740992\"}");
    OUTSIDE("{\"y\":\"<=5\"}", "{\"x\":\"<=5\"}");
    OUTSIDE("{}", "{\"x\":\"<=5\"}");
    INSIDE("{\"x\":\"<=5\",\"y\":\"<=5\"}", "{\"x\":\"<=5\"}");
    INSIDE("{\"x\":\"<=5\"}", "{}");
    INSIDE("[" P("<", "\"b\"") "]", "[" P("<=", "\"b\"") "]");
    OUTSIDE("[" P("<", "\"b\"") "]", "[" P("<", "5") "]");
    INSIDE("{\"x\":\"==5\"}", "{\"x\":\"<=5\"}");
    INSIDE("{\"x\":[1,2]}", "{\"x\":\"<=5\"}");
    OUTSIDE("{\"x\":[1,20]}", "{\"x\":\"<=5\"}");
    INSIDE("[" P("<=", "5") "]", "[" P("!=", "6") "]");
    INSIDE("[" P("<=", "5") "]", "[" P("!=", "\"a\"") "]");
    OUTSIDE("[" P("<=", "5") "]", "[" P("!=", "4") "]");
    INSIDE("[" P("<=", "5") "]", "[" P("is_type", "\"number\"") "]");
    OUTSIDE("[" P("<=", "5") "]", "[" P("is_type", "\"integer\"") "]");
    OUTSIDE("{\"x\":\"<=5\"}", "{\"x\":\">=1\"}");
    OUTSIDE("{\"x\":\">=5\"}", "{\"x\":\"<=9\"}");
    OUTSIDE("{\"xy\":\"<=5\"}", "{\"x\":\"<=5\"}");
    OUTSIDE("{\"x\":\"<=5\"}", "{\"xy\":\"<=5\"}");
    INSIDE("[" P("<", "5") "]", "[" O("<", "5") "]");
    INSIDE("[" P(">", "5") "]", "[" O(">", "5") "]");
    OUTSIDE("[" P("<=", "5") "]", "[" O("<", "5") "]");
    OUTSIDE("[" P(">=", "5") "]", "[" O(">", "5") "]");
}

static void test_sets(void) {
    INSIDE("{\"x\":[1,2]}", "{\"x\":[2,1,3]}");
    INSIDE("{\"x\":[1.0]}", "{\"x\":[1]}");
    OUTSIDE("{\"x\":[1,4]}", "{\"x\":[2,1,3]}");
    OUTSIDE("{\"x\":[\"1\"]}", "{\"x\":[1]}");
    INSIDE("[" P("==", "1") "]", "[" P("in", "[1,2]") "]");
    INSIDE("[" P("in", "[1]") "]", "[" P("==", "1") "]");
    INSIDE("[" P("in", "[]") "]", "[" P("==", "1") "]");
    INSIDE("[" P("not_in", "[1,2]") "]", "[" P("not_in", "[2]") "]");
    INSIDE("[" P("not_in", "[1,2]") "]", "[" P("!=", "1") "]");
    OUTSIDE("[" P("not_in", "[1]") "]", "[" P("not_in", "[1,2]") "]");
    INSIDE("[" P("in", "[\"a\",\"b\"]") "]", "[" P("not_in", "[\"c\"]") "]");
    INSIDE("[" P("==", "\"abc\"") "]",
           "[" P("starts_with", "\"ab\"") "," P("matches", "\"[a-c]+\"") "," L("==", "3") "]");
    OUTSIDE("[" P("in", "[\"abc\",\"d\"]") "]", "[" P("matches", "\"[a-c]+\"") "]");
}

static void test_strings(void) {
    INSIDE("[" P("starts_with", "\"abc\"") "]", "[" P("starts_with", "\"ab\"") "]");
    OUTSIDE("[" P("starts_with", "\"ab\"") "]", "[" P("starts_with", "\"abc\"") "]");
    INSIDE("[" P("ends_with", "\"abc\"") "]", "[" P("ends_with", "\"bc\"") "]");
    OUTSIDE("[" P("ends_with", "\"abc\"") "]", "[" P("ends_with", "\"ab\"") "]");
    INSIDE("[" P("starts_with", "\"abc\"") "]", "[" P("contains", "\"b\"") "]");
    OUTSIDE("[" P("contains", "\"abc\"") "]",
            "[" P("contains", "\"b\"") "]"); /* ["abc"] has no "b" */
    INSIDE("[" P("contains", "\"abc\"") "]", "[" P("contains", "\"abc\"") "]");
    OUTSIDE("[" P("contains", "\"abc\"") "]", "[" P("is_type", "\"string\"") "]");
    INSIDE("[" P("contains", "1") "]", "[" P("is_type", "\"array\"") "]");
    INSIDE("[" P("matches", "\"a+\"") "]", "[" P("matches", "\"a+\"") "]");
    OUTSIDE("[" P("matches", "\"a\"") "]", "[" P("matches", "\"a+\"") "]");
    INSIDE("[" P("matches", "\"a\"") "]", "[" P("is_type", "[\"string\",\"null\"]") "]");
    INSIDE("[" P("starts_with", "\"a\"") "]",
           "[" P("!=", "\"b\"") "," P("not_in", "[1,\"ba\"]") "]");
    OUTSIDE("[" P("starts_with", "\"a\"") "]", "[" P("!=", "\"ab\"") "]");
    INSIDE("[" P("matches", "\"a\"") "]", "[" O("matches", "\"a\"") "]");
    INSIDE("[" P("contains", "1") "]", "[" O("contains", "1") "]");
    OUTSIDE("[" P("starts_with", "\"abc\"") "]", "[" P("ends_with", "\"bc\"") "]");
    OUTSIDE("[" P("ends_with", "\"abc\"") "]", "[" P("starts_with", "\"ab\"") "]");
    OUTSIDE("[" P("starts_with", "\"abc\"") "]", "[" P("matches", "\"[a-c]+\"") "]");
    OUTSIDE("[" P("contains", "\"abc\"") "]", "[" P("is_type", "\"array\"") "]");
    OUTSIDE("[" L("==", "3") "]", "[" P("<=", "5") "]");
    OUTSIDE("[" P("<", "5") "]", "[" L("<", "5") "]");
    OUTSIDE("[" P("<", "\"b\"") "]", "[" L("<=", "5") "]");
    OUTSIDE("[" P(">", "\"b\"") "]", "[" L(">=", "1") "]");
    OUTSIDE("[" L("in", "[3]") "]", "[" P("is_type", "\"number\"") "]");
    OUTSIDE("[" L("<=", "3") "]", "[" P("matches", "\"...\"") "]");
    INSIDE("[" L("<=", "3") "]", "[" L("<=", "5") "]");
    INSIDE("[" L("==", "3") "]", "[" L("<=", "5") "," L("!=", "4") "]");
    OUTSIDE("[" L("<=", "5") "]", "[" L("<=", "3") "]");
    OUTSIDE("[" L("<=", "5") "]", "[" P("<=", "5") "]");
    OUTSIDE("[" P("<=", "5") "]", "[" L("<=", "5") "]");
    INSIDE("[" L("<=", "2") "]",
           "[" P("!=", "\"abc\"") "," P("is_type", "[\"string\",\"array\",\"object\"]") "]");
    INSIDE("[" P("is_type", "\"integer\"") "]", "[" P("is_type", "\"number\"") "]");
    OUTSIDE("[" P("is_type", "\"number\"") "]", "[" P("is_type", "\"integer\"") "]");
}

static void test_presence(void) {
    INSIDE("{\"x\":\"<=5\"}", "[" EXISTS "]");
    OUTSIDE("[" EXISTS "]", "{\"x\":\"<=5\"}");
    OUTSIDE("[" O("<=", "5") "]", "[" EXISTS "]");
    OUTSIDE("[" O("<=", "5") "]", "{\"x\":\"<=5\"}");
    INSIDE("{\"x\":\"<=5\"}", "[" O("<=", "6") "]");
    INSIDE("[" O("<=", "5") "]", "[" O("<=", "6") "]");
    INSIDE("[" NOT_EXISTS "]", "[" O("<=", "6") "]");
    OUTSIDE("[" NOT_EXISTS "]", "{\"x\":\"<=6\"}");
    OUTSIDE("{\"x\":\"<=6\"}", "[" NOT_EXISTS "]");
    OUTSIDE("[" NOT_EXISTS "]", "[" P("!=", "6") "]");
    OUTSIDE("[" P("not_in", "[6]") "]", "[" NOT_EXISTS "]");
    OUTSIDE("[" EXISTS "]", "[" P("!=", "6") "]");
    INSIDE("[" EXISTS "," P("<=", "5") "]", "[" EXISTS "]");
    INSIDE("[" NOT_EXISTS ",{\"param\":\"y\",\"op\":\"exists\"}]", "[" NOT_EXISTS "]");
    OUTSIDE("[" EXISTS "]", "[{\"param\":\"x[\\\"\\\"]\",\"op\":\"exists\"}]");
    OUTSIDE("[" EXISTS "]", "[" P("is_type", "\"string\"") "]");
    OUTSIDE("[" EXISTS "]", "[" P("<=", "6") "]");
    OUTSIDE("[" EXISTS "]", "[" P("contains", "6") "]");
    INSIDE("[" NOT_EXISTS "]", "[{\"param\":\"x.y\",\"op\":\"not_exists\"}]");
    INSIDE("[{\"param\":\"x.y[0]\",\"op\":\"==\",\"value\":1}]", "[" EXISTS "]");
    OUTSIDE("[" EXISTS "]", "[{\"param\":\"x.y\",\"op\":\"exists\"}]");
    OUTSIDE("[" P("<=", "5") "]", "[{\"param\":\"x.y\",\"op\":\"not_exists\"}]");
    INSIDE("{\"x[*].p\":\"<=5\"}", "{\"x[*].p\":\"<=6\"}");
    OUTSIDE("{\"x[*].p\":\"<=5\"}", "{\"x[0].p\":\"<=6\"}");
    OUTSIDE("{\"x[0].p\":\"<=5\"}", "{\"x[*].p\":\"<=6\"}");
}

static void test_trees(void) {
    INSIDE("[{\"any\":[" P("==", "1") "," P("==", "2") "]}]", "{\"x\":[1,2,3]}");
    OUTSIDE("[{\"any\":[" P("==", "1") "," P("==", "4") "]}]", "{\"x\":[1,2,3]}");
    INSIDE("{\"x\":\"<=5\"}", "[{\"any\":[" P("<=", "6") ",{\"param\":\"y\",\"op\":\"exists\"}]}]");
    OUTSIDE("{\"z\":\"<=5\"}",
            "[{\"any\":[" P("<=", "6") ",{\"param\":\"y\",\"op\":\"exists\"}]}]");
    INSIDE("[{\"any\":[" P("<=", "5") "," P(">=", "9") "]}]",
           "[{\"any\":[" P(">=", "8") "," P("<=", "6") "]}]");
    INSIDE("[{\"all\":[" P("<=", "5") "," P(">=", "0") "]}]", "{\"x\":\"<=5\"}");
    INSIDE("{\"x\":\"<=5\"}", "[{\"all\":[" P("<=", "5") "," P("<=", "7") "]}]");
    INSIDE("[{\"not\":" P(">", "5") "}]", "{\"x\":\"<=5\"}");
    OUTSIDE("[{\"not\":" P(">", "6") "}]", "{\"x\":\"<=5\"}");
    INSIDE("[{\"not\":" P("is_type", "\"string\"") "}]",
           "[{\"not\":" P("is_type", "[\"string\"]") "}]");
    OUTSIDE("[{\"not\":" P("is_type", "\"string\"") "}]",
            "[{\"not\":" P("is_type", "[\"string\",\"null\"]") "}]");
    INSIDE("[{\"not\":" P("matches", "\"a\"") "}]", "[{\"not\":" P("matches", "\"a\"") "}]");
    OUTSIDE("[{\"not\":" P("starts_with", "\"a\"") "}]",
            "[{\"not\":" P("starts_with", "\"ab\"") "}," EXISTS "]");
    OUTSIDE("[{\"not\":" P("matches", "\"a\"") "}]", "[" P("matches", "\"a\"") "]");
}

#define NOT(constraint) "{\"not\":" constraint "}"
#define ANY(a, b)       "{\"any\":[" a "," b "]}"
#define BOTH(a, b)      "{\"all\":[" a "," b "]}"

/* With more in the child, so that the two are not the same policy. */
static void test_trees_among_others(void) {
    INSIDE("[" NOT(P("matches", "\"a\"")) "," EXISTS "]", "[" NOT(P("matches", "\"a\"")) "]");
    OUTSIDE("[" P("==", "\"b\"") "," EXISTS "]", "[" NOT(P("starts_with", "\"b\"")) "]");
    OUTSIDE("[" ANY(ANY(P("<=", "5"), P(">=", "3")), P("==", "9")) "]",
            "[" ANY(BOTH(P("<=", "5"), P(">=", "3")), P("==", "9")) "]");
    INSIDE("[" ANY(BOTH(P("<=", "5"), P(">=", "3")), P("==", "9")) "]",
           "[" ANY(ANY(P("<=", "5"), P(">=", "3")), P("==", "9")) "]");
}

/* {"capabilities": [{"method": "m", "constraints": [FIRST ITEM,ITEM,… LAST]}]} */
static char *long_policy(const char *first, const char *item, int from, int to, const char *last) {
    char *text = malloc(2000000), *at = text;
    at += sprintf(at, "{\"capabilities\":[{\"method\":\"m\",\"constraints\":[%s", first);
    for (int i = from; i != to; i += from < to ? 1 : -1) {
        if (i != from) *at++ = ',';
        at += sprintf(at, item, i);
    }
    sprintf(at, "%s]}]}", last);
    return text;
}

static bool within(char *child, char *parent) {
    bool subset = true;
    char *why;
    pf_error error;
    CHECK_EQ(cap_policy_is_subset(child, strlen(child), parent, strlen(parent), &subset, &why,
                                  &error),
             PF_OK);
    CHECK(subset == !why);
    free(why);
    free(child);
    free(parent);
    return subset;
}

/* What takes too long to find out is a no; what is written the same is not compared with all. */
static void test_work(void) {
    const char *any = "{\"any\":[", *list = "{\"param\":\"x\",\"op\":\"not_in\",\"value\":[";
    CHECK(within(long_policy(any, P("==", "%d"), 0, 300, "]}," EXISTS),
                 long_policy(any, P("==", "%d"), 300, -1, "]}")));
    CHECK(!within(long_policy(any, P("==", "%d"), 0, 900, "]}," EXISTS),
                  long_policy(any, P("==", "%d"), 900, -1, "]}")));
    CHECK(within(long_policy(any, P("==", "%d"), 0, 900, "]}," EXISTS),
                 long_policy(any, P("==", "%d"), 0, 900, "]}")));
    CHECK(within(long_policy(list, "%d", 0, 500, "]}"), long_policy(list, "%d", 499, 0, "]}")));
    CHECK(!within(long_policy(list, "%d", 0, 500, "]}"), long_policy(list, "%d", 500, 0, "]}")));
}

/* The last value of the child is excluded, but ten million steps do not get so far. */
static void test_unfinished(void) {
    const char *in = "{\"param\":\"x\",\"op\":\"in\",\"value\":[";
    const char *not_in = "{\"param\":\"x\",\"op\":\"not_in\",\"value\":[";
    CHECK(within(long_policy(in, "%d", 10000, 10100, ",4000]}"),
                 long_policy(not_in, "%d", 0, 4000, "]}")));
    CHECK(!within(long_policy(in, "%d", 10000, 12499, ",3999]}"),
                  long_policy(not_in, "%d", 0, 4000, "]}")));
}

static void whole(const char *child, const char *parent, const char *wanted) {
    char c[2000], p[2000];
    snprintf(c, sizeof c, "{\"capabilities\":%s}", child);
    snprintf(p, sizeof p, "{\"capabilities\":%s}", parent);
    bool subset;
    char *why = NULL;
    pf_error error = {0};
    CHECK_EQ(cap_policy_is_subset(c, strlen(c), p, strlen(p), &subset, &why, &error), PF_OK);
    bool good = wanted ? !subset && why && strstr(why, wanted) : subset;
    if (!good) fprintf(stderr, "%s in %s -> %s\n", child, parent, why ? why : "yes");
    CHECK(good);
    free(why);
}

#define C(method)            "{\"method\":\"" method "\"}"
#define A(method)            "{\"method\":\"" method "\",\"ask\":true}"
#define N(method, max_calls) "{\"method\":\"" method "\",\"max_calls\":" max_calls "}"

static void test_policies(void) {
    whole("[]", "[]", NULL);
    whole("[]", "[" C("a") "]", NULL);
    whole("[" C("a") "]", "[]",
          "capability 0 (a) is not covered: no pattern of the parent matches");
    whole("[" C("a/b") "," C("a/c") "]", "[" C("a/*") "]", NULL);
    whole("[" C("a/*") "]", "[" C("a/b") "," C("a/c") "]", "no pattern");
    whole("[" N("a", "5") "]", "[" C("a") "]", NULL);
    whole("[" C("a") "]", "[" N("a", "5") "]", "the limit of 5 calls of a in the parent");
    whole("[" N("a", "5") "]", "[" N("a", "5") "]", NULL);
    whole("[" N("a", "6") "]", "[" N("a", "5") "]", "limit of 5 calls");
    whole("[" N("a/x", "3") "," N("a/y", "2") "]", "[" N("a/*", "5") "]", NULL);
    whole("[" N("a/x", "3") "," N("a/y", "3") "]", "[" N("a/*", "5") "]", "limit of 5 calls");
    whole("[" N("a", "0") "]", "[]", NULL); /* allows nothing */
    /* a/x would spend what a/y needs */
    whole("[" C("a/x") "," N("a/y", "1") "]", "[" N("a/*", "1") "," C("a/x") "]",
          "could be spent before");
    whole("[" N("a/*", "1") "," C("a/x") "]", "[" N("a/*", "1") "," C("a/x") "]",
          NULL); /* itself */
    whole("[" C("mcp:a.b") "]", "[" C("a/b") "]", NULL);
    /* what others spend of another one does not count; what they spend of the same does */
    whole("[" N("a", "2") "," N("b", "1") "]", "[" N("a", "2") "," N("b", "2") "]", NULL);
    whole("[" N("b", "1") "," N("a", "1") "]", "[" N("*", "1") "," N("a", "1") "]", "limit of 1");
    /* the nearest miss is told, of several the first */
    whole("[" C("a") "]", "[" N("a", "1") "," N("a", "2") "]", "the limit of 1 calls of a");
    whole("[" C("a") "]",
          "[{\"method\":\"a\",\"constraints\":{\"x\":\"<=1\"}},{\"method\":\"a\",\"constraints\":{"
          "\"x\":\"<=2\"}}]",
          "it does not ensure: x must be <= 1");
    /* asking */
    whole("[" A("a") "]", "[" C("a") "]", NULL);
    whole("[" A("a") "]", "[" A("a") "," A("b") "]", NULL);
    whole("[" C("a") "]", "[" A("x") "," C("a") "]", NULL);
    whole("[" C("a") "]", "[" A("*") "," C("a") "]", "the parent may ask about its calls");
    whole("[" C("a") "]", "[" C("a") "," A("*") "]", NULL);
    whole("[" C("a") "]", "[" N("a", "1") "," A("a") "]", "the limit of 1 calls of a");
    bool subset = true;
    char *why = NULL;
    pf_error error;
    CHECK_EQ(cap_policy_is_subset("{", 1, "{}", 2, &subset, &why, &error), PF_INVALID);
    CHECK(!subset && !why);
}

int main(void) {
    test_malformed();
    test_normal_form();
    test_bounds();
    test_sets();
    test_strings();
    test_presence();
    test_trees();
    test_trees_among_others();
    test_work();
    test_unfinished();
    test_policies();
    return check_report();
}
