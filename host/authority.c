/*
 * host/authority.c: the questions of include/pinfold.h about policies, tools and capabilities.
 * Answered by host/capability; here they only get their public names.
 */
#include "machine/machine.h"

#include "host/capability/policy.h"
#include "host/capability/token.h"

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
    if (machine_enter(sandbox, NULL) != PF_OK) return;
    machine_tell_judged(sandbox);
    machine_leave(sandbox);
}

int64_t pf_sandbox_calls_left(const pf_sandbox *sandbox, size_t capability) {
    return cap_gate_remaining(sandbox->gate, capability);
}

/* ------------------------------------------------------------------ keys and tokens */

void pf_key_public(const uint8_t seed[PF_KEY_BYTES], uint8_t public_key[PF_KEY_BYTES]) {
    cap_key_public(seed, public_key);
}

void pf_key_sign(const uint8_t seed[PF_KEY_BYTES], const void *data, size_t len,
                 uint8_t signature[PF_SIGNATURE_BYTES]) {
    cap_key_sign(seed, data, len, signature);
}

bool pf_key_verify(const uint8_t public_key[PF_KEY_BYTES], const void *data, size_t len,
                   const uint8_t signature[PF_SIGNATURE_BYTES]) {
    return cap_key_verify(public_key, data, len, signature);
}

pf_status pf_token_issue(const uint8_t seed[PF_KEY_BYTES], const char *policy, size_t policy_len,
                         int64_t expires, char **token, size_t *len, pf_error *error) {
    return cap_token_issue(seed, policy, policy_len, expires, token, len, error);
}

pf_status pf_token_narrow(const char *token, size_t token_len, const char *policy,
                          size_t policy_len, int64_t expires, char **narrower, size_t *len,
                          pf_error *error) {
    return cap_token_narrow(token, token_len, policy, policy_len, expires, narrower, len, error);
}

pf_status pf_token_seal(const char *token, size_t token_len, char **sealed, size_t *len,
                        pf_error *error) {
    return cap_token_seal(token, token_len, sealed, len, error);
}

pf_status pf_token_verify(const char *token, size_t token_len, const uint8_t *trusted, size_t count,
                          int64_t now, char **policy, size_t *policy_len, int64_t *expires,
                          pf_error *error) {
    return cap_token_verify(token, token_len, trusted, count, now, policy, policy_len, expires,
                            error);
}
