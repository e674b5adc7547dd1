/*
 * grep_words.h: many fixed patterns at once (Aho and Corasick, 1975).
 *
 * Time grows with the text, whatever the number of patterns; memory with the bytes of the patterns.
 */
#ifndef GREP_WORDS_H
#define GREP_WORDS_H

#include "grep.h"

typedef struct grep_words grep_words;

/*
 * NULL when the patterns are not for this: few of them, some with operators, empty or no valid
 * text; letters beyond ASCII whose case is ignored.
 */
grep_words *grep_words_new(const grep_options *o, bool utf8);

enum grep_words_result {
    WORDS_NONE,
    WORDS_FOUND,
    WORDS_UNSURE, /* the text has characters beyond ASCII that may stand for an ASCII letter */
};
/* The leftmost-longest match in text[from .. len); with WORDS_UNSURE the place of the character. */
enum grep_words_result grep_words_search(const grep_words *w, const char *text, size_t len,
                                         size_t from, pf_range *match);
/* Whether the whole text is one of the patterns. */
enum grep_words_result grep_words_whole(const grep_words *w, const char *text, size_t len);

#endif
