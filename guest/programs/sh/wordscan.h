/*
 * wordscan.h: one level of reading a word; shared by word.c, assignword.c and wordparam.c.
 */
#ifndef SH_WORDSCAN_H
#define SH_WORDSCAN_H

#include "parse.h"

struct scan {
    uint8_t mode;           /* enum word_mode */
    bool tilde_here;        /* a ~ at the start expands */
    bool tilde_after_colon; /* the value of an assignment */
    bool lit_quoted;
    bool apostrophe;        /* WM_BRACE_DQ: after the first ' of two, where } does not end it */
    uint16_t flags;         /* W_… so far */
    int parens, questions;  /* open ( or [ or ?, as the mode counts them */
    size_t start;           /* offset where it began */
    size_t value_start;     /* of an assignment: offset of its value, and where its parts hang */
    struct part **value_tail;
    struct part *first, **tail;
    sb lit;                 /* text not yet made a part */
};

struct scan scan_new(struct parser *p, enum word_mode mode); /* Begins at pos. */
bool scan_run(struct parser *p, struct scan *s); /* up to the end of the mode; false: failed */
void scan_flush(struct parser *p, struct scan *s); /* Makes a part of the text in `lit`. */
bool scan_tilde(struct parser *p, struct scan *s); /* ~user at pos; false: not one */
/* Appends a part behind the text so far. */
void scan_part(struct parser *p, struct scan *s, struct part *part);
/* The message about a bad substitution shows all of the word, or of the quotes, that it stands in. */
void show_bad_in(struct parser *p, struct part *parts, const char *text, size_t n);
/* Makes a word of what was scanned from offset `start` on. */
struct word *scan_finish(struct parser *p, struct scan *s, size_t start, int line);

/* assignword.c: reads NAME=, NAME[…]+= at a word's start; *as stays NULL when there is none. A
 * compound value is read whole. false: failed. */
bool assign_scan(struct parser *p, struct scan *s, struct assign **as);
/* The word of an assignment that assign_scan() began: its value is the rest of the parts. */
void assign_finish(struct parser *p, struct word *w, struct assign *as, struct scan *s);

#endif
