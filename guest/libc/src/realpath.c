/* realpath.c: a path without links, dots and doubled slashes. Everything on it must exist. */
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"

/* `rest` is what is still to be walked, at the end of its buffer; `done` what is settled. */
struct walk {
    char done[PF_PATH_MAX];
    size_t done_len;
    char rest[PF_PATH_MAX];
    size_t rest_at; /* the part [rest_at, PF_PATH_MAX-1), then a NUL */
    unsigned links;
};

static int fail(int error) {
    errno = error;
    return -1;
}

/* Puts text before what is still to be walked. */
static int push(struct walk *walk, const char *text, size_t len) {
    if (len > walk->rest_at) return fail(ENAMETOOLONG);
    walk->rest_at -= len;
    memcpy(walk->rest + walk->rest_at, text, len);
    return 0;
}

static void drop_last(struct walk *walk) {
    while (walk->done_len > 1 && walk->done[walk->done_len - 1] != '/') walk->done_len--;
    if (walk->done_len > 1) walk->done_len--;
}

static int append(struct walk *walk, const char *name, size_t len) {
    size_t slash = walk->done_len > 1;
    if (walk->done_len + slash + len + 1 > sizeof walk->done) return fail(ENAMETOOLONG);
    if (slash) walk->done[walk->done_len++] = '/';
    memcpy(walk->done + walk->done_len, name, len);
    walk->done_len += len;
    return 0;
}

/* One name; the rest after it is known to exist or not. */
static int step(struct walk *walk, const char *name, size_t len, int more) {
    if (len == 1 && name[0] == '.') return 0;
    if (len == 2 && name[0] == '.' && name[1] == '.') {
        drop_last(walk);
        return 0;
    }
    size_t before = walk->done_len;
    if (append(walk, name, len) < 0) return -1;
    walk->done[walk->done_len] = 0;
    char target[PF_PATH_MAX];
    ssize_t n = readlink(walk->done, target, sizeof target);
    if (n < 0 && errno == EINVAL) return more ? access(walk->done, F_OK) : 0;
    if (n < 0) return -1;
    if (n == (ssize_t)sizeof target) return fail(ENAMETOOLONG);
    if (++walk->links > PF_SYMLINK_MAX) return fail(ELOOP);
    walk->done_len = target[0] == '/' ? 1 : before;
    if (more && push(walk, "/", 1) < 0) return -1;
    return push(walk, target, (size_t)n);
}

static int resolve(struct walk *walk, const char *path) {
    walk->rest_at = sizeof walk->rest - 1;
    walk->rest[walk->rest_at] = 0;
    walk->links = 0;
    walk->done[0] = '/';
    walk->done_len = 1;
    if (!*path) return fail(ENOENT);
    if (*path != '/') {
        if (!getcwd(walk->done, sizeof walk->done)) return -1;
        walk->done_len = strlen(walk->done);
    }
    if (push(walk, path, strlen(path)) < 0) return -1;
    int directory = 0; /* a slash came last */
    for (;;) {
        while (walk->rest[walk->rest_at] == '/') walk->rest_at++, directory = 1;
        char *name = walk->rest + walk->rest_at;
        size_t len = strcspn(name, "/");
        if (!len) break;
        walk->rest_at += len;
        char copy[PF_NAME_MAX + 1];
        if (len > PF_NAME_MAX) return fail(ENAMETOOLONG);
        memcpy(copy, name, len);
        directory = 0;
        if (step(walk, copy, len, walk->rest[walk->rest_at] != 0) < 0) return -1;
    }
    walk->done[walk->done_len] = 0;
    if (directory && walk->done_len > 1) { /* a trailing slash demands a directory */
        char with_dot[PF_PATH_MAX + 2];
        memcpy(with_dot, walk->done, walk->done_len);
        memcpy(with_dot + walk->done_len, "/.", 3);
        return access(with_dot, F_OK);
    }
    return 0;
}

char *realpath(const char *restrict path, char *restrict out) {
    if (!path) {
        errno = EINVAL;
        return NULL;
    }
    struct walk *walk = malloc(sizeof *walk);
    if (!walk) return NULL;
    char *result = NULL;
    if (resolve(walk, path) == 0) {
        result = out ? out : malloc(walk->done_len + 1);
        if (result) memcpy(result, walk->done, walk->done_len + 1);
    }
    int error = errno;
    free(walk);
    errno = error;
    return result;
}
char *canonicalize_file_name(const char *path) { return realpath(path, NULL); }
