/*
 * tests/unit/test_regex.c: lib/regex where glibc is no oracle: flags of our own, error texts,
 * invalid UTF-8, searches from the middle, bounds, time, and memory that runs out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/regex/regex.h"

static int failures;

#define GROUPS 4

/* `want` is "0,3 1,2" for a match and its groups, "no", or an error text. */
static void check(const char *pattern, unsigned flags, const char *text, const char *want) {
    pf_regex *re;
    const char *message;
    char got[200] = "no";
    if (pf_regex_compile(&re, pattern, strlen(pattern), flags, NULL, &message) != PF_RE_OK) {
        snprintf(got, sizeof got, "%s", message);
    } else {
        pf_range r[GROUPS];
        int status = pf_regex_search(re, text, strlen(text), 0, 0, r, GROUPS);
        if (status == PF_RE_OK) {
            int at = snprintf(got, sizeof got, "%d,%d", (int)r[0].start, (int)r[0].end);
            for (int i = 1; i < GROUPS && i <= pf_regex_groups(re); i++)
                at += snprintf(got + at, sizeof got - (size_t)at, " %d,%d", (int)r[i].start,
                               (int)r[i].end);
        } else if (status != PF_RE_NOMATCH) {
            snprintf(got, sizeof got, "status %d", status);
        }
        pf_regex_free(re);
    }
    if (strcmp(got, want) != 0) {
        failures++;
        printf("%s on \"%s\": want %s, got %s\n", pattern, text, want, got);
    }
}

#define E PF_RE_EXTENDED

static void syntax(void) {
    check("*a", 0, "b*a", "1,3");
    check("*a", E, "a", "Invalid preceding regular expression");
    check("*a", E | PF_RE_GREP, "ba", "1,2");
    check("a|*b", E | PF_RE_GREP, "b", "0,1");
    check("*a", E | PF_RE_AWK, "b*a", "1,3");
    check("a{1", E, "a{1", "Unmatched \\{");
    check("a{1", E | PF_RE_GREP, "xa{1", "1,4");
    check("{", E | PF_RE_GREP, "x{", "1,2");
    check("a{,x}", E | PF_RE_AWK, "a{,x}", "0,5");
    check("a{2,1}", E | PF_RE_GREP, "a", "Invalid content of \\{\\}");
    check("a)", E, "ba)", "1,3");
    check("a)", E | PF_RE_STRICT, "ba)", "Unmatched ) or \\)");
    check("a\\)", 0, "a", "Unmatched ) or \\)");
    check("\\(a", 0, "a", "Unmatched ( or \\(");
    check("[a", 0, "a", "Unmatched [, [^, [:, [., or [=");
    check("[b-a]", 0, "a", "Invalid range end");
    check("[[:foo:]]", 0, "a", "Invalid character class name");
    check("\\1", 0, "a", "Invalid back reference");
    check("a\\", 0, "a", "Trailing backslash");
    check("(a{1000}){1000}", E, "a", "Regular expression too big");
    check("a{32768}", E, "a", "Regular expression too big");
    check("((((((){999}){999}){999}){999}){999})", E, "a", "Regular expression too big");
    check("a**", 0, "a", "Invalid preceding regular expression");
    check("a**", PF_RE_GREP, "aa", "0,2");
    check("b\na", PF_RE_GREP, "xa", "1,2");
    check("x\n\\(a\\)\\1", PF_RE_GREP, "aa", "0,2 0,1");
    check("a.c\nb", PF_RE_GREP | PF_RE_LITERAL, "abc a.c", "1,2");
    check("a.c", PF_RE_LITERAL, "abc a.c", "4,7");
    check("A.C", PF_RE_LITERAL | PF_RE_ICASE, "abc a.c", "4,7");
    check("a\\/b\\t[\\]x]\\141", E | PF_RE_AWK, "a/b\t]a", "0,6");
    check("\\yfoo\\y", E | PF_RE_AWK, "xfoo foo", "5,8");
    check("(a)\\1", E | PF_RE_AWK, "a\1", "0,2 0,1");
}

static void longest(void) {
    check("a|ab|abc", E, "xabcd", "1,4");
    check("(a|ab)(c|bcd)(d*)", E, "abcd", "0,4 0,1 1,4 4,4");
    check("abcd|c", E, "abcd", "0,4");
    check("x*", E, "aaa", "0,0");
    check("(a*)*", E, "b", "0,0 0,0");
    check("(a*)+", E, "aa", "0,2 0,2");
    check("\\(.*\\)\\1", 0, "abab", "0,4 0,2");
    check("^a|b$", E | PF_RE_NEWLINE, "x\nab", "2,3");
    check("^$", E | PF_RE_NEWLINE, "a\n\nb", "2,2");
}

