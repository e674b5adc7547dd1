/*
 * global.c: the object between globalThis and Object.prototype, through which tools are found.
 *
 * Only a name that nothing else defines reaches it; then, and only then, the library looks at the
 * list of tools. A program that calls no tool never reads that list, and a real global always wins
 * over a tool of the same name.
 */
#include "engine.h"

static JSClassID class_id;
static bool looking; /* the library itself must not come here while it looks */

/* Tools that were named last: a name that stands for one does so for good. */
#define KNOWN 16
static struct {
    JSAtom name; /* kept; JS_ATOM_NULL: nothing stands here */
    JSValue tool;
} known[KNOWN];

static void know(JSContext *ctx, JSAtom name, JSValueConst tool) {
    JSAtom before = known[name % KNOWN].name;
    if (before != JS_ATOM_NULL) {
        JS_FreeAtom(ctx, before);
        JS_FreeValue(ctx, known[name % KNOWN].tool);
    }
    known[name % KNOWN].name = JS_DupAtom(ctx, name);
    known[name % KNOWN].tool = JS_DupValue(ctx, tool);
}

static int answer(JSContext *ctx, JSPropertyDescriptor *desc, JSValue found) {
    if (!desc) {
        JS_FreeValue(ctx, found);
        return 1;
    }
    desc->flags = JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE;
    desc->value = found;
    desc->getter = JS_UNDEFINED;
    desc->setter = JS_UNDEFINED;
    return 1;
}

static int get_own_property(JSContext *ctx, JSPropertyDescriptor *desc, JSValueConst object,
                            JSAtom name) {
    (void)object;
    if (looking || JS_IsUndefined(engine.hooks.global)) return 0;
    if (known[name % KNOWN].name == name)
        return answer(ctx, desc, JS_DupValue(ctx, known[name % KNOWN].tool));
    JSValue key = JS_AtomToValue(ctx, name);
    if (!JS_IsString(key)) {
        JS_FreeValue(ctx, key);
        return 0;
    }
    looking = true;
    JSValue found = JS_Call(ctx, engine.hooks.global, JS_UNDEFINED, 1, &key);
    looking = false;
    JS_FreeValue(ctx, key);
    if (JS_IsException(found)) return -1;
    if (JS_IsUndefined(found)) return 0;
    know(ctx, name, found);
    return answer(ctx, desc, found);
}

bool global_init(JSContext *ctx) {
    static JSClassExoticMethods exotic = {.get_own_property = get_own_property};
    static const JSClassDef class_def = {.class_name = "Object", .exotic = &exotic};
    JS_NewClassID(JS_GetRuntime(ctx), &class_id);
    if (JS_NewClass(JS_GetRuntime(ctx), class_id, &class_def) < 0) return false;
    JSValue global = JS_GetGlobalObject(ctx);
    JSValue prototype = JS_GetPrototype(ctx, global);
    JSValue finder = JS_NewObjectProtoClass(ctx, prototype, class_id);
    bool ok = !JS_IsException(finder) && JS_SetPrototype(ctx, global, finder) > 0;
    JS_FreeValue(ctx, finder);
    JS_FreeValue(ctx, prototype);
    JS_FreeValue(ctx, global);
    return ok;
}
