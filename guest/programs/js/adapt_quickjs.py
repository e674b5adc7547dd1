#!/usr/bin/env python3
# ruff: noqa: E501 (lines of C are as long as they are)
"""adapt_quickjs: the few lines of QuickJS that must be otherwise here, changed at build time.

    adapt_quickjs.py QUICKJS.c OUTPUT.c

Each change says why, and must find exactly what it expects: another version of QuickJS stops the build
instead of being changed by accident.
"""

import pathlib
import sys

import adapt_global
import adapt_private
import adapt_stack
import adapt_syntax

# (why, how often, old, new)
CHANGES = [
    (
        "in wasm a computed goto is a table of numbers before the table of a switch",
        1,
        "#if defined(EMSCRIPTEN) || defined(_MSC_VER)\n#define DIRECT_DISPATCH  0",
        "#if defined(__wasm__) || defined(_MSC_VER)\n#define DIRECT_DISPATCH  0",
    ),
    (
        "Atomics do not need threads: there is one, which nobody wakes before its time",
        1,
        "!defined(EMSCRIPTEN) && !defined(__wasi__) && !__STDC_NO_ATOMICS__",
        "!__STDC_NO_ATOMICS__",
    ),
    ("as above", 1, "    js_cond_t cond;\n    int32_t *ptr;", "    int32_t *ptr;"),
    (
        "as above",
        1,
        "static js_once_t js_atomics_once = JS_ONCE_INIT;\nstatic js_mutex_t js_atomics_mutex;\n",
        "#define js_mutex_lock(mutex)\n#define js_mutex_unlock(mutex)\n",
    ),
    (
        "as above",
        1,
        "    waiter = &waiter_s;\n    waiter->ptr = ptr;\n    js_cond_init(&waiter->cond);\n"
        "    waiter->linked = true;\n    list_add_tail(&waiter->link, &js_atomics_waiter_list);\n\n"
        "    if (timeout == INT64_MAX) {\n        js_cond_wait(&waiter->cond, &js_atomics_mutex);\n"
        "        ret = 0;\n    } else {\n"
        "        ret = js_cond_timedwait(&waiter->cond, &js_atomics_mutex, timeout * 1e6 /* to ns */);\n"
        "    }\n    if (waiter->linked)\n        list_del(&waiter->link);\n"
        "    js_mutex_unlock(&js_atomics_mutex);\n    js_cond_destroy(&waiter->cond);\n"
        "    if (ret == -1) {",
        "    quickjs_wait(timeout);\n    ret = -1;\n    if (ret == -1) {",
    ),
    ("as above", 1, "            js_cond_signal(&waiter->cond);\n", ""),
    (
        "as above",
        1,
        "static void js__atomics_init(void) {\n    js_mutex_init(&js_atomics_mutex);\n}\n",
        "",
    ),
    ("as above", 1, "    js_once(&js_atomics_once, js__atomics_init);\n\n", ""),
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
        "the hook of promises is told of handlers, too: their promise is that of the function which resolves it",
        1,
        "        res = JS_Call(ctx, handler, JS_UNDEFINED, 1, &arg);\n    }\n    is_reject = JS_IsException(res);\n",
        "        JSPromiseFunctionData *owner = JS_GetOpaque(argv[0], JS_CLASS_PROMISE_RESOLVE_FUNCTION);\n"
        "        JSRuntime *rt = ctx->rt;\n"
        "        if (rt->promise_hook && owner)\n"
        "            rt->promise_hook(ctx, JS_PROMISE_HOOK_BEFORE, owner->promise, JS_UNDEFINED, rt->promise_hook_opaque);\n"
        "        res = JS_Call(ctx, handler, JS_UNDEFINED, 1, &arg);\n"
        "        if (rt->promise_hook && owner) {\n"
        "            JSValue thrown = JS_IsException(res) ? JS_GetException(ctx) : JS_UNDEFINED;\n"
        "            rt->promise_hook(ctx, JS_PROMISE_HOOK_AFTER, owner->promise, JS_UNDEFINED, rt->promise_hook_opaque);\n"
        "            if (JS_IsException(res)) JS_Throw(ctx, thrown);\n"
        "        }\n"
        "    }\n    is_reject = JS_IsException(res);\n",
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
        "static void quickjs_bad_callback(JSContext *ctx, JSValueConst value);\n"
        "static JSValue quickjs_value_error(JSContext *ctx, JSErrorEnum kind, const char *format, JSValueConst value);\n"
        "static JSValue quickjs_builtin_error(JSContext *ctx, JSErrorEnum kind, const char *format);\n"
        "static int quickjs_read_only(JSContext *ctx, int flags, JSValueConst object, JSAtom prop);\n"
        "static int quickjs_no_object(JSContext *ctx, int flags, JSValueConst value, JSAtom prop);\n"
        "static int quickjs_not_extensible(JSContext *ctx, int flags, JSAtom prop);\n"
        "static JSValue quickjs_not_object(JSContext *ctx);\n"
        "static int quickjs_getter_only(JSContext *ctx, int flags, JSValueConst object, JSAtom prop);\n"
        "static int quickjs_not_configurable(JSContext *ctx, int flags, JSAtom prop);\n"
        "static void quickjs_bad_receiver(JSContext *ctx, JSAtom class_name, JSValueConst receiver);\n"
        "static void quickjs_not_deletable(JSContext *ctx, JSValueConst object, JSAtom prop);\n"
        "static JSValue quickjs_bigint_mixed(JSContext *ctx);\n"
        "static void quickjs_bad_index(JSContext *ctx, JSValueConst value);\n"
        "static void quickjs_regexp_syntax(JSContext *ctx, JSValueConst pattern, JSValueConst flags, const char *why);\n"
        "static bool quickjs_take_exact(void);\n"
        "static JSValue quickjs_json_integer(JSContext *ctx, const char *text, const char *end);\n"
        "static void quickjs_json_syntax(JSContext *ctx, const char *text, size_t len);\n"
        "static void quickjs_json_circle(JSContext *ctx, JSValueConst stack, JSValueConst value);\n"
        "static JSValue quickjs_json_plain(JSContext *ctx, JSValueConst value);\n"
        "static bool quickjs_function_follows(const uint8_t *at, const uint8_t *end);\n"
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
        "    if (likely(JS_IsFunction(ctx, obj)))\n        return 0;\n    quickjs_bad_callback(ctx, obj);",
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
        "struct source_place { int line, column; };\n\n"
        "/* Of the name before the current token, which opens the arguments of a call. */\n"
        "static struct source_place callee_place(JSParseState *s)\n{\n"
        "    const uint8_t *at = s->token.ptr;\n"
        "    while (at > s->token.line_start && (lre_js_is_ident_next(at[-1]) || at[-1] >= 0x80))\n"
        "        at--;\n"
        "    return (struct source_place){s->token.line_num, (int)(at - s->token.line_start) + 1};\n"
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
        "        bool has_optional_chain = false;\n        struct source_place call_place = {0, 0};\n\n"
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
        "            new_place = (struct source_place){s->token.line_num, s->token.col_num};\n"
        "            if (js_parse_postfix_expr(s, 0))",
    ),
    (
        "as above",
        1,
        "    int optional_chaining_label;\n    int import_line_num, import_col_num;\n",
        "    int optional_chaining_label;\n    struct source_place new_place = {0, 0};\n"
        "    int import_line_num, import_col_num;\n",
    ),
    (
        "a property is read where its name or bracket stands, and written at the operator",
        1,
        "                emit_op(s, OP_scope_get_private_field);\n                emit_atom(s, s->token.u.ident.atom);",
        "                emit_source_loc(s);\n"
        "                emit_op(s, OP_scope_get_private_field);\n                emit_atom(s, s->token.u.ident.atom);",
    ),
    (
        "as above",
        1,
        "                    emit_op(s, OP_get_field);\n                    emit_atom(s, s->token.u.ident.atom);",
        "                    emit_source_loc(s);\n"
        "                    emit_op(s, OP_get_field);\n                    emit_atom(s, s->token.u.ident.atom);",
    ),
    (
        "as above",
        1,
        "        parse_array_access:\n            prev_op = get_prev_opcode(fd);\n",
        "        parse_array_access:\n            prev_op = get_prev_opcode(fd);\n"
        "            struct source_place bracket = {s->token.line_num, s->token.col_num};\n",
    ),
    (
        "as above",
        1,
        "            } else {\n                emit_op(s, OP_get_array_el);\n            }\n        } else {\n            break;",
        "            } else {\n                emit_source_loc_at(s, bracket.line, bracket.column);\n"
        "                emit_op(s, OP_get_array_el);\n            }\n        } else {\n            break;",
    ),
    (
        "as above",
        1,
        "        int label;\n        if (next_token(s))\n            return -1;\n"
        "        if (get_lvalue(s, &opcode, &scope, &name, &label, NULL, (op != '='), op) < 0)",
        "        int label;\n"
        "        struct source_place assigned = {s->token.line_num, s->token.col_num};\n"
        "        if (next_token(s))\n            return -1;\n"
        "        if (get_lvalue(s, &opcode, &scope, &name, &label, NULL, (op != '='), op) < 0)",
    ),
    (
        "as above",
        1,
        "            emit_op(s, op - TOK_MUL_ASSIGN + OP_mul);\n        }\n        put_lvalue(",
        "            emit_op(s, op - TOK_MUL_ASSIGN + OP_mul);\n        }\n"
        "        if (opcode == OP_get_field || opcode == OP_get_array_el || opcode == OP_scope_get_private_field)\n"
        "            emit_source_loc_at(s, assigned.line, assigned.column);\n        put_lvalue(",
    ),
    (
        "what is iterated has a place, also when no name or call is its end",
        1,
        "static __exception int js_parse_array_literal(JSParseState *s)\n{",
        "static void emit_operand_place(JSParseState *s, struct source_place start)\n{\n"
        "    int last = get_prev_opcode(s->cur_func);\n"
        "    if (last != OP_get_field && last != OP_get_array_el && last != OP_call && last != OP_call_method)\n"
        "        emit_source_loc_at(s, start.line, start.column);\n"
        "}\n\n"
        "static __exception int js_parse_array_literal(JSParseState *s)\n{",
    ),
    (
        "as above",
        1,
        "            if (next_token(s))\n                return -1;\n            if (js_parse_assign_expr(s))\n"
        "                return -1;\n            emit_op(s, OP_append);",
        "            if (next_token(s))\n                return -1;\n"
        "            struct source_place spread = {s->token.line_num, s->token.col_num};\n"
        "            if (js_parse_assign_expr(s))\n                return -1;\n"
        "            emit_operand_place(s, spread);\n            emit_op(s, OP_append);",
    ),
    (
        "as above",
        1,
        "                        if (js_parse_assign_expr(s))\n                            return -1;\n"
        "                        /* XXX: could pass is_last indicator? */\n",
        "                        struct source_place spread = {s->token.line_num, s->token.col_num};\n"
        "                        if (js_parse_assign_expr(s))\n                            return -1;\n"
        "                        emit_operand_place(s, spread);\n",
    ),
    (
        "as above",
        1,
        "    if (is_for_of) {\n        if (js_parse_assign_expr(s))\n            return -1;\n    } else {",
        "    if (is_for_of) {\n        struct source_place start = {s->token.line_num, s->token.col_num};\n"
        "        if (js_parse_assign_expr(s))\n            return -1;\n"
        "        emit_operand_place(s, start);\n    } else {",
    ),
    (
        "as above",
        1,
        "            if (js_parse_assign_expr2(s, parse_flags))\n                return -1;\n        } else {\n"
        "            emit_op(s, OP_undefined);\n        }\n        is_async =",
        "            struct source_place start = {s->token.line_num, s->token.col_num};\n"
        "            if (js_parse_assign_expr2(s, parse_flags))\n                return -1;\n"
        "            if (is_star)\n                emit_operand_place(s, start);\n        } else {\n"
        "            emit_op(s, OP_undefined);\n        }\n        is_async =",
    ),
    (
        "await where it is no keyword is told as such, not as a missing semicolon",
        1,
        "static int js_parse_expect(JSParseState *s, int tok)\n{\n    char buf[ATOM_GET_STR_BUF_SIZE];\n\n"
        "    if (s->token.val == tok)\n        return next_token(s);\n",
        '#define AWAIT_MISPLACED "await is only valid in async functions and the top level bodies of modules"\n\n'
        "/* The token before this one, the end of an expression, is the name `await`. */\n"
        "static bool follows_await(JSParseState *s)\n{\n"
        "    const uint8_t *at = s->token.ptr;\n"
        '    while (at > s->buf_start && strchr(" \\t\\r\\n", at[-1]))\n        at--;\n'
        '    if (at - s->buf_start < 5 || memcmp(at - 5, "await", 5) || s->token.val == TOK_EOF)\n'
        "        return false;\n"
        "    at -= 5;\n"
        '    return at == s->buf_start || (!lre_js_is_ident_next(at[-1]) && at[-1] < 0x80 && !strchr(".#", at[-1]));\n'
        "}\n\n"
        "static int js_parse_expect(JSParseState *s, int tok)\n{\n    char buf[ATOM_GET_STR_BUF_SIZE];\n\n"
        "    if (s->token.val == tok)\n        return next_token(s);\n"
        "    if (follows_await(s))\n        return js_parse_error(s, AWAIT_MISPLACED);\n",
    ),
    (
        "as above",
        1,
        "        return js_parse_error(s, \"expecting '%c'\", ';');",
        "        if (follows_await(s))\n            return js_parse_error(s, AWAIT_MISPLACED);\n"
        "        return js_parse_error(s, \"expecting '%c'\", ';');",
    ),
    (
        "as above",
        1,
        "return js_parse_error(s, \"unexpected 'await' keyword\");",
        "return js_parse_error(s, AWAIT_MISPLACED);",
    ),
    (
        "a name that is declared twice is named",
        1,
        "static int define_var(JSParseState *s, JSFunctionDef *fd, JSAtom name,\n"
        "                      JSVarDefEnum var_def_type)\n{",
        "static int declared_twice(JSParseState *s, JSAtom name)\n{\n"
        "    char text[ATOM_GET_STR_BUF_SIZE];\n"
        "    return js_parse_error(s, \"Identifier '%s' has already been declared\",\n"
        "                          JS_AtomGetStr(s->ctx, text, sizeof(text), name));\n"
        "}\n\n"
        "static int define_var(JSParseState *s, JSFunctionDef *fd, JSAtom name,\n"
        "                      JSVarDefEnum var_def_type)\n{",
    ),
    (
        "as above",
        2,
        'return js_parse_error(s, "invalid redefinition of lexical identifier");',
        "return declared_twice(s, name);",
    ),
    (
        "as above",
        1,
        'return js_parse_error(s, "invalid redefinition of parameter name");',
        "return declared_twice(s, name);",
    ),
    (
        "as above",
        1,
        'return js_parse_error(s, "invalid redefinition of a variable");',
        "return declared_twice(s, name);",
    ),
    (
        "as above",
        1,
        'return js_parse_error(s, "invalid redefinition of global identifier");',
        "return declared_twice(s, name);",
    ),
    (
        "as above",
        1,
        'js_parse_error(s, "invalid redefinition of global identifier in module code");',
        "declared_twice(s, func_name);",
    ),
    (
        "as above",
        1,
        '                js_parse_error(s, "invalid redefinition of global identifier");\n'
        "                JS_FreeAtom(ctx, func_name);",
        "                declared_twice(s, func_name);\n                JS_FreeAtom(ctx, func_name);",
    ),
    (
        "as above",
        1,
        "JS_ThrowSyntaxErrorAtom(ctx, \"redeclaration of '%s'\", prop)",
        "JS_ThrowSyntaxErrorAtom(ctx, \"Identifier '%s' has already been declared\", prop)",
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
        "when an allocation failed (memory.h), what goes wrong after it is that memory is out",
        1,
        "    JSValue obj;\n\n    obj = JS_MakeError(ctx, error_num, add_backtrace, fmt, ap);\n"
        "    if (unlikely(JS_IsException(obj))) {\n"
        "        /* out of memory: throw JS_NULL to avoid recursing */\n        obj = JS_NULL;",
        "    JSValue obj;\n\n    if (unlikely(quickjs_memory_failed) && !ctx->rt->in_out_of_memory)\n"
        "        return JS_ThrowOutOfMemory(ctx);\n"
        "    obj = JS_MakeError(ctx, error_num, add_backtrace, fmt, ap);\n"
        "    if (unlikely(JS_IsException(obj))) {\n        obj = js_dup(quickjs_spare_error);",
    ),
    (
        "as above: an error is whole or not made",
        1,
        '    if (JS_IsException(msg))\n        msg = JS_NewString(ctx, "Invalid error message");\n'
        "    if (!JS_IsException(msg)) {\n"
        "        JS_DefinePropertyValue(ctx, obj, JS_ATOM_message, msg,\n"
        "                               JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);\n    }\n",
        "    if (JS_IsException(msg) ||\n"
        "        JS_DefinePropertyValue(ctx, obj, JS_ATOM_message, msg,\n"
        "                               JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE) < 0) {\n"
        "        JS_FreeValue(ctx, obj);\n        return JS_EXCEPTION;\n    }\n",
    ),
    (
        "as above: some allocations fail without an error of their own",
        1,
        "    val = rt->current_exception;\n    rt->current_exception = JS_UNINITIALIZED;\n    return val;",
        "    val = rt->current_exception;\n    if (JS_IsUninitialized(val) && quickjs_memory_failed)\n"
        "        val = js_dup(quickjs_spare_error);\n    rt->current_exception = JS_UNINITIALIZED;\n"
        "    quickjs_memory_failed = false;\n    return val;",
    ),
    (
        "as above",
        1,
        " exception:\n    if (needs_backtrace(rt->current_exception)",
        " exception:\n    if (unlikely(JS_IsUninitialized(rt->current_exception)))\n"
        "        rt->current_exception = js_dup(quickjs_spare_error);\n"
        "    if (needs_backtrace(rt->current_exception)",
    ),
    (
        "as above",
        1,
        "                    *sp++ = rt->current_exception;\n                    rt->current_exception = JS_UNINITIALIZED;\n",
        "                    *sp++ = rt->current_exception;\n                    rt->current_exception = JS_UNINITIALIZED;\n"
        "                    quickjs_memory_failed = false;\n",
    ),
    (
        "as above: a builtin that went on without what it could not make has failed",
        1,
        "    default:\n        abort();\n    }\n\n    rt->current_stack_frame = sf->prev_frame;\n    return ret_val;",
        "    default:\n        abort();\n    }\n\n    rt->current_stack_frame = sf->prev_frame;\n"
        "    if (unlikely(quickjs_memory_failed) && !JS_IsException(ret_val) && JS_HasException(ctx)) {\n"
        "        JS_FreeValue(ctx, ret_val);\n        ret_val = JS_EXCEPTION;\n    }\n    return ret_val;",
    ),
    (
        "as above: nor is a function compiled from half its code",
        1,
        "    int closure_var_offset, vardefs_offset;\n\n    /* recompute scope linkage */\n",
        "    int closure_var_offset, vardefs_offset;\n\n"
        "    if (quickjs_memory_failed) {\n        JS_ThrowOutOfMemory(ctx);\n        goto fail;\n    }\n"
        "    /* recompute scope linkage */\n",
    ),
    (
        "as above",
        1,
        "    if (compute_stack_size(ctx, fd, &stack_size) < 0)\n        goto fail;\n",
        "    if (quickjs_memory_failed) {\n        JS_ThrowOutOfMemory(ctx);\n        goto fail;\n    }\n"
        "    if (compute_stack_size(ctx, fd, &stack_size) < 0)\n        goto fail;\n",
    ),
    (
        "as above: failures of before do not count",
        1,
        "    js_parse_init(ctx, s, input, input_len, filename, line);\n    skip_shebang(",
        "    quickjs_memory_failed = false;\n"
        "    js_parse_init(ctx, s, input, input_len, filename, line);\n    skip_shebang(",
    ),
    (
        "a value that could not be made is not stored",
        1,
        "                         uint32_t idx, JSValue val)\n{\n    return JS_SetPropertyValue(",
        "                         uint32_t idx, JSValue val)\n{\n    if (unlikely(JS_IsException(val)))\n"
        "        return -1;\n    return JS_SetPropertyValue(",
    ),
    (
        "as above",
        1,
        "                      const char *prop, JSValue val)\n{\n    JSAtom atom;\n    int ret;\n",
        "                      const char *prop, JSValue val)\n{\n    JSAtom atom;\n    int ret;\n"
        "    if (unlikely(JS_IsException(val)))\n        return -1;\n",
    ),
    (
        "as above",
        1,
        "                           JSAtom prop, JSValue val, int flags)\n{\n    int ret;\n"
        "    ret = JS_DefinePropertyValueConst(",
        "                           JSAtom prop, JSValue val, int flags)\n{\n    int ret;\n"
        "    if (unlikely(JS_IsException(val)))\n        return -1;\n"
        "    ret = JS_DefinePropertyValueConst(",
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
    (
        "spreading a string spreads its characters",
        1,
        "    if (JS_VALUE_GET_TAG(source) != JS_TAG_OBJECT)\n        return 0;\n\n    if (JS_VALUE_GET_TAG(excluded)",
        "    if (JS_IsString(source)) {\n        JSValue wrapped = JS_ToObject(ctx, source);\n"
        "        if (JS_IsException(wrapped))\n            return -1;\n"
        "        ret = JS_CopyDataProperties(ctx, target, wrapped, excluded, setprop);\n"
        "        JS_FreeValue(ctx, wrapped);\n        return ret;\n    }\n"
        "    if (JS_VALUE_GET_TAG(source) != JS_TAG_OBJECT)\n        return 0;\n\n    if (JS_VALUE_GET_TAG(excluded)",
    ),
    (
        "errors of JSON say where (quickjs_json.h)",
        1,
        "    return val;\n fail:\n    JS_FreeValue(ctx, val);\n    free_token(s, &s->token);\n    return JS_EXCEPTION;\n}\n\n"
        "/* 'buf' must be zero",
        "    return val;\n fail:\n    JS_FreeValue(ctx, val);\n    free_token(s, &s->token);\n"
        "    quickjs_json_syntax(ctx, buf, buf_len);\n    return JS_EXCEPTION;\n}\n\n"
        "/* 'buf' must be zero",
    ),
    (
        "as above",
        1,
        '            JS_ThrowTypeError(ctx, "circular reference");',
        "            quickjs_json_circle(ctx, jsc->stack, val);",
    ),
    (
        "what tools are given and give has integers beyond 2^53 as BigInt (quickjs_open.h)",
        1,
        "    bool allow_html_comments;\n} JSParseState;",
        "    bool allow_html_comments;\n    bool exact; /* JSON: large integers are BigInt */\n} JSParseState;",
    ),
    (
        "as above",
        1,
        "    s->token.val = TOK_NUMBER;\n    s->token.u.num.val = js_float64(strtod((const char *)p_start, NULL));",
        "    JSValue number = s->exact ? quickjs_json_integer(s->ctx, (const char *)p_start, (const char *)p)\n"
        "                              : JS_UNDEFINED;\n"
        "    if (JS_IsException(number))\n        return -1;\n"
        "    if (JS_IsUndefined(number))\n        number = js_float64(strtod((const char *)p_start, NULL));\n"
        "    s->token.val = TOK_NUMBER;\n    s->token.u.num.val = number;",
    ),
    (
        "as above",
        1,
        "    case TOK_NUMBER:\n        val = s->token.u.num.val;\n        if (pr) {",
        "    case TOK_NUMBER:\n        val = js_dup(s->token.u.num.val);\n        if (pr) {",
    ),
    (
        "as above",
        1,
        "    js_parse_init(ctx, s, buf, buf_len, filename, 1);\n    if (json_next_token(s))",
        "    js_parse_init(ctx, s, buf, buf_len, filename, 1);\n    s->exact = quickjs_take_exact();\n"
        "    if (json_next_token(s))",
    ),
    (
        "as above",
        1,
        "    StringBuffer *b;\n} JSONStringifyContext;",
        "    StringBuffer *b;\n    bool exact; /* BigInt becomes an integer */\n} JSONStringifyContext;",
    ),
    (
        "as above",
        1,
        "    jsc->replacer_func = JS_UNDEFINED;\n    jsc->stack = JS_UNDEFINED;",
        "    jsc->exact = quickjs_take_exact();\n"
        "    jsc->replacer_func = JS_UNDEFINED;\n    jsc->stack = JS_UNDEFINED;",
    ),
    (
        "plain data is written from where it lies (quickjs_json_write.h)",
        1,
        "    string_buffer_init(ctx, jsc->b, 0);\n    jsc->stack = JS_NewArray(ctx);\n",
        "    if (JS_IsUndefined(replacer) && JS_IsUndefined(space0)) {\n"
        "        ret = quickjs_json_plain(ctx, obj);\n"
        "        if (!JS_IsUninitialized(ret)) {\n"
        "            JS_FreeValue(ctx, jsc->empty);\n"
        "            return ret;\n"
        "        }\n"
        "        ret = JS_UNDEFINED;\n"
        "    }\n"
        "    string_buffer_init(ctx, jsc->b, 0);\n    jsc->stack = JS_NewArray(ctx);\n",
    ),
    (
        "a parenthesis around a function is not read twice to see whether an arrow follows it",
        1,
        "    } else if (s->token.val == '(' &&\n               js_parse_skip_parens_token",
        "    } else if (s->token.val == '(' && !quickjs_function_follows(s->buf_ptr, s->buf_end) &&\n"
        "               js_parse_skip_parens_token",
    ),
    (
        "who settles a promise itself needs no functions for it (quickjs_open.h)",
        1,
        "    if (js_create_resolving_functions(ctx, resolving_funcs, obj)) {\n        JS_FreeValue(ctx, obj);\n"
        "        return JS_EXCEPTION;\n    }\n    rt = ctx->rt;\n",
        "    if (resolving_funcs && js_create_resolving_functions(ctx, resolving_funcs, obj)) {\n"
        "        JS_FreeValue(ctx, obj);\n        return JS_EXCEPTION;\n    }\n    rt = ctx->rt;\n",
    ),
    (
        "as above",
        1,
        "    case JS_TAG_BIG_INT:\n        JS_ThrowTypeError(ctx, \"BigInt are forbidden",
        "    case JS_TAG_BIG_INT:\n        if (jsc->exact)\n            goto concat_value;\n"
        "        JS_ThrowTypeError(ctx, \"BigInt are forbidden",
    ),
    (
        "each level looks for a circle in all that are above it, so their number has a bound",
        1,
        "        v = js_array_includes(ctx, jsc->stack, 1, vc(&val));\n",
        "        if (JS_VALUE_GET_OBJ(jsc->stack)->u.array.count > 10000) {\n"
        "            JS_ThrowStackOverflow(ctx);\n            goto exception;\n        }\n"
        "        v = js_array_includes(ctx, jsc->stack, 1, vc(&val));\n",
    ),
    (
        "as many arguments may be spread as fit on Node's stack, and more",
        1,
        "    if (len > JS_MAX_LOCAL_VARS) {",
        "    if (len > MOST_ARGUMENTS) {",
    ),
    (
        "as above",
        1,
        "                           JS_MAX_LOCAL_VARS);\n        return NULL;\n    }\n    /* avoid allocating 0 bytes */",
        "                           MOST_ARGUMENTS);\n        return NULL;\n    }\n    /* avoid allocating 0 bytes */",
    ),
    (
        "as above",
        1,
        "    uint16_t arg_count;\n    bool is_strict_mode;",
        "    int arg_count;\n#define MOST_ARGUMENTS (1 << 20)\n    bool is_strict_mode;",
    ),
    (
        "the text of a class's method and its place begin together (find_source in quickjs_messages.h)",
        1,
        "        start_ptr = s->token.ptr;\n        if (prop_type < 0) {",
        "        start_ptr = s->token.ptr;\n"
        "        struct source_place element = {s->token.line_num, s->token.col_num};\n"
        "        if (prop_type < 0) {",
    ),
    (
        "as above",
        2,
        "                                        start_ptr,\n                                        s->token.line_num,\n"
        "                                        s->token.col_num,\n",
        "                                        start_ptr, element.line, element.column,\n",
    ),
    (
        "as above, of a constructor, whose text is the whole class",
        1,
        "    const uint8_t *class_start_ptr = s->token.ptr;\n",
        "    const uint8_t *class_start_ptr = s->token.ptr;\n"
        "    struct source_place class_place = {s->token.line_num, s->token.col_num};\n",
    ),
    (
        "as above",
        1,
        "    js_free(ctx, ctor_fd->source);\n",
        "    js_free(ctx, ctor_fd->source);\n    ctor_fd->line_num = class_place.line;\n"
        "    ctor_fd->col_num = class_place.column;\n",
    ),
    (
        "a pattern that is wrong is shown",
        1,
        '        JS_ThrowSyntaxError(ctx, "%s", error_msg);\n        return JS_EXCEPTION;\n    }\n\n    ret = js_new_string8_len',
        "        quickjs_regexp_syntax(ctx, pattern, flags, error_msg);\n        return JS_EXCEPTION;\n    }\n\n    ret = js_new_string8_len",
    ),
    (
        "as above",
        2,
        'JS_ThrowSyntaxError(ctx, "invalid regular expression flags")',
        "quickjs_value_error(ctx, JS_SYNTAX_ERROR, \"Invalid flags supplied to RegExp constructor '%s'\", flags)",
    ),
    (
        "an assignment that is refused names the object (quickjs_messages.h)",
        1,
        "            ret = JS_ThrowTypeErrorReadOnly(ctx, flags, prop);\n            goto done;",
        "            ret = quickjs_read_only(ctx, flags, this_obj, prop);\n            goto done;",
    ),
    (
        "as above",
        1,
        '        ret = JS_ThrowTypeErrorOrFalse(ctx, flags, "not an object");\n        goto done;\n    }\n\n    if (p == JS_VALUE_GET_OBJ(obj)) {',
        "        ret = quickjs_no_object(ctx, flags, this_obj, prop);\n        goto done;\n    }\n\n    if (p == JS_VALUE_GET_OBJ(obj)) {",
    ),
    (
        "as above",
        2,
        'ret = JS_ThrowTypeErrorOrFalse(ctx, flags, "object is not extensible");',
        "ret = quickjs_not_extensible(ctx, flags, prop);",
    ),
    (
        "as above",
        1,
        '        return JS_ThrowTypeErrorOrFalse(ctx, flags, "object is not extensible");',
        "        return quickjs_not_extensible(ctx, flags, prop);",
    ),
    (
        "as above",
        1,
        '        JS_ThrowTypeError(ctx, "could not delete property");',
        "        quickjs_not_deletable(ctx, obj, prop);",
    ),
    (
        "as above",
        1,
        "        } else if ((prs->flags & JS_PROP_TMASK) == JS_PROP_GETSET) {\n"
        "            return call_setter(ctx, pr->u.getset.setter, this_obj, val, flags);",
        "        } else if ((prs->flags & JS_PROP_TMASK) == JS_PROP_GETSET) {\n"
        "            if (!pr->u.getset.setter) {\n                JS_FreeValue(ctx, val);\n"
        "                return quickjs_getter_only(ctx, flags, this_obj, prop);\n            }\n"
        "            return call_setter(ctx, pr->u.getset.setter, this_obj, val, flags);",
    ),
    (
        "as above",
        1,
        "            if ((prs->flags & JS_PROP_TMASK) == JS_PROP_GETSET) {\n"
        "                return call_setter(ctx, pr->u.getset.setter, this_obj, val, flags);",
        "            if ((prs->flags & JS_PROP_TMASK) == JS_PROP_GETSET) {\n"
        "                if (!pr->u.getset.setter) {\n                    JS_FreeValue(ctx, val);\n"
        "                    return quickjs_getter_only(ctx, flags, this_obj, prop);\n                }\n"
        "                return call_setter(ctx, pr->u.getset.setter, this_obj, val, flags);",
    ),
    (
        "as above",
        1,
        '        not_configurable:\n            return JS_ThrowTypeErrorOrFalse(ctx, flags, "property is not configurable");',
        "        not_configurable:\n            return quickjs_not_configurable(ctx, flags, prop);",
    ),
    (
        "a method says whose it is and what it was given",
        1,
        "    if (unlikely(!p)) {\n        JS_ThrowTypeErrorInvalidClass(ctx, class_id);\n    }\n    return p;",
        "    if (unlikely(!p)) {\n"
        "        quickjs_bad_receiver(ctx, ctx->rt->class_array[class_id].class_name, obj);\n    }\n    return p;",
    ),
    (
        "as above, where the value is at fault",
        1,
        'return JS_ThrowTypeError(ctx, "cannot convert BigInt to number");',
        "return quickjs_bigint_mixed(ctx);",
    ),
    (
        "as above",
        1,
        "    val = JS_StringToBigInt(ctx, val);\n    if (JS_VALUE_IS_NAN(val))\n"
        '        return JS_ThrowSyntaxError(ctx, "invalid BigInt literal");\n    return val;',
        "    JSValue text = js_dup(val);\n    val = JS_StringToBigInt(ctx, val);\n    if (JS_VALUE_IS_NAN(val))\n"
        '        val = quickjs_value_error(ctx, JS_SYNTAX_ERROR, "Cannot convert %s to a BigInt", text);\n'
        "    JS_FreeValue(ctx, text);\n    return val;",
    ),
    (
        "as above",
        1,
        'JS_ThrowRangeError(ctx, "cannot convert to BigInt: not an integer")',
        "quickjs_value_error(ctx, JS_RANGE_ERROR, "
        '"The number %s cannot be converted to a BigInt because it is not an integer", val)',
    ),
    (
        "as above",
        1,
        'JS_ThrowRangeError(ctx, "cannot convert NaN or Infinity to BigInt")',
        "quickjs_value_error(ctx, JS_RANGE_ERROR, "
        '"The number %s cannot be converted to a BigInt because it is not an integer", val)',
    ),
    (
        "as above",
        1,
        '        JS_FreeValue(ctx, val);\n        return JS_ThrowTypeError(ctx, "cannot convert to BigInt");',
        '        quickjs_value_error(ctx, JS_TYPE_ERROR, "Cannot convert %s to a BigInt", val);\n'
        "        JS_FreeValue(ctx, val);\n        return JS_EXCEPTION;",
    ),
    (
        "as above",
        1,
        '        JS_FreeValue(ctx, val);\n        return JS_ThrowTypeError(ctx, "cannot convert to bigint");',
        '        quickjs_value_error(ctx, JS_TYPE_ERROR, "Cannot convert %s to a BigInt", val);\n'
        "        JS_FreeValue(ctx, val);\n        return JS_EXCEPTION;",
    ),
    (
        "as above",
        1,
        '        JS_ThrowRangeError(ctx, "invalid array index");\n        *plen = 0;',
        "        quickjs_bad_index(ctx, val);\n        *plen = 0;",
    ),
    (
        "as above",
        1,
        '        JS_ThrowRangeError(ctx, "invalid repeat count");',
        '        quickjs_value_error(ctx, JS_RANGE_ERROR, "Invalid count value: %s", argv[0]);',
    ),
    (
        "as above",
        1,
        '    JS_ThrowRangeError(ctx, "invalid code point");',
        '    quickjs_value_error(ctx, JS_RANGE_ERROR, "Invalid code point %s", argv[i]);',
    ),
    (
        "as above",
        1,
        'JS_ThrowRangeError(ctx, "invalid array index: %" PRId64, idx);',
        'quickjs_value_error(ctx, JS_RANGE_ERROR, "Invalid index : %s", argv[0]);',
    ),
    (
        "as above",
        1,
        'JS_ThrowTypeError(ctx, "parent class must be constructor");',
        'quickjs_value_error(ctx, JS_TYPE_ERROR, "Class extends value %s is not a constructor or null", parent_class);',
    ),
    (
        "as above",
        1,
        'JS_ThrowTypeError(ctx, "object prototype may only be an Object or null")',
        "quickjs_value_error(ctx, JS_TYPE_ERROR, "
        '"Object prototype may only be an Object or null: %s", proto)',
    ),
    (
        "as above",
        1,
        "            sync_iter = JS_GetIterator2(ctx, obj, method);",
        "            if (!JS_IsFunction(ctx, method)) {\n                JS_FreeValue(ctx, method);\n"
        '                return quickjs_value_error(ctx, JS_TYPE_ERROR, "%s is not async iterable", obj);\n'
        "            }\n            sync_iter = JS_GetIterator2(ctx, obj, method);",
    ),
    (
        "as above, where the builtin is what matters",
        1,
        "static JSValue JS_ThrowTypeErrorNotAnObject(JSContext *ctx)\n{\n"
        '    return JS_ThrowTypeError(ctx, "not an object");',
        "static JSValue JS_ThrowTypeErrorNotAnObject(JSContext *ctx)\n{\n    return quickjs_not_object(ctx);",
    ),
    (
        "as above",
        1,
        'return JS_ThrowTypeError(ctx, "null or undefined are forbidden");',
        "return quickjs_builtin_error(ctx, JS_TYPE_ERROR, "
        '"String.prototype.%s called on null or undefined");',
    ),
    (
        "as above",
        3,
        '        return JS_ThrowTypeError(ctx, "cannot convert to object");',
        "        return quickjs_builtin_error(ctx, JS_TYPE_ERROR, "
        '"String.prototype.%s called on null or undefined");',
    ),
    (
        "as above",
        1,
        "JS_ThrowTypeError(ctx, \"regexp must have the 'g' flag\")",
        "quickjs_builtin_error(ctx, JS_TYPE_ERROR, "
        '"String.prototype.%s called with a non-global RegExp argument")',
    ),
    (
        "as above",
        1,
        'JS_ThrowTypeError(ctx, "regexp not supported")',
        "quickjs_builtin_error(ctx, JS_TYPE_ERROR, "
        '"First argument to String.prototype.%s must not be a regular expression")',
    ),
    (
        "as above",
        1,
        '    return JS_ThrowTypeError(ctx, "not a number");\n}',
        "    return quickjs_builtin_error(ctx, JS_TYPE_ERROR, "
        "\"Number.prototype.%s requires that 'this' be a Number\");\n}",
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
    (1, "'%s' is read-only", "Cannot assign to read only property '%s' of object '[object Array]'"),
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
    (1, "expecting hex digit", "URI malformed"),
    (2, '"not a Date object"', '"this is not a Date object."'),
    (1, "invalid value used as WeakMap key", "Invalid value used as weak map key"),
    (
        1,
        '"invalid value used as %s key", is_set ? "WeakSet" : "WeakMap"',
        '"Invalid value used %s", is_set ? "in weak set" : "as weak map key"',
    ),
    (2, "expecting surrogate pair", "URI malformed"),
    (1, "BigInt division by zero", "Division by zero"),
    (1, "BigInt negative exponent", "Exponent must be non-negative"),
    (
        1,
        "bad normalization form",
        "The normalization form should be one of NFC, NFD, NFKC, NFKD.",
    ),
    (
        1,
        "BigInt operands are forbidden for >>>",
        "BigInts have no unsigned right shift, use >> instead",
    ),
    (
        2,
        'RangeError(ctx, "out of bound")',
        'RangeError(ctx, "Offset is outside the bounds of the DataView")',
    ),
    (2, "unexpected end of string", "Invalid or unexpected token"),
    (1, "unexpected end of comment", "Invalid or unexpected token"),
    (1, "unexpected end of regexp", "Invalid regular expression: missing /"),
    (1, "unexpected line terminator in regexp", "Invalid regular expression: missing /"),
    (1, "not a object", "CreateListFromArrayLike called on non-object"),
    (1, "promise self resolution", "Chaining cycle detected for promise #<Promise>"),
    (2, 'ctx, "toPrimitive"', 'ctx, "Cannot convert object to primitive value"'),
    (1, "no setter for property", "Cannot set a property which has only a getter"),
    (3, "object is not extensible", "#<Object> is not extensible"),
    (
        1,
        "\"invalid 'instanceof' right operand\"",
        '"Right-hand side of \'instanceof\' is not %s", JS_IsObject(obj) ? "callable" : "an object"',
    ),
    (
        1,
        "s, \"unexpected token in expression: '%.*s'\"",
        's, s->token.val == TOK_EOF ? "Unexpected end of input" : "Unexpected token \'%.*s\'"',
    ),
    (
        1,
        's, "invalid property name"',
        's, s->token.val == TOK_EOF ? "Unexpected end of input" : "invalid property name"',
    ),
]


def adapt(source, output, changes):
    """Writes the text of `source`, changed, to `output`."""
    source = pathlib.Path(source)
    text = source.read_text()
    wrong = []
    for why, count, old, new in changes:
        found = text.count(old)
        if found != count:
            wrong.append(f"{source}: expected {count} times, found {found} times: {old!r} ({why})")
        text = text.replace(old, new)
    if wrong:
        sys.exit("\n".join(wrong))
    pathlib.Path(output).write_text(text)


def main():
    wording = [("wording", *change) for change in WORDING]
    more = adapt_global.CHANGES + adapt_private.CHANGES + adapt_stack.CHANGES + adapt_syntax.CHANGES
    adapt(*sys.argv[1:], CHANGES + more + wording)


if __name__ == "__main__":
    main()
