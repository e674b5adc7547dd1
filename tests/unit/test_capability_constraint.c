/*
 * Every operator of constraints, on every kind of value, and the words in which it refuses.
 */
#include "check.h"
#include "host/capability/constraint.h"
#include "host/capability/gate.h"

#include <stdbool.h>
#include <stdlib.h>

static cap_gate *gate_for(const char *constraints, pf_error *error) {
    cap_gate *gate;
    CHECK_EQ(cap_gate_new(&gate, error), PF_OK);
    char policy[10000];
    snprintf(policy, sizeof policy, "{\"capabilities\":[{\"method\":\"t\",\"constraints\":%s}]}",
             constraints);
    if (cap_gate_set_policy(gate, policy, strlen(policy), error) == PF_OK) return gate;
    cap_gate_free(gate);
    return NULL;
}

/* NULL: allowed; otherwise the message must contain `wanted`. */
static void judge(const char *constraints, const char *params, const char *wanted) {
    pf_error error = {0};
    cap_gate *gate = gate_for(constraints, &error);
    if (!gate) {
        fprintf(stderr, "%s: %s\n", constraints, error.message);
        CHECK(gate != NULL);
        return;
    }
    char *why = NULL;
    bool allowed = cap_gate_can_call(gate, "t", params, strlen(params), &why);
    bool good = wanted ? !allowed && why && strstr(why, wanted) : allowed && !why;
    if (!good) fprintf(stderr, "%s\n  %s -> %s\n", constraints, params, why ? why : "allowed");
    CHECK(good);
    free(why);
    cap_gate_free(gate);
}

#define ALLOWS(constraints, params)         judge(constraints, params, NULL)
#define DENIES(constraints, params, wanted) judge(constraints, params, wanted)
#define LEAF(op, value)                     "[{\"param\":\"x\",\"op\":\"" op "\",\"value\":" value "}]"

static void refuses(const char *constraints, const char *wanted) {
    pf_error error = {0};
    cap_gate *gate = gate_for(constraints, &error);
    bool good = !gate && error.status == PF_INVALID && strstr(error.message, wanted);
    if (!good) fprintf(stderr, "%s -> %s\n", constraints, gate ? "accepted" : error.message);
    CHECK(good);
    cap_gate_free(gate);
}

static void test_order(void) {
    ALLOWS(LEAF("<=", "1000"), "{\"x\":1000}");
    ALLOWS(LEAF("<=", "1000"), "{\"x\":1000.0}");
    ALLOWS(LEAF("<=", "1000"), "{\"x\":1e3}");
    DENIES(LEAF("<=", "1000"), "{\"x\":1001}", "x must be <= 1000 (it is 1001)");
    DENIES(LEAF("<=", "1000"), "{\"x\":1000.0000001}", "(it is 1000.0000001)");
    DENIES(LEAF("<", "1000"), "{\"x\":1000}", "x must be < 1000 (it is 1000)");
    ALLOWS(LEAF("<", "1000"), "{\"x\":999.5}");
    ALLOWS(LEAF(">", "0"), "{\"x\":0.1}");
    DENIES(LEAF(">", "0"), "{\"x\":0}", "x must be > 0 (it is 0)");
    DENIES(LEAF(">", "0"), "{\"x\":-0.0}", "x must be > 0");
    ALLOWS(LEAF(">=", "-1.5"), "{\"x\":-1.5}");
    DENIES(LEAF(">=", "-1.5"), "{\"x\":-1.51}", "x must be >= -1.5");
    /* numbers that no double holds */
    ALLOWS(LEAF("<=", "9007199254740993"), "{\"x\":9007199254740993}");
    DENIES(LEAF("<=", "9007199254740992"), "{\"x\":9007199254740993}", "it is 9007199254740993");
    DENIES(LEAF("<", "100000000000000000000000000000"), "{\"x\":100000000000000000000000000001}",
           "<");
    ALLOWS(LEAF("<", "100000000000000000000000000002"), "{\"x\":100000000000000000000000000001}");
    /* what rounds to the bound is the bound */
    DENIES(LEAF("<", "1000"), "{\"x\":999.99999999999999999999}", "(it is 1000.0)");
    /* strings in the order of their characters */
    ALLOWS(LEAF("<", "\"b\""), "{\"x\":\"abc\"}");
    DENIES(LEAF("<", "\"b\""), "{\"x\":\"b\"}", "x must be < \"b\" (it is \"b\")");
    ALLOWS(LEAF(">=", "\"2024-01-01\""), "{\"x\":\"2024-02-30\"}");
    ALLOWS(LEAF("<", "\"é\""), "{\"x\":\"zzz\"}");
}

