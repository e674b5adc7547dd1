/*
 * g_walk.h: visiting everything below a path.
 *
 * Used by rm, cp, chmod, du, find, grep -r … Keeps its own stack, so depth costs memory, not call
 * stack. A directory's names are read at once, so that what is visited may be removed. Yields.
 */
#ifndef G_WALK_H
#define G_WALK_H

#include "g_program.h"

#include <sys/stat.h>

enum g_walk_flags {
    G_WALK_FOLLOW = 1,      /* follow every symbolic link */
    G_WALK_FOLLOW_ROOT = 2, /* follow the starting point only */
    G_WALK_SORTED = 4,      /* names in byte order, otherwise as the system gives them */
    G_WALK_SAME_DEVICE = 8, /* do not enter other file systems */
};

enum g_walk_kind {
    G_WALK_FILE,       /* anything but a directory */
    G_WALK_DIR,        /* a directory, before what is in it */
    G_WALK_DIR_END,    /* the same directory again, after it */
    G_WALK_DIR_ERROR,  /* a directory that could not be read (error); follows its G_WALK_DIR */
    G_WALK_CYCLE,      /* with FOLLOW: a directory that contains itself */
    G_WALK_STAT_ERROR, /* could not be looked at (error) */
};

typedef struct {
    enum g_walk_kind kind;
    int error;
    int depth;        /* 0 for the starting point */
    const char *path; /* valid until the next call */
    size_t path_len;
    const char *name; /* its last part; the whole path at depth 0 */
    /* The same file for openat() and its kin: `path` may become longer than a path may be. */
    int dir;
    const char *at;
    struct stat st;
} g_entry;

typedef struct g_walk g_walk;

/* Begins at `root`, with G_WALK_* flags; g_walk_end() frees it. */
g_walk *g_walk_start(const char *root, unsigned flags);
/* The next entry, owned by the walk; NULL at the end. */
const g_entry *g_walk_next(g_walk *walk);
/* After G_WALK_DIR: do not enter it (its G_WALK_DIR_END does not come). */
void g_walk_skip(g_walk *walk);
void g_walk_end(g_walk *walk); /* Frees the walk, finished or not. */

#endif
