/*
 * g_number.h: numbers on the command line.
 *
 * Decimal integers with GNU's multiplier suffixes, which differ from option to option; checked for
 * overflow, never negative unless asked.
 */
#ifndef G_NUMBER_H
#define G_NUMBER_H

#include "g_program.h"

enum g_number_result { G_NUMBER_OK, G_NUMBER_BAD, G_NUMBER_SUFFIX, G_NUMBER_OVERFLOW };

/* Suffix sets: of head, tail, split, du … ("bkKmMGTPEZYRQ0": with B and iB forms), and none. */
#define G_SIZES "bcEGKkMmPTYZ0"

/*
 * Reads all of `text`. `suffixes` lists the allowed multiplier letters; '0' in it allows the B and
 * iB endings (kB = 1000, K = KiB = 1024). On overflow *out is the nearest bound. `end`, when not
 * NULL, is set to the first byte that is not part of the number, and trailing text is no error.
 */
enum g_number_result g_parse_unsigned(const char *text, const char *suffixes, uint64_t *out,
                                      const char **end);
/* The same with an optional sign, and blanks in front. */
enum g_number_result g_parse_signed(const char *text, const char *suffixes, int64_t *out,
                                    const char **end);

/* The value, or "NAME: PROBLEM: ‘text’" and the end. For values from min to max. */
uint64_t g_number(const char *text, const char *suffixes, uint64_t min, uint64_t max,
                  const char *problem);

/* A real number as strtod reads it in the C locale, all of the text; false when it is not one. */
bool g_parse_real(const char *text, double *out);

#endif
