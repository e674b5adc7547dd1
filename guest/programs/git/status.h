/*
 * status.h: what differs between HEAD, the index and the working tree, for status and commit.
 */
#ifndef STATUS_H
#define STATUS_H

#include "diff.h"

typedef struct {
    char *path;
    char *from; /* of a rename, in the index or in the working tree */
    char x, y;  /* index and working tree: M A D R C T or ' '; both of a conflict */
    bool unmerged;
    int score;
    unsigned mode_head, mode_index, mode_tree;
    git_oid id_head, id_index;
    unsigned modes[4]; /* of a conflict: ancestor, ours, theirs */
    git_oid ids[4];
} change;

typedef struct {
    change *changes;
    size_t count, cap;
    string_list untracked, ignored;
    bool initial;
} status_list;

enum { UNTRACKED_NO, UNTRACKED_NORMAL, UNTRACKED_ALL };

/* `against`: the tree that the index is compared with (NULL: none, an initial commit). */
void status_collect(status_list *list, git_tree *against, int untracked, bool ignored, pathspec *paths);
extern bool status_no_renames;
bool status_staged(const status_list *list); /* Is anything to be committed? */
bool status_unmerged(const status_list *list); /* Is any path in conflict? */
/* The long form; every line behind `comment` when it is not NULL, as in a commit's message. */
void status_long(g_text *out, const status_list *list, bool comment, int untracked, bool hints, bool amend);
/* Whether the long form has colours. */
extern bool status_colored;
/* Set by commit: "Initial commit" instead of "No commits yet", and the index, which is not settled yet,
   is not written by the way. */
extern bool status_of_commit;
/* "Your branch is ahead of 'x' by 1 commit." and its relatives, with an empty line behind. */
void add_tracking(g_text *out, const char *branch, bool hints);
/* The upstream of a branch: short name, how far apart; false when it has none. */
bool tracking(const char *branch, char **upstream, size_t *ahead, size_t *behind, bool *gone);

#endif
