/*
 * module.c: the functions of the addon, and those that give their answer at once.
 */
#include "addon.h"

#include <string.h>

/* come(sandbox, what): "interrupt", "stop" or "kill", while it runs or not */
static napi_value come(napi_env env, napi_callback_info info) {
    napi_value given[2];
    size_t argc = 2;
    struct addon_bytes what = {0};
    napi_get_cb_info(env, info, &argc, given, NULL, NULL);
    struct addon_box *box = addon_box_of(env, given[0]);
    if (!box || !box->sandbox || !addon_take(env, given[1], &what) || !what.data) return NULL;
    if (strcmp(what.data, "interrupt") == 0) pf_sandbox_interrupt(box->sandbox);
    else if (strcmp(what.data, "stop") == 0) pf_sandbox_stop(box->sandbox);
    else pf_sandbox_kill(box->sandbox);
    addon_drop(&what);
    return NULL;
}

/* close(sandbox): what runs in it is killed */
static napi_value close_box(napi_env env, napi_callback_info info) {
    napi_value given[1];
    size_t argc = 1;
    napi_get_cb_info(env, info, &argc, given, NULL, NULL);
    struct addon_box *box = addon_box_of(env, given[0]);
    if (!box) return NULL;
    box->closed = true;
    if (!box->job) addon_box_empty(box);
    else if (box->sandbox) pf_sandbox_kill(box->sandbox);
    return NULL;
}

/* The box of a sandbox that nobody is in; NULL with an exception. */
static struct addon_box *resting(napi_env env, napi_value value) {
    struct addon_box *box = addon_box_of(env, value);
    if (!box) return NULL;
    if (box->sandbox && !box->job) return box;
    napi_throw_error(env, NULL, box->job ? "the sandbox is in use" : "the sandbox was closed");
    return NULL;
}

/* state(sandbox): as after an act */
static napi_value state(napi_env env, napi_callback_info info) {
    napi_value given[1];
    size_t argc = 1;
    napi_get_cb_info(env, info, &argc, given, NULL, NULL);
    struct addon_box *box = resting(env, given[0]);
    return box ? addon_state(env, box) : NULL;
}

/* traced(sandbox): what is new in its recording */
static napi_value traced(napi_env env, napi_callback_info info) {
    napi_value given[1];
    size_t argc = 1;
    napi_get_cb_info(env, info, &argc, given, NULL, NULL);
    struct addon_box *box = resting(env, given[0]);
    return box ? addon_trace_take(env, box->trace) : NULL;
}

/* refusal(sandbox, method, params): a text, or undefined: it would be allowed */
static napi_value refusal(napi_env env, napi_callback_info info) {
    napi_value given[3], answer = NULL;
    size_t argc = 3;
    struct addon_bytes method = {0}, params = {0};
    char *why = NULL;
    napi_get_cb_info(env, info, &argc, given, NULL, NULL);
    struct addon_box *box = resting(env, given[0]);
    if (!box) return NULL;
    if (!addon_take(env, given[1], &method) || !method.data ||
        !addon_take(env, given[2], &params) || !params.data) {
        napi_throw_type_error(env, NULL, "method and params are texts");
    } else if (!pf_sandbox_can_call(box->sandbox, method.data, params.data, params.len, &why)) {
        answer = addon_word(env, why ? why : "denied");
    }
    pf_free(why);
    addon_drop(&method);
    addon_drop(&params);
    return answer;
}

/* left(sandbox, capability): -1 for any number */
static napi_value left(napi_env env, napi_callback_info info) {
    napi_value given[2];
    size_t argc = 2;
    napi_get_cb_info(env, info, &argc, given, NULL, NULL);
    struct addon_box *box = resting(env, given[0]);
    if (!box) return NULL;
    double index = addon_number(env, given[1]);
    if (!(index >= 0 && index < 0x1p32)) return addon_double(env, 0);
    return addon_double(env, (double)pf_sandbox_calls_left(box->sandbox, (size_t)index));
}

NAPI_MODULE_INIT() {
    static const struct {
        const char *name;
        napi_callback call;
    } functions[] = {
        {"make", addon_make},         {"remake", addon_remake},   {"fork", addon_fork},
        {"start", addon_start},       {"answer", addon_answer},   {"advance", addon_advance},
        {"snapshot", addon_snapshot}, {"file", addon_file},       {"come", come},
        {"close", close_box},         {"state", state},           {"refusal", refusal},
        {"left", left},               {"traced", traced},         {"changes", addon_changes},
        {"endRecord", addon_end_record},
    };
    struct addon_env *own = addon_env_new(env);
    if (!own) {
        napi_throw_error(env, NULL, "out of memory");
        return NULL;
    }
    napi_set_instance_data(env, own, NULL, NULL);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        napi_value function;
        if (napi_create_function(env, functions[i].name, NAPI_AUTO_LENGTH, functions[i].call, NULL,
                                 &function) != napi_ok)
            return NULL;
        napi_set_named_property(env, exports, functions[i].name, function);
    }
    napi_set_named_property(env, exports, "version", addon_word(env, pf_version()));
    return exports;
}
