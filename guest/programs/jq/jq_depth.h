/*
 * guest/programs/jq/jq_depth.h: bounds on what jq does by calling itself, and on sizes.
 *
 * Included by jq's own sources as adapt_jq.py changes them.
 */
#ifndef PF_JQ_DEPTH_H
#define PF_JQ_DEPTH_H

#include <limits.h>
#include <stdint.h>

#include "jv.h"

/* Levels of nested values: their recursion has to fit on the stack of CMakeLists.txt. */
#define PF_JQ_DEPTH 600
/* Keys of a path that is deleted, whose recursion needs more; what is parsed has no more than 256.
 */
#define PF_JQ_PATH    256
#define PF_JQ_MODULES 50
/* An array is made half as large again, a string twice as large. */
#define PF_JQ_INDEX_MAX                                                                            \
    ((int)(SIZE_MAX / 2 / sizeof(jv) < INT_MAX / 4 ? SIZE_MAX / 2 / sizeof(jv) : INT_MAX / 4))
#define PF_JQ_STRING_MAX (INT_MAX / 4 * 2u)

/* Ends jq with this message. */
_Noreturn void pf_jq_fail(const char *message);
/* Around each level of a recursion over values; ends jq beyond PF_JQ_DEPTH. */
void pf_jq_enter(void);
void pf_jq_leave(void); /* Ends pf_jq_enter(). */
/* Frees by free_value(), which calls back for what is inside; deep values one after the other. */
void pf_jq_free(jv value, void (*free_value)(jv value));

#endif