static void test_types_apart(void) {
    static const char *const others[] = {"\"5\"", "\"1e3\"",   "true", "false", "null",
                                         "[5]",   "{\"a\":5}", "[]",   "\"\""};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char params[64];
        snprintf(params, sizeof params, "{\"x\":%s}", others[i]);
        DENIES(LEAF("<=", "1000"), params, "which is of type");
        DENIES(LEAF(">", "-1"), params, "which is of type");
        DENIES(LEAF("==", "5"), params, "x must be 5");
        DENIES(LEAF("in", "[5,1000,1,0]"), params, "x must be one of 5, 1000, 1, 0");
        ALLOWS(LEAF("!=", "5"), params);
        ALLOWS(LEAF("not_in", "[5,1,0]"), params);
    }
    DENIES(LEAF("==", "1"), "{\"x\":true}", "x must be 1 (it is true)");
    DENIES(LEAF("==", "true"), "{\"x\":1}", "x must be true (it is 1)");
    DENIES(LEAF("==", "0"), "{\"x\":false}", "it is false");
    DENIES(LEAF("==", "null"), "{\"x\":0}", "x must be null (it is 0)");
    DENIES(LEAF("==", "null"), "{}", "x must be null (it is missing)");
    ALLOWS(LEAF("==", "null"), "{\"x\":null}");
    DENIES(LEAF("==", "\"5\""), "{\"x\":5}", "x must be \"5\" (it is 5)");
    DENIES(LEAF("<=", "\"5\""), "{\"x\":4}", "(it is 4, which is of type number)");
}

static void test_equality(void) {
    ALLOWS(LEAF("==", "1"), "{\"x\":1.0}");
    ALLOWS(LEAF("==", "[1,{\"a\":2}]"), "{\"x\":[1,{\"a\":2}]}");
    ALLOWS(LEAF("==", "{\"a\":1,\"b\":2}"), "{\"x\":{\"b\":2,\"a\":1}}");
    DENIES(LEAF("==", "{\"a\":1}"), "{\"x\":{\"a\":1,\"b\":2}}", "x must be {\"a\": 1}");
    DENIES(LEAF("!=", "5"), "{\"x\":5}", "x must not be 5 (it is 5)");
    DENIES(LEAF("!=", "5"), "{\"x\":5.0}", "x must not be 5 (it is 5.0)");
    DENIES(LEAF("!=", "5"), "{}", "(it is missing)");
    ALLOWS(LEAF("in", "[\"USD\",\"EUR\"]"), "{\"x\":\"EUR\"}");
    DENIES(LEAF("in", "[\"USD\",\"EUR\"]"), "{\"x\":\"eur\"}",
           "x must be one of \"USD\", \"EUR\" (it is \"eur\")");
    DENIES(LEAF("in", "[]"), "{\"x\":1}", "x must be one of nothing");
    ALLOWS(LEAF("not_in", "[]"), "{\"x\":1}");
    DENIES(LEAF("not_in", "[1,\"a\"]"), "{\"x\":\"a\"}",
           "x must not be one of 1, \"a\" (it is \"a\")");
    DENIES(LEAF("not_in", "[1]"), "{}", "it is missing");
    /* characters that look alike are not alike */
    DENIES(LEAF("==", "\"admin\""), "{\"x\":\"\\u0430dmin\"}", "must be \"admin\"");
    DENIES(LEAF("==", "\"\\u00e9\""), "{\"x\":\"e\\u0301\"}", "must be");
    DENIES(LEAF("==", "\"a\""), "{\"x\":\"a\\u0000b\"}", "must be \"a\" (it is \"a\\u0000b\")");
}

static void test_strings(void) {
    ALLOWS(LEAF("starts_with", "\"acct_\""), "{\"x\":\"acct_1\"}");
    ALLOWS(LEAF("starts_with", "\"acct_\""), "{\"x\":\"acct_\"}");
    DENIES(LEAF("starts_with", "\"acct_\""), "{\"x\":\"Xacct_\"}",
           "x must start with \"acct_\" (it is \"Xacct_\")");
    DENIES(LEAF("starts_with", "\"acct_\""), "{\"x\":\"acct\"}", "start with");
    DENIES(LEAF("starts_with", "\"1\""), "{\"x\":12}", "(it is 12, which is of type number)");
    DENIES(LEAF("starts_with", "\"a\""), "{\"x\":[\"a\"]}", "type array");
    ALLOWS(LEAF("ends_with", "\".com\""), "{\"x\":\"a@b.com\"}");
    DENIES(LEAF("ends_with", "\".com\""), "{\"x\":\"a.com.evil\"}", "x must end with \".com\"");
    ALLOWS(LEAF("contains", "\"lo w\""), "{\"x\":\"hello world\"}");
    DENIES(LEAF("contains", "\"lo w\""), "{\"x\":\"hello\"}", "x must contain \"lo w\"");
    ALLOWS(LEAF("contains", "\"a\""), "{\"x\":[\"b\",\"a\"]}");
    DENIES(LEAF("contains", "\"a\""), "{\"x\":[\"ab\"]}", "x must contain \"a\" (it is [\"ab\"])");
    ALLOWS(LEAF("contains", "1"), "{\"x\":[1.0]}");
    DENIES(LEAF("contains", "1"), "{\"x\":\"1\"}", "which is of type string");
    DENIES(LEAF("contains", "\"a\""), "{\"x\":{\"a\":1}}", "which is of type object");
    ALLOWS(LEAF("matches", "\"[a-z]+\\\\d{2}\""), "{\"x\":\"abc42\"}");
    DENIES(LEAF("matches", "\"[a-z]+\\\\d{2}\""), "{\"x\":\"abc42 \"}",
           "x must match \"[a-z]+\\\\d{2}\"");
    DENIES(LEAF("matches", "\"a|bc\""), "{\"x\":\"abc\"}", "must match");
    ALLOWS(LEAF("matches", "\"a|ab\""), "{\"x\":\"ab\"}");
    DENIES(LEAF("matches", "\"[a-z]+\""), "{\"x\":\"abc\\n\"}", "must match");
    DENIES(LEAF("matches", "\"\\\\d+\""), "{\"x\":5}", "type number");
    DENIES(LEAF("matches", "\"[a-z]*\""), "{\"x\":\"a\\u0000b\"}", "must match");
    ALLOWS(LEAF("matches", "\"\""), "{\"x\":\"\"}");
}

