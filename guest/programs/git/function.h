/*
 * function.h: heads of functions, for grep -p, log -L and hunks of whole functions.
 */
#ifndef FUNCTION_H
#define FUNCTION_H

#include "git.h"

void function_rules(const char *path); /* What follows is about lines of this file. */
/* What a hunk shows of the head in this line, in `out`; its length, 0: the line is none. */
size_t function_head(const char *line, size_t len, char *out, size_t room);
bool is_function_head(const char *line, size_t len); /* Is this line one? */

#endif
