/*
 * compile.h: from the tree to code.
 */
#ifndef AWK_COMPILE_H
#define AWK_COMPILE_H

#include "code.h"
#include "tree.h"

typedef struct loop {
    struct loop *outer;
    bool is_switch;             /* continue belongs to the loop around it */
    uint32_t breaks, continues; /* chains of jumps to patch; NO_JUMP: none */
} loop;

typedef struct {
    struct program *program;
    const tree *tree;
    const node *at; /* for the lines of instructions */
    loop *loop;
} compiler;

#define NO_JUMP UINT32_MAX

/* What is wanted of an expression's value. */
enum want { WANT_VALUE, WANT_NUMBER, WANT_NOTHING };

/* The instructions of a parsed program, whose names and texts it keeps. */
struct program *compile(const tree *t);
/* Appends an instruction: its place. */
uint32_t emit(compiler *c, enum opcode op, int sub, size_t n, int64_t a);
uint32_t here(const compiler *c); /* The place of the next instruction. */
/* Jumps with one target form a chain through their operands. */
void chain(compiler *c, uint32_t *head, uint32_t jump);
void patch(compiler *c, uint32_t head); /* All jumps of the chain lead to the next instruction. */
/* The message with the place of `n`, and the end. */
_Noreturn void compile_error(const node *n, const char *format, ...) G_PRINTF(2, 3);

/* Pushes the value of n, as `want` says. */
void compile_expression(compiler *c, const node *n, enum want want);
/* Jumps, in the chain *no, when the condition does not hold. */
void compile_condition(compiler *c, const node *n, uint32_t *no);
void compile_array(compiler *c, const node *n); /* pushes the array that n names */
/* Pushes one value: several subscripts are joined by SUBSEP. */
void compile_subscript(compiler *c, const node *list);
/* Pushes a place's parts; what it is goes to *place and *number. */
void compile_place(compiler *c, const node *n, enum place *place, int *number);

#endif
