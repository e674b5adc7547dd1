/*
 * bc_compile.c: makes code of trees.
 *
 * The parser bounds how deep a tree is, but for the left operands of a + b + c …: along those no
 * function here calls itself.
 */
#include "bc_code.h"

#include <stdlib.h>

/* The loop that is being compiled: jumps out of it are joined into lists by their `to`. */
typedef struct loop {
    size_t breaks, continues;
} loop;

static const size_t NO_JUMP = SIZE_MAX;

static void compile(bc_code *code, const bc_node *n, loop *in);

static size_t emit_to(bc_code *code, enum bc_op_kind kind, const bc_node *n, size_t to) {
    if (code->count == code->cap) code->ops = g_more(code->ops, &code->cap, sizeof *code->ops);
    code->ops[code->count] = (bc_op){kind, n, to};
    return code->count++;
}

static size_t emit(bc_code *code, enum bc_op_kind kind, const bc_node *n) {
    return emit_to(code, kind, n, 0);
}

/* One more jump to a place that is not known yet. */
static void join_jump(bc_code *code, enum bc_op_kind kind, size_t *list) {
    *list = emit_to(code, kind, NULL, *list);
}

static void jumps_to(bc_code *code, size_t list, size_t to) {
    while (list != NO_JUMP) {
        size_t next = code->ops[list].to;
        code->ops[list].to = to;
        list = next;
    }
}

/* The index of an element. */
static void compile_place(bc_code *code, const bc_node *n) {
    if (n->kind == N_ELEMENT) compile(code, n->kids[0], NULL);
}

static void compile_logic(bc_code *code, const bc_node *n) {
    enum bc_op_kind leaves = n->kind == N_AND ? OP_JUMP_FALSE : OP_JUMP_TRUE;
    size_t list = NO_JUMP;
    join_jump(code, leaves, &list);
    compile(code, n->kids[1], NULL);
    join_jump(code, leaves, &list);
    emit_to(code, OP_TRUTH, NULL, n->kind == N_AND);
    size_t end = emit(code, OP_JUMP, NULL);
    jumps_to(code, list, code->count);
    emit_to(code, OP_TRUTH, NULL, n->kind == N_OR);
    code->ops[end].to = code->count;
}

/* An operator and those whose left operand it is part of. */
static void compile_chain(bc_code *code, const bc_node *n) {
    const bc_node **chain = NULL;
    size_t count = 0, cap = 0;
    for (; n->kind == N_BINARY || n->kind == N_AND || n->kind == N_OR; n = n->kids[0]) {
        if (count == cap) chain = g_more(chain, &cap, sizeof *chain);
        chain[count++] = n;
    }
    compile(code, n, NULL);
    while (count-- > 0) {
        if (chain[count]->kind == N_BINARY) {
            compile(code, chain[count]->kids[1], NULL);
            emit(code, OP_BINARY, chain[count]);
        } else {
            compile_logic(code, chain[count]);
        }
    }
    free(chain);
}

static void compile_statement_value(bc_code *code, const bc_node *n) {
    compile(code, n, NULL);
    emit(code, n->kind == N_ASSIGN && !n->parens ? OP_DROP : OP_PRINT_LINE, n);
}

static void compile_if(bc_code *code, const bc_node *n, loop *in) {
    compile(code, n->kids[0], NULL);
    size_t otherwise = emit(code, OP_JUMP_FALSE, NULL);
    compile(code, n->kids[1], in);
    if (n->count > 2) {
        size_t end = emit(code, OP_JUMP, NULL);
        code->ops[otherwise].to = code->count;
        compile(code, n->kids[2], in);
        code->ops[end].to = code->count;
    } else {
        code->ops[otherwise].to = code->count;
    }
}

static void compile_loop(bc_code *code, const bc_node *n) {
    bool is_for = n->kind == N_FOR;
    const bc_node *condition = n->kids[is_for ? 1 : 0], *body = n->kids[is_for ? 3 : 1];
    loop here = {NO_JUMP, NO_JUMP};
    if (is_for && n->kids[0]) {
        compile(code, n->kids[0], NULL);
        emit(code, OP_DROP, NULL);
    }
    size_t begin = code->count;
    if (condition) {
        compile(code, condition, NULL);
        join_jump(code, OP_JUMP_FALSE, &here.breaks);
    }
    compile(code, body, &here);
    jumps_to(code, here.continues, code->count);
    if (is_for && n->kids[2]) {
        compile(code, n->kids[2], NULL);
        emit(code, OP_DROP, NULL);
    }
    emit_to(code, OP_JUMP, NULL, begin);
    jumps_to(code, here.breaks, code->count);
}

static void compile_print(bc_code *code, const bc_node *n) {
    for (size_t i = 0; i < n->count; i++) {
        if (n->kids[i]->kind == N_STRING) {
            emit(code, OP_PRINT_STRING, n->kids[i]);
        } else {
            compile(code, n->kids[i], NULL);
            emit(code, OP_PRINT, n->kids[i]);
        }
    }
}

static void compile(bc_code *code, const bc_node *n, loop *in) {
    switch (n->kind) {
    case N_BLOCK:
        for (size_t i = 0; i < n->count; i++) compile(code, n->kids[i], in);
        break;
    case N_EXPRESSION: compile_statement_value(code, n->kids[0]); break;
    case N_STRING: emit(code, OP_STRING, n); break;
    case N_PRINT: compile_print(code, n); break;
    case N_IF: compile_if(code, n, in); break;
    case N_WHILE:
    case N_FOR: compile_loop(code, n); break;
    case N_BREAK:
        if (in) join_jump(code, OP_JUMP, &in->breaks);
        break;
    case N_CONTINUE:
        if (in) join_jump(code, OP_JUMP, &in->continues);
        break;
    case N_RETURN:
        if (n->count > 0) {
            compile(code, n->kids[0], NULL);
            emit(code, OP_RESULT, n);
        }
        emit(code, OP_END, n);
        break;
    case N_HALT: emit(code, OP_HALT, n); break;
    case N_NUMBER: emit(code, OP_NUMBER, n); break;
    case N_VARIABLE:
    case N_ELEMENT:
        compile_place(code, n);
        emit(code, OP_GET, n);
        break;
    case N_CALL:
        for (size_t i = 0; i < n->count; i++) compile(code, n->kids[i], NULL);
        emit(code, OP_CALL, n);
        break;
    case N_ASSIGN:
        compile_place(code, n->kids[0]);
        compile(code, n->kids[1], NULL);
        emit(code, OP_ASSIGN, n);
        break;
    case N_STEP:
        compile_place(code, n->kids[0]);
        emit(code, OP_STEP, n);
        break;
    case N_BINARY:
    case N_AND:
    case N_OR: compile_chain(code, n); break;
    case N_LENGTH:
    case N_SCALE:
    case N_SQRT:
    case N_NOT:
    case N_NEGATE:
        compile(code, n->kids[0], NULL);
        emit(code, OP_APPLY, n);
        break;
    case N_READ: emit(code, OP_READ, n); break;
    case N_ARRAY: /* copied by the call */
    case N_NOTHING: break;
    }
}

bc_code *bc_compile(const bc_node *n) {
    bc_code *code = g_zalloc(sizeof *code);
    compile(code, n, NULL);
    emit(code, OP_END, n);
    return code;
}

void bc_free_code(bc_code *code) {
    if (!code) return;
    free(code->ops);
    free(code);
}
