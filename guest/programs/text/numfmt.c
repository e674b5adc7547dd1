/*
 * numfmt.c: numbers from and to human-readable form.
 *
 * help numfmt:
 *   Usage: numfmt [OPTION]... [NUMBER]...
 *   Reformat NUMBER(s), or the numbers from standard input if none are specified.
 *
 *         --debug          print warnings about options without effect
 *     -d, --delimiter=X    use X instead of whitespace for field delimiter
 *         --field=FIELDS   replace the numbers in these input fields (default=1): N, N-M, -M, N- or
 *                            a list of these
 *         --format=FORMAT  use printf style floating-point FORMAT, %f with width and precision
 *         --from=UNIT      auto-scale input numbers to UNITs; default is 'none'
 *         --from-unit=N    specify the input unit size (instead of the default 1)
 *         --grouping       use locale-defined grouping of digits (there is none)
 *         --header[=N]     print (without converting) the first N header lines; N defaults to 1
 *         --invalid=MODE   failure mode for invalid numbers: abort (default), fail, warn, ignore
 *         --padding=N      pad the output to N characters; positive N will right-align
 *         --round=METHOD   use METHOD for rounding when scaling: up, down, from-zero (default),
 *                            towards-zero, nearest
 *         --suffix=SUFFIX  add SUFFIX to output numbers, and accept optional SUFFIX in input
 *         --to=UNIT        auto-scale output numbers to UNITs
 *         --to-unit=N      the output unit size (instead of the default 1)
 *     -z, --zero-terminated  line delimiter is NUL, not newline
 *         --help           display this help and exit
 *         --version        output version information and exit
 *
 *   UNIT is one of none, auto (1K = 1000, 1Ki = 1024; input only), si (1K = 1000), iec (1K = 1024),
 *   iec-i (1Ki = 1024).
 */
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum unit { NONE, AUTO, SI, IEC, IEC_I };
enum rounding { ROUND_UP, ROUND_DOWN, ROUND_FROM_ZERO, ROUND_TO_ZERO, ROUND_NEAREST };
enum invalid { ABORT, FAIL, WARN, IGNORE };

typedef struct {
    uint64_t from, to;
} range;

typedef struct {
    enum unit from, to;
    enum rounding rounding;
    enum invalid invalid;
    uint64_t from_unit, to_unit, header;
    int delimiter; /* -1: blanks */
    char end;
    range *ranges;
    size_t range_count, range_cap;
    int64_t padding;
    bool auto_padding, zero_padding;
    int precision; /* of --format; -1: none */
    const char *suffix;
    char *before, *after; /* what stands around % in --format */
    bool failed, debug;
} converter;

typedef long double real;

static const char powers[] = "KMGTPEZY";

static real power_of(real base, int n) {
    real value = 1;
    while (n-- > 0) value *= base;
    return value;
}

static real round_away(real v) {
    real whole = v < 0 ? -__builtin_floorl(-v) : __builtin_floorl(v);
    if (whole == v) return v;
    return v < 0 ? whole - 1 : whole + 1;
}

static real rounded(real v, enum rounding how) {
    switch (how) {
    case ROUND_UP: return __builtin_ceill(v);
    case ROUND_DOWN: return __builtin_floorl(v);
    case ROUND_FROM_ZERO: return round_away(v);
    case ROUND_TO_ZERO: return v < 0 ? __builtin_ceill(v) : __builtin_floorl(v);
    default: return v < 0 ? -__builtin_floorl(0.5L - v) : __builtin_floorl(v + 0.5L);
    }
}

/* As printf rounds: a half goes to the even neighbour. */
static real half_even(real v) {
    real whole = __builtin_floorl(v), rest = v - whole;
    if (rest > 0.5L || (rest == 0.5L && whole / 2 != __builtin_floorl(whole / 2))) whole += 1;
    return whole;
}

/* v in decimal; printf's long double is not to be had everywhere. */
static void put_decimal(g_text *out, real v, int precision) {
    char digits[128];
    size_t at = sizeof digits;
    bool negative = v < 0;
    real scaled = (negative ? -v : v) * power_of(10, precision), whole = half_even(scaled);
    int written = 0;
    do {
        real next = __builtin_floorl(whole / 10);
        int digit = (int)(whole - next * 10);
        digits[--at] = (char)('0' + (digit < 0 ? 0 : digit > 9 ? 9 : digit));
        whole = next;
        if (++written == precision) digits[--at] = '.';
    } while ((whole >= 1 || written <= precision) && at > 2);
    if (negative) digits[--at] = '-';
    g_text_add(out, digits + at, sizeof digits - at);
}

