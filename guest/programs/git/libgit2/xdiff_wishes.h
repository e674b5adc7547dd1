/*
 * xdiff_wishes.h: what xdiff can do and libgit2 does not ask of it.
 */
#ifndef XDIFF_WISHES_H
#define XDIFF_WISHES_H

#include <stdbool.h>
#include <stddef.h>

extern struct xdiff_wishes {
    bool histogram, cr_at_eol; /* --histogram, --ignore-cr-at-eol */
    char **anchors; /* --anchored */
    size_t anchor_count;
    void **ignored; /* -I: pf_regex */
    size_t ignored_count;
} xdiff_wishes;

#endif
