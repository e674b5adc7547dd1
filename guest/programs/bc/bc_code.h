/*
 * bc_code.h: what bc_compile.c makes of trees and bc_run.c executes.
 */
#ifndef BC_CODE_H
#define BC_CODE_H

#include "bc.h"

/* Instructions take their operands from the stack of values and leave their result there. */
enum bc_op_kind {
    OP_NUMBER,
    OP_TRUTH, /* `to`, 0 or 1 */
    OP_GET,
    OP_ASSIGN,
    OP_STEP,
    OP_READ,
    OP_BINARY,
    OP_APPLY,
    OP_CALL,
    OP_DROP,
    OP_PRINT_LINE,
    OP_PRINT,
    OP_STRING,
    OP_PRINT_STRING,
    OP_RESULT, /* what the function will return */
    OP_JUMP,
    OP_JUMP_FALSE,
    OP_JUMP_TRUE,
    OP_HALT,
    OP_END, /* of the function or the text */
};

typedef struct {
    enum bc_op_kind kind;
    const bc_node *n; /* borrowed: the tree has to stay */
    size_t to;        /* of a jump */
} bc_op;

struct bc_code {
    bc_op *ops;
    size_t count, cap;
};

#endif
