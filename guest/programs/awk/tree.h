/*
 * tree.h: a program as a tree, from the parser to the compiler. Nodes live as long as the program.
 */
#ifndef AWK_TREE_H
#define AWK_TREE_H

#include "lex.h"

enum node_kind {
    /* Expressions. `list`: members linked by `next`. */
    N_NUMBER,      /* number */
    N_STRING,      /* text */
    N_REGEX,       /* text: matches $0, or is an operand of ~ or of a function */
    N_TYPED_REGEX, /* text: @/…/ */
    N_GLOBAL,      /* slot */
    N_LOCAL,       /* slot */
    N_FIELD,       /* a */
    N_ELEMENT,   /* a: the array, an N_GLOBAL, N_LOCAL or N_ELEMENT; list: the subscript's parts */
    N_ASSIGN,    /* a = b; op: enum operation or -1 */
    N_STEP,      /* ++ and --: a; op: enum step */
    N_CONDITION, /* a ? b : c */
    N_AND,
    N_OR,
    N_NOT,
    N_NEGATE,
    N_PLUS,
    N_BINARY,       /* a op b: enum operation */
    N_COMPARE,      /* a op b: enum comparison */
    N_MATCH,        /* a ~ b; op 1: !~ */
    N_IN,           /* list in a: the subscript's parts, and the array */
    N_CONCAT,       /* list */
    N_GROUP,        /* (a, b): list; for print and in */
    N_CALL,         /* slot: the function; list: arguments */
    N_CALL_BY_NAME, /* a: the variable with the function's name; list */
    N_BUILTIN,      /* slot: enum builtin; list; op 1: written without parentheses */
    N_GETLINE, /* op: enum redirection or TO_STDOUT for the main input; a: where to; b: source */
    /* Statements. */
    N_BLOCK,      /* list */
    N_EXPRESSION, /* a */
    N_PRINT,
    N_PRINTF, /* list; op: enum redirection; a: where to */
    N_IF,     /* a: condition, b, c: the else part */
    N_WHILE,  /* a, b */
    N_DO,     /* b, a */
    N_FOR,    /* a; b; c; body d */
    N_FOR_IN, /* a: the variable, b: the array, d: body */
    N_SWITCH, /* a; list: N_CASE */
    N_CASE,   /* a: constant, or NULL for default; list: statements */
    N_BREAK,
    N_CONTINUE,
    N_NEXT,
    N_NEXTFILE,
    N_EXIT,
    N_RETURN, /* a or NULL */
    N_DELETE, /* a: an N_ELEMENT or an array */
};

enum step { PRE_INCREMENT, PRE_DECREMENT, POST_INCREMENT, POST_DECREMENT };

typedef struct node {
    uint8_t kind, op;
    bool parenthesised;
    uint16_t depth; /* of the tree below, bounded: what walks it recurses */
    uint32_t line;
    int slot;
    double number;
    awk_text *text;
    const lex_source *source;
    struct node *a, *b, *c, *d, *list, *next;
} node;

typedef struct {
    awk_text *name;
    awk_text **params;
    int param_count;
    node *body;               /* NULL: not defined (yet) */
    const lex_source *source; /* and line: of the first use, or the definition */
    uint32_t line;
} function_tree;

enum rule_group { RULE_BEGIN, RULE_MAIN, RULE_END, RULE_BEGINFILE, RULE_ENDFILE, RULE_GROUPS };

typedef struct rule {
    node *pattern, *pattern_end; /* the latter for `from, to` */
    node *action;                /* NULL: print */
    struct rule *next;
} rule;

typedef struct {
    rule *rules[RULE_GROUPS], **ends[RULE_GROUPS];
    function_tree *functions;
    size_t function_count, function_cap;
    awk_text **globals; /* names */
    size_t global_count, global_cap;
} tree;

void parse_begin(tree *t); /* An empty tree with the variables that awk itself has. */
/* Adds a source with what it includes; a syntax error ends awk. */
void parse_source(tree *t, const lex_source *source);
/* After the last source: functions that are called must exist. */
void parse_finish(tree *t);
/* A global's index, made when it is not there. */
int tree_global(tree *t, const char *name, size_t len);
int tree_find_global(const tree *t, const char *name, size_t len); /* or -1 */

#endif
