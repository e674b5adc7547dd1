/*
 * Patterns and names. Matching, inclusion and overlap are compared with naive versions that try all
 * methods of up to six segments over a small alphabet.
 */
#include "check.h"
#include "host/capability/pattern.h"
#include "host/capability/policy.h"

#include <stdlib.h>

static bool matches(const char *pattern, const char *method) {
    bool yes = false;
    pf_error error;
    CHECK_EQ(cap_policy_pattern_matches(pattern, method, &yes, &error), PF_OK);
    return yes;
}

static bool is_subset(const char *child, const char *parent) {
    bool yes = false;
    pf_error error;
    CHECK_EQ(cap_policy_pattern_is_subset(child, parent, &yes, &error), PF_OK);
    return yes;
}

static void test_matching(void) {
    static const struct {
        const char *pattern, *method;
        bool yes;
    } cases[] = {
        {"stripe/charges/create", "stripe/charges/create", true},
        {"stripe/charges/create", "stripe.charges.create", true},
        {"stripe.charges.create", "mcp:stripe/charges/create", true},
        {"mcp:stripe.charges.*", "stripe/charges/create", true},
        {"stripe/charges/*", "stripe/charges", false},
        {"stripe/charges/*", "stripe/charges/a/b", false},
        {"stripe/*/create", "stripe/charges/create", true},
        {"stripe/**", "stripe", true},
        {"stripe/**", "stripe/a/b/c", true},
        {"stripe/**", "stripey", false},
        {"**", "anything/at/all", true},
        {"mcp:**", "anything", true},
        {"*", "a", true},
        {"*", "a/b", false},
        {"**/create", "create", true},
        {"**/create", "a/b/create", true},
        {"**/create", "a/create/b", false},
        {"stripe/**/charges", "stripe/charges", true},
        {"a/**/b/**/c", "a/b/c", true},
        {"a/**/b/**/c", "a/x/b/y/b/z/c", true},
        {"a/**/b/**/c", "a/x/y/c", false},
        {"**/a/**", "b/c", false},
        {"*/**", "a", true},
        {"stripe/charges", "Stripe/charges", false},
        {"stripe", "strip\xd0\xb5", false}, /* a Cyrillic e */
        {"mcp:math.*", "mcp:math.add", true},
        {"a/b", "a//b", false},
        {"**", "", false},
        {"**", "a b", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (matches(cases[i].pattern, cases[i].method) != cases[i].yes)
            fprintf(stderr, "%s against %s\n", cases[i].pattern, cases[i].method);
        CHECK(matches(cases[i].pattern, cases[i].method) == cases[i].yes);
    }
}

static void test_inclusion(void) {
    static const struct {
        const char *child, *parent;
        bool yes;
    } cases[] = {
        {"a/b", "a/b", true},
        {"a/b", "a/*", true},
        {"a/*", "a/b", false},
        {"a/*", "a/**", true},
        {"a/**", "a/*", false},
        {"stripe/**", "**", true},
        {"**", "**", true},
        {"**", "*", false},
        {"**", "stripe/**", false},
        {"api/*/users/*", "api/**/users/*", true},
        {"api/**/users/*", "api/*/users/*", false},
        {"**/*", "*/**", true},
        {"*/**", "**/*", true},
        {"**", "*/**", false},
        {"**/**", "**", true},
        {"a/**/a", "a/**", true},
        {"a/**", "a/**/a", false},
        {"**/a/**/b/**", "**/b/**", true},
        {"*/*", "**/*/**", true},
        {"a.b", "a/*", true},
        {"mcp:a/b", "a/b", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (is_subset(cases[i].child, cases[i].parent) != cases[i].yes)
            fprintf(stderr, "%s in %s\n", cases[i].child, cases[i].parent);
        CHECK(is_subset(cases[i].child, cases[i].parent) == cases[i].yes);
    }
}

static void test_malformed(void) {
    static const char *const bad[] = {"",     "/",      "a/",    "/a",     "a//b",
                                      "a..b", ".a",     "a.",    "mcp:",   "a*",
                                      "*a/b", "a/b*c",  "***",   "a/***",  "a b",
                                      "a\tb", "a/\x01", "-a",    "a/\xff", "a\xe2\x80\x8b/b",
                                      "a?",   "[a]",    "{a,b}", "a\\b",   "a\"b",
                                      "a|b",  "a;b",    "a$b"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bool yes;
        pf_error error = {0};
        pf_status status = cap_policy_pattern_matches(bad[i], "a", &yes, &error);
        if (status != PF_INVALID) fprintf(stderr, "accepted: %s\n", bad[i]);
        CHECK(status == PF_INVALID && !yes && strstr(error.message, "the pattern"));
    }
    char many[300] = "a";
    for (int i = 0; i < 63; i++) strcat(many, "/a");
    bool yes;
    pf_error error;
    CHECK_EQ(cap_policy_pattern_matches(many, "a", &yes, &error), PF_INVALID);
    many[strlen(many) - 2] = '\0';
    CHECK_EQ(cap_policy_pattern_matches(many, many, &yes, &error), PF_OK);
    CHECK(yes);
}

/* ---- against naive versions */

static const char *const pieces[] = {"a", "b", "*", "**"};

static bool naive(const char *const *p, size_t n, const char *const *m, size_t k) {
    if (n == 0) return k == 0;
    if (strcmp(p[0], "**") == 0) {
        for (size_t skip = 0; skip <= k; skip++)
            if (naive(p + 1, n - 1, m + skip, k - skip)) return true;
        return false;
    }
    return k > 0 && (strcmp(p[0], "*") == 0 || strcmp(p[0], m[0]) == 0) &&
           naive(p + 1, n - 1, m + 1, k - 1);
}

static size_t spell(char *out, const char **parts, unsigned number, size_t count, unsigned base,
                    const char *const *words) {
    out[0] = '\0';
    for (size_t i = 0; i < count; i++, number /= base) {
        parts[i] = words[number % base];
        if (i) strcat(out, "/");
        strcat(out, parts[i]);
    }
    return count;
}

static unsigned power(unsigned base, size_t exponent) {
    unsigned result = 1;
    while (exponent--) result *= base;
    return result;
}

#define LONGEST 6
static const char *const letters[] = {"a", "b", "c"};

/* Which of all methods a pattern matches, also the empty one, which only inclusion knows. */
static size_t method_count;
static unsigned char table[400][1100];

static void fill(unsigned char *row, const char *const *parts, size_t n,
                 const struct cap_pattern *p) {
    size_t at = 0;
    for (size_t length = 0; length <= LONGEST; length++)
        for (unsigned number = 0; number < power(3, length); number++, at++) {
            char text[64];
            const char *m[LONGEST];
            spell(text, m, number, length, 3, letters);
            struct cap_name name;
            const char *why;
            CHECK(cap_name_read(&name, text, strlen(text), false, &why) == (length > 0));
            bool yes = naive(parts, n, m, length);
            if (length && cap_pattern_matches(p, &name) != yes) {
                fprintf(stderr, "%s against %s\n", p->text, text);
                CHECK(cap_pattern_matches(p, &name) == yes);
            }
            row[at] = yes;
        }
    method_count = at;
}

static void test_against_naive(void) {
    struct base_arena arena;
    base_arena_init(&arena, 16 << 20);
    static struct cap_pattern patterns[400];
    size_t count = 0;
    for (size_t length = 1; length <= 4; length++)
        for (unsigned number = 0; number < power(4, length); number++) {
            char text[64];
            const char *parts[8];
            spell(text, parts, number, length, 4, pieces);
            pf_error error;
            CHECK_EQ(cap_pattern_read(&patterns[count], &arena, text, strlen(text), &error), PF_OK);
            fill(table[count], parts, length, &patterns[count]);
            count++;
        }
    int wrong = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            bool inside = true, meet = false;
            for (size_t m = 0; m < method_count; m++) {
                inside = inside && (!table[i][m] || table[j][m]);
                meet = meet || (table[i][m] && table[j][m]);
            }
            if (cap_pattern_is_subset(&patterns[i], &patterns[j]) != inside && wrong++ < 10)
                fprintf(stderr, "%s in %s: should be %d\n", patterns[i].text, patterns[j].text,
                        inside);
            if (cap_pattern_overlaps(&patterns[i], &patterns[j]) != meet && wrong++ < 10)
                fprintf(stderr, "%s and %s: should be %d\n", patterns[i].text, patterns[j].text,
                        meet);
        }
    CHECK_EQ(wrong, 0);
    base_arena_free(&arena);
}

/* Many ** must not take exponential time. */
static void test_hostile(void) {
    char pattern[256] = "**/a", method[256] = "a";
    for (int i = 0; i < 20; i++) strcat(pattern, "/**/a");
    strcat(pattern, "/b");
    for (int i = 0; i < 60; i++) strcat(method, "/a");
    CHECK(!matches(pattern, method));
    is_subset(pattern, "**/a/**/a/*/**/b");
    is_subset("**/*/**/*/**/*/**/b/**", pattern);
    /* thousands of sets of places: too many, so it is a no */
    CHECK(!is_subset("b/b/b/b/b/b/a/**/b/b/b/**/*/b/b/*/a/b/b/b/b/*/*/**/b/**/*/b/b/**/b/b/*/**/b/"
                     "**/a/b/b/**/*/**/*/b/a/b/b/b/b/b/*",
                     "**/b/a/**/*/b/*/*/*/*/*/*/*/*/*/*/*/*"));
}

static void test_distance(void) {
    CHECK_EQ(cap_name_distance("get_weather", "get_wether", 5), 1);
    CHECK_EQ(cap_name_distance("get.weather", "get/Weather", 5), 0);
    CHECK_EQ(cap_name_distance("abc", "acb", 5), 1);
    CHECK_EQ(cap_name_distance("kitten", "sitting", 5), 3);
    CHECK_EQ(cap_name_distance("kitten", "sitting", 2), 3);
    CHECK_EQ(cap_name_distance("", "abcd", 2), 3);
}

/* Wherever memory ends, a pattern is read as it is or not at all. */
static void test_memory(void) {
    static const char text[] = "a/b/*/**/c";
    int read = 0, refused = 0;
    for (size_t filler = 16; filler < 1024; filler += 16) {
        struct base_arena arena;
        struct cap_pattern out;
        pf_error error;
        base_arena_init(&arena, 1200);
        base_arena_alloc(&arena, filler);
        pf_status status = cap_pattern_read(&out, &arena, text, sizeof text - 1, &error);
        CHECK(status == PF_OK ? strcmp(out.text, text) == 0 && cap_pattern_is_subset(&out, &out)
                              : status == PF_NO_MEMORY);
        status == PF_OK ? read++ : refused++;
        base_arena_free(&arena);
    }
    CHECK(read > 10 && refused > 5);
}

int main(void) {
    test_matching();
    test_inclusion();
    test_malformed();
    test_against_naive();
    test_hostile();
    test_memory();
    test_distance();
    return check_report();
}
