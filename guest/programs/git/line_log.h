/*
 * line_log.h: log -L: the commits that changed lines, and how.
 */
#ifndef LINE_LOG_H
#define LINE_LOG_H

#include "revs.h"

/* Takes the arguments of -L, for the lines as `tip` has them. */
void line_log_start(const string_list *arguments, git_commit *tip);
/* Of commits in order, children first: those that changed none of the lines are marked `same`. */
void line_log_narrow(rev **items, size_t count);
void line_log_write(g_text *out, const rev *r); /* What the commit did to the lines, as a patch. */

#endif
