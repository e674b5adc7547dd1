/*
 * xdiff_lines.c: xdiffi.c with regular expressions for lines that are ignored, which libgit2 does not have.
 */
#include "git-xdiff.h"

#include "g_regex.h"

/* 0: one is in the line. The expressions are pf_regex, see xdiff_wishes.h. */
static int line_matches(const void *expression, const char *line, size_t len) {
    pf_range found[1];
    return pf_regex_search((pf_regex *)expression, line, len, 0, 0, found, 1) == PF_RE_OK ? 0 : 1;
}

#define xdl_regexec_buf(expression, line, len, count, matches, flags) \
    ((void)(matches), line_matches(expression, line, len))
#include "xdiffi.c"
