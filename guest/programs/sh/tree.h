/*
 * tree.h: the tree that the parser makes of a script.
 *
 * All nodes of one complete command lie in one `struct tree` and are never changed after parsing.
 * A function keeps the whole tree it was defined in alive by a reference. Words keep their source
 * text (for messages, `set -x` and `declare -f`) beside their parts (for expansion).
 */
#ifndef SH_TREE_H
#define SH_TREE_H

#include "arena.h"

/* One parsed complete command. */
struct tree {
    arena mem;
    int refs;
    struct node *root;
};

/* ------------------------------------------------------------------ words */

enum part_kind {
    PART_TEXT,      /* unquoted text: subject to globbing */
    PART_QUOTED,    /* text that was quoted */
    PART_DQ,        /* "…": its parts in `inner` */
    PART_PARAM,     /* $x ${…} */
    PART_CMD,       /* $(…): parsed */
    PART_BACKQUOTE, /* `…`: its unescaped source, parsed when it runs */
    PART_ARITH,     /* $((…)) */
    PART_PROC_IN,   /* <(…) */
    PART_PROC_OUT,  /* >(…) */
    PART_TILDE,     /* ~ or ~user at a place where it expands */
    PART_SUBSCRIPT, /* […] in arithmetic: expanded by itself, and so that it stays one subscript */
    PART_BAD,       /* a ${…} that is no parameter expansion: an error when it is expanded */
};

struct part {
    struct part *next;
    uint8_t kind;
    uint32_t n;     /* bytes of s */
    const char *s;  /* text; user of a tilde; source of a backquote; what a PART_BAD stands in */
    uint32_t at, end; /* PART_CMD, PROC: where its source stands in the word's text */
    union {
        bool fatal; /* PART_BAD: ends a script */
        struct part *inner;
        struct param *param;
        struct node *cmd;
        struct word *expr;
    };
};

#define TRANSFORMATIONS "QEPAKakuUL"

enum word_flags {
    W_PLAIN = 1,    /* no quoting, no expansion, no glob: the word is its text */
    W_BRACE = 2,    /* may have a brace expansion */
    W_QUOTED = 4,   /* some of it was quoted */
    W_PURE = 8,     /* expanding it has no side effect, and runs no process */
    W_ASSIGN = 16,  /* has the form of an assignment: see `assign` */
};

/* A $'…' or $"…" in a word, outside of double quotes: bash prints what it stands for. */
struct dollar_quote {
    struct dollar_quote *next; /* the one after it */
    uint32_t at, end;          /* in the word's text; of $"…" the dollar alone */
};

struct word {
    const char *text; /* as written, NUL-terminated */
    uint32_t len;
    uint16_t flags;
    int line;
    struct part *parts;
    struct assign *assign;
    struct dollar_quote *dollars;
};

struct element { /* of a compound assignment */
    struct element *next;
    struct word *index; /* [index]= or NULL */
    struct word *whole; /* [index]=value where it may be words of their own, else NULL */
    bool append;
    struct word *value;
};

struct assign {
    struct assign *next;
    const char *name;
    struct word *index; /* a[index]=, else NULL */
    bool append, compound;
    struct word *value;        /* when not compound */
    struct element *elements;  /* when compound */
    struct word *word;         /* the whole of it as written */
};

enum param_op {
    OP_NONE,
    OP_DEFAULT,     /* ${x-w} */
    OP_ASSIGN,      /* ${x=w} */
    OP_ERROR,       /* ${x?w} */
    OP_ALTERNATE,   /* ${x+w} */
    OP_PREFIX,      /* ${x#p} */
    OP_PREFIX_LONG, /* ${x##p} */
    OP_SUFFIX,      /* ${x%p} */
    OP_SUFFIX_LONG, /* ${x%%p} */
    OP_REPLACE,     /* ${x/p/r}; mode is 0 / # or % */
    OP_CASE,        /* ${x^p}; mode is ^ , ~ and `all` says doubled */
    OP_SLICE,       /* ${x:o:l} */
    OP_TRANSFORM,   /* ${x@Q}; mode is the letter, one of TRANSFORMATIONS */
};

struct param {
    const char *name; /* NUL-terminated; a special parameter's one character */
    struct word *sub; /* subscript, NULL without; also NULL with sub_all */
    char sub_all;     /* '@' or '*' */
    uint8_t op;
    char mode;
    bool colon;       /* :- := :? :+ */
    bool all;
    bool length;      /* ${#x} */
    bool indirect;    /* ${!x} */
    char names;       /* ${!p*} ${!p@}: '*' or '@' */
    bool plain;       /* $x, without braces */
    struct word *arg, *arg2;
    const char *source; /* as written, for messages */
};

