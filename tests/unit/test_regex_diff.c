/*
 * tests/unit/test_regex_diff.c: lib/regex against glibc's regcomp() and regexec() on random
 * patterns and texts.
 *
 *     test_regex_diff [--known] [ROUNDS [SEED]]
 *
 * A difference prints its round's seed: `test_regex_diff 1 SEED` repeats that round alone. Whether
 * a pattern compiles, whether and where it matches and where its groups are must be equal, except
 * for what glibc itself is known to get wrong (known_difference).
 */
#include <locale.h>
#include <regex.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "lib/regex/regex.h"

#define GROUPS 6

static uint64_t state;
static bool show_known; /* --known: print them as well */

static uint32_t random_below(uint32_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

struct text {
    char bytes[400];
    size_t len;
};

static void put(struct text *t, const char *s) {
    size_t n = strlen(s);
    if (t->len + n >= sizeof t->bytes) return;
    memcpy(t->bytes + t->len, s, n);
    t->len += n;
    t->bytes[t->len] = '\0';
}

struct style {
    bool extended, icase, newline, utf8, backref;
};

static const char *const letters[] = {"a", "b", "c", "A", "_", " ", "\xc3\xa9", "\xe2\x82\xac",
                                      "\n"};

static const char *letter(const struct style *style, bool newline) {
    uint32_t n = random_below(100);
    if (n < 45) return "a";
    if (n < 75) return "b";
    if (n < 83) return "c";
    if (n < 88) return letters[3];
    if (n < 92) return letters[4 + random_below(2)];
    if (n < 96) return style->utf8 ? letters[6 + random_below(2)] : "b";
    return newline ? "\n" : "a";
}

static void pattern_class(struct text *t, const struct style *style) {
    static const char *const named[] = {"[[:alpha:]]", "[^[:space:]]", "[[:upper:]_]",
                                        "[[=a=]b]",    "[[.a.]-b]",    "[^a-b]"};
    if (random_below(2)) {
        put(t, named[random_below(sizeof named / sizeof *named)]);
        return;
    }
    put(t, random_below(3) ? "[" : "[^");
    for (uint32_t i = 1 + random_below(2); i > 0; i--) put(t, letter(style, false));
    put(t, "]");
}

static void pattern(struct text *t, const struct style *style, int depth);

static void pattern_atom(struct text *t, const struct style *style, int depth) {
    static const char *const asserts[] = {"^", "$", "\\b", "\\B", "\\<", "\\>", "\\`", "\\'"};
    static const char *const escapes[] = {"\\w", "\\W", "\\s", "\\S", "\\.", "\\*"};
    uint32_t n = random_below(100);
    if (n < 55 || depth <= 0) {
        put(t, letter(style, false));
    } else if (n < 62) {
        put(t, ".");
    } else if (n < 68) {
        pattern_class(t, style);
    } else if (n < 72) {
        put(t, asserts[random_below(sizeof asserts / sizeof *asserts)]);
    } else if (n < 74) {
        put(t, escapes[random_below(sizeof escapes / sizeof *escapes)]);
    } else if (n < 78 && style->backref) {
        put(t, random_below(2) ? "\\1" : "\\2");
    } else {
        put(t, style->extended ? "(" : "\\(");
        pattern(t, style, depth - 1);
        put(t, style->extended ? ")" : "\\)");
    }
}

static void pattern_repeat(struct text *t, const struct style *style) {
    static const char *const extended[] = {"*",     "+",    "?",    "{2}", "{1,2}",
                                           "{0,1}", "{,2}", "{2,}", "{0}"};
    static const char *const basic[] = {"*",         "\\+",      "\\?",      "\\{2\\}", "\\{1,2\\}",
                                        "\\{0,1\\}", "\\{,2\\}", "\\{2,\\}", "\\{0\\}"};
    uint32_t n = random_below(40);
    if (n < 5) put(t, style->extended ? "*" : "*");
    if (n >= 5 && n < 14) put(t, (style->extended ? extended : basic)[n - 5]);
}

static void pattern(struct text *t, const struct style *style, int depth) {
    uint32_t alternatives = random_below(4) == 0 ? 2 + random_below(2) : 1;
    for (uint32_t i = 0; i < alternatives; i++) {
        if (i > 0) put(t, style->extended ? "|" : "\\|");
        for (uint32_t k = random_below(12) == 0 ? 0 : 1 + random_below(3); k > 0; k--) {
            pattern_atom(t, style, depth);
            pattern_repeat(t, style);
        }
    }
}

/* ------------------------------------------------------------------ comparing */

/*
 * What glibc 2.36 gets wrong, or leaves to how its automaton happens to be laid out:
 *   groups      where the pattern has an assertion: a copy of the nodes behind it is made, and
 * which of the copies a group is read from depends on their numbers assertion   a newline before ^,
 * or after $, counts as a line's edge without REG_NEWLINE, too; an assertion in a repeated group
 * may be taken to hold in every round endless     glibc does not come back reference   a
 * back-reference that could also be reached in another way: glibc may miss a match, or find a
 * shorter one
 */
enum known {
    KNOWN_NONE,
    KNOWN_GROUPS,
    KNOWN_ASSERTION,
    KNOWN_REFERENCE,
    KNOWN_ENDLESS,
    KNOWN_COUNT
};
static const char *const known_names[] = {"", "groups", "assertion", "reference", "endless"};
static uint64_t known_count[KNOWN_COUNT], compared;

static bool has_assertion(const char *pattern) {
    for (const char *p = pattern; *p != '\0'; p++) {
        if (*p == '\\' && p[1] != '\0' && strchr("bB<>`'", *++p) != NULL) return true;
        if (*p == '[' && p[1] == '^') p++;
        if (*p == '^' || *p == '$') return true;
    }
    return false;
}

static bool has_reference(const char *pattern) {
    for (const char *p = pattern; *p != '\0'; p++)
        if (*p == '\\' && p[1] != '\0' && strchr("12", *++p) != NULL) return true;
    return false;
}

static enum known known_difference(const char *pattern, bool same_match) {
    if (has_reference(pattern)) return KNOWN_REFERENCE;
    if (!has_assertion(pattern)) return KNOWN_NONE;
    return same_match ? KNOWN_GROUPS : KNOWN_ASSERTION;
}

static int report(uint64_t seed, const char *what, const char *pattern, const char *text,
                  const struct style *style) {
    printf("seed %llu: %s\n  pattern %s\n  text    \"%s\"\n  %s%s%s%s\n", (unsigned long long)seed,
           what, pattern, text, style->extended ? "extended " : "basic ",
           style->icase ? "icase " : "", style->newline ? "newline " : "",
           style->utf8 ? "utf8" : "bytes");
    return 1;
}

static void show(const char *who, int status, const regmatch_t *m) {
    printf("  %-6s %d", who, status);
    for (int i = 0; i < GROUPS && status == 0; i++)
        printf(" (%d,%d)", (int)m[i].rm_so, (int)m[i].rm_eo);
    printf("\n");
}

/* What glibc was torn out of is lost: no leak of ours. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libc.so\nleak:re_node_set\nleak:calc_eclosure\n";
}

static sigjmp_buf endless;

static void on_timer(int signal) {
    (void)signal;
    siglongjmp(endless, 1);
}

/* glibc's answer; REG_ESPACE + 1 when it takes over a second. */
static int real_match(const regex_t *regex, const char *text, regmatch_t *m, int flags) {
    struct itimerval second = {.it_value = {.tv_sec = 1}}, off = {.it_value = {.tv_sec = 0}};
    if (sigsetjmp(endless, 1) != 0) return REG_ESPACE + 1;
    signal(SIGVTALRM, on_timer);
    setitimer(ITIMER_VIRTUAL, &second, NULL);
    int status = regexec(regex, text, GROUPS, m, flags);
    setitimer(ITIMER_VIRTUAL, &off, NULL);
    return status;
}

static int one_text(uint64_t seed, const char *p, const struct style *style, pf_regex *ours,
                    regex_t *theirs, const struct text *text) {
    regmatch_t theirs_m[GROUPS], ours_m[GROUPS];
    pf_range ranges[GROUPS];
    unsigned edges = random_below(4);
    int flags = (edges & 1 ? REG_NOTBOL : 0) | (edges & 2 ? REG_NOTEOL : 0);
    unsigned our_flags = (edges & 1 ? PF_RE_NOTBOL : 0) | (edges & 2 ? PF_RE_NOTEOL : 0);
    int want = real_match(theirs, text->bytes, theirs_m, flags);
    int got = pf_regex_search(ours, text->bytes, text->len, 0, our_flags, ranges, GROUPS);
    int plain = pf_regex_search(ours, text->bytes, text->len, 0, our_flags, NULL, 0);
    bool same = (want == 0) == (got == PF_RE_OK) && plain == got;
    for (int i = 0; i < GROUPS; i++) {
        ours_m[i].rm_so = (regoff_t)ranges[i].start;
        ours_m[i].rm_eo = (regoff_t)ranges[i].end;
        if (want == 0 && got == PF_RE_OK &&
            (ours_m[i].rm_so != theirs_m[i].rm_so || ours_m[i].rm_eo != theirs_m[i].rm_eo))
            same = false;
    }
    compared++;
    if (want > REG_ESPACE) {
        known_count[KNOWN_ENDLESS]++;
        return -1; /* its regex is locked for ever */
    }
    if (same) return 0;
    bool same_match = want == 0 && got == PF_RE_OK && plain == got &&
                      ours_m[0].rm_so == theirs_m[0].rm_so && ours_m[0].rm_eo == theirs_m[0].rm_eo;
    enum known known = known_difference(p, same_match);
    if (known != KNOWN_NONE && !show_known) {
        known_count[known]++;
        return 0;
    }
    report(seed, plain != got ? "answer without groups differs" : "match differs", p, text->bytes,
           style);
    if (edges) printf("  edges  %u\n", edges);
    show("glibc", want, theirs_m);
    show("ours", got, ours_m);
    return 1;
}

static int round_of(uint64_t seed) {
    state = seed;
    for (int i = 0; i < 3; i++) random_below(2);
    struct style style = {
        .extended = random_below(3) > 0,
        .icase = random_below(5) == 0,
        .newline = random_below(4) == 0,
        .utf8 = random_below(3) == 0,
        .backref = random_below(8) == 0,
    };
    struct text p = {.len = 0};
    p.bytes[0] = '\0';
    /* glibc overflows its stack on back-references inside deeper patterns. */
    pattern(&p, &style, style.backref ? 1 : 3);
    setlocale(LC_ALL, style.utf8 ? "C.UTF-8" : "C");
    regex_t theirs;
    pf_regex *ours;
    const char *message = NULL;
    int want = regcomp(&theirs, p.bytes,
                       (style.extended ? REG_EXTENDED : 0) | (style.icase ? REG_ICASE : 0) |
                           (style.newline ? REG_NEWLINE : 0));
    unsigned flags = (style.extended ? PF_RE_EXTENDED : 0) | (style.icase ? PF_RE_ICASE : 0) |
                     (style.newline ? PF_RE_NEWLINE : 0) | (style.utf8 ? 0 : PF_RE_BYTES);
    int got = pf_regex_compile(&ours, p.bytes, p.len, flags, NULL, &message);
    int failures = 0;
    if ((want == 0) != (got == PF_RE_OK))
        failures = report(seed, message ? message : "compiles here only", p.bytes, "", &style);
    for (int i = 0; i < 6 && want == 0 && got == PF_RE_OK && failures == 0; i++) {
        struct text text = {.len = 0};
        text.bytes[0] = '\0';
        for (uint32_t k = random_below(10); k > 0; k--) put(&text, letter(&style, true));
        failures += one_text(seed, p.bytes, &style, ours, &theirs, &text);
    }
    if (want == 0 && failures >= 0) regfree(&theirs);
    pf_regex_free(ours);
    return failures > 0 ? failures : 0;
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--known") == 0) {
        show_known = true;
        argv++;
        argc--;
    }
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    int failures = 0;
    for (uint64_t i = 0; i < rounds && failures < 20; i++) failures += round_of(seed + i);
    printf("test_regex_diff: %llu matches compared", (unsigned long long)compared);
    for (int i = 1; i < KNOWN_COUNT; i++)
        printf(", %llu %s", (unsigned long long)known_count[i], known_names[i]);
    printf(", %d differences\n", failures);
    /* The exceptions must stay exceptions. */
    for (int i = 1; i < KNOWN_COUNT; i++)
        if (rounds >= 1000 && known_count[i] * 200 > compared) {
            printf("test_regex_diff: too many of the kind \"%s\"\n", known_names[i]);
            failures++;
        }
    return failures != 0;
}
