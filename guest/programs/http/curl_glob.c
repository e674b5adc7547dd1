/*
 * curl_glob.c: addresses with {a,b} and [1-20:2] in them.
 */
#include "curl.h"

#include "g_program.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define URLS_MAX 100000u

struct set {
    char **words; /* one for what is literal */
    size_t count, cap;
    bool literal;
};

static void add(struct set *set, char *word) {
    if (set->count == set->cap) set->words = g_more(set->words, &set->cap, sizeof *set->words);
    set->words[set->count++] = word;
}

/* {a,b,c}; behind the opening brace. The end, or NULL. */
static const char *read_words(struct set *set, const char *p, const char **why, const char **at) {
    struct text word = {0};
    for (; *p && *p != '}'; p++) {
        if (*p == ',') {
            add(set, g_copy_string(text_get(&word)));
            text_free(&word);
            continue;
        }
        if (*p == '{' || *p == '[') {
            *why = "nested brace";
            *at = p;
            return NULL;
        }
        if (*p == '\\' && p[1]) p++;
        text_add(&word, p, 1);
    }
    *why = "unmatched brace";
    if (*p != '}') return NULL;
    if (word.len == 0 && set->count == 0) {
        *why = "empty string within braces";
        *at = p;
        return NULL;
    }
    add(set, g_copy_string(text_get(&word)));
    text_free(&word);
    return p + 1;
}

/* [a-z], [1-100:10], [001-100]; behind the opening bracket. */
static const char *read_range(struct set *set, const char *p, const char **why) {
    char *end;
    long step = 1;
    *why = "bad range";
    if (isalpha((unsigned char)p[0]) && p[1] == '-' && isalpha((unsigned char)p[2])) {
        char from = p[0], to = p[2];
        p += 3;
        if (*p == ':') step = strtol(p + 1, &end, 10), p = end;
        if (*p != ']' || step <= 0 || from > to || islower((unsigned char)from) != islower((unsigned char)to))
            return NULL;
        for (long c = from; c <= to; c += step) {
            char one[2] = {(char)c, '\0'};
            add(set, g_copy_string(one));
        }
        return p + 1;
    }
    if (!isdigit((unsigned char)*p)) return NULL;
    int width = *p == '0' ? (int)strcspn(p, "-") : 0;
    long from = strtol(p, &end, 10), to = 0;
    if (*end != '-' || !isdigit((unsigned char)end[1])) return NULL;
    to = strtol(end + 1, &end, 10);
    if (*end == ':') step = strtol(end + 1, &end, 10);
    if (*end != ']' || step <= 0 || from > to || (to - from) / step > (long)URLS_MAX) return NULL;
    for (long n = from; n <= to; n += step) {
        struct text word = {0};
        text_addf(&word, "%0*ld", width, n);
        add(set, word.data);
    }
    return end + 1;
}

/* [::1] is an address, not a range. */
static bool is_ipv6(const char *pattern, const char *p) {
    return p - pattern >= 3 && strncmp(p - 3, "://", 3) == 0 && strchr(p, ':') && strchr(p, ']') &&
           strspn(p + 1, "0123456789abcdefABCDEF:.") == (size_t)(strchr(p, ']') - p - 1);
}

static bool read_sets(struct set *sets, size_t *count, const char *pattern, const char **why,
                      size_t *at) {
    struct text literal = {0};
    const char *p = pattern;
    for (;;) {
        bool special = (*p == '{' || *p == '[') && !(*p == '[' && is_ipv6(pattern, p));
        if (*p == '[' && p[1] == ']') special = false; /* PHP's a[]=1 */
        if (*p && !special) {
            bool stray = *p == '}' || (*p == ']' && !memchr(pattern, '[', (size_t)(p - pattern)));
            if (stray) {
                *why = "unmatched close brace/bracket";
                *at = (size_t)(p - pattern) + 1;
                return false;
            }
            if (*p == '\\' && p[1] && strchr("{}[]", p[1])) p++;
            text_add(&literal, p++, 1);
            continue;
        }
        if (*count + 2 >= 20) return false;
        if (literal.len) {
            add(&sets[*count], g_copy_string(literal.data));
            sets[(*count)++].literal = true;
            text_free(&literal);
        }
        if (!*p) return true;
        *at = (size_t)(p - pattern) + 1;
        const char *wrong = *p == '{' ? p : strchr(p, ']') ? strchr(p, ']') + 1 : p + strlen(p);
        p = *p == '{' ? read_words(&sets[*count], p + 1, why, &wrong) : read_range(&sets[*count], p + 1, why);
        if (!p) {
            *at = (size_t)(wrong - pattern) + 1;
            return false;
        }
        ++*count;
    }
}

struct globbed *curl_glob(const char *pattern, bool off, const char **why, size_t *at) {
    struct set sets[20] = {0};
    size_t count = 0, total = 1;
    struct globbed *list;
    *why = "too many globs";
    *at = 0;
    if (off) {
        list = g_zalloc(2 * sizeof *list);
        list[0].url = g_copy_string(pattern);
        return list;
    }
    if (!read_sets(sets, &count, pattern, why, at)) return NULL;
    for (size_t i = 0; i < count; i++) {
        total *= sets[i].count;
        if (total > URLS_MAX) {
            *why = "range overflow";
            return NULL;
        }
    }
    list = g_zalloc((total + 1) * sizeof *list);
    for (size_t n = 0; n < total; n++) {
        struct text url = {0};
        size_t rest = n, part = 0, below = total;
        text_add(&url, "", 0);
        for (size_t i = 0; i < count; i++) {
            below /= sets[i].count;
            const char *word = sets[i].words[rest / below];
            rest %= below;
            text_addz(&url, word);
            if (!sets[i].literal && part < 9) list[n].parts[++part] = g_copy_string(word);
        }
        list[n].url = url.data;
    }
    return list;
}
