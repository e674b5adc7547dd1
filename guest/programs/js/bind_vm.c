/*
 * bind_vm.c: other contexts for vm: each has its own global object and builtins, in the same
 * runtime, so that values pass freely between them.
 */
#include "engine.h"
#include "pf.h"
#include "quickjs_open.h"

static JSClassID context_class;

static void context_end(JSRuntime *rt, JSValueConst value) {
    (void)rt;
    JSContext *other = JS_GetOpaque(value, context_class);
    if (other) JS_FreeContext(other);
}

/* create(): a context */
static JSValue vm_create(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc, (void)argv;
    JSContext *other = engine_new_context(JS_GetRuntime(ctx));
    if (!other) return JS_ThrowOutOfMemory(ctx);
    uint64_t seed;
    pf_random(&seed, sizeof seed);
    quickjs_seed(other, seed);
    JSValue object = JS_NewObjectClass(ctx, context_class);
    if (JS_IsException(object))
        JS_FreeContext(other);
    else
        JS_SetOpaque(object, other);
    return object;
}

/* global(context): its global object */
static JSValue vm_global(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    JSContext *other = JS_GetOpaque2(ctx, argv[0], context_class);
    return other ? JS_GetGlobalObject(other) : JS_EXCEPTION;
}

/* enclose(context, proxy): its scripts see this object instead */
static JSValue vm_enclose(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    JSContext *other = JS_GetOpaque2(ctx, argv[0], context_class);
    if (!other) return JS_EXCEPTION;
    quickjs_set_global(other, argv[1]);
    return JS_UNDEFINED;
}

/* run(context or undefined for the program's own, code, filename, milliseconds or 0): the
 * completion value. After that time InternalError "interrupted". */
static JSValue vm_run(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    JSContext *other = JS_IsUndefined(argv[0]) ? ctx : JS_GetOpaque2(ctx, argv[0], context_class);
    double limit;
    if (!other || JS_ToFloat64(ctx, &limit, argv[3])) return JS_EXCEPTION;
    size_t len;
    const char *code = JS_ToCStringLen(ctx, &len, argv[1]), *filename = JS_ToCString(ctx, argv[2]);
    JSValue result = JS_EXCEPTION;
    if (code && filename) {
        int64_t outer = engine_deadline(limit);
        result = JS_Eval(other, code, len, filename, JS_EVAL_TYPE_GLOBAL);
        engine_restore_deadline(outer);
    }
    JS_FreeCString(ctx, code);
    JS_FreeCString(ctx, filename);
    return result;
}

void bind_vm(JSContext *ctx, JSValueConst native) {
    static const JSCFunctionListEntry functions[] = {JS_CFUNC_DEF("create", 0, vm_create),
                                                     JS_CFUNC_DEF("global", 1, vm_global),
                                                     JS_CFUNC_DEF("enclose", 2, vm_enclose),
                                                     JS_CFUNC_DEF("run", 4, vm_run)};
    static const JSClassDef definition = {"Context", .finalizer = context_end};
    JSRuntime *rt = JS_GetRuntime(ctx);
    JS_NewClassID(rt, &context_class);
    JS_NewClass(rt, context_class, &definition);
    engine_bind(ctx, native, "vm", functions, sizeof functions / sizeof *functions);
}
