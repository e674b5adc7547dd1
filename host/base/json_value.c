/*
 * host/base/json_value.c: questions about JSON values: type, equality, hash, how to show one.
 */
#include "json.h"

#include <string.h>

void base_json_number(const yyjson_val *v, struct base_number *out) {
    base_number_read(out, unsafe_yyjson_get_raw((void *)v), unsafe_yyjson_get_len((void *)v));
}

const char *base_json_type(const yyjson_val *v) {
    switch (yyjson_get_type((yyjson_val *)v)) {
    case YYJSON_TYPE_RAW: return "number";
    case YYJSON_TYPE_NULL: return "null";
    case YYJSON_TYPE_BOOL: return "boolean";
    case YYJSON_TYPE_STR: return "string";
    case YYJSON_TYPE_ARR: return "array";
    case YYJSON_TYPE_OBJ: return "object";
    default: return "nothing";
    }
}

bool base_json_is(const yyjson_val *v, const char *text) {
    return yyjson_equals_str((yyjson_val *)v, text);
}

static bool same_text(const yyjson_val *a, const yyjson_val *b) {
    size_t len = unsafe_yyjson_get_len((void *)a);
    return len == unsafe_yyjson_get_len((void *)b) &&
           memcmp(unsafe_yyjson_get_str((void *)a), unsafe_yyjson_get_str((void *)b), len) == 0;
}

static bool equal_arrays(yyjson_val *a, yyjson_val *b, int64_t *steps) {
    if (yyjson_arr_size(a) != yyjson_arr_size(b)) return false;
    yyjson_arr_iter x = yyjson_arr_iter_with(a), y = yyjson_arr_iter_with(b);
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&x));)
        if (!base_json_equal(item, yyjson_arr_iter_next(&y), steps)) return false;
    return true;
}

/* yyjson_obj_getn(), counted: looking a key up is a walk over the keys. */
static yyjson_val *member(yyjson_val *object, const yyjson_val *key, int64_t *steps) {
    yyjson_obj_iter iter = yyjson_obj_iter_with(object);
    for (yyjson_val *k; (k = yyjson_obj_iter_next(&iter));) {
        if (--*steps < 0) return NULL;
        if (same_text(k, key)) return yyjson_obj_iter_get_val(k);
    }
    return NULL;
}

static bool equal_objects(yyjson_val *a, yyjson_val *b, int64_t *steps) {
    if (yyjson_obj_size(a) != yyjson_obj_size(b)) return false;
    yyjson_obj_iter x = yyjson_obj_iter_with(a);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&x));) {
        yyjson_val *other = member(b, key, steps);
        if (!other || !base_json_equal(yyjson_obj_iter_get_val(key), other, steps)) return false;
    }
    return true;
}

bool base_json_equal(const yyjson_val *a, const yyjson_val *b, int64_t *steps) {
    if (*steps <= 0) {
        *steps = -1;
        return false;
    }
    --*steps;
    yyjson_type type = unsafe_yyjson_get_type((void *)a);
    if (type != unsafe_yyjson_get_type((void *)b)) return false;
    struct base_number x, y;
    bool equal;
    switch (type) {
    case YYJSON_TYPE_NULL: return true;
    case YYJSON_TYPE_BOOL: return yyjson_get_bool((void *)a) == yyjson_get_bool((void *)b);
    case YYJSON_TYPE_STR: return same_text(a, b);
    case YYJSON_TYPE_RAW:
        base_json_number(a, &x);
        base_json_number(b, &y);
        return base_number_compare(&x, &y) == 0;
    case YYJSON_TYPE_ARR: equal = equal_arrays((void *)a, (void *)b, steps); break;
    case YYJSON_TYPE_OBJ: equal = equal_objects((void *)a, (void *)b, steps); break;
    default: return false;
    }
    if (*steps < 0) *steps = -1;
    return equal && *steps >= 0;
}

static uint64_t mix(uint64_t h) {
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdu;
    h ^= h >> 33;
    return h;
}

static uint64_t hash_text(const yyjson_val *v) {
    const char *text = unsafe_yyjson_get_str((void *)v);
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (size_t i = 0, len = unsafe_yyjson_get_len((void *)v); i < len; i++)
        h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
    return mix(h);
}

