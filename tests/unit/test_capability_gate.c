/*
 * A gate as the machine uses it: tools, decisions, budgets, counters, clones, and what it refuses
 * when it is put together.
 */
#include "check.h"
#include "host/capability/gate_state.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

static cap_gate *new_gate(const char *policy) {
    cap_gate *gate = NULL;
    pf_error error = {0};
    CHECK_EQ(cap_gate_new(&gate, &error), PF_OK);
    if (policy && cap_gate_set_policy(gate, policy, strlen(policy), &error) != PF_OK) {
        fprintf(stderr, "%s\n", error.message);
        CHECK(!"policy");
    }
    return gate;
}

static pf_status add(cap_gate *gate, const char *name, const char *schema, pf_error *error) {
    return cap_gate_add_tool(gate, name, "does it", schema, schema ? strlen(schema) : 0, error);
}

static void has(cap_gate *gate, const char *name, const char *schema) {
    pf_error error = {0};
    if (add(gate, name, schema, &error) != PF_OK) fprintf(stderr, "%s\n", error.message);
    CHECK(error.status == 0);
}

/* `message` is what the guest must read; NULL: nothing in particular. */
static struct cap_decision decide(cap_gate *gate, const char *payload, int outcome,
                                  const char *message) {
    struct cap_decision d;
    pf_error error;
    CHECK_EQ(cap_gate_check(gate, payload, strlen(payload), &d, &error), PF_OK);
    bool good = d.outcome == outcome && (!message || (d.message && strstr(d.message, message)));
    if (!good)
        fprintf(stderr, "%s\n  -> %d %s\n", payload, d.outcome, d.message ? d.message : "allowed");
    CHECK(good);
    CHECK(d.method && d.name);
    CHECK((d.outcome == PF_OP_OK) == (d.params != NULL) &&
          (d.params == NULL) == (d.message != NULL));
    return d;
}

static void outcome(cap_gate *gate, const char *payload, int wanted, const char *message) {
    struct cap_decision d = decide(gate, payload, wanted, message);
    cap_decision_free(&d);
    cap_decision_free(&d);
}

static void test_decision(void) {
    cap_gate *gate = new_gate(
        "{\"capabilities\":[{\"method\":\"nothing/here\"},{\"method\":\"stripe.charges.*\"}]}");
    has(gate, "stripe.charges.create", NULL);
    struct cap_decision d =
        decide(gate,
               "{\"params\":{\"b\" : [1.0, 1e3 ,12345678901234567890], "
               "\"a\":\"\\u00e9\\u0000\"},\"tool\":\"mcp:stripe.charges/create\"}",
               PF_OP_OK, NULL);
    CHECK(strcmp(d.method, "stripe/charges/create") == 0);
    CHECK(strcmp(d.name, "mcp:stripe.charges/create") == 0);
    CHECK_EQ(d.capability, 1);
    CHECK(strcmp(d.params, "{\"b\":[1.0,1e3,12345678901234567890],\"a\":\"é\\u0000\"}") == 0);
    CHECK_EQ(d.params_len, strlen(d.params));
    cap_decision_free(&d);
    CHECK(d.block == NULL && d.params == NULL);
    d = decide(gate, "{\"tool\":\"stripe_charges_create\",\"params\":{}}", PF_OP_OK, NULL);
    CHECK(strcmp(d.method, "stripe/charges/create") == 0 &&
          strcmp(d.name, "stripe_charges_create") == 0);
    cap_decision_free(&d);
    cap_gate_free(gate);
}

