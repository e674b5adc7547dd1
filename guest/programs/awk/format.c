/*
 * format.c: printf and sprintf.
 */
#include "awk.h"
#include "lib/utf8/utf8.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    bool minus, plus, space, alternate, zero;
    int64_t width, precision; /* -1: none */
} spec;

typedef struct {
    const awk_text *format;
    value *args;
    size_t count, next;
    bool positional, ordered;
} arguments;

enum { WIDEST = 1 << 28 };

static const char positions[] = "must use `count$' on all formats or none";

_Noreturn static void ran_out(const arguments *a, size_t at) {
    g_text mark = {0};
    for (size_t i = 0; i + 1 < at; i++) g_text_addc(&mark, ' ');
    awk_fatal("not enough arguments to satisfy format string\n\t`%s'\n\t%s^ ran out for this one",
              a->format->s, mark.s ? mark.s : "");
}

static value *argument(arguments *a, int64_t position, size_t at) {
    if (position > 0) {
        if (a->ordered) awk_fatal("%s", positions);
        a->positional = true;
        if ((size_t)position > a->count)
            awk_fatal("fatal: argument index %d greater than total number of supplied arguments",
                      (int)position);
        return &a->args[position - 1];
    }
    if (a->positional) awk_fatal("%s", positions);
    a->ordered = true;
    if (a->next >= a->count) ran_out(a, at);
    return &a->args[a->next++];
}

static void fill(g_text *out, char c, int64_t count) {
    if (count <= 0) return;
    g_text_reserve(out, (size_t)count);
    memset(out->s + out->len, c, (size_t)count);
    out->len += (size_t)count;
    out->s[out->len] = '\0';
}

static void put_padded(g_text *out, const spec *s, const char *bytes, size_t len, size_t chars) {
    int64_t pad = s->width - (int64_t)chars;
    if (!s->minus) fill(out, ' ', pad);
    g_text_add(out, bytes, len);
    if (s->minus) fill(out, ' ', pad);
}

/* Characters of a text, up to a number of them; how many bytes those are. */
static size_t count_chars(const char *s, size_t len, int64_t most, size_t *chars) {
    size_t at = 0;
    *chars = 0;
    while (at < len && (most < 0 || (int64_t)*chars < most)) {
        uint32_t code;
        int n =
            awk.bytes || (unsigned char)s[at] < 0x80 ? 1 : pf_utf8_decode(s + at, len - at, &code);
        at += n > 0 ? (size_t)n : 1;
        ++*chars;
    }
    return at;
}

static void put_string(g_text *out, const spec *s, value *v) {
    char room[NUMBER_TEXT_MAX];
    size_t len, chars = 0;
    const char *bytes = value_bytes(v, awk.convfmt, room, &len);
    if (s->width > 0 || s->precision >= 0) len = count_chars(bytes, len, s->precision, &chars);
    put_padded(out, s, bytes, len, chars);
}

static void put_char(g_text *out, const spec *s, value *v) {
    value_settle(v);
    if (v->kind == NUMBER || v->kind == STRNUM) {
        double n = v->num;
        char bytes[PF_UTF8_MAX] = {0};
        int len = 0;
        if (!awk.bytes && n >= 0x80 && n <= PF_UNI_MAX) len = pf_utf8_encode((uint32_t)n, bytes);
        if (len == 0) {
            bytes[0] = (char)(unsigned)(int64_t)(fabs(n) < 9e18 ? n : 0);
            len = 1;
        }
        put_padded(out, s, bytes, (size_t)len, 1);
        return;
    }
    char room[NUMBER_TEXT_MAX];
    size_t len, chars;
    const char *bytes = value_bytes(v, awk.convfmt, room, &len);
    len = count_chars(bytes, len, 1, &chars);
    if (len == 0)
        put_padded(out, s, "", 1, 1); /* its NUL */
    else
        put_padded(out, s, bytes, len, chars);
}

