/*
 * bind_tool.c: calls to the embedder's tools. A call is started at once and answered from the event
 * loop, so that any number of them can be in flight together.
 *
 * A tool is a function made by make(). The usual call, one plain object, goes from here to the
 * kernel and its answer into the promise without JavaScript in between; everything else (errors,
 * signals, other arguments) is call() in lib/internal/tools.js, which uses start() and cancel().
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/types.h"
#include "engine.h"
#include "loop.h"
#include "pf.h"
#include "quickjs_open.h"

struct call {
    int id;
    JSValue answer;  /* function (outcome, reply text, reject, stack) */
    JSValue promise; /* of a usual call, else undefined */
    struct quickjs_callers callers;
};

static struct {
    struct call *items;
    size_t count, size;
} calls;

bool tool_answer(int id);

static bool take(int id, struct call *out) {
    for (size_t i = 0; i < calls.count; i++) {
        if (calls.items[i].id != id) continue;
        *out = calls.items[i];
        calls.items[i] = calls.items[--calls.count];
        loop_tools(-1);
        return true;
    }
    return false;
}

static void release(JSContext *ctx, const struct call *call) {
    JS_FreeValue(ctx, call->answer);
    JS_FreeValue(ctx, call->promise);
    quickjs_free_callers(ctx, &call->callers);
}

/* The value of a usual call that succeeded. JS_EXCEPTION: its reply is not JSON, or memory is out.
 */
static JSValue result_of(JSContext *ctx, const struct call *call, int outcome, const char *reply,
                         size_t len) {
    if (outcome != PF_OP_OK || JS_IsUndefined(call->promise)) return JS_UNINITIALIZED;
    return quickjs_parse_exact(ctx, reply, len);
}

/* What the library's function is told: outcome, text, reject, the stack of the call. */
static bool tell(JSContext *ctx, const struct call *call, int outcome, JSValue text) {
    if (JS_IsException(text)) return engine_fatal("uncaughtException");
    JSValue stack = quickjs_callers_text(ctx, &call->callers);
    if (JS_IsException(stack)) { /* memory is out: the error is told without */
        JS_FreeValue(ctx, JS_GetException(ctx));
        stack = JS_UNDEFINED;
    }
    bool usual = !JS_IsUndefined(call->promise);
    JSValue reject = usual ? quickjs_rejecter(ctx, call->promise) : JS_UNDEFINED;
    JSValue args[] = {JS_NewInt32(ctx, outcome), text, reject, stack};
    bool ok = JS_IsException(reject) ? engine_fatal("uncaughtException")
                                     : engine_call(call->answer, 4, args);
    JS_FreeValue(ctx, reject);
    JS_FreeValue(ctx, stack);
    JS_FreeValue(ctx, text);
    return ok;
}

/* A finished call, from the event loop. False when the program ended with an error. */
bool tool_answer(int id) {
    JSContext *ctx = engine.context;
    struct call call;
    size_t len = 0;
    int outcome;
    char *reply = pf_tool_take(id, &outcome, &len);
    if (!take(id, &call)) { /* given up; its answer came all the same */
        free(reply);
        return true;
    }
    bool ok;
    if (!reply) {
        ok = tell(ctx, &call, PF_OP_FAILED, JS_ThrowOutOfMemory(ctx));
    } else {
        JSValue value = result_of(ctx, &call, outcome, reply, len);
        if (JS_IsException(value)) {
            JSValue error = JS_GetException(ctx);
            ok = tell(ctx, &call, PF_OP_OK, JS_GetPropertyStr(ctx, error, "message"));
            JS_FreeValue(ctx, error);
        } else if (JS_IsUninitialized(value)) {
            ok = tell(ctx, &call, outcome, text_decode(ctx, (const uint8_t *)reply, len));
        } else {
            quickjs_resolve(ctx, call.promise, value);
            ok = true;
            JS_FreeValue(ctx, value);
        }
    }
    free(reply);
    release(ctx, &call);
    return ok;
}

/* Starts a call and remembers what gets its answer, which it takes over: id > 0, or -errno with
 * nothing taken. */
static int begin(const struct call *call, const char *json, size_t len) {
    if (calls.count == calls.size) {
        size_t size = calls.size ? calls.size * 2 : 16;
        struct call *items = realloc(calls.items, size * sizeof *items);
        if (!items) return -ENOMEM;
        calls.items = items;
        calls.size = size;
    }
    int id = pf_tool_start(json, len);
    if (id < 0) return -errno;
    calls.items[calls.count] = *call;
    calls.items[calls.count++].id = id;
    loop_tools(1);
    return id;
}

