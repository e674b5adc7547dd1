/*
 * tests/api/test_authority.c: policies, tools, decisions, approval and tokens through pinfold.h.
 * What they mean in all cases is tested in tests/unit/test_capability_*.c and python/tests.
 */
#include "harness.h"

#define PAY(more) "{\"capabilities\":[{\"method\":\"bank/pay\"" more "}]}"

static const char wide[] = PAY(",\"max_calls\":5");
static const char tight[] = PAY(",\"max_calls\":2,\"constraints\":{\"amount\":\"<=5\"}");
static const char asking[] = PAY(",\"ask\":true");

static bool is_subset(const char *child, const char *parent, const char *words) {
    bool subset = false;
    char *why = NULL;
    MUST(pf_policy_is_subset(child, strlen(child), parent, strlen(parent), &subset, &why,
                             &test_error));
    CHECK(subset == (why == NULL));
    CHECK(!why || strstr(why, words));
    pf_free(why);
    return subset;
}

static void test_documents(void) {
    bool yes = false;
    char *text;
    size_t len;
    CHECK(is_subset(tight, wide, ""));
    CHECK(!is_subset(wide, tight, "amount must be <= 5"));
    CHECK(!is_subset(PAY(""), asking, "may ask"));
    MUST(pf_policy_normalize(tight, strlen(tight), &text, &len, &test_error));
    CHECK(strlen(text) == len && strstr(text, "\"op\":\"<=\"") && is_subset(text, tight, ""));
    pf_free(text);
    CHECK(pf_policy_normalize("{}", 2, &text, &len, &test_error) == PF_INVALID && !text);
    MUST(pf_pattern_matches("a/**", "mcp:a.b.c", &yes, &test_error));
    CHECK(yes);
    MUST(pf_pattern_is_subset("a/**", "a/*", &yes, &test_error));
    CHECK(!yes);
    CHECK(pf_pattern_matches("a//b", "a", &yes, &test_error) == PF_INVALID);
}

struct log {
    int count;
    char outcomes[200];
    uint64_t last_id;
};

static void note(void *user, const pf_decision *d) {
    struct log *log = user;
    log->count++;
    strcat(strcat(log->outcomes, d->outcome), " ");
    CHECK((d->id != 0) == (d->message == NULL));
    CHECK(strcmp(d->outcome, "unknown") == 0 || strcmp(d->method, "bank/pay") == 0);
    CHECK(d->params && d->params[0] == '{');
    CHECK(d->request_len > strlen("{\"tool\":") && memcmp(d->request, "{\"tool\":", 8) == 0);
    if (d->id) log->last_id = d->id;
}

static pf_sandbox *bank(const char *policy) {
    pf_options *options = pf_options_new();
    pf_sandbox *s = NULL;
    MUST(pf_options_tool(options, "bank.pay", "", NULL, 0, &test_error));
    MUST(pf_options_tool(options, "echo", "", NULL, 0, &test_error));
    MUST(pf_options_policy(options, policy, strlen(policy), &test_error));
    MUST(pf_sandbox_new(options, &s, &test_error));
    pf_options_free(options);
    return s;
}

static void test_what_is_granted(void) {
    pf_sandbox *s = bank(tight);
    pf_tool_info tools[2];
    char *why = "not set";
    CHECK(pf_sandbox_tools(s, NULL, 0) == 2 && pf_sandbox_tools(s, tools, 2) == 2);
    CHECK_TEXT(tools[0].id, "bank/pay");
    CHECK_TEXT(tools[0].flat, "bank_pay");
    CHECK(tools[0].flat_usable && tools[0].dotted_usable && !tools[1].flat_usable);
    CHECK(pf_sandbox_can_call(s, "bank.pay", "{\"amount\":5}", 12, &why) && !why);
    CHECK(!pf_sandbox_can_call(s, "bank/pay", "{\"amount\":6}", 12, &why));
    CHECK_TEXT(why, "bank/pay is denied: amount must be <= 5 (it is 6)");
    pf_free(why);
    CHECK(pf_sandbox_calls_left(s, 0) == 2 && pf_sandbox_calls_left(s, 1) == 0);
    pf_sandbox_free(s);
}