/* Sign, zeros for the precision, digits, and the padding around them. */
static void put_digits(g_text *out, const spec *s, const char *sign, const char *digits,
                       size_t len) {
    int64_t zeros = s->precision > (int64_t)len ? s->precision - (int64_t)len : 0;
    int64_t pad = s->width - (int64_t)strlen(sign) - zeros - (int64_t)len;
    bool by_zeros = s->zero && !s->minus && s->precision < 0;
    if (!s->minus && !by_zeros) fill(out, ' ', pad);
    g_text_adds(out, sign);
    if (by_zeros) fill(out, '0', pad);
    fill(out, '0', zeros);
    g_text_add(out, digits, len);
    if (s->minus) fill(out, ' ', pad);
}

static void put_special(g_text *out, const spec *s, double n) {
    const char *text = number_special(n);
    put_padded(out, s, text, 4, 4);
}

static void put_float(g_text *out, const spec *s, char letter, double n) {
    char small[NUMBER_TEXT_MAX];
    spec plain = *s;
    if (!isfinite(n)) {
        put_special(out, s, n);
        return;
    }
    plain.precision = -1; /* done by the digits */
    if ((letter == 'f' || letter == 'F') && s->precision <= 15 && !s->alternate) {
        size_t len = number_put_fixed(n, s->precision < 0 ? 6 : (int)s->precision, small);
        if (len > 0) {
            bool negative = small[0] == '-';
            const char *sign = negative ? "-" : s->plus ? "+" : s->space ? " " : "";
            put_digits(out, &plain, sign, small + negative, len - negative);
            return;
        }
    }
    char format[16];
    snprintf(format, sizeof format, "%%%s%s%s%s%s*.*%c", s->minus ? "-" : "", s->plus ? "+" : "",
             s->space ? " " : "", s->alternate ? "#" : "", s->zero ? "0" : "", letter);
    int len = snprintf(small, sizeof small, format, (int)s->width, (int)s->precision, n);
    if (len < (int)sizeof small) {
        g_text_add(out, small, len > 0 ? (size_t)len : 0);
        return;
    }
    g_text_reserve(out, (size_t)len + 1);
    snprintf(out->s + out->len, (size_t)len + 1, format, (int)s->width, (int)s->precision, n);
    out->len += (size_t)len;
}

static void put_integer(g_text *out, const spec *s, char letter, double n) {
    if (!isfinite(n)) {
        put_special(out, s, n);
        return;
    }
    n = trunc(n);
    char digits[NUMBER_TEXT_MAX];
    if (letter == 'd' || letter == 'i') {
        size_t len = number_put_integer(n, digits);
        bool negative = digits[0] == '-';
        if (s->precision == 0 && n == 0) len = 0;
        put_digits(out, s,
                   negative   ? "-"
                   : s->plus  ? "+"
                   : s->space ? " "
                              : "",
                   digits + negative, len - negative);
        return;
    }
    if (n >= 0x1p64 || n < -0x1p63) {
        put_float(out, s, 'g', n);
        return;
    }
    uint64_t bits = n < 0 ? (uint64_t)(int64_t)n : (uint64_t)n;
    unsigned base = letter == 'o' ? 8 : letter == 'u' ? 10 : 16;
    const char *symbols = letter == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    size_t at = sizeof digits;
    for (uint64_t rest = bits; rest; rest /= base) digits[--at] = symbols[rest % base];
    if (at == sizeof digits && s->precision != 0) digits[--at] = '0';
    if (s->alternate && letter == 'o' && (at == sizeof digits || digits[at] != '0'))
        digits[--at] = '0';
    const char *sign = s->alternate && base == 16 && bits ? (letter == 'X' ? "0X" : "0x") : "";
    put_digits(out, s, sign, digits + at, sizeof digits - at);
}

static int64_t read_digits(const char *f, size_t len, size_t *at) {
    int64_t n = 0;
    for (; *at < len && f[*at] >= '0' && f[*at] <= '9'; ++*at)
        if (n < WIDEST) n = n * 10 + (f[*at] - '0');
    return n < WIDEST ? n : WIDEST;
}

