/*
 * quickjs_json_write.h: JSON.stringify() of plain data: objects and arrays without methods of their
 * own, strings, numbers.
 *
 * Part of quickjs_open.c, after the engine. Such data is written straight from where it lies;
 * nothing here runs JavaScript or changes anything, so what turns out to be something else is begun
 * again by the engine.
 */
#define JSON_PLAIN_DEPTH 32

struct json_plain {
    JSContext *ctx;
    StringBuffer *out;
};

/* An object whose JSON is that of its own properties: it inherits nothing but what the program
 * found there, and nobody gave it a toJSON(). */
static bool json_inherits_plainly(JSContext *ctx, const JSObject *p) {
    JSObject *base = JS_VALUE_GET_OBJ(ctx->class_proto[JS_CLASS_OBJECT]);
    JSObject *array = JS_VALUE_GET_OBJ(ctx->class_proto[JS_CLASS_ARRAY]);
    const JSObject *proto = p->shape->proto;
    if (p->class_id == JS_CLASS_ARRAY) {
        if (proto != array || array->shape->proto != base) return false;
        if (find_own_property1(array, JS_ATOM_toJSON)) return false;
    } else if (p->class_id != JS_CLASS_OBJECT || p->is_exotic || (proto && proto != base)) {
        return false;
    }
    return (proto == NULL || !find_own_property1(base, JS_ATOM_toJSON)) &&
           !find_own_property1((JSObject *)p, JS_ATOM_toJSON);
}

/* Of a string of one byte a character. */
static void json_put_quoted(StringBuffer *out, const uint8_t *at, uint32_t len) {
    static const char short_names[] = "btn\0fr"; /* of 8 to 13 */
    uint32_t done = 0;
    string_buffer_putc8(out, '"');
    for (uint32_t i = 0; i < len; i++) {
        uint8_t c = at[i];
        if (c >= ' ' && c != '"' && c != '\\') continue;
        string_buffer_write8(out, at + done, (int)(i - done));
        done = i + 1;
        char text[8] = {'\\', (char)c};
        int text_len = 2;
        if (c >= 8 && c <= 13 && short_names[c - 8])
            text[1] = short_names[c - 8];
        else if (c < ' ')
            text_len = snprintf(text, sizeof text, "\\u%04x", c);
        string_buffer_write8(out, (const uint8_t *)text, text_len);
    }
    string_buffer_write8(out, at + done, (int)(len - done));
    string_buffer_putc8(out, '"');
}

/* False, here and below: it is no plain data, or memory is out. */
static bool json_plain_string(struct json_plain *j, JSValueConst value) {
    if (JS_VALUE_GET_TAG(value) == JS_TAG_STRING) {
        JSString *p = JS_VALUE_GET_STRING(value);
        if (!p->is_wide_char) {
            json_put_quoted(j->out, str8(p), p->len);
            return true;
        }
    }
    JSValue quoted = JS_ToQuotedString(j->ctx, value);
    if (JS_IsException(quoted)) return string_buffer_set_error(j->out) == 0;
    return string_buffer_concat_value_free(j->out, quoted) == 0;
}

static bool json_plain_value(struct json_plain *j, JSValueConst value, int depth);

static bool json_plain_array(struct json_plain *j, const JSObject *p, int depth) {
    if (!p->fast_array || JS_VALUE_GET_TAG(p->prop[0].u.value) != JS_TAG_INT ||
        (uint32_t)JS_VALUE_GET_INT(p->prop[0].u.value) != p->u.array.count)
        return false; /* it has holes */
    string_buffer_putc8(j->out, '[');
    for (uint32_t i = 0; i < p->u.array.count; i++) {
        JSValueConst value = p->u.array.u.values[i];
        if (i) string_buffer_putc8(j->out, ',');
        if (JS_IsUndefined(value) || JS_IsSymbol(value) || JS_IsFunction(j->ctx, value))
            string_buffer_puts8(j->out, "null");
        else if (!json_plain_value(j, value, depth + 1))
            return false;
    }
    string_buffer_putc8(j->out, ']');
    return true;
}

/* Its keys stand in the order in which they came, unless some are numbers. */
static bool json_plain_object(struct json_plain *j, const JSObject *p, int depth) {
    JSContext *ctx = j->ctx;
    const JSShapeProperty *prs = get_shape_prop(p->shape);
    bool first = true;
    string_buffer_putc8(j->out, '{');
    for (int i = 0; i < p->shape->prop_count; i++, prs++) {
        uint32_t number;
        if (prs->atom == JS_ATOM_NULL || !(prs->flags & JS_PROP_ENUMERABLE)) continue;
        if (JS_AtomIsArrayIndex(ctx, &number, prs->atom)) return false;
        if ((prs->flags & JS_PROP_TMASK) != JS_PROP_NORMAL) return false;
        if (JS_AtomGetKind(ctx, prs->atom) != JS_ATOM_KIND_STRING) continue;
        JSValueConst value = p->prop[i].u.value;
        if (JS_IsUndefined(value) || JS_IsSymbol(value) || JS_IsFunction(ctx, value)) continue;
        JSString *name = ctx->rt->atom_array[prs->atom];
        if (name->is_wide_char) return false;
        if (!first) string_buffer_putc8(j->out, ',');
        first = false;
        json_put_quoted(j->out, str8(name), name->len);
        string_buffer_putc8(j->out, ':');
        if (!json_plain_value(j, value, depth + 1)) return false;
    }
    string_buffer_putc8(j->out, '}');
    return true;
}

static bool json_plain_value(struct json_plain *j, JSValueConst value, int depth) {
    char digits[16];
    switch (JS_VALUE_GET_NORM_TAG(value)) {
    case JS_TAG_INT:
        string_buffer_write8(j->out, (const uint8_t *)digits,
                             (int)i32toa(digits, JS_VALUE_GET_INT(value)));
        return true;
    case JS_TAG_FLOAT64:
        if (isfinite(JS_VALUE_GET_FLOAT64(value)))
            return string_buffer_concat_value(j->out, value) == 0;
        string_buffer_puts8(j->out, "null");
        return true;
    case JS_TAG_NULL: string_buffer_puts8(j->out, "null"); return true;
    case JS_TAG_BOOL:
        string_buffer_puts8(j->out, JS_VALUE_GET_BOOL(value) ? "true" : "false");
        return true;
    case JS_TAG_STRING:
    case JS_TAG_STRING_ROPE: return json_plain_string(j, value);
    case JS_TAG_OBJECT: {
        const JSObject *p = JS_VALUE_GET_OBJ(value);
        if (depth == JSON_PLAIN_DEPTH || !json_inherits_plainly(j->ctx, p)) return false;
        return p->class_id == JS_CLASS_ARRAY ? json_plain_array(j, p, depth)
                                             : json_plain_object(j, p, depth);
    }
    default: return false;
    }
}

/* JS_UNINITIALIZED: it is no plain data. */
static JSValue quickjs_json_plain(JSContext *ctx, JSValueConst value) {
    StringBuffer out;
    struct json_plain j = {ctx, &out};
    bool plain = string_buffer_init(ctx, &out, 64) == 0 && json_plain_value(&j, value, 0);
    if (plain || out.error_status) return string_buffer_end(&out); /* JS_EXCEPTION: memory is out */
    string_buffer_free(&out);
    return JS_UNINITIALIZED;
}
