/*
 * state.c: what a sandbox is after an act, for who does not ask again. Of calls that JavaScript
 * knows only the ids come once more, and a result comes once.
 */
#include "addon.h"

#include <stdlib.h>
#include <string.h>

#define FEW 16

/* Six elements for each call that is new. */
static napi_value new_calls(napi_env env, struct addon_box *box, const pf_call *calls,
                            size_t count) {
    napi_value list = NULL;
    uint32_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const pf_call *call = &calls[i];
        if (call->id <= box->told) continue;
        if (!list && napi_create_array(env, &list) != napi_ok) return NULL;
        addon_put(env, list, at++, addon_id(env, call->id));
        addon_put(env, list, at++, addon_word(env, call->method));
        addon_put(env, list, at++, addon_word(env, call->name));
        addon_put(env, list, at++, addon_text(env, call->params, call->params_len));
        addon_put(env, list, at++, addon_double(env, call->capability));
        addon_put(env, list, at++, addon_boolean(env, call->ask));
    }
    for (size_t i = 0; i < count; i++)
        if (calls[i].id > box->told) box->told = calls[i].id;
    return list;
}

static napi_value ids(napi_env env, const pf_call *calls, size_t count) {
    napi_value buffer, array = NULL;
    uint64_t *place;
    if (count == 0) return NULL;
    if (napi_create_arraybuffer(env, count * sizeof *place, (void **)&place, &buffer) != napi_ok)
        return NULL;
    for (size_t i = 0; i < count; i++) place[i] = calls[i].id;
    napi_create_typedarray(env, napi_biguint64_array, count, buffer, 0, &array);
    return array;
}

static napi_value outcome(napi_env env, const pf_result *result) {
    napi_value list;
    if (napi_create_array_with_length(env, 13, &list) != napi_ok) return NULL;
    const char *value = result->value;
    napi_value items[] = {
        addon_double(env, result->exit_code),
        addon_bytes(env, result->stdout_data, result->stdout_len),
        addon_bytes(env, result->stderr_data, result->stderr_len),
        addon_boolean(env, result->stdout_truncated),
        addon_boolean(env, result->stderr_truncated),
        value ? addon_bytes(env, value, result->value_len) : NULL,
        addon_word(env, result->limit),
        addon_boolean(env, result->session_lost),
        addon_boolean(env, result->session_ended),
        addon_double(env, (double)result->cpu_ns),
        addon_double(env, (double)result->wall_ns),
        addon_double(env, (double)result->memory_bytes),
        addon_double(env, (double)result->tool_calls),
    };
    for (uint32_t i = 0; i < sizeof items / sizeof *items; i++) addon_put(env, list, i, items[i]);
    return list;
}

napi_value addon_state(napi_env env, struct addon_box *box) {
    pf_sandbox *s = box->sandbox;
    pf_call few[FEW], *calls = few;
    size_t count = pf_sandbox_pending(s, few, FEW);
    if (count > FEW) {
        calls = malloc(count * sizeof *calls);
        if (!calls) return NULL;
        count = pf_sandbox_pending(s, calls, count);
    }
    bool running = pf_sandbox_running(s);
    int64_t wait_ns = pf_sandbox_wait_ns(s);
    const pf_result *result = pf_sandbox_result(s);
    if (running) box->result_told = false;
    napi_value list = NULL;
    if (napi_create_array_with_length(env, 5, &list) == napi_ok) {
        addon_put(env, list, 0, addon_boolean(env, running));
        addon_put(env, list, 1, addon_double(env, wait_ns < 0 ? -1 : (double)wait_ns / 1e6));
        addon_put(env, list, 2, new_calls(env, box, calls, count));
        addon_put(env, list, 3, ids(env, calls, count));
        if (result && !box->result_told) {
            addon_put(env, list, 4, outcome(env, result));
            box->result_told = true;
        }
    }
    if (calls != few) free(calls);
    return list;
}