/* Input. A problem with the text is a message with one %s. */
static const char *parse(const converter *c, const char *text, real *value, int *precision) {
    const char *s = text;
    bool negative = *s == '-', any = false;
    int digits = 0;
    if (negative) s++;
    *value = 0;
    *precision = 0;
    for (; isdigit((unsigned char)*s); s++) {
        *value = *value * 10 + (*s - '0');
        any = true;
        if (*value > 0 && ++digits > 27) return "value too large to be converted: %s";
    }
    if (*s == '.') {
        s++;
        real unit = 1;
        if (!isdigit((unsigned char)*s)) return "invalid number: %s";
        for (; isdigit((unsigned char)*s); s++) {
            unit *= 10;
            *value = *value * 10 + (*s - '0');
            (*precision)++;
        }
        *value /= unit;
        any = true;
    }
    if (!any) return "invalid number: %s";
    if (negative) *value = -*value;
    if (!*s) return NULL;
    while (isblank((unsigned char)*s)) s++;
    const char *known = *s ? strchr(powers, *s) : NULL;
    if (!known) return "invalid suffix in input: %s";
    if (c->from == NONE) return "rejecting suffix in input: %s (consider using --from)";
    s++;
    real base = c->from == SI || c->from == AUTO ? 1000 : 1024;
    if (c->from == AUTO && *s == 'i') {
        base = 1024;
        s++;
    } else if (c->from == IEC_I) {
        if (*s != 'i') return "missing 'i' suffix in input: %s (e.g Ki/Mi/Gi)";
        s++;
    }
    *precision = 0;
    *value *= power_of(base, (int)(known - powers) + 1);
    return *s ? "invalid suffix in input %s: %s" : NULL;
}

/* Output */
static void format(const converter *c, real v, int precision, g_text *out) {
    if (c->to == NONE) {
        real scale = power_of(10, precision);
        put_decimal(out, rounded(v * scale, c->rounding) / scale, precision);
        return;
    }
    real base = c->to == SI ? 1000 : 1024;
    int power = 0;
    while ((v < 0 ? -v : v) >= base) {
        v /= base;
        power++;
    }
    int adjust = c->precision >= 0 ? (power * 3 < c->precision ? power * 3 : c->precision)
                                   : (v < 0 ? -v : v) < 10;
    real scale = power_of(10, adjust);
    v = rounded(v * scale, c->rounding) / scale;
    if ((v < 0 ? -v : v) >= base) {
        v /= base;
        power++;
    }
    bool decimal = v != 0 && (v < 0 ? -v : v) < 10 && power > 0;
    put_decimal(out, v, c->precision >= 0 ? c->precision : decimal);
    if (power > 0) g_text_addc(out, powers[power - 1]);
    if (power > 0 && c->to == IEC_I) g_text_addc(out, 'i');
}

static void put_padded(const converter *c, const char *text, int64_t padding) {
    size_t width = (size_t)(padding < 0 ? -padding : padding),
           len = g_text_width(text, strlen(text));
    size_t fill = width > len ? width - len : 0;
    if (c->before) g_outs(c->before);
    if (padding > 0 && c->zero_padding) {
        bool negative = *text == '-';
        if (negative) g_outc('-');
        g_out_fill('0', fill);
        g_outs(text + negative);
    } else {
        if (padding > 0) g_out_fill(' ', fill);
        g_outs(text);
        if (padding < 0) g_out_fill(' ', fill);
    }
    if (c->after) g_outs(c->after);
}

static bool included(const converter *c, uint64_t field) {
    if (c->range_count == 0) return field == 1;
    for (size_t i = 0; i < c->range_count; i++)
        if (field >= c->ranges[i].from && field <= c->ranges[i].to) return true;
    return false;
}

