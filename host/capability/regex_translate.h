/*
 * host/capability/regex_translate.h: from the language of regex.h to POSIX extended expressions.
 *
 * Called by regex.c only. Every character class becomes a set of code points first, so that
 * negation and nesting are exact, and then a bracket expression.
 */
#ifndef CAP_REGEX_TRANSLATE_H
#define CAP_REGEX_TRANSLATE_H

#include "host/base/buf.h"

#define CAP_REGEX_MAX 4096u /* bytes of a pattern as written */

/* Appends the translation to `out`. NULL: done, unless out->failed (no memory). Otherwise why not,
 * a constant text, with *at the place in the pattern. */
const char *cap_regex_translate(struct base_buf *out, const char *pattern, size_t len, size_t *at);

#endif
