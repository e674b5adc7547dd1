/*
 * parse.h: between the two halves of the parser.
 */
#ifndef AWK_PARSE_H
#define AWK_PARSE_H

#include "code.h"
#include "tree.h"

typedef struct {
    lexer lx, closing; /* where it is, and at the last closing bracket */
    tree *tree;
    function_tree *function; /* whose body is read, or NULL */
    enum rule_group group;   /* whose action is read */
    int depth;
    bool no_in;      /* in the first part of for (;;) */
    bool no_greater; /* after print: > redirects */
    bool group_ends; /* the statement may be a bracketed list: print (a, b) */
} parser;

node *parse_node(parser *p, enum node_kind kind); /* A node at the current token. */
/* A node with two children; `b` may be NULL. */
node *parse_node2(parser *p, enum node_kind kind, node *a, node *b);
_Noreturn void parse_fail(parser *p); /* "syntax error" at the current token, and the end. */
void parse_expect(parser *p, int token); /* Takes this token, or fails. */
bool parse_accept(parser *p, int token); /* Takes this token if it is the current one. */
void parse_newlines(parser *p); /* skips them */
void parse_enter(parser *p);    /* one level deeper, or the end */
node *parse_expression(parser *p); /* A whole expression. */
node *parse_operand(parser *p);                   /* up to a concatenation: where output goes */
node *parse_list(parser *p, int end, int *count); /* up to a token that is not taken */
node *parse_variable(parser *p);                  /* the current token is a name; takes it */
bool parse_is_place(const node *n); /* Can it be assigned to? */

#endif
