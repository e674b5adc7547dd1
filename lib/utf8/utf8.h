/*
 * lib/utf8/utf8.h: UTF-8 and what characters are, independent of any locale.
 *
 * Used by lib/regex, the shell and the text commands, in the sandbox and on the host. Answers are
 * glibc's in C.UTF-8. Pure: constant tables, no state.
 */
#ifndef PF_UTF8_H
#define PF_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PF_UTF8_MAX     4         /* bytes of the longest character */
#define PF_UNI_MAX      0x10ffffu /* the largest code point */
#define PF_UNI_REPLACED 0xfffdu   /* what shows in place of an invalid byte */

/*
 * Decodes the character at the start of text[0 .. len), len > 0. Its length in bytes (1 .. 4), or 0
 * when the bytes there are no valid character: overlong, a surrogate, out of range or cut short.
 */
int pf_utf8_decode(const char *text, size_t len, uint32_t *code);
/* The same for the character that ends at the end of text[0 .. len). */
int pf_utf8_decode_last(const char *text, size_t len, uint32_t *code);
/* Writes the character's bytes; their number, 0 for a surrogate or a number over PF_UNI_MAX. */
int pf_utf8_encode(uint32_t code, char out[PF_UTF8_MAX]);
/* How many bytes at the start of text are valid. */
size_t pf_utf8_valid_len(const char *text, size_t len);
/* The number of characters, an invalid byte counting as one. */
size_t pf_utf8_count(const char *text, size_t len);
/* true when text may be the start of a longer valid character that was cut off. */
bool pf_utf8_is_cut(const char *text, size_t len);

enum pf_uni_class {
    PF_UNI_ALPHA,
    PF_UNI_UPPER,
    PF_UNI_LOWER,
    PF_UNI_DIGIT,
    PF_UNI_XDIGIT,
    PF_UNI_SPACE,
    PF_UNI_BLANK,
    PF_UNI_CNTRL,
    PF_UNI_PRINT,
    PF_UNI_ALNUM,
    PF_UNI_GRAPH,
    PF_UNI_PUNCT,
    PF_UNI_CLASSES
};
/* Is a code point of this class? Above 0x10ffff: of none. */
bool pf_uni_is(uint32_t code, enum pf_uni_class class);
/* The class of a POSIX name ("alpha" …), or -1. */
int pf_uni_class_named(const char *name, size_t len);
/*
 * The runs of the classes up to PF_UNI_PRINT in ascending order, to build sets from: run `index` as
 * first .. last; false when there is none. Adjacent runs may touch. The other three are made of
 * these: ALNUM = ALPHA or DIGIT, GRAPH = PRINT and not SPACE, PUNCT = GRAPH and not ALNUM.
 */
bool pf_uni_run(enum pf_uni_class class, size_t index, uint32_t *first, uint32_t *last);

uint32_t pf_uni_lower(uint32_t code); /* The simple lower-case form, or the code point itself. */
uint32_t pf_uni_upper(uint32_t code); /* The simple upper-case form, or the code point itself. */
/*
 * Case pairs as runs: every stride-th code point of first .. last has its other case at + delta;
 * to_upper says which of the two tables. false when there is no run `index`.
 */
bool pf_uni_case_run(bool to_upper, size_t index, uint32_t *first, uint32_t *last, uint32_t *stride,
                     int32_t *delta);

/* Terminal columns: 0, 1 or 2; -1 for what cannot be printed. */
int pf_uni_width(uint32_t code);

#endif
