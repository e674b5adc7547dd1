/*
 * Any bytes as a tool call. What is delivered is valid JSON, is delivered unchanged when it is
 * called with again, and only calls that are allowed spend anything.
 */
#include "fuzz.h"
#include "host/base/buf.h"
#include "host/base/json.h"
#include "host/base/utf8.h"
#include "host/capability/gate.h"

#include <string.h>

static const char policy[] =
    "{\"capabilities\":[{\"method\":\"t\",\"constraints\":{\"a\":\"<=10\"}},"
    "{\"method\":\"t\",\"constraints\":[{\"param\":\"l[*].s\",\"op\":\"matches\",\"value\":\"[a-z]+"
    "\"}]},"
    "{\"method\":\"u/**\",\"max_calls\":9223372036854775807}]}";
static const char schema[] =
    "{\"properties\":{\"a\":{\"type\":\"number\"},\"l\":{\"items\":{\"type\":\"object\"}}},"
    "\"additionalProperties\":{\"type\":[\"string\",\"null\"]}}";

static cap_gate *make_gate(void) {
    cap_gate *gate = NULL;
    MUST(cap_gate_new(&gate, NULL) == PF_OK);
    MUST(cap_gate_add_tool(gate, "t", "", schema, sizeof schema - 1, NULL) == PF_OK);
    MUST(cap_gate_add_tool(gate, "u.v", "", NULL, 0, NULL) == PF_OK);
    MUST(cap_gate_set_policy(gate, policy, sizeof policy - 1, NULL) == PF_OK);
    return gate;
}

static void call_again(cap_gate *gate, const struct cap_decision *d) {
    struct base_buf payload;
    base_buf_init(&payload, 64 << 20);
    base_buf_addf(&payload, "{\"params\":%s,\"tool\":\"%s\"}", d->params, d->method);
    struct cap_decision again;
    MUST(cap_gate_check(gate, payload.data, payload.len, &again, NULL) == PF_OK);
    MUST(again.outcome == PF_OP_OK && again.capability == d->capability);
    MUST(again.params_len == d->params_len && memcmp(again.params, d->params, d->params_len) == 0);
    cap_decision_free(&again);
    base_buf_free(&payload);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static cap_gate *gate;
    if (!gate) gate = make_gate();
    int64_t before = cap_gate_remaining(gate, 2);
    struct cap_decision d;
    MUST(cap_gate_check(gate, (const char *)data, size, &d, NULL) == PF_OK);
    int64_t spent = before - cap_gate_remaining(gate, 2);
    MUST(spent == (d.outcome == PF_OP_OK && d.capability == 2));
    MUST((d.outcome == PF_OP_OK) == (d.params != NULL) && !d.params == !!d.message);
    if (d.outcome == PF_OP_OK) call_again(gate, &d);
    if (d.message) MUST(base_utf8_valid(d.message, strlen(d.message)));
    cap_decision_free(&d);
    return 0;
}
