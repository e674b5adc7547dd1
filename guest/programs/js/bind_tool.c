/*
 * bind_tool.c: calls to the embedder's tools. A call is started at once and answered from the event
 * loop, so that any number of them can be in flight together.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "loop.h"
#include "pf.h"

struct call {
    int id;
    JSValue answer; /* function (outcome, reply text) */
};

static struct {
    struct call *items;
    size_t count, size;
} calls;

bool tool_answer(int id);

/* Takes call `id` out of the table; its function, or JS_UNDEFINED. */
static JSValue take(int id)
{
    for (size_t i = 0; i < calls.count; i++) {
        if (calls.items[i].id != id)
            continue;
        JSValue answer = calls.items[i].answer;
        calls.items[i] = calls.items[--calls.count];
        loop_tools(-1);
        return answer;
    }
    return JS_UNDEFINED;
}

/* A finished call, from the event loop. False when the program ended with an error. */
bool tool_answer(int id)
{
    JSContext *ctx = engine.context;
    JSValue answer = take(id);
    size_t len = 0;
    int outcome = pf_tool_outcome(id, &len);
    char *reply = pf_tool_reply(id, &len);
    pf_tool_close(id);
    JSValue args[] = {JS_NewInt32(ctx, outcome),
                      reply ? text_decode(ctx, (const uint8_t *)reply, len) : JS_ThrowOutOfMemory(ctx)};
    free(reply);
    bool ok;
    if (JS_IsException(args[1]))
        ok = engine_fatal("uncaughtException");
    else
        ok = JS_IsUndefined(answer) || engine_call(answer, 2, args);
    JS_FreeValue(ctx, args[1]);
    JS_FreeValue(ctx, answer);
    return ok;
}

/* start(json, answer): id > 0 or -errno */
static JSValue tool_start(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val, (void)argc;
    if (calls.count == calls.size) {
        size_t size = calls.size ? calls.size * 2 : 16;
        struct call *items = realloc(calls.items, size * sizeof *items);
        if (!items)
            return JS_ThrowOutOfMemory(ctx);
        calls.items = items;
        calls.size = size;
    }
    size_t len;
    char *json = text_utf8(ctx, argv[0], &len);
    if (!json)
        return JS_EXCEPTION;
    int id = pf_tool_start(json, len);
    int error = errno;
    js_free(ctx, json);
    if (id < 0)
        return JS_NewInt32(ctx, -error);
    calls.items[calls.count++] = (struct call){id, JS_DupValue(ctx, argv[1])};
    loop_tools(1);
    return JS_NewInt32(ctx, id);
}

/* cancel(id): the answer is not wanted any more */
static JSValue tool_cancel(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val, (void)argc;
    int id;
    if (JS_ToInt32(ctx, &id, argv[0]))
        return JS_EXCEPTION;
    JSValue answer = take(id);
    if (!JS_IsUndefined(answer))
        pf_tool_close(id);
    JS_FreeValue(ctx, answer);
    return JS_UNDEFINED;
}

void bind_tool(JSContext *ctx, JSValueConst native)
{
    static const JSCFunctionListEntry functions[] = {
        JS_CFUNC_DEF("start", 2, tool_start),
        JS_CFUNC_DEF("cancel", 1, tool_cancel),
    };
    engine_bind(ctx, native, "tool", functions, sizeof functions / sizeof *functions);
}
