/*
 * lib/regex/regex.h: POSIX regular expressions for guest programs and the host.
 *
 * Leftmost-longest matching (POSIX.1-2024 XBD 9) with GNU's extensions (\w \W \s \S \b \B \< \>
 * \` \' and, in basic syntax, \+ \? \|), over UTF-8 or bytes. Time is linear in the text for every
 * pattern without a back-reference; one with back-references counts its steps and gives up with
 * PF_RE_LIMIT. No I/O, no global state, no errno; memory through the caller's allocator.
 *
 * Used by grep, sed, awk, find, expr, the shell's =~ and by the capability engine's `matches`.
 */
#ifndef PF_REGEX_H
#define PF_REGEX_H

#include <stddef.h>
#include <stdint.h>

typedef struct pf_regex pf_regex;

/* Compile flags. */
#define PF_RE_EXTENDED 0x1u /* ERE; otherwise BRE */
#define PF_RE_ICASE    0x2u
#define PF_RE_NEWLINE  0x4u /* . and [^x] do not match \n; ^ and $ match at lines (REG_NEWLINE) */
#define PF_RE_BYTES                                                                                \
    0x8u                    /* the text is bytes, not UTF-8; in UTF-8 mode an invalid byte matches \
                               nothing but itself, never `.` or a set, as GNU tools do */
#define PF_RE_LITERAL 0x10u /* no character is special (grep -F) */
#define PF_RE_NOSUB   0x20u /* only whether it matches: ranges are not filled beyond [0] */
#define PF_RE_AWK     0x40u /* awk's escapes inside brackets and out: \n \t \/ \" \ddd */
#define PF_RE_STRICT  0x80u /* an unmatched ) is an error in extended syntax (sed -E), not itself  \
                             */
#define PF_RE_GREP                                                                                 \
    0x100u /* grep's reading: each line of the pattern is an alternative (also with                \
              LITERAL), an operator with nothing to repeat is skipped (ERE) or                     \
              itself (BRE), a malformed interval is text (ERE). Without this and AWK they          \
              are errors, as for regcomp(): bash's =~, sed */

#define PF_RE_LENIENT                                                                              \
    0x200u /* basic syntax as expr, csplit and nl read it: an interval with nothing to repeat is   \
              text, an operator may follow another, a range that ends before it begins is empty */

/* Match flags. */
#define PF_RE_NOTBOL 0x1u
#define PF_RE_NOTEOL 0x2u

enum pf_regex_error {
    PF_RE_OK = 0,
    PF_RE_NOMATCH = 1,
    PF_RE_BAD = 2,   /* the pattern is malformed: see message */
    PF_RE_NOMEM = 3, /* or over the compile-time bound on states */
    PF_RE_LIMIT = 4, /* back-reference matching ran out of steps */
};

/* A half-open byte range of the text; -1, -1 for a group that took no part. */
typedef struct {
    ptrdiff_t start, end;
} pf_range;

typedef struct {
    void *(*realloc)(void *user, void *old, size_t size); /* size 0 frees; NULL: out of memory */
    void *user;
    void (*yield)(void); /* called every few thousand steps of matching; may be NULL */
} pf_regex_host;

/*
 * Compiles `len` bytes of pattern. On PF_RE_OK *out is owned by the caller (pf_regex_free). On
 * failure *message is a constant text in GNU's words ("Unmatched ( or \\(", "Invalid range end" …).
 * host NULL: malloc and no yield. host must outlive the regex.
 */
int pf_regex_compile(pf_regex **out, const char *pattern, size_t len, unsigned flags,
                     const pf_regex_host *host, const char **message);
void pf_regex_free(pf_regex *re); /* NULL is allowed. */

/* Number of parenthesised groups. */
int pf_regex_groups(const pf_regex *re);

/*
 * Finds the leftmost-longest match in text[from .. len), with text[0 .. from) as context for
 * anchors and word boundaries. ranges has room for `count` entries; [0] is the whole match.
 * A regex may cache work between calls, so one regex serves one thread at a time.
 */
int pf_regex_search(pf_regex *re, const char *text, size_t len, size_t from, unsigned flags,
                    pf_range *ranges, size_t count);

/* Whether the whole text matches; used by the capability engine. */
int pf_regex_fullmatch(pf_regex *re, const char *text, size_t len);

#endif
