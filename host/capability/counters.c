/*
 * host/capability/counters.c: what was spent, for a snapshot.
 *
 *     {"version": 1, "counters": [{"method": "stripe/charges/create", "used": 3}]}
 *
 * A snapshot is data that anybody may have written: what cannot be read is refused, and no counter
 * can become less than nothing. The policy may be another one than the snapshot was made with: a
 * counter goes to the capability with the same pattern, of several equal ones in their order.
 */
#include "gate_state.h"

#include "host/base/buf.h"
#include "host/base/json_out.h"

#include <assert.h>
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
        assert(i < gate->ledger->count);
        base_buf_addz(&out, i ? ",{\"method\":" : "{\"method\":");
        base_json_out_string(&out, p->text, p->len);
        base_buf_addf(&out, ",\"used\":%" PRId64 "}", atomic_load(&gate->ledger->used[i]));
    }
    base_buf_addz(&out, "]}");
    bool ok = !out.failed;
    *json = ok ? base_buf_take(&out, len) : NULL;
    base_buf_free(&out);
    return ok ? PF_OK : PF_NO_MEMORY;
}

/* ------------------------------------------------------------------ reading */

/* The policy that takes over counters: which capabilities have a pattern, in order. */
struct taker {
    const cap_gate *gate;
    size_t count;
    size_t *sorted; /* their indices by pattern, then index */
    size_t *next;   /* where a run of equal ones begins in `sorted`: which of them is the next;
                     * the last entry, of none, is `count` */
    int64_t *used;
    int *map; /* of the snapshot's capabilities: to which one, or -1 */
    size_t met;
};

/* An order of texts, the shorter ones first. */
static int compare_text(const char *a, size_t a_len, const char *b, size_t b_len) {
    int order = (a_len > b_len) - (a_len < b_len);
    return order ? order : memcmp(a, b, a_len);
}

static const struct cap_pattern *pattern_of(const cap_gate *gate, size_t index) {
    return &gate->policy->capabilities[index].pattern;
}

static int compare_patterns(const void *a, const void *b, void *gate) {
    size_t i = *(const size_t *)a, k = *(const size_t *)b;
    const struct cap_pattern *p = pattern_of(gate, i), *q = pattern_of(gate, k);
    int order = compare_text(p->text, p->len, q->text, q->len);
    return order ? order : (int)i - (int)k;
}

