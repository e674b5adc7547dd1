/*
 * extended_print.c: a number of 64 bits of mantissa as printf() shows it.
 */
#include "extended.h"

#include <ctype.h>
#include <string.h>

enum {
    BASE = 1000000000,
    MAX_PARTS = 1300, /* the longest number, the smallest one, has 11515 digits */
    MAX_DIGITS = MAX_PARTS * 9
};

/* A number in decimal: digits[0..n), the point behind the first `point` of them. Zeroes stand on
   both sides. */
struct decimal {
    int n, point;
    char digits[MAX_DIGITS];
};

struct printing {
    const extended *number;
    extended_sink sink;
    int width, precision;
    char kind; /* in lower case */
    bool left, zero, alternate, upper;
    char sign;
};

/* ------------------------------------------------------------------ the digits */

struct parts {
    size_t count;
    uint32_t part[MAX_PARTS];
};

static void parts_multiply(struct parts *n, uint32_t by) {
    uint64_t carry = 0;
    for (size_t i = 0; i < n->count; i++) {
        carry += (uint64_t)n->part[i] * by;
        n->part[i] = (uint32_t)(carry % BASE);
        carry /= BASE;
    }
    if (carry) n->part[n->count++] = (uint32_t)carry;
}

/* All digits there are: mantissa * 2^exponent, or mantissa * 5^-exponent with the point within. */
static void decimal_of(struct decimal *d, uint64_t mantissa, int exponent) {
    struct parts n;
    n.count = 0;
    while (exponent < 0 && mantissa && !(mantissa & 1)) {
        mantissa >>= 1;
        exponent++;
    }
    if (!mantissa) exponent = 0;
    for (; mantissa; mantissa /= BASE) n.part[n.count++] = (uint32_t)(mantissa % BASE);
    int left = exponent < 0 ? -exponent : exponent, step = exponent < 0 ? 12 : 29;
    for (; left > 0; left -= step) {
        uint32_t by = 1;
        for (int i = 0; i < step && i < left; i++) by *= exponent < 0 ? 5 : 2;
        parts_multiply(&n, by);
    }
    d->n = 0;
    for (size_t i = n.count; i-- > 0;) {
        uint32_t part = n.part[i];
        for (int k = 8; k >= 0; k--) {
            d->digits[d->n + k] = (char)('0' + part % 10);
            part /= 10;
        }
        d->n += 9;
    }
    int zeroes = 0;
    while (zeroes < d->n && d->digits[zeroes] == '0') zeroes++;
    memmove(d->digits, d->digits + zeroes, (size_t)(d->n -= zeroes));
    d->point = d->n ? d->n - (exponent < 0 ? -exponent : 0) : 1;
}

/* Whether what is cut off counts: above a half, or a half behind an odd digit. */
static bool rounds_up(const struct decimal *d, int keep) {
    if (d->digits[keep] != '5') return d->digits[keep] > '5';
    for (int i = keep + 1; i < d->n; i++)
        if (d->digits[i] != '0') return true;
    return keep > 0 && (d->digits[keep - 1] & 1);
}

/* To `keep` digits, which may be fewer than none. */
static void decimal_round(struct decimal *d, int64_t wanted) {
    if (wanted >= d->n) return;
    int keep = (int)wanted;
    if (keep < 0) {
        d->n = 0;
        return;
    }
    bool up = rounds_up(d, keep);
    d->n = keep;
    if (!up) return;
    while (d->n && d->digits[d->n - 1] == '9') d->n--;
    if (d->n) {
        d->digits[d->n - 1]++;
        return;
    }
    d->digits[d->n++] = '1';
    d->point++;
}

/* ------------------------------------------------------------------ pieces of output */

static void put(const struct printing *p, const char *s, size_t n) {
    if (n) p->sink.put(p->sink.to, s, n);
}

static void fill(const struct printing *p, char c, int64_t n) {
    char some[64];
    memset(some, c, sizeof some);
    for (; n > 0; n -= (int64_t)sizeof some) put(p, some, n < 64 ? (size_t)n : 64);
}

/* `n` digits from the one at `from`, counted from the first that is not zero. */
static void put_digits(const struct printing *p, const struct decimal *d, int64_t from, int64_t n) {
    if (from < 0 && n > 0) {
        int64_t zeroes = n < -from ? n : -from;
        fill(p, '0', zeroes);
        from += zeroes;
        n -= zeroes;
    }
    if (n > 0 && from < d->n) {
        int64_t have = d->n - from < n ? d->n - from : n;
        put(p, d->digits + from, (size_t)have);
        n -= have;
    }
    fill(p, '0', n);
}

/* The sign, `prefix`, and what the width leaves on their sides; `body` bytes come behind. */
static void begin(const struct printing *p, const char *prefix, int64_t body, bool zero) {
    int64_t pad = p->width - body - (p->sign != 0) - (int64_t)strlen(prefix);
    if (!p->left && !zero) fill(p, ' ', pad);
    if (p->sign) put(p, &p->sign, 1);
    put(p, prefix, strlen(prefix));
    if (!p->left && zero) fill(p, '0', pad);
}

static void end(const struct printing *p, const char *prefix, int64_t body) {
    if (p->left) fill(p, ' ', p->width - body - (p->sign != 0) - (int64_t)strlen(prefix));
}

