/*
 * host/base/number.h: exact arithmetic on JSON numbers, whatever their size.
 *
 * Called by constraints and schemas, which must never round: 2^53 + 1 is not 2^53, and 1000 is
 * 1000.0. A base_number is a view of the text it was read from, which must outlive it.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct base_number {
    bool negative, zero; /* zero is never negative */
    bool small;          /* `value` holds it exactly */
    int64_t value;
    const char *digits; /* from the first to the last significant digit; a '.' may lie between */
    size_t len;         /* bytes of it; 0 for zero */
    int64_t top;        /* the power of ten that the first significant digit stands for */
    int64_t bottom;     /* and the last one */
};

#define BASE_NUMBER_TEXT 24 /* room for the text of any int64_t */

/* Reads text that is a JSON number from end to end; false when it is not. */
bool base_number_read(struct base_number *out, const char *text, size_t len);
/* The number `value`, with its text in `text`. */
void base_number_of(struct base_number *out, int64_t value, char text[BASE_NUMBER_TEXT]);
/* < 0, 0, > 0 */
int base_number_compare(const struct base_number *a, const struct base_number *b);
/* Is it a whole number, however it is written? */
bool base_number_whole(const struct base_number *n);
/* Its value, if that is a whole number that fits. */
bool base_number_int64(const struct base_number *n, int64_t *out);
/* Significant digits. */
size_t base_number_digits(const struct base_number *n);
/* Divisors that base_number_divides takes: not zero, at most this many significant digits. */
#define BASE_NUMBER_DIVISOR_DIGITS 18
/* Is `n` a whole multiple of `divisor`? Exact. */
bool base_number_divides(const struct base_number *divisor, const struct base_number *n);
/* The same for numbers that compare as equal. */
uint64_t base_number_hash(const struct base_number *n);

#endif
