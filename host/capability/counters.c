/*
 * host/capability/counters.c: what was spent, for a snapshot.
 *
 *     {"version": 1, "counters": [{"method": "stripe/charges/create", "used": 3}]}
 *
 * A snapshot is data that anybody may have written: what does not belong to this policy is refused,
 * and no counter can become less than nothing.
 */
#include "gate_state.h"

#include "host/base/buf.h"
#include "host/base/json_out.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COUNTERS_MAX ((size_t)64 << 20)

pf_status cap_gate_counters_save(const cap_gate *gate, char **json, size_t *len) {
    struct base_buf out;
    base_buf_init(&out, COUNTERS_MAX);
    base_buf_addz(&out, "{\"version\":1,\"counters\":[");
    for (size_t i = 0; i < cap_gate_capability_count(gate); i++) {
        const struct cap_pattern *p = &gate->policy->capabilities[i].pattern;
        base_buf_addz(&out, i ? ",{\"method\":" : "{\"method\":");
        base_json_out_string(&out, p->text, p->len);
        base_buf_addf(&out, ",\"used\":%" PRId64 "}", gate->used[i]);
    }
    base_buf_addz(&out, "]}");
    bool ok = !out.failed;
    *json = ok ? base_buf_take(&out, len) : NULL;
    base_buf_free(&out);
    return ok ? PF_OK : PF_NO_MEMORY;
}

static pf_status foreign(pf_error *error) {
    return base_error(error, PF_FORMAT, "the counters belong to another policy");
}

static bool read_used(yyjson_val *entry, const struct cap_pattern *pattern, int64_t *used) {
    yyjson_val *method = yyjson_obj_get(entry, "method"), *value = yyjson_obj_get(entry, "used");
    struct base_number n;
    if (yyjson_obj_size(entry) != 2 || !yyjson_equals_strn(method, pattern->text, pattern->len) ||
        !base_json_is_number(value))
        return false;
    base_json_number(value, &n);
    return base_number_int64(&n, used) && *used >= 0;
}

static pf_status read_counters(cap_gate *gate, yyjson_val *root, int64_t *used, pf_error *error) {
    yyjson_val *version = yyjson_obj_get(root, "version"), *list = yyjson_obj_get(root, "counters");
    struct base_number n = {0};
    if (base_json_is_number(version)) base_json_number(version, &n);
    if (n.value != 1 || !yyjson_is_arr(list))
        return base_error(error, PF_FORMAT, "the counters cannot be read");
    if (yyjson_arr_size(list) != cap_gate_capability_count(gate)) return foreign(error);
    yyjson_arr_iter iter = yyjson_arr_iter_with(list);
    for (yyjson_val *entry; (entry = yyjson_arr_iter_next(&iter));) {
        size_t i = iter.idx - 1;
        if (!read_used(entry, &gate->policy->capabilities[i].pattern, &used[i]))
            return foreign(error);
    }
    return PF_OK;
}

pf_status cap_gate_counters_load(cap_gate *gate, const char *json, size_t len, pf_error *error) {
    size_t count = cap_gate_capability_count(gate);
    struct base_arena arena;
    base_arena_init(&arena, COUNTERS_MAX);
    int64_t *used = base_arena_array(&arena, count + 1, sizeof *used);
    yyjson_val *root;
    pf_error inner;
    pf_status status = used ? base_json_read(&arena, json, len, 8, &root, &inner) : PF_NO_MEMORY;
    if (status == PF_OK)
        status = read_counters(gate, root, used, error);
    else if (status == PF_NO_MEMORY)
        base_no_memory(error);
    else
        status = base_error(error, PF_FORMAT, "the counters cannot be read: %s", inner.message);
    if (status == PF_OK && count) memcpy(gate->used, used, count * sizeof *used);
    base_arena_free(&arena);
    return status;
}

void cap_gate_spend(cap_gate *gate, size_t capability, int64_t calls) {
    if (capability >= cap_gate_capability_count(gate) || calls <= 0) return;
    int64_t *used = &gate->used[capability];
    *used = calls > INT64_MAX - *used ? INT64_MAX : *used + calls;
}
