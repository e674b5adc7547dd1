/*
 * quickjs_stack.h: an error's own property `stack`, as V8 has it: the text is made when somebody
 * first looks at it, and stays as it then is.
 *
 * Part of quickjs_open.c, after the engine. adapt_stack.py puts the calls into the engine. Until
 * it is looked at the property is one of the engine's that make themselves, without an entry of
 * a table.
 */

/* function (error, frames as the engine writes them): the text. The library sets it once. */
static JSValue stack_maker;
static bool has_stack_maker;

void quickjs_set_stack_maker(JSContext *ctx, JSValueConst function) {
    if (has_stack_maker) JS_FreeValue(ctx, stack_maker);
    stack_maker = js_dup(function);
    has_stack_maker = true;
}

/* Gives a new error its property. Less than 0: memory is out. */
static int quickjs_define_stack(JSContext *ctx, JSValueConst error) {
    return JS_DefineAutoInitProperty(ctx, error, JS_ATOM_stack, JS_AUTOINIT_ID_PROP, NULL,
                                     JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
}

/* Makes the text. What it runs may look at the property, or change it: so it has the frames as
 * they are before, and gets the text only where they still are. An error of the maker leaves the
 * frames. */
static int quickjs_make_stack(JSContext *ctx, JSObject *p, JSAtom prop, JSProperty *pr,
                              JSShapeProperty *prs) {
    JSValue raw = js_dup(p->u.object_data), error = js_dup(JS_MKPTR(JS_TAG_OBJECT, p));
    js_autoinit_free(ctx->rt, pr);
    prs->flags &= ~JS_PROP_TMASK;
    pr->u.value = js_dup(raw);
    JSValueConst args[] = {error, raw};
    JSValue pending = ctx->rt->current_exception;
    ctx->rt->current_exception = JS_UNINITIALIZED;
    JSValue text = has_stack_maker ? JS_Call(ctx, stack_maker, JS_UNDEFINED, 2, args) : js_dup(raw);
    if (JS_IsException(text)) {
        JS_FreeValue(ctx, JS_GetException(ctx));
        text = js_dup(raw);
    }
    ctx->rt->current_exception = pending;
    prs = find_own_property(&pr, p, prop);
    if (prs && (prs->flags & JS_PROP_TMASK) == JS_PROP_NORMAL &&
        js_same_value(ctx, pr->u.value, raw))
        set_value(ctx, &pr->u.value, text);
    else
        JS_FreeValue(ctx, text);
    JS_FreeValue(ctx, raw);
    JS_FreeValue(ctx, error);
    return 0;
}