static void test_presence(void) {
    ALLOWS("[{\"param\":\"x\",\"op\":\"exists\"}]", "{\"x\":null}");
    DENIES("[{\"param\":\"x\",\"op\":\"exists\"}]", "{\"y\":1}", "x must be given (it is missing)");
    ALLOWS("[{\"param\":\"x\",\"op\":\"not_exists\"}]", "{\"y\":1}");
    DENIES("[{\"param\":\"x\",\"op\":\"not_exists\"}]", "{\"x\":null}",
           "x must not be given (it is null)");
    DENIES("[{\"param\":\"x\",\"op\":\"<=\",\"value\":5}]", "{}", "x must be <= 5 (it is missing)");
    ALLOWS("[{\"param\":\"x\",\"op\":\"<=\",\"value\":5,\"optional\":true}]", "{}");
    ALLOWS("[{\"param\":\"x\",\"op\":\"<=\",\"value\":5,\"optional\":true}]", "{\"x\":4}");
    DENIES("[{\"param\":\"x\",\"op\":\"<=\",\"value\":5,\"optional\":true}]", "{\"x\":6}",
           "it is 6");
    DENIES("[{\"param\":\"x\",\"op\":\"<=\",\"value\":5,\"optional\":true}]", "{\"x\":null}",
           "type null");
    DENIES("[{\"param\":\"x\",\"op\":\"<=\",\"value\":5,\"optional\":false}]", "{}", "missing");
}

static void test_lengths_and_types(void) {
    ALLOWS("[{\"param\":\"x\",\"of\":\"length\",\"op\":\"<=\",\"value\":3}]", "{\"x\":\"äöü\"}");
    DENIES("[{\"param\":\"x\",\"of\":\"length\",\"op\":\"<=\",\"value\":3}]", "{\"x\":\"abcd\"}",
           "length of x must be <= 3 (it is 4)");
    ALLOWS("[{\"param\":\"x\",\"of\":\"length\",\"op\":\"==\",\"value\":2}]", "{\"x\":[1,[2,3]]}");
    ALLOWS("[{\"param\":\"x\",\"of\":\"length\",\"op\":\"in\",\"value\":[0,2.0]}]",
           "{\"x\":{\"a\":1,\"b\":1}}");
    DENIES("[{\"param\":\"x\",\"of\":\"length\",\"op\":\"not_in\",\"value\":[0]}]", "{\"x\":\"\"}",
           "(it is 0)");
    DENIES("[{\"param\":\"x\",\"of\":\"length\",\"op\":\">=\",\"value\":0}]", "{\"x\":5}",
           "(it is 5, which is of type number)");
    DENIES("[{\"param\":\"x\",\"of\":\"length\",\"op\":\">=\",\"value\":0}]", "{\"x\":null}",
           "type null");
    ALLOWS(LEAF("is_type", "\"integer\""), "{\"x\":5}");
    ALLOWS(LEAF("is_type", "\"integer\""), "{\"x\":5.0}");
    ALLOWS(LEAF("is_type", "\"number\""), "{\"x\":5}");
    DENIES(LEAF("is_type", "\"integer\""), "{\"x\":5.5}", "x must be of type integer (it is 5.5)");
    DENIES(LEAF("is_type", "\"integer\""), "{\"x\":true}", "(it is true)");
    ALLOWS(LEAF("is_type", "[\"string\",\"null\"]"), "{\"x\":null}");
    DENIES(LEAF("is_type", "[\"string\",\"null\"]"), "{\"x\":[]}",
           "x must be of type null or string");
    ALLOWS(LEAF("is_type", "\"object\""), "{\"x\":{}}");
    ALLOWS(LEAF("is_type", "\"array\""), "{\"x\":[]}");
    ALLOWS(LEAF("is_type", "\"boolean\""), "{\"x\":false}");
}

