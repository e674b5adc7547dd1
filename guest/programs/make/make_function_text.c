/*
 * make_function_text.c: functions on words and names.
 */
#include "make.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

void call_subst(g_text *out, char **args, int count) {
    (void)count;
    size_t len = strlen(args[0]);
    const char *s = args[2];
    if (!len) {
        g_text_adds(out, s);
        g_text_adds(out, args[1]);
        return;
    }
    for (const char *p; (p = strstr(s, args[0])); s = p + len) {
        g_text_add(out, s, (size_t)(p - s));
        g_text_adds(out, args[1]);
    }
    g_text_adds(out, s);
}

void call_patsubst(g_text *out, char **args, int count) {
    (void)count;
    substitute_pattern(out, args[0], args[1], args[2]);
}

void call_strip(g_text *out, char **args, int count) {
    (void)count;
    const char *s = args[0], *word;
    size_t len;
    bool any = false;
    while (next_word(&s, &word, &len)) add_word(out, &any, word, len);
}

void call_findstring(g_text *out, char **args, int count) {
    (void)count;
    if (strstr(args[1], args[0])) g_text_adds(out, args[0]);
}

static bool any_pattern_matches(char **patterns, const char *word, size_t len) {
    for (; *patterns; patterns++) {
        char *plain;
        const char *percent = pattern_percent(*patterns, &plain);
        size_t before = percent ? (size_t)(percent - plain) : strlen(plain);
        size_t after = percent ? strlen(percent + 1) : 0;
        bool same = percent ? len >= before + after && memcmp(word, plain, before) == 0 &&
                                  memcmp(word + len - after, percent + 1, after) == 0
                            : len == before && memcmp(word, plain, len) == 0;
        free(plain);
        if (same) return true;
    }
    return false;
}

static void filter(g_text *out, char **args, bool keep) {
    char **patterns = NULL;
    size_t count = 0, cap = 0, len;
    const char *s = args[0], *word;
    bool any = false;
    while (next_word(&s, &word, &len)) {
        if (count + 1 >= cap) patterns = g_resize(patterns, cap = cap * 2 + 8, sizeof *patterns);
        patterns[count++] = g_copy_bytes(word, len);
    }
    if (!patterns) patterns = g_resize(NULL, 1, sizeof *patterns);
    patterns[count] = NULL;
    for (s = args[1]; next_word(&s, &word, &len);)
        if (any_pattern_matches(patterns, word, len) == keep) add_word(out, &any, word, len);
    while (count) free(patterns[--count]);
    free(patterns);
}

void call_filter(g_text *out, char **args, int count) {
    (void)count;
    filter(out, args, true);
}

