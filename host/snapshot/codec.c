/*
 * host/snapshot/codec.c: see codec.h.
 */
#include "codec.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void put_raw(struct writer *w, const void *data, size_t len) {
    if (!w->failed && !base_buf_add(&w->out, data, len)) w->failed = true;
}

void put_u32(struct writer *w, uint32_t value) {
    uint8_t b[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                    (uint8_t)(value >> 24)};
    put_raw(w, b, sizeof b);
}

void put_u64(struct writer *w, uint64_t value) {
    put_u32(w, (uint32_t)value);
    put_u32(w, (uint32_t)(value >> 32));
}

void put_bytes(struct writer *w, const void *data, size_t len) {
    assert(data || !len);
    put_u64(w, len);
    put_raw(w, data, len);
}

const uint8_t *get_raw(struct reader *r, size_t len) {
    static const uint8_t none[8];
    assert(r->at <= r->len);
    if (r->bad || len > r->len - r->at) {
        r->bad = true;
        return len <= sizeof none ? none : NULL;
    }
    const uint8_t *p = r->data + r->at;
    r->at += len;
    return p;
}

uint32_t get_u32(struct reader *r) {
    const uint8_t *p = get_raw(r, 4);
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

uint64_t get_u64(struct reader *r) {
    uint64_t low = get_u32(r);
    return low | (uint64_t)get_u32(r) << 32;
}

const char *get_bytes(struct reader *r, size_t max, size_t *len) {
    uint64_t n = get_u64(r);
    if (n > max) r->bad = true;
    const uint8_t *p = r->bad ? NULL : get_raw(r, (size_t)n);
    *len = r->bad ? 0 : (size_t)n;
    assert(r->bad || r->at <= r->len);
    return r->bad ? "" : (const char *)p;
}

char *get_string(struct reader *r, size_t max) {
    size_t len;
    const char *p = get_bytes(r, max, &len);
    if (r->bad || memchr(p, '\0', len)) {
        r->bad = true;
        return NULL;
    }
    char *copy = malloc(len + 1);
    if (!copy) {
        r->bad = true;
        return NULL;
    }
    memcpy(copy, p, len);
    copy[len] = '\0';
    return copy;
}
