/*
 * host/base/printable.c: text that others wrote, as it may stand on a terminal or in a log.
 *
 * The names, arguments and paths of a sandbox or a snapshot are chosen by scripts. Shown as they
 * are they could move the cursor, reverse the order of a line, hide a part of it or begin a new
 * one, so that a reader sees what is not there. Every face shows them through pf_printable(): the
 * errors of the library, the command line, and the Python package.
 */
#include "pinfold.h"
#include "utf8.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* What acts on a terminal, or shows as nothing: Unicode's Cc, Cf, Zl, Zp, Default_Ignorable and the
 * noncharacters below U+1FFFE, as of Unicode 17. Ascending. */
static const struct {
    uint32_t first, last;
} hidden[] = {
    {0x0, 0x1f},         {0x7f, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},
    {0x600, 0x605},      {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},
    {0x890, 0x891},      {0x8e2, 0x8e2},     {0x115f, 0x1160},   {0x17b4, 0x17b5},
    {0x180b, 0x180f},    {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},
    {0x3164, 0x3164},    {0xfdd0, 0xfdef},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},
    {0xffa0, 0xffa0},    {0xfff0, 0xfffb},   {0xfffe, 0xffff},   {0x110bd, 0x110bd},
    {0x110cd, 0x110cd},  {0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
    {0xe0000, 0xe0fff},
};

static bool is_hidden(uint32_t point) {
    if (point >= 0x20 && point < 0x7f) return false;
    if ((point & 0xfffe) == 0xfffe) return true; /* the last two of each plane */
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden && hidden[i].first <= point; i++)
        if (point <= hidden[i].last) return true;
    return false;
}

enum { ESCAPE_SIZE = 16 }; /* the longest escape, two surrogates, and a NUL */

/* Writes the escape of a code point, as JSON has it; gives its length. */
static size_t escape(uint32_t point, char out[ESCAPE_SIZE]) {
    const char *known = point == '\n'   ? "\\n"
                        : point == '\r' ? "\\r"
                        : point == '\t' ? "\\t"
                                        : NULL;
    int len;
    if (known)
        len = snprintf(out, ESCAPE_SIZE, "%s", known);
    else if (point < 0x10000)
        len = snprintf(out, ESCAPE_SIZE, "\\u%04x", (unsigned)point);
    else
        len = snprintf(out, ESCAPE_SIZE, "\\u%04x\\u%04x",
                       0xd800 + ((unsigned)point - 0x10000) / 0x400,
                       0xdc00 + (unsigned)point % 0x400);
    assert(len > 0 && len < ESCAPE_SIZE);
    return (size_t)len;
}

size_t pf_printable(char *out, size_t size, const char *text, size_t len) {
    size_t needed = 0, written = 0;
    bool room = size > 0;
    for (size_t i = 0, taken; i < len; i += taken) {
        char escaped[ESCAPE_SIZE];
        const char *piece = text + i;
        uint32_t point = 0;
        size_t bytes = taken = base_utf8_decode(text + i, len - i, &point);
        if (taken == 0) {
            taken = 1;
            bytes = (size_t)snprintf(escaped, sizeof escaped, "\\x%02x", (unsigned char)text[i]);
            piece = escaped;
        } else if (is_hidden(point)) {
            bytes = escape(point, escaped);
            piece = escaped;
        }
        needed += bytes;
        room = room && needed < size; /* a piece is there whole or not at all */
        if (room) {
            memcpy(out + written, piece, bytes);
            written += bytes;
        }
    }
    if (size > 0) out[written] = '\0';
    return needed;
}
