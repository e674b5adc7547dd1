/*
 * quickjs_json.h: the errors of JSON.parse() and JSON.stringify(), in V8's words: they say where,
 * show the text around the place, and name the way of a circle.
 *
 * Part of quickjs_open.c, after the engine. The engine only decides that a text is wrong; what is
 * wrong with it is found here, by reading the text once more as V8's JsonParser does. What this
 * reader likes keeps the engine's own message. Nothing here runs JavaScript.
 */
#define JSON_CONTEXT 10 /* characters shown on each side of the place */

struct json_reader {
    JSContext *ctx;
    const char *start, *at, *end; /* UTF-8; a lone surrogate takes three bytes */
    bool failed;                  /* an error is pending */
};

/* The length of the character at `at`, in bytes. */
static size_t json_char(const char *at, const char *end) {
    uint8_t c = (uint8_t)*at;
    size_t len = c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    return len < (size_t)(end - at) ? len : (size_t)(end - at);
}

/* UTF-16 units between two places. */
static int json_units(const char *from, const char *to) {
    int units = 0;
    for (; from < to; from += json_char(from, to)) units += (uint8_t)*from >= 0xf0 ? 2 : 1;
    return units;
}

static void json_fail(struct json_reader *r, const char *what) {
    if (!r->failed)
        JS_ThrowSyntaxError(r->ctx, "%s in JSON at position %d", what, json_units(r->start, r->at));
    r->failed = true;
}

/* A character that may not stand where it does. */
static void json_unexpected(struct json_reader *r) {
    static const char *const special[] = {"NaN", "Infinity", "undefined", "[object Object]"};
    if (r->failed) return;
    if (r->at == r->end || strchr("\"-0123456789", *r->at)) {
        if (r->at == r->end)
            JS_ThrowSyntaxError(r->ctx, "Unexpected end of JSON input");
        else
            json_fail(r, *r->at == '"' ? "Unexpected string" : "Unexpected number");
        r->failed = true;
        return;
    }
    r->failed = true;
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (strlen(special[i]) == (size_t)(r->end - r->start) &&
            !memcmp(special[i], r->start, strlen(special[i]))) {
            JS_ThrowSyntaxError(r->ctx, "\"%s\" is not valid JSON", special[i]);
            return;
        }
    const char *from = r->start, *to = r->end;
    bool far = false, longer = false;
    if (json_units(r->start, r->end) > 2 * JSON_CONTEXT) {
        far = json_units(r->start, r->at) >= JSON_CONTEXT;
        longer = !far || json_units(r->at, r->end) > JSON_CONTEXT;
        if (far)
            for (from = r->at; json_units(from, r->at) < JSON_CONTEXT;) do
                    from--;
                while (((uint8_t)*from & 0xc0) == 0x80);
        if (longer)
            for (to = r->at; json_units(r->at, to) < JSON_CONTEXT;) to += json_char(to, r->end);
    }
    JS_ThrowSyntaxError(r->ctx, "Unexpected token '%.*s', %s\"%.*s\"%s is not valid JSON",
                        (int)json_char(r->at, r->end), r->at, far ? "..." : "", (int)(to - from),
                        from, longer ? "..." : "");
}

static void json_space(struct json_reader *r) {
    while (r->at < r->end && strchr(" \t\n\r", *r->at) && *r->at) r->at++;
}

static bool json_take(struct json_reader *r, char c) {
    json_space(r);
    if (r->failed || r->at == r->end || *r->at != c) return false;
    r->at++;
    return true;
}

static bool json_digit(const struct json_reader *r) {
    return r->at < r->end && *r->at >= '0' && *r->at <= '9';
}

static void json_digits(struct json_reader *r, const char *missing) {
    if (!json_digit(r)) json_fail(r, missing);
    while (json_digit(r)) r->at++;
}

static void json_number(struct json_reader *r) {
    if (*r->at == '-' && (r->at++, !json_digit(r))) {
        json_fail(r, "No number after minus sign");
    } else if (*r->at == '0') {
        r->at++;
        if (json_digit(r)) json_fail(r, "Unexpected number");
    } else {
        while (json_digit(r)) r->at++;
    }
    if (!r->failed && r->at < r->end && *r->at == '.') {
        r->at++;
        json_digits(r, "Unterminated fractional number");
    }
    if (!r->failed && r->at < r->end && (*r->at | 32) == 'e') {
        r->at++;
        if (r->at < r->end && strchr("+-", *r->at)) r->at++;
        json_digits(r, "Exponent part is missing a number");
    }
}

/* After the opening quote. */
static void json_string(struct json_reader *r) {
    for (; !r->failed; r->at++) {
        if (r->at == r->end) {
            json_fail(r, "Unterminated string");
        } else if (*r->at == '"') {
            r->at++;
            return;
        } else if ((uint8_t)*r->at < ' ') {
            json_fail(r, "Bad control character in string literal");
        } else if (*r->at == '\\') {
            r->at++;
            if (r->at == r->end) {
                json_unexpected(r);
            } else if (!*r->at || !strchr("\"\\/bfnrtu", *r->at)) {
                json_fail(r, "Bad escaped character");
            } else if (*r->at == 'u') {
                for (int i = 0; i < 4 && !r->failed; i++)
                    if (++r->at == r->end || from_hex(*r->at) < 0)
                        json_fail(r, "Bad Unicode escape");
            }
        }
    }
}

static void json_word(struct json_reader *r, const char *word) {
    for (; *word; word++, r->at++)
        if (r->at == r->end || *r->at != *word) {
            json_unexpected(r);
            return;
        }
}

