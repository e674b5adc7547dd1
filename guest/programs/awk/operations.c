/*
 * operations.c: the operations of operations.h that are too large, or too seldom, to lie in the
 * loop.
 */
#include "operations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double operation_apply(enum operation op, double a, double b) {
    switch (op) {
    case OP_ADD: return a + b;
    case OP_SUBTRACT: return a - b;
    case OP_MULTIPLY: return a * b;
    case OP_DIVIDE:
        if (b == 0) awk_fatal("division by zero attempted");
        return a / b;
    case OP_MODULO:
        if (b == 0) awk_fatal("division by zero attempted in `%%'");
        return fmod(a, b);
    case OP_POWER: break;
    }
    if (b == trunc(b) && fabs(b) < INT32_MAX) {
        int n = (int)fabs(b);
        double result = 1;
        for (; n; n >>= 1) {
            if (n & 1) result *= a;
            a *= a;
        }
        return b < 0 ? 1 / result : result;
    }
    return pow(a, b);
}

bool operation_matches(value *text, awk_regex *re) {
    char room[NUMBER_TEXT_MAX];
    size_t len;
    const char *s = value_bytes(text, awk.convfmt, room, &len);
    return regex_test(re, s, len);
}

bool operation_record_matches(awk_regex *re) {
    size_t len;
    const char *s = record_bytes(&len);
    return regex_test(re, s, len);
}

/* n values become one text. */
value operation_concat(value *values, size_t count) {
    char room[NUMBER_TEXT_MAX];
    size_t len, total = 0;
    if (count == 2 && values[0].kind == STRING && values[1].kind == STRING) {
        awk_text *a = values[0].text, *b = values[1].text;
        awk_text *out = text_new((size_t)a->len + b->len);
        memcpy(out->s, a->s, a->len);
        memcpy(out->s + a->len, b->s, b->len);
        text_drop(a);
        text_drop(b);
        return value_text(out);
    }
    for (size_t i = 0; i < count; i++) {
        value *v = &values[i];
        if (v->kind == NUMBER) *v = value_text(number_text(v->num, awk.convfmt));
        value_bytes(v, awk.convfmt, room, &len);
        total += len;
    }
    awk_text *out = text_new(total);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const char *s = value_bytes(&values[i], awk.convfmt, room, &len);
        memcpy(out->s + at, s, len);
        at += len;
        value_drop(&values[i]);
    }
    return value_text(out);
}

static value subscript(value *values, size_t count) {
    g_text out = {0};
    char room[NUMBER_TEXT_MAX];
    size_t len;
    for (size_t i = 0; i < count; i++) {
        if (i) g_text_add(&out, awk.subsep->s, awk.subsep->len);
        const char *s = value_bytes(&values[i], awk.convfmt, room, &len);
        g_text_add(&out, s, len);
        value_drop(&values[i]);
    }
    value result = value_text(text_of(out.s ? out.s : "", out.len));
    g_text_free(&out);
    return result;
}

int64_t operation_field_number(value *v) {
    double n = number_of(v);
    if (!(n >= 0)) awk_fatal("attempt to access field %.0f", trunc(n));
    if (n > AWK_FIELD_MAX) awk_fatal("attempt to access field %.0f", trunc(n));
    return (int64_t)n;
}

/* To the standard output where `to` is NULL; takes over the values. */
static void print_values(stream *to, value *values, size_t count) {
    char room[NUMBER_TEXT_MAX];
    for (size_t i = 0; i < count; i++) {
        size_t len;
        if (i) {
            if (to)
                stream_put(to, awk.ofs->s, awk.ofs->len);
            else
                g_out(awk.ofs->s, awk.ofs->len);
        }
        const char *s = value_bytes(&values[i], awk.ofmt, room, &len);
        if (to)
            stream_put(to, s, len);
        else
            g_out(s, len);
        value_drop(&values[i]);
    }
    if (to)
        stream_put(to, awk.ors->s, awk.ors->len);
    else
        g_out(awk.ors->s, awk.ors->len);
    if (to) stream_done(to);
}

static void print_formatted(stream *to, value *values, size_t count) {
    static g_text out;
    out.len = 0;
    format_values(&out, &values[0], values + 1, count - 1);
    if (to) {
        stream_put(to, out.s ? out.s : "", out.len);
        stream_done(to);
    } else {
        g_out(out.s ? out.s : "", out.len);
    }
    for (size_t i = 0; i < count; i++) value_drop(&values[i]);
}

void operation_print_record(void) {
    size_t len;
    const char *s = record_bytes(&len);
    g_out(s, len);
    g_out(awk.ors->s, awk.ors->len);
}

