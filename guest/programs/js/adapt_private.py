# ruff: noqa: E501 (lines of C are as long as they are)
"""The changes of QuickJS (adapt_quickjs.py) for the errors of private members (quickjs_private.h)."""

CHANGES = [
    (
        "errors of private members say what V8 says (quickjs_private.h)",
        1,
        "static JSValue JS_ThrowTypeErrorPrivateNotFound(JSContext *ctx, JSAtom atom)\n{\n"
        "    return JS_ThrowTypeErrorAtom(ctx, \"private class field '%s' does not exist\",\n"
        "                                 atom);\n}\n",
        "static void quickjs_no_field(JSContext *ctx, JSValueConst object, JSAtom name, bool writes);\n"
        "static void quickjs_no_method(JSContext *ctx, JSValueConst object, JSValueConst method);\n"
        "static void quickjs_method_twice(JSContext *ctx, JSValueConst home);\n"
        "static void quickjs_private_refused(JSContext *ctx, JSAtom name, int type);\n",
    ),
    (
        "as above",
        1,
        "    if (unlikely(JS_VALUE_GET_TAG(obj) != JS_TAG_OBJECT))\n"
        "        return JS_ThrowTypeErrorNotAnObject(ctx);\n    /* safety check */\n"
        "    if (unlikely(JS_VALUE_GET_TAG(name) != JS_TAG_SYMBOL))\n"
        "        return JS_ThrowTypeErrorNotASymbol(ctx);\n"
        "    prop = js_symbol_to_atom(ctx, name);\n    p = JS_VALUE_GET_OBJ(obj);\n"
        "    prs = find_own_property(&pr, p, prop);\n    if (!prs) {\n"
        "        JS_ThrowTypeErrorPrivateNotFound(ctx, prop);\n",
        "    /* safety check */\n    if (unlikely(JS_VALUE_GET_TAG(name) != JS_TAG_SYMBOL))\n"
        "        return JS_ThrowTypeErrorNotASymbol(ctx);\n"
        "    prop = js_symbol_to_atom(ctx, name);\n"
        "    p = JS_IsObject(obj) ? JS_VALUE_GET_OBJ(obj) : NULL;\n"
        "    prs = p ? find_own_property(&pr, p, prop) : NULL;\n    if (!prs) {\n"
        "        quickjs_no_field(ctx, obj, prop, false);\n",
    ),
    (
        "as above",
        1,
        "    if (unlikely(JS_VALUE_GET_TAG(obj) != JS_TAG_OBJECT)) {\n"
        "        JS_ThrowTypeErrorNotAnObject(ctx);\n        goto fail;\n    }\n    /* safety check */\n"
        "    if (unlikely(JS_VALUE_GET_TAG(name) != JS_TAG_SYMBOL)) {\n"
        "        JS_ThrowTypeErrorNotASymbol(ctx);\n        goto fail;\n    }\n"
        "    prop = js_symbol_to_atom(ctx, name);\n    p = JS_VALUE_GET_OBJ(obj);\n"
        "    prs = find_own_property(&pr, p, prop);\n    if (!prs) {\n"
        "        JS_ThrowTypeErrorPrivateNotFound(ctx, prop);\n",
        "    /* safety check */\n    if (unlikely(JS_VALUE_GET_TAG(name) != JS_TAG_SYMBOL)) {\n"
        "        JS_ThrowTypeErrorNotASymbol(ctx);\n        goto fail;\n    }\n"
        "    prop = js_symbol_to_atom(ctx, name);\n"
        "    p = JS_IsObject(obj) ? JS_VALUE_GET_OBJ(obj) : NULL;\n"
        "    prs = p ? find_own_property(&pr, p, prop) : NULL;\n    if (!prs) {\n"
        "        quickjs_no_field(ctx, obj, prop, true);\n",
    ),
    (
        "as above",
        1,
        "\"private class field '%s' already exists\"",
        '"Cannot initialize %s twice on the same object"',
    ),
    (
        "as above",
        1,
        '            JS_ThrowTypeError(ctx, "private method is already present");',
        "            quickjs_method_twice(ctx, home_obj);",
    ),
    (
        "as above",
        1,
        "    if (unlikely(JS_VALUE_GET_TAG(obj) != JS_TAG_OBJECT)) {\n    not_obj:\n"
        "        JS_ThrowTypeErrorNotAnObject(ctx);\n        return -1;\n    }\n",
        "    if (unlikely(JS_VALUE_GET_TAG(obj) != JS_TAG_OBJECT))\n        return 0;\n"
        "    if (0) {\n    not_obj:\n        JS_ThrowTypeErrorNotAnObject(ctx);\n        return -1;\n    }\n",
    ),
    (
        "as above",
        1,
        '                    JS_ThrowTypeError(ctx, "invalid brand on object");',
        "                    quickjs_no_method(ctx, sp[-2], sp[-1]);",
    ),
    (
        "as above",
        1,
        "        case JS_VAR_PRIVATE_SETTER:\n            /* XXX: add clearer error message */\n"
        "            dbuf_putc(bc, OP_throw_error);\n"
        "            dbuf_put_u32(bc, JS_DupAtom(ctx, var_name));\n"
        "            dbuf_putc(bc, JS_THROW_VAR_RO);\n",
        "        case JS_VAR_PRIVATE_SETTER:\n            dbuf_putc(bc, OP_throw_error);\n"
        "            dbuf_put_u32(bc, JS_DupAtom(ctx, var_name));\n"
        "            dbuf_putc(bc, JS_THROW_PRIVATE_GETTER);\n",
    ),
    (
        "as above",
        1,
        "        case JS_VAR_PRIVATE_GETTER:\n            /* XXX: add clearer error message */\n"
        "            dbuf_putc(bc, OP_throw_error);\n"
        "            dbuf_put_u32(bc, JS_DupAtom(ctx, var_name));\n"
        "            dbuf_putc(bc, JS_THROW_VAR_RO);\n",
        "        case JS_VAR_PRIVATE_GETTER:\n            dbuf_putc(bc, OP_throw_error);\n"
        "            dbuf_put_u32(bc, JS_DupAtom(ctx, var_name));\n"
        "            dbuf_putc(bc, var_kind == JS_VAR_PRIVATE_METHOD ? JS_THROW_PRIVATE_METHOD\n"
        "                                                            : JS_THROW_PRIVATE_SETTER);\n",
    ),
    (
        "as above",
        1,
        "#define JS_THROW_ERROR_ITERATOR_THROW 4\n",
        "#define JS_THROW_ERROR_ITERATOR_THROW 4\n#define JS_THROW_PRIVATE_METHOD 5\n"
        "#define JS_THROW_PRIVATE_SETTER 6\n#define JS_THROW_PRIVATE_GETTER 7\n",
    ),
    (
        "as above",
        1,
        '                    JS_ThrowInternalError(ctx, "invalid throw var type %d", type);',
        "                    quickjs_private_refused(ctx, atom, type);",
    ),
    (
        "as above",
        1,
        '''        JS_ThrowTypeError(ctx, "invalid 'in' operand");\n        return -1;\n    }\n    if (JS_IsObject(op2)) {''',
        "        JSValue name = JS_IsSymbol(op2) ? JS_AtomToString(ctx, js_symbol_to_atom(ctx, op2)) : js_dup(op2);\n"
        "        quickjs_bad_in(ctx, name, op1);\n        JS_FreeValue(ctx, name);\n        return -1;\n    }\n"
        "    if (JS_IsObject(op2)) {",
    ),
]
