/*
 * revs.h: which commits, in which order: the arguments and options that log, rev-list, shortlog,
 * format-patch and their like have in common.
 *
 * revs_options.c reads the options, revs.c the names and the walk itself. One walk per process.
 */
#ifndef REVS_H
#define REVS_H

#include "diff.h"

typedef struct rev rev;
struct rev {
    git_oid id;
    git_commit *commit;
    rev **parents;   /* as the walk sees them: rewritten where paths limit it */
    unsigned count;
    git_time_t date;
    bool parsed, seen, bad, added, same, shown, left, right, emitted, boundary, child_shown, equal, decorated;
    int degree;
    rev *next; /* in the table */
    const char *source;
};

typedef struct {
    rev **items;
    size_t count, cap;
} rev_list;

enum { ORDER_DATE, ORDER_TOPO, ORDER_GRAPH, ORDER_AUTHOR };

typedef struct {
    int order, reverse, first_parent, max, skip, merges, no_merges, boundary, left_right;
    int no_walk, all, invert_grep, all_match, ignore_case, fixed, extended, follow, reflog, full_history;
    int cherry_mark, left_only, right_only, ancestry_path, by_decoration, sparse;
    string_list path_of, excluded;
    int parents, children, min_parents, max_parents, simplify, count, cherry_pick;
    int rewrite; /* parents are those that are shown: --graph, --parents */
    git_time_t since, until;
    string_list grep, authors, committers;
    rev_list tips;
    string_list names; /* of what is to be shown, as it was named; references in full */
    bool any; /* a revision was named */
} rev_opts;

extern rev_opts revs;
extern const option rev_option_table[];
void revs_defaults(void); /* No limits, no revisions. */
/* A name, a range or an exclusion; false when it is none. `negate` after --not. */
bool revs_add(const char *text, bool negate);
bool revs_negated(int operand); /* whether it stands behind --not */
/* Splits operands into revisions and paths (diffs.paths); dies as git does for what is neither. */
void revs_operands(int count, char **operands, const char *otherwise);
/* A commit to start from; `bad`: it and what it has are left out. */
void revs_add_id(const git_oid *id, bool bad);
void revs_add_refs(const char *glob, bool negate); /* "refs/heads/ *" without the space */
/* After all options and revisions: sorts and limits as far as that needs the whole history. */
void revs_start(void);
rev *revs_next(void); /* NULL at the end */
const char *rev_mark(const rev *r); /* "-", "<", ">", "=", "+" or "": what stands before its name */
bool has_decoration(const git_oid *id); /* a reference names it (pretty.c) */
/* Children that are shown, for --children: " id id". */
void add_children(g_text *out, const rev *r, bool abbreviate);
rev *rev_of(const git_oid *id); /* The one of a commit, made at its first use. */
void rev_parse(rev *r); /* Reads the commit, its date and its parents. */
/* Set before revs_start(): marks those that are not wanted as `same`, of all commits, children first. */
extern void (*revs_narrow)(rev **items, size_t count);
rev_list revs_all(void); /* the rest, in order */

/* ---- pretty.c: a commit as text */
enum pretty { PRETTY_MEDIUM, PRETTY_ONELINE, PRETTY_SHORT, PRETTY_FULL, PRETTY_FULLER, PRETTY_RAW,
              PRETTY_EMAIL, PRETTY_REFERENCE, PRETTY_FORMAT, PRETTY_MBOXRD };
typedef struct {
    enum pretty kind;
    const char *format; /* of PRETTY_FORMAT */
    bool terminated;    /* tformat: a line end behind each; otherwise between them */
    bool abbreviate;
    int abbrev;
    int decorate; /* 0 no, 1 short, 2 full */
    date_style date;
    bool source;
    int tabs; /* columns of a tab in messages; 0: as it is */
    bool auto_color; /* of a format, behind %C(auto) */
    const git_oid *from; /* the parent that the difference is from, where a merge has several */
} pretty_opts;
extern pretty_opts pretty;
void pretty_defaults(void); /* As the configuration has it. */
void pretty_named(const char *name); /* "oneline", "format:…", "%h …"; dies otherwise */
/* Everything before the difference; `mark` is "-", "<", ">" or "" before the name. */
void pretty_commit(g_text *out, rev *r, const char *mark);
/* Appends a format with its %h, %s and others replaced. */
void pretty_expand(g_text *out, git_commit *commit, const char *format);
/* " (HEAD -> main, tag: v1)" of a commit that has names. */
void add_decoration(g_text *out, const git_oid *id, bool parentheses);
/* What %gd, %gs, %gn and %ge say; set for each commit of a walk of reflogs. */
extern const char *reflog_selector, *reflog_subject;
extern const git_reflog_entry *reflog_entry;
void add_person(g_text *out, const git_signature *who);
extern bool use_mailmap; /* --no-mailmap */
git_signature *mapped(const git_signature *who); /* by .mailmap; fresh memory */
extern string_list decorate_refs, decorate_not; /* --decorate-refs, --decorate-refs-exclude */ /* "Name <mail>" */

/* ---- graph.c: --graph */
void graph_start(void); /* No columns yet. */
/* The lines before the commit's own go to out; then the beginning of its first line. */
void graph_commit(g_text *out, rev *r);
/* Writes text with the graph's beginnings; the first line's is there already. */
void graph_text(g_text *out, const char *text, size_t len);
void graph_pending(g_text *out); /* lines that the graph needs before a difference */
void graph_rest(g_text *out); /* the lines that end the commit */
void graph_gap(g_text *out, rev *next); /* the empty line before the next commit */

#endif
