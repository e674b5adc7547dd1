/*
 * copy_same.c: whether the source of a copy is its destination.
 *
 * One file may have several names, and a symbolic link stands for another file. What is allowed
 * depends on whether the destination is removed, renamed or written to.
 */
#include "copy_same.h"
#include "g_file.h"

#include <stdlib.h>

bool copy_same_file(const struct stat *a, const struct stat *b) {
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

/* Both are symbolic links that are copied as such. */
static enum copy_sameness compare_links(const copy_options *o, const char *from, const char *to,
                                        bool one_file) {
    if (g_same_entry(from, to)) return COPY_SAME;
    if (o->backup.mode || !one_file) return COPY_DISTINCT;
    /* rename() of two names of one link does nothing, so a move would lose nothing and do nothing. */
    return o->moving ? COPY_SAME : COPY_DONE;
}

/* A symbolic link is moved onto the file it leads to: fine while that file has another name. */
static bool loses_target(const char *from, const char *to) {
    char *target = g_canonicalize(from, G_ALL_EXIST, false);
    bool loses = target && g_same_entry(target, to);
    free(target);
    return loses;
}

/* Links are not followed: whether they lead to one file all the same. */
static bool lead_to_one(const char *from, const struct stat *st, const char *to,
                        const struct stat *there) {
    struct stat a = *st, b = *there;
    if (S_ISLNK(st->st_mode) && stat(from, &a) < 0) return false;
    if (S_ISLNK(there->st_mode) && stat(to, &b) < 0) return false;
    return copy_same_file(&a, &b);
}

enum copy_sameness copy_compare(const copy_options *o, const char *from, const struct stat *st,
                                const char *to, const struct stat *there) {
    bool same = copy_same_file(st, there), as_links = o->links == COPY_NO_FOLLOW;
    if (same && o->hard_link) return COPY_DONE;
    struct stat source = *st, target = *there;
    if (as_links) {
        if (S_ISLNK(st->st_mode) && S_ISLNK(there->st_mode))
            return compare_links(o, from, to, same);
    } else {
        if (!same) return COPY_DISTINCT;
        if (lstat(to, &target) < 0 || lstat(from, &source) < 0) return COPY_DISTINCT;
        if (S_ISLNK(source.st_mode) && S_ISLNK(target.st_mode) && o->remove_first)
            return COPY_DISTINCT;
    }
    bool from_link = S_ISLNK(source.st_mode), to_link = S_ISLNK(target.st_mode);
    bool one_entry = copy_same_file(&source, &target);
    if (o->backup.mode) {
        if (one_entry) return g_same_entry(from, to) ? COPY_SAME : COPY_DISTINCT;
        /* The backup would leave a link without its file. */
        bool dangles = !o->moving && !as_links && from_link && !to_link;
        return dangles ? COPY_SAME : COPY_DISTINCT;
    }
    if (o->moving || o->remove_first) {
        if (to_link) return COPY_DISTINCT;
        if (one_entry && target.st_nlink > 1 && !g_same_entry(from, to))
            return o->moving ? COPY_SAME : COPY_DISTINCT;
    }
    if (!from_link && !to_link && !one_entry) return COPY_DISTINCT;
    if (o->moving && S_ISLNK(st->st_mode) && target.st_nlink > 1)
        return loses_target(from, to) ? COPY_SAME : COPY_DISTINCT;
    if (o->symbolic_link && to_link) return COPY_DISTINCT;
    if (!as_links) return COPY_SAME;
    if (!lead_to_one(from, &source, to, &target)) return COPY_DISTINCT;
    if (o->hard_link) return to_link ? COPY_DISTINCT : COPY_DONE;
    return COPY_SAME;
}
