/*
 * quickjs_messages.h: errors that name the expression at fault, as V8's do: `o.a.b is not a
 * function`.
 *
 * Part of quickjs_open.c, after the engine: uses its internals. The expression is found in the
 * source text of the running function, at the place that the call's instruction has; when text and
 * place do not fit together the value is described instead. Nothing here runs JavaScript.
 */
#define EXPRESSION_BYTES 96

static bool is_name_byte(uint8_t c) {
    return lre_js_is_ident_next(c) || c >= 0x80;
}

/* Text of the running function, and its position that belongs to the instruction before `pc`. */
struct source_view {
    const char *start, *end, *at;
};

static bool find_source(JSContext *ctx, const JSStackFrame *frame, struct source_view *view) {
    const JSObject *function = JS_VALUE_GET_OBJ(frame->cur_func);
    if (!js_class_has_bytecode(function->class_id) || !frame->cur_pc) return false;
    JSFunctionBytecode *b = function->u.func.function_bytecode;
    if (!b->source) return false;
    int column,
        line = find_line_num(ctx, b, (uint32_t)(frame->cur_pc - b->byte_code_buf - 1), &column);
    if (line == b->line_num && column == b->col_num) return false; /* no place of its own */
    const char *at = b->source, *end = at + b->source_len;
    int at_line = b->line_num, at_column = b->col_num;
    while (at < end && (at_line < line || (at_line == line && at_column < column))) {
        if (*at == '\n') {
            at_line++;
            at_column = 1;
        } else {
            at_column++; /* columns count bytes */
        }
        at++;
    }
    *view = (struct source_view){b->source, end, at};
    return at_line == line && at_column == column && at < end;
}

static const char *skip_space(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')) at++;
    return at;
}

static const char *skip_space_back(const char *start, const char *at) {
    while (at > start && (at[-1] == ' ' || at[-1] == '\n' || at[-1] == '\t' || at[-1] == '\r'))
        at--;
    return at;
}

/* The end of the bracket that opens at `at`; NULL when it does not close. Strings are skipped. */
static const char *close_bracket(const char *at, const char *end) {
    int depth = 0;
    for (; at < end; at++) {
        if (*at == '"' || *at == '\'' || *at == '`') {
            char quote = *at++;
            while (at < end && *at != quote) at += *at == '\\' ? 2 : 1;
        } else if (strchr("([{", *at)) {
            depth++;
        } else if (strchr(")]}", *at) && --depth == 0) {
            return at + 1;
        }
    }
    return NULL;
}

/* The beginning of the bracket that ends before `at`; NULL as above. */
static const char *open_bracket(const char *start, const char *at) {
    int depth = 0;
    while (at-- > start) {
        if (*at == '"' || *at == '\'' || *at == '`') {
            char quote = *at--;
            while (at > start && *at != quote) at--;
        } else if (strchr(")]}", *at)) {
            depth++;
        } else if (strchr("([{", *at) && --depth == 0) {
            return at;
        }
    }
    return NULL;
}

static bool is_keyword(const char *word, size_t len) {
    static const char words[] =
        " async await case class const delete do else function if in instanceof let new of return "
        "switch throw typeof var void while with yield ";
    char spaced[16];
    if (len > 10) return false;
    snprintf(spaced, sizeof spaced, " %.*s ", (int)len, word);
    return strstr(words, spaced) != NULL;
}

/* Where the member expression that ends at `end` begins; NULL when it is of another kind. */
static const char *chain_start(const char *start, const char *end) {
    const char *at = end;
    for (;;) {
        const char *from = skip_space_back(start, at);
        if (from == start) return NULL;
        char last = from[-1];
        if (is_name_byte((uint8_t)last)) {
            const char *name = from;
            while (name > start && (is_name_byte((uint8_t)name[-1]) || name[-1] == '#')) name--;
            if (is_keyword(name, (size_t)(from - name))) return at == end ? NULL : at;
            at = name;
        } else if (last == ')' || last == ']') {
            at = open_bracket(start, from);
            if (!at) return NULL;
            const char *before = skip_space_back(start, at);
            if (before > start && (is_name_byte((uint8_t)before[-1]) || strchr(")]", before[-1]))) {
                const char *word = before;
                while (word > start && is_name_byte((uint8_t)word[-1])) word--;
                if (!is_keyword(word, (size_t)(before - word))) {
                    at = before;
                    continue;
                }
            }
        } else {
            return NULL;
        }
        const char *dot = skip_space_back(start, at);
        if (dot - start < 2 || dot[-1] != '.' ||
            (dot[-2] == '.' && dot - start > 2 && dot[-3] == '.'))
            return at;
        at = dot - 1;
        if (at > start && at[-1] == '?') at--;
    }
}

