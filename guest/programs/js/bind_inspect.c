/*
 * bind_inspect.c: what console needs to know about a value that JavaScript cannot ask.
 */
#include <string.h>

#include "engine.h"
#include "quickjs_open.h"

/* classOf(object): the engine's own class name ("Map", "Promise", "Arguments"), whatever the
 * object's prototype or toStringTag pretend; undefined for values that are not objects. */
static JSValue inspect_class(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    if (!JS_IsObject(argv[0])) return JS_UNDEFINED;
    JSAtom name = JS_GetClassName(JS_GetRuntime(ctx), JS_GetClassID(argv[0]));
    JSValue result = JS_AtomToString(ctx, name);
    JS_FreeAtom(ctx, name);
    return result;
}

/* proxy(object): [target, handler], or undefined when it is none */
static JSValue inspect_proxy(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    if (!JS_IsProxy(argv[0])) return JS_UNDEFINED;
    JSValue pair = JS_NewArray(ctx);
    JS_SetPropertyUint32(ctx, pair, 0, JS_GetProxyTarget(ctx, argv[0]));
    JS_SetPropertyUint32(ctx, pair, 1, JS_GetProxyHandler(ctx, argv[0]));
    return pair;
}

/* rest(iterator): [entries, pairs] of a Map or Set iterator, without moving it */
static JSValue inspect_rest(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    int pairs = 0;
    JSValue entries = quickjs_iterator_rest(ctx, argv[0], &pairs);
    if (!JS_IsArray(entries)) return entries;
    JSValue result = JS_NewArray(ctx);
    JS_SetPropertyUint32(ctx, result, 0, entries);
    JS_SetPropertyUint32(ctx, result, 1, JS_NewBool(ctx, pairs));
    return result;
}

/* namedKeys(object, enumerableOnly): own string keys that are not array indices, then symbols; what
 * an array has beside its elements, without a list of all its indices in JavaScript. */
static JSValue inspect_named_keys(JSContext *ctx, JSValueConst this_val, int argc,
                                  JSValueConst *argv) {
    (void)this_val, (void)argc;
    JSPropertyEnum *names;
    uint32_t count, used = 0;
    int flags = JS_GPN_STRING_MASK | JS_GPN_SYMBOL_MASK;
    if (JS_ToBool(ctx, argv[1]) > 0) flags |= JS_GPN_ENUM_ONLY;
    if (JS_GetOwnPropertyNames(ctx, &names, &count, argv[0], flags) < 0) return JS_EXCEPTION;
    JSValue result = JS_NewArray(ctx);
    for (uint32_t i = 0; i < count; i++) {
        JSAtom name = names[i].atom;
        if (name & UINT32_C(0x80000000)) /* a tagged integer */
            continue;
        JS_SetPropertyUint32(ctx, result, used++, JS_AtomToValue(ctx, name));
    }
    JS_FreePropertyEnum(ctx, names, count);
    return result;
}

void bind_inspect(JSContext *ctx, JSValueConst native) {
    static const JSCFunctionListEntry functions[] = {
        JS_CFUNC_DEF("classOf", 1, inspect_class), JS_CFUNC_DEF("proxy", 1, inspect_proxy),
        JS_CFUNC_DEF("rest", 1, inspect_rest), JS_CFUNC_DEF("namedKeys", 2, inspect_named_keys)};
    engine_bind(ctx, native, "inspect", functions, sizeof functions / sizeof *functions);
}
