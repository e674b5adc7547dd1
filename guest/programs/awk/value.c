/*
 * value.c: values: conversion to numbers, texts and truth, and comparison.
 */
#include "awk.h"

void value_destroy(value *v) {
    switch (v->kind) {
    case STRING:
    case INPUT:
    case STRNUM: text_drop(v->text); break;
    case ARRAY: array_drop(v->array); break;
    case OUTER: outer_drop(v->outer); break;
    }
}

void value_assign(value *to, value from) {
    value old = *to;
    *to = from;
    value_drop(&old);
}

void value_settle(value *v) {
    if (v->kind != INPUT) return;
    v->kind = number_looks(v->text->s, v->text->len, &v->num) ? STRNUM : STRING;
}

_Noreturn static void not_scalar(void) {
    awk_fatal("attempt to use array in a scalar context");
}

double value_to_number(value *v) {
    size_t end;
    switch (v->kind) {
    case NUMBER:
    case STRNUM: return v->num;
    case INPUT:
        value_settle(v);
        if (v->kind == STRNUM) return v->num;
        return number_read(v->text->s, v->text->len, &end);
    case STRING: return number_read(v->text->s, v->text->len, &end);
    case REGEX: {
        const awk_text *source = regex_source(v->regex);
        return number_read(source->s, source->len, &end);
    }
    case ARRAY: not_scalar();
    }
    return 0;
}

awk_text *value_to_text(value *v, const awk_text *format) {
    switch (v->kind) {
    case STRING:
    case INPUT:
    case STRNUM: return text_keep(v->text);
    case NUMBER: return number_text(v->num, format);
    case REGEX: return text_keep((awk_text *)regex_source(v->regex));
    case ARRAY: not_scalar();
    }
    return text_empty();
}

const char *value_bytes(value *v, const awk_text *format, char room[NUMBER_TEXT_MAX], size_t *len) {
    switch (v->kind) {
    case STRING:
    case INPUT:
    case STRNUM: *len = v->text->len; return v->text->s;
    case NUMBER: *len = number_put(v->num, format, room); return room;
    case REGEX: {
        const awk_text *source = regex_source(v->regex);
        *len = source->len;
        return source->s;
    }
    case ARRAY: not_scalar();
    }
    *len = 0;
    return "";
}

bool value_is_true(value *v) {
    value_settle(v);
    switch (v->kind) {
    case NUMBER:
    case STRNUM: return v->num != 0;
    case STRING: return v->text->len > 0;
    case REGEX: return regex_source(v->regex)->len > 0;
    case ARRAY: not_scalar();
    }
    return false;
}

int value_compare(value *a, value *b) {
    value_settle(a);
    value_settle(b);
    bool numeric_a = a->kind == NUMBER || a->kind == STRNUM || a->kind == UNSET;
    bool numeric_b = b->kind == NUMBER || b->kind == STRNUM || b->kind == UNSET;
    if (a->kind == UNSET) a->num = 0;
    if (b->kind == UNSET) b->num = 0;
    if (numeric_a && numeric_b) {
        double x = a->num, y = b->num;
        if (x == y) return 0;
        if (isnan(x)) return isnan(y) ? 0 : 1;
        if (isnan(y)) return -1;
        return x < y ? -1 : 1;
    }
    awk_text *s = value_to_text(a, awk.convfmt), *t = value_to_text(b, awk.convfmt);
    int order = text_compare(s, t);
    text_drop(s);
    text_drop(t);
    return order;
}
