/*
 * g_integer.h: whole numbers of any size; expr and seq count with them.
 *
 * A value owns its memory: g_integer_free() gives it back. Results are always fresh values.
 */
#ifndef G_INTEGER_H
#define G_INTEGER_H

#include "g_program.h"

typedef struct {
    uint32_t *parts; /* base 10^9, the lowest first; no zeroes on top */
    size_t count;    /* 0: the number is zero */
    bool negative;   /* never with zero */
} g_integer;

void g_integer_free(g_integer *n); /* Frees it; it is zero afterwards. */
/* From `len` decimal digits, and nothing else, with a sign of its own. */
g_integer g_integer_read(const char *digits, size_t len, bool negative);
/* All of `text`, an optional '-' and digits. */
g_integer g_integer_of_text(const char *text);
/* Decimal, in fresh memory. */
char *g_integer_text(const g_integer *n);

/* a + b. Results are fresh, here and below; free each. */
g_integer g_integer_add(const g_integer *a, const g_integer *b);
g_integer g_integer_subtract(const g_integer *a, const g_integer *b); /* a - b */
g_integer g_integer_multiply(const g_integer *a, const g_integer *b); /* a * b */
/* Rounded towards zero; the remainder has the sign of `a`. `b` is not zero. */
g_integer g_integer_divide(const g_integer *a, const g_integer *b, g_integer *remainder);
/* Below, at or above 0 as `a` is below, equal to or above `b`. */
int g_integer_compare(const g_integer *a, const g_integer *b);

#endif