static void characters(void) {
    check("^.$", E, "\xc3\xa9", "0,2");
    check("^.$", E | PF_RE_BYTES, "\xc3\xa9", "no");
    check("^..$", E | PF_RE_BYTES, "\xc3\xa9", "0,2");
    check(".", E, "\xff", "no");
    check("[^a]", E, "\xff\xfe", "no");
    check("a.b", E,
          "a\xe2\x82"
          "b",
          "no");
    check("\xff", E, "a\xff", "1,2");
    check("\xa9", E, "\xc3\xa9", "no");
    check("\xff+b", E,
          "a\xff\xff"
          "b",
          "1,4");
    check("[\xc3\xa0-\xc3\xaf]+", E, "x\xc3\xa9\xc3\xa8", "1,5");
    check("[[:alpha:]]+", E,
          "1\xc3\xa9"
          "a2",
          "1,4");
    check("[[:alpha:]]+", E | PF_RE_BYTES,
          "1\xc3\xa9"
          "a2",
          "3,4");
    check("\xc3\x89", E | PF_RE_ICASE, "\xc3\xa9", "0,2");
    check("k", E | PF_RE_ICASE, "\xe2\x84\xaa", "0,3");
    check("\\w+", E, "-\xc3\xa9t\xc3\xa9-", "1,6");
    check("\\bt", E, "\xc3\xa9t", "no");
    check("\\bt", E | PF_RE_BYTES, "\xc3\xa9t", "2,3");
}

static void from_the_middle(void) {
    pf_regex *re;
    pf_range r[1];
    pf_regex_compile(&re, "^a", 2, E, NULL, NULL);
    if (pf_regex_search(re, "aa", 2, 1, 0, r, 1) != PF_RE_NOMATCH) failures++, printf("^ inside\n");
    if (pf_regex_search(re, "aa", 2, 0, PF_RE_NOTBOL, r, 1) != PF_RE_NOMATCH)
        failures++, printf("^ with NOTBOL\n");
    pf_regex_free(re);
    pf_regex_compile(&re, "\\<b", 3, E, NULL, NULL);
    if (pf_regex_search(re, "ab b", 4, 1, 0, r, 1) != PF_RE_OK || r[0].start != 3)
        failures++, printf("word start from the middle\n");
    pf_regex_free(re);
    pf_regex_compile(&re, "a|aab?", 6, E, NULL, NULL);
    if (pf_regex_fullmatch(re, "aab", 3) != PF_RE_OK ||
        pf_regex_fullmatch(re, "aabb", 4) != PF_RE_NOMATCH)
        failures++, printf("fullmatch\n");
    pf_regex_free(re);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Patterns that take other engines for ever, on texts that are long for them. */
static void time_is_linear(void) {
    static const struct {
        const char *pattern;
        size_t len;
    } cases[] = {
        {"(a|aa)*b", 1 << 20},
        {"(a+a+)+b", 1 << 20},
        {"a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?"
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         1 << 20},
        {"(a*)*", 1 << 18},
        {"((a|b)*c|(a)*)*d?", 1 << 18},
        {"(.*)(.*)(.*)(.*)x", 1 << 18},
        {"a{1000}b", 1 << 18},
        {"[ab]*a[ab]{12}c", 1 << 18},
    };
    char *text = malloc(1 << 20);
    memset(text, 'a', 1 << 20);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_regex *re;
        pf_range r[GROUPS];
        if (pf_regex_compile(&re, cases[i].pattern, strlen(cases[i].pattern), E, NULL, NULL))
            abort();
        double before = seconds();
        int status = pf_regex_search(re, text, cases[i].len, 0, 0, r, GROUPS);
        double used = seconds() - before;
        if (used > 5 || status > PF_RE_NOMATCH) {
            failures++;
            printf("%s: status %d after %.1f s\n", cases[i].pattern, status, used);
        }
        pf_regex_free(re);
    }
    free(text);
    check("\\(a*\\)*\\(a*\\)*\\(a*\\)*b\\1\\2\\3c", 0, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabxc",
          "status 4");
}

/* An allocator that fails at the n-th call. */
struct failing {
    long left, live;
};

static void *failing_realloc(void *user, void *old, size_t size) {
    struct failing *f = user;
    if (size == 0) {
        f->live -= old != NULL;
        free(old);
        return NULL;
    }
    if (f->left-- <= 0) return NULL;
    void *memory = realloc(old, size);
    f->live += memory != NULL && old == NULL;
    return memory;
}

static void memory_runs_out(void) {
    static const char *const patterns[] = {"abc", "(a|b*)*c", "\\bx[[:alpha:]]+\\b", "(a*)\\1b",
                                           "[^x]{2,5}(y|z)"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        int status = PF_RE_NOMEM;
        for (long n = 0; status == PF_RE_NOMEM && n < 1000; n++) {
            struct failing f = {n, 0};
            pf_regex_host host = {failing_realloc, &f, NULL};
            pf_regex *re;
            pf_range r[GROUPS];
            status = pf_regex_compile(&re, patterns[i], strlen(patterns[i]), E, &host, NULL);
            if (status == PF_RE_OK) {
                status = pf_regex_search(re, "aabaabxyzc", 10, 0, 0, r, GROUPS);
                pf_regex_free(re);
            }
            if (f.live != 0) {
                failures++;
                printf("%s: %ld blocks leak when allocation %ld fails\n", patterns[i], f.live, n);
            }
        }
        if (status > PF_RE_NOMATCH) failures++, printf("%s never succeeds\n", patterns[i]);
    }
}

int main(void) {
    syntax();
    longest();
    characters();
    from_the_middle();
    time_is_linear();
    memory_runs_out();
    if (failures > 0) printf("test_regex: %d failures\n", failures);
    return failures != 0;
}