static void complain(converter *c, const char *problem, const char *text) {
    c->failed = c->failed || c->invalid != IGNORE;
    if (c->invalid == IGNORE) return;
    g_text line = {0};
    char *quoted = g_copy_string(g_quote(text));
    const char *hole = strstr(problem, "%s");
    g_text_add(&line, problem, (size_t)(hole - problem));
    g_text_adds(&line, quoted);
    const char *second = strstr(hole + 2, "%s");
    if (second) {
        const char *s = text;
        while (*s == '-' || isdigit((unsigned char)*s) || *s == '.' || isblank((unsigned char)*s))
            s++;
        s += *s != 0;
        if (*s == 'i' && (c->from == AUTO || c->from == IEC_I)) s++;
        g_text_add(&line, hole + 2, (size_t)(second - hole - 2));
        g_text_adds(&line, g_quote(s));
    } else {
        g_text_adds(&line, hole + 2);
    }
    if (c->invalid == ABORT) g_die(2, "%s", line.s);
    g_warn("%s", line.s);
    free(quoted);
    g_text_free(&line);
}

/* More digits than a number that is not scaled may have; the message, as GNU's. */
static bool too_large(const converter *c, real value, int precision, char *problem, size_t size) {
    int power = 0;
    for (real rest = value < 0 ? -value : value; rest >= 10; rest /= 10) power++;
    if (c->to != NONE || power + precision <= 18) return false;
    if (precision > 0)
        snprintf(problem, size,
                 "value/precision too large to be printed: '%g/%d' (consider using --to)",
                 (double)value, precision);
    else
        snprintf(problem, size, "value too large to be printed: '%g' (consider using --to)",
                 (double)value);
    return true;
}

static void put_field(converter *c, const char *text, size_t len, uint64_t field) {
    char *copy = g_copy_bytes(text, len);
    if (!included(c, field)) {
        g_outs(copy);
        free(copy);
        return;
    }
    char *s = copy;
    while (isblank((unsigned char)*s)) s++;
    char *number = g_copy_string(s);
    size_t suffix = c->suffix ? strlen(c->suffix) : 0, size = strlen(number);
    if (suffix && size > suffix && strcmp(number + size - suffix, c->suffix) == 0)
        number[size - suffix] = '\0';
    int64_t padding = c->padding;
    if (c->auto_padding) padding = s > copy || field > 1 ? (int64_t)len : 0;
    real value;
    int precision;
    const char *problem = parse(c, number, &value, &precision);
    if (problem) {
        complain(c, problem, number);
        g_outs(copy);
    } else {
        g_text out = {0};
        if (c->from_unit != 1 || c->to_unit != 1)
            value = value * (real)c->from_unit / (real)c->to_unit;
        char large[120];
        if (c->precision >= 0) precision = c->precision;
        if (too_large(c, value, precision, large, sizeof large)) {
            if (c->invalid == ABORT) g_die(2, "%s", large);
            if (c->invalid != IGNORE) g_warn("%s", large);
            c->failed = c->failed || c->invalid != IGNORE;
            g_outs(copy);
        } else {
            format(c, value, precision, &out);
            if (c->suffix) g_text_adds(&out, c->suffix);
            put_padded(c, out.s, padding);
            g_text_free(&out);
        }
    }
    free(number);
    free(copy);
}

static void put_line(converter *c, const char *s, size_t len, bool terminated) {
    uint64_t field = 0;
    for (size_t at = 0;;) {
        size_t end = at;
        if (c->delimiter >= 0) {
            while (end < len && (unsigned char)s[end] != c->delimiter) end++;
        } else {
            while (end < len && (isblank((unsigned char)s[end]) || s[end] == '\n')) end++;
            while (end < len && !isblank((unsigned char)s[end]) && s[end] != '\n') end++;
        }
        put_field(c, s + at, end - at, ++field);
        if (end == len) break;
        g_outc(c->delimiter >= 0 ? (char)c->delimiter : ' ');
        at = end + 1;
    }
    if (terminated) g_outc(c->end);
}

