/*
 * host/base/json_read.c: reading and writing JSON. See json.h for what is refused.
 */
#include "json.h"

#include <stdlib.h>
#include <string.h>

/* ---- yyjson's memory comes from an arena */

static void *arena_malloc(void *arena, size_t size) {
    return base_arena_alloc(arena, size);
}

static void *arena_realloc(void *arena, void *old, size_t old_size, size_t size) {
    return base_arena_resize(arena, old, old_size, size);
}

static void arena_free(void *arena, void *piece) {
    (void)arena;
    (void)piece;
}

static yyjson_alc allocator(struct base_arena *arena) {
    return (yyjson_alc){arena_malloc, arena_realloc, arena_free, arena};
}

/* ---- numbers */

/* A double keeps every number of so many digits, within these powers of ten. */
#define EXACT_DIGITS 15u
#define EXACT_POWER  290

static bool is_integer_text(const char *text, size_t len) {
    for (size_t i = text[0] == '-'; i < len; i++)
        if (text[i] < '0' || text[i] > '9') return false;
    return true;
}

/* Replaces a number by the shortest text of its double, when that is another number. */
static pf_status settle(struct base_arena *arena, yyjson_val *v, pf_error *error) {
    const char *text = yyjson_get_raw(v);
    size_t len = yyjson_get_len(v);
    char *copy = base_arena_copy(arena, text, len);
    if (!copy) return base_no_memory(error);
    yyjson_val real;
    if (!yyjson_read_number(copy, &real, YYJSON_READ_NOFLAG, NULL, NULL))
        return base_error(error, PF_INVALID,
                          "the number %.40s is too large for any program to read", copy);
    yyjson_alc alc = allocator(arena);
    size_t shortest_len;
    char *shortest = yyjson_val_write_opts(&real, YYJSON_WRITE_NOFLAG, &alc, &shortest_len, NULL);
    if (!shortest) return base_no_memory(error);
    struct base_number before, after;
    if (!base_number_read(&before, text, len) || !base_number_read(&after, shortest, shortest_len))
        return base_error(error, PF_INVALID, "the number %.40s cannot be read", copy);
    if (base_number_compare(&before, &after) != 0) yyjson_set_raw(v, shortest, shortest_len);
    return PF_OK;
}

static pf_status check_number(struct base_arena *arena, yyjson_val *v, pf_error *error) {
    const char *text = yyjson_get_raw(v);
    size_t len = yyjson_get_len(v);
    if (len > BASE_JSON_DIGITS)
        return base_error(error, PF_INVALID, "a number of %zu digits; %u are allowed", len,
                          BASE_JSON_DIGITS);
    if (is_integer_text(text, len)) return PF_OK;
    struct base_number n;
    if (!base_number_read(&n, text, len))
        return base_error(error, PF_INVALID, "a number cannot be read");
    if (n.zero || (base_number_digits(&n) <= EXACT_DIGITS && n.top <= EXACT_POWER &&
                   n.bottom >= -EXACT_POWER))
        return PF_OK;
    return settle(arena, v, error);
}

/* ---- objects and depth */

static pf_status duplicate(yyjson_val *key, pf_error *error) {
    char buffer[160];
    struct base_text text;
    base_text_init(&text, buffer, sizeof buffer);
    base_json_show(&text, key, 100);
    return base_error(error, PF_INVALID, "the key %s appears twice in one object", buffer);
}

static int compare_keys(const yyjson_val *a, const yyjson_val *b) {
    size_t a_len = unsafe_yyjson_get_len((void *)a), b_len = unsafe_yyjson_get_len((void *)b);
    if (a_len != b_len) return a_len < b_len ? -1 : 1;
    return memcmp(unsafe_yyjson_get_str((void *)a), unsafe_yyjson_get_str((void *)b), a_len);
}

static int order_keys(const void *a, const void *b) {
    return compare_keys(*(yyjson_val *const *)a, *(yyjson_val *const *)b);
}

#define FEW_KEYS 12