/* How far a word's text reaches and which quotes count in it. */
enum word_mode {
    WM_WORD,      /* up to a metacharacter */
    WM_DQ,        /* up to an unquoted " */
    WM_HERE,      /* the whole text of a here-document */
    WM_BRACE,     /* unquoted ${x-word}: up to } */
    WM_BRACE_DQ,  /* the same inside double quotes */
    WM_PATTERN,   /* ${x/pattern: up to / or } */
    WM_SUBSCRIPT, /* the whole text of a subscript: an ordinary word, but for ~ */
    WM_REFERENCE, /* the whole text of an operand of -eq: a word, its subscripts apart */
    WM_OFFSET,    /* ${x:offset: up to : or } */
    WM_LENGTH,    /* ${x:offset:length: up to } */
    WM_ARITH,     /* the whole text of an arithmetic expression */
    WM_INDEX,     /* the same of a subscript that was expanded once: PART_SUBSCRIPT's \[ is [ */
    WM_ALL,       /* the whole text, as an ordinary word that may hold blanks */
};

/* ------------------------------------------------------------------ redirections */

enum redir_kind {
    R_IN,        /* < */
    R_OUT,       /* > */
    R_CLOBBER,   /* >| */
    R_APPEND,    /* >> */
    R_INOUT,     /* <> */
    R_DUP_IN,    /* <& */
    R_DUP_OUT,   /* >& */
    R_BOTH,      /* &> and >&word */
    R_BOTH_APPEND, /* &>> */
    R_HERE_DOC,  /* << <<- */
    R_HERE_STRING, /* <<< */
};

struct redir {
    struct redir *next;
    uint8_t kind;
    bool strip;         /* <<- */
    bool here_quoted;   /* the delimiter was quoted */
    int fd;             /* left of the operator; -1 for its default */
    const char *fd_var; /* {name}> */
    struct word *target; /* for R_HERE_DOC the body */
    const char *delimiter;
    int line;
};

/* ------------------------------------------------------------------ commands */

enum node_kind {
    N_SIMPLE, N_LIST, N_PIPE, N_AND, N_OR, N_NOT, N_TIME, N_SUBSHELL, N_GROUP, N_IF, N_WHILE,
    N_UNTIL, N_FOR, N_SELECT, N_ARITH_FOR, N_CASE, N_FUNCTION, N_ARITH, N_COND, N_COPROC,
    N_TEXT, /* of a $( ) in which aliases count: parsed when it runs, as bash does */
};

enum node_flags {
    NF_BACKGROUND = 1, /* followed by & */
    NF_PIPE_ERR = 2,   /* stage of a pipeline followed by |& */
    NF_POSIX_TIME = 4, /* time -p */
    NF_FOR_ARGS = 8,   /* for without in */
    NF_PURE = 16,      /* simple command: expanding it changes nothing in the shell */
    NF_CASE_FALL = 32, /* unused by nodes; see case_item.end */
};

struct case_item {
    struct case_item *next;
    struct word **patterns;
    int count;
    struct node *body; /* NULL when empty */
    char end;          /* ';' for ;;  '&' for ;&  '+' for ;;& */
};

struct node {
    uint8_t kind, flags;
    int line;
    struct node *next; /* in a list or a pipeline */
    struct redir *redirs;
    union {
        struct { /* N_SIMPLE */
            struct word **words;
            int count;
            struct assign *assigns;
        } simple;
        struct { /* N_LIST, N_PIPE */
            struct node *first;
            int count;
        } list;
        struct { /* N_AND, N_OR */
            struct node *left, *right;
        } pair;
        struct { /* N_NOT, N_TIME (body may be NULL), N_SUBSHELL, N_GROUP, N_COPROC (with name) */
            struct node *body;
            const char *name;
        } wrap;
        struct { /* N_IF; otherwise may be NULL, and be an N_IF for elif */
            struct node *cond, *then, *otherwise;
        } branch;
        struct { /* N_WHILE, N_UNTIL */
            struct node *cond, *body;
        } loop;
        struct { /* N_FOR, N_SELECT */
            const char *name;
            struct word **words;
            int count;
            struct node *body;
        } each;
        struct { /* N_ARITH_FOR; each expression may be NULL */
            struct word *init, *cond, *step;
            struct node *body;
        } afor;
        struct { /* N_CASE */
            struct word *subject;
            struct case_item *items;
        } choice;
        struct { /* N_FUNCTION */
            const char *name;
            struct node *body;
            struct tree *tree;
        } func;
        struct { /* N_ARITH */
            struct word *expr;
        } arith;
        struct { /* N_TEXT */
            const char *source;
            size_t n;
        } text;
        struct { /* N_COND */
            struct cond *expr;
        } test;
    };
};

enum cond_kind { COND_AND, COND_OR, COND_NOT, COND_UNARY, COND_BINARY, COND_WORD, COND_GROUP };

/* An expression of [[ … ]]. */
struct cond {
    uint8_t kind;
    const char *op; /* "-f", "==", "=~" … */
    struct cond *left, *right;
    struct word *a, *b;
};

#endif
