/*
 * worktree.h: the working trees of a repository (gitrepository-layout(5), worktrees/).
 */
#ifndef WORKTREE_H
#define WORKTREE_H

#include "git.h"

typedef struct {
    const char *id;     /* the name below worktrees/; NULL for the main one */
    const char *path;   /* of the tree, or of the bare repository, without a slash at its end */
    const char *ref;    /* the branch that is checked out there; NULL when detached */
    git_oid head;       /* zeros on an unborn branch */
    const char *locked; /* why; "" without a reason, NULL when it is not */
    const char *lost;   /* why it may be pruned; NULL when it is in order */
    bool bare;
} worktree;

/* The main one first, the others by their paths; in memory that stays. */
const worktree *worktrees(size_t *count);
/* By its path, or by an end of it that no other has; NULL. */
const worktree *worktree_named(const char *name);
/* The other working tree, than this one, in which a branch ("refs/heads/x") is checked out; NULL. */
const worktree *worktree_of_branch(const char *ref);
/* "/repository/.git/worktrees/id/name" in fresh memory. */
char *worktree_file(const char *id, const char *name);
/* After one was added or removed. */
void worktrees_changed(void);

#endif
