/*
 * seq.c: prints a sequence of numbers.
 *
 * Decimal operands are counted exactly, as whole numbers of the smallest decimal that is printed: in 64
 * bits where they fit. Infinite and fractional hexadecimal ones are counted in double.
 *
 * help seq:
 *   Usage: seq [OPTION]... LAST
 *     or:  seq [OPTION]... FIRST LAST
 *     or:  seq [OPTION]... FIRST INCREMENT LAST
 *   Print numbers from FIRST to LAST, in steps of INCREMENT.
 *
 *     -f, --format=FORMAT      use printf style floating-point FORMAT
 *     -s, --separator=STRING   use STRING to separate numbers (default: \n)
 *     -w, --equal-width        equalize width by padding with leading zeroes
 *         --help               display this help and exit
 *         --version            output version information and exit
 *
 *   FIRST and INCREMENT default to 1.
 */
#include "g_integer.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"
#include "pf.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *text;
    double value;
    bool exact;       /* digits x 10^-scale is the value */
    g_integer digits;
    int scale;
    int decimals;     /* behind the point, as printed; UNKNOWN: as %g chooses */
    int width;        /* of the text as -w counts it */
} operand;

enum { UNKNOWN = -1, EXPONENT_MAX = 5000 };

/* The digits of a decimal number without its point and exponent. */
static void read_digits(operand *o, const char *p, size_t mantissa, long exponent) {
    g_text digits = {0};
    bool negative = *p == '-';
    long scale = 0;
    bool behind = false;
    for (size_t i = negative; i < mantissa; i++) {
        if (p[i] == '.') behind = true;
        else {
            g_text_addc(&digits, p[i]);
            scale += behind;
        }
    }
    for (scale -= exponent; scale < 0; scale++) g_text_addc(&digits, '0');
    o->digits = g_integer_read(digits.s, digits.len, negative);
    o->scale = (int)scale;
    o->exact = true;
    g_text_free(&digits);
}

static void read_decimal(operand *o, const char *p) {
    size_t mantissa = strcspn(p, "eE");
    const char *point = memchr(p, '.', mantissa);
    long exponent = p[mantissa] ? strtol(p + mantissa + 1, NULL, 10) : 0;
    if (exponent > EXPONENT_MAX || exponent < -EXPONENT_MAX) return;
    int behind = point ? (int)(mantissa - (size_t)(point + 1 - p)) : 0;
    o->decimals = behind;
    o->width = (int)mantissa;
    if (point && behind == 0) o->width--; /* "1." */
    if (point && behind > 0 && (point == p || !isdigit((unsigned char)point[-1])))
        o->width++; /* ".5" becomes 0.5 */
    if (exponent < 0) {
        if (!point || behind == 0) o->width++; /* the point that will be there */
        o->decimals += (int)-exponent;
        o->width += (int)-exponent;
    } else if (exponent > 0) {
        int gone = exponent < behind ? (int)exponent : behind;
        o->decimals -= gone;
        if (behind > 0 && o->decimals == 0) o->width--;
        o->width += (int)exponent - gone;
    }
    read_digits(o, p, mantissa, exponent);
}

/* A whole number in hexadecimal, of which strtoull() knows the value. */
static void read_hexadecimal(operand *o, const char *p) {
    if (strpbrk(p, ".pP")) return;
    bool negative = *p == '-';
    char text[24];
    errno = 0;
    int len = snprintf(text, sizeof text, "%llu", strtoull(p + negative, NULL, 16));
    if (errno) return;
    o->digits = g_integer_read(text, (size_t)len, negative);
    o->exact = true;
    o->decimals = 0;
}

static operand read_operand(const char *text) {
    operand o = {.text = text, .decimals = UNKNOWN};
    const char *p = text;
    while (isspace((unsigned char)*p) || *p == '+') p++;
    if (!g_parse_real(text, &o.value)) g_usage("invalid floating point argument: %s", g_quote(text));
    if (isnan(o.value)) g_usage("invalid %s argument: %s", g_quote("not-a-number"), g_quote(text));
    if (strpbrk(p, "xX")) read_hexadecimal(&o, p);
    else if (isinf(o.value) && strpbrk(p, "iI")) o.decimals = 0;
    else read_decimal(&o, p);
    return o;
}

/* Checks that a -f format has exactly one conversion of a real number. Returns where its
 * conversion letter stands. */
static void check_format(const char *format) {
    int conversions = 0;
    for (const char *p = format; *p;) {
        if (*p++ != '%') continue;
        if (*p == '%') {
            p++;
            continue;
        }
        p += strspn(p, "-+#0 '");
        p += strspn(p, "0123456789");
        if (*p == '.') p += 1 + strspn(p + 1, "0123456789");
        if (*p == 'L') p++;
        if (++conversions > 1) g_die(1, "format %s has too many %% directives", g_quote(format));
        if (!*p) g_die(1, "format %s ends in %%", g_quote(format));
        if (!strchr("efgaEFGA", *p))
            g_die(1, "format %s has unknown %%%c directive", g_quote(format), *p);
        p++;
    }
    if (!conversions) g_die(1, "format %s has no %% directive", g_quote(format));
}

