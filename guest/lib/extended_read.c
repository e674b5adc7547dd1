/*
 * extended_read.c: text to a number of 64 bits of mantissa, rounded correctly.
 */
#include "extended.h"
#include "lib/hex/hex.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

enum {
    MIN_EXPONENT = -16445,
    MAX_EXPONENT = 16320,
    /* More digits than any number halfway between two others has. */
    MAX_DIGITS = 11600,
    MAX_MAGNITUDE = 5000, /* powers of ten beyond are no numbers, on both sides */
    MAX_PARTS = 2000,
    HEX_DIGITS = 32
};

/* A whole number, to the base 2^32, the lowest part first. */
struct whole {
    size_t count;
    bool inexact; /* something was cut off below */
    uint32_t parts[MAX_PARTS];
};

static void whole_multiply(struct whole *n, uint32_t by, uint32_t add) {
    uint64_t carry = add;
    for (size_t i = 0; i < n->count; i++) {
        carry += (uint64_t)n->parts[i] * by;
        n->parts[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) n->parts[n->count++] = (uint32_t)carry;
}

static void whole_divide(struct whole *n, uint32_t by) {
    uint64_t rest = 0;
    for (size_t i = n->count; i-- > 0;) {
        rest = rest << 32 | n->parts[i];
        n->parts[i] = (uint32_t)(rest / by);
        rest %= by;
    }
    while (n->count && !n->parts[n->count - 1]) n->count--;
    if (rest) n->inexact = true;
}

static uint32_t power_of_ten(int exponent) {
    uint32_t power = 1;
    while (exponent-- > 0) power *= 10;
    return power;
}

static int whole_bits(const struct whole *n) {
    if (!n->count) return 0;
    return (int)n->count * 32 - __builtin_clz(n->parts[n->count - 1]);
}

static void whole_shift(struct whole *n, int bits) {
    size_t parts = (size_t)bits / 32;
    whole_multiply(n, (uint32_t)1 << bits % 32, 0);
    memmove(n->parts + parts, n->parts, n->count * sizeof *n->parts);
    memset(n->parts, 0, parts * sizeof *n->parts);
    n->count += parts;
}

static bool bit_at(const struct whole *n, int at) {
    size_t part = (size_t)at / 32;
    return part < n->count && (n->parts[part] >> at % 32 & 1);
}

static bool any_below(const struct whole *n, int at) {
    for (int i = 0; i < at && i / 32 < (int)n->count; i++) {
        if (i % 32 == 0 && !n->parts[i / 32]) i += 31;
        else if (bit_at(n, i) && i < at) return true;
    }
    return false;
}

static extended infinite(void) {
    return (extended){.kind = EXTENDED_INFINITE};
}

/* n * 2^exponent. What is below the mantissa is rounded to the nearest, a tie to the even one. */
static extended rounded(const struct whole *n, int exponent) {
    int bits = whole_bits(n), at = exponent + bits - 64;
    if (!bits) return (extended){0};
    if (at < MIN_EXPONENT) at = MIN_EXPONENT;
    int drop = at - exponent;
    uint64_t mantissa = 0;
    for (int i = 63; i >= 0; i--)
        mantissa = mantissa << 1 | (drop + i >= 0 && bit_at(n, drop + i));
    bool half = drop > 0 && bit_at(n, drop - 1);
    bool below = n->inexact || (drop > 1 && any_below(n, drop - 1));
    if (half && (below || (mantissa & 1)) && !++mantissa) {
        mantissa = (uint64_t)1 << 63;
        at++;
    }
    if (at > MAX_EXPONENT) {
        errno = ERANGE;
        return infinite();
    }
    if (!(mantissa >> 63) && (half || below)) errno = ERANGE;
    return (extended){.mantissa = mantissa, .exponent = at};
}

extended extended_of_unsigned(uint64_t n) {
    struct whole whole;
    whole.count = 2;
    whole.inexact = false;
    whole.parts[0] = (uint32_t)n;
    whole.parts[1] = (uint32_t)(n >> 32);
    while (whole.count && !whole.parts[whole.count - 1]) whole.count--;
    return rounded(&whole, 0);
}

/* Behind an 'e' or 'p': a number with a sign; 0, and *at stays, where there is none. */
static int read_exponent(const char **at) {
    const char *s = *at + 1;
    bool negative = *s == '-';
    int n = 0;
    if (*s == '-' || *s == '+') s++;
    if (!isdigit((unsigned char)*s)) return 0;
    for (; isdigit((unsigned char)*s); s++)
        if (n < 100000000) n = n * 10 + (*s - '0');
    *at = s;
    return negative ? -n : n;
}

/* n * 10^exponent, where n has `digits` of them. */
static extended scaled(struct whole *n, int digits, int exponent) {
    if (!n->count) return (extended){0};
    if (digits + (int64_t)exponent > MAX_MAGNITUDE) {
        errno = ERANGE;
        return infinite();
    }
    if (digits + (int64_t)exponent < -MAX_MAGNITUDE) {
        errno = ERANGE;
        return (extended){0};
    }
    if (exponent >= 0) {
        for (; exponent > 9; exponent -= 9) whole_multiply(n, 1000000000, 0);
        whole_multiply(n, power_of_ten(exponent), 0);
        return rounded(n, 0);
    }
    /* The quotient has more bits than the mantissa: log2(10) is below 3.33. */
    int more = (int)((int64_t)-exponent * 333 / 100) + 68 - whole_bits(n), left = -exponent;
    if (more < 0) more = 0;
    whole_shift(n, more);
    for (; left > 9; left -= 9) whole_divide(n, 1000000000);
    whole_divide(n, power_of_ten(left));
    return rounded(n, -more);
}

/* Digits that are gathered nine at a time. */
struct gather {
    struct whole *n;
    uint32_t chunk;
    int in_chunk, digits;
};

static void gather_flush(struct gather *g) {
    whole_multiply(g->n, power_of_ten(g->in_chunk), g->chunk);
    g->chunk = 0;
    g->in_chunk = 0;
}

static void gather_digit(struct gather *g, int digit) {
    g->digits++;
    g->chunk = g->chunk * 10 + (uint32_t)digit;
    if (++g->in_chunk == 9) gather_flush(g);
}

static extended read_decimal(const char *s, const char **end) {
    struct whole n;
    n.count = 0;
    n.inexact = false;
    struct gather g = {.n = &n};
    int exponent = 0;
    bool any = false, point = false;
    for (;; s++) {
        if (*s == '.' && !point) {
            point = true;
            continue;
        }
        if (!isdigit((unsigned char)*s)) break;
        any = true;
        if (g.digits >= MAX_DIGITS) {
            if (*s != '0') n.inexact = true;
            if (exponent < 100000000) exponent += !point;
            continue;
        }
        if (g.digits || *s != '0') gather_digit(&g, *s - '0');
        exponent -= point;
    }
    if (!any) return (extended){0};
    gather_flush(&g);
    if (n.inexact) { /* a digit more stands for all that was cut off */
        whole_multiply(&n, 10, 1);
        g.digits++;
        exponent--;
    }
    if (*s == 'e' || *s == 'E') exponent += read_exponent(&s);
    *end = s;
    return scaled(&n, g.digits, exponent);
}

/* What stands behind 0x. */
static extended read_hex(const char *s, const char **end) {
    struct whole n;
    n.count = 0;
    n.inexact = false;
    int exponent = 0, digits = 0;
    bool any = false, point = false;
    for (;; s++) {
        if (*s == '.' && !point) {
            point = true;
            continue;
        }
        int digit = pf_hex(*s);
        if (digit < 0) break;
        any = true;
        if (digits >= HEX_DIGITS) {
            if (digit) n.inexact = true;
            if (exponent < 100000000) exponent += point ? 0 : 4;
            continue;
        }
        if (digits || digit) digits++;
        whole_multiply(&n, 16, (uint32_t)digit);
        exponent -= point ? 4 : 0;
    }
    if (!any) return (extended){0};
    if (*s == 'p' || *s == 'P') exponent += read_exponent(&s);
    *end = s;
    if (!n.count) return (extended){0};
    if (exponent > 40000) { /* far beyond all numbers */
        errno = ERANGE;
        return infinite();
    }
    if (exponent < -40000) {
        errno = ERANGE;
        return (extended){0};
    }
    return rounded(&n, exponent);
}

static extended read_name(const char *s, const char **end) {
    if (strncasecmp(s, "inf", 3) == 0) {
        *end = s + (strncasecmp(s, "infinity", 8) == 0 ? 8 : 3);
        return infinite();
    }
    if (strncasecmp(s, "nan", 3) != 0) return (extended){0};
    *end = s + 3;
    if (s[3] == '(') {
        for (s += 4; isalnum((unsigned char)*s) || *s == '_';) s++;
        if (*s == ')') *end = s + 1;
    }
    return (extended){.kind = EXTENDED_NAN};
}

extended extended_read(const char *text, const char **end) {
    const char *s = text;
    extended n;
    *end = text;
    while (isspace((unsigned char)*s)) s++;
    bool negative = *s == '-';
    if (*s == '-' || *s == '+') s++;
    if (s[0] == '0' && (s[1] | 32) == 'x' &&
        (pf_hex(s[2]) >= 0 || (s[2] == '.' && pf_hex(s[3]) >= 0)))
        n = read_hex(s + 2, end);
    else if (isalpha((unsigned char)*s))
        n = read_name(s, end);
    else
        n = read_decimal(s, end);
    n.negative = negative && *end != text;
    return n;
}
