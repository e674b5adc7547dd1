/*
 * commit.h: making commits, for commit, merge, cherry-pick, revert, rebase and am.
 */
#ifndef COMMIT_H
#define COMMIT_H

#include "git.h"

typedef struct {
    const git_signature *author, *committer;
    const char *message;
    const git_oid *tree;
    const git_oid *parents;
    size_t parent_count;
    const char *log; /* "commit", "commit (amend)", "cherry-pick", … before the subject in the reflog */
} new_commit;

/* Makes the commit and moves HEAD (its branch, or itself when detached) to it. */
void make_commit(const new_commit *c, git_oid *id);
/* "[main abc1234] subject" and what changed. */
void report_commit(const git_oid *id, bool show_date);
/* Leaves a merge, a cherry-pick or a revert: removes its files. */
void forget_operation(void);
/* The index as a tree; dies when there are conflicts. */
git_oid tree_of_index(git_index *index);
/* "error: Committing is not possible because you have unmerged files." and what belongs to it; ends. */
_Noreturn void die_unmerged(const char *doing);

/* The text with a line like "Signed-off-by: x" at its end, where git puts it. Fresh memory. (cmd_commit.c) */
char *with_trailer(char *text, const char *line);

#endif
