/*
 * module.c: ES modules.
 *
 * Which file a specifier means and what stands in it is decided by the library (the hooks `resolve`
 * and `load`, lib/internal/modules.js). A module is either source text, or an object (a built-in, a
 * CommonJS module, JSON) whose properties become its exports.
 */
#include "module.h"

#include "engine.h"

static char *normalize(JSContext *ctx, const char *base, const char *name, void *opaque) {
    (void)opaque;
    JSValue args[] = {JS_NewString(ctx, name), JS_NewString(ctx, base)};
    JSValue result = JS_Call(ctx, engine.hooks.resolve, JS_UNDEFINED, 2, args);
    JS_FreeValue(ctx, args[0]);
    JS_FreeValue(ctx, args[1]);
    if (JS_IsException(result)) return NULL;
    const char *path = JS_ToCString(ctx, result);
    char *copy = path ? js_strdup(ctx, path) : NULL;
    JS_FreeCString(ctx, path);
    JS_FreeValue(ctx, result);
    return copy;
}

/* import.meta gets {url, filename, dirname, resolve} as the library made them. */
static int set_meta(JSContext *ctx, JSModuleDef *module, JSValueConst properties) {
    JSPropertyEnum *names;
    uint32_t count;
    if (!JS_IsObject(properties)) return 0;
    JSValue meta = JS_GetImportMeta(ctx, module);
    if (JS_IsException(meta)) return -1;
    if (JS_GetOwnPropertyNames(ctx, &names, &count, properties, JS_GPN_STRING_MASK) < 0) {
        JS_FreeValue(ctx, meta);
        return -1;
    }
    for (uint32_t i = 0; i < count; i++)
        JS_SetProperty(ctx, meta, names[i].atom, JS_GetProperty(ctx, properties, names[i].atom));
    JS_FreePropertyEnum(ctx, names, count);
    JS_FreeValue(ctx, meta);
    return 0;
}

static JSModuleDef *compile(JSContext *ctx, JSValueConst source, const char *name,
                            JSValueConst meta) {
    size_t len;
    const char *text = JS_ToCStringLen(ctx, &len, source);
    if (!text) return NULL;
    JSValue value = JS_Eval(ctx, text, len, name, JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
    JS_FreeCString(ctx, text);
    if (JS_IsException(value)) return NULL;
    JSModuleDef *module = JS_VALUE_GET_PTR(value);
    JS_FreeValue(ctx, value); /* the context keeps its modules */
    return set_meta(ctx, module, meta) == 0 ? module : NULL;
}

/* Gives a module made of an object its values, when it is evaluated. */
static int fill_exports(JSContext *ctx, JSModuleDef *module) {
    JSValue object = JS_GetModulePrivateValue(ctx, module);
    JSPropertyEnum *names;
    uint32_t count;
    if (JS_GetOwnPropertyNames(ctx, &names, &count, object, JS_GPN_STRING_MASK) < 0) {
        JS_FreeValue(ctx, object);
        return -1;
    }
    int result = 0;
    for (uint32_t i = 0; i < count && result == 0; i++) {
        const char *name = JS_AtomToCString(ctx, names[i].atom);
        JSValue value = JS_GetProperty(ctx, object, names[i].atom);
        result = !name || JS_IsException(value) ? -1 : 0;
        if (result == 0) result = JS_SetModuleExport(ctx, module, name, value);
        JS_FreeCString(ctx, name);
    }
    JS_FreePropertyEnum(ctx, names, count);
    JS_FreeValue(ctx, object);
    return result;
}

static JSModuleDef *from_object(JSContext *ctx, const char *name, JSValueConst exports) {
    JSPropertyEnum *names;
    uint32_t count;
    JSModuleDef *module = JS_NewCModule(ctx, name, fill_exports);
    if (!module || JS_GetOwnPropertyNames(ctx, &names, &count, exports, JS_GPN_STRING_MASK) < 0)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        const char *export = JS_AtomToCString(ctx, names[i].atom);
        if (export) JS_AddModuleExport(ctx, module, export);
        JS_FreeCString(ctx, export);
    }
    JS_FreePropertyEnum(ctx, names, count);
    JS_SetModulePrivateValue(ctx, module, JS_DupValue(ctx, exports));
    return module;
}

/* The library answers {source, meta} or {exports}. */
static JSModuleDef *load(JSContext *ctx, const char *name, void *opaque, JSValueConst attributes) {
    (void)opaque;
    JSValue args[] = {JS_NewString(ctx, name), JS_DupValue(ctx, attributes)};
    JSValue found = JS_Call(ctx, engine.hooks.load, JS_UNDEFINED, 2, args);
    JS_FreeValue(ctx, args[0]);
    JS_FreeValue(ctx, args[1]);
    if (JS_IsException(found)) return NULL;
    JSModuleDef *module = NULL;
    JSValue source = JS_GetPropertyStr(ctx, found, "source");
    if (JS_IsString(source)) {
        JSValue meta = JS_GetPropertyStr(ctx, found, "meta");
        module = compile(ctx, source, name, meta);
        JS_FreeValue(ctx, meta);
    } else {
        JSValue exports = JS_GetPropertyStr(ctx, found, "exports");
        module = from_object(ctx, name, exports);
        JS_FreeValue(ctx, exports);
    }
    JS_FreeValue(ctx, source);
    JS_FreeValue(ctx, found);
    return module;
}

static int check_attributes(JSContext *ctx, void *opaque, JSValueConst attributes) {
    (void)ctx, (void)opaque, (void)attributes;
    return 0; /* the library looks at `type` when it loads */
}

static JSModuleDef *compiled; /* by module_compile(), for module_evaluate() */

JSValue module_compile(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    const char *name = JS_ToCString(ctx, argv[1]);
    if (!name) return JS_EXCEPTION;
    compiled = compile(ctx, argv[0], name, argv[2]);
    JS_FreeCString(ctx, name);
    return compiled ? JS_UNDEFINED : JS_EXCEPTION;
}

JSValue module_evaluate(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc, (void)argv;
    if (!compiled) return JS_ThrowTypeError(ctx, "no module was compiled");
    return JS_EvalFunction(ctx, JS_DupValue(ctx, JS_MKPTR(JS_TAG_MODULE, compiled)));
}

JSValue module_import(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    const char *name = JS_ToCString(ctx, argv[0]);
    if (!name) return JS_EXCEPTION;
    JSValue promise = JS_LoadModule(ctx, "/", name, JS_UNDEFINED);
    JS_FreeCString(ctx, name);
    return promise;
}

void module_init(JSRuntime *rt) {
    JS_SetModuleLoaderFunc2(rt, normalize, load, check_attributes, NULL);
}
