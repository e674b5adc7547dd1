/*
 * Numbers are compared as they are written, whatever their size. The oracle for random ones is
 * arithmetic on integers: a decimal with a few digits, shifted.
 */
#include "check.h"
#include "host/base/number.h"

#include <stdbool.h>
#include <stdlib.h>

static bool read_number(struct base_number *n, const char *text) {
    return base_number_read(n, text, strlen(text));
}

static int compare(const char *a, const char *b) {
    struct base_number x, y;
    CHECK(read_number(&x, a));
    CHECK(read_number(&y, b));
    int order = base_number_compare(&x, &y), back = base_number_compare(&y, &x);
    CHECK((order < 0) == (back > 0) && (order == 0) == (back == 0));
    if (order == 0) CHECK(base_number_hash(&x) == base_number_hash(&y));
    return order < 0 ? -1 : order > 0;
}

static bool divides(const char *divisor, const char *number) {
    struct base_number d, n;
    CHECK(read_number(&d, divisor));
    CHECK(read_number(&n, number));
    return base_number_divides(&d, &n);
}

static void test_grammar(void) {
    static const char *const good[] = {
        "0", "-0", "10", "0.5", "-1.50e+07", "1E-3", "123456789012345678901234567890"};
    static const char *const bad[] = {"",    "-",        "+1",  "01",    "1.", ".5",
                                      "1e",  "1e+",      "0x1", "1 ",    " 1", "1_0",
                                      "NaN", "Infinity", "--1", "1e1.5", "00", "-01"};
    struct base_number n;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) CHECK(read_number(&n, good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) CHECK(!read_number(&n, bad[i]));
}

static void test_order(void) {
    static const char *const ascending[] = {
        "-1e400",
        "-123456789012345678901234567890",
        "-9007199254740993",
        "-9007199254740992",
        "-1000.5",
        "-10",
        "-9",
        "-1.0000000000000000001",
        "-1",
        "-0.1",
        "-1e-400",
        "0",
        "1e-400",
        "0.00999",
        "0.01",
        "0.1",
        "0.10000000000000000555",
        "1",
        "1.0000000000000000001",
        "9",
        "10",
        "99.999",
        "100",
        "9007199254740992",
        "9007199254740993",
        "9223372036854775807",
        "9223372036854775808",
        "123456789012345678901234567890",
        "123456789012345678901234567890.5",
        "1e400",
    };
    size_t count = sizeof ascending / sizeof *ascending;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            CHECK_EQ(compare(ascending[i], ascending[j]), i < j ? -1 : i > j);
    static const char *const same[][2] = {
        {"0", "-0"},         {"0", "0.000e99"},
        {"1", "1.0"},        {"1", "10e-1"},
        {"100", "1e2"},      {"1e2", "0.001E5"},
        {"123000", "123e3"}, {"0.5", "50e-2"},
        {"-2.50", "-25e-1"}, {"10000000000000000000000", "1e22"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        CHECK_EQ(compare(same[i][0], same[i][1]), 0);
}

static void test_whole(void) {
    static const char *const whole[] = {"0", "1", "1.0", "1e3", "150e-1", "1.5e1", "-7", "1e300"};
    static const char *const not[] = {"0.5", "1e-1", "15e-2", "1.000001", "-0.1"};
    struct base_number n;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        read_number(&n, whole[i]);
        CHECK(base_number_whole(&n));
    }
    for (size_t i = 0; i < sizeof not/ sizeof *not; i++) {
        read_number(&n, not[i]);
        CHECK(!base_number_whole(&n));
    }
    int64_t value;
    CHECK(read_number(&n, "9223372036854775807") && base_number_int64(&n, &value) &&
          value == INT64_MAX);
    CHECK(read_number(&n, "-9223372036854775808") && base_number_int64(&n, &value) &&
          value == INT64_MIN);
    CHECK(read_number(&n, "9223372036854775808") && !base_number_int64(&n, &value));
    CHECK(read_number(&n, "-9223372036854775809") && !base_number_int64(&n, &value));
    CHECK(read_number(&n, "1.5e3") && base_number_int64(&n, &value) && value == 1500);
    CHECK(read_number(&n, "1e19") && !base_number_int64(&n, &value));
    char text[BASE_NUMBER_TEXT];
    base_number_of(&n, INT64_MIN, text);
    CHECK(base_number_int64(&n, &value) && value == INT64_MIN);
}

static void test_multiples(void) {
    CHECK(divides("0.01", "19.99"));
    CHECK(!divides("0.01", "19.995"));
    CHECK(divides("0.1", "0.3")); /* not so in binary floating point */
    CHECK(divides("3", "123456789012345678901234567890"));
    CHECK(!divides("7", "123456789012345678901234567891"));
    CHECK(divides("2.5", "1e30"));
    CHECK(!divides("3", "1e30"));
    CHECK(divides("999999999999999999", "999999999999999999000"));
    CHECK(divides("5", "0"));
    CHECK(divides("5", "-15"));
    CHECK(!divides("2", "1"));
    CHECK(divides("1e2", "300"));
    CHECK(!divides("1e2", "30"));
}

static uint64_t seed = 1;
static unsigned next(unsigned below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % below;
}

/* value x 10^-4 in one of its spellings */
static void spell(char out[64], int64_t value) {
    int shift = (int)next(9) - 4; /* digits after the point become 4 + shift */
    int64_t magnitude = value < 0 ? -value : value;
    int places = (4 + shift) % 10;
    char digits[64];
    snprintf(digits, sizeof digits, "%0*jd", places + 1, (intmax_t)magnitude);
    size_t point = strlen(digits) - (size_t)places;
    snprintf(out, 64, "%s%.*s%s%s%se%d", value < 0 ? "-" : "", (int)point, digits,
             places ? "." : "", digits + point, next(2) && places ? "0" : "", shift);
}

static void test_random(void) {
    for (int i = 0; i < 20000; i++) {
        int64_t a = (int64_t)next(4000000) - 2000000,
                b = next(3) ? (int64_t)next(4000000) - 2000000 : a;
        if (next(4) == 0) b = a + (int64_t)next(3) - 1;
        char x[64], y[64];
        spell(x, a);
        spell(y, b);
        int wanted = a < b ? -1 : a > b;
        if (compare(x, y) != wanted) fprintf(stderr, "%s against %s\n", x, y);
        CHECK_EQ(compare(x, y), wanted);
        if (b > 0) CHECK(divides(y, x) == (a % b == 0));
    }
}

int main(void) {
    test_grammar();
    test_order();
    test_whole();
    test_multiples();
    test_random();
    return check_report();
}
