/*
 * Any text as a policy. What is accepted has a normal form, which is accepted, is its own normal
 * form, is inside the policy and around it, and decides every call in the same way.
 */
#include "fuzz.h"
#include "host/capability/gate.h"
#include "host/capability/policy.h"

#include <string.h>

static const char *const calls[] = {
    "{\"tool\":\"a\",\"params\":{}}",
    "{\"tool\":\"a/b\",\"params\":{\"x\":1,\"y\":\"ab\",\"z\":[{\"p\":1},{\"p\":2.5}]}}",
    "{\"tool\":\"a.b.c\",\"params\":{\"x\":\"ab\",\"y\":null,\"z\":{\"p\":true}}}",
    "{\"tool\":\"m\",\"params\":{\"x\":-1e3,\"y\":[],\"z\":[[1,2],[3]]}}",
};

static cap_gate *gate_of(const char *json, size_t len) {
    cap_gate *gate = NULL;
    MUST(cap_gate_new(&gate, NULL) == PF_OK);
    MUST(cap_gate_set_policy(gate, json, len, NULL) == PF_OK);
    cap_gate_set_catch_all(gate, true);
    return gate;
}

static void decide_alike(const char *a, size_t a_len, const char *b, size_t b_len) {
    cap_gate *x = gate_of(a, a_len), *y = gate_of(b, b_len);
    for (size_t i = 0; i < 2 * sizeof calls / sizeof *calls; i++) {
        const char *call = calls[i / 2];
        struct cap_decision d, e;
        MUST(cap_gate_check(x, call, strlen(call), &d, NULL) == PF_OK);
        MUST(cap_gate_check(y, call, strlen(call), &e, NULL) == PF_OK);
        MUST(d.outcome == e.outcome && d.capability == e.capability);
        MUST((d.outcome == PF_OP_OK) == (d.message == NULL));
        cap_decision_free(&d);
        cap_decision_free(&e);
    }
    cap_gate_free(x);
    cap_gate_free(y);
}

static void must_be_inside(const char *a, size_t a_len, const char *b, size_t b_len) {
    bool inside = false;
    MUST(cap_policy_is_subset(a, a_len, b, b_len, &inside, NULL, NULL) == PF_OK);
    MUST(inside);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *json = (const char *)data;
    pf_error error;
    char *normal, *again;
    size_t len, again_len;
    pf_status status = cap_policy_normalize(json, size, &normal, &len, &error);
    MUST(status == PF_OK || (status == PF_INVALID && error.message[0]));
    if (status != PF_OK) return 0;
    MUST(cap_policy_normalize(normal, len, &again, &again_len, &error) == PF_OK);
    MUST(len == again_len && memcmp(normal, again, len) == 0);
    must_be_inside(normal, len, json, size);
    must_be_inside(json, size, normal, len);
    decide_alike(json, size, normal, len);
    free(normal);
    free(again);
    return 0;
}
