/*
 * find.h: the expression tree and what the parts of find share.
 *
 * find_parse.c builds the tree, find_eval.c evaluates it for one file, find_format.c prints
 * (-printf, -ls), find_exec.c runs commands.
 */
#ifndef FIND_H
#define FIND_H

#include "g_mode.h"
#include "g_out.h"
#include "g_text.h"
#include "g_time.h"
#include "g_walk.h"
#include "lib/regex/regex.h"

enum find_op {
    /* Operators. AND, OR and COMMA have a list of children. */
    OP_AND, OP_OR, OP_COMMA, OP_NOT,
    /* Tests */
    OP_TRUE, OP_FALSE, OP_NAME, OP_PATH, OP_LNAME, OP_REGEX, OP_TYPE, OP_XTYPE, OP_SIZE, OP_EMPTY,
    OP_PERM, OP_USER, OP_GROUP, OP_NOUSER, OP_NOGROUP, OP_LINKS, OP_INUM, OP_SAMEFILE, OP_NEWER,
    OP_TIME, OP_USED, OP_ACCESS, OP_FSTYPE,
    /* Actions */
    OP_PRINT, OP_PRINT0, OP_PRINTF, OP_LS, OP_DELETE, OP_PRUNE, OP_QUIT, OP_EXEC
};

enum find_compare { COMPARE_EQUAL, COMPARE_MORE, COMPARE_LESS };

typedef struct find_exec find_exec;

typedef struct find_node {
    enum find_op op;
    struct find_node *child, *next; /* children are linked through next */
    const char *text;               /* a pattern or format */
    bool fold;                      /* without regard to case */
    enum find_compare compare;
    int64_t number;
    int64_t unit;                   /* OP_SIZE: bytes; OP_TIME: seconds; OP_PERM: kind; OP_ACCESS: mode */
    char which;                     /* OP_TIME, OP_NEWER: a B c m */
    g_moment moment;                /* OP_NEWER, OP_TIME: compared with */
    uint64_t dev, ino;              /* OP_SAMEFILE */
    unsigned types;                 /* OP_TYPE: bits 1 << (mode type >> 12) */
    mode_t mode_file, mode_dir;     /* OP_PERM */
    pf_regex *re;
    g_sink *out;                    /* where actions print; NULL: standard output */
    find_exec *exec;
} find_node;

typedef struct {
    bool depth_first, daystart, warn, same_device;

    bool follow, follow_operands;
    int64_t min_depth, max_depth; /* -1: none */
    int regex_type;               /* flags for pf_regex_compile, or REGEX_EMACS */
    g_moment now, day_start;
    find_node *root;
    bool has_action;              /* one that prints or runs: no implied -print */
    bool has_prune, has_delete, explicit_depth;
    find_exec *execs;             /* all batches, to run what is left at the end */
    struct find_output *outputs;  /* files of -fprint and the like */
    const char *files_from;
    int status;
} find_state;

#define REGEX_EMACS (-1)

/* What is being looked at. */
typedef struct {
    find_state *f;
    const g_entry *e;
    const char *start; /* the starting point as given */
    g_walk *walk;
    bool quit;
} find_file;

/* find_parse.c: argv[first .. argc) is the expression. */
void find_parse(find_state *f, int argc, char **argv, int first);
/* Whether an argument behind the starting points begins the expression. */
bool find_is_expression(const char *arg);
/* Sends what -fprint and its kin wrote; says what could not be written. */
void find_flush_outputs(find_state *f);

/* find_eval.c */
/* The truth of an expression for a file; its actions happen on the way. */
bool find_eval(find_file *file, const find_node *node);

/* find_format.c */
/* What -printf and -fprintf write. */
void find_put_format(find_file *file, g_sink *out, const char *format);
void find_put_ls(find_file *file, g_sink *out); /* A line as -ls prints it. */
void find_check_format(const char *format); /* Warns of escapes and directives that do not exist. */

/* find_exec.c */
/* An -exec of these words, which stay the caller's; it is part of `f`. `batch`: with +, `in_dir`:
 * -execdir, `ask`: -ok. */
find_exec *find_exec_new(find_state *f, char **words, int count, bool batch, bool in_dir, bool ask);
/* Runs the command for a file, or adds the file to the batch; true: it succeeded. */
bool find_exec_run(find_file *file, find_exec *x);
/* Runs what is left of all batches. */
void find_exec_finish(find_state *f);

#endif