/* [text]%[0]['][-][width][.precision]f[text] */
static void read_format(converter *c, const char *text) {
    const char *s = text;
    g_text before = {0}, after = {0};
    size_t before_len = 0; /* characters, with %% for one; as many bytes are printed, as GNU does */
    for (; *s && !(*s == '%' && s[1] != '%'); s++, before_len++) s += *s == '%';
    if (!*s) g_die(1, "format %s has no %% directive", g_quote(text));
    g_text_add(&before, text, before_len);
    s++;
    for (;; s++) {
        if (*s == '0')
            c->zero_padding = true;
        else if (*s != '\'' && *s != ' ')
            break;
    }
    char *end;
    errno = 0;
    long long width = strtoll(s, &end, 10);
    if (errno == ERANGE) g_die(1, "invalid format %s (width overflow)", g_quote(text));
    s = end;
    if (width) {
        if (c->padding) g_warn("--format padding overriding --padding");
        c->padding = width;
        c->auto_padding = false;
    }
    if (!*s) g_die(1, "format %s ends in %%", g_quote(text));
    if (*s == '.') {
        if (isblank((unsigned char)s[1]) || s[1] == '+' || s[1] == '-')
            g_die(1, "invalid precision in format %s", g_quote(text));
        c->precision = (int)strtol(s + 1, &end, 10);
        if (c->precision > 30) g_die(1, "invalid precision in format %s", g_quote(text));
        s = end;
    }
    if (*s != 'f')
        g_die(1, "invalid format %s, directive must be %%[0]['][-][N][.][N]f", g_quote(text));
    for (s++; *s; s++) {
        if (*s == '%' && s[1] != '%')
            g_die(1, "format %s has too many %% directives", g_quote(text));
        g_text_addc(&after, *s);
        if (*s == '%') g_text_addc(&after, *s++);
    }
    c->before = before.s;
    c->after = after.s;
}

static void read_fields(converter *c, const char *text) {
    if (c->range_count) g_die(1, "multiple field specifications");
    for (const char *s = text;; s++) {
        range r = {1, UINT64_MAX};
        const char *start = s;
        if (isdigit((unsigned char)*s)) {
            g_parse_unsigned(s, "", &r.from, &s);
            if (*s != '-') r.to = r.from;
        } else if (*s != '-') {
            g_usage("invalid field value %s", g_quote(s));
        }
        if (*s == '-') {
            start = ++s;
            if (isdigit((unsigned char)*s)) g_parse_unsigned(s, "", &r.to, &s);
        }
        if (r.from == 0) g_usage("fields are numbered from 1");
        if (r.to < r.from) g_usage("invalid decreasing range");
        if (*s && *s != ',') g_usage("invalid field value %s", g_quote(start));
        if (c->range_count == c->range_cap)
            c->ranges = g_more(c->ranges, &c->range_cap, sizeof *c->ranges);
        c->ranges[c->range_count++] = r;
        if (!*s) break;
    }
}

enum {
    FROM = 256,
    FROM_UNIT,
    TO,
    TO_UNIT,
    ROUND,
    PADDING,
    SUFFIX,
    GROUPING,
    FIELD,
    DEBUG,
    HEADER,
    FORMAT,
    INVALID
};
static const g_long longs[] = {
    {"from", FROM, G_REQUIRED},       {"from-unit", FROM_UNIT, G_REQUIRED},
    {"to", TO, G_REQUIRED},           {"to-unit", TO_UNIT, G_REQUIRED},
    {"round", ROUND, G_REQUIRED},     {"padding", PADDING, G_REQUIRED},
    {"suffix", SUFFIX, G_REQUIRED},   {"grouping", GROUPING, G_NONE},
    {"delimiter", 'd', G_REQUIRED},   {"field", FIELD, G_REQUIRED},
    {"debug", DEBUG, G_NONE},         {"header", HEADER, G_OPTIONAL},
    {"format", FORMAT, G_REQUIRED},   {"invalid", INVALID, G_REQUIRED},
    {"zero-terminated", 'z', G_NONE}, {0}};
static const g_word from_units[] = {{"none", NONE}, {"auto", AUTO},   {"si", SI},
                                    {"iec", IEC},   {"iec-i", IEC_I}, {0}};
static const g_word to_units[] = {{"none", NONE}, {"si", SI}, {"iec", IEC}, {"iec-i", IEC_I}, {0}};
static const g_word roundings[] = {{"up", ROUND_UP},
                                   {"down", ROUND_DOWN},
                                   {"from-zero", ROUND_FROM_ZERO},
                                   {"towards-zero", ROUND_TO_ZERO},
                                   {"nearest", ROUND_NEAREST},
                                   {0}};
static const g_word modes[] = {
    {"abort", ABORT}, {"fail", FAIL}, {"warn", WARN}, {"ignore", IGNORE}, {0}};