uint64_t base_json_hash(const yyjson_val *v) {
    uint64_t h = unsafe_yyjson_get_type((void *)v);
    if (base_json_is_number(v)) {
        struct base_number n;
        base_json_number(v, &n);
        return mix(base_number_hash(&n));
    }
    if (yyjson_is_bool((void *)v)) return mix(h + (yyjson_is_true((void *)v) ? 1000 : 0));
    if (yyjson_is_str((void *)v)) return hash_text(v);
    if (yyjson_is_arr((void *)v)) {
        yyjson_arr_iter iter = yyjson_arr_iter_with((void *)v);
        for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));)
            h = mix(h * 31 + base_json_hash(item));
    } else if (yyjson_is_obj((void *)v)) {
        yyjson_obj_iter iter = yyjson_obj_iter_with((void *)v);
        for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter));)
            h += mix(hash_text(key) * 31 + base_json_hash(yyjson_obj_iter_get_val(key)));
    }
    return mix(h);
}

/* ---- showing */

/* What a message may still take; the text itself may be full before. */
struct show {
    struct base_text *text;
    size_t left;
    bool cut;
};

static void put(struct show *s, const char *data, size_t len) {
    if (s->cut) return;
    if (len > s->left) {
        s->cut = true;
        base_text_addz(s->text, "…");
        return;
    }
    s->left -= len;
    base_text_add(s->text, data, len);
}

static void put_string(struct show *s, const char *string, size_t len) {
    static const char hex[] = "0123456789abcdef";
    put(s, "\"", 1);
    for (size_t i = 0; i < len && !s->cut;) {
        unsigned char c = (unsigned char)string[i];
        if (c == '"' || c == '\\') {
            put(s, (char[]){'\\', (char)c}, 2);
        } else if (c == '\n') {
            put(s, "\\n", 2);
        } else if (c == '\t') {
            put(s, "\\t", 2);
        } else if (c < 0x20 || c == 0x7f) {
            put(s, (char[]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, 6);
        } else {
            size_t n = 1;
            while (n < 4 && i + n < len && ((unsigned char)string[i + n] & 0xC0) == 0x80) n++;
            if (c < 0x80) n = 1;
            put(s, string + i, n);
            i += n;
            continue;
        }
        i++;
    }
    if (!s->cut) {
        s->left++; /* the closing quote always fits */
        put(s, "\"", 1);
    }
}

static void put_value(struct show *s, yyjson_val *v) {
    if (s->cut) return;
    switch (yyjson_get_type(v)) {
    case YYJSON_TYPE_RAW: {
        size_t len = yyjson_get_len(v), fit = len < s->left ? len : s->left;
        put(s, yyjson_get_raw(v), fit);
        if (fit < len) put(s, yyjson_get_raw(v) + fit, len - fit);
        break;
    }
    case YYJSON_TYPE_NULL: put(s, "null", 4); break;
    case YYJSON_TYPE_BOOL:
        if (yyjson_get_bool(v))
            put(s, "true", 4);
        else
            put(s, "false", 5);
        break;
    case YYJSON_TYPE_STR: put_string(s, yyjson_get_str(v), yyjson_get_len(v)); break;
    case YYJSON_TYPE_ARR: {
        yyjson_arr_iter iter = yyjson_arr_iter_with(v);
        put(s, "[", 1);
        for (yyjson_val *item; !s->cut && (item = yyjson_arr_iter_next(&iter));) {
            if (iter.idx > 1) put(s, ", ", 2);
            put_value(s, item);
        }
        put(s, "]", 1);
        break;
    }
    case YYJSON_TYPE_OBJ: {
        yyjson_obj_iter iter = yyjson_obj_iter_with(v);
        put(s, "{", 1);
        for (yyjson_val *key; !s->cut && (key = yyjson_obj_iter_next(&iter));) {
            if (iter.idx > 1) put(s, ", ", 2);
            put_string(s, yyjson_get_str(key), yyjson_get_len(key));
            put(s, ": ", 2);
            put_value(s, yyjson_obj_iter_get_val(key));
        }
        put(s, "}", 1);
        break;
    }
    default: break;
    }
}

void base_json_show(struct base_text *text, const yyjson_val *v, size_t max) {
    struct show s = {.text = text, .left = max};
    put_value(&s, (yyjson_val *)v);
}

void base_json_show_string(struct base_text *text, const char *string, size_t len, size_t max) {
    struct show s = {.text = text, .left = max};
    put_string(&s, string, len);
}
