/*
 * bind_hash.c: MD5, SHA-1 and SHA-2 for crypto and crypto.subtle.
 *
 * A hash in progress is a struct in an ArrayBuffer, so that copying one is copying bytes.
 */
#include <string.h>

#include "engine.h"
#include "lib/hash/hash.h"
#include "pf.h"

/* In pieces, with a chance for others between them. */
static void update(pf_hash *h, const uint8_t *data, size_t len)
{
    static const size_t piece = 256 << 10;
    for (; len > piece; data += piece, len -= piece) {
        pf_hash_update(h, data, piece);
        pf_yield();
    }
    pf_hash_update(h, data, len);
}

static int find_kind(JSContext *ctx, JSValueConst value)
{
    const char *name = JS_ToCString(ctx, value);
    int found = -1;
    for (int i = 0; name && i < PF_HASH_KINDS; i++) {
        if (strcmp(name, pf_hash_kinds[i].name) == 0)
            found = i;
    }
    JS_FreeCString(ctx, name);
    return found;
}

/* init(name): the state of a new hash; undefined for an unknown name */
static JSValue hash_new(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val, (void)argc;
    pf_hash h;
    int kind = find_kind(ctx, argv[0]);
    if (kind < 0)
        return JS_UNDEFINED;
    pf_hash_init(&h, (enum pf_hash_kind)kind);
    return JS_NewArrayBufferCopy(ctx, (const uint8_t *)&h, sizeof h);
}

/* A copy of the state in `value`; false with an exception when it is none. */
static bool take_state(JSContext *ctx, JSValueConst value, pf_hash *h)
{
    size_t len;
    uint8_t *data;
    if (!text_bytes(ctx, value, &data, &len))
        return false;
    if (len == sizeof *h)
        memcpy(h, data, sizeof *h);
    if (len != sizeof *h || h->kind >= PF_HASH_KINDS || h->used >= pf_hash_kinds[h->kind].block) {
        JS_ThrowTypeError(ctx, "not the state of a hash");
        return false;
    }
    return true;
}

/* update(state, bytes): the next state */
static JSValue hash_more(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
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
static JSValue hash_end(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val, (void)argc;
    pf_hash h;
    uint8_t out[64];
    if (!take_state(ctx, argv[0], &h))
        return JS_EXCEPTION;
    pf_hash_final(&h, out);
    return JS_NewArrayBufferCopy(ctx, out, pf_hash_kinds[h.kind].size);
}

/* digest(name, bytes) in one go; undefined for an unknown name */
static JSValue hash_digest(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val, (void)argc;
    pf_hash h;
    uint8_t *data, out[64];
    size_t len;
    int kind = find_kind(ctx, argv[0]);
    if (kind < 0)
        return JS_UNDEFINED;
    if (!text_bytes(ctx, argv[1], &data, &len))
        return JS_EXCEPTION;
    pf_hash_init(&h, (enum pf_hash_kind)kind);
    update(&h, data, len);
    pf_hash_final(&h, out);
    return JS_NewArrayBufferCopy(ctx, out, pf_hash_kinds[kind].size);
}

void bind_hash(JSContext *ctx, JSValueConst native)
{
    static const JSCFunctionListEntry functions[] = {
        JS_CFUNC_DEF("init", 1, hash_new),
        JS_CFUNC_DEF("update", 2, hash_more),
        JS_CFUNC_DEF("final", 1, hash_end),
        JS_CFUNC_DEF("digest", 2, hash_digest),
    };
    engine_bind(ctx, native, "hash", functions, sizeof functions / sizeof *functions);
}
