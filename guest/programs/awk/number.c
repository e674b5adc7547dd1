/*
 * number.c: numbers and their texts.
 *
 * The C library of the sandbox computes with 128-bit software floats here, so what is common has a
 * way of its own that is exact: up to 15 digits and small powers of ten are one rounding in double.
 * Whatever could round differently goes to strtod() and snprintf().
 */
#include "awk.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static bool blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}
static bool digit(char c) {
    return (unsigned char)(c - '0') < 10;
}

/* "+inf", "-nan" and the like; gawk knows them only with a sign and nothing behind them. */
static bool read_special(const char *s, size_t len, double *out, size_t *end) {
    if (len < 4 || (s[0] != '+' && s[0] != '-')) return false;
    if (len > 4 && !blank(s[4])) return false;
    char word[4] = {(char)tolower((unsigned char)s[1]), (char)tolower((unsigned char)s[2]),
                    (char)tolower((unsigned char)s[3]), 0};
    if (strcmp(word, "inf") == 0)
        *out = s[0] == '-' ? -INFINITY : INFINITY;
    else if (strcmp(word, "nan") == 0)
        *out = copysign(NAN, s[0] == '-' ? -1.0 : 1.0);
    else
        return false;
    *end = 4;
    return true;
}

static double read_slow(const char *s, size_t len, size_t *end) {
    char small[128], *copy = len < sizeof small ? small : g_alloc(len + 1), *stop;
    memcpy(copy, s, len);
    copy[len] = '\0';
    double n = strtod(copy, &stop);
    *end = (size_t)(stop - copy);
    if (copy != small) free(copy);
    return n;
}

/* --non-decimal-data: 0x1f and 017; false when it is neither. */
static bool read_based(const char *s, size_t len, double *out, size_t *end) {
    bool hex =
        len > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && isxdigit((unsigned char)s[2]);
    size_t at = hex ? 2 : 0;
    if (hex) {
        while (at < len && isxdigit((unsigned char)s[at])) at++;
    } else {
        if (len < 2 || s[0] != '0') return false;
        while (at < len && s[at] >= '0' && s[at] <= '7') at++;
        if (at < 2 || (at < len && (digit(s[at]) || s[at] == '.' || s[at] == 'e'))) return false;
    }
    *out = number_strtonum(s, at);
    *end = at;
    return true;
}

static double read_signed(const char *s, size_t len, size_t *end) {
    size_t at = 0;
    while (at < len && blank(s[at])) at++;
    size_t start = at;
    *end = 0;
    if (at == len) return 0;
    bool negative = s[at] == '-';
    if (s[at] == '-' || s[at] == '+') at++;
    if (awk.non_decimal) {
        double n;
        size_t used;
        if (read_based(s + at, len - at, &n, &used)) {
            *end = at + used;
            return negative ? -n : n;
        }
    }
    uint64_t mantissa = 0;
    int digits = 0, scale = 0; /* digits that count; power of ten */
    size_t first = at;
    for (; at < len && digit(s[at]); at++) {
        if (digits < 18) mantissa = mantissa * 10 + (uint64_t)(s[at] - '0');
        if (mantissa) digits++;
    }
    size_t seen = at - first;
    if (at < len && s[at] == '.') {
        size_t point = at++;
        for (; at < len && digit(s[at]); at++) {
            if (digits < 18) {
                mantissa = mantissa * 10 + (uint64_t)(s[at] - '0');
                scale--;
            }
            if (mantissa) digits++;
        }
        seen += at - point - 1;
    }
    if (seen == 0) {
        double special;
        size_t used;
        if (read_special(s + start, len - start, &special, &used)) {
            *end = start + used;
            return special;
        }
        return 0;
    }
    *end = at;
    bool exponent = false;
    if (at + 1 < len && (s[at] == 'e' || s[at] == 'E')) {
        size_t e = at + 1;
        if (s[e] == '-' || s[e] == '+') e++;
        if (e < len && digit(s[e])) {
            while (e < len && digit(s[e])) e++;
            exponent = true;
            *end = e;
        }
    }
    if (digits <= 18 && mantissa <= (1ull << 53) && !exponent && scale >= -22) {
        double n = (double)mantissa;
        if (scale) n /= tens[-scale];
        return negative ? -n : n;
    }
    size_t used;
    return read_slow(s + start, *end - start, &used);
}

/* -0 is 0 here, and keeps its sign in what was found to look like a number: so does gawk. */
double number_read(const char *s, size_t len, size_t *end) {
    return read_signed(s, len, end) + 0.0;
}

bool number_looks(const char *s, size_t len, double *out) {
    size_t at = 0;
    while (at < len && blank(s[at])) at++;
    if (at == len) return false;
    char c = s[at];
    if (!digit(c) && c != '-' && c != '+' && c != '.') return false;
    size_t end;
    double n = read_signed(s, len, &end);
    if (end == 0) return false;
    while (end < len && blank(s[end])) end++;
    if (end < len) return false;
    *out = n;
    return true;
}

