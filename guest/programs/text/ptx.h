/*
 * ptx.h: what the parts of ptx share: options, occurrences of keywords, and their layout.
 */
#ifndef PTX_H
#define PTX_H

#include "g_program.h"

enum ptx_format { PTX_DUMB, PTX_ROFF, PTX_TEX };

/* A half-open range of the text. */
typedef struct {
    const char *start, *end;
} ptx_span;

/* One file as a whole, and how many lines stood in those before it. */
typedef struct {
    const char *name; /* NULL: standard input */
    ptx_span text;
    uint64_t lines;
} ptx_file;

/* A keyword in its context. */
typedef struct {
    ptx_span key, context, reference;
    const ptx_file *file;
    uint64_t line; /* of its file, from 0; for --auto-reference */
} ptx_occurrence;

typedef struct {
    enum ptx_format format;
    bool gnu, auto_reference, input_reference, right_reference, fold;
    const char *truncation, *macro;
    int64_t gap, width;
    bool word[256]; /* bytes that words are made of, without --word-regexp */
    struct pf_regex *word_regex;
    int64_t longest_word, reference_width;
} ptx_options;

/* Where the first word in `range` stands; false when there is none. */
bool ptx_find_word(const ptx_options *o, ptx_span range, ptx_span *word);
/* Behind the word, or the one byte, that begins at `at`. */
const char *ptx_skip_something(const ptx_options *o, const char *at, const char *limit);
/* Subtracts what references and marks take from the width; once, before the first line. */
void ptx_prepare_layout(ptx_options *o);
/* Prints the line of one occurrence. */
void ptx_put(const ptx_options *o, const ptx_occurrence *at);

#endif