value *operation_output(value *sp, const instruction *pc) {
    value *values = sp - pc->n;
    stream *to = pc->sub == TO_STDOUT ? NULL : stream_get(pc->sub, values - 1);
    if (pc->opcode == I_PRINT)
        print_values(to, values, pc->n);
    else
        print_formatted(to, values, pc->n);
    if (pc->sub != TO_STDOUT) value_drop(--values);
    return values;
}

value *operation_delete(value *sp) {
    array_delete(sp[-2].array, &sp[-1]);
    value_drop(&sp[-1]);
    value_drop(&sp[-2]);
    return sp - 2;
}

value *operation_clear(value *sp) {
    array_clear(sp[-1].array);
    value_drop(--sp);
    return sp;
}

value *operation_subarray(value *sp) {
    value *v = array_at(sp[-2].array, &sp[-1]);
    if (v->kind == UNSET) *v = (value){.array = array_new(), .kind = ARRAY};
    if (v->kind != ARRAY) awk_fatal("attempt to use a scalar value as array");
    value copy = *v;
    array_keep(copy.array);
    value_drop(&sp[-1]);
    value_drop(&sp[-2]);
    sp--;
    sp[-1] = copy;
    return sp;
}

value *operation_subscript(value *sp, const instruction *pc) {
    sp -= pc->n;
    value v = subscript(sp, pc->n);
    PUSH(v);
    return sp;
}

value *operation_argument_global(value *sp, const instruction *pc) {
    value *v = &awk.globals[pc->a];
    if (v->kind == UNSET && v->num == 0)
        PUSH(outer_variable(AT_GLOBAL, (size_t)pc->a));
    else if (v->kind == ARRAY) {
        array_keep(v->array);
        PUSH(*v);
    } else
        PUSH(value_copy(v));
    return sp;
}

value *operation_argument_local(value *sp, const instruction *pc) {
    value *v = local(pc->a);
    if (v->kind == OUTER) settle_outer(v);
    if (v->kind == OUTER) {
        v->outer->refs++;
        PUSH(*v);
    } else if (v->kind == UNSET && v->num == 0)
        PUSH(outer_variable(AT_LOCAL, (size_t)(v - machine.stack)));
    else if (v->kind == ARRAY) {
        array_keep(v->array);
        PUSH(*v);
    } else
        PUSH(value_copy(v));
    return sp;
}

value *operation_argument_element(value *sp) {
    value *v = array_at(sp[-2].array, &sp[-1]);
    if (v->kind == UNSET && v->num == 0) {
        value outer = outer_element(sp[-2].array, sp[-1]);
        sp--;
        sp[-1] = outer;
        return sp;
    }
    if (v->kind == ARRAY) array_keep(v->array);
    value copy = value_copy(v);
    value_drop(&sp[-1]);
    value_drop(&sp[-2]);
    sp--;
    sp[-1] = copy;
    return sp;
}

value *operation_case(value *sp) {
    bool is;
    if (sp[-1].kind == REGEX) {
        is = operation_matches(&sp[-2], sp[-1].regex);
    } else {
        value copy = value_copy(&sp[-2]);
        value_settle(&copy);
        bool numeric = copy.kind == NUMBER || copy.kind == STRNUM || copy.kind == UNSET;
        if (sp[-1].kind == NUMBER)
            is = numeric && number_of(&copy) == sp[-1].num;
        else
            is = copy.kind != NUMBER && copy.kind != STRNUM && value_compare(&copy, &sp[-1]) == 0;
        value_drop(&copy);
    }
    value_drop(&sp[-1]);
    sp[-1] = value_number(is);
    return sp;
}

value *operation_substitute(value *sp, const instruction *pc) {
    size_t parts = place_parts(pc->sub);
    value *at = sp - parts - (pc->sub == AT_NOWHERE), *regex = at - 2, target;
    if (pc->sub == AT_NOWHERE)
        target = value_copy(at);
    else
        target = place_load(pc->sub, pc->a, at);
    awk_text *out = NULL;
    int64_t count = substitute(pc->n == BUILTIN_GSUB, regex, regex + 1, &target, &out);
    value_drop(&target);
    if (count > 0) {
        if (pc->sub == AT_NOWHERE)
            text_drop(out);
        else
            place_store(pc->sub, pc->a, at, value_text(out));
    }
    drop_values(regex, (size_t)(sp - regex));
    sp = regex;
    PUSH(value_number((double)count));
    return sp;
}

value *operation_length_of(value *sp, const instruction *pc) {
    value *v = pc->sub == AT_LOCAL ? local(pc->a) : &awk.globals[pc->a];
    if (v->kind == OUTER) settle_outer(v);
    if (v->kind == ARRAY) {
        PUSH(value_number((double)array_count(v->array)));
    } else if (v->kind == OUTER) {
        PUSH(value_number(0));
    } else {
        awk_text *text = value_to_text(v, awk.convfmt);
        PUSH(value_number((double)text_chars(text)));
        text_drop(text);
    }
    return sp;
}