/* The format without 'L' and "'" for the C library. */
static char *plain_format(const char *format) {
    char *out = g_alloc(strlen(format) + 1), *to = out;
    bool inside = false;
    for (const char *p = format; *p; p++) {
        if (*p == '%') inside = !inside;
        else if (inside && (*p == 'L' || *p == '\'')) continue;
        else if (inside && isalpha((unsigned char)*p)) inside = false;
        *to++ = *p;
    }
    *to = '\0';
    return out;
}

/* How numbers are shown: by `format`, or plainly with `decimals` and zeroes up to `width`. */
typedef struct {
    const char *format, *separator;
    int decimals, width;
    bool minus_zero; /* the first number is -0, which keeps its sign */
    uint64_t shown;
} layout;

static void begin_number(layout *l) {
    if (l->shown > 0) g_outs(l->separator);
    if (l->shown++ % 4096 == 4095) pf_yield();
}

/* A number of `scale` decimals, given by its digits. */
static void put_digits(layout *l, bool negative, const char *digits, size_t len, int scale) {
    size_t behind = (size_t)scale, before = len > behind ? len - behind : 0;
    begin_number(l);
    if (l->format) {
        g_text text = {0};
        g_text_addf(&text, "%s%.*se-%d", negative ? "-" : "", (int)len, digits, scale);
        g_outf(l->format, strtod(text.s, NULL));
        g_text_free(&text);
        return;
    }
    size_t have = negative + (before ? before : 1) + (behind ? behind + 1 : 0);
    if (negative) g_outc('-');
    if ((size_t)l->width > have) g_out_fill('0', (size_t)l->width - have);
    if (before) g_out(digits, before);
    else g_outc('0');
    if (!behind) return;
    g_outc('.');
    if (behind > len) g_out_fill('0', behind - len);
    g_out(digits + before, len - before);
}

/* Whole numbers that rise: counted in their text, which is shorter than to divide for each. */
static void count_up(layout *l, uint64_t first, unsigned step, uint64_t rounds) {
    char text[400];
    size_t separator = strlen(l->separator), end = sizeof text - separator, at = end;
    memcpy(text + end, l->separator, separator);
    memset(text, '0', end);
    for (; first; first /= 10) text[--at] = (char)('0' + first % 10);
    if (at == end) at--;
    size_t widest = l->width > 0 ? end - (size_t)l->width : end;
    if (widest < at) at = widest;
    for (uint64_t i = 0; i < rounds; i++) {
        g_out(text + at, sizeof text - at);
        size_t digit = end - 1;
        for (unsigned more = step; more; digit--) {
            more += (unsigned)(text[digit] - '0');
            text[digit] = (char)('0' + (more < 10 ? more : more % 10));
            more = more < 10 ? 0 : more / 10;
        }
        if (digit + 1 < at) at = digit + 1;
        if (i % 4096 == 4095) pf_yield();
    }
    g_out(text + at, end - at);
}

static void count_small(layout *l, int64_t first, int64_t step, int64_t last, int scale) {
    uint64_t rounds = step > 0 ? ((uint64_t)last - (uint64_t)first) / (uint64_t)step
                               : ((uint64_t)first - (uint64_t)last) / (0 - (uint64_t)step);
    bool plain = !l->format && !l->minus_zero && scale == 0 && first >= 0;
    if (plain && step > 0 && step < 1000 && l->width < 100 && strlen(l->separator) < 100) {
        count_up(l, (uint64_t)first, (unsigned)step, rounds);
        return;
    }
    for (uint64_t i = 0;; i++) {
        int64_t value = (int64_t)((uint64_t)first + i * (uint64_t)step);
        char text[24];
        size_t at = sizeof text;
        uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
        do {
            text[--at] = (char)('0' + rest % 10);
            rest /= 10;
        } while (rest);
        put_digits(l, value < 0 || (i == 0 && l->minus_zero), text + at, sizeof text - at, scale);
        if (i == rounds) return;
    }
}

/* `last` NULL: for ever. Takes the memory of `value`. */
static void count_large(layout *l, g_integer value, const g_integer *step, const g_integer *last,
                        int scale) {
    for (;;) {
        if (last) {
            int order = g_integer_compare(&value, last);
            if (step->negative ? order < 0 : order > 0) break;
        }
        char *text = g_integer_text(&value);
        put_digits(l, value.negative, text + value.negative, strlen(text + value.negative), scale);
        free(text);
        g_integer next = g_integer_add(&value, step);
        g_integer_free(&value);
        value = next;
    }
    g_integer_free(&value);
}

/* A number of `o` as whole number of the `scale`th decimal. */
static g_integer scaled(const operand *o, int scale) {
    g_text factor = {0};
    g_text_addc(&factor, '1');
    for (int i = o->scale; i < scale; i++) g_text_addc(&factor, '0');
    g_integer power = g_integer_of_text(factor.s), value = g_integer_multiply(&o->digits, &power);
    g_integer_free(&power);
    g_text_free(&factor);
    return value;
}

