/*
 * host/base/base64.c: see base64.h.
 */
#include "base64.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

void base_base64_write(struct base_buf *out, const char *data, size_t len, bool url) {
    const char *letters = url ? safe : plain;
    const uint8_t *p = (const uint8_t *)data;
    char *to = base_buf_room(out, (len + 2) / 3 * 4);
    if (!to) return;
    for (size_t i = 0; i < len; i += 3) {
        uint32_t bits = (uint32_t)p[i] << 16;
        if (i + 1 < len) bits |= (uint32_t)p[i + 1] << 8;
        if (i + 2 < len) bits |= p[i + 2];
        *to++ = letters[bits >> 18];
        *to++ = letters[bits >> 12 & 63];
        *to++ = i + 1 < len ? letters[bits >> 6 & 63] : '=';
        *to++ = i + 2 < len ? letters[bits & 63] : '=';
    }
    out->len += (len + 2) / 3 * 4;
    assert(out->len < out->cap && to == out->data + out->len);
}

static int value_of(char c) {
    const char *at = c ? strchr(plain, c) : NULL;
    if (!at && c) return (at = strchr(safe, c)) ? (int)(at - safe) : -1;
    return at ? (int)(at - plain) : -1;
}

bool base_base64_read(struct base_buf *out, const char *text, size_t len) {
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
