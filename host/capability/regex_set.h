/*
 * host/capability/regex_set.h: sets of characters, for translating regular expressions.
 *
 * Called by regex_translate.c. A character class is a set of code points, so that negation and
 * nesting are exact; at its end it is written as a POSIX bracket expression.
 */
#ifndef CAP_REGEX_SET_H
#define CAP_REGEX_SET_H

#include "host/base/buf.h"

#include <stdint.h>

#define REGEX_LAST_POINT 0x10FFFFu
#define REGEX_RANGES     512

struct regex_range {
    uint32_t from, to;
};

/* Ranges in any order; they may overlap. */
struct regex_set {
    size_t count;
    bool full; /* something did not fit: the set is not usable */
    struct regex_range ranges[REGEX_RANGES];
};

void regex_set_clear(struct regex_set *s); /* Makes it empty and usable. */
/* Adds a range, both ends included; sets `full` when there is no room. */
void regex_set_add(struct regex_set *s, uint32_t from, uint32_t to);
/* \d \w \s as JavaScript has them; a capital letter is the rest. */
void regex_set_add_class(struct regex_set *s, char letter);
/* All characters that are not in it. */
void regex_set_invert(struct regex_set *s, struct regex_set *scratch);
/* As a POSIX extended expression that matches one character of it; false: nothing is in it. */
bool regex_set_write(struct base_buf *out, struct regex_set *s, struct regex_set *scratch);
/* One character that stands for itself. */
void regex_literal_write(struct base_buf *out, uint32_t point);

#endif
