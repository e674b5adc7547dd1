/*
 * host/base/buf.c: see buf.h.
 */
#include "buf.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST 64

void base_buf_init(struct base_buf *buf, size_t max) {
    *buf = (struct base_buf){.max = max};
}

void base_buf_free(struct base_buf *buf) {
    free(buf->data);
    base_buf_init(buf, buf->max);
}

char *base_buf_room(struct base_buf *buf, size_t len) {
    assert(buf->cap ? buf->data && buf->len < buf->cap : buf->len == 0);
    if (len > buf->max || buf->len > buf->max - len) {
        buf->over = buf->failed = true;
        return NULL;
    }
    size_t need = buf->len + len + 1;
    if (need > buf->cap) {
        size_t cap = buf->cap ? buf->cap : FIRST;
        while (cap < need) cap = cap > (size_t)-1 / 2 ? need : cap * 2;
        if (cap > buf->max + 1 && buf->max != (size_t)-1) cap = buf->max + 1;
        char *data = realloc(buf->data, cap);
        if (!data) {
            buf->failed = true;
            return NULL;
        }
        buf->data = data;
        buf->cap = cap;
    }
    assert(need <= buf->cap);
    buf->data[buf->len + len] = '\0';
    return buf->data + buf->len;
}

bool base_buf_add(struct base_buf *buf, const void *data, size_t len) {
    if (buf->failed) return false;
    char *room = base_buf_room(buf, len);
    if (!room) return false;
    if (len) memcpy(room, data, len);
    buf->len += len;
    return true;
}

bool base_buf_addz(struct base_buf *buf, const char *string) {
    return base_buf_add(buf, string, strlen(string));
}

void base_hex(char *out, const uint8_t *bytes, size_t len) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < len; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
    *out = '\0';
}

bool base_buf_add_hex(struct base_buf *buf, const uint8_t *bytes, size_t len) {
    size_t before = buf->len;
    for (size_t i = 0; i < len; i++) {
        char two[3];
        base_hex(two, bytes + i, 1);
        if (base_buf_add(buf, two, 2)) continue;
        buf->len = before;
        if (buf->data) buf->data[before] = '\0';
        return false;
    }
    return true;
}

bool base_buf_addf(struct base_buf *buf, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0 || buf->failed) return false;
    char *room = base_buf_room(buf, (size_t)n);
    if (!room) return false;
    va_start(args, format);
    vsnprintf(room, (size_t)n + 1, format, args);
    va_end(args);
    buf->len += (size_t)n;
    return true;
}

char *base_buf_take(struct base_buf *buf, size_t *len) {
    char *data = buf->data;
    if (len) *len = buf->len;
    base_buf_init(buf, buf->max);
    return data;
}
