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

/* The beginning of the string literal, without escapes, that ends before `at`; NULL as above. */
static const char *open_quote(const char *start, const char *at) {
    char quote = *--at;
    while (at-- > start && *at != '\\' && *at != '\n')
        if (*at == quote) return at;
    return NULL;
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
        } else if ((last == '"' || last == '\'') && from < end) {
            return open_quote(start, from);
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
            if (text == part && len > 4 && strchr("\"'", part[1]) && part[1] == at[-2]) {
                if (used + len >= EXPRESSION_BYTES) return false;
                out[used++] = '.'; /* ["name"] */
                text = part + 2;
                len -= 4;
            }
        } else if (*at == '.' && at + 1 < end && at[1] == '#') { /* V8 writes this[#name] */
            for (at++; at < end && (is_name_byte((uint8_t)*at) || *at == '#');) at++;
            if (used + (size_t)(at - part) + 1 >= EXPRESSION_BYTES) return false;
            used += (size_t)sprintf(out + used, "[%.*s]", (int)(at - part - 1), part + 1);
            continue;
        } else if (first && end - at > 5 && !memcmp(at, "super", 5) && strchr(".[", at[5])) {
            at += 5;
            text = "(intermediate value)";
            len = strlen(text);
        } else {
            at++;
            if (strchr(" \n\t\r", *part)) len = 0;
            if (*part == '\'') text = "\"";
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

/* The name of an object's class, without asking any getter; `out` has EXPRESSION_BYTES. */
static const char *class_text(JSContext *ctx, JSValueConst value, char *out) {
    strcpy(out, "Object");
    for (JSObject *p = JS_VALUE_GET_OBJ(value); p; p = p->shape->proto) {
        JSProperty *pr;
        JSShapeProperty *prs = find_own_property(&pr, p, JS_ATOM_constructor);
        if (!prs) continue;
        if ((prs->flags & JS_PROP_TMASK) != JS_PROP_NORMAL) break;
        const char *name = get_func_name(ctx, pr->u.value);
        if (name && *name) snprintf(out, EXPRESSION_BYTES, "%.80s", name);
        JS_FreeCString(ctx, name);
        break;
    }
    return out;
}

/* quoted: strings stand in quotes */
static const char *describe(JSContext *ctx, JSValueConst value, bool quoted, char *out) {
    if (JS_IsFunction(ctx, value)) {
        const char *name = get_func_name(ctx, value);
        snprintf(out, EXPRESSION_BYTES, "%.80s", name && *name ? name : "(intermediate value)");
        JS_FreeCString(ctx, name);
        return out;
    }
    if (JS_IsArray(value)) return strcpy(out, "[object Array]");
    if (JS_IsObject(value)) {
        char name[EXPRESSION_BYTES];
        snprintf(out, EXPRESSION_BYTES, "#<%.80s>", class_text(ctx, value, name));
        return out;
    }
    if (JS_IsSymbol(value)) return strcpy(out, "Symbol()");
    const char *text = JS_ToCString(ctx, value);
    snprintf(out, EXPRESSION_BYTES, JS_IsString(value) && quoted ? "\"%.80s\"" : "%.80s",
             text ? text : "value");
    JS_FreeCString(ctx, text);
    return out;
}

static const char *value_text(JSContext *ctx, JSValueConst value, char *out) {
    return describe(ctx, value, true, out);
}

/* The name of the builtin that is running; empty in a function of the program. */
static const char *builtin_name(JSContext *ctx, char *out) {
    const JSStackFrame *frame = ctx->rt->current_stack_frame;
    *out = 0;
    if (frame && JS_IsObject(frame->cur_func) &&
        !js_class_has_bytecode(JS_VALUE_GET_OBJ(frame->cur_func)->class_id)) {
        const char *name = get_func_name(ctx, frame->cur_func);
        snprintf(out, EXPRESSION_BYTES, "%.80s", name ? name : "");
        JS_FreeCString(ctx, name);
    }
    return out;
}

/* An error whose text has the value in the place of its only %s. */
static JSValue JS_PRINTF_FORMAT_ATTR(3, 0)
    quickjs_value_error(JSContext *ctx, JSErrorEnum kind, const char *format, JSValueConst value) {
    char text[EXPRESSION_BYTES], message[256];
    snprintf(message, sizeof message, format, describe(ctx, value, false, text));
    return JS_Throw(ctx, JS_MakeError2(ctx, kind, true, message));
}

/* As above, with the name of the running builtin. */
static JSValue JS_PRINTF_FORMAT_ATTR(3, 0)
    quickjs_builtin_error(JSContext *ctx, JSErrorEnum kind, const char *format) {
    char name[EXPRESSION_BYTES], message[256];
    snprintf(message, sizeof message, format, builtin_name(ctx, name));
    return JS_Throw(ctx, JS_MakeError2(ctx, kind, true, message));
}

/* A callback that is no function: builtins say so in their own words. */
static void quickjs_bad_callback(JSContext *ctx, JSValueConst value) {
    char name[EXPRESSION_BYTES];
    builtin_name(ctx, name);
    if (!strcmp(name, "sort") || !strcmp(name, "toSorted"))
        JS_ThrowTypeError(ctx, "The comparison function must be either a function or undefined");
    else if (!strcmp(name, "flatMap"))
        JS_ThrowTypeError(ctx, "flatMap mapper function is not callable");
    else if (!strcmp(name, "bind"))
        JS_ThrowTypeError(ctx, "Bind must be called on a function");
    else
        quickjs_value_error(ctx, JS_TYPE_ERROR, "%s is not a function", value);
}

static bool throws(JSContext *ctx, int flags) {
    return flags & JS_PROP_THROW || (flags & JS_PROP_THROW_STRICT && is_strict_mode(ctx));
}

/* `object 'TEXT'`, as V8 names what an assignment was refused by. */
static void refuser_text(JSContext *ctx, JSValueConst object, char *out) {
    char text[EXPRESSION_BYTES];
    describe(ctx, object, false, text);
    snprintf(out, 2 * EXPRESSION_BYTES, "%s '%s'",
             JS_IsFunction(ctx, object) ? "function"
             : JS_IsObject(object)      ? "object"
             : JS_IsString(object)      ? "string"
             : JS_IsBool(object)        ? "boolean"
                                        : "number",
             text);
}

static int quickjs_read_only(JSContext *ctx, int flags, JSValueConst object, JSAtom prop) {
    char name[ATOM_GET_STR_BUF_SIZE], text[2 * EXPRESSION_BYTES];
    if (!throws(ctx, flags)) return false;
    refuser_text(ctx, object, text);
    JS_ThrowTypeError(ctx, "Cannot assign to read only property '%s' of %s",
                      JS_AtomGetStr(ctx, name, sizeof name, prop), text);
    return -1;
}

/* A property for a value that has none of its own. */
static int quickjs_no_object(JSContext *ctx, int flags, JSValueConst value, JSAtom prop) {
    char name[ATOM_GET_STR_BUF_SIZE], text[2 * EXPRESSION_BYTES];
    if (!throws(ctx, flags)) return false;
    if (JS_VALUE_GET_TAG(value) == JS_TAG_STRING && __JS_AtomIsTaggedInt(prop) &&
        __JS_AtomToUInt32(prop) < JS_VALUE_GET_STRING(value)->len)
        return quickjs_read_only(ctx, flags, value, prop);
    refuser_text(ctx, value, text);
    JS_ThrowTypeError(ctx, "Cannot create property '%s' on %s",
                      JS_AtomGetStr(ctx, name, sizeof name, prop), text);
    return -1;
}

static int quickjs_getter_only(JSContext *ctx, int flags, JSValueConst object, JSAtom prop) {
    char name[ATOM_GET_STR_BUF_SIZE], text[EXPRESSION_BYTES];
    if (!throws(ctx, flags)) return false;
    JS_ThrowTypeError(ctx, "Cannot set property %s of %s which has only a getter",
                      JS_AtomGetStr(ctx, name, sizeof name, prop),
                      describe(ctx, object, false, text));
    return -1;
}

static int quickjs_not_extensible(JSContext *ctx, int flags, JSAtom prop) {
    char name[ATOM_GET_STR_BUF_SIZE];
    if (!throws(ctx, flags)) return false;
    JS_ThrowTypeError(ctx, "Cannot add property %s, object is not extensible",
                      JS_AtomGetStr(ctx, name, sizeof name, prop));
    return -1;
}

static int quickjs_not_configurable(JSContext *ctx, int flags, JSAtom prop) {
    char name[ATOM_GET_STR_BUF_SIZE];
    if (!throws(ctx, flags)) return false;
    JS_ThrowTypeError(ctx, "Cannot redefine property: %s",
                      JS_AtomGetStr(ctx, name, sizeof name, prop));
    return -1;
}

static void quickjs_not_deletable(JSContext *ctx, JSValueConst object, JSAtom prop) {
    char name[ATOM_GET_STR_BUF_SIZE], text[EXPRESSION_BYTES];
    JS_ThrowTypeError(ctx, "Cannot delete property '%s' of %s",
                      JS_AtomGetStr(ctx, name, sizeof name, prop),
                      describe(ctx, object, false, text));
}

/* A BigInt where a number must be: between operators or in a builtin. */
static JSValue quickjs_bigint_mixed(JSContext *ctx) {
    char name[EXPRESSION_BYTES];
    return JS_ThrowTypeError(ctx,
                             *builtin_name(ctx, name)
                                 ? "Cannot convert a BigInt value to a number"
                                 : "Cannot mix BigInt and other types, use explicit conversions");
}

/* A method of `class_name` for another object. */
static void quickjs_bad_receiver(JSContext *ctx, JSAtom class_name, JSValueConst receiver) {
    char name[ATOM_GET_STR_BUF_SIZE], method[EXPRESSION_BYTES], text[EXPRESSION_BYTES];
    JS_AtomGetStr(ctx, name, sizeof name, class_name);
    if (*builtin_name(ctx, method))
        JS_ThrowTypeError(ctx, "Method %s.prototype.%s called on incompatible receiver %s", name,
                          method, describe(ctx, receiver, false, text));
    else
        JS_ThrowTypeError(ctx, "%s object expected", name);
}

/* Builtins that take objects only. */
static JSValue quickjs_not_object(JSContext *ctx) {
    static const char of_object[] = " defineProperty defineProperties ",
                      of_reflect[] = " ownKeys has get set deleteProperty getOwnPropertyDescriptor "
                                     "isExtensible preventExtensions getPrototypeOf ";
    char name[EXPRESSION_BYTES], spaced[EXPRESSION_BYTES + 2];
    const JSStackFrame *frame = ctx->rt->current_stack_frame;
    snprintf(spaced, sizeof spaced, " %s ", builtin_name(ctx, name));
    if (!*name) return JS_ThrowTypeError(ctx, "not an object");
    if (strstr(of_object, spaced))
        return JS_ThrowTypeError(ctx, "Object.%s called on non-object", name);
    if (strstr(of_reflect, spaced))
        return JS_ThrowTypeError(ctx, "Reflect.%s called on non-object", name);
    if (!strcmp(name, "setPrototypeOf") && frame->arg_count > 1)
        return quickjs_value_error(ctx, JS_TYPE_ERROR,
                                   "Object prototype may only be an Object or null: %s",
                                   frame->arg_buf[1]);
    return JS_ThrowTypeError(ctx, "not an object");
}

/* What ToIndex() refuses. */
static void quickjs_bad_index(JSContext *ctx, JSValueConst value) {
    char name[EXPRESSION_BYTES];
    builtin_name(ctx, name);
    size_t len = strlen(name);
    if (!strcmp(name, "asIntN") || !strcmp(name, "asUintN"))
        JS_ThrowRangeError(ctx, "Invalid value: not (convertible to) a safe integer");
    else if (!strncmp(name, "get", 3) || !strncmp(name, "set", 3))
        JS_ThrowRangeError(ctx, "Offset is outside the bounds of the DataView");
    else if (len > 5 && !strcmp(name + len - 5, "Array"))
        quickjs_value_error(ctx, JS_RANGE_ERROR, "Invalid typed array length: %s", value);
    else if (!strcmp(name, "ArrayBuffer"))
        JS_ThrowRangeError(ctx, "Invalid array buffer length");
    else
        JS_ThrowRangeError(ctx, "Invalid index: not (convertible to) a safe integer");
}

/* The errors of lre_compile() in V8's words. */
static const char *regexp_reason(const char *pattern, size_t len, const char *why) {
    static const char *const words[][2] = {
        {"expecting ')'", "Unterminated group"},
        {"nothing to repeat", "Nothing to repeat"},
        {"duplicate group name", "Duplicate capture group name"},
        {"invalid repetition count", "numbers out of order in {} quantifier"},
        {"invalid class range", "Range out of order in character class"},
        {"invalid group name", "Invalid capture group name"},
        {"expecting group name", "Invalid named reference"},
        {"extraneous characters at the end", "Unmatched ')'"},
        {"group name not defined", "Invalid named capture referenced"},
        {"invalid group", "Invalid group"},
        {"unknown unicode property name", "Invalid property name"},
        {"unknown unicode property value", "Invalid property name"},
        {"unknown unicode script", "Invalid property name"},
        {"unknown unicode general category", "Invalid property name"},
        {"expecting '{' after \\p", "Invalid property name"},
        {"syntax error", "Lone quantifier brackets"},
        {"invalid escape sequence in regular expression", "Invalid escape"},
        {"back reference out of range in regular expression", "Invalid escape"},
    };
    size_t slashes = 0;
    if (!strcmp(why, "unexpected end")) {
        while (slashes < len && pattern[len - 1 - slashes] == '\\') slashes++;
        return slashes % 2 ? "\\ at end of pattern" : "Unterminated character class";
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(why, words[i][0])) return words[i][1];
    return why;
}

static void quickjs_regexp_syntax(JSContext *ctx, JSValueConst pattern, JSValueConst flags,
                                  const char *why) {
    size_t len = 0;
    const char *text = JS_ToCStringLen(ctx, &len, pattern),
               *letters = JS_IsUndefined(flags) ? NULL : JS_ToCString(ctx, flags);
    if (text)
        JS_ThrowSyntaxError(ctx, "Invalid regular expression: /%.160s/%s: %s", text,
                            letters ? letters : "", regexp_reason(text, len, why));
    JS_FreeCString(ctx, letters);
    JS_FreeCString(ctx, text);
}

static JSValue quickjs_not_callable(JSContext *ctx, JSValueConst value, bool construct) {
    char text[EXPRESSION_BYTES];
    const JSStackFrame *frame = ctx->rt->current_stack_frame;
    if (!frame || !callee_text(ctx, frame, construct, text)) value_text(ctx, value, text);
    return JS_ThrowTypeError(ctx, construct ? "%s is not a constructor" : "%s is not a function",
                             text);
}

/* From the end of a name over all members, indexes and calls that follow it. `callee`: where the
 * arguments of a call at the end begin, else NULL. */
static const char *operand_end(const char *end, const char *limit, const char **callee) {
    *callee = NULL;
    while (end && end < limit) {
        if (*end == '(' || *end == '[') {
            *callee = *end == '(' ? end : NULL;
            end = close_bracket(end, limit);
        } else if (*end == '.' && end + 1 < limit && is_name_byte((uint8_t)end[1])) {
            *callee = NULL;
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

/* The bracket at the view's place is an index, no pattern or literal. */
static bool at_index(const struct source_view *view) {
    if (*view->at != '[') return false;
    const char *end = skip_space_back(view->start, view->at), *name = end;
    if (end == view->start) return false;
    while (name > view->start && is_name_byte((uint8_t)name[-1])) name--;
    return name < end ? !is_keyword(name, (size_t)(end - name)) : strchr(")]", end[-1]) != NULL;
}

/* The operand of which the view's place is a part: the value of a pattern, of for…of, of a spread.
 * `called`: it ends in a call, whose callee is what was written. */
static bool operand_text(struct source_view *view, char *out, bool *called) {
    const char *callee = NULL, *end = view->at;
    if (!at_index(view)) {
        if (strchr("[{", *view->at) && !move_to_initializer(view)) return false;
        end = name_end(view);
    }
    if (end) end = operand_end(end, view->end, &callee);
    if (!end) return false;
    const char *rest = skip_space(end, view->end);
    if (rest < view->end && *rest != '\n' && rest[-1] != '\n' && !strchr(";,)]}", *rest))
        return false; /* part of something larger */
    *called = callee != NULL;
    const char *last = callee ? callee : end;
    const char *start = chain_start(view->start, last);
    return start && print_expression(out, start, last);
}

static JSValue quickjs_not_iterable(JSContext *ctx, JSValueConst value) {
    char text[EXPRESSION_BYTES];
    struct source_view view;
    bool called = false;
    const JSStackFrame *frame = ctx->rt->current_stack_frame;
    if (frame && find_source(ctx, frame, &view) && operand_text(&view, text, &called))
        return JS_ThrowTypeError(ctx,
                                 called ? "%s is not a function or its return value is not iterable"
                                        : "%s is not iterable",
                                 text);
    if (*builtin_name(ctx, text)) {
        const char *kind = JS_IsFunction(ctx, value) ? "function"
                           : JS_IsObject(value)      ? "object"
                           : JS_IsNull(value)        ? "object null"
                           : JS_IsUndefined(value)   ? "undefined"
                           : JS_IsBool(value)        ? "boolean %s"
                           : JS_IsSymbol(value)      ? "symbol Symbol()"
                                                     : "number %s";
        char format[EXPRESSION_BYTES];
        snprintf(format, sizeof format,
                 "%s is not iterable (cannot read property Symbol(Symbol.iterator))", kind);
        return quickjs_value_error(ctx, JS_TYPE_ERROR, format, value);
    }
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
