/*
 * host/authority.c: the questions of include/pinfold.h about policies, tools and capabilities.
 * Answered by host/capability; here they only get their public names.
 */
#include "machine/machine.h"

#include "host/capability/policy.h"

pf_status pf_policy_check(const char *json, size_t len, pf_error *error) {
    return cap_policy_check(json, len, error);
}

pf_status pf_policy_is_subset(const char *child, size_t child_len, const char *parent,
                              size_t parent_len, bool *subset, char **why, pf_error *error) {
    return cap_policy_is_subset(child, child_len, parent, parent_len, subset, why, error);
}

pf_status pf_policy_normalize(const char *json, size_t len, char **out, size_t *out_len,
                              pf_error *error) {
    return cap_policy_normalize(json, len, out, out_len, error);
}

pf_status pf_pattern_matches(const char *pattern, const char *method, bool *matches,
                             pf_error *error) {
    return cap_policy_pattern_matches(pattern, method, matches, error);
}

pf_status pf_pattern_is_subset(const char *child, const char *parent, bool *subset,
                               pf_error *error) {
    return cap_policy_pattern_is_subset(child, parent, subset, error);
}

size_t pf_sandbox_tools(const pf_sandbox *sandbox, pf_tool_info *tools, size_t count) {
    size_t declared = cap_gate_tool_count(sandbox->gate);
    for (size_t i = 0; i < declared && i < count; i++) {
        const struct cap_tool *tool = cap_gate_tool(sandbox->gate, i);
        tools[i] = (pf_tool_info){
            .name = tool->name,
            .id = tool->id,
            .flat = tool->flat,
            .flat_usable = tool->flat_usable,
            .dotted_usable = tool->dotted_usable,
        };
    }
    return declared;
}

bool pf_sandbox_can_call(const pf_sandbox *sandbox, const char *method, const char *params,
                         size_t len, char **why) {
    return cap_gate_can_call(sandbox->gate, method, params, len, why);
}

void pf_sandbox_on_decision(pf_sandbox *sandbox, pf_decision_fn callback, void *user) {
    sandbox->on_decision = callback;
    sandbox->on_decision_user = user;
}

int64_t pf_sandbox_calls_left(const pf_sandbox *sandbox, size_t capability) {
    return cap_gate_remaining(sandbox->gate, capability);
}
