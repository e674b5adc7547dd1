/*
 * copy_link.c: links that take the place of another file; cp, mv and ln make them.
 */
#include "copy_link.h"
#include "g_file.h"
#include "g_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { TRIES = 1000, SYMBOLIC = -1 };

static int make_one(const char *target, const char *path, int flags) {
    if (flags == SYMBOLIC) return symlink(target, path);
    return linkat(AT_FDCWD, target, AT_FDCWD, path, flags);
}

/* The link under a name beside `path` that is free; false with errno. */
static bool make_beside(const char *target, const char *path, int flags, g_text *name) {
    for (int i = 0; i < TRIES; i++) {
        name->len = 0;
        g_text_add(name, path, (size_t)(g_last_part(path) - path));
        g_text_addf(name, "Cu%d.%d", (int)getpid(), i);
        if (make_one(target, name->s, flags) == 0) return true;
        if (errno != EEXIST) return false;
    }
    return false;
}

static int make_link(const char *target, const char *path, int flags, bool replace) {
    if (make_one(target, path, flags) == 0) return 0;
    if (!replace || errno != EEXIST) return -1;
    g_text name = {0};
    int result = -1;
    if (make_beside(target, path, flags, &name)) {
        if (rename(name.s, path) == 0) result = 1;
        int error = errno;
        /* Two names of one file: rename() leaves both. */
        unlink(name.s);
        errno = error;
    }
    int error = errno;
    g_text_free(&name);
    errno = error;
    return result;
}

int copy_make_hard_link(const char *target, const char *path, int flags, bool replace) {
    return make_link(target, path, flags, replace);
}

int copy_make_symlink(const char *target, const char *path, bool replace) {
    return make_link(target, path, SYMBOLIC, replace);
}
