/*
 * A letter, a pattern, a newline, and a name: the shell's patterns against a matcher that tries
 * everything, written from bash's manual; the letter p is for patterns of path names, i for
 * ignoring case. And what a prefix, a suffix and a search find is what matches.
 */
#include "fuzz.h"
#include "guest/programs/sh/sh.h"

#include <ctype.h>
#include <string.h>

enum { PATTERN_MAX = 24, NAME_MAX_BYTES = 24 };

static unsigned flags;

static int fold(char c) {
    return flags & PAT_ICASE ? tolower((unsigned char)c) : (unsigned char)c;
}

/* The set after its [: does c belong to it? *end: behind its ]. False with *end NULL: there is
 * none. */
static bool in_set(const char *p, char c, const char **end) {
    bool negated = *p == '!' || *p == '^', found = false;
    p += negated;
    *end = NULL;
    for (const char *first = p; *p && (*p != ']' || p == first);) {
        if (*p == '\\' && p[1]) p++;
        char low = *p++, high = low;
        if (*p == '-' && p[1] && p[1] != ']') {
            p++;
            if (*p == '\\' && p[1]) p++;
            high = *p++;
        }
        found = found || (fold(low) <= fold(c) && fold(c) <= fold(high)) || (low <= c && c <= high);
    }
    if (*p == ']') *end = p + 1;
    return *p == ']' && found != negated;
}

static bool matches(const char *p, const char *s) {
    const char *end = NULL;
    switch (*p) {
    case '\0': return *s == '\0';
    case '*':
        for (;; s++) {
            if (matches(p + 1, s)) return true;
            if (!*s) return false;
        }
    case '?': return *s && matches(p + 1, s + 1);
    case '[': {
        bool found = in_set(p + 1, *s, &end);
        if (end) return *s && found && matches(end, s + 1);
        break;
    }
    case '\\':
        if (p[1]) p++;
        break;
    }
    return *s && fold(*p) == fold(*s) && matches(p + 1, s + 1);
}

/* Ranges by case, classes, and path names in sets have rules of their own. */
static bool is_simple(const char *pattern) {
    if (strlen(pattern) > PATTERN_MAX || strstr(pattern, "[:") || strstr(pattern, "[.") ||
        strstr(pattern, "[="))
        return false;
    int stars = 0;
    for (const char *p = pattern; *p; p++) {
        stars += *p == '*';
        if ((unsigned char)*p >= 0x80) return false;
        if (*p == '-' && flags & PAT_ICASE) return false;
    }
    return stars <= 5;
}

static bool is_ascii(const char *s) {
    for (; *s; s++)
        if ((unsigned char)*s >= 0x80) return false;
    return true;
}

static void searches_agree(const char *pattern, const char *name, size_t n) {
    ptrdiff_t prefix = pattern_prefix(pattern, name, n, true, flags);
    ptrdiff_t suffix = pattern_suffix(pattern, name, n, true, flags);
    if (prefix >= 0) MUST(pattern_match(pattern, name, (size_t)prefix, flags));
    if (suffix >= 0) MUST(pattern_match(pattern, name + suffix, n - (size_t)suffix, flags));
    if (pattern_match(pattern, name, n, flags)) MUST(prefix == (ptrdiff_t)n && suffix == 0);
    if (strstr(pattern, "[!]") || strstr(pattern, "[^]")) return; /* bash's search misreads these */
    size_t len = 0;
    ptrdiff_t at = pattern_find(pattern, name, n, 0, &len, flags);
    if (at >= 0) {
        MUST((size_t)at + len <= n);
        MUST(pattern_match(pattern, name + at, len, flags));
    }
    if (prefix > 0) MUST(at == 0 && len == (size_t)prefix);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2 || size > 400 || memchr(data, '\0', size)) return 0;
    char *pattern = strndup((const char *)data + 1, size - 1), *name = strchr(pattern, '\n');
    if (!name)
        name = pattern + strlen(pattern);
    else
        *name++ = '\0';
    flags = data[0] == 'p' ? PAT_PATH | PAT_PERIOD : data[0] == 'i' ? PAT_ICASE : 0;
    bool got = pattern_match(pattern, name, strlen(name), flags);
    if (!(flags & PAT_PATH)) {
        if (is_simple(pattern) && strlen(name) <= NAME_MAX_BYTES && is_ascii(name))
            MUST(got == matches(pattern, name));
        if (is_ascii(name)) searches_agree(pattern, name, strlen(name));
    } else if (got && strchr(name, '/')) {
        MUST(strchr(pattern, '/'));
    }
    free(pattern);
    return 0;
}
