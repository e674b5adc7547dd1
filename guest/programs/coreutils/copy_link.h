/*
 * copy_link.h: links that take the place of another file; cp, mv and ln make them.
 *
 * The new link is made under a name of its own and renamed, so that there is always either the old
 * file or the new link.
 */
#ifndef COPY_LINK_H
#define COPY_LINK_H

#include "g_program.h"

/* link(2) with linkat's `flags`; with `replace` over what is there. 0, 1 when something was replaced,
 * -1 with errno. */
int copy_make_hard_link(const char *target, const char *path, int flags, bool replace);
/* The same for a symbolic link. */
int copy_make_symlink(const char *target, const char *path, bool replace);

#endif
