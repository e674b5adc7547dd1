/*
 * grep_perl.h: -P, by PCRE2.
 */
#ifndef GREP_PERL_H
#define GREP_PERL_H

#include "grep.h"

typedef struct grep_perl grep_perl;

/* Compiles the one pattern, with -i, -w and -x put into it; ends the command when it is malformed.
 */
grep_perl *grep_perl_new(const grep_options *o);
/* The first match in line[0 .. len) from `from` on. Too much backtracking ends the command. */
bool grep_perl_search(grep_perl *p, const char *line, size_t len, size_t from, pf_range *match);

/* A text that is in every line with a match, compiled; NULL: none is known. */
pf_regex *grep_perl_literal(const grep_options *o);

#endif
