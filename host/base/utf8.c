/*
 * host/base/utf8.c: see utf8.h.
 */
#include "utf8.h"

#include <assert.h>

/* Bytes of the character that starts with `c`; 0: nothing starts with it. */
static size_t length_of(unsigned char c) {
    if (c < 0x80) return 1;
    if (c >= 0xC2 && c <= 0xDF) return 2;
    if (c >= 0xE0 && c <= 0xEF) return 3;
    if (c >= 0xF0 && c <= 0xF4) return 4;
    return 0;
}

static bool is_tail(char c) {
    return ((unsigned char)c & 0xC0) == 0x80;
}

size_t base_utf8_cut(const char *text, size_t len) {
    size_t tail = 0;
    while (tail < 3 && tail < len && is_tail(text[len - 1 - tail])) tail++;
    if (tail == len) return len; /* nothing but tails: not ours to judge */
    size_t need = length_of((unsigned char)text[len - 1 - tail]);
    return need > tail + 1 ? len - tail - 1 : len;
}

size_t base_utf8_decode(const char *text, size_t len, uint32_t *point) {
    unsigned char c = (unsigned char)text[0];
    size_t n = length_of(c);
    if (n == 0 || n > len) return 0;
    if (n == 1) {
        *point = c;
        return 1;
    }
    uint32_t value = c & (0xFFu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if (!is_tail(text[i])) return 0;
        value = value << 6 | ((unsigned char)text[i] & 0x3F);
    }
    if (n == 3 && (value < 0x800 || (value >= 0xD800 && value <= 0xDFFF))) return 0;
    if (n == 4 && (value < 0x10000 || value > 0x10FFFF)) return 0;
    *point = value;
    return n;
}

size_t base_utf8_encode(uint32_t point, char *out) {
    assert(point <= 0x10FFFF);
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (char)(0xC0 | point >> 6);
        out[1] = (char)(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (char)(0xE0 | point >> 12);
        out[1] = (char)(0x80 | (point >> 6 & 0x3F));
        out[2] = (char)(0x80 | (point & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | point >> 18);
    out[1] = (char)(0x80 | (point >> 12 & 0x3F));
    out[2] = (char)(0x80 | (point >> 6 & 0x3F));
    out[3] = (char)(0x80 | (point & 0x3F));
    return 4;
}

bool base_utf8_valid(const char *text, size_t len) {
    for (size_t at = 0; at < len;) {
        uint32_t point;
        size_t n = base_utf8_decode(text + at, len - at, &point);
        if (n == 0) return false;
        at += n;
    }
    return true;
}

size_t base_utf8_count(const char *text, size_t len) {
    size_t count = 0;
    for (size_t i = 0; i < len; i++) count += !is_tail(text[i]);
    return count;
}
