#!/usr/bin/env python3
# ruff: noqa: E501 (lines of C are as long as they are)
"""adapt_quickjs: the few lines of QuickJS that must be otherwise here, changed at build time.

    adapt_quickjs.py QUICKJS.c OUTPUT.c

Each change says why, and must find exactly what it expects: another version of QuickJS stops the build
instead of being changed by accident.
"""

import pathlib
import sys

# (why, how often, old, new)
CHANGES = [
    (
        "in wasm a computed goto is a table of numbers before the table of a switch",
        1,
        "#if defined(EMSCRIPTEN) || defined(_MSC_VER)\n#define DIRECT_DISPATCH  0",
        "#if defined(__wasm__) || defined(_MSC_VER)\n#define DIRECT_DISPATCH  0",
    ),
    (
        "nobody asks for dumps, whose flag every opcode would look at and every string pay eight bytes for",
        1,
        "#ifndef NDEBUG\n#define ENABLE_DUMPS\n#endif\n",
        "",
    ),
    (
        "keys of maps and sets that differ in few bits only, as numbers and objects do, fall on all buckets",
        1,
        "    return h ^ ctx->hash_seed ^ hash32(tag);",
        "    h ^= ctx->hash_seed ^ hash32(tag);\n    h = hash32(h ^ h >> 16);\n    return h ^ h >> 15;",
    ),
    (
        "what waits for a promise goes on in the context in which it began to (quickjs_open.h)",
        1,
        "            handler = JS_UNDEFINED;\n        rd->handler = js_dup(handler);",
        "            handler = JS_UNDEFINED;\n        rd->handler = quickjs_keep_context(ctx, handler);",
    ),
    (
        "programs may catch InternalError: running out of memory is theirs to handle; nothing here "
        "relies on errors that cannot be caught (a process is ended from outside)",
        1,
        "    return p->class_id == JS_CLASS_ERROR && p->is_uncatchable_error;",
        "    (void)p;\n    return false;",
    ),
    (
        "as above, where a promise waits for a thenable",
        1,
        "        args[2] = then;\n        JS_EnqueueJob(ctx, js_promise_resolve_thenable_job, 3, args);\n",
        "        JSValue bound = quickjs_keep_context(ctx, then);\n        args[2] = bound;\n"
        "        JS_EnqueueJob(ctx, js_promise_resolve_thenable_job, 3, args);\n"
        "        JS_FreeValue(ctx, bound);\n",
    ),
    (
        "errors name the expression that was called (quickjs_messages.h)",
        1,
        "static JSValue JS_ThrowTypeErrorNotAFunction(JSContext *ctx)\n{\n",
        "static JSValue quickjs_not_callable(JSContext *ctx, JSValueConst value, bool construct);\n"
        "static JSValue quickjs_not_iterable(JSContext *ctx, JSValueConst value);\n"
        "static JSValue quickjs_not_destructible(JSContext *ctx, const uint8_t *pc, JSValueConst value);\n"
        "static JSValue quickjs_needs_new(JSContext *ctx, JSValueConst function);\n"
        "static JSValue quickjs_class_called(JSContext *ctx, JSValueConst function);\n"
        "static JSValue quickjs_bad_in(JSContext *ctx, JSValueConst key, JSValueConst value);\n"
        "static JSValue quickjs_not_entry(JSContext *ctx, JSValueConst value);\n"
        "static JSValue quickjs_not_resolver(JSContext *ctx, JSValueConst value);\n"
        "JSValue quickjs_keep_context(JSContext *ctx, JSValueConst function);\n"
        "const char *quickjs_zone_name(double ms);\n"
        "double quickjs_local_moment(int64_t ms);\n"
        "static JSValue JS_ThrowTypeErrorNotAFunction(JSContext *ctx)\n{\n",
    ),
    (
        "as above",
        1,
        "return JS_ThrowTypeErrorNotAFunction(caller_ctx);",
        "return quickjs_not_callable(caller_ctx, func_obj, false);",
    ),
    (
        "as above",
        1,
        "        not_a_function:\n            return JS_ThrowTypeErrorNotAFunction(ctx);\n        }\n"
        "        return call_func(ctx, func_obj, new_target, argc,",
        "        not_a_function:\n            return quickjs_not_callable(ctx, func_obj, true);\n        }\n"
        "        return call_func(ctx, func_obj, new_target, argc,",
    ),
    (
        "as above",
        1,
        "        return JS_ThrowTypeErrorNotAConstructor(ctx, func_obj);\n    if (unlikely(p->class_id",
        "        return quickjs_not_callable(ctx, func_obj, true);\n    if (unlikely(p->class_id",
    ),
    (
        "as above",
        1,
        "    if (likely(JS_IsFunction(ctx, obj)))\n        return 0;\n    JS_ThrowTypeErrorNotAFunction(ctx);",
        "    if (likely(JS_IsFunction(ctx, obj)))\n        return 0;\n    quickjs_not_callable(ctx, obj, false);",
    ),
    (
        "as above",
        1,
        '        JS_FreeValue(ctx, method);\n        return JS_ThrowTypeError(ctx, "value is not iterable");',
        "        JS_FreeValue(ctx, method);\n        return quickjs_not_iterable(ctx, obj);",
    ),
    (
        "as above",
        1,
        "        case JS_TAG_NULL:\n            return JS_ThrowTypeErrorAtom(ctx, \"cannot read property '%s' of null\", prop);",
        "        case JS_TAG_NULL:\n            if (prop == JS_ATOM_Symbol_iterator)\n                return quickjs_not_iterable(ctx, obj);\n"
        "            return JS_ThrowTypeErrorAtom(ctx, \"cannot read property '%s' of null\", prop);",
    ),
    (
        "as above",
        1,
        "        case JS_TAG_UNDEFINED:\n            return JS_ThrowTypeErrorAtom(ctx, \"cannot read property '%s' of undefined\", prop);",
        "        case JS_TAG_UNDEFINED:\n            if (prop == JS_ATOM_Symbol_iterator)\n                return quickjs_not_iterable(ctx, obj);\n"
        "            return JS_ThrowTypeErrorAtom(ctx, \"cannot read property '%s' of undefined\", prop);",
    ),
    (
        "as above",
        1,
        "                sf->cur_pc = pc;\n                ret_val = JS_ToObject(ctx, sp[-1]);",
        "                sf->cur_pc = pc;\n"
        "                ret_val = JS_IsNull(sp[-1]) || JS_IsUndefined(sp[-1])\n"
        "                    ? quickjs_not_destructible(ctx, pc, sp[-1]) : JS_ToObject(ctx, sp[-1]);",
    ),
    (
        "a call is where its callee is, also when its arguments stand on other lines",
        1,
        "static void emit_source_loc(JSParseState *s)\n{",
        "struct call_place { int line, column; };\n\n"
        "/* Of the name before the current token, which opens the arguments of a call. */\n"
        "static struct call_place callee_place(JSParseState *s)\n{\n"
        "    const uint8_t *at = s->token.ptr;\n"
        "    while (at > s->token.line_start && (lre_js_is_ident_next(at[-1]) || at[-1] >= 0x80))\n"
        "        at--;\n"
        "    return (struct call_place){s->token.line_num, (int)(at - s->token.line_start) + 1};\n"
        "}\n\n"
        "static void emit_source_loc(JSParseState *s)\n{",
    ),
    (
        "every token knows its column, not only names",
        1,
        "    s->token.col_num = max_int(1, s->mark - s->eol);\n    s->buf_ptr = p;",
        "    s->token.col_num = (int)(s->token.ptr - s->token.line_start) + 1;\n    s->buf_ptr = p;",
    ),
    (
        "as above",
        1,
        "        bool has_optional_chain = false;\n\n        if (s->token.val == TOK_QUESTION_MARK_DOT) {",
        "        bool has_optional_chain = false;\n        struct call_place call_place = {0, 0};\n\n"
        "        if (s->token.val == TOK_QUESTION_MARK_DOT) {",
    ),
    (
        "as above",
        1,
        "            call_type = FUNC_CALL_TEMPLATE;\n            goto parse_func_call2;",
        "            call_type = FUNC_CALL_TEMPLATE;\n            call_place = callee_place(s);\n"
        "            goto parse_func_call2;",
    ),
    (
        "as above",
        1,
        "        parse_func_call:\n            if (next_token(s))",
        "        parse_func_call:\n"
        "            call_place = call_type == FUNC_CALL_NEW ? new_place : callee_place(s);\n"
        "            if (next_token(s))",
    ),
    (
        "as above",
        1,
        "                /* apply function call */\n                switch(opcode) {",
        "                /* apply function call */\n"
        "                emit_source_loc_at(s, call_place.line, call_place.column);\n"
        "                switch(opcode) {",
    ),
    (
        "as above",
        1,
        "            emit_func_call:\n                switch(opcode) {",
        "            emit_func_call:\n"
        "                emit_source_loc_at(s, call_place.line, call_place.column);\n"
        "                switch(opcode) {",
    ),
    (
        "as above",
        1,
        "            emit_source_loc(s);\n            if (js_parse_postfix_expr(s, 0))",
        "            emit_source_loc(s);\n"
        "            new_place = (struct call_place){s->token.line_num, s->token.col_num};\n"
        "            if (js_parse_postfix_expr(s, 0))",
    ),
    (
        "as above",
        1,
        "    int optional_chaining_label;\n    int import_line_num, import_col_num;\n",
        "    int optional_chaining_label;\n    struct call_place new_place = {0, 0};\n"
        "    int import_line_num, import_col_num;\n",
    ),
    (
        "the wording that Node's users know",
        1,
        '    return JS_ThrowReferenceError(ctx, "%s is not initialized",',
        "    if (name == JS_ATOM_this)\n"
        '        return JS_ThrowReferenceError(ctx, "Must call super constructor in derived class before "\n'
        "                                           \"accessing 'this' or returning from derived constructor\");\n"
        "    return JS_ThrowReferenceError(ctx, \"Cannot access '%s' before initialization\",",
    ),
    (
        "a pattern has a place, too",
        1,
        "        if (next_token(s))\n            return -1;\n        /* throw an exception if the value cannot be",
        "        emit_source_loc(s);\n"
        "        if (next_token(s))\n            return -1;\n        /* throw an exception if the value cannot be",
    ),
    (
        "as above",
        1,
        "        if (next_token(s))\n            return -1;\n        /* the block environment is only needed in generators in case",
        "        emit_source_loc(s);\n"
        "        if (next_token(s))\n            return -1;\n        /* the block environment is only needed in generators in case",
    ),
    (
        "namespaces of modules are told apart from objects",
        1,
        "    { JS_ATOM_Object, NULL, NULL },                             /* JS_CLASS_MODULE_NS */",
        "    { JS_ATOM_Module, NULL, NULL },                             /* JS_CLASS_MODULE_NS */",
    ),
    (
        "when there is no memory even for an error, one made while booting is thrown",
        1,
        "        /* out of memory: throw JS_NULL to avoid recursing */\n        obj = JS_NULL;",
        "        obj = js_dup(quickjs_spare_error);",
    ),
    (
        "as above",
        1,
        "static JSValue JS_PRINTF_FORMAT_ATTR(4, 0)\nJS_ThrowError2(",
        "static JSValue quickjs_spare_error;\n\n"
        "static JSValue JS_PRINTF_FORMAT_ATTR(4, 0)\nJS_ThrowError2(",
    ),
    (
        "Promise.any() says what happened",
        1,
        "    JS_DefinePropertyValueConst(ctx, obj, JS_ATOM_errors, errors,",
        '    JS_DefinePropertyValue(ctx, obj, JS_ATOM_message, JS_NewString(ctx, "All promises were rejected"),\n'
        "                           JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);\n"
        "    JS_DefinePropertyValueConst(ctx, obj, JS_ATOM_errors, errors,",
    ),
    (
        "dates end with the name of the zone, as in Node",
        1,
        "            /* XXX: tack the time zone code? */",
        "            double moment;\n"
        "            if (JS_ThisTimeValue(ctx, &moment, this_val) == 0)\n"
        '                pos += snprintf(buf + pos, sizeof(buf) - pos, " (%s)", quickjs_zone_name(moment));',
    ),
    (
        "as above",
        1,
        "    char buf[64];\n    double fields[9];",
        "    char buf[128];\n    double fields[9];",
    ),
    (
        "a local time is in the zone's offset at that time, also on the day on which it changes",
        1,
        "        tv += getTimezoneOffset(ti) * 60000;",
        "        tv = quickjs_local_moment(ti);",
    ),
    (
        "the wording that Node's users know",
        1,
        "                if (type == JS_THROW_VAR_RO)\n                    JS_ThrowTypeErrorReadOnly(ctx, JS_PROP_THROW, atom);",
        '                if (type == JS_THROW_VAR_RO)\n                    JS_ThrowTypeError(ctx, "Assignment to constant variable.");',
    ),
    (
        "the wording that Node's users know",
        1,
        "                JS_ThrowTypeError(ctx, \"class constructors must be invoked with 'new'\");",
        "                quickjs_class_called(ctx, sf->cur_func);",
    ),
    (
        "the wording that Node's users know",
        1,
        "    if (JS_VALUE_GET_TAG(op2) != JS_TAG_OBJECT) {\n        JS_ThrowTypeError(ctx, \"invalid 'in' operand\");",
        "    if (JS_VALUE_GET_TAG(op2) != JS_TAG_OBJECT) {\n        quickjs_bad_in(ctx, op1, op2);",
    ),
    (
        "the wording that Node's users know",
        1,
        "                if (!JS_IsObject(item)) {\n                    JS_ThrowTypeErrorNotAnObject(ctx);",
        "                if (!JS_IsObject(item)) {\n                    quickjs_not_entry(ctx, item);",
    ),
    (
        "the wording that Node's users know",
        1,
        "    if (check_function(ctx, executor))\n        return JS_EXCEPTION;\n    obj = js_promise_new",
        "    if (!JS_IsFunction(ctx, executor))\n        return quickjs_not_resolver(ctx, executor);\n    obj = js_promise_new",
    ),
    (
        "the wording that Node's users know",
        1,
        "        JS_VALUE_GET_TAG(handler) != JS_TAG_OBJECT) {\n        return JS_ThrowTypeErrorNotAnObject(ctx);",
        "        JS_VALUE_GET_TAG(handler) != JS_TAG_OBJECT) {\n"
        '        return JS_ThrowTypeError(ctx, "Cannot create proxy with a non-object as target or handler");',
    ),
    (
        "the wording that Node's users know",
        1,
        '    if (f < 0 || f > 100)\n        return JS_ThrowRangeError(ctx, "invalid number of digits");',
        '    if (f < 0 || f > 100)\n        return JS_ThrowRangeError(ctx, "toFixed() digits argument must be between 0 and 100");',
    ),
    (
        "the wording that Node's users know",
        1,
        '        if (f < 0 || f > 100)\n            return JS_ThrowRangeError(ctx, "invalid number of digits");',
        '        if (f < 0 || f > 100)\n            return JS_ThrowRangeError(ctx, "toExponential() argument must be between 0 and 100");',
    ),
    (
        "the wording that Node's users know",
        1,
        '    if (p < 1 || p > 100)\n        return JS_ThrowRangeError(ctx, "invalid number of digits");',
        '    if (p < 1 || p > 100)\n        return JS_ThrowRangeError(ctx, "toPrecision() argument must be between 1 and 100");',
    ),
    (
        "the wording that Node's users know",
        1,
        '                ret_val = JS_ThrowTypeError(ctx, "must be called with new");',
        "                ret_val = quickjs_needs_new(ctx, func_obj);",
    ),
]