/* N, NK (1000), NKi (1024) */
static uint64_t unit_size(const char *text) {
    uint64_t value;
    const char *rest;
    enum g_number_result result = G_NUMBER_OK;
    if (isdigit((unsigned char)*text)) {
        result = g_parse_unsigned(text, "", &value, &rest);
    } else {
        value = 1; /* "Ki" is 1Ki */
        rest = text;
    }
    if (!*text) g_die(1, "invalid unit size: %s", g_quote(text));
    const char *known = *rest ? strchr(powers, *rest) : NULL;
    if (known) rest++;
    unsigned base = known && *rest == 'i' ? 1024 : 1000;
    if (base == 1024) rest++;
    for (const char *p = powers; known && p <= known; p++)
        if (__builtin_mul_overflow(value, base, &value)) result = G_NUMBER_OVERFLOW;
    if (result == G_NUMBER_OVERFLOW || *rest || value == 0)
        g_die(1, "invalid unit size: %s", g_quote(text));
    return value;
}

static void read_options(converter *c, g_options *o) {
    const char *format_text = NULL;
    bool grouping = false;
    for (int option; (option = g_option(o)) >= 0;) {
        switch (option) {
        case FROM: c->from = (enum unit)g_match_word("--from", o->arg, from_units); break;
        case FROM_UNIT: c->from_unit = unit_size(o->arg); break;
        case TO: c->to = (enum unit)g_match_word("--to", o->arg, to_units); break;
        case TO_UNIT: c->to_unit = unit_size(o->arg); break;
        case ROUND: c->rounding = (enum rounding)g_match_word("--round", o->arg, roundings); break;
        case PADDING:
            if (g_parse_signed(o->arg, "", &c->padding, NULL) != G_NUMBER_OK || c->padding == 0)
                g_die(1, "invalid padding value %s", g_quote(o->arg));
            c->auto_padding = false;
            break;
        case SUFFIX: c->suffix = o->arg; break;
        case GROUPING: grouping = true; break;
        case 'd':
            if (*o->arg && o->arg[1]) g_die(1, "the delimiter must be a single character");
            c->delimiter = (unsigned char)*o->arg;
            break;
        case FIELD: read_fields(c, o->arg); break;
        case DEBUG: c->debug = true; break;
        case HEADER:
            c->header = 1;
            if (o->arg &&
                (g_parse_unsigned(o->arg, "", &c->header, NULL) != G_NUMBER_OK || c->header == 0))
                g_die(1, "invalid header value %s", g_quote(o->arg));
            break;
        case FORMAT: format_text = o->arg; break;
        case INVALID: c->invalid = (enum invalid)g_match_word("--invalid", o->arg, modes); break;
        case 'z': c->end = '\0'; break;
        }
    }
    if (grouping && format_text) g_die(1, "--grouping cannot be combined with --format");
    if (grouping && c->to != NONE) g_die(1, "grouping cannot be combined with --to");
    if (format_text) read_format(c, format_text);
    if (!c->debug) return;
    bool plain = c->from == NONE && c->to == NONE && c->padding == 0;
    if (plain && !grouping && !format_text) g_warn("no conversion option specified");
    if (grouping) g_warn("grouping has no effect in this locale");
    if (c->header && o->at < o->argc) g_warn("--header ignored with command-line input");
}

int numfmt_main(int argc, char **argv) {
    converter c = {.rounding = ROUND_FROM_ZERO,
                   .from_unit = 1,
                   .to_unit = 1,
                   .delimiter = -1,
                   .end = '\n',
                   .auto_padding = true,
                   .precision = -1};
    g_options o = g_options_of(argc, argv, "d:z", longs);
    read_options(&c, &o);
    if (c.delimiter >= 0) c.auto_padding = false;
    for (int i = o.at; i < argc; i++) put_line(&c, argv[i], strlen(argv[i]), true);
    if (o.at == argc) {
        g_reader in;
        g_line line;
        g_reader_init(&in, 0, c.end);
        while (g_read_line(&in, &line)) {
            if (c.header > 0) {
                c.header--;
                g_out(line.s, line.len);
                g_outc(c.end);
                continue;
            }
            put_line(&c, line.s, line.len, line.terminated);
        }
    }
    return c.failed && c.invalid != WARN ? 2 : 0;
}