void call_filter_out(g_text *out, char **args, int count) {
    (void)count;
    filter(out, args, false);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void call_sort(g_text *out, char **args, int count) {
    (void)count;
    char **words = NULL;
    size_t n = 0, cap = 0, len;
    const char *s = args[0], *word;
    bool any = false;
    while (next_word(&s, &word, &len)) {
        if (n == cap) words = g_resize(words, cap = cap * 2 + 16, sizeof *words);
        words[n++] = g_copy_bytes(word, len);
    }
    if (n) qsort(words, n, sizeof *words, by_text);
    for (size_t i = 0; i < n; i++)
        if (!i || strcmp(words[i], words[i - 1]) != 0)
            add_word(out, &any, words[i], strlen(words[i]));
    while (n) free(words[--n]);
    free(words);
}

/* An argument that is to be a number from `least` on. */
static unsigned long number(const char *text, const char *which, const char *function,
                            unsigned long least) {
    char *end;
    while (isspace((unsigned char)*text)) text++;
    if (!*text)
        make_fatal(expansion_place(), "invalid %s argument to '%s' function: empty value", which,
                   function);
    errno = 0;
    unsigned long value = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 0;
    if (!isdigit((unsigned char)*text)) end = (char *)text;
    while (isspace((unsigned char)*end)) end++;
    if (*end || !isdigit((unsigned char)*text))
        make_fatal(expansion_place(), "non-numeric %s argument to '%s' function: '%s'", which,
                   function, text);
    if (value < least)
        make_fatal(expansion_place(), "%s argument to '%s' function must be greater than 0", which,
                   function);
    return value;
}

void call_word(g_text *out, char **args, int count) {
    (void)count;
    unsigned long n = number(args[0], "first", "word", 1);
    const char *s = args[1], *word;
    size_t len;
    while (next_word(&s, &word, &len))
        if (--n == 0) {
            g_text_add(out, word, len);
            return;
        }
}

void call_wordlist(g_text *out, char **args, int count) {
    (void)count;
    unsigned long first = number(args[0], "first", "wordlist", 1);
    unsigned long last = number(args[1], "second", "wordlist", 0), n = 0;
    const char *s = args[2], *word;
    size_t len;
    bool any = false;
    while (next_word(&s, &word, &len) && ++n <= last)
        if (n >= first) add_word(out, &any, word, len);
}

void call_words(g_text *out, char **args, int count) {
    (void)count;
    const char *s = args[0], *word;
    size_t len;
    unsigned long n = 0;
    while (next_word(&s, &word, &len)) n++;
    g_text_addf(out, "%lu", n);
}

void call_firstword(g_text *out, char **args, int count) {
    (void)count;
    const char *s = args[0], *word;
    size_t len;
    if (next_word(&s, &word, &len)) g_text_add(out, word, len);
}

void call_lastword(g_text *out, char **args, int count) {
    (void)count;
    const char *s = args[0], *word, *last = NULL;
    size_t len, last_len = 0;
    while (next_word(&s, &word, &len)) last = word, last_len = len;
    if (last) g_text_add(out, last, last_len);
}

/* Where the name behind the last slash begins, and where its suffix does (len: it has none). */
static size_t name_at(const char *word, size_t len) {
    while (len && word[len - 1] != '/') len--;
    return len;
}

static size_t suffix_at(const char *word, size_t len) {
    for (size_t i = len, name = name_at(word, len); i > name; i--)
        if (word[i - 1] == '.') return i - 1;
    return len;
}

void call_dir(g_text *out, char **args, int count) {
    (void)count;
    const char *s = args[0], *word;
    size_t len;
    bool any = false;
    while (next_word(&s, &word, &len)) {
        size_t at = name_at(word, len);
        if (at)
            add_word(out, &any, word, at);
        else
            add_word(out, &any, "./", 2);
    }
}

void call_notdir(g_text *out, char **args, int count) {
    (void)count;
    const char *s = args[0], *word;
    size_t len;
    bool any = false;
    while (next_word(&s, &word, &len)) {
        size_t at = name_at(word, len);
        add_word(out, &any, word + at, len - at);
    }
}

void call_suffix(g_text *out, char **args, int count) {
    (void)count;
    const char *s = args[0], *word;
    size_t len;
    bool any = false;
    while (next_word(&s, &word, &len)) {
        size_t at = suffix_at(word, len);
        if (at < len) add_word(out, &any, word + at, len - at);
    }
}

void call_basename(g_text *out, char **args, int count) {
    (void)count;
    const char *s = args[0], *word;
    size_t len;
    bool any = false;
    while (next_word(&s, &word, &len)) add_word(out, &any, word, suffix_at(word, len));
}

void call_addprefix(g_text *out, char **args, int count) {
    (void)count;
    const char *s = args[1], *word;
    size_t len;
    bool any = false;
    while (next_word(&s, &word, &len)) {
        add_word(out, &any, args[0], strlen(args[0]));
        g_text_add(out, word, len);
    }
}

void call_addsuffix(g_text *out, char **args, int count) {
    (void)count;
    const char *s = args[1], *word;
    size_t len;
    bool any = false;
    while (next_word(&s, &word, &len)) {
        add_word(out, &any, word, len);
        g_text_adds(out, args[0]);
    }
}

void call_join(g_text *out, char **args, int count) {
    (void)count;
    const char *a = args[0], *b = args[1], *left, *right;
    size_t left_len, right_len;
    bool any = false;
    for (;;) {
        bool has_left = next_word(&a, &left, &left_len),
             has_right = next_word(&b, &right, &right_len);
        if (!has_left && !has_right) return;
        add_word(out, &any, left, left_len);
        g_text_add(out, right, right_len);
    }
}