static void test_paths(void) {
    const char *nested = "[{\"param\":\"a.b[1].c\",\"op\":\"==\",\"value\":7}]";
    ALLOWS(nested, "{\"a\":{\"b\":[0,{\"c\":7}]}}");
    DENIES(nested, "{\"a\":{\"b\":[0,{\"c\":8}]}}", "a.b[1].c must be 7 (it is 8)");
    DENIES(nested, "{\"a\":{\"b\":[0]}}", "(it is missing)");
    DENIES(nested, "{\"a\":{\"b\":{\"1\":{\"c\":7}}}}", "on the way");
    DENIES(nested, "{\"a.b[1].c\":7}", "missing");
    ALLOWS("[{\"param\":\"[\\\"a.b\\\"].c\",\"op\":\"==\",\"value\":1}]", "{\"a.b\":{\"c\":1}}");
    DENIES("[{\"param\":\"[\\\"a.b\\\"].c\",\"op\":\"==\",\"value\":1}]",
           "{\"a\":{\"b\":{\"c\":1}}}", "[\"a.b\"].c must be 1");
    const char *all = "[{\"param\":\"items[*].price\",\"op\":\"<=\",\"value\":10}]";
    ALLOWS(all, "{\"items\":[{\"price\":1},{\"price\":10}]}");
    ALLOWS(all, "{\"items\":[]}");
    DENIES(all, "{\"items\":[{\"price\":1},{\"price\":11}]}",
           "items[1].price must be <= 10 (it is 11)");
    DENIES(all, "{\"items\":[{\"price\":1},{}]}", "items[1].price must be <= 10 (it is missing)");
    DENIES(all, "{\"items\":[{\"price\":1},5]}", "on the way to it is a number");
    DENIES(all, "{\"items\":{\"price\":1}}", "on the way");
    DENIES(all, "{}", "items[*].price must be <= 10 (it is missing)");
    const char *two = "[{\"param\":\"m[*][*]\",\"op\":\"is_type\",\"value\":\"integer\"}]";
    ALLOWS(two, "{\"m\":[[1,2],[],[3]]}");
    DENIES(two, "{\"m\":[[1,2],[],[3,\"x\"]]}", "m[2][1] must be of type integer (it is \"x\")");
    DENIES(two, "{\"m\":[1]}", "m[0][*]");
    /* prototype keys are names like any other */
    ALLOWS("[{\"param\":\"__proto__.a\",\"op\":\"==\",\"value\":1}]", "{\"__proto__\":{\"a\":1}}");
    DENIES("[{\"param\":\"a\",\"op\":\"==\",\"value\":1}]", "{\"__proto__\":{\"a\":1}}", "missing");
    DENIES("[{\"param\":\"toString\",\"op\":\"exists\"}]", "{}", "missing");
    /* a missing way is missing, a wrong one is not */
    ALLOWS("[{\"param\":\"a.b\",\"op\":\"not_exists\"}]", "{}");
    DENIES("[{\"param\":\"a.b\",\"op\":\"not_exists\"}]", "{\"a\":null}", "on the way");
    DENIES("[{\"param\":\"a.b\",\"op\":\"==\",\"value\":1,\"optional\":true}]", "{\"a\":[]}",
           "on the way");
    ALLOWS("[{\"param\":\"a.b\",\"op\":\"==\",\"value\":1,\"optional\":true}]", "{\"a\":{}}");
    ALLOWS("[{\"param\":\"a[2]\",\"op\":\"==\",\"value\":1,\"optional\":true}]", "{\"a\":[1]}");
}

#define X(op, value) "{\"param\":\"x\",\"op\":\"" op "\",\"value\":" value "}"
#define Y(op, value) "{\"param\":\"y\",\"op\":\"" op "\",\"value\":" value "}"

