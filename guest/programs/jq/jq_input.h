/*
 * guest/programs/jq/jq_input.h: reading input so that the process waits as plain bytes.
 *
 * jq reads its input between two rounds of its interpreter, from functions that are compiled for
 * unwinding (ASYNCIFY_ONLY), or from inside the interpreter (`input`), which is not. Only the first
 * may wait unwound; jq_depth says which it is.
 */
#ifndef PF_JQ_INPUT_H
#define PF_JQ_INPUT_H

#include <stdio.h>

/* As fgets(); waits for bytes first, unwound where that is possible. */
char *pf_jq_fgets(char *line, int size, FILE *file);

extern int pf_jq_depth; /* over 0: inside the interpreter */

#endif
