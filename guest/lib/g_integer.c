/*
 * g_integer.c: whole numbers of any size; expr and seq count with them.
 *
 * Parts are digits in base 10^9, so that reading and printing cost no division.
 */
#include "g_integer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BASE = 1000000000, DIGITS = 9 };

void g_integer_free(g_integer *n) {
    free(n->parts);
    *n = (g_integer){0};
}

static g_integer with_room(size_t count) {
    return (g_integer){.parts = g_zalloc((count ? count : 1) * sizeof(uint32_t)), .count = count};
}

static void trim(g_integer *n) {
    while (n->count && n->parts[n->count - 1] == 0) n->count--;
    if (!n->count) n->negative = false;
}

g_integer g_integer_read(const char *digits, size_t len, bool negative) {
    g_integer n = with_room(len / DIGITS + 1);
    for (size_t i = 0; i < len; i++) {
        size_t place = len - 1 - i, in_part = place % DIGITS;
        uint32_t digit = (uint32_t)(digits[i] - '0');
        for (size_t k = 0; k < in_part; k++) digit *= 10;
        n.parts[place / DIGITS] += digit;
    }
    n.negative = negative;
    trim(&n);
    return n;
}

g_integer g_integer_of_text(const char *text) {
    bool negative = *text == '-';
    return g_integer_read(text + negative, strlen(text + negative), negative);
}

char *g_integer_text(const g_integer *n) {
    if (!n->count) return g_copy_string("0");
    size_t size = n->count * DIGITS + 2, at = 0;
    char *out = g_alloc(size);
    if (n->negative) out[at++] = '-';
    for (size_t i = n->count; i-- > 0;)
        at += (size_t)snprintf(out + at, size - at, i == n->count - 1 ? "%u" : "%09u",
                               (unsigned)n->parts[i]);
    return out;
}

/* Sizes only: the signs are left out. */
static int compare_size(const g_integer *a, const g_integer *b) {
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (size_t i = a->count; i-- > 0;)
        if (a->parts[i] != b->parts[i]) return a->parts[i] < b->parts[i] ? -1 : 1;
    return 0;
}

int g_integer_compare(const g_integer *a, const g_integer *b) {
    if (a->negative != b->negative) return a->negative ? -1 : 1;
    int order = compare_size(a, b);
    return a->negative ? -order : order;
}

static g_integer add_sizes(const g_integer *a, const g_integer *b) {
    if (a->count < b->count) {
        const g_integer *longer = b;
        b = a;
        a = longer;
    }
    g_integer sum = with_room(a->count + 1);
    uint32_t carry = 0;
    for (size_t i = 0; i < sum.count; i++) {
        uint32_t part = carry + (i < a->count ? a->parts[i] : 0) + (i < b->count ? b->parts[i] : 0);
        carry = part >= BASE;
        sum.parts[i] = carry ? part - BASE : part;
    }
    trim(&sum);
    return sum;
}

/* a - b, where a is not smaller. */
static g_integer subtract_sizes(const g_integer *a, const g_integer *b) {
    g_integer rest = with_room(a->count);
    uint32_t borrow = 0;
    for (size_t i = 0; i < a->count; i++) {
        uint32_t take = borrow + (i < b->count ? b->parts[i] : 0);
        borrow = a->parts[i] < take;
        rest.parts[i] = a->parts[i] + (borrow ? BASE : 0) - take;
    }
    trim(&rest);
    return rest;
}

static g_integer combine(const g_integer *a, const g_integer *b, bool b_negative) {
    g_integer result;
    bool negative = a->negative;
    if (a->negative == b_negative) {
        result = add_sizes(a, b);
    } else if (compare_size(a, b) >= 0) {
        result = subtract_sizes(a, b);
    } else {
        result = subtract_sizes(b, a);
        negative = b_negative;
    }
    result.negative = negative && result.count;
    return result;
}

g_integer g_integer_add(const g_integer *a, const g_integer *b) {
    return combine(a, b, b->negative);
}

g_integer g_integer_subtract(const g_integer *a, const g_integer *b) {
    return combine(a, b, !b->negative);
}

g_integer g_integer_multiply(const g_integer *a, const g_integer *b) {
    g_integer product = with_room(a->count + b->count);
    for (size_t i = 0; i < a->count; i++) {
        uint64_t carry = 0;
        for (size_t k = 0; k < b->count || carry; k++) {
            uint64_t part = product.parts[i + k] + carry;
            if (k < b->count) part += (uint64_t)a->parts[i] * b->parts[k];
            product.parts[i + k] = (uint32_t)(part % BASE);
            carry = part / BASE;
        }
    }
    product.negative = a->negative != b->negative;
    trim(&product);
    return product;
}

static g_integer times_part(const g_integer *a, uint32_t part) {
    g_integer factor = {.parts = &part, .count = part != 0};
    g_integer size = *a;
    size.negative = false;
    return g_integer_multiply(&size, &factor);
}

/* How often `by` goes into `rest`, which is less than BASE times; `rest` keeps the remainder. */
static uint32_t divide_step(g_integer *rest, const g_integer *by) {
    uint32_t low = 0, high = BASE - 1;
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        g_integer product = times_part(by, middle);
        if (compare_size(&product, rest) <= 0) low = middle;
        else high = middle - 1;
        g_integer_free(&product);
    }
    g_integer product = times_part(by, low), left = subtract_sizes(rest, &product);
    g_integer_free(&product);
    g_integer_free(rest);
    *rest = left;
    return low;
}

g_integer g_integer_divide(const g_integer *a, const g_integer *b, g_integer *remainder) {
    g_integer quotient = with_room(a->count), rest = with_room(0);
    for (size_t i = a->count; i-- > 0;) {
        g_integer longer = with_room(rest.count + 1);
        longer.parts[0] = a->parts[i];
        if (rest.count) memcpy(longer.parts + 1, rest.parts, rest.count * sizeof *rest.parts);
        trim(&longer);
        g_integer_free(&rest);
        rest = longer;
        quotient.parts[i] = divide_step(&rest, b);
    }
    quotient.negative = a->negative != b->negative;
    trim(&quotient);
    rest.negative = a->negative && rest.count;
    *remainder = rest;
    return quotient;
}