static void test_payloads(void) {
    cap_gate *gate = new_gate("{\"capabilities\":[{\"method\":\"**\"}]}");
    has(gate, "t", NULL);
    static const char *const bad[][2] = {
        {"", "empty"},
        {"{", "cannot be read"},
        {"[]", "malformed"},
        {"{}", "malformed"},
        {"{\"tool\":\"t\"}", "malformed"},
        {"{\"params\":{}}", "malformed"},
        {"{\"tool\":5,\"params\":{}}", "malformed"},
        {"{\"tool\":\"t\",\"params\":{},\"extra\":1}", "malformed"},
        {"{\"tool\":\"t\",\"params\":null}", "t takes one object argument; got null"},
        {"{\"tool\":\"t\",\"params\":\"Berlin\"}", "t takes one object argument; got string"},
        {"{\"tool\":\"t\",\"params\":[]}", "got array"},
        {"{\"tool\":\"t\",\"params\":{\"a\":1,\"a\":1}}", "appears twice"},
        {"{\"tool\":\"t\",\"params\":{},\"params\":{}}", "appears twice"},
        {"{\"tool\":\"t\",\"params\":{\"a\":NaN}}", "cannot be read"},
        {"{\"tool\":\"t\",\"params\":{\"a\":\"\\ud800\"}}", "surrogate"},
        {"{\"tool\":\"t\",\"params\":{\"a\":1e400}}", "too large"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        outcome(gate, bad[i][0], PF_OP_INVALID, bad[i][1]);
    char deep[2000] = "{\"tool\":\"t\",\"params\":{\"a\":";
    for (int i = 0; i < 199; i++) strcat(deep, "[");
    for (int i = 0; i < 199; i++) strcat(deep, "]");
    strcat(deep, "}}");
    outcome(gate, deep, PF_OP_OK, NULL); /* 200 levels with the object itself */
    char deeper[2000] = "{\"tool\":\"t\",\"params\":{\"a\":";
    for (int i = 0; i < 200; i++) strcat(deeper, "[");
    for (int i = 0; i < 200; i++) strcat(deeper, "]");
    strcat(deeper, "}}");
    outcome(gate, deeper, PF_OP_INVALID, "nested too deeply");
    cap_gate_free(gate);
}

static void test_large_payload(void) {
    cap_gate *gate = new_gate("{\"capabilities\":[{\"method\":\"**\"}]}");
    has(gate, "t", NULL);
    static char large[(16 << 20) + 1] = "{\"tool\":\"t\",\"params\":{}}";
    memset(large + strlen(large), ' ', sizeof large - strlen(large));
    struct cap_decision d;
    pf_error error;
    CHECK_EQ(cap_gate_check(gate, large, sizeof large - 1, &d, &error), PF_OK);
    CHECK_EQ(d.outcome, PF_OP_OK);
    cap_decision_free(&d);
    CHECK_EQ(cap_gate_check(gate, large, sizeof large, &d, &error), PF_OK);
    CHECK(d.outcome == PF_OP_INVALID && strcmp(d.message, "the tool call is too large") == 0);
    cap_decision_free(&d);
    cap_gate_free(gate);
}

static void test_unknown(void) {
    cap_gate *gate = new_gate("{\"capabilities\":[{\"method\":\"**\"}]}");
    outcome(gate, "{\"tool\":\"t\",\"params\":{}}", PF_OP_UNKNOWN,
            "there is no tool \"t\"; there are no tools");
    has(gate, "get_weather", NULL);
    has(gate, "stripe/charges/create", NULL);
    outcome(gate, "{\"tool\":\"get_wether\",\"params\":{}}", PF_OP_UNKNOWN,
            "there is no tool \"get_wether\"; did you mean get_weather?");
    outcome(gate, "{\"tool\":\"stripe.charge.create\",\"params\":{}}", PF_OP_UNKNOWN,
            "did you mean stripe/charges/create?");
    outcome(gate, "{\"tool\":\"something_else\",\"params\":{}}", PF_OP_UNKNOWN,
            "; there are get_weather, stripe/charges/create");
    outcome(gate, "{\"tool\":\"get_weather\\u0000x\",\"params\":{}}", PF_OP_UNKNOWN,
            "\"get_weather\\u0000x\"");
    outcome(gate, "{\"tool\":\"get_w\\u0435ather\",\"params\":{}}", PF_OP_UNKNOWN,
            "did you mean get_weather");
    outcome(gate, "{\"tool\":\"\",\"params\":{}}", PF_OP_UNKNOWN, "there is no tool \"\"");
    outcome(gate, "{\"tool\":\"*\",\"params\":{}}", PF_OP_UNKNOWN, "there is no tool \"*\"");
    outcome(gate, "{\"tool\":\"**\",\"params\":{}}", PF_OP_UNKNOWN, "there is no tool");
    outcome(gate, "{\"tool\":\"../get_weather\",\"params\":{}}", PF_OP_UNKNOWN, "there is no tool");
    outcome(gate, "{\"tool\":\"Get_Weather\",\"params\":{}}", PF_OP_UNKNOWN,
            "did you mean get_weather?");
    cap_gate_set_catch_all(gate, true);
    struct cap_decision d = decide(gate, "{\"tool\":\"other.tool\",\"params\":{}}", PF_OP_OK, NULL);
    CHECK(strcmp(d.method, "other/tool") == 0);
    cap_decision_free(&d);
    outcome(gate, "{\"tool\":\"a//b\",\"params\":{}}", PF_OP_UNKNOWN, "there is no tool \"a//b\"");
    cap_gate_free(gate);
}

static void test_denials(void) {
    cap_gate *gate = new_gate(NULL);
    has(gate, "t", NULL);
    outcome(gate, "{\"tool\":\"t\",\"params\":{}}", PF_OP_DENIED,
            "t is denied: no capability grants it; granted is nothing");
    cap_gate_free(gate);
    gate = new_gate("{\"capabilities\":[{\"method\":\"a.*\"}]}");
    has(gate, "t", NULL);
    has(gate, "a/x", NULL);
    outcome(gate, "{\"tool\":\"t\",\"params\":{}}", PF_OP_DENIED, "granted is a/*");
    cap_gate_free(gate);
    struct cap_decision d;
    /* the order of explanations: a spent limit, failed constraints, nothing granted */
    char many[600] = "{\"capabilities\":[{\"method\":\"m\"}";
    for (int i = 1; i < 12; i++) strcat(many, ",{\"method\":\"m\"}");
    strcat(many, "]}");
    gate = new_gate(many);
    has(gate, "t", NULL);
    outcome(gate, "{\"tool\":\"t\",\"params\":{}}", PF_OP_DENIED,
            "granted are m, m, m, m, m, m, m, m, m, m, m, m");
    d = decide(gate, "{\"tool\":\"t\",\"params\":{}}", PF_OP_DENIED, NULL);
    CHECK(!strstr(d.message, "more") && d.capability == -1);
    cap_decision_free(&d);
    has(gate, "m", "{\"required\":[\"x\"]}");
    d = decide(gate, "{\"tool\":\"m\",\"params\":{}}", PF_OP_INVALID, NULL);
    CHECK_EQ(d.capability, 0); /* the first of them */
    cap_decision_free(&d);
    cap_gate_free(gate);
    strcpy(many + strlen(many) - 2, ",{\"method\":\"m\"}]}");
    gate = new_gate(many);
    has(gate, "t", NULL);
    outcome(gate, "{\"tool\":\"t\",\"params\":{}}", PF_OP_DENIED, "m, m, m and 1 more");
    cap_gate_free(gate);
    gate = new_gate("{\"capabilities\":[{\"method\":\"t\",\"constraints\":{\"x\":\"<=5\"}},"
                    "{\"method\":\"t\",\"constraints\":{\"x\":\"<=7\"}}]}");
    has(gate, "t", NULL);
    d = decide(gate, "{\"tool\":\"t\",\"params\":{\"x\":8}}", PF_OP_DENIED, NULL);
    CHECK_EQ(d.capability, 0); /* the first that is about it */
    cap_decision_free(&d);
    cap_gate_free(gate);
    gate = new_gate("{\"capabilities\":[{\"method\":\"other\",\"constraints\":{\"y\":\"<=5\"}},{"
                    "\"method\":\"t\",\"constraints\":{\"x\":\"<=5\"}},{"
                    "\"method\":\"t\",\"max_calls\":1,\"constraints\":{\"x\":\"<=7\"}},"
                    "{\"method\":\"u\",\"max_calls\":0}]}");
    has(gate, "t", NULL);
    has(gate, "u", NULL);
    d = decide(gate, "{\"tool\":\"t\",\"params\":{\"x\":6}}", PF_OP_OK, NULL);
    CHECK_EQ(d.capability, 2);
    cap_decision_free(&d);
    d = decide(gate, "{\"tool\":\"t\",\"params\":{\"x\" : 8}}", PF_OP_DENIED, NULL);
    CHECK(d.refused && strcmp(d.refused, "{\"x\":8}") == 0); /* for the audit */
    CHECK_EQ(d.capability, 1);                               /* the first that is about it */
    cap_decision_free(&d);
    d = decide(gate, "{\"tool\":\"t\",\"params\":[8]}", PF_OP_INVALID, NULL);
    CHECK(!d.refused);
    cap_decision_free(&d);
    outcome(gate, "{\"tool\":\"t\",\"params\":{\"x\":6}}", PF_OP_LIMIT,
            "t is over its limit: 1 call of t is used up");
    outcome(gate, "{\"tool\":\"t\",\"params\":{\"x\":8}}", PF_OP_DENIED,
            "t is denied: x must be <= 5 (it is 8); or, by another capability, x must be <= 7 (it "
            "is 8)");
    outcome(gate, "{\"tool\":\"t\",\"params\":{\"x\":5}}", PF_OP_OK, NULL);
    outcome(gate, "{\"tool\":\"u\",\"params\":{}}", PF_OP_LIMIT, "limit");
    outcome(gate, "{\"tool\":\"t\",\"params\":{}}", PF_OP_DENIED, "x must be <= 5 (it is missing)");
    cap_gate_free(gate);
}

static void test_budget(void) {
    cap_gate *gate = new_gate("{\"capabilities\":[{\"method\":\"t\",\"max_calls\":3},{\"method\":"
                              "\"*\",\"max_calls\":2},{\"method\":\"v\"}]}");
    has(gate, "t", "{\"required\":[\"x\"]}");
    has(gate, "v", NULL);
    CHECK_EQ(cap_gate_remaining(gate, 0), 3);
    CHECK_EQ(cap_gate_remaining(gate, 2), -1);
    CHECK_EQ(cap_gate_remaining(gate, 3), 0);
    /* what is refused costs nothing */
    outcome(gate, "{\"tool\":\"t\",\"params\":{}}", PF_OP_INVALID, "t: x is required");
    outcome(gate, "{\"tool\":\"t\",\"params\":5}", PF_OP_INVALID, NULL);
    outcome(gate, "{\"tool\":\"w\",\"params\":{}}", PF_OP_UNKNOWN, NULL);
    CHECK(cap_gate_can_call(gate, "t", NULL, 0, NULL));
    CHECK_EQ(cap_gate_remaining(gate, 0), 3);
    for (int i = 0; i < 5; i++) {
        struct cap_decision d =
            decide(gate, "{\"tool\":\"t\",\"params\":{\"x\":1}}", PF_OP_OK, NULL);
        CHECK_EQ(d.capability, i < 3 ? 0 : 1); /* a spent one is passed over for a later match */
        cap_decision_free(&d);
    }
    outcome(gate, "{\"tool\":\"t\",\"params\":{\"x\":1}}", PF_OP_LIMIT,
            "all 3 calls of t are used up");
    outcome(gate, "{\"tool\":\"v\",\"params\":{}}", PF_OP_OK, NULL);
    char *why = NULL;
    CHECK(!cap_gate_can_call(gate, "t", "{}", 2, &why));
    CHECK(why && strstr(why, "limit"));
    free(why);
    CHECK(!cap_gate_can_call(gate, "t", "[]", 2, &why));
    CHECK(why && strstr(why, "not an object"));
    free(why);
    CHECK(!cap_gate_can_call(gate, "t", "{\"a\":1,\"a\":1}", 13, &why));
    CHECK(why && strstr(why, "twice"));
    free(why);
    CHECK(!cap_gate_can_call(gate, "a//b", "{}", 2, &why));
    CHECK(why && strstr(why, "empty segment"));
    free(why);
    CHECK(!cap_gate_can_call(gate, "t", "{}", 2, NULL));
    CHECK(cap_gate_can_call(gate, "v", "{}", 2, &why) && why == NULL);
    cap_gate_free(gate);
}

/* The counters "a1b2" (of a one call, of b two) come to a policy with the capabilities "ba": what
 * is used of each then, and to which one each counter went; or why it is refused. */
static void take_over(const char *saved, const char *wanted, const char *expected) {
    char policy[300] = "{\"capabilities\":[", json[300] = "{\"version\":1,\"counters\":[",
         got[100] = "";
    char *end = policy + strlen(policy);
    for (const char *s = wanted; *s; s++)
        end += sprintf(end, "%s{\"method\":\"%c\",\"max_calls\":100}", s > wanted ? "," : "", *s);
    strcpy(end, "]}");
    end = json + strlen(json);
    for (const char *s = saved; *s; s += 2)
        end += sprintf(end, "%s{\"method\":\"%c\",\"used\":%c}", s > saved ? "," : "", s[0], s[1]);
    strcpy(end, "]}");
    cap_gate *gate = new_gate(policy);
    int *map = NULL;
    size_t count = 0;
    pf_error error;
    pf_status status = cap_gate_counters_load(gate, json, strlen(json), &map, &count, &error);
    end = got;
    if (status == PF_OK) {
        CHECK_EQ(count, strlen(saved) / 2);
        for (size_t i = 0; wanted[i]; i++)
            end += sprintf(end, "%d", (int)(100 - cap_gate_remaining(gate, i)));
        for (size_t i = 0; i < count; i++) end += sprintf(end, map[i] < 0 ? " -" : " %d", map[i]);
    } else {
        sprintf(end, "%s", strstr(error.message, "were spent") ? "spent" : "?");
    }
    CHECK(strcmp(got, expected) == 0);
    free(map);
    cap_gate_free(gate);
}

static void test_counters_of_another_policy(void) {
    take_over("", "ab", "00");
    take_over("a0b0", "cd", "00 - -"); /* nothing was spent */
    take_over("a1b2", "ab", "12 0 1");
    take_over("a1b2", "ba", "21 1 0");
    take_over("b2a1", "ab", "12 1 0");
    take_over("c3b2d4a1", "dbca", "4231 2 1 0 3");
    take_over("a1b2", "cab", "012 1 2"); /* one more */
    take_over("a1b2", "b", "2 - 0");     /* one less */
    take_over("a1b2", "", " - -");
    take_over("a1b2", "bc", "spent"); /* c may be another name of a */
    take_over("a0b2", "bc", "20 - 0");
    take_over("a1a2a3", "aa", "12 0 1 -"); /* in their order */
    take_over("a1a2", "aaa", "120 0 1");
    take_over("a1a2", "ac", "spent");
    cap_gate *gate = new_gate("{\"capabilities\":[{\"method\":\"a.b\",\"max_calls\":9},"
                              "{\"method\":\"a\",\"max_calls\":9},{\"method\":\"c\"}]}");
    const char *prefix = "{\"version\":1,\"counters\":[{\"method\":\"a/b\",\"used\":2},"
                         "{\"method\":\"a\",\"used\":1}]}";
    pf_error error;
    CHECK_EQ(cap_gate_counters_load(gate, prefix, strlen(prefix), NULL, NULL, &error), PF_OK);
    CHECK(cap_gate_remaining(gate, 0) == 7 && cap_gate_remaining(gate, 1) == 8);
    const char *gone = "{\"version\":1,\"counters\":[{\"method\":\"x\",\"used\":1},"
                       "{\"method\":\"y\",\"used\":2}]}";
    CHECK_EQ(cap_gate_counters_load(gate, gone, strlen(gone), NULL, NULL, &error), PF_FORMAT);
    CHECK(strstr(error.message, "calls of \"x\" were spent"));
    cap_gate_free(gate);
}

/* What was spent is never given back by spending, and a budget does not overflow. */
static void test_spending(void) {
    cap_gate *gate = new_gate("{\"capabilities\":[{\"method\":\"a\",\"max_calls\":3}]}");
    CHECK(!cap_gate_set_aside(gate, 0) && cap_gate_remaining(gate, 0) == 3);
    cap_gate_spend(gate, 0, 1);
    cap_gate_spend(gate, 0, -1);
    cap_gate_spend(gate, 0, INT64_MIN);
    CHECK_EQ(cap_gate_remaining(gate, 0), 2);
    cap_gate_spend(gate, 0, INT64_MAX);
    cap_gate_spend(gate, 0, 1);
    CHECK_EQ(cap_gate_remaining(gate, 0), 0);
    cap_gate_free(gate);
    gate = new_gate(NULL);
    cap_gate_spend(gate, 0, 1);
    CHECK_EQ(cap_gate_remaining(gate, 0), 0);
    CHECK(!cap_gate_set_aside(gate, 0));
    const char *none = "{\"version\":1,\"counters\":[{\"method\":\"a\",\"used\":1}]}";
    pf_error error;
    CHECK_EQ(cap_gate_counters_load(gate, none, strlen(none), NULL, NULL, &error), PF_OK);
    CHECK(cap_gate_asks(gate, 0)); /* nobody granted it without asking */
    cap_gate_free(gate);
    gate = new_gate("{\"capabilities\":[{\"method\":\"a\"},{\"method\":\"b\",\"ask\":true}]}");
    CHECK(!cap_gate_asks(gate, 0) && cap_gate_asks(gate, 1) && cap_gate_asks(gate, -1));
    cap_gate_free(gate);
    /* a decision that was overtaken by one of a branch takes nothing that is not there */
    gate = new_gate("{\"capabilities\":[{\"method\":\"a\",\"max_calls\":2},{\"method\":\"b\"}]}");
    CHECK(cap_gate_take(gate, 0) && cap_gate_take(gate, 0) && !cap_gate_take(gate, 0));
    cap_gate_spend(gate, 1, INT64_MAX);
    CHECK(cap_gate_take(gate, 1) && cap_gate_take(gate, 1));
    char *json;
    size_t len;
    CHECK_EQ(cap_gate_counters_save(gate, &json, &len), PF_OK);
    CHECK(strstr(json, "\"used\":2}") && strstr(json, "\"used\":9223372036854775807}"));
    free(json);
    cap_gate_free(gate);
}

static void test_counters(void) {
    const char *policy =
        "{\"capabilities\":[{\"method\":\"a\",\"max_calls\":3},{\"method\":\"b.*\"}]}";
    cap_gate *gate = new_gate(policy), *other = new_gate(policy);
    cap_gate_set_catch_all(gate, true);
    outcome(gate, "{\"tool\":\"a\",\"params\":{}}", PF_OP_OK, NULL);
    outcome(gate, "{\"tool\":\"a\",\"params\":{}}", PF_OP_OK, NULL);
    outcome(gate, "{\"tool\":\"b/c\",\"params\":{}}", PF_OP_OK, NULL);
    char *json;
    size_t len;
    pf_error error = {0};
    CHECK_EQ(cap_gate_counters_save(gate, &json, &len), PF_OK);
    CHECK(strcmp(json, "{\"version\":1,\"counters\":[{\"method\":\"a\",\"used\":2},{\"method\":\"b/"
                       "*\",\"used\":1}]}") == 0);
    CHECK_EQ(cap_gate_counters_load(other, json, len, NULL, NULL, &error), PF_OK);
    CHECK_EQ(cap_gate_remaining(other, 0), 1);
    free(json);
    static const char *const bad[] = {
        "",
        "5",
        "{}",
        "{\"version\":2,\"counters\":[]}",
        "{\"version\":1}",
        "{\"version\":1,\"counters\":{\"a\":1}}",
        "{\"version\":1,\"counters\":[{\"method\":\"a\",\"used\":0},{\"method\":5,\"used\":0}]}",
        "{\"version\":1,\"counters\":[{\"method\":\"a\",\"used\":-5},{\"method\":\"b/"
        "*\",\"used\":0}]}",
        "{\"version\":1,\"counters\":[{\"method\":\"a\",\"used\":1.5},{\"method\":\"b/"
        "*\",\"used\":0}]}",
        "{\"version\":1,\"counters\":[{\"method\":\"a\",\"used\":0},{\"method\":\"b/"
        "*\",\"used\":99999999999999999999}]}",
        "{\"version\":1,\"counters\":[{\"method\":\"a\",\"used\":\"0\"},{\"method\":\"b/"
        "*\",\"used\":0}]}",
        "{\"version\":1,\"counters\":[{\"method\":\"a\",\"used\":0},{\"method\":\"b/"
        "*\",\"used\":0,\"x\":1}]}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int *map = NULL;
        size_t count = 0;
        CHECK_EQ(cap_gate_counters_load(other, bad[i], strlen(bad[i]), &map, &count, &error),
                 PF_FORMAT);
        CHECK(map == NULL && count == 0);
        CHECK_EQ(cap_gate_remaining(other, 0), 1); /* nothing changed */
    }
    /* more than the limit is simply spent */
    const char *much = "{\"version\":1,\"counters\":[{\"method\":\"a\",\"used\":"
                       "9000000000000000000},{\"method\":\"b/*\",\"used\":0}]}";
    CHECK_EQ(cap_gate_counters_load(other, much, strlen(much), NULL, NULL, &error), PF_OK);
    CHECK_EQ(cap_gate_remaining(other, 0), 0);
    cap_gate_free(gate);
    cap_gate_free(other);
    test_counters_of_another_policy();
    gate = new_gate(NULL);
    CHECK_EQ(cap_gate_counters_save(gate, &json, &len), PF_OK);
    CHECK_EQ(cap_gate_counters_load(gate, json, len, NULL, NULL, &error), PF_OK);
    free(json);
    cap_gate_free(gate);
}

static void test_clones(void) {
    cap_gate *gate = new_gate("{\"capabilities\":[{\"method\":\"*\",\"max_calls\":2}]}");
    has(gate, "t", NULL);
    outcome(gate, "{\"tool\":\"t\",\"params\":{}}", PF_OP_OK, NULL);
    cap_gate *copy = cap_gate_clone(gate);
    outcome(copy, "{\"tool\":\"t\",\"params\":{}}", PF_OP_OK, NULL);
    outcome(copy, "{\"tool\":\"t\",\"params\":{}}", PF_OP_LIMIT, NULL);
    CHECK_EQ(cap_gate_remaining(gate, 0), 1);
    has(gate, "u", NULL); /* the copy's tools stay as they were */
    CHECK_EQ(cap_gate_tool_count(gate), 2);
    CHECK_EQ(cap_gate_tool_count(copy), 1);
    outcome(copy, "{\"tool\":\"u\",\"params\":{}}", PF_OP_UNKNOWN, NULL);
    pf_error error;
    const char *other = "{\"capabilities\":[]}";
    CHECK_EQ(cap_gate_set_policy(gate, other, strlen(other), &error), PF_OK);
    outcome(gate, "{\"tool\":\"t\",\"params\":{}}", PF_OP_DENIED, NULL);
    CHECK_EQ(cap_gate_capability_count(copy), 1);
    /* a policy that is refused changes nothing */
    CHECK_EQ(cap_gate_set_policy(copy, "{", 1, &error), PF_INVALID);
    CHECK_EQ(cap_gate_capability_count(copy), 1);
    CHECK_EQ(cap_gate_remaining(copy, 0), 0);
    cap_gate_free(gate);
    cap_gate_free(copy);
    gate = new_gate(NULL); /* nothing is granted, so nothing is counted */
    copy = cap_gate_share(gate);
    CHECK(copy && cap_gate_remaining(copy, 0) == 0);
    cap_gate_free(gate);
    cap_gate_free(copy);
}

/* A call of a snapshot keeps the name that the guest called, if it still means the same. */
static void called_as(cap_gate *gate, const char *name, int outcome, const char *shown) {
    struct cap_decision d;
    pf_error error;
    CHECK_EQ(cap_gate_check_again(gate, "a/b", name, "{}", 2, &d, &error), PF_OK);
    CHECK_EQ(d.outcome, outcome);
    CHECK(strcmp(d.name, shown) == 0);
    cap_decision_free(&d);
}

static void test_again(void) {
    cap_gate *gate = new_gate("{\"capabilities\":[{\"method\":\"a/b\"}]}");
    called_as(gate, "a.b", PF_OP_UNKNOWN, "a.b"); /* without any tool */
    called_as(gate, "b", PF_OP_UNKNOWN, "a/b");
    has(gate, "a.b", NULL);
    has(gate, "c", NULL);
    called_as(gate, "a_b", PF_OP_OK, "a_b");
    called_as(gate, "mcp:a.b", PF_OP_OK, "mcp:a.b");
    called_as(gate, "c", PF_OP_OK, "a/b");
    called_as(gate, "gone", PF_OP_OK, "a/b");
    called_as(gate, "a\xff.b", PF_OP_OK, "a/b");
    called_as(gate, "", PF_OP_OK, "a/b");
    cap_gate_free(gate);
}

static void test_tools(void) {
    cap_gate *gate = new_gate(NULL);
    pf_error error = {0};
    has(gate, "mcp:stripe.charges.create", "{}");
    const struct cap_tool *t = cap_gate_tool(gate, 0);
    CHECK(strcmp(t->name, "mcp:stripe.charges.create") == 0 &&
          strcmp(t->id, "stripe/charges/create") == 0);
    CHECK(strcmp(t->flat, "stripe_charges_create") == 0 && strcmp(t->description, "does it") == 0);
    CHECK(strcmp(t->schema, "{}") == 0 && t->schema_len == 2 && t->flat_usable && t->dotted_usable);
    CHECK(cap_gate_tool(gate, 1) == NULL);
    CHECK_EQ(add(gate, "stripe/charges.create", NULL, &error), PF_INVALID);
    CHECK(strstr(error.message,
                 "\"mcp:stripe.charges.create\" and \"stripe/charges.create\" have the same id"));
    /* flat names that meet: both are reachable by their ids only */
    has(gate, "stripe.charges_create", NULL);
    CHECK(!cap_gate_tool(gate, 0)->flat_usable && !cap_gate_tool(gate, 1)->flat_usable);
    has(gate, "get-weather", NULL);
    CHECK(strcmp(cap_gate_tool(gate, 2)->flat, "get_weather") == 0 &&
          cap_gate_tool(gate, 2)->flat_usable);
    CHECK(!cap_gate_tool(gate, 2)->dotted_usable);
    static const char *const taken[] = {"cd",   "class",       "console",   "sort", "jq",
                                        "tool", "constructor", "__proto__", "test", "fs"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        has(gate, taken[i], NULL);
        CHECK(!cap_gate_tool(gate, 3 + i)->flat_usable);
    }
    has(gate, "console.log2", NULL);
    const struct cap_tool *last = cap_gate_tool(gate, cap_gate_tool_count(gate) - 1);
    CHECK(last->flat_usable && !last->dotted_usable);
    has(gate, "9lives", NULL);
    last = cap_gate_tool(gate, cap_gate_tool_count(gate) - 1);
    CHECK(!last->flat_usable && !last->dotted_usable);
    has(gate, "caf\xc3\xa9", NULL);
    CHECK(!cap_gate_tool(gate, cap_gate_tool_count(gate) - 1)->flat_usable);
    static const char *const bad[] = {"",   "a b",  "a/",   "a..b", "*",     "a/**",
                                      "-x", "a\nb", "mcp:", "a$",   "a\xff", "<lambda>"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_EQ(add(gate, bad[i], NULL, &error), PF_INVALID);
        CHECK(strstr(error.message, "the tool name"));
    }
    CHECK_EQ(add(gate, "x", "{\"foo\":1}", &error), PF_INVALID);
    CHECK(strstr(error.message, "the tool x: the schema is not usable") &&
          strstr(error.message, "\"foo\""));
    char longest[300];
    memset(longest, 'a', sizeof longest);
    longest[255] = '\0';
    has(gate, longest, NULL);
    longest[255] = 'a';
    longest[256] = '\0';
    CHECK_EQ(add(gate, longest, NULL, &error), PF_INVALID);
    cap_gate_free(gate);
}

static void finishes(const char *policy, const char *schema, bool catch_all, const char *wanted) {
    cap_gate *gate = new_gate(policy);
    has(gate, "transfer", schema);
    has(gate, "get/one", NULL);
    cap_gate_set_catch_all(gate, catch_all);
    pf_error error = {0};
    pf_status status = cap_gate_finish(gate, &error);
    bool good = wanted ? status == PF_INVALID && strstr(error.message, wanted) : status == PF_OK;
    if (!good) fprintf(stderr, "%s -> %d %s\n", policy, status, error.message);
    CHECK(good);
    cap_gate_free(gate);
}

static void test_finish(void) {
    const char *closed =
        "{\"properties\":{\"amount\":{\"type\":\"number\"},\"to\":{\"properties\":{\"iban\":{}},"
        "\"additionalProperties\":false}},\"additionalProperties\":false}";
#define POLICY(method, constraints)                                                                \
    "{\"capabilities\":[{\"method\":\"" method "\",\"constraints\":" constraints "}]}"
    finishes(POLICY("transfer", "{\"amount\":\"<=5\"}"), closed, false, NULL);
    finishes(POLICY("transfer", "{\"amuont\":\"<=5\"}"), closed, false,
             "constraint on amuont, but transfer has no such parameter");
    finishes(POLICY("transfer", "{\"to.iban\":\"startswith:DE\"}"), closed, false, NULL);
    finishes(POLICY("transfer", "{\"to.bic\":\"startswith:DE\"}"), closed, false, "to.bic");
    finishes(POLICY("transfer", "[{\"any\":[{\"param\":\"amount\",\"op\":\"<\",\"value\":1},{"
                                "\"param\":\"zz\",\"op\":\"exists\"}]}]"),
             closed, false, "zz");
    finishes(POLICY("transfer", "{\"amuont\":\"<=5\"}"), "{}", false, NULL);
    finishes(POLICY("transfer", "{\"amuont\":\"<=5\"}"), NULL, false, NULL);
    finishes(POLICY("tranfser", "{\"amount\":\"<=5\"}"), closed, false,
             "constraints on tranfser, but no tool has that name; did you mean transfer?");
    finishes(POLICY("pay/**", "{\"amount\":\"<=5\"}"), closed, false, "no tool has that name");
    finishes(POLICY("pay/**", "{\"amount\":\"<=5\"}"), closed, true, NULL);
    finishes(POLICY("transfer", "{\"zz\":\"<=5\"}"), closed, true, "zz");
    finishes(POLICY("**", "{\"zz\":\"<=5\"}"), closed, false, NULL); /* get/one takes anything */
    finishes(POLICY("*", "{\"zz\":\"<=5\"}"), closed, false, "zz");
    finishes(POLICY("*", "{\"zz\":\"<=5\"}"), closed, true, NULL); /* what is not declared does */
    finishes("{\"capabilities\":[{\"method\":\"other/tool\"}]}", closed, false,
             NULL); /* grants nothing */
    finishes("{\"capabilities\":[]}", closed, false, NULL);
}

/* Clones on several threads share one policy, with its regular expressions. */
static void *hammer(void *argument) {
    cap_gate *gate = argument;
    intptr_t wrong = 0;
    for (int i = 0; i < 3000; i++) {
        struct cap_decision d;
        char payload[100];
        snprintf(payload, sizeof payload, "{\"tool\":\"t\",\"params\":{\"x\":\"%s%d\"}}",
                 i % 2 ? "ab" : "ba", i);
        if (cap_gate_check(gate, payload, strlen(payload), &d, NULL) != PF_OK) wrong++;
        wrong += d.outcome != (i % 2 ? PF_OP_OK : PF_OP_DENIED);
        cap_decision_free(&d);
        if (i % 100 == 0) {
            cap_gate *copy = cap_gate_clone(gate);
            wrong += copy == NULL;
            cap_gate_free(copy);
        }
    }
    cap_gate_free(gate);
    return (void *)wrong;
}

static void test_threads(void) {
    cap_gate *gate = new_gate("{\"capabilities\":[{\"method\":\"t\",\"constraints\":{\"x\":"
                              "\"matches:(a|ab)b*\\\\d+\"}}]}");
    has(gate, "t", "{\"properties\":{\"x\":{\"pattern\":\"^[ab]+[0-9]*$\"}}}");
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, hammer, cap_gate_clone(gate));
    cap_gate_free(gate);
    for (int i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        CHECK_EQ((intptr_t)wrong, 0);
    }
}

/* Gates on four threads that spend from one budget: it is spent once. */
static void *spend(void *argument) {
    cap_gate *gate = argument;
    intptr_t allowed = 0;
    for (int i = 0; i < 2000; i++) {
        struct cap_decision d;
        const char *payload = "{\"tool\":\"t\",\"params\":{}}";
        if (cap_gate_check(gate, payload, strlen(payload), &d, NULL) != PF_OK) return (void *)-1;
        allowed += d.outcome == PF_OP_OK;
        cap_decision_free(&d);
    }
    cap_gate_free(gate);
    return (void *)allowed;
}

static void test_shared_ledger(void) {
    cap_gate *gate = new_gate("{\"capabilities\":[{\"method\":\"t\",\"max_calls\":1000},"
                              "{\"method\":\"*\",\"max_calls\":501}]}");
    has(gate, "t", NULL);
    pthread_t threads[4];
    intptr_t sum = 0;
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, spend, cap_gate_share(gate));
    for (int i = 0; i < 4; i++) {
        void *allowed;
        pthread_join(threads[i], &allowed);
        sum += (intptr_t)allowed;
    }
    CHECK_EQ(sum, 1501);
    CHECK_EQ(cap_gate_remaining(gate, 0), 0);
    CHECK_EQ(cap_gate_remaining(gate, 1), 0);
    cap_gate *copy = cap_gate_clone(gate); /* has what is left, and its own */
    CHECK(cap_gate_set_aside(copy, 1) && cap_gate_remaining(copy, 1) == 1);
    CHECK_EQ(cap_gate_remaining(gate, 1), 0);
    CHECK(!cap_gate_set_aside(copy, -1) && !cap_gate_set_aside(copy, 2));
    cap_gate_free(copy);
    cap_gate_free(gate);
}

int main(void) {
    test_shared_ledger();
    test_decision();
    test_payloads();
    test_large_payload();
    test_unknown();
    test_denials();
    test_budget();
    test_counters();
    test_spending();
    test_clones();
    test_again();
    test_tools();
    test_finish();
    test_threads();
    return check_report();
}
