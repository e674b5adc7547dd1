/*
 * diff3.h: what diff3.c finds out about three files, and diff3_merge.c merges.
 */
#ifndef DIFF3_H
#define DIFF3_H

#include "diff.h"

/* The operands, in their order. */
enum { MINE, OLD, YOURS, FILES };

/* Which file differs from the other two. */
enum diff3_odd { ODD_MINE, ODD_OLD, ODD_YOURS, ODD_ALL };

/* Lines [first .. end) of a file, counted from 0. */
typedef struct {
    size_t first, end;
} diff3_range;

/* A place where not all three agree: what it is in each of them. */
typedef struct {
    diff3_range range[FILES];
    enum diff3_odd odd;
} diff3_block;

typedef struct {
    const char *names[FILES]; /* as operands, or as labels say */
    const diff_line *lines[FILES];
    size_t line_count[FILES];
    diff3_block *blocks;
    size_t block_count;
    bool initial_tab;
    /* What of the changes goes into a script or a merged file. */
    bool show_all, bracket, easy_only, overlap_only, write_and_quit;
} diff3_work;

/* Both return whether there were conflicts. */
bool diff3_put_script(const diff3_work *w); /* For ed, from the end to the beginning. */
bool diff3_put_merged(const diff3_work *w); /* MINE with the changes in it. */

#endif