/* The expression as V8 prints it: no blanks, no arguments. False when it is too long. */
static bool print_expression(char *out, const char *at, const char *end) {
    size_t used = 0;
    bool first = true;
    while (at < end) {
        const char *part = at, *text = at;
        size_t len = 1;
        if (strchr("([", *at)) {
            at = close_bracket(at, end);
            if (!at) return false;
            text = first ? "(intermediate value)" : *part == '(' ? "(...)" : part;
            len = text == part ? (size_t)(at - part) : strlen(text);
        } else {
            at++;
            if (strchr(" \n\t\r", *part)) len = 0;
        }
        if (used + len >= EXPRESSION_BYTES) return false;
        memcpy(out + used, text, len);
        used += len;
        first = false;
    }
    out[used] = 0;
    return used > 0;
}

/* The end of the name at the view's place, from which chain_start() goes back. */
static const char *name_end(const struct source_view *view) {
    const char *at = view->at;
    while (at < view->end && is_name_byte((uint8_t)*at)) at++;
    return at > view->at && !is_keyword(view->at, (size_t)(at - view->at)) ? at : NULL;
}

/* The callee of the call that is running in `frame`. */
static bool callee_text(JSContext *ctx, const JSStackFrame *frame, bool construct, char *out) {
    struct source_view view;
    if (!find_source(ctx, frame, &view)) return false;
    const JSFunctionBytecode *b = JS_VALUE_GET_OBJ(frame->cur_func)->u.func.function_bytecode;
    const uint8_t *pc = frame->cur_pc, *code = b->byte_code_buf;
    uint8_t one = pc - code >= 1 ? pc[-1] : 0, three = pc - code >= 3 ? pc[-3] : 0;
    bool is_call = (one >= OP_call0 && one <= OP_call3) || three == OP_call ||
                   three == OP_tail_call || three == OP_call_method ||
                   three == OP_tail_call_method || three == OP_call_constructor ||
                   three == OP_apply;
    if (!is_call) return false;
    if (construct) { /* the place is where the callee begins */
        const char *end = view.at;
        while (end < view.end && (is_name_byte((uint8_t)*end) || *end == '.' || *end == '#')) end++;
        return end > view.at && print_expression(out, view.at, end);
    }
    const char *end =
        strchr("(`", *view.at) ? skip_space_back(view.start, view.at) : name_end(&view);
    if (end == view.at && end - view.start > 2 && end[-1] == '.' && end[-2] == '?') end -= 2;
    if (!end) return false;
    const char *next = skip_space(end, view.end);
    if (next + 1 < view.end && next[0] == '?' && next[1] == '.')
        next = skip_space(next + 2, view.end);
    if (next >= view.end || !strchr("(`", *next)) return false;
    const char *start = chain_start(view.start, end);
    return start && print_expression(out, start, end);
}

static const char *value_text(JSContext *ctx, JSValueConst value, char *out) {
    if (JS_IsFunction(ctx, value)) {
        const char *name = get_func_name(ctx, value);
        snprintf(out, EXPRESSION_BYTES, "%.80s", name && *name ? name : "(intermediate value)");
        JS_FreeCString(ctx, name);
        return out;
    }
    if (JS_IsObject(value)) return strcpy(out, JS_IsArray(value) ? "[object Array]" : "#<Object>");
    if (JS_IsSymbol(value)) return strcpy(out, "Symbol()");
    const char *text = JS_ToCString(ctx, value);
    snprintf(out, EXPRESSION_BYTES, JS_IsString(value) ? "\"%.80s\"" : "%.80s",
             text ? text : "value");
    JS_FreeCString(ctx, text);
    return out;
}

static JSValue quickjs_not_callable(JSContext *ctx, JSValueConst value, bool construct) {
    char text[EXPRESSION_BYTES];
    const JSStackFrame *frame = ctx->rt->current_stack_frame;
    if (!frame || !callee_text(ctx, frame, construct, text)) value_text(ctx, value, text);
    return JS_ThrowTypeError(ctx, construct ? "%s is not a constructor" : "%s is not a function",
                             text);
}

/* From the end of a name over all members, indexes and calls that follow it. */
static const char *operand_end(const char *end, const char *limit, bool *called) {
    *called = false;
    while (end && end < limit) {
        if (*end == '(' || *end == '[') {
            *called = *end == '(';
            end = close_bracket(end, limit);
        } else if (*end == '.' && end + 1 < limit && is_name_byte((uint8_t)end[1])) {
            *called = false;
            for (end++; end < limit && is_name_byte((uint8_t)*end);) end++;
        } else {
            break;
        }
    }
    return end;
}

/* What stands to the right of the pattern at the view's place, if a plain member expression does.
 */
