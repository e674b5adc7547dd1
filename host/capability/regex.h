/*
 * host/capability/regex.h: the regular expressions of `matches` and of a schema's `pattern`.
 *
 * One language for both: the syntax that JavaScript (with its u flag), Python and POSIX have in
 * common, read as JavaScript reads it. docs/policy.md lists it. Other syntax (look-around,
 * back-references, \b, \p, flags) is refused when it is compiled, never ignored. Matching takes
 * linear time; lib/regex does it. This is the only file of the engine that knows lib/regex.
 */
#ifndef CAP_REGEX_H
#define CAP_REGEX_H

#include "host/base/arena.h"
#include "host/base/error.h"

struct cap_regex;

/* PF_INVALID: the message says what the language does not have. */
pf_status cap_regex_new(struct cap_regex **out, const char *pattern, size_t len, pf_error *error);
void cap_regex_free(struct cap_regex *regex); /* NULL is allowed. */

/* The expressions of one document, so that they are freed with it; links lie in its arena. */
struct cap_regexes {
    struct cap_regexes *next;
    struct cap_regex *regex;
};
/* Compiles one as cap_regex_new() and puts it on the list, whose owner frees it. */
pf_status cap_regexes_add(struct cap_regexes **list, struct base_arena *arena,
                          struct cap_regex **out, const char *pattern, size_t len, pf_error *error);
/* Frees the expressions; the links go with their arena. */
void cap_regexes_free(struct cap_regexes *list);

enum cap_match {
    CAP_NO_MATCH,
    CAP_MATCH,
    CAP_MATCH_FAILED /* no memory: the answer is not known */
};
/* From any thread. */
enum cap_match cap_regex_search(struct cap_regex *regex, const char *text, size_t len);
/* The same for the whole text. */
enum cap_match cap_regex_fullmatch(struct cap_regex *regex, const char *text, size_t len);

#endif