static void test_decisions(void) {
    pf_sandbox *s = bank(tight);
    struct log log = {0};
    pf_sandbox_on_decision(s, note, &log);
    start(s, "shell", "bank_pay --amount 6; tool nothing --a 1; bank_pay --amount 5; echo $?");
    CHECK_TEXT(log.outcomes, "denied unknown allowed ");
    pf_call call;
    CHECK(pf_sandbox_step(s, &call, &test_error) == PF_OK && call.id == log.last_id && !call.ask);
    pf_sandbox_on_decision(s, NULL, NULL);
    MUST(pf_sandbox_resume(s, call.id, "1", 1, &test_error));
    CHECK(pf_sandbox_calls_left(s, 0) == 1);
    CHECK_RUN(s, "shell", "bank_pay --amount 7; echo $?", "126\n", 0);
    CHECK(log.count == 3);
    pf_sandbox_free(s);
}

static void test_approval(void) {
    pf_sandbox *s = bank(asking);
    struct log log = {0};
    pf_call call;
    pf_sandbox_on_decision(s, note, &log);
    start(s, "shell", "bank_pay --amount 1; echo $?");
    CHECK_TEXT(log.outcomes, "ask ");
    CHECK(pf_sandbox_step(s, &call, &test_error) == PF_OK && call.ask);
    MUST(pf_sandbox_fail(s, call.id, PF_FAILURE_DENIED, "not today", &test_error));
    const pf_result *r = pf_sandbox_result(s);
    CHECK_TEXT(r ? r->stdout_data : NULL, "126\n");
    CHECK(r && strstr(r->stderr_data, "not today"));
    pf_sandbox_free(s);
}

static void test_tokens(void) {
    const uint8_t seed[PF_KEY_BYTES] = {1};
    uint8_t key[PF_KEY_BYTES];
    char *token, *narrow, *sealed, *policy = NULL;
    size_t len, narrow_len, sealed_len, policy_len;
    int64_t expires = 0;
    pf_key_public(seed, key);
    MUST(pf_token_issue(seed, wide, strlen(wide), 100, &token, &len, &test_error));
    MUST(pf_token_narrow(token, len, tight, strlen(tight), -1, &narrow, &narrow_len, &test_error));
    MUST(pf_token_seal(narrow, narrow_len, &sealed, &sealed_len, &test_error));
    MUST(pf_token_verify(sealed, sealed_len, key, 1, 99, &policy, &policy_len, &expires,
                         &test_error));
    CHECK(expires == 100 && is_subset(policy, tight, "") && is_subset(tight, policy, ""));
    pf_free(policy);
    char *none;
    CHECK(pf_token_narrow(narrow, narrow_len, wide, strlen(wide), -1, &none, &len, &test_error) ==
              PF_INVALID &&
          !none && strstr(test_error.message, "widened"));
    CHECK(pf_token_narrow(sealed, sealed_len, tight, strlen(tight), -1, &none, &len, &test_error) ==
          PF_INVALID);
    CHECK(pf_token_verify(narrow, narrow_len, key, 1, 100, &policy, &policy_len, &expires,
                          &test_error) == PF_INVALID &&
          !policy && strstr(test_error.message, "expired"));
    CHECK(pf_token_verify(narrow, narrow_len, key, 0, 1, &policy, &policy_len, &expires,
                          &test_error) == PF_INVALID);
    pf_free(token);
    pf_free(narrow);
    pf_free(sealed);
}

static pf_status ask_gate(pf_gate *gate, const char *request, pf_call *call) {
    return pf_gate_check(gate, request, strlen(request), call, &test_error);
}

