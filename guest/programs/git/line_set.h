/*
 * line_set.h: sets of lines, as ranges in ascending order, and how a change of a file moves them.
 */
#ifndef LINE_SET_H
#define LINE_SET_H

#include "git.h"

typedef struct {
    long begin, end; /* from 0; the end is behind it */
} span_;

typedef struct {
    span_ *items;
    size_t count, cap;
} line_set;

/* The places that differ, on both sides, in order. */
typedef struct {
    line_set old, new_;
} line_changes;

void line_set_add(line_set *set, long begin, long end); /* Appends. */
line_set line_set_union(const line_set *a, const line_set *b); /* In order, without gaps of nothing. */
/* The lines of the old side that those in `set` come from; `touched`: the changes that are among them. */
line_set line_set_before(const line_set *set, const line_changes *changes, line_changes *touched);
/* What differs between two texts. */
line_changes line_changes_of(const char *old, size_t old_len, const char *new_, size_t new_len);

#endif
