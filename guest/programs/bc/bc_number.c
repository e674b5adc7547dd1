/*
 * bc_number.c: decimal arithmetic of any length, with bc's rules for digits behind the point.
 */
#include "bc.h"
#include "pf.h"

#include <stdlib.h>
#include <string.h>

static bc_num make(size_t len, size_t scale) {
    bc_num n = {.len = len ? len : 1, .scale = scale};
    n.digits = g_zalloc(n.len + n.scale);
    return n;
}

/* Drops zeros in front; zero is never negative. */
static void trim(bc_num *a) {
    size_t zeros = 0;
    while (zeros + 1 < a->len && a->digits[zeros] == 0) zeros++;
    if (zeros) {
        memmove(a->digits, a->digits + zeros, a->len + a->scale - zeros);
        a->len -= zeros;
    }
    if (a->negative && bc_is_zero(a)) a->negative = false;
}

bc_num bc_from(int64_t value) {
    char text[24];
    size_t at = sizeof text;
    uint64_t rest = value < 0 ? (uint64_t)0 - (uint64_t)value : (uint64_t)value;
    do text[--at] = (char)(rest % 10);
    while (rest /= 10);
    bc_num n = make(sizeof text - at, 0);
    memcpy(n.digits, text + at, n.len);
    n.negative = value < 0;
    return n;
}

bc_num bc_copy(const bc_num *a) {
    bc_num n = *a;
    n.digits = g_alloc(a->len + a->scale);
    memcpy(n.digits, a->digits, a->len + a->scale);
    return n;
}

void bc_free(bc_num *a) {
    free(a->digits);
    a->digits = NULL;
}

bool bc_is_zero(const bc_num *a) {
    for (size_t i = 0; i < a->len + a->scale; i++)
        if (a->digits[i]) return false;
    return true;
}

/* The digit of 10^position; 0 outside. */
static int digit_at(const bc_num *a, int64_t position) {
    int64_t index = (int64_t)a->len - 1 - position;
    return index < 0 || index >= (int64_t)(a->len + a->scale) ? 0 : a->digits[index];
}

static int compare_magnitude(const bc_num *a, const bc_num *b) {
    int64_t high = (int64_t)(a->len > b->len ? a->len : b->len) - 1;
    int64_t low = -(int64_t)(a->scale > b->scale ? a->scale : b->scale);
    for (int64_t i = high; i >= low; i--) {
        int difference = digit_at(a, i) - digit_at(b, i);
        if (difference) return difference;
    }
    return 0;
}

int bc_compare(const bc_num *a, const bc_num *b) {
    if (a->negative != b->negative) return a->negative ? -1 : 1;
    int order = compare_magnitude(a, b);
    return a->negative ? -order : order;
}

bc_num bc_add(const bc_num *a, const bc_num *b, bool subtract) {
    bool b_negative = b->negative != subtract;
    size_t scale = a->scale > b->scale ? a->scale : b->scale,
           len = (a->len > b->len ? a->len : b->len) + 1;
    bc_num sum = make(len, scale);
    bool same = a->negative == b_negative, swap = !same && compare_magnitude(a, b) < 0;
    const bc_num *x = swap ? b : a, *y = swap ? a : b;
    int carry = 0;
    for (int64_t i = -(int64_t)scale; i < (int64_t)len; i++) {
        int value = digit_at(x, i) + (same ? digit_at(y, i) : -digit_at(y, i)) + carry;
        carry = value < 0 ? -1 : value > 9;
        sum.digits[(int64_t)len - 1 - i] = (uint8_t)(value - 10 * carry);
    }
    sum.negative = swap ? b_negative : a->negative;
    trim(&sum);
    return sum;
}

void bc_rescale(bc_num *a, size_t scale) {
    a->digits = g_realloc(a->digits, a->len + scale);
    if (scale > a->scale) memset(a->digits + a->len + a->scale, 0, scale - a->scale);
    a->scale = scale;
    trim(a);
}

bc_num bc_multiply(const bc_num *a, const bc_num *b, size_t scale) {
    size_t n = a->len + a->scale, m = b->len + b->scale;
    bc_num product = make(a->len + b->len, a->scale + b->scale);
    uint32_t *columns = g_zalloc((n + m) * sizeof *columns);
    for (size_t i = 0; i < n; i++) {
        if (i % 64 == 0) pf_yield();
        uint32_t digit = a->digits[i];
        if (digit)
            for (size_t k = 0; k < m; k++) columns[i + k + 1] += digit * b->digits[k];
    }
    uint32_t carry = 0;
    for (size_t i = n + m; i-- > 0;) {
        carry += columns[i];
        product.digits[i] = (uint8_t)(carry % 10);
        carry /= 10;
    }
    free(columns);
    product.negative = a->negative != b->negative;
    size_t most = a->scale > b->scale ? a->scale : b->scale;
    if (scale > most) most = scale;
    if (product.scale > most) bc_rescale(&product, most);
    trim(&product);
    return product;
}

/* rest -= digit * divisor, at `at`; both most significant first. True when that went below zero. */
static bool subtract_multiple(uint8_t *rest, const uint8_t *divisor, size_t len, int digit) {
    int borrow = 0;
    for (size_t i = len; i-- > 0;) {
        int value = rest[i + 1] - digit * divisor[i] - borrow;
        borrow = value < 0 ? (9 - value) / 10 : 0;
        rest[i + 1] = (uint8_t)(value + 10 * borrow);
    }
    int top = rest[0] - borrow;
    rest[0] = (uint8_t)(top < 0 ? top + 10 : top);
    return top < 0;
}

