/*
 * g_interval.h: spans of time as sleep and timeout read them.
 */
#ifndef G_INTERVAL_H
#define G_INTERVAL_H

#include "g_program.h"

/* A number >= 0 with an optional s, m, h or d. */
bool g_interval(const char *text, double *seconds);
/* Waits that long, through interruptions. */
void g_sleep(double seconds);

#endif
