/*
 * factor_big.c: integers of up to 2048 bits and their factors: trial division, Miller-Rabin, and
 * Pollard's rho with Montgomery's multiplication. A factor of n bits takes about 2^(n/2) steps.
 */
#include "factor_big.h"
#include "g_out.h"
#include "pf.h"

#include <string.h>

static void trim(big *n) {
    while (n->count > 0 && n->limb[n->count - 1] == 0) n->count--;
}

static int compare(const big *a, const big *b) {
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (size_t i = a->count; i-- > 0;)
        if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static bool is_one(const big *n) {
    return n->count == 1 && n->limb[0] == 1;
}

/* a -= b, which is not larger. */
static void subtract(big *a, const big *b) {
    int64_t carry = 0;
    for (size_t i = 0; i < a->count; i++) {
        carry += (int64_t)a->limb[i] - (i < b->count ? b->limb[i] : 0);
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    trim(a);
}

static void halve(big *n) {
    for (size_t i = 0; i < n->count; i++)
        n->limb[i] = n->limb[i] >> 1 | (i + 1 < n->count ? n->limb[i + 1] << 31 : 0);
    trim(n);
}

/* n /= d; the remainder. */
static uint32_t divide(big *n, uint32_t d) {
    uint64_t rest = 0;
    for (size_t i = n->count; i-- > 0;) {
        rest = rest << 32 | n->limb[i];
        n->limb[i] = (uint32_t)(rest / d);
        rest %= d;
    }
    trim(n);
    return (uint32_t)rest;
}

static uint32_t remainder_of(const big *n, uint32_t d) {
    uint64_t rest = 0;
    for (size_t i = n->count; i-- > 0;) rest = (rest << 32 | n->limb[i]) % d;
    return (uint32_t)rest;
}

bool big_read(big *n, const char *digits) {
    n->count = 0;
    for (; *digits; digits++) {
        uint64_t carry = (uint64_t)(*digits - '0');
        for (size_t i = 0; i < n->count; i++) {
            carry += (uint64_t)n->limb[i] * 10;
            n->limb[i] = (uint32_t)carry;
            carry >>= 32;
        }
        if (!carry) continue;
        if (n->count == BIG_LIMBS) return false;
        n->limb[n->count++] = (uint32_t)carry;
    }
    return true;
}

void big_put(const big *n) {
    char text[BIG_LIMBS * 10 + 1];
    size_t at = sizeof text;
    big rest = *n;
    do {
        text[--at] = (char)('0' + divide(&rest, 10));
    } while (rest.count > 0);
    g_out(text + at, sizeof text - at);
}

/* n = a / b, which leaves no rest: long division by bits. */
static void divide_exactly(const big *a, const big *b, big *n) {
    big rest = {.count = 0};
    memset(n, 0, sizeof *n);
    n->count = a->count;
    for (size_t bit = a->count * 32; bit-- > 0;) {
        uint32_t carry = a->limb[bit / 32] >> bit % 32 & 1;
        for (size_t i = 0; i < rest.count; i++) {
            uint32_t top = rest.limb[i] >> 31;
            rest.limb[i] = rest.limb[i] << 1 | carry;
            carry = top;
        }
        if (carry) rest.limb[rest.count++] = carry;
        if (compare(&rest, b) < 0) continue;
        subtract(&rest, b);
        n->limb[bit / 32] |= 1u << bit % 32;
    }
    trim(n);
}

/* Numbers modulo an odd n, multiplied by 2^(32 * limbs). */
typedef struct {
    big n, one, two_bits; /* one: 1 in this form; two_bits: the square of the multiplier */
    uint32_t inverse;     /* -1 / n modulo 2^32 */
} field;

static void add(const field *f, big *a, const big *b) {
    uint64_t carry = 0;
    size_t k = f->n.count;
    for (size_t i = 0; i < k; i++) {
        carry += (uint64_t)(i < a->count ? a->limb[i] : 0) + (i < b->count ? b->limb[i] : 0);
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    a->count = k;
    trim(a);
    if (!carry && compare(a, &f->n) < 0) return;
    /* The carry goes with what the subtraction borrows. */
    int64_t borrow = 0;
    for (size_t i = 0; i < k; i++) {
        borrow += (int64_t)(i < a->count ? a->limb[i] : 0) - f->n.limb[i];
        a->limb[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    a->count = k;
    trim(a);
}

static void multiply(const field *f, const big *a, const big *b, big *out) {
    uint32_t t[BIG_LIMBS + 2] = {0};
    size_t k = f->n.count;
    for (size_t i = 0; i < k; i++) {
        uint64_t x = i < a->count ? a->limb[i] : 0, carry = 0;
        for (size_t j = 0; j < b->count; j++) {
            carry += x * b->limb[j] + t[j];
            t[j] = (uint32_t)carry;
            carry >>= 32;
        }
        for (size_t j = b->count; j < k; j++) {
            carry += t[j];
            t[j] = (uint32_t)carry;
            carry >>= 32;
        }
        carry += t[k];
        t[k] = (uint32_t)carry;
        t[k + 1] = (uint32_t)(carry >> 32);
        uint64_t m = (uint32_t)(t[0] * f->inverse);
        carry = (m * f->n.limb[0] + t[0]) >> 32;
        for (size_t j = 1; j < k; j++) {
            carry += m * f->n.limb[j] + t[j];
            t[j - 1] = (uint32_t)carry;
            carry >>= 32;
        }
        carry += t[k];
        t[k - 1] = (uint32_t)carry;
        t[k] = t[k + 1] + (uint32_t)(carry >> 32);
    }
    bool above = t[k] != 0;
    memcpy(out->limb, t, k * sizeof *t);
    out->count = k;
    if (!above) trim(out);
    if (!above && compare(out, &f->n) < 0) return;
    int64_t borrow = 0;
    for (size_t i = 0; i < k; i++) {
        borrow += (int64_t)(i < out->count ? out->limb[i] : 0) - f->n.limb[i];
        out->limb[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    out->count = k;
    trim(out);
}

static void begin_field(field *f, const big *n) {
    f->n = *n;
    uint32_t inverse = n->limb[0]; /* right in three bits; each step doubles them */
    for (int i = 0; i < 4; i++) inverse *= 2 - n->limb[0] * inverse;
    f->inverse = 0 - inverse;
    big power = {.limb = {1}, .count = 1};
    for (size_t i = 0; i < 64 * n->count; i++) {
        if (i == 32 * n->count) f->one = power;
        big same = power;
        add(f, &power, &same);
    }
    f->two_bits = power;
}

static void to_field(const field *f, uint32_t value, big *out) {
    big plain = {.limb = {value}, .count = value != 0};
    multiply(f, &plain, &f->two_bits, out);
}

/* Miller-Rabin with as many bases as leave no doubt in practice. */
static bool is_prime(const field *f) {
    static const uint8_t bases[] = {2,  3,  5,  7,  11, 13, 17, 19, 23, 29, 31, 37,
                                    41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89};
    big odd = f->n, minus_one = f->n;
    odd.limb[0]--;
    size_t twos = 0;
    for (; !(odd.limb[0] & 1); twos++) halve(&odd);
    subtract(&minus_one, &f->one);
    for (size_t b = 0; b < sizeof bases; b++) {
        big base, x = f->one;
        to_field(f, bases[b], &base);
        for (size_t bit = odd.count * 32; bit-- > 0;) {
            multiply(f, &x, &x, &x);
            if (odd.limb[bit / 32] >> bit % 32 & 1) multiply(f, &x, &base, &x);
        }
        pf_yield();
        bool composite = compare(&x, &f->one) != 0 && compare(&x, &minus_one) != 0;
        for (size_t k = 1; k < twos && composite; k++) {
            multiply(f, &x, &x, &x);
            composite = compare(&x, &minus_one) != 0;
        }
        if (composite) return false;
    }
    return true;
}

/* The greatest common divisor with an odd n. */
static void common_divisor(big a, big n, big *out) {
    while (a.count > 0) {
        while (!(a.limb[0] & 1)) halve(&a);
        if (compare(&a, &n) < 0) {
            big swapped = a;
            a = n;
            n = swapped;
        }
        subtract(&a, &n);
    }
    *out = n;
}

static void step(const field *f, big *y, const big *c) {
    multiply(f, y, y, y);
    add(f, y, c);
}

static void distance(const big *x, const big *y, big *out) {
    const big *high = compare(x, y) < 0 ? y : x;
    *out = *high;
    subtract(out, high == x ? y : x);
}

/* Brent's cycles: a proper divisor of a composite n. */
static void find_divisor(const field *f, big *divisor) {
    big x, y, saved, product, apart, c;
    for (uint32_t seed = 1;; seed++) {
        to_field(f, seed, &c);
        to_field(f, 2, &y);
        x = saved = y;
        *divisor = product = f->one;
        divisor->limb[0] = divisor->count = 1;
        for (uint64_t run = 1; is_one(divisor); run *= 2) {
            x = y;
            for (uint64_t i = 0; i < run; i++) step(f, &y, &c);
            for (uint64_t done = 0; done < run && is_one(divisor); done += 128) {
                saved = y;
                for (uint64_t i = 0; i < 128 && i < run - done; i++) {
                    step(f, &y, &c);
                    distance(&x, &y, &apart);
                    multiply(f, &product, &apart, &product);
                }
                common_divisor(product, f->n, divisor);
                pf_yield();
            }
        }
        while (compare(divisor, &f->n) == 0) { /* too many at once: step by step */
            step(f, &saved, &c);
            distance(&x, &saved, &apart);
            if (apart.count == 0) break;
            common_divisor(apart, f->n, divisor);
            if (is_one(divisor)) *divisor = f->n;
        }
        if (compare(divisor, &f->n) != 0) return;
    }
}

static void take_apart(const big *n, void (*use)(const big *), void (*small)(uint64_t)) {
    if (n->count <= 2) {
        small((uint64_t)(n->count > 1 ? n->limb[1] : 0) << 32 | n->limb[0]);
        return;
    }
    field f;
    begin_field(&f, n);
    if (is_prime(&f)) {
        use(n);
        return;
    }
    big divisor, rest;
    find_divisor(&f, &divisor);
    divide_exactly(n, &divisor, &rest);
    take_apart(&divisor, use, small);
    take_apart(&rest, use, small);
}

void big_factor(const big *n, void (*use)(const big *), void (*small)(uint64_t)) {
    big rest = *n;
    for (uint32_t p = 2; p < 5000 && rest.count > 2; p += 1 + (p > 2))
        while (rest.count > 2 && remainder_of(&rest, p) == 0) {
            divide(&rest, p);
            small(p);
        }
    if (!is_one(&rest)) take_apart(&rest, use, small);
}
