/*
 * host/base/utf8.h: the little that the host needs to know about UTF-8.
 *
 * Called where texts are counted, cut for a message, or taken from an embedder. Lengths are in
 * bytes unless they say otherwise; nothing needs a terminating NUL.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest n <= len at which text[0 .. n) ends with a whole character: a character whose tail is
 * missing is dropped. For text that was cut somewhere. */
size_t base_utf8_cut(const char *text, size_t len);
/* Well-formed: no overlong forms, no surrogates, nothing over U+10FFFF. */
bool base_utf8_valid(const char *text, size_t len);
/* Code points of valid text. */
size_t base_utf8_count(const char *text, size_t len);
/* Decodes the character at text[0 .. len), len > 0; returns its bytes, 0 when it is malformed. */
size_t base_utf8_decode(const char *text, size_t len, uint32_t *point);
/* Writes a code point (not a surrogate) to out[0 .. 4); returns its bytes. */
size_t base_utf8_encode(uint32_t point, char *out);

#endif
