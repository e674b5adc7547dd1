/*
 * quickjs_private.h: errors about private members of classes, in V8's words.
 *
 * Part of quickjs_open.c, after quickjs_messages.h: uses the engine's internals. adapt_private.py
 * puts the calls into the engine.
 */

/* An object without the private field `name`, or no object at all. `writes`: it was to be set. */
static void quickjs_no_field(JSContext *ctx, JSValueConst object, JSAtom name, bool writes) {
    char text[ATOM_GET_STR_BUF_SIZE];
    JS_AtomGetStr(ctx, text, sizeof text, name);
    if (JS_IsNull(object) || JS_IsUndefined(object))
        JS_ThrowTypeError(ctx, "Cannot %s properties of %s (%s '%s')", writes ? "set" : "read",
                          JS_IsNull(object) ? "null" : "undefined", writes ? "setting" : "reading",
                          text);
    else
        JS_ThrowTypeError(ctx,
                          "Cannot %s private member %s %s an object whose class did not declare it",
                          writes ? "write" : "read", text, writes ? "to" : "from");
}

/* The class of a home object: of its prototype, or `is_static`: of the class itself. */
static const char *class_of_home(JSContext *ctx, JSValueConst home, bool *is_static, char *out) {
    *is_static = JS_IsFunction(ctx, home);
    if (*is_static)
        describe(ctx, home, false, out);
    else
        class_text(ctx, home, out);
    if (!strcmp(out, "Object") || !strcmp(out, "(intermediate value)")) strcpy(out, "anonymous");
    return out;
}

/* An object that does not have the private method or accessor; JS_CheckBrand() has seen
 * `method`. */
static void quickjs_no_method(JSContext *ctx, JSValueConst object, JSValueConst method) {
    char name[EXPRESSION_BYTES];
    bool is_static;
    class_of_home(ctx, JS_MKPTR(JS_TAG_OBJECT, JS_VALUE_GET_OBJ(method)->u.func.home_object),
                  &is_static, name);
    if (!is_static && (JS_IsNull(object) || JS_IsUndefined(object)))
        JS_ThrowTypeError(ctx, "Cannot read properties of %s (reading '%s')",
                          JS_IsNull(object) ? "null" : "undefined", name);
    else
        JS_ThrowTypeError(ctx, "Receiver must be %s %s",
                          is_static ? "class" : "an instance of class", name);
}

/* An object that has the private methods of the class already. */
static void quickjs_method_twice(JSContext *ctx, JSValueConst home) {
    char name[EXPRESSION_BYTES];
    bool is_static;
    class_of_home(ctx, home, &is_static, name);
    JS_ThrowTypeError(ctx, "Cannot initialize private methods of class %s twice on the same object",
                      name);
}

/* What the class never allows, whatever the object is; `type` is of OP_throw_error. */
static void quickjs_private_refused(JSContext *ctx, JSAtom name, int type) {
    static const char *const formats[] = {"Private method '%s' is not writable",
                                          "'%s' was defined without a setter",
                                          "'%s' was defined without a getter"};
    char text[ATOM_GET_STR_BUF_SIZE];
    JS_ThrowTypeError(ctx, formats[type - JS_THROW_PRIVATE_METHOD],
                      JS_AtomGetStr(ctx, text, sizeof text, name));
}
