/*
 * guest/programs/jq/jq_time.h: dates as text and back, the same with every C library.
 *
 * Included by jq's builtin.c as adapt_jq.py changes it.
 */
#ifndef PF_JQ_TIME_H
#define PF_JQ_TIME_H

#include <stdbool.h>
#include <time.h>

/* strptime() as the GNU C library has it, in English; %s is understood as UTC. What follows the
 * part of the text that the format describes; NULL: it does not fit. */
const char *pf_jq_strptime(const char *text, const char *format, struct tm *tm);

/* strftime() with GNU's flags. %Z, %z and %s are those of UTC or, with `local`, of $TZ. Fresh
 * memory. */
char *pf_jq_strftime(const char *format, const struct tm *tm, bool local);

#endif