/* The next capability with that pattern, -1 when there is none that was not met yet. */
static int meet(struct taker *t, const char *text, size_t len) {
    size_t low = 0, high = t->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct cap_pattern *p = pattern_of(t->gate, t->sorted[middle]);
        if (compare_text(p->text, p->len, text, len) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    size_t at = t->next[low];
    assert(low <= t->count && at >= low);
    if (at >= t->count) return -1;
    const struct cap_pattern *p = pattern_of(t->gate, t->sorted[at]);
    if (compare_text(p->text, p->len, text, len) != 0) return -1;
    t->next[low]++;
    t->met++;
    return (int)t->sorted[at];
}

static bool read_used(yyjson_val *entry, int64_t *used) {
    yyjson_val *value = yyjson_obj_get(entry, "used");
    struct base_number n;
    if (yyjson_obj_size(entry) != 2 || !yyjson_is_str(yyjson_obj_get(entry, "method")) ||
        !base_json_is_number(value))
        return false;
    base_json_number(value, &n);
    return base_number_int64(&n, used) && *used >= 0;
}

static yyjson_val *list_of(yyjson_val *root) {
    yyjson_val *version = yyjson_obj_get(root, "version"), *list = yyjson_obj_get(root, "counters");
    struct base_number n = {0};
    if (base_json_is_number(version)) base_json_number(version, &n);
    return n.value == 1 && yyjson_is_arr(list) ? list : NULL;
}

/* What was spent of a capability that is gone could be had again from one that is new. */
static pf_status take_over(struct taker *t, yyjson_val *list, pf_error *error) {
    yyjson_val *gone = NULL;
    yyjson_arr_iter iter = yyjson_arr_iter_with(list);
    for (yyjson_val *entry; (entry = yyjson_arr_iter_next(&iter));) {
        yyjson_val *method = yyjson_obj_get(entry, "method");
        int64_t used;
        if (!read_used(entry, &used))
            return base_error(error, PF_FORMAT, "the counters cannot be read");
        int to = meet(t, yyjson_get_str(method), yyjson_get_len(method));
        assert(to >= -1 && to < (int)t->count && t->met <= t->count);
        t->map[iter.idx - 1] = to;
        if (to >= 0)
            t->used[to] = used;
        else if (used > 0 && !gone)
            gone = method;
    }
    if (gone && t->met < t->count)
        return base_error(
            error, PF_FORMAT,
            "calls of \"%.100s\" were spent, which is not among these capabilities, and "
            "some of them are new: give \"%.100s\" as well, or no new ones",
            yyjson_get_str(gone), yyjson_get_str(gone));
    return PF_OK;
}

static pf_status read_counters(struct taker *t, struct base_arena *arena, yyjson_val *root,
                               pf_error *error) {
    yyjson_val *list = list_of(root);
    if (!list) return base_error(error, PF_FORMAT, "the counters cannot be read");
    t->count = cap_gate_capability_count(t->gate);
    assert(t->count == 0 || t->count == t->gate->ledger->count);
    t->used = base_arena_array(arena, t->count + 1, sizeof *t->used);
    t->sorted = base_arena_array(arena, t->count + 1, sizeof *t->sorted);
    t->next = base_arena_array(arena, t->count + 1, sizeof *t->next);
    t->map = malloc((yyjson_arr_size(list) + 1) * sizeof *t->map);
    if (!t->used || !t->sorted || !t->next || !t->map) return base_no_memory(error);
    for (size_t i = 0; i <= t->count; i++) {
        t->used[i] = 0;
        t->sorted[i] = t->next[i] = i;
    }
    qsort_r(t->sorted, t->count, sizeof *t->sorted, compare_patterns, (void *)(uintptr_t)t->gate);
    return take_over(t, list, error);
}

pf_status cap_gate_counters_load(cap_gate *gate, const char *json, size_t len, int **map,
                                 size_t *map_len, pf_error *error) {
    struct base_arena arena;
    base_arena_init(&arena, COUNTERS_MAX);
    struct taker t = {.gate = gate};
    yyjson_val *root;
    pf_error inner;
    pf_status status = base_json_read(&arena, json, len, 8, &root, &inner);
    if (status == PF_OK)
        status = read_counters(&t, &arena, root, error);
    else if (status == PF_NO_MEMORY)
        base_no_memory(error);
    else
        status = base_error(error, PF_FORMAT, "the counters cannot be read: %s", inner.message);
    for (size_t i = 0; status == PF_OK && i < t.count; i++)
        atomic_store(&gate->ledger->used[i], t.used[i]);
    if (status == PF_OK && map) {
        *map = t.map;
        *map_len = yyjson_arr_size(list_of(root));
    } else {
        free(t.map);
    }
    base_arena_free(&arena);
    return status;
}

void cap_gate_spend(cap_gate *gate, size_t capability, int64_t calls) {
    if (capability >= cap_gate_capability_count(gate) || calls <= 0) return;
    _Atomic int64_t *used = &gate->ledger->used[capability];
    int64_t now = atomic_load(used), then;
    do
        if (__builtin_add_overflow(now, calls, &then)) then = INT64_MAX;
    while (!atomic_compare_exchange_weak(used, &now, then));
}

bool cap_gate_take(struct cap_gate *gate, size_t index) {
    assert(index < cap_gate_capability_count(gate));
    int64_t max = gate->policy->capabilities[index].max_calls;
    _Atomic int64_t *used = &gate->ledger->used[index];
    int64_t now = atomic_load_explicit(used, memory_order_relaxed);
    do {
        if (max != CAP_UNLIMITED && now >= max) return false;
        if (now == INT64_MAX) return true; /* nobody counts further */
    } while (!atomic_compare_exchange_weak(used, &now, now + 1));
    return true;
}

bool cap_gate_set_aside(cap_gate *gate, int capability) {
    if ((size_t)capability >= cap_gate_capability_count(gate)) return false; /* -1 is none */
    _Atomic int64_t *used = &gate->ledger->used[capability];
    int64_t now = atomic_load(used);
    do
        if (now == 0) return false;
    while (!atomic_compare_exchange_weak(used, &now, now - 1));
    return true;
}
