/*
 * host/capability/policy_text.c: questions about policies that are JSON texts, for the bindings.
 */
#include "policy.h"

#include "host/base/buf.h"

#include <stdlib.h>
#include <string.h>

#define WHY_MAX    1000
#define OUTPUT_MAX ((size_t)256 << 20)

pf_status cap_policy_check(const char *json, size_t len, pf_error *error) {
    struct cap_policy *policy;
    pf_status status = cap_policy_read(&policy, json, len, error);
    cap_policy_drop(policy);
    return status;
}

pf_status cap_policy_is_subset(const char *child, size_t child_len, const char *parent,
                               size_t parent_len, bool *subset, char **why, pf_error *error) {
    *subset = false;
    if (why) *why = NULL;
    struct cap_policy *c = NULL, *p = NULL;
    pf_status status = cap_policy_read(&c, child, child_len, error);
    if (status == PF_OK) status = cap_policy_read(&p, parent, parent_len, error);
    if (status == PF_OK) {
        char buffer[WHY_MAX];
        struct base_text text;
        base_text_init(&text, buffer, sizeof buffer);
        *subset = cap_policy_covers(p, c, &text);
        if (!*subset && why && !(*why = malloc(text.len + 1)))
            status = base_no_memory(error);
        else if (!*subset && why)
            memcpy(*why, buffer, text.len + 1);
    }
    cap_policy_drop(c);
    cap_policy_drop(p);
    return status;
}

pf_status cap_policy_normalize(const char *json, size_t len, char **out, size_t *out_len,
                               pf_error *error) {
    *out = NULL;
    struct cap_policy *policy;
    pf_status status = cap_policy_read(&policy, json, len, error);
    if (status != PF_OK) return status;
    struct base_buf buf;
    base_buf_init(&buf, OUTPUT_MAX);
    if (cap_policy_write(&buf, policy))
        *out = base_buf_take(&buf, out_len);
    else
        status = base_no_memory(error);
    base_buf_free(&buf);
    cap_policy_drop(policy);
    return status;
}

pf_status cap_policy_pattern_matches(const char *pattern, const char *method, bool *matches,
                                     pf_error *error) {
    *matches = false;
    struct base_arena arena;
    base_arena_init(&arena, 1 << 20);
    struct cap_pattern p;
    struct cap_name name;
    const char *why;
    pf_status status = cap_pattern_read(&p, &arena, pattern, strlen(pattern), error);
    if (status == PF_OK && cap_name_read(&name, method, strlen(method), false, &why))
        *matches = cap_pattern_matches(&p, &name);
    base_arena_free(&arena);
    return status;
}

pf_status cap_policy_pattern_is_subset(const char *child, const char *parent, bool *subset,
                                       pf_error *error) {
    *subset = false;
    struct base_arena arena;
    base_arena_init(&arena, 1 << 20);
    struct cap_pattern c, p;
    pf_status status = cap_pattern_read(&c, &arena, child, strlen(child), error);
    if (status == PF_OK) status = cap_pattern_read(&p, &arena, parent, strlen(parent), error);
    if (status == PF_OK) *subset = cap_pattern_is_subset(&c, &p);
    base_arena_free(&arena);
    return status;
}