static void test_trees(void) {
    const char *any = "[{\"any\":[" X("<=", "10") "," Y("==", "\"ok\"") "]}]";
    ALLOWS(any, "{\"x\":5}");
    ALLOWS(any, "{\"x\":50,\"y\":\"ok\"}");
    ALLOWS(any, "{\"y\":\"ok\"}");
    DENIES(any, "{\"x\":50,\"y\":\"no\"}",
           "one of these must hold: x must be <= 10; y must be \"ok\" (x is 50; y is \"no\")");
    DENIES(any, "{}", "(x is missing; y is missing)");
    const char *all = "[{\"all\":[" X(">", "0") "," X("<", "10") "]}]";
    ALLOWS(all, "{\"x\":5}");
    DENIES(all, "{\"x\":10}", "x must be < 10 (it is 10)");
    DENIES(all, "{\"x\":0}", "x must be > 0 (it is 0)");
    /* several constraints of one capability must all hold */
    DENIES("[" X(">", "0") "," Y("==", "1") "]", "{\"x\":1,\"y\":2}", "y must be 1 (it is 2)");
    /* negation turns true and false around, and allows nothing that is missing or of another type
     */
    ALLOWS("[{\"not\":" X("<=", "10") "}]", "{\"x\":11}");
    DENIES("[{\"not\":" X("<=", "10") "}]", "{\"x\":10}", "x must be > 10 (it is 10)");
    DENIES("[{\"not\":" X("<=", "10") "}]", "{}", "missing");
    DENIES("[{\"not\":" X("<=", "10") "}]", "{\"x\":\"11\"}", "which is of type string");
    ALLOWS("[{\"not\":" X("==", "10") "}]", "{\"x\":\"10\"}");
    DENIES("[{\"not\":" X("==", "10") "}]", "{}", "missing");
    DENIES("[{\"not\":" X("matches", "\"a+\"") "}]", "{\"x\":\"aa\"}",
           "x must not match \"a+\" (it is \"aa\")");
    ALLOWS("[{\"not\":" X("matches", "\"a+\"") "}]", "{\"x\":\"b\"}");
    DENIES("[{\"not\":" X("matches", "\"a+\"") "}]", "{\"x\":1}", "type number");
    DENIES("[{\"not\":" X("is_type", "\"null\"") "}]", "{\"x\":null}",
           "x must not be of type null (it is null)");
    ALLOWS("[{\"not\":{\"param\":\"x\",\"op\":\"exists\"}}]", "{}");
    DENIES("[{\"not\":{\"param\":\"x\",\"op\":\"not_exists\"}}]", "{}", "x must be given");
    ALLOWS("[{\"not\":{\"not\":" X("<=", "10") "}}]", "{\"x\":10}");
    DENIES("[{\"not\":{\"not\":{\"param\":\"x\",\"op\":\"<=\",\"value\":10,\"optional\":true}}}]",
           "{\"x\":11}", "x must be <= 10");
    ALLOWS("[{\"not\":{\"not\":{\"param\":\"x\",\"op\":\"<=\",\"value\":10,\"optional\":true}}}]",
           "{}");
    DENIES("[{\"not\":{\"param\":\"x\",\"op\":\"<=\",\"value\":10,\"optional\":true}}]", "{}",
           "missing");
    const char *neither = "[{\"not\":{\"any\":[" X(">", "10") "," Y("==", "\"no\"") "]}}]";
    ALLOWS(neither, "{\"x\":10,\"y\":\"ok\"}");
    DENIES(neither, "{\"x\":11,\"y\":\"ok\"}", "x must be <= 10");
    DENIES(neither, "{\"x\":10}", "y must not be \"no\" (it is missing)");
    /* not all elements */
    const char *some = "[{\"not\":{\"param\":\"x[*]\",\"op\":\"<=\",\"value\":10}}]";
    ALLOWS(some, "{\"x\":[1,11]}");
    DENIES(some, "{\"x\":[1,10]}", "at least one x[*] must not be <= 10");
    DENIES(some, "{\"x\":[]}", "at least one");
    DENIES(some, "{\"x\":[\"11\"]}", "at least one");
    DENIES(some, "{}", "at least one");
    ALLOWS(some, "{\"x\":[\"a\",11]}");
}

static void test_short_form(void) {
    const char *all = "{\"amount\":\"<=1000\",\"currency\":[\"USD\",\"EUR\"],\"to\":\"startswith:"
                      "acct_\",\"dry\":true}";
    ALLOWS(all, "{\"amount\":1000,\"currency\":\"USD\",\"to\":\"acct_1\",\"dry\":true}");
    DENIES(all, "{\"amount\":1001,\"currency\":\"USD\",\"to\":\"acct_1\",\"dry\":true}",
           "amount must be <= 1000 (it is 1001)");
    DENIES(all, "{\"amount\":1,\"currency\":\"GBP\",\"to\":\"acct_1\",\"dry\":true}",
           "\"USD\", \"EUR\" (it is \"GBP\")");
    DENIES(all, "{\"amount\":1,\"currency\":\"USD\",\"to\":\"acc\",\"dry\":true}",
           "to must start with");
    DENIES(all, "{\"amount\":1,\"currency\":\"USD\",\"to\":\"acct_\",\"dry\":1}",
           "dry must be true");
    ALLOWS("{\"x\":\"< 99.99\"}", "{\"x\":99.98}");
    DENIES("{\"x\":\"<99.99\"}", "{\"x\":99.99}", "x must be < 99.99");
    ALLOWS("{\"x\":\">=-5\"}", "{\"x\":-5}");
    ALLOWS("{\"x\":\">5\"}", "{\"x\":6}");
    ALLOWS("{\"x\":\"==5\"}", "{\"x\":5.0}");
    DENIES("{\"x\":\"!=5\"}", "{\"x\":5}", "x must not be 5");
    ALLOWS("{\"x\":7}", "{\"x\":7}");
    ALLOWS("{\"x.y\":\"endswith:z\"}", "{\"x\":{\"y\":\"xyz\"}}");
    ALLOWS("{\"x\":\"contains:b\"}", "{\"x\":\"abc\"}");
    DENIES("{\"x\":\"matches:[ab]+\"}", "{\"x\":\"abc\"}", "x must match");
    ALLOWS("{\"x\":\"startswith:\"}", "{\"x\":\"\"}");
    ALLOWS("{}", "{\"anything\":1}");
    refuses("{\"x\":\"USD\"}", "is not a condition");
    refuses("{\"x\":\"\"}", "is not a condition");
    refuses("{\"x\":\"=<5\"}", "is not a condition");
    refuses("{\"x\":\"StartsWith:a\"}", "is not a condition");
    refuses("{\"x\":\"<=\"}", "no number");
    refuses("{\"x\":\"<=abc\"}", "no number");
    refuses("{\"x\":\"<=1_000\"}", "no number");
    refuses("{\"x\":\"<=1,000\"}", "no number");
    refuses("{\"x\":\"<=NaN\"}", "no number");
    refuses("{\"x\":\"<=1e999\"}", "no number");
    refuses("{\"x\":\"<=5 USD\"}", "no number");
    refuses("{\"x\":\"<=[5]\"}", "no number");
    refuses("{\"x\":\"==\\\"5\\\"\"}", "no number");
    refuses("{\"x\":\"<==5\"}", "no number");
    refuses("{\"x\":null}", "is not a condition");
    refuses("{\"x\":{\"<=\":5}}", "is not a condition");
    refuses("{\"x..y\":5}", "empty step");
    refuses("{\"\":5}", "is empty");
}

