/*
 * format_series.h: what format-patch adds for a series as a whole: its cover letter, threads, and its base.
 */
#ifndef FORMAT_SERIES_H
#define FORMAT_SERIES_H

#include "revs.h"

enum threading { THREAD_NONE, THREAD_SHALLOW, THREAD_DEEP };

/* The text of a cover letter behind its subject: who did what, and how much. `before` is the commit that the
 * series begins behind; NULL: there is none. */
void add_cover(g_text *out, git_commit **commits, size_t count, git_commit *before);
/* The lines of --base for a series; "auto" is where the branch and its upstream part. Dies when it is none. */
char *base_lines(const char *base, git_commit **commits, size_t count);
/* The names of mails: the lines of the next one, with --thread. `id`: its commit, or "cover". */
void add_thread(g_text *out, enum threading style, const char *id, size_t number, bool cover, const char *in_reply);

#endif
