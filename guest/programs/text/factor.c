/*
 * factor.c: prime factors of numbers up to 2048 bits: beyond 64 see factor_big.c.
 *
 * help factor:
 *   Usage: factor [NUMBER]...
 *     or:  factor OPTION
 *   Print the prime factors of each specified integer NUMBER. If none are specified on the command
 *   line, read them from standard input.
 *
 *         --help       display this help and exit
 *         --version    output version information and exit
 */
#include "factor_big.h"
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "pf.h"

#include <stdlib.h>
#include <string.h>

static uint64_t multiply(uint64_t a, uint64_t b, uint64_t m) {
    unsigned __int128 product = (unsigned __int128)a * b;
    uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product, rest = high % m;
    if (high == 0) return low % m;
    /* Bit by bit: the compiler's 128-bit remainder does not link for wasm. */
    for (int i = 63; i >= 0; i--) {
        bool carry = rest >> 63;
        rest = rest << 1 | (low >> i & 1);
        if (carry || rest >= m) rest -= m;
    }
    return rest;
}

static uint64_t power(uint64_t base, uint64_t exponent, uint64_t m) {
    uint64_t result = 1 % m;
    for (base %= m; exponent; exponent >>= 1, base = multiply(base, base, m))
        if (exponent & 1) result = multiply(result, base, m);
    return result;
}

/* Miller-Rabin; these bases decide every number of 64 bits. */
static bool is_prime(uint64_t n) {
    static const uint8_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    if (n < 2) return false;
    for (size_t i = 0; i < sizeof bases; i++)
        if (n % bases[i] == 0) return n == bases[i];
    uint64_t odd = n - 1;
    int twos = 0;
    for (; odd % 2 == 0; odd /= 2) twos++;
    for (size_t i = 0; i < sizeof bases; i++) {
        uint64_t x = power(bases[i], odd, n);
        if (x == 1 || x == n - 1) continue;
        bool composite = true;
        for (int k = 1; k < twos && composite; k++) {
            x = multiply(x, x, n);
            composite = x != n - 1;
        }
        if (composite) return false;
    }
    return true;
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Pollard's rho, with Brent's cycles: a proper divisor of a composite n. */
static uint64_t find_divisor(uint64_t n) {
    for (uint64_t c = 1;; c++) {
        uint64_t y = 2, x = 2, product = 1, divisor = 1, saved = 2;
        for (uint64_t run = 1; divisor == 1; run *= 2) {
            x = y;
            for (uint64_t i = 0; i < run; i++) y = (multiply(y, y, n) + c) % n;
            for (uint64_t done = 0; done < run && divisor == 1; done += 128) {
                saved = y;
                for (uint64_t i = 0; i < 128 && i < run - done; i++) {
                    y = (multiply(y, y, n) + c) % n;
                    product = multiply(product, x > y ? x - y : y - x, n);
                }
                divisor = common_divisor(product, n);
                pf_yield();
            }
        }
        if (divisor == n) { /* too many at once: step by step */
            do {
                saved = (multiply(saved, saved, n) + c) % n;
                divisor = common_divisor(x > saved ? x - saved : saved - x, n);
            } while (divisor == 1);
        }
        if (divisor != n) return divisor;
    }
}

static void add_factors(uint64_t n, uint64_t *factors, size_t *count) {
    uint64_t todo[64];
    size_t pending = 0;
    todo[pending++] = n;
    while (pending > 0) {
        uint64_t part = todo[--pending];
        if (part == 1) continue;
        if (is_prime(part)) {
            factors[(*count)++] = part;
            continue;
        }
        uint64_t divisor = find_divisor(part);
        todo[pending++] = divisor;
        todo[pending++] = part / divisor;
    }
}

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void put_factors(uint64_t n) {
    uint64_t factors[64], rest = n;
    size_t count = 0;
    g_out_decimal(n);
    g_outc(':');
    for (uint64_t p = 2; p < 1000 && rest > 1; p += 1 + (p > 2))
        for (; rest % p == 0; rest /= p) factors[count++] = p;
    if (rest > 1) add_factors(rest, factors, &count);
    qsort(factors, count, sizeof *factors, ascending);
    for (size_t i = 0; i < count; i++) {
        g_outc(' ');
        g_out_decimal(factors[i]);
    }
    g_outc('\n');
}

/* What big_factor() finds: all of it, as numbers of any size. */
static big *primes;
static size_t prime_count, prime_cap;

static void add_prime(const big *prime) {
    if (prime_count == prime_cap) primes = g_more(primes, &prime_cap, sizeof *primes);
    primes[prime_count++] = *prime;
}

static void add_small(uint64_t n) {
    uint64_t factors[64];
    size_t count = 0;
    add_factors(n, factors, &count);
    for (size_t i = 0; i < count; i++) {
        big prime = {.limb = {(uint32_t)factors[i], (uint32_t)(factors[i] >> 32)}};
        prime.count = 1 + (factors[i] >> 32 != 0);
        add_prime(&prime);
    }
}

static int by_size(const void *a, const void *b) {
    const big *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? -1 : 1;
    for (size_t i = x->count; i-- > 0;)
        if (x->limb[i] != y->limb[i]) return x->limb[i] < y->limb[i] ? -1 : 1;
    return 0;
}

static bool put_big_factors(const char *digits) {
    big n;
    if (!big_read(&n, digits)) return false;
    prime_count = 0;
    big_factor(&n, add_prime, add_small);
    qsort(primes, prime_count, sizeof *primes, by_size);
    big_put(&n);
    g_outc(':');
    for (size_t i = 0; i < prime_count; i++) {
        g_outc(' ');
        big_put(&primes[i]);
    }
    g_outc('\n');
    return true;
}

static bool factor_text(const char *text) {
    const char *s = text + strspn(text, " \t");
    if (*s == '+') s++;
    uint64_t value;
    enum g_number_result result = g_parse_unsigned(s, "", &value, NULL);
    if (result == G_NUMBER_OVERFLOW) {
        if (!s[strspn(s, "0123456789")] && put_big_factors(s)) return true;
        g_warn("%s is too large", g_quote(text));
        return false;
    }
    if (result != G_NUMBER_OK) {
        g_warn("%s is not a valid positive integer", g_quote(text));
        return false;
    }
    if (value == 0) {
        g_outs("0:\n");
        return true;
    }
    put_factors(value);
    return true;
}

static bool factor_input(void) {
    g_reader in;
    g_line line;
    bool good = true;
    g_reader_init(&in, 0, '\n');
    while (g_read_line(&in, &line)) {
        char *copy = g_copy_bytes(line.s, line.len);
        for (char *word = strtok(copy, " \t\r\n\v\f"); word; word = strtok(NULL, " \t\r\n\v\f"))
            if (!factor_text(word)) good = false;
        free(copy);
    }
    return good;
}

int factor_main(int argc, char **argv) {
    int at = g_no_options(argc, argv);
    bool good = true;
    if (at == argc) good = factor_input();
    for (int i = at; i < argc; i++)
        if (!factor_text(argv[i])) good = false;
    return !good;
}
