/*
 * expandpriv.h: one word being expanded; shared by expand.c, expandparam.c, paramop.c.
 */
#ifndef SH_EXPANDPRIV_H
#define SH_EXPANDPRIV_H

#include "sh.h"

enum expand_flags {
    X_SPLIT = 1,  /* unquoted results are split at IFS */
    X_GLOB = 2,   /* finished fields are matched against file names */
    X_MASK = 4,   /* remember which bytes were quoted */
    X_HERE = 16,  /* the text of a here-document: $* joins with blanks */
    X_ASSIGN = 8, /* the value of an assignment: $* joins with IFS, $@ with blanks */
};

struct expander {
    struct shell *sh;
    struct strings *out; /* finished fields; NULL without X_SPLIT */
    sb text;             /* of the current field */
    sb mask;             /* with X_MASK: 1 for each byte of text that was quoted */
    uint8_t flags;
    bool content;        /* the current field exists even when its text is empty */
    bool after_space;    /* the last field ended at IFS white space */
    bool empty_list;     /* a "$@" without elements was met */
    int depth;
};

void xp_text(struct expander *x, const char *s, size_t n, bool quoted);  /* never split */
void xp_value(struct expander *x, const char *s, size_t n, bool quoted); /* split unless quoted */
void xp_break(struct expander *x);     /* ends the current field */
/* The n values of "$@" or, `star`, "$*": fields of their own, unless one string is wanted. */
void xp_list(struct expander *x, char **v, int n, bool quoted, bool star);
/* inner: the parts are the word of a ${x-word}, so their own text is split too. */
bool xp_parts(struct expander *x, const struct part *parts, bool inner);
/* Appends what a parameter expands to. */
bool xp_param(struct expander *x, const struct param *pm, bool quoted);
char *xp_join(struct expander *x, char **v, int n, bool star); /* as "$*" or "$@" in one string */

/* What a parameter stands for. */
struct pvalue {
    bool set;
    bool beyond;           /* the subscript is none: before the first element, or an empty key */
    bool list, star;       /* $@ ${a[*]} …: v, count */
    bool operated;         /* an operator made the values: where one string is wanted, IFS joins */
    const char *s;         /* scalar; NULL when unset */
    char **v;
    int count;
    struct var *var;       /* NULL for special parameters and unset names */
    const char *name;      /* after indirection and namerefs */
    const char *sub;       /* evaluated subscript text, NULL without */
    bool assoc_keys;
};

/* expandparam.c */
/* The value of a parameter with its subscript: a word, or text that is expanded already, or
 * `sub_all` @ or *. False: an error was printed. */
bool param_fetch(struct shell *sh, const char *name, const struct word *sub, const char *sub_text,
                 char sub_all, struct pvalue *out);
/* paramop.c: each turns value(s) into new one(s) in the scratch arena; NULL or false: error. */
char *op_trim(struct shell *sh, const struct param *pm, const char *pattern, const char *value);
/* ${name/pattern/replacement}, of the kind that pm->mode says. */
char *op_replace(struct shell *sh, const struct param *pm, const char *pattern,
                 const char *replacement, const char *value);
/* ${name^pattern} and its like. */
char *op_case(struct shell *sh, const struct param *pm, const char *pattern, const char *value);
/* ${name:offset:length}; *v becomes what is left. */
bool op_slice(struct shell *sh, const struct param *pm, struct pvalue *v);
/* ${name@Q} and its like; *v becomes the result. */
bool op_transform(struct shell *sh, const struct param *pm, struct pvalue *v);
const char *param_shown(struct shell *sh, const struct param *pm); /* as messages name it */
char *op_replacement(struct shell *sh, const struct word *w); /* & marked, quotes kept apart */

#endif
