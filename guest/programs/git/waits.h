/*
 * waits.h: where git waits for others: a child, a request, its input, a reader of its output.
 *
 * Who calls one of these is on the list in CMakeLists.txt (ASYNCIFY_ONLY), and so is who calls that one, up to
 * main(): then a process that waits is plain bytes, which a snapshot holds and a branch copies. A stack that
 * came here by libgit2's callbacks is not, so those use what waits elsewhere, and park.
 */
#ifndef WAITS_H
#define WAITS_H

#include "g_text.h"

#include <sys/types.h>

int wait_child(pid_t pid); /* Its wait status. */
int wait_tool(int call);   /* Until it is answered; -1 with errno. */
/* Appends all of standard input. */
void read_stdin(g_text *text);
char *stdin_text(size_t *len); /* The same as a text of its own. */
/* Before the first output: much of it may lie here, so that commands write it where they can wait. */
void out_begin(void);
/* Writes what lies there: much of it alone, or, with `all`, everything. */
void out_wait(bool all);

#endif