static void json_value(struct json_reader *r) {
    json_space(r);
    if (r->failed || js_check_stack_overflow(r->ctx->rt, 0)) return;
    char c = r->at < r->end ? *r->at : 0;
    if (json_take(r, '{')) {
        if (json_take(r, '}')) return;
        bool first = true;
        do {
            if (!json_take(r, '"'))
                json_fail(r, first ? "Expected property name or '}'"
                                   : "Expected double-quoted property name");
            if (!r->failed) json_string(r);
            if (!json_take(r, ':') && first) json_fail(r, "Expected ':' after property name");
            if (!r->failed && r->at[-1] != ':') json_unexpected(r); /* V8 says less here */
            json_value(r);
            first = false;
        } while (json_take(r, ','));
        if (!json_take(r, '}')) json_fail(r, "Expected ',' or '}' after property value");
    } else if (json_take(r, '[')) {
        if (json_take(r, ']')) return;
        do json_value(r);
        while (json_take(r, ','));
        if (!json_take(r, ']')) json_fail(r, "Expected ',' or ']' after array element");
    } else if (json_take(r, '"')) {
        json_string(r);
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        json_number(r);
    } else if (c == 't' || c == 'f' || c == 'n') {
        json_word(r, c == 't' ? "true" : c == 'f' ? "false" : "null");
    } else {
        json_unexpected(r);
    }
}

/* Puts V8's error in place of the one that is pending, if that is a SyntaxError. */
static void quickjs_json_syntax(JSContext *ctx, const char *text, size_t len) {
    JSValue pending = JS_GetException(ctx);
    struct json_reader reader = {ctx, text, text, text + len, false};
    if (JS_IsObject(pending) && JS_VALUE_GET_OBJ(pending)->shape->proto ==
                                    JS_VALUE_GET_OBJ(ctx->native_error_proto[JS_SYNTAX_ERROR])) {
        json_value(&reader);
        json_space(&reader);
        if (!reader.failed && reader.at < reader.end) {
            JS_ThrowSyntaxError(ctx,
                                "Unexpected non-whitespace character after JSON at position %d",
                                json_units(reader.start, reader.at));
            reader.failed = true;
        }
    }
    if (reader.failed)
        JS_FreeValue(ctx, pending);
    else
        JS_Throw(ctx, pending);
}

/* `property 'x'` or `index 3`: where `child` stands in `parent`. False when it is not found, as
 * where toJSON() made it. */
static bool json_step(JSContext *ctx, JSObject *parent, const JSObject *child, char *out,
                      size_t size) {
    char name[ATOM_GET_STR_BUF_SIZE];
    if (parent->class_id == JS_CLASS_ARRAY && parent->fast_array) {
        for (uint32_t i = 0; i < parent->u.array.count; i++)
            if (JS_IsObject(parent->u.array.u.values[i]) &&
                JS_VALUE_GET_OBJ(parent->u.array.u.values[i]) == child) {
                snprintf(out, size, "index %u", i);
                return true;
            }
        return false;
    }
    JSShapeProperty *prs = get_shape_prop(parent->shape);
    for (int i = 0; i < (int)parent->shape->prop_count; i++) {
        if (prs[i].atom == JS_ATOM_NULL || (prs[i].flags & JS_PROP_TMASK) != JS_PROP_NORMAL)
            continue;
        JSValue value = parent->prop[i].u.value;
        if (!JS_IsObject(value) || JS_VALUE_GET_OBJ(value) != child) continue;
        JS_AtomGetStr(ctx, name, sizeof name, prs[i].atom);
        snprintf(out, size, "property '%s'", name);
        return true;
    }
    return false;
}

/* stack: the objects that are being written, outermost first; value: the one that is met again. */
static void quickjs_json_circle(JSContext *ctx, JSValueConst stack, JSValueConst value) {
    enum { FIRST = 2, LAST = 1 }; /* steps that are shown */
    const char *head = "Converting circular structure to JSON";
    JSObject *list = JS_VALUE_GET_OBJ(stack), *again = JS_VALUE_GET_OBJ(value);
    JSValue *objects = list->u.array.u.values;
    uint32_t count = list->fast_array ? list->u.array.count : 0, from = 0;
    while (from < count && JS_VALUE_GET_OBJ(objects[from]) != again) from++;
    char text[1024], step[128], class_name[EXPRESSION_BYTES];
    if (from == count) {
        JS_ThrowTypeError(ctx, "%s", head);
        return;
    }
    size_t used =
        (size_t)snprintf(text, sizeof text, "%s\n    --> starting at object with constructor '%s'",
                         head, class_text(ctx, value, class_name));
    for (uint32_t i = from + 1; i < count; i++) {
        uint32_t nth = i - from - 1, left = count - i - 1;
        if (nth >= FIRST && left >= LAST) {
            if (nth == FIRST)
                used += (size_t)snprintf(text + used, sizeof text - used, "\n    |     ...");
            continue;
        }
        if (!json_step(ctx, JS_VALUE_GET_OBJ(objects[i - 1]), JS_VALUE_GET_OBJ(objects[i]), step,
                       sizeof step)) {
            JS_ThrowTypeError(ctx, "%s", head);
            return;
        }
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "\n    |     %s -> object with constructor '%s'", step,
                                 class_text(ctx, objects[i], class_name));
    }
    if (json_step(ctx, JS_VALUE_GET_OBJ(objects[count - 1]), again, step, sizeof step))
        snprintf(text + used, sizeof text - used, "\n    --- %s closes the circle", step);
    JS_Throw(ctx, JS_MakeError2(ctx, JS_TYPE_ERROR, true, text));
}