static void test_malformed(void) {
    refuses("5", "constraints are a list");
    refuses("null", "constraints are a list");
    refuses("[5]", "capabilities[0].constraints[0]: a constraint is an object, not number");
    refuses("[{}]", "\"param\" must name a parameter");
    refuses("[{\"param\":\"x\"}]", "\"op\" is missing");
    refuses("[{\"param\":\"x\",\"op\":\"=<\",\"value\":1}]", "\"=<\" is not an operator");
    refuses("[{\"param\":\"x\",\"op\":\"LE\",\"value\":1}]",
            "is not an operator; the operators are < <=");
    refuses("[{\"param\":\"x\",\"op\":1,\"value\":1}]", "is not an operator");
    refuses("[{\"param\":\"x\",\"op\":\"<=\"}]", "<= needs a value");
    refuses("[{\"param\":\"x\",\"op\":\"<=\",\"value\":true}]", "not with boolean");
    refuses("[{\"param\":\"x\",\"op\":\"<=\",\"value\":null}]", "not with null");
    refuses("[{\"param\":\"x\",\"op\":\"in\",\"value\":\"abc\"}]", "in needs a list");
    refuses("[{\"param\":\"x\",\"op\":\"starts_with\",\"value\":1}]", "starts_with needs a string");
    refuses("[{\"param\":\"x\",\"op\":\"matches\",\"value\":\"a(\"}]", "without its )");
    refuses("[{\"param\":\"x\",\"op\":\"matches\",\"value\":\"(a)\\\\1\"}]", "back-reference");
    refuses("[{\"param\":\"x\",\"op\":\"is_type\",\"value\":\"int\"}]", "is_type needs");
    refuses("[{\"param\":\"x\",\"op\":\"is_type\",\"value\":[]}]", "is_type needs");
    refuses("[{\"param\":\"x\",\"op\":\"is_type\",\"value\":[\"string\",1]}]", "is_type needs");
    refuses("[{\"param\":\"x\",\"op\":\"exists\",\"value\":1}]", "exists takes no value");
    refuses("[{\"param\":\"x\",\"op\":\"exists\",\"optional\":true}]", "goes with neither");
    refuses("[{\"param\":\"x\",\"op\":\"<=\",\"value\":1,\"vlaue\":2}]", "\"vlaue\" is not known");
    refuses("[{\"param\":\"x\",\"op\":\"<=\",\"value\":1,\"of\":\"size\"}]",
            "\"of\" is \"length\"");
    refuses("[{\"param\":\"x\",\"op\":\"<=\",\"value\":\"a\",\"of\":\"length\"}]",
            "a length is a number");
    refuses("[{\"param\":\"x\",\"op\":\"in\",\"value\":[1,\"a\"],\"of\":\"length\"}]",
            "a length is a number");
    refuses("[{\"param\":\"x\",\"op\":\"matches\",\"value\":\"a\",\"of\":\"length\"}]",
            "can only be compared");
    refuses("[{\"param\":\"x\",\"op\":\"<=\",\"value\":1,\"optional\":1}]",
            "\"optional\" is true or false");
    refuses("[{\"param\":\"x\",\"op\":\"<=\",\"value\":1e999}]", "too large");
    refuses("[{\"any\":[]}]", ".any: an empty list says nothing");
    refuses("[{\"not\":{\"all\":[]}}]", "an empty list says nothing");
    refuses("[{\"any\":{}}]", "needs a list of constraints");
    refuses("[{\"any\":[" X("<", "1") "],\"all\":[" X("<", "1") "]}]", "stand alone");
    refuses("[{\"not\":[" X("<", "1") "]}]", "a constraint is an object, not array");
    refuses("[{\"any\":[" X("<", "1") "],\"param\":\"x\"}]", "stand alone");
    static const char *const paths[][2] = {
        {"", "is empty"},
        {".a", "empty step"},
        {"a.", "empty step"},
        {"a..b", "empty step"},
        {"a[", "not followed"},
        {"a[]", "not followed"},
        {"a[-1]", "not followed"},
        {"a[x]", "not followed"},
        {"a[01]", "starts with 0"},
        {"a[1", "without its ]"},
        {"a[1x]", "without its ]"},
        {"a[\\\"b\\\"x]", "without its ]"},
        {"a[\\\"b\\\\", "string without an end"},
        {"a[*", "without its ]"},
        {"a]", "without a ["},
        {"[0]", "must start with the name"},
        {"[*]", "must start with the name"},
        {"a[0]b", "needs a . or ["},
        {"a\\u0000b", "NUL character"},
        {"a[9999999999]", "too large"},
        {"a[\\\"b]", "string without an end"},
        {"a[\\\"\\\\q\\\"]", "has a string that is not valid JSON"},
        {"a[\\\"b\\\\\\\\\\\"]c", "needs a . or ["},
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char text[200];
        snprintf(text, sizeof text, "[{\"param\":\"%s\",\"op\":\"exists\"}]", paths[i][0]);
        refuses(text, paths[i][1]);
    }
    char steps[300] = "{\"x";
    for (int i = 1; i < 32; i++) strcat(steps, "[0]");
    char *end = steps + strlen(steps);
    strcpy(end, "\":\"==1\"}");
    DENIES(steps, "{}", "is missing");
    strcpy(end, "[0]\":\"==1\"}");
    refuses(steps, "more than 32 steps");
    char longest[CAP_PATH_MAX + 50] = "[{\"param\":\"";
    memset(longest + strlen(longest), 'x', CAP_PATH_MAX);
    end = longest + strlen(longest);
    strcpy(end, "\",\"op\":\"exists\"}]");
    DENIES(longest, "{}", "is denied");
    strcpy(end, "x\",\"op\":\"exists\"}]");
    refuses(longest, "is too long");
    char deep[2000] = "[";
    for (int i = 0; i < 40; i++) strcat(deep, "{\"not\":");
    strcat(deep, X("<", "1"));
    for (int i = 0; i < 40; i++) strcat(deep, "}");
    strcat(deep, "]");
    refuses(deep, "nested too deeply");
}

