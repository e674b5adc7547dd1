/*
 * dd_charset.h: the character sets that dd converts between.
 */
#ifndef DD_CHARSET_H
#define DD_CHARSET_H

#include <stddef.h>
#include <stdint.h>

/* From EBCDIC to ASCII, and from ASCII to the other two. */
enum dd_charset { DD_ASCII, DD_EBCDIC, DD_IBM };

/* What each byte becomes. */
void dd_charset(uint8_t table[256], enum dd_charset which);

#endif
