/*
 * A letter, a pattern, a newline, and a name: the shell's patterns against a matcher that tries
 * everything, written from bash's manual; the letter p is for patterns of path names, i for
 * ignoring case, e for extended groups. And what a prefix, a suffix and a search find is what
 * matches.
 */
#include "fuzz.h"
#include "guest/programs/sh/sh.h"

#include <ctype.h>
#include <string.h>

enum { PATTERN_MAX = 24, NAME_MAX_BYTES = 24, TRIES_MAX = 1000000 };

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

static long tries;

static bool matches(const char *p, const char *pe, const char *s, const char *se);

/* From a place within a group to its ')' or, with `bar`, its next '|'; NULL: there is none. */
static const char *group_part(const char *p, const char *pe, bool bar) {
    int depth = 1;
    for (; p < pe; p++) {
        if (*p == '(')
            depth++;
        else if (*p == ')' && --depth == 0)
            return p;
        else if (*p == '|' && depth == 1 && bar)
            return p;
    }
    return NULL;
}

/* One of the alternatives of the group behind whose '(' p is matches all of the text. */
static bool one_matches(const char *p, const char *pe, const char *s, const char *se) {
    for (;; p++) {
        const char *end = group_part(p, pe, true);
        if (matches(p, end, s, se)) return true;
        p = end;
        if (*p == ')') return false;
    }
}

/* The group at p, which ends at `rest`; `kind` is what it is taken for. */
static bool group_matches(const char *p, const char *rest, const char *pe, const char *s,
                          const char *se, char kind) {
    if ((kind == '?' || kind == '*') && matches(rest, pe, s, se)) return true;
    for (const char *t = s; t <= se; t++) {
        bool inside = one_matches(p + 2, pe, s, t);
        if (inside != (kind != '!')) continue;
        if (matches(rest, pe, t, se)) return true;
        if ((kind == '*' || kind == '+') && t > s && group_matches(p, rest, pe, t, se, '*'))
            return true;
    }
    return false;
}

static bool matches(const char *p, const char *pe, const char *s, const char *se) {
    const char *end = NULL;
    if (--tries < 0) return false;
    if (p == pe) return s == se;
    if (flags & PAT_EXT && pe - p > 1 && strchr("?*+@!", *p) && p[1] == '(' &&
        (end = group_part(p + 2, pe, false)))
        return group_matches(p, end + 1, pe, s, se, *p);
    switch (*p) {
    case '*':
        for (; s <= se; s++)
            if (matches(p + 1, pe, s, se)) return true;
        return false;
    case '?': return s < se && matches(p + 1, pe, s + 1, se);
    case '[': {
        bool found = in_set(p + 1, s < se ? *s : '\0', &end);
        if (end) return s < se && found && matches(end, pe, s + 1, se);
        break;
    }
    case '\\':
        if (p[1]) p++;
        break;
    }
    return s < se && fold(*p) == fold(*s) && matches(p + 1, pe, s + 1, se);
}

/* Ranges by case, classes, and path names in sets have rules of their own. */
static bool is_simple(const char *pattern) {
    if (strlen(pattern) > PATTERN_MAX || strstr(pattern, "[:") || strstr(pattern, "[.") ||
        strstr(pattern, "[="))
        return false;
    if (flags & PAT_EXT && strpbrk(pattern, "[\\")) return false; /* they may hide a group's end */
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

static void is_as_tried(const char *pattern, const char *name, bool got) {
    tries = TRIES_MAX;
    bool tried = matches(pattern, pattern + strlen(pattern), name, name + strlen(name));
    MUST(tries < 0 || got == tried);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2 || size > 400 || memchr(data, '\0', size)) return 0;
    char *pattern = strndup((const char *)data + 1, size - 1), *name = strchr(pattern, '\n');
    if (!name)
        name = pattern + strlen(pattern);
    else
        *name++ = '\0';
    flags = data[0] == 'p'   ? PAT_PATH | PAT_PERIOD
            : data[0] == 'i' ? PAT_ICASE
            : data[0] == 'e' ? PAT_EXT
                             : 0;
    bool got = pattern_match(pattern, name, strlen(name), flags);
    if (!(flags & PAT_PATH)) {
        if (is_simple(pattern) && strlen(name) <= NAME_MAX_BYTES && is_ascii(name))
            is_as_tried(pattern, name, got);
        if (is_ascii(name)) searches_agree(pattern, name, strlen(name));
    } else if (got && strchr(name, '/')) {
        MUST(strchr(pattern, '/'));
    }
    free(pattern);
    return 0;
}
