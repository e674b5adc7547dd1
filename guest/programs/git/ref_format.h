/*
 * ref_format.h: %(refname) and its relatives, and the order of references, for branch, tag and for-each-ref.
 */
#ifndef REF_FORMAT_H
#define REF_FORMAT_H

#include "git.h"

typedef struct {
    char *full, *name; /* "refs/heads/main", "main" */
    char **keys;       /* what the references are ordered by */
} ref_item;

enum { QUOTE_NONE, QUOTE_SHELL, QUOTE_PERL, QUOTE_PYTHON, QUOTE_TCL };
extern int ref_quoting;
extern bool ref_color;       /* whether %(color:…) says anything */
extern int ref_ignore_case;

/* Appends `format` with its fields replaced, for the reference `full` (`name`: in short). */
void ref_format(g_text *out, const char *format, const char *full, const char *name);
/* One field ("refname:short") of a reference; of none ("") it is empty. Dies for what is no field. */
void ref_field(g_text *out, const char *atom, const char *full, const char *name);
/* --sort: the last one given counts most. Dies for a field that there is not. */
void ref_sort_by(const char *key);
bool ref_sorted(void); /* something was given */
void ref_sort_configured(const char *setting); /* branch.sort, tag.sort, when nothing was given */
void ref_prepare(ref_item *item); /* fills its keys */
/* For qsort over structures that begin with a ref_item. */
int ref_order(const void *a, const void *b);

#endif
