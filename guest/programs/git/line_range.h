/*
 * line_range.h: -L of blame and log: lines by numbers, expressions and heads of functions.
 */
#ifndef LINE_RANGE_H
#define LINE_RANGE_H

#include "git.h"

typedef struct {
    const char *s;
    size_t len;
} range_line;

typedef struct {
    range_line *lines;
    long count;
    const char *path;
    bool unended; /* the last line has no end */
} ranged_text;

ranged_text lines_of(const char *data, size_t size, const char *path); /* The lines of a text. */
/* The lines that `range` names, from 1, both included; 0 where it says nothing. What it searches is searched from
 * `anchor` on. false: it is malformed. */
bool read_range(const ranged_text *text, const char *range, long anchor, long *first, long *last);
/* Where the range ends in "range:file": at the colon, or NULL. */
const char *range_end(const char *argument);

#endif
