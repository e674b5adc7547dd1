/*
 * values.c: values of JavaScript, in and out.
 */
#include "addon.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool addon_take(napi_env env, napi_value value, struct addon_bytes *out) {
    napi_valuetype type;
    bool typed = false;
    *out = (struct addon_bytes){0};
    if (napi_typeof(env, value, &type) != napi_ok) return false;
    if (type == napi_undefined) return true;
    if (type == napi_string) {
        size_t len = 0;
        if (napi_get_value_string_utf8(env, value, NULL, 0, &len) != napi_ok) return false;
        if (!(out->data = malloc(len + 1))) return false;
        return napi_get_value_string_utf8(env, value, out->data, len + 1, &out->len) == napi_ok;
    }
    if (napi_is_typedarray(env, value, &typed) != napi_ok || !typed) return false;
    napi_typedarray_type kind;
    size_t len;
    void *data;
    if (napi_get_typedarray_info(env, value, &kind, &len, &data, NULL, NULL) != napi_ok ||
        (kind != napi_uint8_array && kind != napi_uint8_clamped_array) ||
        !(out->data = malloc(len + 1)))
        return false;
    if (len) memcpy(out->data, data, len);
    out->data[len] = '\0';
    out->len = len;
    return true;
}

void addon_drop(struct addon_bytes *bytes) {
    free(bytes->data);
    *bytes = (struct addon_bytes){0};
}

bool addon_property(napi_env env, napi_value object, const char *name, napi_value *out) {
    napi_valuetype type;
    return napi_get_named_property(env, object, name, out) == napi_ok &&
           napi_typeof(env, *out, &type) == napi_ok && type != napi_undefined;
}

uint32_t addon_count(napi_env env, napi_value array) {
    uint32_t count = 0;
    return napi_get_array_length(env, array, &count) == napi_ok ? count : 0;
}

napi_value addon_at(napi_env env, napi_value array, uint32_t index) {
    napi_value value = NULL;
    if (napi_get_element(env, array, index, &value) != napi_ok) napi_get_undefined(env, &value);
    return value;
}

void addon_put(napi_env env, napi_value array, uint32_t index, napi_value value) {
    if (!value) napi_get_undefined(env, &value);
    napi_set_element(env, array, index, value);
}

double addon_number(napi_env env, napi_value value) {
    double number = 0;
    napi_get_value_double(env, value, &number);
    return number;
}

bool addon_bool(napi_env env, napi_value value) {
    bool truth = false;
    napi_get_value_bool(env, value, &truth);
    return truth;
}

napi_value addon_text(napi_env env, const char *data, size_t len) {
    napi_value text = NULL;
    if (data) napi_create_string_utf8(env, data, len, &text);
    else napi_get_undefined(env, &text);
    return text;
}

napi_value addon_word(napi_env env, const char *text) {
    return addon_text(env, text, text ? strlen(text) : 0);
}

napi_value addon_bytes(napi_env env, const char *data, size_t len) {
    void *place;
    napi_value buffer, array = NULL;
    if (napi_create_arraybuffer(env, len, &place, &buffer) != napi_ok) return NULL;
    if (len) memcpy(place, data, len);
    napi_create_typedarray(env, napi_uint8_array, len, buffer, 0, &array);
    return array;
}

napi_value addon_double(napi_env env, double number) {
    napi_value value = NULL;
    napi_create_double(env, number, &value);
    return value;
}

napi_value addon_boolean(napi_env env, bool truth) {
    napi_value value = NULL;
    napi_get_boolean(env, truth, &value);
    return value;
}

napi_value addon_id(napi_env env, uint64_t id) {
    napi_value value = NULL;
    napi_create_bigint_uint64(env, id, &value);
    return value;
}

uint64_t addon_limit(double number) {
    if (!(number < 0x1p64)) return PF_UNLIMITED;
    return number > 0 ? (uint64_t)number : 0;
}