double number_strtonum(const char *s, size_t len) {
    size_t at = 0, end;
    while (at < len && blank(s[at])) at++;
    double n = 0;
    if (at + 1 < len && s[at] == '0' && (s[at + 1] == 'x' || s[at + 1] == 'X')) {
        for (at += 2; at < len && isxdigit((unsigned char)s[at]); at++)
            n = n * 16 + (digit(s[at]) ? s[at] - '0' : tolower((unsigned char)s[at]) - 'a' + 10);
        return n;
    }
    bool octal = at + 1 < len && s[at] == '0';
    for (size_t i = at;
         octal && i < len && (digit(s[i]) || s[i] == '.' || s[i] == 'e' || s[i] == 'E'); i++)
        octal = s[i] >= '0' && s[i] <= '7';
    if (octal) {
        for (; at < len && s[at] >= '0' && s[at] <= '7'; at++) n = n * 8 + (s[at] - '0');
        return n;
    }
    return number_read(s, len, &end);
}

static size_t put_digits(uint64_t n, char *out) {
    char digits[20];
    size_t at = sizeof digits;
    for (; n > UINT32_MAX; n /= 10) digits[--at] = (char)('0' + n % 10);
    uint32_t rest = (uint32_t)n; /* 32-bit division where it is enough */
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    memcpy(out, digits + at, sizeof digits - at);
    return sizeof digits - at;
}

size_t number_put_integer(double n, char out[NUMBER_TEXT_MAX]) {
    if (n > -9e18 && n < 9e18) {
        int64_t i = (int64_t)n;
        size_t sign = i < 0;
        if (sign) *out = '-';
        return sign + put_digits(sign ? 0 - (uint64_t)i : (uint64_t)i, out + sign);
    }
    return (size_t)snprintf(out, NUMBER_TEXT_MAX, "%.0f", n);
}

const char *number_special(double n) {
    if (isnan(n)) return signbit(n) ? "-nan" : "+nan";
    return n < 0 ? "-inf" : "+inf";
}

/* n times a power of ten, rounded to an integer; false when the rounding is too close to call. */
static bool scaled(double n, int power, double *out) {
    double y = power >= 0 ? n * tens[power] : n / tens[-power];
    if (!(y < 4e15)) return false;
    double whole = floor(y), rest = y - whole, doubt = y * 0x1p-51 + 0x1p-60;
    if (fabs(rest - 0.5) <= doubt) return false;
    *out = rest > 0.5 ? whole + 1 : whole;
    return true;
}

/* `units` with its last `point` digits behind the decimal point. */
static size_t put_decimals(bool negative, uint64_t units, size_t point, char *out) {
    char digits[32];
    size_t len = put_digits(units, digits), at = 0;
    if (negative) out[at++] = '-';
    if (len <= point) {
        out[at++] = '0';
        out[at++] = '.';
        memset(out + at, '0', point - len);
        at += point - len;
        memcpy(out + at, digits, len);
        return at + len;
    }
    memcpy(out + at, digits, len - point);
    at += len - point;
    if (point == 0) return at;
    out[at++] = '.';
    memcpy(out + at, digits + len - point, point);
    return at + point;
}

size_t number_put_fixed(double n, int precision, char out[NUMBER_TEXT_MAX]) {
    double units;
    if (precision > 15 || !isfinite(n) || !scaled(fabs(n), precision, &units)) return 0;
    return put_decimals(signbit(n), (uint64_t)units, (size_t)precision, out);
}

/* "%.6g" for values that it writes without an exponent. */
static size_t put_general6(double n, char *out) {
    double size = fabs(n), units;
    if (!(size >= 1e-4 && size < 999999.4)) return 0;
    int power = -4; /* of the first digit */
    while (power < 5 && size >= (power >= -1 ? tens[power + 1] : 1 / tens[-power - 1])) power++;
    int decimals = 5 - power;
    if (!scaled(size, decimals, &units)) return 0;
    if (units >= 1e6) { /* rounded up to one digit more */
        units /= 10;
        decimals--;
    }
    if (units < 1e5) return 0;
    uint64_t whole = (uint64_t)units;
    while (decimals > 0 && whole % 10 == 0) {
        whole /= 10;
        decimals--;
    }
    return put_decimals(n < 0, whole, (size_t)decimals, out);
}

size_t number_put(double n, const awk_text *format, char out[NUMBER_TEXT_MAX]) {
    if (number_is_integral(n)) return number_put_integer(n, out);
    if (!isfinite(n)) {
        memcpy(out, number_special(n), 4);
        return 4;
    }
    if (fabs(n) >= 0x1p53) return number_put_integer(n, out);
    if (format->len == 4 && memcmp(format->s, "%.6g", 4) == 0) {
        size_t len = put_general6(n, out);
        return len ? len : (size_t)snprintf(out, NUMBER_TEXT_MAX, "%.6g", n);
    }
    g_text text = {0};
    value f = {.text = (awk_text *)format, .kind = STRING}, v = value_number(n);
    format_values(&text, &f, &v, 1);
    size_t len = text.len < NUMBER_TEXT_MAX ? text.len : NUMBER_TEXT_MAX - 1;
    memcpy(out, text.s ? text.s : "", len);
    g_text_free(&text);
    return len;
}

awk_text *number_text(double n, const awk_text *format) {
    char room[NUMBER_TEXT_MAX];
    size_t len = number_put(n, format, room);
    return text_of(room, len);
}
