/*
 * host/capability/face.c: tells programs about the policy, and checks results.
 */
#include "gate_state.h"
#include "reserved.h"

#include "host/base/json.h"

#include <string.h>

/* A result may be as large as the embedder allows; its parsed form is several times its text. */
#define RESULT_ARENA_MIN    (1u << 20)
#define RESULT_ARENA_FACTOR 32

/* The first segment of a pattern if it is literal, and can be a global of a program. */
static bool first_literal(const struct cap_policy *policy, size_t i, struct cap_segment *out) {
    const struct cap_pattern *p = &policy->capabilities[i].pattern;
    if (p->count == 0 || p->segments[0].kind != CAP_SEGMENT_LITERAL) return false;
    *out = p->segments[0].segment;
    return cap_name_is_identifier(out->text, out->len) && !cap_reserved_js(out->text, out->len);
}

static bool named_before(const struct cap_policy *policy, size_t i,
                         const struct cap_segment *name) {
    struct cap_segment earlier;
    for (size_t k = 0; k < i; k++)
        if (first_literal(policy, k, &earlier) && earlier.len == name->len &&
            memcmp(earlier.text, name->text, name->len) == 0)
            return true;
    return false;
}

bool cap_gate_namespace(const cap_gate *gate, size_t index, char out[CAP_NAMESPACE_SIZE]) {
    if (!gate->catch_all || !gate->policy) return false;
    for (size_t i = 0; i < gate->policy->count; i++) {
        struct cap_segment name;
        if (!first_literal(gate->policy, i, &name) || named_before(gate->policy, i, &name))
            continue;
        if (index-- > 0) continue;
        memcpy(out, name.text, name.len);
        out[name.len] = '\0';
        return true;
    }
    return false;
}

pf_status cap_json_check(const char *json, size_t len, pf_error *error) {
    struct base_arena arena;
    yyjson_val *value;
    base_arena_init(&arena, RESULT_ARENA_MIN + len * RESULT_ARENA_FACTOR);
    pf_status status = base_json_read(&arena, json, len, BASE_JSON_DEPTH, &value, error);
    base_arena_free(&arena);
    return status;
}
