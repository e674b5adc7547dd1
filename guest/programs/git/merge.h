/*
 * merge.h: three-way merges into the index and the working tree.
 */
#ifndef MERGE_H
#define MERGE_H

#include "git.h"

typedef struct {
    git_tree *base, *ours, *theirs;
    const char *our_label, *their_label;
    const char *by; /* what files are overwritten by: "merge", "cherry-pick" … */
    int favor;      /* GIT_MERGE_FILE_FAVOR_… */
    bool quiet;
    bool hush; /* nothing is said of what went well */
    const char *base_label; /* what both come from, for conflicts in the style diff3 */
} merge_job;

enum merge_outcome { MERGE_CLEAN, MERGE_CONFLICTS, MERGE_REFUSED };

/* Merges; says "Auto-merging x" and "CONFLICT …" as git does. When clean *tree is the result, and index
 * and files are its. With conflicts they hold the markers and the stages. REFUSED: local changes are in
 * the way, which was said, and nothing has changed. */
enum merge_outcome merge_trees(const merge_job *job, git_oid *tree, string_list *conflicts);
/* The flag of libgit2 for that style of conflicts; NULL: that of the configuration. */
uint32_t merge_style(const char *name);
/* Paths that both sides changed, each in its own way. */
void merge_both_changed(const merge_job *job, string_list *paths);

/* ---- merge_octopus.c: several branches at once */

#define OCTOPUS_MAX 64
typedef struct {
    const char *names[OCTOPUS_MAX];
    git_oid ids[OCTOPUS_MAX];
    size_t count;
} octopus;

/* Leaves out what `head` or another one has. */
void octopus_reduce(const git_oid *head, octopus *o);
/* Does one of them have `head`, so that it is no parent of its own? */
bool octopus_holds(const git_oid *head, const octopus *o);
char *octopus_message(const octopus *o); /* "Merge branches 'x' and 'y'" */
enum merge_outcome octopus_merge(git_commit *head, const octopus *o, git_oid *tree, string_list *conflicts);
/* "\n# Conflicts:\n#\tx\n" behind a message, as MERGE_MSG has it. */
void add_conflicts(g_text *message, const string_list *conflicts);

#endif