static void test_gate_alone(void) {
    pf_options *options = pf_options_new();
    pf_gate *gate = NULL;
    pf_call call;
    MUST(pf_options_tool(options, "bank.pay", "", NULL, 0, &test_error));
    MUST(pf_options_policy(options, tight, strlen(tight), &test_error));
    MUST(pf_gate_new(options, &gate, &test_error));
    pf_options_free(options);
    MUST(ask_gate(gate, "{\"tool\":\"bank.pay\",\"params\":{\"amount\": 5.0}}", &call));
    CHECK_TEXT(call.method, "bank/pay");
    CHECK_TEXT(call.params, "{\"amount\":5.0}");
    CHECK(call.capability == 0 && !call.ask);
    pf_gate *branch = pf_gate_clone(gate);
    CHECK(ask_gate(gate, "{\"tool\":\"bank.pay\",\"params\":{\"amount\":6}}", &call) == PF_DENIED);
    CHECK_TEXT(test_error.message, "bank/pay is denied: amount must be <= 5 (it is 6)");
    CHECK(ask_gate(gate, "{\"tool\":\"bank.pay\",\"params\":{},\"params\":{\"amount\":1}}", &call) ==
          PF_DENIED);
    CHECK(ask_gate(gate, "{\"tool\":", &call) == PF_DENIED);
    CHECK(pf_gate_calls_left(gate, 0) == 1);
    pf_gate_spend(gate, 0, INT64_MAX);
    pf_gate_spend(gate, 7, 1);
    CHECK(pf_gate_calls_left(gate, 0) == 0 && pf_gate_calls_left(branch, 0) == 1);
    CHECK(ask_gate(gate, "{\"tool\":\"bank.pay\",\"params\":{\"amount\":1}}", &call) == PF_DENIED);
    MUST(ask_gate(branch, "{\"tool\":\"bank.pay\",\"params\":{\"amount\":1}}", &call));
    pf_gate_free(branch);
    pf_gate_free(gate);
    pf_gate_free(NULL);
}

/* All that there is to say about a call that is not allowed, as a sandbox's on_decision has it. */
static void test_gate_decides(void) {
    static const struct {
        const char *request, *outcome, *method, *message;
    } calls[] = {
        {"{\"tool\":\"bank_pay\",\"params\":{\"amount\":5}}", "allowed", "bank/pay", NULL},
        {"{\"tool\":\"bank.pay\",\"params\":{\"amount\":6}}", "denied", "bank/pay",
         "bank/pay is denied: amount must be <= 5 (it is 6)"},
        {"{\"tool\":\"bank.pay\",\"params\":3}", "invalid", "bank/pay",
         "bank/pay takes one object argument; got number"},
        {"{\"tool\":\"steal\",\"params\":{}}", "unknown", "steal", NULL},
        {"{\"tool\":", "invalid", "", NULL},
    };
    pf_options *options = pf_options_new();
    pf_gate *gate = NULL;
    pf_decision d;
    MUST(pf_options_tool(options, "bank.pay", "", NULL, 0, &test_error));
    MUST(pf_options_policy(options, tight, strlen(tight), &test_error));
    MUST(pf_gate_new(options, &gate, &test_error));
    pf_options_free(options);
    int64_t left = pf_gate_calls_left(gate, 0);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        MUST(pf_gate_decide(gate, calls[i].request, strlen(calls[i].request), &d, &test_error));
        CHECK_TEXT(d.outcome, calls[i].outcome);
        CHECK_TEXT(d.method, calls[i].method);
        if (calls[i].message) CHECK_TEXT(d.message, calls[i].message);
        CHECK((d.message == NULL) == (i == 0) && d.request == calls[i].request && d.id == 0);
    }
    CHECK(pf_gate_calls_left(gate, 0) == left - 1); /* only what was allowed was spent */
    char *why = NULL;
    const char six[] = "{\"amount\":6}";
    CHECK(pf_gate_can_call(gate, "bank/pay", "{\"amount\":1}", strlen("{\"amount\":1}"), NULL));
    CHECK(!pf_gate_can_call(gate, "bank/pay", six, strlen(six), &why) && why);
    pf_free(why);
    CHECK(pf_gate_calls_left(gate, 0) == left - 1);
    pf_gate_free(gate);
}

int main(void) {
    test_documents();
    test_gate_alone();
    test_gate_decides();
    test_what_is_granted();
    test_decisions();
    test_approval();
    test_tokens();
    return finish_tests();
}