/* Texts end where their length says: not at a NUL, and not after what stands beside them. */
static void test_ends_of_texts(void) {
    /* names of parameters that are told so that they can be written */
    DENIES("[{\"param\":\"x[\\\"a b\\\"][\\\"\\\"].c\",\"op\":\"<\",\"value\":1}]",
           "{\"x\":{\"a b\":{\"\":{\"c\":1}}}}", "x[\"a b\"][\"\"].c must be < 1 (it is 1)");
    DENIES("[{\"param\":\"x[*]\",\"op\":\"<=\",\"value\":5}]", "{\"x\":[1,\"a\",6]}",
           "x[1] must be <= 5 (it is \"a\""); /* the first that is wrong is told */
    ALLOWS(LEAF("<", "\"ab\\u0000\\u0000\\u0000\""), "{\"x\":\"ab\"}");
    DENIES(LEAF(">", "\"ab\\u0000\\u0000\\u0000\""), "{\"x\":\"ab\"}", "x must be >");
    DENIES(LEAF("starts_with", "\"ab\\u0000\""), "{\"x\":\"ab\"}", "start with");
    DENIES(LEAF("ends_with", "\"\\\"ab\""), "{\"x\":\"ab\"}", "end with");
    DENIES(LEAF("ends_with", "\":\\\"ab\""), "{\"x\":\"ab\"}", "end with");
    DENIES(LEAF("ends_with", "\"\\u0000ab\""), "{\"x\":\"ab\"}", "end with");
}

/* What cannot be compared to its end is not known, whatever it looks like so far. */
static void test_steps(void) {
    static char list[9000] = "[{\"param\":\"x\",\"op\":\"not_in\",\"value\":[";
    static char big[9000] = "{\"x\":[";
    for (int i = 0; i < 2000; i++) strcat(list, i ? ",1" : "1");
    strcat(list, "]}]");
    for (int i = 0; i < 2000; i++) strcat(big, i ? ",0" : "0");
    strcat(big, "]}");
    ALLOWS(list, big);
    static char each[9000] = "[{\"param\":\"x[*]\",\"op\":\"not_in\",\"value\":[";
    for (int i = 0; i < 3900; i++) strcat(each, i ? ",1" : "1");
    strcat(each, "]}]");
    static char many[9000] = "{\"x\":[";
    for (int i = 0; i < 4000; i++) strcat(many, i ? ",0" : "0");
    strcat(many, "]}");
    DENIES(each, many, "too large to be checked");
}

