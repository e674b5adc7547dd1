/*
 * bind_hash.c: MD5, SHA-1 and SHA-2 for crypto and crypto.subtle, and the costly part of scrypt.
 *
 * A hash in progress is a struct in an ArrayBuffer, so that copying one is copying bytes.
 */
#include <string.h>

#include "engine.h"
#include "lib/hash/hash.h"
#include "pf.h"

/* In pieces, with a chance for others between them. */
static void update(pf_hash *h, const uint8_t *data, size_t len) {
    static const size_t piece = 256 << 10;
    for (; len > piece; data += piece, len -= piece) {
        pf_hash_update(h, data, piece);
        pf_yield();
    }
    pf_hash_update(h, data, len);
}

static int find_kind(JSContext *ctx, JSValueConst value) {
    const char *name = JS_ToCString(ctx, value);
    int found = -1;
    for (int i = 0; name && i < PF_HASH_KINDS; i++) {
        if (strcmp(name, pf_hash_kinds[i].name) == 0) found = i;
    }
    JS_FreeCString(ctx, name);
    return found;
}

/* init(name): the state of a new hash; undefined for an unknown name */
static JSValue hash_new(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    pf_hash h;
    int kind = find_kind(ctx, argv[0]);
    if (kind < 0) return JS_UNDEFINED;
    pf_hash_init(&h, (enum pf_hash_kind)kind);
    return JS_NewArrayBufferCopy(ctx, (const uint8_t *)&h, sizeof h);
}

/* A copy of the state in `value`; false with an exception when it is none. */
static bool take_state(JSContext *ctx, JSValueConst value, pf_hash *h) {
    size_t len;
    uint8_t *data;
    if (!text_bytes(ctx, value, &data, &len)) return false;
    if (len == sizeof *h) memcpy(h, data, sizeof *h);
    if (len != sizeof *h || h->kind >= PF_HASH_KINDS || h->used >= pf_hash_kinds[h->kind].block) {
        JS_ThrowTypeError(ctx, "not the state of a hash");
        return false;
    }
    return true;
}

/* update(state, bytes): the next state */
static JSValue hash_more(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    pf_hash h;
    uint8_t *data;
    size_t len;
    if (!take_state(ctx, argv[0], &h) || !text_bytes(ctx, argv[1], &data, &len))
        return JS_EXCEPTION;
    update(&h, data, len);
    return JS_NewArrayBufferCopy(ctx, (const uint8_t *)&h, sizeof h);
}

/* final(state): the digest */
static JSValue hash_end(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    pf_hash h;
    uint8_t out[64];
    if (!take_state(ctx, argv[0], &h)) return JS_EXCEPTION;
    pf_hash_final(&h, out);
    return JS_NewArrayBufferCopy(ctx, out, pf_hash_kinds[h.kind].size);
}

/* digest(name, bytes) in one go; undefined for an unknown name */
static JSValue hash_digest(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    pf_hash h;
    uint8_t *data, out[64];
    size_t len;
    int kind = find_kind(ctx, argv[0]);
    if (kind < 0) return JS_UNDEFINED;
    if (!text_bytes(ctx, argv[1], &data, &len)) return JS_EXCEPTION;
    pf_hash_init(&h, (enum pf_hash_kind)kind);
    update(&h, data, len);
    pf_hash_final(&h, out);
    return JS_NewArrayBufferCopy(ctx, out, pf_hash_kinds[kind].size);
}

/* Salsa20/8 on 16 words, as RFC 7914 has it. */
static void salsa8(uint32_t *words) {
    static const uint8_t steps[32][3] = {
        {4, 0, 12},   {8, 4, 0},    {12, 8, 4},  {0, 12, 8},  {9, 5, 1},    {13, 9, 5},
        {1, 13, 9},   {5, 1, 13},   {14, 10, 6}, {2, 14, 10}, {6, 2, 14},   {10, 6, 2},
        {3, 15, 11},  {7, 3, 15},   {11, 7, 3},  {15, 11, 7}, {1, 0, 3},    {2, 1, 0},
        {3, 2, 1},    {0, 3, 2},    {6, 5, 4},   {7, 6, 5},   {4, 7, 6},    {5, 4, 7},
        {11, 10, 9},  {8, 11, 10},  {9, 8, 11},  {10, 9, 8},  {12, 15, 14}, {13, 12, 15},
        {14, 13, 12}, {15, 14, 13},
    };
    static const uint8_t turns[4] = {7, 9, 13, 18};
    uint32_t x[16];
    memcpy(x, words, sizeof x);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 32; i++) {
            uint32_t sum = x[steps[i][1]] + x[steps[i][2]];
            x[steps[i][0]] ^= sum << turns[i % 4] | sum >> (32 - turns[i % 4]);
        }
    }
    for (int i = 0; i < 16; i++) words[i] += x[i];
}

/* scryptBlockMix of RFC 7914: `b` has 2r blocks of 16 words, `y` room for as many. */
static void block_mix(uint32_t *b, uint32_t *y, uint32_t r) {
    uint32_t x[16];
    memcpy(x, b + (2 * r - 1) * 16, sizeof x);
    for (uint32_t i = 0; i < 2 * r; i++) {
        for (int j = 0; j < 16; j++) x[j] ^= b[i * 16 + j];
        salsa8(x);
        memcpy(y + (i / 2 + (i & 1) * r) * 16, x, sizeof x);
    }
    memcpy(b, y, (size_t)r * 128);
}

/* scryptMix(bytes, N): scryptROMix of RFC 7914, in place; `bytes` are 128 r, and N is a power of 2.
   The words are those of a machine that is little-endian, as WebAssembly is. */
static JSValue hash_scrypt_mix(JSContext *ctx, JSValueConst this_val, int argc,
                               JSValueConst *argv) {
    (void)this_val, (void)argc;
    uint8_t *data;
    size_t len;
    uint32_t n;
    if (!text_bytes(ctx, argv[0], &data, &len) || JS_ToUint32(ctx, &n, argv[1]))
        return JS_EXCEPTION;
    if (len == 0 || len % 128 || n < 2 || (n & (n - 1)) || len > SIZE_MAX / ((size_t)n + 2))
        return JS_ThrowRangeError(ctx, "not what scrypt mixes");
    uint32_t *all = js_malloc(ctx, len * ((size_t)n + 2));
    if (!all) return JS_EXCEPTION;
    size_t words = len / 4;
    uint32_t r = (uint32_t)(len / 128), *x = all + words * n, *y = x + words;
    memcpy(x, data, len);
    for (uint32_t i = 0; i < n; i++) {
        memcpy(all + words * i, x, len);
        block_mix(x, y, r);
        if (i % 1024 == 0) pf_yield();
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *row = all + words * (x[(2 * r - 1) * 16] & (n - 1));
        for (size_t j = 0; j < words; j++) x[j] ^= row[j];
        block_mix(x, y, r);
        if (i % 1024 == 0) pf_yield();
    }
    memcpy(data, x, len);
    js_free(ctx, all);
    return JS_UNDEFINED;
}

void bind_hash(JSContext *ctx, JSValueConst native) {
    static const JSCFunctionListEntry functions[] = {
        JS_CFUNC_DEF("init", 1, hash_new), JS_CFUNC_DEF("update", 2, hash_more),
        JS_CFUNC_DEF("final", 1, hash_end), JS_CFUNC_DEF("digest", 2, hash_digest),
        JS_CFUNC_DEF("scryptMix", 2, hash_scrypt_mix)};
    engine_bind(ctx, native, "hash", functions, sizeof functions / sizeof *functions);
}
