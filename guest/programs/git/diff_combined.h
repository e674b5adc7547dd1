/*
 * diff_combined.h: differences of one result from several parents: merges and conflicts.
 *
 * diff_combined.c writes one path, diff_merge.c finds the paths of a merge and of a conflict.
 */
#ifndef DIFF_COMBINED_H
#define DIFF_COMBINED_H

#include "diff.h"

typedef struct {
    unsigned mode; /* 0: not there */
    git_oid id;
    const char *text; /* len bytes; empty where it is not there */
    size_t len;
    char letter; /* of a merge: how the result differs from this parent: 'M', 'A', … */
} combined_side;

typedef struct {
    const char *name;
    combined_side result;
    combined_side *parents;
    unsigned count;
} combined_path;

/* One path as `diff --cc` (dense) or `diff --combined`. Without a difference that is to be shown
 * nothing is written, but for a file of the working tree, whose head always is. */
void diff_write_combined(g_text *out, const combined_path *path, bool dense, bool in_workdir_);

/* What differs from all parents of a commit, in the formats of diffs.format; others, as --stat, are
 * against the first parent and the caller's. Nothing is written for a commit that is no merge. */
void diff_write_merge(g_text *out, git_commit *commit, bool dense);

/* Of the last diff_index_workdir() in a patch: files in conflict beside both versions that met. */
void diff_write_conflicts(g_text *out, git_diff *diff, bool dense);
/* Whether a path in conflict was written by that. */
bool diff_is_combined(const char *path);

#endif