static pf_status check_keys(struct base_arena *arena, yyjson_val *object, pf_error *error) {
    size_t count = yyjson_obj_size(object), at = 0;
    if (count < 2) return PF_OK;
    yyjson_val *few[FEW_KEYS], **keys = few;
    if (count > FEW_KEYS) keys = base_arena_alloc(arena, count * sizeof *keys);
    if (!keys) return base_no_memory(error);
    yyjson_obj_iter iter = yyjson_obj_iter_with(object);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter));) {
        if (count <= FEW_KEYS)
            for (size_t i = 0; i < at; i++)
                if (compare_keys(keys[i], key) == 0) return duplicate(key, error);
        keys[at++] = key;
    }
    if (count <= FEW_KEYS) return PF_OK;
    qsort(keys, count, sizeof *keys, order_keys);
    for (size_t i = 1; i < count; i++)
        if (compare_keys(keys[i - 1], keys[i]) == 0) return duplicate(keys[i], error);
    base_arena_release(arena, keys, count * sizeof *keys);
    return PF_OK;
}

static pf_status check(struct base_arena *arena, yyjson_val *v, unsigned depth, pf_error *error) {
    if (base_json_is_number(v)) return check_number(arena, v, error);
    if (!yyjson_is_ctn(v)) return PF_OK;
    if (depth == 0) return base_error(error, PF_INVALID, "values are nested too deeply");
    pf_status status = PF_OK;
    if (yyjson_is_arr(v)) {
        yyjson_arr_iter iter = yyjson_arr_iter_with(v);
        for (yyjson_val *item; status == PF_OK && (item = yyjson_arr_iter_next(&iter));)
            status = check(arena, item, depth - 1, error);
        return status;
    }
    status = check_keys(arena, v, error);
    yyjson_obj_iter iter = yyjson_obj_iter_with(v);
    for (yyjson_val *key; status == PF_OK && (key = yyjson_obj_iter_next(&iter));)
        status = check(arena, yyjson_obj_iter_get_val(key), depth - 1, error);
    return status;
}

/* ---- reading and writing */

static pf_status explain(const yyjson_read_err *err, const char *text, size_t len,
                         pf_error *error) {
    size_t line = 1, column = 1, end = err->pos < len ? err->pos : len;
    for (size_t i = 0; i < end; i++) {
        column = text[i] == '\n' ? 1 : column + 1;
        line += text[i] == '\n';
    }
    return base_error(error, PF_INVALID, "not valid JSON: %s at line %zu, column %zu", err->msg,
                      line, column);
}

static pf_status read_text(struct base_arena *arena, const char *text, size_t len, unsigned depth,
                           yyjson_val **out, pf_error *error) {
    if (len == 0) return base_error(error, PF_INVALID, "not valid JSON: the text is empty");
    char *copy = base_arena_alloc(arena, len + YYJSON_PADDING_SIZE);
    if (!copy) return base_no_memory(error);
    memcpy(copy, text, len);
    memset(copy + len, 0, YYJSON_PADDING_SIZE);
    yyjson_alc alc = allocator(arena);
    yyjson_read_err err = {0};
    yyjson_doc *doc =
        yyjson_read_opts(copy, len, YYJSON_READ_INSITU | YYJSON_READ_NUMBER_AS_RAW, &alc, &err);
    if (!doc && err.code == YYJSON_READ_ERROR_MEMORY_ALLOCATION) return base_no_memory(error);
    if (!doc) return explain(&err, text, len, error);
    *out = yyjson_doc_get_root(doc);
    return check(arena, *out, depth, error);
}

pf_status base_json_read(struct base_arena *arena, const char *text, size_t len, unsigned depth,
                         yyjson_val **out, pf_error *error) {
    *out = NULL;
    pf_status status = read_text(arena, text, len, depth, out, error);
    if (status == PF_NO_MEMORY && arena->over)
        status = base_error(error, PF_INVALID, "the JSON text is too large");
    if (status != PF_OK) *out = NULL;
    return status;
}

char *base_json_write(struct base_arena *arena, const yyjson_val *value, size_t *len) {
    yyjson_alc alc = allocator(arena);
    return yyjson_val_write_opts(value, YYJSON_WRITE_NOFLAG, &alc, len, NULL);
}
