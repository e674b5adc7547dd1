/*
 * pattern.h: the interface between pattern.c, patternpart.c and patterngroup.c alone.
 *
 * A pattern is the bytes [p, pe), a text the bytes of a subject; nothing here owns either.
 */
#ifndef SH_PATTERN_H
#define SH_PATTERN_H

#include "sh.h"

struct subject {
    const char *start, *end;
    unsigned flags; /* of enum pattern_flags */
};

/* ------------------------------------------------------------------ patternpart.c */
/* The end of a set that starts behind its '[': the place of its ']', NULL when it is none. */
const char *pattern_set_end(const char *p, const char *pe);
/* A closed extended group starts at p. */
bool pattern_is_group(const char *p, const char *pe, unsigned flags);
/* The place behind the ')' of the '(' at p; NULL when it is not closed. */
const char *pattern_group_end(const char *p, const char *pe);
/* The end of the alternative that starts at p, inside a group that ends at pe. */
const char *pattern_alternative_end(const char *p, const char *pe);
/* s is a leading period, which only a period matches. */
bool pattern_at_period(const struct subject *text, const char *s);
/* Matches the element at p, which is neither * nor a group, with what is at s, before the text's
 * end: the place in the text after it, or NULL. *next becomes the pattern's place after the
 * element. A literal element is one byte, unless case is ignored. */
const char *pattern_one(const struct subject *text, const char *p, const char *pe, const char *s,
                        const char **next);

/* ------------------------------------------------------------------ patterngroup.c */
/* A pattern with groups, compiled: an automaton, which reads each text once from left to right. */
struct automaton;
struct automaton *automaton_new(const char *p, const char *pe, unsigned flags); /* then free it */
/* Frees it with the runs that it kept for the next text. */
void automaton_free(struct automaton *a);
enum automaton_goal { MATCH_ALL, MATCH_SHORTEST, MATCH_LONGEST };
/* The end of the match that starts at the text's start; NULL when there is none. MATCH_ALL: it is
 * the text's end. */
const char *automaton_match(struct automaton *a, const struct subject *text,
                            enum automaton_goal goal);

#endif
