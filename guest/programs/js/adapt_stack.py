# ruff: noqa: E501 (lines of C are as long as they are)
"""The changes of QuickJS (adapt_quickjs.py) that give each error a `stack` of its own (quickjs_stack.h)."""

OWN = (
    "    if (quickjs_define_stack(ctx, obj) < 0) {\n"
    "        JS_FreeValue(ctx, obj);\n        return JS_EXCEPTION;\n    }\n"
)

CHANGES = [
    (
        "errors have a `stack` of their own, made when it is first looked at (quickjs_stack.h)",
        1,
        "/* warning: 'prs' is reallocated after it */\nstatic int JS_AutoInitProperty(",
        "static int quickjs_make_stack(JSContext *ctx, JSObject *p, JSAtom prop, JSProperty *pr, JSShapeProperty *prs);\n"
        "\n"
        "/* warning: 'prs' is reallocated after it */\nstatic int JS_AutoInitProperty(",
    ),
    (
        "as above",
        1,
        "JSValue JS_NewError(JSContext *ctx)\n{",
        "static int quickjs_define_stack(JSContext *ctx, JSValueConst error);\n\n"
        "JSValue JS_NewError(JSContext *ctx)\n{",
    ),
    (
        "as above",
        1,
        "    realm = js_autoinit_get_realm(pr);\n    func = js_autoinit_func_table",
        "    if (js_autoinit_get_id(pr) == JS_AUTOINIT_ID_PROP && !pr->u.init.opaque)\n"
        "        return quickjs_make_stack(ctx, p, prop, pr, prs);\n"
        "    realm = js_autoinit_get_realm(pr);\n    func = js_autoinit_func_table",
    ),
    (
        "as above",
        1,
        "    obj = JS_NewObjectProtoClass(ctx, proto, JS_CLASS_ERROR);\n    JS_FreeValue(ctx, proto);\n"
        "    if (JS_IsException(obj))\n        return obj;\n",
        "    obj = JS_NewObjectProtoClass(ctx, proto, JS_CLASS_ERROR);\n    JS_FreeValue(ctx, proto);\n"
        "    if (JS_IsException(obj))\n        return obj;\n" + OWN,
    ),
    (
        "as above",
        1,
        "    if (JS_IsException(obj))\n        return JS_EXCEPTION;\n    msg = JS_NewString(ctx, message);\n",
        "    if (JS_IsException(obj))\n        return JS_EXCEPTION;\n" + OWN + "    msg = JS_NewString(ctx, message);\n",
    ),
    (
        "as above",
        1,
        "    if (JS_IsException(obj))\n        return obj;\n    JS_DefinePropertyValue(ctx, obj, JS_ATOM_message, JS_NewString(",
        "    if (JS_IsException(obj))\n        return obj;\n" + OWN + "    JS_DefinePropertyValue(ctx, obj, JS_ATOM_message, JS_NewString(",
    ),
    (
        "as above",
        1,
        "    if (JS_IsException(obj))\n        return JS_EXCEPTION;\n    JS_DefinePropertyValue(ctx, obj, JS_ATOM_error, js_dup(error),",
        "    if (JS_IsException(obj))\n        return JS_EXCEPTION;\n" + OWN + "    JS_DefinePropertyValue(ctx, obj, JS_ATOM_error, js_dup(error),",
    ),
    (
        "as above: one that was not looked at stands in no frames' way",
        1,
        "    if (!JS_IsUndefined(p->u.object_data))\n        return false;\n"
        "    if (find_own_property1(p, JS_ATOM_stack))\n        return false;\n",
        "    if (!JS_IsUndefined(p->u.object_data))\n        return false;\n"
        "    JSShapeProperty *prs = find_own_property1(p, JS_ATOM_stack);\n"
        "    if (prs && (prs->flags & JS_PROP_TMASK) != JS_PROP_AUTOINIT)\n        return false;\n",
    ),
]