/* "e+05": a letter, a sign and at least `least` digits. */
static size_t exponent_text(char out[16], char letter, int exponent, int least) {
    char digits[12];
    int n = 0;
    size_t at = 0;
    unsigned left = exponent < 0 ? (unsigned)-exponent : (unsigned)exponent;
    for (; left || n < least; left /= 10) digits[n++] = (char)('0' + left % 10);
    out[at++] = letter;
    out[at++] = exponent < 0 ? '-' : '+';
    while (n) out[at++] = digits[--n];
    return at;
}

/* ------------------------------------------------------------------ conversions */

static void print_fixed(const struct printing *p, const struct decimal *d, int precision) {
    int whole = d->point > 0 ? d->point : 1;
    bool point = precision > 0 || p->alternate;
    int64_t body = (int64_t)whole + point + precision;
    begin(p, "", body, p->zero);
    if (d->point > 0) put_digits(p, d, 0, whole);
    else fill(p, '0', 1);
    if (point) put(p, ".", 1);
    put_digits(p, d, d->point, precision);
    end(p, "", body);
}

static void print_scientific(const struct printing *p, const struct decimal *d, int precision) {
    char tail[16];
    size_t tail_n = exponent_text(tail, p->upper ? 'E' : 'e', d->point - 1, 2);
    bool point = precision > 0 || p->alternate;
    int64_t body = 1 + point + (int64_t)precision + (int64_t)tail_n;
    begin(p, "", body, p->zero);
    put_digits(p, d, 0, 1);
    if (point) put(p, ".", 1);
    put_digits(p, d, 1, precision);
    put(p, tail, tail_n);
    end(p, "", body);
}

static void print_general(const struct printing *p, struct decimal *d, int precision) {
    if (precision == 0) precision = 1;
    decimal_round(d, precision);
    int exponent = d->point - 1;
    bool fixed = exponent >= -4 && exponent < precision;
    int fraction = fixed ? precision - d->point : precision - 1;
    if (!p->alternate) {
        while (d->n && d->digits[d->n - 1] == '0') d->n--;
        int have = d->n ? d->n - (fixed ? d->point : 1) : 0;
        fraction = have > 0 ? have : 0;
    }
    if (fixed) print_fixed(p, d, fraction);
    else print_scientific(p, d, fraction);
}

static void print_decimal(const struct printing *p) {
    struct decimal d;
    int precision = p->precision < 0 ? 6 : p->precision;
    decimal_of(&d, p->number->mantissa, p->number->exponent);
    if (p->kind == 'g') {
        print_general(p, &d, precision);
        return;
    }
    decimal_round(&d, p->kind == 'f' ? (int64_t)d.point + precision : (int64_t)precision + 1);
    if (p->kind == 'f') print_fixed(p, &d, precision);
    else print_scientific(p, &d, precision);
}

static void print_hex(const struct printing *p) {
    const char *names = p->upper ? "0123456789ABCDEF" : "0123456789abcdef";
    const char *prefix = p->upper ? "0X" : "0x";
    uint64_t mantissa = p->number->mantissa;
    int exponent = mantissa ? p->number->exponent + 60 : 0, precision = p->precision;
    char digits[16], tail[16];
    if (precision >= 0 && precision < 15) {
        int drop = 60 - 4 * precision;
        uint64_t rest = mantissa << (64 - drop), half = (uint64_t)1 << 63;
        uint64_t kept = mantissa >> drop;
        kept += rest > half || (rest == half && (kept & 1));
        if (kept >> (64 - drop)) { /* 0xf.f became 0x10.0 */
            kept >>= 4;
            exponent += 4;
        }
        mantissa = kept << drop;
    }
    for (int i = 0; i < 16; i++) digits[i] = names[mantissa >> (60 - 4 * i) & 15];
    int have = 15;
    while (have > 0 && digits[have] == '0') have--;
    if (precision < 0) precision = have;
    size_t tail_n = exponent_text(tail, p->upper ? 'P' : 'p', exponent, 1);
    bool point = precision > 0 || p->alternate;
    int64_t body = 1 + point + (int64_t)precision + (int64_t)tail_n;
    begin(p, prefix, body, p->zero);
    put(p, digits, 1);
    if (point) put(p, ".", 1);
    put(p, digits + 1, precision < 15 ? (size_t)precision : 15);
    fill(p, '0', precision - 15);
    put(p, tail, tail_n);
    end(p, prefix, body);
}

void extended_print(const extended *number, const extended_format *format, extended_sink sink) {
    const char *flags = format->flags;
    struct printing p = {.number = number,
                         .sink = sink,
                         .width = format->width,
                         .precision = format->precision,
                         .kind = (char)tolower((unsigned char)format->kind),
                         .left = strchr(flags, '-') != NULL,
                         .zero = strchr(flags, '0') != NULL,
                         .alternate = strchr(flags, '#') != NULL,
                         .upper = isupper((unsigned char)format->kind) != 0};
    p.sign = number->negative ? '-' : strchr(flags, '+') ? '+' : strchr(flags, ' ') ? ' ' : 0;
    if (number->kind != EXTENDED_FINITE) {
        bool nan = number->kind == EXTENDED_NAN;
        begin(&p, "", 3, false);
        put(&p, p.upper ? (nan ? "NAN" : "INF") : nan ? "nan" : "inf", 3);
        end(&p, "", 3);
    } else if (p.kind == 'a') {
        print_hex(&p);
    } else {
        print_decimal(&p);
    }
}
