# ruff: noqa: E501 (lines of C are as long as they are)
"""The changes of QuickJS (adapt_quickjs.py) for a global object that is a Proxy, as vm's contexts have one."""

CHANGES = [
    (
        "a global object that is a Proxy says itself what it has",
        1,
        "    prs = find_own_property1(p, prop);\n    if (prs)\n        return 0;\n"
        "    if (!p->extensible)\n        return 0;\n    pr = add_property(ctx, p, prop, flags);\n",
        "    if (unlikely(p->is_exotic)) {\n"
        "        int known = JS_HasProperty(ctx, JS_MKPTR(JS_TAG_OBJECT, p), prop);\n"
        "        if (known)\n            return known < 0 ? -1 : 0;\n"
        "        return JS_DefinePropertyValue(ctx, JS_MKPTR(JS_TAG_OBJECT, p), prop, JS_UNDEFINED,\n"
        "                                      flags | JS_PROP_THROW) < 0 ? -1 : 0;\n    }\n"
        "    prs = find_own_property1(p, prop);\n    if (prs)\n        return 0;\n"
        "    if (!p->extensible)\n        return 0;\n    pr = add_property(ctx, p, prop, flags);\n",
    ),
    (
        "as above",
        1,
        "    return JS_GetPropertyInternal(ctx, ctx->global_obj, prop,\n"
        "                                 ctx->global_obj, throw_ref_error);\n",
        "    if (unlikely(p->is_exotic)) {\n"
        "        int known = JS_HasProperty(ctx, ctx->global_obj, prop);\n"
        "        if (known < 0)\n            return JS_EXCEPTION;\n"
        "        if (!known)\n            return throw_ref_error ? JS_ThrowReferenceErrorNotDefined(ctx, prop) : JS_UNDEFINED;\n    }\n"
        "    return JS_GetPropertyInternal(ctx, ctx->global_obj, prop,\n"
        "                                 ctx->global_obj, throw_ref_error);\n",
    ),
    (
        "a Proxy may define again what its target has for good and lets be written",
        1,
        "            if ((desc.flags & (JS_PROP_GETSET | JS_PROP_CONFIGURABLE |\n"
        "                               JS_PROP_WRITABLE)) == JS_PROP_WRITABLE) {",
        "            if ((desc.flags & (JS_PROP_GETSET | JS_PROP_CONFIGURABLE |\n"
        "                               JS_PROP_WRITABLE)) == JS_PROP_WRITABLE && !(flags & JS_PROP_WRITABLE)) {",
    ),
]