# Messages in the wording that Node's users know: (how often, old, new)
WORDING = [
    (2, "cannot read property '%s' of null", "Cannot read properties of null (reading '%s')"),
    (
        2,
        "cannot read property '%s' of undefined",
        "Cannot read properties of undefined (reading '%s')",
    ),
    (1, "cannot set property '%s' of null", "Cannot set properties of null (setting '%s')"),
    (
        1,
        "cannot set property '%s' of undefined",
        "Cannot set properties of undefined (setting '%s')",
    ),
    (1, "'%s' is read-only", "Cannot assign to read only property '%s' of object"),
    (4, 'invalid array length");\n', 'Invalid array length");\n'),
    (
        1,
        'JS_ThrowInternalError(ctx, "string too long")',
        'JS_ThrowRangeError(ctx, "Invalid string length")',
    ),
    (
        1,
        'JS_ThrowRangeError(ctx, "string too long")',
        'JS_ThrowRangeError(ctx, "Invalid string length")',
    ),
    (5, "invalid string length", "Invalid string length"),
    (3, "The string to be decoded is not correctly encoded", "Invalid character"),
    (1, "String contains an invalid character", "Invalid character"),
    (1, "invalid repeat count", "Invalid count value"),
    (
        1,
        'TypeError(ctx, "circular reference',
        'TypeError(ctx, "Converting circular structure to JSON',
    ),
    (1, "BigInt are forbidden in JSON.stringify", "Do not know how to serialize a BigInt"),
    (1, '"empty array"', '"Reduce of empty array with no initial value"'),
    (1, "Date value is NaN", "Invalid time value"),
    (1, "cannot convert symbol to string", "Cannot convert a Symbol value to a string"),
    (1, "cannot convert symbol to number", "Cannot convert a Symbol value to a number"),
    (
        1,
        'bigint argument with unary +");\n                goto exception;\n            case OP_inc:\n                if (v ==',
        'Cannot convert a BigInt value to a number");\n                goto exception;\n            case OP_inc:\n                if (v ==',
    ),
    (
        1,
        "cannot convert BigInt to number",
        "Cannot mix BigInt and other types, use explicit conversions",
    ),
    (1, "invalid BigInt literal", "Cannot convert the string to a BigInt"),
    (
        1,
        "cannot convert to BigInt: not an integer",
        "The number cannot be converted to a BigInt because it is not an integer",
    ),
    (1, "expecting hex digit", "URI malformed"),
    (1, "not a object", "CreateListFromArrayLike called on non-object"),
    (1, "null or undefined are forbidden", "String.prototype method called on null or undefined"),
    (1, "promise self resolution", "Chaining cycle detected for promise #<Promise>"),
    (2, 'ctx, "toPrimitive"', 'ctx, "Cannot convert object to primitive value"'),
    (1, "no setter for property", "Cannot set a property which has only a getter"),
    (6, "object is not extensible", "Cannot add property, object is not extensible"),
    (1, "invalid 'instanceof' right operand", "Right-hand side of 'instanceof' is not callable"),
    (
        1,
        "s, \"unexpected token in expression: '%.*s'\"",
        "s, s->token.val == TOK_EOF ? \"Unexpected end of input\" : \"Unexpected token '%.*s'\"",
    ),
    (
        1,
        's, "invalid property name"',
        's, s->token.val == TOK_EOF ? "Unexpected end of input" : "invalid property name"',
    ),
]


def main():
    source, output = map(pathlib.Path, sys.argv[1:])
    text = source.read_text()
    wording = [("wording", *change) for change in WORDING]
    wrong = []
    for why, count, old, new in CHANGES + wording:
        found = text.count(old)
        if found != count:
            wrong.append(f"{source}: expected {count} times, found {found} times: {old!r} ({why})")
        text = text.replace(old, new)
    if wrong:
        sys.exit("\n".join(wrong))
    output.write_text(text)


if __name__ == "__main__":
    main()