/* "12$" at *at: 12; otherwise 0 and *at stays. */
static int64_t read_position(const char *f, size_t len, size_t *at) {
    size_t i = *at;
    int64_t n = read_digits(f, len, &i);
    if (i == *at || i >= len || f[i] != '$') return 0;
    if (n == 0) awk_fatal("fatal: argument index with `$' must be > 0");
    *at = i + 1;
    return n;
}

/* A * for width or precision. */
static int64_t starred(arguments *a, size_t *at) {
    ++*at;
    int64_t position = read_position(a->format->s, a->format->len, at);
    double n = value_to_number(argument(a, position, *at));
    if (!(fabs(n) < WIDEST)) n = n < 0 ? -WIDEST : WIDEST;
    return (int64_t)n;
}

/* Flags, width and precision; where they end. */
static size_t read_spec(arguments *a, spec *s, size_t at) {
    const char *f = a->format->s;
    size_t len = a->format->len;
    for (; at < len; at++) {
        if (f[at] == '-')
            s->minus = true;
        else if (f[at] == '+')
            s->plus = true;
        else if (f[at] == ' ')
            s->space = true;
        else if (f[at] == '#')
            s->alternate = true;
        else if (f[at] == '0')
            s->zero = true;
        else if (f[at] != '\'')
            break;
    }
    if (at < len && f[at] == '*') {
        s->width = starred(a, &at);
        if (s->width < 0) {
            s->minus = true;
            s->width = -s->width;
        }
    } else if (at < len && f[at] >= '1' && f[at] <= '9') {
        s->width = read_digits(f, len, &at);
    }
    if (at < len && f[at] == '.') {
        at++;
        if (at < len && f[at] == '*')
            s->precision = starred(a, &at);
        else
            s->precision = read_digits(f, len, &at);
        if (s->precision < 0) s->precision = -1;
    }
    return at;
}

/* One conversion; `at` is behind the %. Where it ends, or 0 when it is none. */
static size_t conversion(g_text *out, arguments *a, size_t at) {
    const char *f = a->format->s;
    size_t len = a->format->len;
    spec s = {.precision = -1};
    int64_t position = read_position(f, len, &at);
    char sizes[8] = ""; /* h, l and the like mean nothing, but each may stand there once */
    for (size_t count = 0;; sizes[count++] = f[at++]) {
        at = read_spec(a, &s, at);
        if (at >= len || !f[at] || !strchr("hlLjtz", f[at]) || strchr(sizes, f[at])) break;
    }
    if (at >= len) return 0;
    char letter = f[at++];
    if (letter == '%') {
        g_text_addc(out, '%');
        return at;
    }
    if (!strchr("csdiouxXeEfFgGaA", letter)) return 0;
    value *v = argument(a, position, at);
    switch (letter) {
    case 'c': put_char(out, &s, v); break;
    case 's': put_string(out, &s, v); break;
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X': put_integer(out, &s, letter, value_to_number(v)); break;
    default: put_float(out, &s, letter, value_to_number(v));
    }
    return at;
}

void format_values(g_text *out, value *format, value *args, size_t count) {
    awk_text *text = value_to_text(format, awk.convfmt);
    arguments a = {.format = text, .args = args, .count = count};
    for (size_t at = 0; at < text->len;) {
        const char *percent = memchr(text->s + at, '%', text->len - at);
        size_t stop = percent ? (size_t)(percent - text->s) : text->len;
        g_text_add(out, text->s + at, stop - at);
        if (stop == text->len) break;
        size_t end = conversion(out, &a, stop + 1);
        if (end == 0) { /* no conversion: as it stands, up to the next % */
            const char *next = memchr(text->s + stop + 1, '%', text->len - stop - 1);
            end = next ? (size_t)(next - text->s) : text->len;
            g_text_add(out, text->s + stop, end - stop);
        }
        at = end;
    }
    text_drop(text);
}
