/*
 * g_version.c: the order of version numbers in names: sort -V, ls -v.
 *
 * Names are compared by alternating runs of non-digits and numbers. Endings like .tar.gz count only
 * when everything else is equal.
 */
#include "g_version.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Rank of a byte among non-digits: the end of the text, '~' before it, letters, the rest. */
static int rank(const char *s, size_t at, size_t len) {
    if (at == len) return -1;
    unsigned char c = (unsigned char)s[at];
    if (isdigit(c)) return 0;
    if (isalpha(c)) return c;
    return c == '~' ? -2 : c + 256;
}

static int compare_runs(const char *a, size_t a_len, const char *b, size_t b_len) {
    size_t i = 0, j = 0;
    while (i < a_len || j < b_len) {
        int first = 0;
        while ((i < a_len && !isdigit((unsigned char)a[i])) ||
               (j < b_len && !isdigit((unsigned char)b[j]))) {
            int x = rank(a, i, a_len), y = rank(b, j, b_len);
            if (x != y) return x - y;
            i++;
            j++;
        }
        while (i < a_len && a[i] == '0') i++;
        while (j < b_len && b[j] == '0') j++;
        while (i < a_len && j < b_len && isdigit((unsigned char)a[i]) &&
               isdigit((unsigned char)b[j])) {
            if (!first) first = a[i] - b[j];
            i++;
            j++;
        }
        if (i < a_len && isdigit((unsigned char)a[i])) return 1;
        if (j < b_len && isdigit((unsigned char)b[j])) return -1;
        if (first) return first;
    }
    return 0;
}

/* Length of a name without endings of the form .letters-and-digits: a name may be nothing else. */
static size_t without_endings(const char *s, size_t len) {
    size_t prefix = 0;
    for (size_t i = 0;;) {
        while (i + 1 < len && s[i] == '.' &&
               (isalpha((unsigned char)s[i + 1]) || s[i + 1] == '~')) {
            for (i += 2; i < len && (isalnum((unsigned char)s[i]) || s[i] == '~');) i++;
        }
        if (i >= len) return prefix;
        prefix = ++i;
    }
}

/* 0 for ".", 1 for "..", 2 for other names that begin with a dot, 3 for the rest. */
static int dot_class(const char *s, size_t len) {
    if (s[0] != '.') return 3;
    if (len == 1) return 0;
    return len == 2 && s[1] == '.' ? 1 : 2;
}

int g_version_compare(const char *a, size_t a_len, const char *b, size_t b_len) {
    if (a_len == 0 || b_len == 0) return (a_len > 0) - (b_len > 0);
    int x = dot_class(a, a_len), y = dot_class(b, b_len);
    if (x != y) return x - y;
    if (x < 2) return 0;
    size_t a_prefix = without_endings(a, a_len), b_prefix = without_endings(b, b_len);
    int order = compare_runs(a, a_prefix, b, b_prefix);
    if (order || (a_prefix == a_len && b_prefix == b_len)) return order;
    return compare_runs(a, a_len, b, b_len);
}
