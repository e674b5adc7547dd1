/*
 * host/http/base64.c: see base64.h.
 */
#include "base64.h"

#include <stdint.h>
#include <string.h>

static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

void http_base64_write(struct base_buf *out, const char *data, size_t len, bool url) {
    const char *letters = url ? safe : plain;
    const unsigned char *p = (const unsigned char *)data;
    for (size_t i = 0; i < len; i += 3) {
        size_t n = len - i < 3 ? len - i : 3;
        uint32_t bits = (uint32_t)p[i] << 16;
        if (n > 1) bits |= (uint32_t)p[i + 1] << 8;
        if (n > 2) bits |= p[i + 2];
        char four[4] = {letters[bits >> 18], letters[bits >> 12 & 63],
                        n > 1 ? letters[bits >> 6 & 63] : '=', n > 2 ? letters[bits & 63] : '='};
        base_buf_add(out, four, 4);
    }
}

static int value_of(char c) {
    const char *at = c ? strchr(plain, c) : NULL;
    if (!at && c) return (at = strchr(safe, c)) ? (int)(at - safe) : -1;
    return at ? (int)(at - plain) : -1;
}

bool http_base64_read(struct base_buf *out, const char *text, size_t len) {
    uint32_t bits = 0;
    unsigned have = 0;
    while (len && text[len - 1] == '=') len--;
    for (size_t i = 0; i < len; i++) {
        int value = value_of(text[i]);
        if (value < 0) return false;
        bits = bits << 6 | (uint32_t)value;
        have += 6;
        if (have < 8) continue;
        have -= 8;
        char byte = (char)(bits >> have);
        base_buf_add(out, &byte, 1);
    }
    return len % 4 != 1;
}
