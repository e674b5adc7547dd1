/*
 * seq.c: prints a sequence of numbers.
 *
 * Whole numbers are counted in text or in 64 bits; others in double (GNU: long double), with as
 * many decimals as the operands have.
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
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
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
    bool whole;        /* digits with an optional sign, within 64 bits */
    int64_t integer;
    int decimals;      /* behind the point; -1 when it cannot be told (hex, infinity) */
    int width;         /* of the text as -w counts it */
} operand;

static operand read_operand(const char *text) {
    operand o = {.text = text};
    const char *p = text;
    while (isspace((unsigned char)*p) || *p == '+') p++;
    if (!g_parse_real(text, &o.value)) g_usage("invalid floating point argument: %s", g_quote(text));
    if (isnan(o.value)) g_usage("invalid %s argument: %s", g_quote("not-a-number"), g_quote(text));
    const char *digits = p + (*p == '-');
    o.whole = *digits && digits[strspn(digits, "0123456789")] == '\0' && strlen(digits) < 19;
    if (o.whole) o.integer = strtoll(p, NULL, 10);
    if (strpbrk(p, "xX") || isinf(o.value)) {
        o.decimals = isinf(o.value) ? 0 : -1;
        return o;
    }
    size_t mantissa = strcspn(p, "eE");
    const char *point = memchr(p, '.', mantissa);
    long exponent = p[mantissa] ? strtol(p + mantissa + 1, NULL, 10) : 0;
    size_t behind = point ? mantissa - (size_t)(point + 1 - p) : 0;
    o.decimals = (int)behind;
    o.width = (int)mantissa;
    if (point && behind == 0) o.width--; /* "1." */
    if (point && point == digits) o.width++; /* ".5" becomes 0.5 */
    if (exponent < 0) {
        o.decimals += (int)-exponent;
        o.width += (int)-exponent;
    } else if (exponent > 0) {
        int gone = exponent < o.decimals ? (int)exponent : o.decimals;
        if (o.decimals && exponent >= o.decimals) o.width--;
        o.decimals -= gone;
        o.width += (int)exponent - gone;
    }
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
        if (!*p) g_die(1, "format %s ends in %%", g_quote(format));
        if (!strchr("efgaEFGA", *p))
            g_die(1, "format %s has unknown %%%c directive", g_quote(format), *p);
        if (++conversions > 1) g_die(1, "format %s has too many %% directives", g_quote(format));
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

static void count_whole(int64_t first, int64_t step, int64_t last, const char *separator,
                        int width) {
    size_t separator_len = strlen(separator);
    if (step > 0 ? first > last : first < last) return;
    uint64_t rounds = step > 0 ? ((uint64_t)last - (uint64_t)first) / (uint64_t)step
                               : ((uint64_t)first - (uint64_t)last) / (0 - (uint64_t)step);
    for (uint64_t i = 0;; i++) {
        int64_t value = (int64_t)((uint64_t)first + i * (uint64_t)step);
        char text[24];
        size_t at = sizeof text;
        uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
        do {
            text[--at] = (char)('0' + rest % 10);
            rest /= 10;
        } while (rest);
        if (value < 0) g_outc('-');
        int have = (int)(sizeof text - at) + (value < 0);
        if (width > have) g_out_fill('0', (size_t)(width - have));
        g_out(text + at, sizeof text - at);
        if (i == rounds) break;
        g_out(separator, separator_len);
        if (i % 4096 == 4095) pf_yield();
    }
    g_outc('\n');
}

/* A real that rounds to the last value, printed, is still part of the sequence. */
static bool just_beyond(const char *format, double x, double last) {
    char text[512];
    int n = snprintf(text, sizeof text, format, x);
    if (n < 0 || n >= (int)sizeof text) return false;
    size_t skip = strcspn(text, "-0123456789.");
    return strtod(text + skip, NULL) == last;
}

static void count_real(const char *format, double first, double step, double last,
                       const char *separator) {
    if (step > 0 ? first > last : first < last) return;
    for (uint64_t i = 0;; i++) {
        double x = first + (double)i * step;
        if (i % 4096 == 4095) pf_yield();
        if (step > 0 ? x > last : x < last) {
            /* As GNU: rounding may have pushed the last value out. */
            if (i == 0 || !just_beyond(format, x, last)) break;
            char now[512], before[512];
            snprintf(now, sizeof now, format, x);
            snprintf(before, sizeof before, format, first + (double)(i - 1) * step);
            if (strcmp(now, before) == 0) break;
            g_outs(separator);
            g_outs(now);
            break;
        }
        if (i > 0) g_outs(separator);
        g_outf(format, x);
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
    g_options o;
    g_options_init(&o, argc, argv, "+f:s:w", longs);
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
    if (!format && first.whole && step.whole && last.whole) {
        int width = !equal_width ? 0 : first.width > last.width ? first.width : last.width;
        count_whole(first.integer, step.integer, last.integer, separator, width);
        return 0;
    }
    char made[64];
    if (format) {
        format = plain_format(format);
    } else if (first.decimals < 0 || step.decimals < 0 || last.decimals < 0) {
        format = "%g";
    } else {
        int decimals = first.decimals > step.decimals ? first.decimals : step.decimals;
        int a = first.width + (decimals - first.decimals) +
                (decimals && !first.decimals) - (!decimals && first.decimals);
        int b = last.width + (decimals - last.decimals) + (decimals && !last.decimals) -
                (!decimals && last.decimals);
        int width = equal_width && !isinf(last.value) ? (a > b ? a : b) : 0;
        if (width) snprintf(made, sizeof made, "%%0%d.%df", width, decimals);
        else snprintf(made, sizeof made, "%%.%df", decimals);
        format = made;
    }
    count_real(format, first.value, step.value, last.value, separator);
    return 0;
}
