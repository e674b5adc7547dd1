/*
 * options.c: the settings of a sandbox or of a run, from objects of JavaScript.
 */
#include "addon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A status with a message of the addon's own. */
static pf_status wrong(pf_error *error, const char *what) {
    error->status = PF_INVALID;
    error->guest_errno = 0;
    snprintf(error->message, sizeof error->message, "%s", what);
    return PF_INVALID;
}

pf_status addon_options_limits(napi_env env, napi_value pairs, pf_options *options,
                               pf_error *error) {
    uint32_t count = addon_count(env, pairs);
    for (uint32_t i = 0; i + 1 < count; i += 2) {
        struct addon_bytes name;
        if (!addon_take(env, addon_at(env, pairs, i), &name) || !name.data)
            return wrong(error, "the name of a limit is a text");
        uint64_t value = addon_limit(addon_number(env, addon_at(env, pairs, i + 1)));
        pf_status status = pf_options_limit(options, name.data, value, error);
        addon_drop(&name);
        if (status != PF_OK) return status;
    }
    return PF_OK;
}

static pf_status take_env(napi_env env, napi_value pairs, pf_options *options, pf_error *error) {
    uint32_t count = addon_count(env, pairs);
    for (uint32_t i = 0; i + 1 < count; i += 2) {
        struct addon_bytes name, value = {0};
        pf_status status = PF_OK;
        if (!addon_take(env, addon_at(env, pairs, i), &name) || !name.data ||
            !addon_take(env, addon_at(env, pairs, i + 1), &value) || !value.data ||
            strlen(name.data) != name.len || strlen(value.data) != value.len)
            status = wrong(error, "an environment variable is a text without a NUL");
        else
            status = pf_options_env(options, name.data, value.data, error);
        addon_drop(&name);
        addon_drop(&value);
        if (status != PF_OK) return status;
    }
    return PF_OK;
}

/* [name, description, schema, …] */
static pf_status take_tools(napi_env env, napi_value list, pf_options *options, pf_error *error) {
    uint32_t count = addon_count(env, list);
    for (uint32_t i = 0; i + 2 < count; i += 3) {
        struct addon_bytes texts[3] = {{0}};
        bool ok = true;
        for (uint32_t k = 0; k < 3; k++)
            ok = ok && addon_take(env, addon_at(env, list, i + k), &texts[k]) && texts[k].data;
        pf_status status =
            !ok ? wrong(error, "a tool has a name, a description and a schema, which are texts")
            : strlen(texts[0].data) != texts[0].len
                ? wrong(error, "the name of a tool has no NUL")
                : pf_options_tool(options, texts[0].data, texts[1].data, texts[2].data,
                                  texts[2].len, error);
        for (uint32_t k = 0; k < 3; k++) addon_drop(&texts[k]);
        if (status != PF_OK) return status;
    }
    return PF_OK;
}

static pf_status take_key(napi_env env, napi_value given, pf_options *options, pf_error *error) {
    struct addon_bytes key;
    if (!addon_take(env, given, &key) || !key.data)
        return wrong(error, "key is a text or a Uint8Array");
    pf_status status = pf_options_key(options, key.data, key.len, error);
    addon_drop(&key);
    return status;
}

static pf_status take_policy(napi_env env, napi_value given, pf_options *options, pf_error *error) {
    struct addon_bytes policy;
    if (!addon_take(env, given, &policy) || !policy.data)
        return wrong(error, "a policy is a text");
    pf_status status = pf_options_policy(options, policy.data, policy.len, error);
    addon_drop(&policy);
    return status == PF_INVALID ? (pf_status)ADDON_POLICY : status;
}

/* [host or undefined, place, may be changed, …] */
static pf_status take_mounts(napi_env env, napi_value list, pf_options *options, pf_error *error) {
    uint32_t count = addon_count(env, list);
    for (uint32_t i = 0; i + 2 < count; i += 3) {
        struct addon_bytes host = {0}, place = {0};
        napi_valuetype type = napi_undefined;
        napi_value directory = addon_at(env, list, i);
        napi_typeof(env, directory, &type);
        bool ok = (type == napi_undefined || addon_take(env, directory, &host)) &&
                  addon_take(env, addon_at(env, list, i + 1), &place) && place.data &&
                  strlen(place.data) == place.len &&
                  (!host.data || strlen(host.data) == host.len);
        pf_mount_mode mode = addon_bool(env, addon_at(env, list, i + 2)) ? PF_MOUNT_COPY
                                                                       : PF_MOUNT_READ_ONLY;
        pf_status status =
            ok ? pf_options_mount(options, host.data, place.data, mode, error)
               : wrong(error, "a mount is a directory and its place, texts without a NUL");
        addon_drop(&host);
        addon_drop(&place);
        if (status != PF_OK) return status;
    }
    return PF_OK;
}

