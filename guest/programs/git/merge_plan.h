/*
 * merge_plan.h: what becomes of two sides that renamed files, changed binary ones, or have a file where the
 * other has a directory or another kind of file. Merges without any of that are libgit2's (merge.c).
 */
#ifndef MERGE_PLAN_H
#define MERGE_PLAN_H

#include "merge.h"

typedef struct {
    char *path;
    git_index_entry side[3]; /* base, ours, theirs */
    bool have[3];
} merge_conflict;

typedef struct {
    char *path; /* they are told in the order of paths */
    char *text;
    bool hint;  /* of what went well */
} merge_note;

typedef struct {
    git_index *merged; /* what the files shall be: content with marks where there is a conflict */
    merge_conflict *conflicts;
    size_t count, cap;
    merge_note *notes;
    size_t note_count, note_cap;
} merge_plan;

/* False when nothing of the kind is there. */
bool merge_plan_make(const merge_job *job, merge_plan *plan);

#endif
