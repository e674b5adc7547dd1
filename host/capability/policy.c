/*
 * host/capability/policy.c: reading, sharing and writing policies. See policy.h.
 */
#include "policy.h"

#include "host/base/buf.h"
#include "host/base/json_out.h"

#include <inttypes.h>
#include <stdlib.h>

#define POLICY_BYTES_MAX ((size_t)256 << 20) /* of memory for one policy */

static pf_status unknown_key(struct cap_reader *r, const yyjson_val *key, const char *known) {
    char buffer[160];
    struct base_text text;
    base_text_init(&text, buffer, sizeof buffer);
    base_json_show(&text, key, 100);
    return cap_reader_bad(r, "the key %s is not known; %s", buffer, known);
}

static pf_status read_max_calls(int64_t *out, struct cap_reader *r, yyjson_val *value) {
    struct base_number n;
    *out = CAP_UNLIMITED;
    if (!value || yyjson_is_null(value)) return PF_OK;
    if (base_json_is_number(value)) {
        base_json_number(value, &n);
        if (base_number_int64(&n, out) && *out >= 0) return PF_OK;
    }
    return cap_reader_bad(r,
                          "max_calls is a whole number from 0 to 2^63 - 1, or null for no limit");
}

static pf_status read_pattern(struct cap_capability *c, struct cap_reader *r, yyjson_val *value) {
    if (!yyjson_is_str(value)) return cap_reader_bad(r, "\"method\" must be a pattern");
    pf_error error;
    pf_status status = cap_pattern_read(&c->pattern, r->arena, yyjson_get_str(value),
                                        yyjson_get_len(value), &error);
    if (status == PF_INVALID) return cap_reader_bad(r, "%s", error.message);
    return status == PF_OK ? PF_OK : base_no_memory(r->error);
}

static pf_status read_capability(struct cap_capability *c, struct cap_reader *r,
                                 yyjson_val *object) {
    if (!yyjson_is_obj(object))
        return cap_reader_bad(r, "a capability is an object, not %s", base_json_type(object));
    yyjson_val *method = NULL, *constraints = NULL, *max_calls = NULL, *ask = NULL;
    yyjson_obj_iter iter = yyjson_obj_iter_with(object);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter));) {
        yyjson_val *value = yyjson_obj_iter_get_val(key);
        if (base_json_is(key, "method"))
            method = value;
        else if (base_json_is(key, "constraints"))
            constraints = value;
        else if (base_json_is(key, "max_calls"))
            max_calls = value;
        else if (base_json_is(key, "ask"))
            ask = value;
        else
            return unknown_key(r, key, "a capability has method, constraints, max_calls and ask");
    }
    if (ask && !yyjson_is_bool(ask)) return cap_reader_bad(r, "ask is true or false");
    c->ask = yyjson_is_true(ask);
    pf_status status = read_pattern(c, r, method);
    if (status == PF_OK) status = read_max_calls(&c->max_calls, r, max_calls);
    if (status != PF_OK) return status;
    if (!constraints) {
        c->constraints = base_arena_zalloc(r->arena, sizeof *c->constraints);
        return c->constraints ? PF_OK : base_no_memory(r->error);
    }
    base_text_addz(&r->where, ".constraints");
    return cap_constraints_read(&c->constraints, r, constraints);
}

static pf_status read_list(struct cap_policy *policy, struct cap_reader *r, yyjson_val *list) {
    if (!yyjson_is_arr(list)) return cap_reader_bad(r, "\"capabilities\" must be a list");
    policy->capabilities =
        base_arena_array(r->arena, yyjson_arr_size(list), sizeof *policy->capabilities);
    if (!policy->capabilities) return base_no_memory(r->error);
    yyjson_arr_iter iter = yyjson_arr_iter_with(list);
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));) {
        base_text_rewind(&r->where, 0);
        base_text_addf(&r->where, "capabilities[%zu]", policy->count);
        pf_status status = read_capability(&policy->capabilities[policy->count], r, item);
        if (status != PF_OK) return status;
        policy->count++;
    }
    return PF_OK;
}

static bool is_version_1(yyjson_val *value) {
    struct base_number n;
    if (!base_json_is_number(value)) return false;
    base_json_number(value, &n);
    return n.small && n.value == 1;
}

static pf_status read_policy(struct cap_policy *policy, struct cap_reader *r, yyjson_val *root) {
    if (!yyjson_is_obj(root))
        return cap_reader_bad(r, "it is an object with a list of capabilities, not %s",
                              base_json_type(root));
    yyjson_val *list = NULL;
    yyjson_obj_iter iter = yyjson_obj_iter_with(root);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter));) {
        yyjson_val *value = yyjson_obj_iter_get_val(key);
        if (base_json_is(key, "capabilities"))
            list = value;
        else if (base_json_is(key, "version") && !is_version_1(value))
            return cap_reader_bad(r, "this build reads version 1 only");
        else if (!base_json_is(key, "version") && !base_json_is(key, "$schema"))
            return unknown_key(r, key,
                               "a policy has capabilities, and may have version and $schema");
    }
    if (!list) return cap_reader_bad(r, "\"capabilities\" is missing");
    return read_list(policy, r, list);
}

pf_status cap_policy_read(struct cap_policy **out, const char *json, size_t len, pf_error *error) {
    *out = NULL;
    struct cap_policy *policy = calloc(1, sizeof *policy);
    if (!policy) return base_no_memory(error);
    atomic_init(&policy->owners, 1);
    base_arena_init(&policy->arena, POLICY_BYTES_MAX);
    char place[400];
    struct cap_reader r = {.arena = &policy->arena, .error = error};
    base_text_init(&r.where, place, sizeof place);
    base_text_addz(&r.where, "the policy");
    yyjson_val *root;
    pf_error inner;
    pf_status status = base_json_read(&policy->arena, json, len, BASE_JSON_DEPTH, &root, &inner);
    if (status == PF_OK)
        status = read_policy(policy, &r, root);
    else
        base_error(error, status, "the policy: %s", inner.message);
    policy->regexes = r.regexes;
    if (status == PF_OK)
        *out = policy;
    else
        cap_policy_drop(policy);
    return status;
}

struct cap_policy *cap_policy_share(struct cap_policy *policy) {
    if (policy) atomic_fetch_add_explicit(&policy->owners, 1, memory_order_relaxed);
    return policy;
}

void cap_policy_drop(struct cap_policy *policy) {
    if (!policy || atomic_fetch_sub_explicit(&policy->owners, 1, memory_order_acq_rel) != 1) return;
    cap_regexes_free(policy->regexes);
    base_arena_free(&policy->arena);
    free(policy);
}

bool cap_policy_write(struct base_buf *out, const struct cap_policy *policy) {
    base_buf_addz(out, "{\"version\":1,\"capabilities\":[");
    for (size_t i = 0; i < policy->count; i++) {
        const struct cap_capability *c = &policy->capabilities[i];
        base_buf_addz(out, i ? ",{\"method\":" : "{\"method\":");
        base_json_out_string(out, c->pattern.text, c->pattern.len);
        for (size_t j = 0; j < c->constraints->count; j++) {
            base_buf_addz(out, j ? "," : ",\"constraints\":[");
            cap_node_write(out, c->constraints->items[j]);
        }
        if (c->constraints->count) base_buf_addz(out, "]");
        if (c->max_calls != CAP_UNLIMITED)
            base_buf_addf(out, ",\"max_calls\":%" PRId64, c->max_calls);
        if (c->ask) base_buf_addz(out, ",\"ask\":true");
        base_buf_addz(out, "}");
    }
    return base_buf_addz(out, "]}");
}
