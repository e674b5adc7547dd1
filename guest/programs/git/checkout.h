/*
 * checkout.h: bringing the working tree and the index to another tree, for checkout, switch, reset,
 * merge and their like.
 */
#ifndef CHECKOUT_H
#define CHECKOUT_H

#include "git.h"

/* From what the index has to `tree`, keeping local changes of other paths. When files would be lost
 * says which ("by checkout", "by merge") and returns false. */
bool checkout_safely(git_tree *tree, const char *by);
/* The index as the tree, and each file that differs from it; what only the index had goes. */
void checkout_forced(git_tree *tree);
/* One file of an index entry, with filters and mode; false with a message when it cannot be made. */
bool checkout_entry(const git_index_entry *entry);
/* Whether the file differs from its entry; one that is gone does not. */
bool file_changed(const git_index_entry *entry);
/* Removes a file and the directories that it leaves empty. */
void remove_file(const char *path);
/* "M\tfile" for each local change that was kept. */
void list_local_changes(git_tree *tree);
/* "Previous HEAD position was …", "Switched to branch 'x'", tracking. */
void switch_to(const char *branch_ref, git_commit *commit, const char *name, bool force, bool quiet, bool created);
/* "Note: switching to 'x'." and what a detached HEAD means. */
void detached_advice(const char *name, git_commit *commit);
/* "WHAT abc1234 subject", where the commit is. */
void head_position(const char *what, git_commit *commit);

#endif