static bool move_to_initializer(struct source_view *view) {
    const char *at = close_bracket(view->at, view->end);
    at = at ? skip_space(at, view->end) : view->end;
    if (at + 1 >= view->end || *at != '=' || at[1] == '=' || at[1] == '>') return false;
    view->at = skip_space(at + 1, view->end);
    return view->at < view->end;
}

/* The operand of which the view's place is a part: the value of a pattern, of for…of, of a spread.
 * `called`: it ends in a call, whose callee is what was written. */
static bool operand_text(struct source_view *view, char *out, bool *called) {
    if (strchr("[{", *view->at) && !move_to_initializer(view)) return false;
    const char *name = name_end(view), *end = name ? operand_end(name, view->end, called) : NULL;
    if (!end) return false;
    const char *rest = skip_space(end, view->end);
    if (rest < view->end && *rest != '\n' && rest[-1] != '\n' && !strchr(";,)]}", *rest))
        return false; /* part of something larger */
    const char *last = *called ? name : end;
    const char *start = chain_start(view->start, last);
    return start && print_expression(out, start, last);
}

static JSValue quickjs_not_iterable(JSContext *ctx, JSValueConst value) {
    char text[EXPRESSION_BYTES];
    struct source_view view;
    bool called = false,
         simple = !JS_IsObject(value) && !JS_IsUndefined(value) && !JS_IsNull(value);
    const JSStackFrame *frame = ctx->rt->current_stack_frame;
    if (!simple && frame && find_source(ctx, frame, &view) && operand_text(&view, text, &called))
        return JS_ThrowTypeError(ctx,
                                 called ? "%s is not a function or its return value is not iterable"
                                        : "%s is not iterable",
                                 text);
    return JS_ThrowTypeError(ctx, "%s is not iterable", value_text(ctx, value, text));
}

/* pc: after OP_to_object, which a destructuring pattern begins with */
static JSValue quickjs_not_destructible(JSContext *ctx, const uint8_t *pc, JSValueConst value) {
    char text[EXPRESSION_BYTES], name[ATOM_GET_STR_BUF_SIZE];
    struct source_view view;
    bool called;
    const char *kind = JS_IsNull(value) ? "null" : "undefined";
    const JSStackFrame *frame = ctx->rt->current_stack_frame;
    if (!find_source(ctx, frame, &view) || !operand_text(&view, text, &called))
        snprintf(text, sizeof text, "%s", kind);
    else if (called)
        snprintf(text, sizeof text, "(intermediate value)");
    if (*pc != OP_get_field2)
        return JS_ThrowTypeError(ctx, "Cannot destructure '%s' as it is %s.", text, kind);
    JS_AtomGetStr(ctx, name, sizeof name, get_u32(pc + 1));
    return JS_ThrowTypeError(ctx, "Cannot destructure property '%s' of '%s' as it is %s.", name,
                             text, kind);
}

static JSValue quickjs_needs_new(JSContext *ctx, JSValueConst function) {
    const char *name = get_func_name(ctx, function);
    JSValue result =
        name && !strcmp(name, "Promise")
            ? JS_ThrowTypeError(ctx, "Promise constructor cannot be invoked without 'new'")
            : JS_ThrowTypeError(ctx, "Constructor %s requires 'new'", name ? name : "");
    JS_FreeCString(ctx, name);
    return result;
}

static JSValue quickjs_class_called(JSContext *ctx, JSValueConst function) {
    const char *name = get_func_name(ctx, function);
    JS_ThrowTypeError(ctx, "Class constructor %s cannot be invoked without 'new'",
                      name ? name : "");
    JS_FreeCString(ctx, name);
    return JS_EXCEPTION;
}

static JSValue quickjs_bad_in(JSContext *ctx, JSValueConst key, JSValueConst value) {
    char text[EXPRESSION_BYTES], in[EXPRESSION_BYTES];
    value_text(ctx, key, text);
    value_text(ctx, value, in);
    for (char *part = text; JS_IsString(key) && (part = strchr(part, '"'));) *part = '\'';
    size_t len = strlen(in);
    if (JS_IsString(value) && len > 1) {
        memmove(in, in + 1, len - 2);
        in[len - 2] = 0;
    }
    return JS_ThrowTypeError(ctx, "Cannot use 'in' operator to search for %s in %s", text, in);
}

static JSValue quickjs_not_entry(JSContext *ctx, JSValueConst value) {
    char text[EXPRESSION_BYTES];
    return JS_ThrowTypeError(ctx, "Iterator value %s is not an entry object",
                             value_text(ctx, value, text));
}

static JSValue quickjs_not_resolver(JSContext *ctx, JSValueConst value) {
    char text[EXPRESSION_BYTES];
    return JS_ThrowTypeError(ctx, "Promise resolver %s is not a function",
                             value_text(ctx, value, text));
}
