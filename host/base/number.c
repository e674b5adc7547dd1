/*
 * host/base/number.c: see number.h.
 *
 * A number is its significant digits and the power of ten that the first of them stands for; both
 * are found in one pass over the text, and comparing walks the digits without copying them.
 */
#include "number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Exponents beyond this are all the same; base_json_read() refuses such numbers long before. */
#define EXPONENT_MAX INT64_C(1000000000000)

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* The shape of a JSON number's text. */
struct shape {
    size_t whole, whole_end;       /* digits before the point */
    size_t fraction, fraction_end; /* digits after it; equal when there is none */
    int64_t exponent;
    bool negative;
};

static size_t skip_digits(const char *text, size_t len, size_t at) {
    while (at < len && is_digit(text[at])) at++;
    return at;
}

static bool read_exponent(const char *text, size_t len, size_t at, struct shape *out) {
    bool negative = at < len && text[at] == '-';
    if (at < len && (text[at] == '-' || text[at] == '+')) at++;
    if (at == len) return false;
    int64_t value = 0;
    for (; at < len; at++) {
        if (!is_digit(text[at])) return false;
        if (value < EXPONENT_MAX) value = value * 10 + (text[at] - '0');
    }
    if (value > EXPONENT_MAX) value = EXPONENT_MAX;
    out->exponent = negative ? -value : value;
    return true;
}

static bool read_shape(const char *text, size_t len, struct shape *out) {
    size_t at = 0;
    *out = (struct shape){0};
    if (at < len && text[at] == '-') {
        out->negative = true;
        at++;
    }
    out->whole = at;
    at = skip_digits(text, len, at);
    out->whole_end = at;
    if (at == out->whole || (text[out->whole] == '0' && at > out->whole + 1)) return false;
    if (at < len && text[at] == '.') {
        out->fraction = at + 1;
        at = skip_digits(text, len, at + 1);
        out->fraction_end = at;
        if (at == out->fraction) return false;
    }
    if (at == len) return true;
    if (text[at] != 'e' && text[at] != 'E') return false;
    return read_exponent(text, len, at + 1, out);
}

bool base_number_read(struct base_number *out, const char *text, size_t len) {
    struct shape s;
    *out = (struct base_number){0};
    if (!read_shape(text, len, &s)) return false;
    size_t end = s.fraction_end ? s.fraction_end : s.whole_end;
    size_t first = s.whole;
    while (first < end && (text[first] == '0' || text[first] == '.')) first++;
    if (first == end) {
        out->zero = out->small = true;
        out->digits = text;
        return true;
    }
    size_t last = end;
    while (text[last - 1] == '0' || text[last - 1] == '.') last--;
    out->negative = s.negative;
    out->digits = text + first;
    out->len = last - first;
    /* The digit before the point stands for 10^0, the first one after it for 10^-1. */
    int64_t units = (int64_t)s.whole_end - 1;
    size_t low = last - 1;
    out->top = s.exponent + units - (int64_t)first + (first > s.whole_end ? 1 : 0);
    out->bottom = s.exponent + units - (int64_t)low + (low > s.whole_end ? 1 : 0);
    if (!s.fraction_end && len == s.whole_end && s.whole_end - first <= 18) {
        out->small = true;
        for (size_t i = first; i < s.whole_end; i++) out->value = out->value * 10 + (text[i] - '0');
        if (s.negative) out->value = -out->value;
    }
    return true;
}

void base_number_of(struct base_number *out, int64_t value, char text[BASE_NUMBER_TEXT]) {
    int n = snprintf(text, BASE_NUMBER_TEXT, "%" PRId64, value);
    base_number_read(out, text, (size_t)n);
}

/* The next significant digit of a view, 0 past its end. */
static int next_digit(const char **at, const char *end) {
    if (*at < end && **at == '.') ++*at;
    return *at < end ? *(*at)++ - '0' : 0;
}

static int compare_magnitude(const struct base_number *a, const struct base_number *b) {
    if (a->top != b->top) return a->top < b->top ? -1 : 1;
    const char *x = a->digits, *x_end = x + a->len, *y = b->digits, *y_end = y + b->len;
    while (x < x_end || y < y_end) {
        int d = next_digit(&x, x_end), e = next_digit(&y, y_end);
        if (d != e) return d < e ? -1 : 1;
    }
    return 0;
}

int base_number_compare(const struct base_number *a, const struct base_number *b) {
    if (a->small && b->small) return a->value < b->value ? -1 : a->value > b->value;
    if (a->zero) return b->negative ? 1 : -1; /* b is not zero, or both were small */
    if (b->zero) return a->negative ? -1 : 1;
    if (a->negative != b->negative) return a->negative ? -1 : 1;
    int order = compare_magnitude(a, b);
    return a->negative ? -order : order;
}

bool base_number_whole(const struct base_number *n) {
    return n->zero || n->bottom >= 0;
}

bool base_number_int64(const struct base_number *n, int64_t *out) {
    if (n->small) {
        *out = n->value;
        return true;
    }
    if (!base_number_whole(n) || n->top > 18) return false;
    uint64_t value = 0;
    const char *at = n->digits, *end = at + n->len;
    for (int64_t i = n->top; i >= 0; i--) value = value * 10 + (uint64_t)next_digit(&at, end);
    if (value > (uint64_t)INT64_MAX + n->negative) return false;
    *out = n->negative ? (int64_t)(0 - value) : (int64_t)value;
    return true;
}

size_t base_number_digits(const struct base_number *n) {
    return n->zero ? 1 : (size_t)(n->top - n->bottom) + 1;
}

static uint64_t multiply(uint64_t a, uint64_t b, uint64_t modulus) {
    return (uint64_t)((unsigned __int128)a * b % modulus);
}

static uint64_t power_of_ten(uint64_t exponent, uint64_t modulus) {
    uint64_t result = 1 % modulus, base = 10 % modulus;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) result = multiply(result, base, modulus);
        base = multiply(base, base, modulus);
    }
    return result;
}

bool base_number_divides(const struct base_number *divisor, const struct base_number *n) {
    if (n->zero) return true;
    /* Both are digits x 10^bottom with a last digit that is not 0: a number that reaches further
     * down than its divisor cannot be a multiple of it. */
    if (n->bottom < divisor->bottom) return false;
    uint64_t d = 0;
    for (const char *at = divisor->digits, *end = at + divisor->len; at < end;)
        d = d * 10 + (uint64_t)next_digit(&at, end);
    uint64_t rest = 0;
    for (const char *at = n->digits, *end = at + n->len; at < end;)
        rest = (rest * 10 + (uint64_t)next_digit(&at, end)) % d;
    return multiply(rest, power_of_ten((uint64_t)(n->bottom - divisor->bottom), d), d) == 0;
}

uint64_t base_number_hash(const struct base_number *n) {
    uint64_t h = 0xcbf29ce484222325u;
    if (n->zero) return h;
    h = (h ^ (uint64_t)n->top ^ (n->negative ? 1u << 20 : 0)) * 0x100000001b3u;
    for (const char *at = n->digits, *end = at + n->len; at < end;)
        h = (h ^ (uint64_t)next_digit(&at, end)) * 0x100000001b3u;
    return h;
}