/* start(json, answer): id > 0 or -errno */
static JSValue tool_start(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    size_t len;
    char *json = text_utf8(ctx, argv[0], &len);
    if (!json) return JS_EXCEPTION;
    struct call call = {
        .answer = JS_DupValue(ctx, argv[1]), .promise = JS_UNDEFINED};
    quickjs_keep_callers(ctx, &call.callers);
    int id = begin(&call, json, len);
    js_free(ctx, json);
    if (id < 0) release(ctx, &call);
    return JS_NewInt32(ctx, id);
}

/* cancel(id): the answer is not wanted any more */
static JSValue tool_cancel(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    int id;
    struct call call;
    if (JS_ToInt32(ctx, &id, argv[0])) return JS_EXCEPTION;
    if (take(id, &call)) {
        pf_tool_close(id);
        release(ctx, &call);
    }
    return JS_UNDEFINED;
}

/* parse(text), stringify(value): JSON in which integers beyond 2^53 are BigInt */
static JSValue tool_parse(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    size_t len;
    const char *text = JS_ToCStringLen(ctx, &len, argv[0]);
    JSValue value = text ? quickjs_parse_exact(ctx, text, len) : JS_EXCEPTION;
    JS_FreeCString(ctx, text);
    return value;
}

static JSValue tool_stringify(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    return quickjs_stringify_exact(ctx, argv[0]);
}

enum { TOOL_PREFIX, TOOL_CALL, TOOL_FAILED, TOOL_DATA };

/* {"tool": name, "params": object} as text, js_free() it; NULL: not a usual call. */
static char *request(JSContext *ctx, JSValueConst prefix, JSValueConst params, size_t *len) {
    if (!JS_IsObject(params) || JS_IsFunction(ctx, params) || JS_IsArray(params) ||
        JS_IsProxy(params))
        return NULL;
    JSValue json = quickjs_stringify_exact(ctx, params);
    size_t head_len = 0, body_len = 0;
    char *text = NULL;
    const char *head = JS_ToCStringLen(ctx, &head_len, prefix);
    const char *body = JS_IsString(json) ? JS_ToCStringLen(ctx, &body_len, json) : NULL;
    if (head && body && body[0] == '{') text = js_malloc(ctx, head_len + body_len + 2);
    if (text) {
        memcpy(text, head, head_len);
        memcpy(text + head_len, body, body_len);
        memcpy(text + head_len + body_len, "}", 2);
        *len = head_len + body_len + 1;
    } else {
        JS_FreeValue(ctx, JS_GetException(ctx)); /* the library meets it again, and says more */
    }
    JS_FreeCString(ctx, head);
    JS_FreeCString(ctx, body);
    JS_FreeValue(ctx, json);
    return text;
}

static JSValue tool_function(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv,
                             int magic, JSValueConst *data) {
    (void)this_val, (void)magic;
    size_t len = 0;
    char *json = argc == 1 ? request(ctx, data[TOOL_PREFIX], argv[0], &len) : NULL;
    if (!json) return JS_Call(ctx, data[TOOL_CALL], JS_UNDEFINED, argc, argv);
    JSValue promise = quickjs_promise(ctx);
    if (JS_IsException(promise)) {
        js_free(ctx, json);
        return promise;
    }
    struct call call = {
        .answer = JS_DupValue(ctx, data[TOOL_FAILED]), .promise = JS_DupValue(ctx, promise)};
    quickjs_keep_callers(ctx, &call.callers);
    int id = begin(&call, json, len);
    js_free(ctx, json);
    if (id > 0) return promise;
    release(ctx, &call);
    JS_FreeValue(ctx, promise);
    return JS_Call(ctx, data[TOOL_CALL], JS_UNDEFINED, argc, argv); /* says why it cannot start */
}

/* make(name, prefix, call, failed): the function of a tool. prefix: the request up to the
 * arguments; call(...args): what is not usual; failed(outcome, text, reject, stack) */
static JSValue tool_make(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    const char *name = JS_ToCString(ctx, argv[0]);
    if (!name) return JS_EXCEPTION;
    JSValue made = JS_NewCFunctionData2(ctx, tool_function, name, 1, 0, TOOL_DATA, argv + 1);
    JS_FreeCString(ctx, name);
    return made;
}

void bind_tool(JSContext *ctx, JSValueConst native) {
    static const JSCFunctionListEntry functions[] = {
        JS_CFUNC_DEF("start", 2, tool_start), JS_CFUNC_DEF("cancel", 1, tool_cancel),
        JS_CFUNC_DEF("make", 4, tool_make), JS_CFUNC_DEF("parse", 1, tool_parse),
        JS_CFUNC_DEF("stringify", 1, tool_stringify)};
    engine_bind(ctx, native, "tool", functions, sizeof functions / sizeof *functions);
}
