/*
 * notes.h: notes on objects: the trees below refs/notes, as `git notes` writes them and log shows them.
 */
#ifndef NOTES_H
#define NOTES_H

#include "git.h"

typedef struct {
    git_oid object, note;
} note_entry;

typedef struct {
    char *ref;
    note_entry *entries; /* sorted by object */
    size_t count, cap;
    struct note_other {
        char *path;
        git_oid id;
        git_filemode_t mode;
    } *others; /* what lies in the tree and is no note */
    size_t other_count, other_cap;
} note_tree;

char *notes_ref(const char *name); /* "foo" -> "refs/notes/foo"; NULL: the one of the configuration */
note_tree *notes_read(const char *ref);
note_entry *notes_find(note_tree *t, const git_oid *object); /* NULL when it has none */
void notes_set(note_tree *t, const git_oid *object, const git_oid *note); /* note NULL: goes */
void notes_write(note_tree *t, const char *message); /* a commit on the reference */

/* ---- for log and show: which references' notes are shown */
void notes_show(const char *name); /* NULL: those of the configuration */
void notes_hide(void);
/* What stands below a commit, with headings and indented, or (raw, for %N) as it is. */
void notes_add(g_text *out, const git_oid *object, bool raw);

#endif