static bool is_redacted(napi_env env, napi_value given) {
    napi_value value;
    return addon_property(env, given, "redact", &value) && addon_bool(env, value);
}

static pf_status take_record(napi_env env, napi_value given, pf_options *options,
                             pf_error *error) {
    napi_value value;
    struct addon_bytes path;
    if (!addon_property(env, given, "record", &value)) return PF_OK;
    if (!addon_take(env, value, &path) || !path.data || strlen(path.data) != path.len)
        return wrong(error, "record is a path without a NUL");
    pf_status status = pf_options_record(options, path.data, is_redacted(env, given), error);
    addon_drop(&path);
    return status;
}

struct addon_trace *addon_options_trace(napi_env env, napi_value given, pf_options *options,
                                        pf_error *error) {
    napi_value value;
    if (!addon_property(env, given, "recordHere", &value) || !addon_bool(env, value)) return NULL;
    struct addon_trace *trace = addon_trace_new(options, is_redacted(env, given));
    if (!trace) wrong(error, "there is no room for a trace");
    return trace;
}

static void take_numbers(napi_env env, napi_value given, pf_options *options) {
    napi_value value;
    bool lossless;
    int64_t clock;
    uint64_t seed;
    if (addon_property(env, given, "catchAll", &value))
        pf_options_catch_all(options, addon_bool(env, value));
    if (addon_property(env, given, "clock", &value) &&
        napi_get_value_bigint_int64(env, value, &clock, &lossless) == napi_ok)
        pf_options_clock(options, clock);
    if (addon_property(env, given, "seed", &value) &&
        napi_get_value_bigint_uint64(env, value, &seed, &lossless) == napi_ok)
        pf_options_seed(options, seed);
    if (addon_property(env, given, "minCounter", &value))
        pf_options_min_counter(options, (uint64_t)addon_number(env, value));
}

pf_status addon_options(napi_env env, napi_value given, pf_options **out, pf_error *error) {
    static const struct {
        const char *name;
        pf_status (*take)(napi_env, napi_value, pf_options *, pf_error *);
    } parts[] = {{"limits", addon_options_limits},
                 {"env", take_env},
                 {"tools", take_tools},
                 {"policy", take_policy},
                 {"mounts", take_mounts},
                 {"key", take_key}};
    *out = pf_options_new();
    if (!*out) return wrong(error, "out of memory");
    take_numbers(env, given, *out);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        napi_value value;
        if (!addon_property(env, given, parts[i].name, &value)) continue;
        pf_status status = parts[i].take(env, value, *out, error);
        if (status != PF_OK) return status;
    }
    return take_record(env, given, *out, error);
}

bool addon_options_words(napi_env env, napi_value array, struct addon_bytes *blob,
                         const char ***words) {
    uint32_t count = addon_count(env, array);
    struct addon_bytes word;
    *blob = (struct addon_bytes){0};
    *words = calloc((size_t)count + 1, sizeof **words);
    size_t *starts = calloc((size_t)count + 1, sizeof *starts);
    bool ok = *words && starts;
    for (uint32_t i = 0; ok && i < count; i++) {
        ok = addon_take(env, addon_at(env, array, i), &word) && word.data;
        char *more = ok ? realloc(blob->data, blob->len + word.len + 1) : NULL;
        if (more) {
            memcpy(more + blob->len, word.data, word.len + 1);
            starts[i] = blob->len;
            blob->data = more;
            blob->len += word.len + 1;
        }
        ok = more != NULL;
        addon_drop(&word);
    }
    for (uint32_t i = 0; ok && i < count; i++) (*words)[i] = blob->data + starts[i];
    free(starts);
    return ok;
}