static void test_last_step(void) {
    const struct cap_leaf leaf = {.op = CAP_EXISTS};
    struct cap_eval none = {.steps = 0}, one = {.steps = 1};
    yyjson_val value = {0};
    CHECK_EQ(cap_leaf_judge(&leaf, &value, &none), CAP_UNKNOWN);
    CHECK_EQ(cap_leaf_judge(&leaf, &value, &one), CAP_TRUE);
    struct base_arena arena;
    yyjson_val *list, *three;
    pf_error error;
    base_arena_init(&arena, 10000);
    CHECK_EQ(base_json_read(&arena, "[1,2,3]", 7, 9, &list, &error), PF_OK);
    CHECK_EQ(base_json_read(&arena, "3", 1, 9, &three, &error), PF_OK);
    struct cap_leaf not_in = {.op = CAP_NOT_IN, .value = list}, in = {.op = CAP_IN, .value = list};
    struct cap_node node = {.kind = CAP_LEAF, .leaf = &not_in};
    for (int steps = 0; steps < 9; steps++) {
        struct cap_eval eval = {.steps = steps};
        node.leaf = &not_in;
        CHECK(!cap_node_holds(&node, three, &eval));
        eval.steps = steps;
        node.leaf = &in; /* the leaf and each comparison are one */
        CHECK_EQ(cap_node_holds(&node, three, &eval), steps >= 4);
    }
    base_arena_free(&arena);
}

/* Wherever memory ends, a path is read as it is or not at all. */
static void test_memory_of_paths(void) {
    static const char path[] = "ab[\"c\\\"d\"].e[10].f";
    int read = 0, refused = 0;
    for (size_t filler = 16; filler < 4000; filler += 16) {
        struct base_arena arena;
        struct cap_path out;
        pf_error error;
        char shown[100];
        struct base_text text;
        base_text_init(&text, shown, sizeof shown);
        base_arena_init(&arena, filler > 3000 ? 1100 : 3300);
        base_arena_alloc(&arena, filler > 3000 ? filler - 3000 : 1000);
        if (filler <= 3000) base_arena_alloc(&arena, filler);
        pf_status status = cap_path_read(&out, &arena, path, sizeof path - 1, &error);
        if (status == PF_OK) cap_path_show(&text, &out, NULL, 0);
        CHECK(status == PF_OK ? strcmp(shown, path) == 0
                              : status == PF_NO_MEMORY || (status == PF_INVALID && arena.over));
        status == PF_OK ? read++ : refused++;
        base_arena_free(&arena);
    }
    CHECK(read > 10 && refused > 10);
}

/* Addresses of the web: a pattern, and their parts by name. */
static void addresses(void) {
    const char *api = LEAF("matches_url", "\"https://*.x.com/v1/**\"");
    ALLOWS(api, "{\"x\":\"https://a.x.com/v1/b?c\"}");
    DENIES(api, "{\"x\":\"https://a.x.com/v1/../b\"}", "x must match \"https://*.x.com/v1/**\"");
    DENIES(api, "{\"x\":\"http://a.x.com/v1/b\"}", "must match");
    DENIES(api, "{\"x\":\"nonsense\"}", "must match");
    DENIES(api, "{\"x\":5}", "type number");
    refuses(LEAF("matches_url", "\"x.com\""), "no http://");
    refuses(LEAF("matches_url", "\"GET https://x.com\""), "no http://");
    refuses(LEAF("matches_url", "7"), "needs a string");
    const char *host = "[{\"param\":\"x.host\",\"op\":\"==\",\"value\":\"127.0.0.1\"}]";
    ALLOWS(host, "{\"x\":\"http://0x7f.1/\"}");
    DENIES(host, "{\"x\":\"http://127.0.0.1.evil.com/\"}", "x.host must be \"127.0.0.1\"");
    DENIES(host, "{\"x\":\"127.0.0.1\"}", "on the way to it is a string");
    ALLOWS("[{\"param\":\"x.port\",\"op\":\"<\",\"value\":1000}]", "{\"x\":\"https://a/\"}");
    DENIES("[{\"param\":\"x.port\",\"op\":\"<\",\"value\":1000}]", "{\"x\":\"https://a:8443/\"}",
           "(it is 8443)");
    ALLOWS("[{\"param\":\"x.query\",\"op\":\"not_exists\"}]", "{\"x\":\"https://a/\"}");
    DENIES("[{\"param\":\"x.query\",\"op\":\"not_exists\"}]", "{\"x\":\"https://a/?\"}", "x.query");
    DENIES("[{\"param\":\"x.user\",\"op\":\"not_exists\"}]", "{\"x\":\"https://a/\"}", "a string");
    DENIES("[{\"param\":\"x.host.y\",\"op\":\"not_exists\"}]", "{\"x\":\"https://a/\"}", "a string");
}

int main(void) {
    test_order();
    test_types_apart();
    test_equality();
    test_strings();
    test_presence();
    test_lengths_and_types();
    test_paths();
    test_trees();
    test_short_form();
    test_ends_of_texts();
    test_steps();
    test_last_step();
    test_memory_of_paths();
    test_malformed();
    addresses();
    return check_report();
}
