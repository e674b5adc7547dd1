/*
 * rg_ignore.c: the patterns of .gitignore, .ignore and -g.
 *
 * The last pattern that matches decides. One with a slash in front or within is for paths from the
 * directory of its file on, any other for names at every depth; "**" stands for any directories.
 */
#include "rg.h"
#include "g_in.h"
#include "pf.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* A set in brackets at p; *fits tells whether c is in it. The byte behind it, NULL for no set. */
static const char *match_set(const char *p, unsigned char c, bool any_case, bool *fits) {
    bool negated = p[1] == '!' || p[1] == '^', in = false;
    const char *q = p + 1 + negated;
    for (bool first = true; *q && (*q != ']' || first); first = false) {
        if (*q == '\\' && q[1]) q++;
        unsigned char low = (unsigned char)*q++, high = low;
        if (*q == '-' && q[1] && q[1] != ']') {
            high = (unsigned char)q[1];
            q += 2;
        }
        in |= low <= c && c <= high;
        if (any_case)
            in |= (low <= tolower(c) && tolower(c) <= high) ||
                  (low <= toupper(c) && toupper(c) <= high);
    }
    if (*q != ']') return NULL;
    *fits = in != negated && c != '/';
    return q + 1;
}

/* {a,b}: tries each alternative with what follows the braces. 0 or 1; -1: no such braces. */
static int match_braces(const char *p, const char *text, bool any_case, int depth);

static bool match(const char *p, const char *t, bool any_case, int depth) {
    /* Where to go on when what follows the last star does not fit. */
    const char *star = NULL, *resume = NULL, *deep = NULL, *deep_resume = NULL;
    unsigned steps = 0;
    if (depth > 20) return false;
    for (;;) {
        if (++steps % 4096 == 0) pf_yield();
        bool fits = false;
        if (p[0] == '*' && p[1] == '*') {
            while (*p == '*') p++;
            if (*p == '/') { /* any directories, or none */
                deep = ++p;
                deep_resume = t;
            } else {
                deep = p;
                deep_resume = t;
            }
            star = NULL;
            continue;
        }
        if (*p == '*') {
            star = ++p;
            resume = t;
            continue;
        }
        if (*p == '{') {
            int result = match_braces(p, t, any_case, depth);
            if (result > 0) return true;
            if (result == 0) goto back;
        }
        if (!*t && !*p) return true;
        if (*t && *p) {
            const char *after = p + 1;
            if (*p == '?')
                fits = *t != '/';
            else if (*p == '[') {
                const char *end = match_set(p, (unsigned char)*t, any_case, &fits);
                if (end)
                    after = end;
                else
                    fits = *t == '[';
            } else {
                if (*p == '\\' && p[1]) after = ++p + 1;
                fits = *p == *t ||
                       (any_case && tolower((unsigned char)*p) == tolower((unsigned char)*t));
            }
            if (fits) {
                p = after;
                t++;
                continue;
            }
        }
    back:
        if (star && *resume && *resume != '/') {
            t = ++resume;
            p = star;
        } else if (deep && *deep_resume) {
            t = ++deep_resume;
            if (deep[-1] == '/') { /* on to the next directory */
                while (*t && t[-1] != '/') t++;
                deep_resume = t;
                if (!*t) return false;
            }
            p = deep;
            star = NULL;
        } else {
            return false;
        }
    }
}

static int match_braces(const char *p, const char *text, bool any_case, int depth) {
    const char *close = strchr(p, '}');
    if (!close) return -1;
    for (const char *q = p + 1; q <= close; q++) {
        size_t len = strcspn(q, ",}");
        char *joined = g_alloc(len + strlen(close + 1) + 1);
        memcpy(joined, q, len);
        strcpy(joined + len, close + 1);
        bool fits = match(joined, text, any_case, depth + 1);
        free(joined);
        if (fits) return 1;
        q += len;
    }
    return 0;
}

bool rg_glob_fits(const char *pattern, const char *text, bool any_case) {
    return match(pattern, text, any_case, 0);
}

void rg_globs_add(rg_globs *list, const char *line, size_t len) {
    rg_glob glob = {0};
    if (len > 0 && line[len - 1] == '\r') len--;
    while (len > 0 && line[len - 1] == ' ' && !(len > 1 && line[len - 2] == '\\')) len--;
    if (len == 0 || *line == '#') return;
    if (*line == '!') {
        glob.include = true;
        line++;
        len--;
    }
    if (len > 0 && line[len - 1] == '/') {
        glob.only_dir = true;
        len--;
    }
    if (len == 0) return;
    glob.anchored = memchr(line, '/', len) != NULL;
    if (*line == '/') {
        line++;
        len--;
    }
    glob.pattern = g_copy_bytes(line, len);
    if (list->count == list->cap)
        list->globs = g_more(list->globs, &list->cap, sizeof *list->globs);
    list->globs[list->count++] = glob;
}

void rg_globs_read(rg_globs *list, const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    g_reader in;
    g_line line;
    g_reader_init(&in, fd, '\n');
    while (g_read_line(&in, &line)) rg_globs_add(list, line.s, line.len);
    g_reader_free(&in);
    close(fd);
}

void rg_globs_free(rg_globs *list) {
    for (size_t i = 0; i < list->count; i++) free(list->globs[i].pattern);
    free(list->globs);
    *list = (rg_globs){0};
}

int rg_globs_match(const rg_globs *list, const char *path, bool directory, bool any_case) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = list->count; i-- > 0;) {
        const rg_glob *g = &list->globs[i];
        if (g->only_dir && !directory) continue;
        if (rg_glob_fits(g->pattern, g->anchored ? path : name, any_case))
            return g->include ? -1 : 1;
    }
    return 0;
}
