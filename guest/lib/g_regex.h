/*
 * g_regex.h: how the programs of the guest use lib/regex: memory by realloc, and long matches that
 * let other processes go on.
 */
#ifndef G_REGEX_H
#define G_REGEX_H

#include "lib/regex/regex.h"

/* For every pf_regex_compile(). Without it a long match keeps the processor to itself. */
extern const pf_regex_host g_regex_host;

#endif