static void add_back(uint8_t *rest, const uint8_t *divisor, size_t len) {
    int carry = 0;
    for (size_t i = len; i-- > 0;) {
        int value = rest[i + 1] + divisor[i] + carry;
        carry = value > 9;
        rest[i + 1] = (uint8_t)(value - 10 * carry);
    }
    rest[0] = (uint8_t)((rest[0] + carry) % 10);
}

bc_num bc_divide(const bc_num *a, const bc_num *b, size_t scale) {
    const uint8_t *divisor = b->digits;
    size_t divisor_len = b->len + b->scale;
    while (divisor_len > 1 && *divisor == 0) {
        divisor++;
        divisor_len--;
    }
    /* As whole numbers: a * 10^(b->scale + scale) / b * …; digits of a beyond that do not matter.
     */
    int64_t shift = (int64_t)b->scale + (int64_t)scale - (int64_t)a->scale;
    size_t have = a->len + a->scale;
    size_t total =
        shift < 0 ? (have > (size_t)-shift ? have - (size_t)-shift : 0) : have + (size_t)shift;
    uint8_t *rest = g_zalloc(total + divisor_len + 2);
    memcpy(rest + divisor_len, a->digits, total < have ? total : have);
    uint8_t *quotient = g_zalloc(total + 1);
    int top = divisor[0] * 10 + (divisor_len > 1 ? divisor[1] : 0);
    for (size_t i = 0; i < total; i++) {
        if (i % 64 == 0) pf_yield();
        uint8_t *window = rest + i; /* divisor_len + 1 digits: window[0] .. */
        int head = window[0] * 100 + window[1] * 10 + (divisor_len > 1 ? window[2] : 0);
        int guess = head / top;
        if (guess > 9) guess = 9;
        if (guess > 0 && subtract_multiple(window, divisor, divisor_len, guess)) {
            add_back(window, divisor, divisor_len);
            guess--;
        }
        quotient[i] = (uint8_t)guess;
    }
    bc_num result = make(total > scale ? total - scale : 1, scale);
    if (total > scale)
        memcpy(result.digits, quotient, total);
    else
        memcpy(result.digits + 1 + scale - total, quotient, total);
    free(rest);
    free(quotient);
    result.negative = a->negative != b->negative;
    trim(&result);
    return result;
}

bc_num bc_modulo(const bc_num *a, const bc_num *b, size_t scale) {
    size_t wanted = a->scale > b->scale + scale ? a->scale : b->scale + scale;
    bc_num quotient = bc_divide(a, b, scale), product = bc_multiply(&quotient, b, wanted);
    bc_num rest = bc_add(a, &product, true);
    bc_rescale(&rest, wanted);
    bc_free(&quotient);
    bc_free(&product);
    return rest;
}

/* Newton's steps from above, with two digits more. */
bc_num bc_sqrt(const bc_num *a, size_t scale) {
    size_t wanted = a->scale > scale ? a->scale : scale, work = wanted + 2;
    bc_num two = bc_from(2), x = make(a->len / 2 + 2, 0);
    x.digits[0] = 1;
    for (;;) {
        bc_num quotient = bc_divide(a, &x, work), sum = bc_add(&x, &quotient, false);
        bc_num next = bc_divide(&sum, &two, work);
        bool done = bc_compare(&next, &x) >= 0;
        bc_free(&quotient);
        bc_free(&sum);
        if (done) {
            bc_free(&next);
            break;
        }
        bc_free(&x);
        x = next;
    }
    bc_free(&two);
    bc_rescale(&x, wanted);
    return x;
}

int64_t bc_to_int(const bc_num *a) {
    int64_t value = 0;
    for (size_t i = 0; i < a->len; i++) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, a->digits[i], &value))
            return a->negative ? INT64_MIN : INT64_MAX;
    }
    return a->negative ? -value : value;
}

/* Digits above the base count as base - 1, except that a single one has its value (GNU). */
bc_num bc_read_number(const char *text, int64_t base) {
    size_t digits = strspn(text, "0123456789ABCDEF");
    bc_num value = bc_from(0), big = bc_from(base);
    bool single = strlen(text) == 1;
    if (base == 10) {
        const char *point = strchr(text, '.');
        size_t behind = point ? strlen(point + 1) : 0;
        bc_free(&value);
        value = make(digits, behind);
        for (size_t i = 0; i < digits; i++)
            value.digits[value.len - digits + i] = (uint8_t)(text[i] <= '9' ? text[i] - '0'
                                                             : single       ? 0
                                                                            : 9);
        for (size_t i = 0; i < behind; i++)
            value.digits[value.len + i] = (uint8_t)(point[1 + i] <= '9' ? point[1 + i] - '0' : 9);
        if (single && digits && *text > '9') {
            bc_free(&value);
            value = bc_from(*text - 'A' + 10);
        }
        trim(&value);
        bc_free(&big);
        return value;
    }
    size_t behind = 0;
    bool fraction = false;
    for (const char *s = text; *s; s++) {
        if (*s == '.') {
            fraction = true;
            continue;
        }
        int64_t digit = *s <= '9' ? *s - '0' : *s - 'A' + 10;
        if (digit >= base && !single) digit = base - 1;
        bc_num product = bc_multiply(&value, &big, 0), small = bc_from(digit);
        bc_free(&value);
        value = bc_add(&product, &small, false);
        bc_free(&product);
        bc_free(&small);
        behind += fraction;
    }
    if (behind) {
        bc_num unit = bc_from(1);
        for (size_t i = 0; i < behind; i++) {
            bc_num product = bc_multiply(&unit, &big, 0);
            bc_free(&unit);
            unit = product;
        }
        bc_num quotient = bc_divide(&value, &unit, behind);
        bc_free(&unit);
        bc_free(&value);
        value = quotient;
    }
    bc_free(&big);
    return value;
}
