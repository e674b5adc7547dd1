/*
 * g_number.c: numbers on the command line.
 */
#include "g_number.h"
#include "g_quote.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool multiply(uint64_t *value, uint64_t factor) {
    if (factor && *value > UINT64_MAX / factor) {
        *value = UINT64_MAX;
        return false;
    }
    *value *= factor;
    return true;
}

/* Exponent of a letter in powers of 1024 (or 1000), 0 for none. */
static int power_of(char letter) {
    static const char letters[] = "kKmMgGtTPEZYRQ";
    static const char powers[] = {1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 10};
    const char *at = letter ? strchr(letters, letter) : NULL;
    return at ? powers[at - letters] : 0;
}

/* Applies the suffix at *at, moving past it. */
static enum g_number_result apply_suffix(const char **at, const char *suffixes, uint64_t *value) {
    char letter = **at;
    if (!letter || !strchr(suffixes, letter) || letter == '0') return G_NUMBER_SUFFIX;
    (*at)++;
    if (letter == 'c') return G_NUMBER_OK;
    if (letter == 'b') return multiply(value, 512) ? G_NUMBER_OK : G_NUMBER_OVERFLOW;
    if (letter == 'w') return multiply(value, 2) ? G_NUMBER_OK : G_NUMBER_OVERFLOW;
    if (letter == 'B') return multiply(value, 1024) ? G_NUMBER_OK : G_NUMBER_OVERFLOW;
    uint64_t base = 1024;
    if (strchr(suffixes, '0')) {
        if (**at == 'B') {
            base = 1000;
            (*at)++;
        } else if ((*at)[0] == 'i' && (*at)[1] == 'B') {
            *at += 2;
        }
    }
    bool fits = true;
    for (int i = power_of(letter); i > 0; i--) fits = multiply(value, base) && fits;
    return fits ? G_NUMBER_OK : G_NUMBER_OVERFLOW;
}

static enum g_number_result parse(const char *text, const char *suffixes, uint64_t *out,
                                  const char **end) {
    const char *at = text;
    bool overflow = false;
    uint64_t value = 0;
    bool digits = isdigit((unsigned char)*at) != 0;
    if (!digits) {
        /* A suffix alone counts as one of it, as in xstrtol. */
        if (!*at || !suffixes || *at == '0' || !strchr(suffixes, *at)) return G_NUMBER_BAD;
        value = 1;
    }
    for (; isdigit((unsigned char)*at); at++) {
        unsigned digit = (unsigned)(*at - '0');
        if (value > (UINT64_MAX - digit) / 10) {
            overflow = true;
            value = UINT64_MAX;
        } else {
            value = value * 10 + digit;
        }
    }
    enum g_number_result result = G_NUMBER_OK;
    if (*at && suffixes) {
        result = apply_suffix(&at, suffixes, &value);
        if (result == G_NUMBER_SUFFIX && end) result = G_NUMBER_OK;
    }
    *out = value;
    if (end) *end = at;
    else if (*at) return G_NUMBER_SUFFIX;
    return overflow && result == G_NUMBER_OK ? G_NUMBER_OVERFLOW : result;
}

enum g_number_result g_parse_unsigned(const char *text, const char *suffixes, uint64_t *out,
                                      const char **end) {
    while (isspace((unsigned char)*text)) text++;
    if (*text == '+') text++;
    return parse(text, suffixes, out, end);
}

enum g_number_result g_parse_signed(const char *text, const char *suffixes, int64_t *out,
                                    const char **end) {
    while (isspace((unsigned char)*text)) text++;
    bool negative = *text == '-';
    if (*text == '-' || *text == '+') text++;
    uint64_t value = 0;
    enum g_number_result result = parse(text, suffixes, &value, end);
    if (result == G_NUMBER_BAD) return result;
    uint64_t bound = (uint64_t)INT64_MAX + negative;
    if (value > bound) {
        value = bound;
        if (result == G_NUMBER_OK) result = G_NUMBER_OVERFLOW;
    }
    *out = negative ? (int64_t)(0 - value) : (int64_t)value;
    return result;
}

uint64_t g_number(const char *text, const char *suffixes, uint64_t min, uint64_t max,
                  const char *problem) {
    uint64_t value = 0;
    enum g_number_result result = g_parse_unsigned(text, suffixes, &value, NULL);
    if (result == G_NUMBER_OK && (value < min || value > max)) {
        g_die_errno(g_failure(), value > max ? EOVERFLOW : 0, "%s: %s", problem, g_quote(text));
    }
    if (result == G_NUMBER_OVERFLOW)
        g_die_errno(g_failure(), EOVERFLOW, "%s: %s", problem, g_quote(text));
    if (result != G_NUMBER_OK) g_die(g_failure(), "%s: %s", problem, g_quote(text));
    return value;
}

bool g_parse_real(const char *text, double *out) {
    char *end;
    if (!*text) return false;
    *out = strtod(text, &end);
    return *end == '\0' && end != text;
}
