/*
 * extended.h: real numbers with 64 bits of mantissa, as long double has them on x86.
 *
 * bash and GNU compute with these. wasm has no such type, and the C library of the guest prints
 * none, so they are read and printed here, exactly, with whole numbers.
 */
#ifndef EXTENDED_H
#define EXTENDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t mantissa; /* the value is mantissa * 2^exponent; the highest bit is set unless tiny */
    int exponent;
    bool negative;
    enum { EXTENDED_FINITE, EXTENDED_INFINITE, EXTENDED_NAN } kind;
} extended;

/* As strtold() in the C locale: blanks, a sign, decimal or hexadecimal, "inf", "nan". `end` is set
   to the first byte that is not read; errno becomes ERANGE where strtold() would set it. */
extended extended_read(const char *text, const char **end);

extended extended_of_unsigned(uint64_t n); /* The number n, which is always exact. */

/* Where text goes, piece by piece. */
typedef struct {
    void (*put)(void *to, const char *s, size_t n);
    void *to;
} extended_sink;

/* A conversion of printf(): flags among "-+ #0", width and precision (-1: none), a letter of
   "aAeEfFgG". */
typedef struct {
    const char *flags;
    int width, precision;
    char kind;
} extended_format;

/* Gives the sink what printf() prints for this conversion. */
void extended_print(const extended *number, const extended_format *format, extended_sink sink);

#endif
