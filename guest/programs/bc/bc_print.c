/*
 * bc_print.c: writes numbers in the output base, and breaks long lines with a backslash.
 */
#include "bc.h"
#include "g_out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(bc_state *st, char c) {
    if (c == '\n') {
        st->column = 0;
        g_outc(c);
        return;
    }
    if (st->line_length && ++st->column + 1 >= st->line_length) {
        g_outs("\\\n");
        st->column = 1;
    }
    g_outc(c);
}

/* A digit of a base above 16: a blank and the number with as many digits as the largest has. */
static void put_wide(bc_state *st, int64_t value, int64_t base, bool blank) {
    char text[24], most[24];
    int width = snprintf(most, sizeof most, "%lld", (long long)base - 1);
    snprintf(text, sizeof text, "%0*lld", width, (long long)value);
    if (blank) put(st, ' ');
    for (const char *s = text; *s; s++) put(st, *s);
}

static void put_digit(bc_state *st, int64_t value) {
    if (st->obase <= 16)
        put(st, "0123456789ABCDEF"[value]);
    else
        put_wide(st, value, st->obase, true);
}

static void print_whole(bc_state *st, const bc_num *a) {
    bc_num rest = bc_copy(a), base = bc_from(st->obase);
    int64_t *digits = NULL;
    size_t count = 0, cap = 0;
    rest.negative = false;
    bc_rescale(&rest, 0);
    while (!bc_is_zero(&rest)) {
        bc_num quotient = bc_divide(&rest, &base, 0), product = bc_multiply(&quotient, &base, 0);
        bc_num digit = bc_add(&rest, &product, true);
        if (count == cap) digits = g_more(digits, &cap, sizeof *digits);
        digits[count++] = bc_to_int(&digit);
        bc_free(&rest);
        bc_free(&product);
        bc_free(&digit);
        rest = quotient;
    }
    while (count > 0) put_digit(st, digits[--count]);
    free(digits);
    bc_free(&rest);
    bc_free(&base);
}

/* Digits until they say as much as the decimal ones do. */
static void print_fraction(bc_state *st, const bc_num *a) {
    bc_num rest = bc_copy(a), whole = bc_copy(a), base = bc_from(st->obase), reached = bc_from(1);
    rest.negative = whole.negative = false;
    bc_rescale(&whole, 0);
    bc_num fraction = bc_add(&rest, &whole, true);
    bc_rescale(&fraction, a->scale);
    put(st, '.');
    while (reached.len <= a->scale) {
        bc_num product = bc_multiply(&fraction, &base, a->scale);
        int64_t digit = bc_to_int(&product);
        bc_num whole_part = bc_from(digit), next = bc_add(&product, &whole_part, true);
        bc_num more = bc_multiply(&reached, &base, 0);
        put_digit(st, digit);
        bc_free(&product);
        bc_free(&whole_part);
        bc_free(&fraction);
        bc_free(&reached);
        fraction = next;
        reached = more;
    }
    bc_free(&rest);
    bc_free(&whole);
    bc_free(&base);
    bc_free(&reached);
    bc_free(&fraction);
}

void bc_print_number(bc_state *st, const bc_num *a) {
    bool whole_zero = true;
    for (size_t i = 0; i < a->len; i++) whole_zero = whole_zero && a->digits[i] == 0;
    if (bc_is_zero(a)) {
        put(st, '0');
        return;
    }
    if (a->negative) put(st, '-');
    if (st->obase == 10) {
        for (size_t i = 0; i < a->len && !whole_zero; i++) put(st, (char)('0' + a->digits[i]));
        if (a->scale) put(st, '.');
        for (size_t i = 0; i < a->scale; i++) put(st, (char)('0' + a->digits[a->len + i]));
        return;
    }
    if (!whole_zero) print_whole(st, a);
    if (a->scale) print_fraction(st, a);
}

void bc_print_text(bc_state *st, const char *text, bool escapes) {
    static const char letters[] = "abfnrtq\\", bytes[] = "\a\b\f\n\r\t\"\\";
    for (const char *s = text; *s; s++) {
        char c = *s;
        if (escapes && c == '\\' && s[1]) {
            const char *known = strchr(letters, *++s);
            if (!known) continue;
            c = bytes[known - letters];
        }
        g_outc(c);
        st->column = c == '\n' ? 0 : st->column + 1;
    }
}
