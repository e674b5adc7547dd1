/*
 * look.c: lines of a sorted file that begin with a string.
 *
 * Deviation: there is no dictionary; a file has to be named.
 *
 * help look:
 *   Usage:
 *    look [options] <string> <file>
 *
 *   Display lines beginning with a specified string.
 *
 *   Options:
 *    -a, --alternative        use the alternative dictionary
 *    -d, --alphanum           compare only blanks and alphanumeric characters
 *    -f, --ignore-case        ignore case differences when comparing
 *    -t, --terminate <char>   define the string-termination character
 *
 *    -h, --help               display this help
 *    -V, --version            display version
 */
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const g_long longs[] = {{"alternative", 'a', G_NONE},
                               {"alphanum", 'd', G_NONE},
                               {"ignore-case", 'f', G_NONE},
                               {"terminate", 't', G_REQUIRED},
                               {0}};

typedef struct {
    bool alphanum, any_case;
} rules;

static int folded(const rules *r, unsigned char c) {
    return r->any_case ? tolower(c) : c;
}

/* Below, at or above 0 as `key` is below, the beginning of, or above the line. */
static int compare(const rules *r, const char *key, const char *s, const char *end) {
    for (; *key; key++, s++) {
        while (r->alphanum && s < end && !isalnum((unsigned char)*s) && !isblank((unsigned char)*s))
            s++;
        if (s >= end) return 1;
        int order = folded(r, (unsigned char)*key) - folded(r, (unsigned char)*s);
        if (order) return order;
    }
    return 0;
}

static const char *line_end(const char *s, const char *end) {
    const char *newline = memchr(s, '\n', (size_t)(end - s));
    return newline ? newline : end;
}

/* The first line that is not below `key`. */
static const char *lower_bound(const rules *r, const char *key, const char *text, const char *end) {
    const char *low = text, *high = end;
    while (low < high) {
        const char *middle = low + (high - low) / 2;
        while (middle > low && middle[-1] != '\n') middle--;
        const char *stop = line_end(middle, end);
        if (compare(r, key, middle, stop) > 0)
            low = stop < end ? stop + 1 : end;
        else
            high = middle;
    }
    return low;
}

int look_main(int argc, char **argv) {
    rules r = {0};
    int stop = 0;
    g_options o = g_options_of(argc, argv, "adft:hV", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'd': r.alphanum = true; break;
        case 'f': r.any_case = true; break;
        case 't': stop = *o.arg; break;
        case 'h': g_outs(g_help()); return 0;
        case 'V': g_print_version(); return 0;
        }
    if (argc - o.at < 1 || argc - o.at > 2) g_usage("bad usage");
    if (argc - o.at == 1) {
        r.alphanum = r.any_case = true;
        g_die_errno(1, ENOENT, "/usr/share/dict/words");
    }
    const char *name = argv[o.at + 1];
    char *key = argv[o.at], *to = key, *cut = stop ? strchr(key, stop) : NULL;
    if (cut) cut[1] = '\0';
    for (char *s = key; *s; s++)
        if (!r.alphanum || isalnum((unsigned char)*s) || isblank((unsigned char)*s)) *to++ = *s;
    *to = '\0';
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    size_t len;
    char *text = fd < 0 ? NULL : g_read_all(fd, &len);
    if (!text) g_die_errno(1, errno, "%s", name);
    close(fd);
    const char *end = text + len, *s = lower_bound(&r, key, text, end);
    bool any = false;
    while (s < end) {
        const char *last = line_end(s, end);
        if (compare(&r, key, s, last) != 0) break;
        g_out(s, (size_t)(last - s));
        g_outc('\n');
        any = true;
        s = last < end ? last + 1 : end;
    }
    return !any;
}
