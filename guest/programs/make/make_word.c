/*
 * make_word.c: words in a text, and patterns with %.
 */
#include "make.h"

#include <ctype.h>
#include <stdlib.h>

bool next_word(const char **s, const char **word, size_t *len) {
    const char *p = *s;
    while (isspace((unsigned char)*p)) p++;
    *word = p;
    while (*p && !isspace((unsigned char)*p)) p++;
    *len = (size_t)(p - *word);
    *s = p;
    return *len > 0;
}

void add_word(g_text *out, bool *any, const char *word, size_t len) {
    if (*any) g_text_addc(out, ' ');
    *any = true;
    g_text_add(out, word, len);
}

const char *pattern_percent(const char *pattern, char **plain) {
    char *copy = g_copy_string(pattern), *to = copy;
    const char *found = NULL;
    *plain = copy;
    for (const char *s = pattern; *s; s++) {
        if (found) {
            *to++ = *s;
            continue;
        }
        size_t slashes = 0;
        while (s[slashes] == '\\') slashes++;
        if (slashes && s[slashes] == '%') { /* an even number stands for half as many */
            memset(to, '\\', slashes / 2);
            to += slashes / 2;
            s += slashes;
            if (slashes % 2 == 0) found = to;
            *to++ = '%';
        } else if (slashes) {
            memset(to, '\\', slashes);
            to += slashes;
            s += slashes - 1;
        } else {
            if (*s == '%') found = to;
            *to++ = *s;
        }
    }
    *to = '\0';
    return found;
}

bool pattern_matches(const char *pattern, const char *name, size_t len, const char **stem,
                     size_t *stem_len) {
    const char *percent = strchr(pattern, '%');
    if (!percent) return strlen(pattern) == len && memcmp(pattern, name, len) == 0;
    size_t before = (size_t)(percent - pattern), after = strlen(percent + 1);
    if (len < before + after || memcmp(pattern, name, before) != 0) return false;
    if (memcmp(percent + 1, name + len - after, after) != 0) return false;
    *stem = name + before;
    *stem_len = len - before - after;
    return true;
}

void substitute_pattern(g_text *out, const char *pattern, const char *replacement,
                        const char *text) {
    char *from, *to;
    const char *percent = pattern_percent(pattern, &from);
    const char *to_percent = pattern_percent(replacement, &to);
    const char *word;
    size_t len, before = percent ? (size_t)(percent - from) : strlen(from);
    size_t after = percent ? strlen(percent + 1) : 0;
    bool any = false;
    while (next_word(&text, &word, &len)) {
        bool same = percent ? len >= before + after && memcmp(word, from, before) == 0 &&
                                  memcmp(word + len - after, percent + 1, after) == 0
                            : len == before && memcmp(word, from, len) == 0;
        if (!same) {
            add_word(out, &any, word, len);
        } else if (!percent || !to_percent) {
            add_word(out, &any, to, strlen(to));
        } else {
            add_word(out, &any, to, (size_t)(to_percent - to));
            g_text_add(out, word + before, len - before - after);
            g_text_adds(out, to_percent + 1);
        }
    }
    free(from);
    free(to);
}

bool has_wildcard(const char *s, size_t len) {
    for (size_t i = 0; i < len; i++)
        if (strchr("*?[", s[i])) return true;
    return false;
}
