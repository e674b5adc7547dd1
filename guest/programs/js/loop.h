/*
 * loop.h: the event loop. loop_run() is on the program's ASYNCIFY_ONLY list, so it may wait while
 * no JavaScript is on the stack; everything it calls must not wait, or it parks the process.
 */
#ifndef JS_LOOP_H
#define JS_LOOP_H

#include <stdbool.h>

/* Runs until nothing is left that could call into the program. False: an error ended it. */
bool loop_run(void);

/* A tool call was started (+1) or answered (-1): the loop then waits for answers. */
void loop_tools(int change);

/* Makes the loop look at caught signals; safe in a signal handler. */
void loop_signal(int signal);

#endif
