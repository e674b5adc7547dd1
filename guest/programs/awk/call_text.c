/*
 * call_text.c: length, substr, index, tolower, toupper, sprintf.
 */
#include "code.h"

static double length_of(value *v) {
    if (v->kind == ARRAY) return (double)array_count(v->array);
    if (v->kind == OUTER) return 0;
    awk_text *text = value_to_text(v, awk.convfmt);
    double n = (double)text_chars(text);
    text_drop(text);
    return n;
}

static value whole_record_length(void) {
    awk_text *text = value_to_text(record_field(0), awk.convfmt);
    double n = (double)text_chars(text);
    text_drop(text);
    return value_number(n);
}

/* A start before the text begins at its first character and does not shorten the result. */
static value substring(value *args, int count) {
    awk_text *text = value_to_text(&args[0], awk.convfmt);
    double start = trunc(value_to_number(&args[1]));
    double length = count > 2 ? trunc(value_to_number(&args[2])) : INFINITY;
    if (!(start >= 1)) start = 1;
    if (!(length >= 1) || start > text->len) {
        text_drop(text);
        return value_text(text_empty());
    }
    size_t from = text_offset(text, (size_t)start - 1), end;
    if (text_is_bytes(text)) {
        end = length < text->len - from ? from + (size_t)length : text->len;
    } else {
        awk_text *rest = text_of(text->s + from, text->len - from);
        end = from + (length < rest->len ? text_offset(rest, (size_t)length) : rest->len);
        text_drop(rest);
    }
    if (from == 0 && end == text->len) return value_text(text);
    awk_text *out = text_of(text->s + from, end - from);
    if (text->shape == SHAPE_BYTES) out->shape = SHAPE_BYTES;
    text_drop(text);
    return value_text(out);
}

static double find(awk_text *text, awk_text *part) {
    if (part->len == 0) return 1;
    const char *at = memmem(text->s, text->len, part->s, part->len);
    return at ? (double)text_index(text, (size_t)(at - text->s)) + 1 : 0;
}

static double index_of(value *args) {
    awk_text *text = value_to_text(&args[0], awk.convfmt),
             *part = value_to_text(&args[1], awk.convfmt);
    if (awk.ignore_case) {
        awk_text *a = text_case(text, false), *b = text_case(part, false);
        text_drop(text);
        text_drop(part);
        text = a;
        part = b;
    }
    double result = find(text, part);
    text_drop(text);
    text_drop(part);
    return result;
}

value call_text(enum builtin which, value *args, int count) {
    switch (which) {
    case BUILTIN_LENGTH: return count ? value_number(length_of(&args[0])) : whole_record_length();
    case BUILTIN_SUBSTR: return substring(args, count);
    case BUILTIN_INDEX: return value_number(index_of(args));
    case BUILTIN_SPRINTF: {
        static g_text out;
        out.len = 0;
        format_values(&out, &args[0], args + 1, (size_t)count - 1);
        return value_text(text_of(out.s ? out.s : "", out.len));
    }
    default: {
        awk_text *text = value_to_text(&args[0], awk.convfmt);
        awk_text *out = text_case(text, which == BUILTIN_TOUPPER);
        text_drop(text);
        return value_text(out);
    }
    }
}
