/*
 * g_text.h: growing byte strings, and how wide text is on a terminal.
 */
#ifndef G_TEXT_H
#define G_TEXT_H

#include "g_program.h"

#include <string.h>

/* Bytes with a NUL behind them once anything was added. Zero-initialised is empty. */
typedef struct {
    char *s;
    size_t len, cap;
} g_text;

void g_text_reserve(g_text *text, size_t more); /* room for that many bytes and a NUL */
void g_text_add(g_text *text, const void *bytes, size_t len); /* Appends bytes. */
void g_text_adds(g_text *text, const char *s); /* Appends a text. */
/* Appends what printf() would write. */
void g_text_addf(g_text *text, const char *format, ...) G_PRINTF(2, 3);
static inline void g_text_addc(g_text *text, char c) {
    if (text->cap - text->len < 2) g_text_reserve(text, 1);
    text->s[text->len++] = c;
    text->s[text->len] = '\0';
}
void g_text_free(g_text *text); /* Frees the bytes; empty afterwards. */

/* Columns of a text; control characters and invalid bytes count 0. In a C locale: bytes. */
size_t g_text_width(const char *s, size_t len);

#endif
