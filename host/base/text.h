/*
 * host/base/text.h: builds a message in a buffer of fixed size.
 *
 * Called wherever a text for a person is put together from parts that others wrote: it needs no
 * memory, so it cannot fail, and what is too long ends in "…" at a character. The buffer always
 * holds a NUL-terminated text.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct base_text {
    char *data;
    size_t size; /* of the buffer; at least 8 */
    size_t len;  /* without the NUL */
    bool full;   /* "…" was put at the end: the rest is dropped */
};

/* An empty text in the caller's buffer. */
void base_text_init(struct base_text *text, char *buffer, size_t size);
/* Appends bytes; what does not fit is cut between two characters, and "…" put in its place. */
void base_text_add(struct base_text *text, const char *data, size_t len);
void base_text_addz(struct base_text *text, const char *string); /* Appends a string. */
/* Appends what printf() would write, at most 511 bytes. */
void base_text_addf(struct base_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Drops what came after `len`, a length it had before. */
void base_text_rewind(struct base_text *text, size_t len);

#endif
