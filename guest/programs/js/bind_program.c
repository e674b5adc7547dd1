/*
 * bind_program.c: program texts become functions and modules.
 *
 * A text is wrapped into a function whose head stands on a line of its own numbered 0, so that
 * every line and column that an error names is the user's own.
 */
#include <string.h>

#include "engine.h"
#include "module.h"
#include "quickjs_open.h"

static const char async_head[] =
    "(async function (exports, require, module, __filename, __dirname) {\n";
static const char plain_head[] = "(function (exports, require, module, __filename, __dirname) {\n";
static const char tail[] = "\n})";

/* function(source, filename, async): the text as a function body; throws SyntaxError */
static JSValue program_function(JSContext *ctx, JSValueConst this_val, int argc,
                                JSValueConst *argv) {
    (void)this_val, (void)argc;
    const char *head = JS_ToBool(ctx, argv[2]) > 0 ? async_head : plain_head;
    size_t len, head_len = strlen(head);
    const char *source = JS_ToCStringLen(ctx, &len, argv[0]);
    const char *filename = JS_ToCString(ctx, argv[1]);
    JSValue result = JS_EXCEPTION;
    char *text = source && filename ? js_malloc(ctx, head_len + len + sizeof tail) : NULL;
    if (text) {
        memcpy(text, head, head_len);
        memcpy(text + head_len, source, len);
        memcpy(text + head_len + len, tail, sizeof tail);
        if (len >= 2 && source[0] == '#' && source[1] == '!') memcpy(text + head_len, "//", 2);
        result = quickjs_eval(ctx, text, head_len + len + sizeof tail - 1, filename, 0,
                              JS_EVAL_TYPE_GLOBAL);
    }
    js_free(ctx, text);
    JS_FreeCString(ctx, source);
    JS_FreeCString(ctx, filename);
    return result;
}

/* script(source, filename, async): evaluates a script in the global scope. Its completion value;
 * with async a promise of {value}. */
static JSValue program_script(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    size_t len;
    const char *source = JS_ToCStringLen(ctx, &len, argv[0]);
    const char *filename = JS_ToCString(ctx, argv[1]);
    int flags = JS_EVAL_TYPE_GLOBAL;
    if (JS_ToBool(ctx, argv[2]) > 0) flags |= JS_EVAL_FLAG_ASYNC;
    JSValue result = JS_EXCEPTION;
    if (source && filename) result = JS_Eval(ctx, source, len, filename, flags);
    JS_FreeCString(ctx, source);
    JS_FreeCString(ctx, filename);
    return result;
}

/* check(source, filename): throws the SyntaxError of a script, if it has one */
static JSValue program_check(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    size_t len;
    const char *source = JS_ToCStringLen(ctx, &len, argv[0]),
               *filename = JS_ToCString(ctx, argv[1]);
    JSValue result = JS_EXCEPTION;
    if (source && filename)
        result =
            JS_Eval(ctx, source, len, filename, JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_COMPILE_ONLY);
    JS_FreeCString(ctx, source);
    JS_FreeCString(ctx, filename);
    if (JS_IsException(result)) return result;
    JS_FreeValue(ctx, result);
    return JS_UNDEFINED;
}

/* promiseState(promise): 0 pending, 1 fulfilled, 2 rejected, -1 not a promise */
static JSValue program_promise_state(JSContext *ctx, JSValueConst this_val, int argc,
                                     JSValueConst *argv) {
    (void)this_val, (void)argc;
    return JS_NewInt32(ctx, JS_PromiseState(ctx, argv[0]));
}

static JSValue program_promise_result(JSContext *ctx, JSValueConst this_val, int argc,
                                      JSValueConst *argv) {
    (void)this_val, (void)argc;
    return JS_PromiseResult(ctx, argv[0]);
}

static JSValue program_mark_handled(JSContext *ctx, JSValueConst this_val, int argc,
                                    JSValueConst *argv) {
    (void)this_val, (void)argc;
    JS_PromiseMarkAsHandled(ctx, argv[0]);
    return JS_UNDEFINED;
}

/* drain(promise): runs promise jobs, and nothing else, until the promise is settled or none is left
 */
static JSValue program_drain(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    JSContext *job;
    while (JS_PromiseState(ctx, argv[0]) == JS_PROMISE_PENDING) {
        int ran = JS_ExecutePendingJob(JS_GetRuntime(ctx), &job);
        if (ran < 0) return JS_EXCEPTION;
        if (ran == 0) break;
    }
    return JS_UNDEFINED;
}

void bind_program(JSContext *ctx, JSValueConst native) {
    static const JSCFunctionListEntry functions[] = {
        JS_CFUNC_DEF("function", 3, program_function),
        JS_CFUNC_DEF("script", 3, program_script),
        JS_CFUNC_DEF("check", 2, program_check),
        JS_CFUNC_DEF("compile", 3, module_compile),
        JS_CFUNC_DEF("evaluate", 0, module_evaluate),
        JS_CFUNC_DEF("import", 1, module_import),
        JS_CFUNC_DEF("drain", 1, program_drain),
        JS_CFUNC_DEF("promiseState", 1, program_promise_state),
        JS_CFUNC_DEF("promiseResult", 1, program_promise_result),
        JS_CFUNC_DEF("markHandled", 1, program_mark_handled)};
    engine_bind(ctx, native, "program", functions, sizeof functions / sizeof *functions);
}
