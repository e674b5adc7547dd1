/*
 * copy_same.h: whether the source of a copy is its destination.
 */
#ifndef COPY_SAME_H
#define COPY_SAME_H

#include "copy_tree.h"

enum copy_sameness {
    COPY_DISTINCT, /* go on: nothing of the source is lost */
    COPY_DONE,     /* they are one file already, as was asked for */
    COPY_SAME,     /* to go on would lose the source */
};

/* `st` and `there` are what the copy found at `from` and `to`, links followed or not as it does. */
enum copy_sameness copy_compare(const copy_options *o, const char *from, const struct stat *st,
                                const char *to, const struct stat *there);
/* Whether the two are one file. */
bool copy_same_file(const struct stat *a, const struct stat *b);

#endif
