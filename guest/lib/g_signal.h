/*
 * g_signal.h: names of signals.
 */
#ifndef G_SIGNAL_H
#define G_SIGNAL_H

/* "TERM", "SIGTERM", "term" or "15"; 0 is allowed ("EXIT"); -1 when there is none. */
int g_signal_number(const char *name);
/* "TERM", or NULL when there is none. */
const char *g_signal_name(int number);

#endif