/* Whether it fits into 18 digits, and its value. */
static bool small(const g_integer *n, int64_t *value) {
    *value = 0;
    if (n->count > 2) return false;
    for (size_t i = n->count; i-- > 0;) *value = *value * 1000000000 + n->parts[i];
    if (n->negative) *value = -*value;
    return true;
}

/* The last number, which has more decimals than `scale`, rounded towards the first one. */
static g_integer bound(const operand *last, int scale, bool falling) {
    bool negative = last->digits.negative;
    char *text = g_integer_text(&last->digits), *digits = text + negative;
    size_t len = strlen(digits), gone = (size_t)(last->scale - scale);
    size_t kept = len > gone ? len - gone : 0;
    g_integer value = g_integer_read(digits, kept, negative);
    bool rest = strspn(digits + kept, "0") < len - kept;
    if (rest && negative != falling) {
        g_integer one = g_integer_of_text(negative ? "-1" : "1");
        g_integer moved = g_integer_add(&value, &one);
        g_integer_free(&one);
        g_integer_free(&value);
        value = moved;
    }
    free(text);
    return value;
}

static void count_exact(layout *l, const operand *first, const operand *step,
                        const operand *last) {
    /* What is shown has the decimals of the first two; the last one may have more of them. */
    int scale = first->scale > step->scale ? first->scale : step->scale;
    if (l->decimals > scale) scale = l->decimals;
    g_integer a = scaled(first, scale), b = scaled(step, scale), c = {0};
    bool endless = isinf(last->value) && !last->exact;
    if (!endless && last->scale > scale) {
        c = bound(last, scale, b.negative);
    } else if (!endless) {
        c = scaled(last, scale);
    } else if ((last->value < 0) != b.negative) {
        return;
    }
    int order = endless ? 0 : g_integer_compare(&a, &c);
    int64_t x, y, z;
    if (b.negative ? order < 0 : order > 0) {
        g_integer_free(&a);
    } else {
        if (!endless && small(&a, &x) && small(&b, &y) && small(&c, &z)) {
            count_small(l, x, y, z, scale);
            g_integer_free(&a);
        } else {
            count_large(l, a, &b, endless ? NULL : &c, scale);
        }
        g_outc('\n');
    }
    g_integer_free(&b);
    g_integer_free(&c);
}

/* Infinite and fractional hexadecimal operands. */
static void count_real(layout *l, double first, double step, double last) {
    if (step > 0 ? first > last : first < last) return;
    double x = first;
    for (uint64_t i = 1; step > 0 ? x <= last : x >= last; i++) {
        begin_number(l);
        g_outf(l->format, x);
        x = first + (double)i * step;
    }
    g_outc('\n');
}

static const g_long longs[] = {{"format", 'f', G_REQUIRED},
                               {"separator", 's', G_REQUIRED},
                               {"equal-width", 'w', G_NONE},
                               {0}};

/* Negative numbers are operands, not options. */
static bool number_ahead(const g_options *o) {
    if (o->cluster || o->at >= o->argc) return false;
    const char *s = o->argv[o->at];
    return s[0] == '-' && (s[1] == '.' || isdigit((unsigned char)s[1]));
}

int seq_main(int argc, char **argv) {
    const char *format = NULL, *separator = "\n";
    bool equal_width = false;
    g_options o = g_options_of(argc, argv, "+f:s:w", longs);
    for (int option; !number_ahead(&o) && (option = g_option(&o)) >= 0;) {
        if (option == 'f') format = o.arg;
        if (option == 's') separator = o.arg;
        if (option == 'w') equal_width = true;
    }
    int count = argc - o.at;
    char **args = argv + o.at;
    if (count < 1) g_missing_operand(NULL);
    if (count > 3) g_extra_operand(args[3]);
    if (format) check_format(format);
    if (format && equal_width)
        g_usage("format string may not be specified when printing equal width strings");
    operand first = read_operand(count > 1 ? args[0] : "1");
    operand step = read_operand(count == 3 ? args[1] : "1");
    operand last = read_operand(args[count - 1]);
    if (step.value == 0) g_usage("invalid Zero increment value: %s", g_quote(step.text));
    layout l = {.format = format ? plain_format(format) : NULL, .separator = separator};
    l.minus_zero = first.digits.count == 0 && signbit(first.value);
    bool plain = first.decimals >= 0 && step.decimals >= 0 && last.decimals >= 0;
    int decimals = first.decimals > step.decimals ? first.decimals : step.decimals;
    if (plain) l.decimals = decimals;
    if (plain && equal_width && !isinf(last.value)) {
        int a = first.width + (decimals - first.decimals) + (decimals && !first.decimals);
        int b = last.width + (decimals - last.decimals) + (decimals && !last.decimals) -
                (!decimals && last.decimals);
        l.width = a > b ? a : b;
    }
    if (first.exact && step.exact && (last.exact || isinf(last.value))) {
        count_exact(&l, &first, &step, &last);
        return 0;
    }
    char made[32];
    if (!l.format) {
        if (plain) snprintf(made, sizeof made, "%%.%df", decimals);
        l.format = plain ? made : "%g";
    }
    count_real(&l, first.value, step.value, last.value);
    return 0;
}
