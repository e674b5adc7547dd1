/*
 * host/gate.c: pf_gate of include/pinfold.h: host/capability's gate without a sandbox around it.
 */
#include "machine/machine.h"

#include <stdlib.h>

struct pf_gate {
    cap_gate *gate;
    struct cap_decision decision; /* the last one: what the embedder was given points into it */
};

static pf_gate *wrap(cap_gate *inner) {
    pf_gate *gate = inner ? calloc(1, sizeof *gate) : NULL;
    if (gate)
        gate->gate = inner;
    else
        cap_gate_free(inner);
    return gate;
}

pf_status pf_gate_new(const pf_options *options, pf_gate **out, pf_error *error) {
    *out = wrap(cap_gate_clone(options->gate));
    if (!*out) return base_no_memory(error);
    pf_status status = cap_gate_finish((*out)->gate, error);
    if (status == PF_OK) return PF_OK;
    pf_gate_free(*out);
    *out = NULL;
    return status;
}

pf_gate *pf_gate_clone(const pf_gate *gate) {
    return wrap(cap_gate_clone(gate->gate));
}

void pf_gate_free(pf_gate *gate) {
    if (!gate) return;
    cap_decision_free(&gate->decision);
    cap_gate_free(gate->gate);
    free(gate);
}

pf_status pf_gate_check(pf_gate *gate, const char *request, size_t len, pf_call *call,
                        pf_error *error) {
    struct cap_decision *d = &gate->decision;
    cap_decision_free(d);
    pf_status status = cap_gate_check(gate->gate, request, len, d, error);
    if (status != PF_OK) return status;
    if (d->outcome != PF_OP_OK)
        return base_error(error, PF_DENIED, "%s", d->message ? d->message : "denied");
    *call = (pf_call){
        .method = d->method,
        .name = d->name,
        .params = d->params,
        .params_len = d->params_len,
        .capability = d->capability,
        .ask = cap_gate_asks(gate->gate, d->capability),
    };
    return PF_OK;
}

pf_status pf_gate_decide(pf_gate *gate, const char *request, size_t len, pf_decision *decision,
                         pf_error *error) {
    struct cap_decision *d = &gate->decision;
    cap_decision_free(d);
    pf_status status = cap_gate_check(gate->gate, request, len, d, error);
    if (status != PF_OK) return status;
    *decision = cap_decision_describe(gate->gate, d);
    decision->request = request;
    decision->request_len = len;
    return PF_OK;
}

bool pf_gate_can_call(const pf_gate *gate, const char *method, const char *params, size_t len,
                      char **why) {
    return cap_gate_can_call(gate->gate, method, params, len, why);
}

void pf_gate_spend(pf_gate *gate, size_t capability, int64_t calls) {
    cap_gate_spend(gate->gate, capability, calls);
}

int64_t pf_gate_calls_left(const pf_gate *gate, size_t capability) {
    return cap_gate_remaining(gate->gate, capability);
}
