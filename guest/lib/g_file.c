/*
 * g_file.c: paths and contents of files.
 */
#include "g_file.h"
#include "g_in.h"
#include "pf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COPY_BLOCK (64u << 10)
#define LINKS_MAX  40

static int copy_by_reading(int from, int to, bool *reading) {
    char *buf = g_alloc(COPY_BLOCK);
    int error = 0;
    for (;;) {
        ssize_t n = g_read(from, buf, COPY_BLOCK);
        if (n < 0) {
            error = errno;
            *reading = true;
        }
        if (n <= 0) break;
        for (ssize_t done = 0; done < n && !error;) {
            ssize_t put = write(to, buf + done, (size_t)(n - done));
            if (put >= 0) done += put;
            else if (errno != EINTR) error = errno;
        }
        if (error) break;
    }
    free(buf);
    return error;
}

int g_copy_data(int from, int to, bool *reading) {
    *reading = false;
    for (bool first = true;; first = false) {
        pf_yield();
        ssize_t n = copy_file_range(from, NULL, to, NULL, 1u << 30, 0);
        if (n > 0) continue;
        /* A file of /proc says it is empty: reading tells the truth. */
        if (n == 0 && !first) return 0;
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == ENOSPC || errno == EFBIG || errno == EDQUOT)) return errno;
        return copy_by_reading(from, to, reading);
    }
}

char *g_join(const char *dir, const char *name) {
    size_t a = strlen(dir), b = strlen(name);
    char *path = g_alloc(a + b + 2);
    memcpy(path, dir, a);
    if (a > 0 && dir[a - 1] != '/') path[a++] = '/';
    while (*name == '/' && a > 0) {
        name++;
        b--;
    }
    memcpy(path + a, name, b + 1);
    return path;
}

const char *g_last_part(const char *path) {
    const char *last = path;
    for (const char *p = path; *p; p++) {
        if (*p == '/' && p[1] && p[1] != '/') last = p + 1;
    }
    if (last == path)
        while (*last == '/' && last[1]) last++;
    return last;
}

char *g_base(const char *path) {
    char *base = g_copy_string(g_last_part(path));
    g_strip_slashes(base);
    return base;
}

void g_strip_slashes(char *path) {
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/') path[--len] = '\0';
}

bool g_path_climbs(const char *path) {
    for (const char *p = path; *p;) {
        size_t len = strcspn(p, "/");
        if (len == 2 && p[0] == '.' && p[1] == '.') return true;
        p += len;
        while (*p == '/') p++;
    }
    return false;
}

void g_make_parents(const char *path) {
    char *copy = g_copy_string(path);
    for (char *p = copy + 1; *p; p++) {
        if (*p != '/') continue;
        *p = '\0';
        mkdir(copy, 0777);
        *p = '/';
    }
    free(copy);
}

char *g_read_link(const char *path) { return g_read_link_at(AT_FDCWD, path); }

char *g_read_link_at(int dir, const char *path) {
    char buf[PATH_MAX];
    ssize_t n = readlinkat(dir, path, buf, sizeof buf);
    if (n < 0) return NULL;
    return g_copy_bytes(buf, (size_t)n);
}

char *g_working_directory(void) {
    char buf[PATH_MAX];
    if (!getcwd(buf, sizeof buf)) return NULL;
    return g_copy_string(buf);
}

/* Removes the last part of an absolute path of length len. */
static size_t parent_length(const char *path, size_t len) {
    while (len > 1 && path[len - 1] != '/') len--;
    return len > 1 ? len - 1 : 1;
}

char *g_canonicalize(const char *path, enum g_canonical mode, bool keep_links) {
    if (!*path) {
        errno = ENOENT;
        return NULL;
    }
    char *rest = g_copy_string(path); /* what is still to be resolved */
    char *done = *path == '/' ? g_copy_string("/") : g_working_directory();
    int links = 0, error = 0;
    const char *at = rest;
    while (done && !error) {
        while (*at == '/') at++;
        size_t len = strcspn(at, "/");
        if (len == 0) break;
        bool last = at[len + strspn(at + len, "/")] == '\0';
        if (len == 1 && *at == '.') {
            at += len;
            continue;
        }
        if (len == 2 && at[0] == '.' && at[1] == '.') {
            done[parent_length(done, strlen(done))] = '\0';
            at += len;
            continue;
        }
        char *part = g_copy_bytes(at, len);
        char *next = g_join(done, part);
        free(part);
        at += len;
        struct stat st;
        if (keep_links ? stat(next, &st) < 0 : lstat(next, &st) < 0) {
            bool allowed = mode == G_ANY_MISSING || (mode == G_ALL_BUT_LAST && last);
            if (!allowed || (errno != ENOENT && mode != G_ANY_MISSING)) error = errno;
        } else if (!keep_links && S_ISLNK(st.st_mode)) {
            char *target = g_read_link(next);
            if (++links > LINKS_MAX || !target) {
                if (mode != G_ANY_MISSING || !target) error = links > LINKS_MAX ? ELOOP : errno;
            }
            if (target && !error && links <= LINKS_MAX) {
                char *joined = g_alloc(strlen(target) + strlen(at) + 2);
                strcpy(joined, target);
                strcat(joined, at);
                if (*target == '/') strcpy(done, "/");
                free(next);
                free(target);
                free(rest);
                at = rest = joined;
                continue;
            }
            free(target);
        } else if (!last && !S_ISDIR(st.st_mode) && mode != G_ANY_MISSING) {
            error = ENOTDIR;
        } else if (last && at[0] == '/' && !S_ISDIR(st.st_mode) && mode != G_ANY_MISSING) {
            error = ENOTDIR;
        }
        free(done);
        done = next;
    }
    free(rest);
    if (!error) return done;
    free(done);
    errno = error;
    return NULL;
}

bool g_yes(void) {
    char c, first = 0;
    bool any = false;
    while (read(STDIN_FILENO, &c, 1) == 1 && c != '\n') {
        if (!any) first = c;
        any = true;
    }
    return first == 'y' || first == 'Y';
}

/* The directory that a path's last part lies in. */
static bool stat_parent(const char *path, struct stat *st) {
    size_t len = (size_t)(g_last_part(path) - path);
    char *parent = len ? g_copy_bytes(path, len) : g_copy_string(".");
    bool found = stat(parent, st) == 0;
    free(parent);
    return found;
}

bool g_same_entry(const char *a, const char *b) {
    struct stat x, y;
    char *first = g_base(a), *second = g_base(b);
    bool same = strcmp(first, second) == 0;
    free(first);
    free(second);
    return same && stat_parent(a, &x) && stat_parent(b, &y) && x.st_ino == y.st_ino &&
           x.st_dev == y.st_dev;
}
