/*
 * bind_zlib.c: deflate and inflate in all their wrappings, for zlib.
 *
 * A stream in progress is an object of a class of its own, which the garbage collector ends.
 */
#include <stdlib.h>
#include <string.h>

#include <zlib/zlib.h>

#include "engine.h"
#include "pf.h"

#define PIECE_BYTES (64u << 10)

struct stream {
    z_stream z;
    bool inflates;
};

static JSClassID stream_class;

static void stream_end(JSRuntime *rt, JSValueConst value) {
    (void)rt;
    struct stream *s = JS_GetOpaque(value, stream_class);
    if (!s) return;
    if (s->inflates)
        inflateEnd(&s->z);
    else
        deflateEnd(&s->z);
    free(s);
}

static int stream_init(struct stream *s, const int *options) {
    s->inflates = options[0];
    return s->inflates
               ? inflateInit2(&s->z, options[2])
               : deflateInit2(&s->z, options[1], Z_DEFLATED, options[2], options[3], options[4]);
}

/* start(inflates, level, windowBits, memLevel, strategy): a stream, or a negative number of zlib.
 * windowBits says what is around the data, as zlib.h has it. */
static JSValue zlib_start(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    int options[5];
    for (int i = 0; i < 5; i++) {
        if (JS_ToInt32(ctx, &options[i], argv[i])) return JS_EXCEPTION;
    }
    struct stream *s = calloc(1, sizeof *s);
    if (!s) return JS_ThrowOutOfMemory(ctx);
    int result = stream_init(s, options);
    if (result != Z_OK) {
        free(s);
        return result == Z_MEM_ERROR ? JS_ThrowOutOfMemory(ctx) : JS_NewInt32(ctx, result);
    }
    JSValue object = JS_NewObjectClass(ctx, stream_class);
    if (JS_IsException(object)) {
        if (s->inflates)
            inflateEnd(&s->z);
        else
            deflateEnd(&s->z);
        free(s);
    } else {
        JS_SetOpaque(object, s);
    }
    return object;
}

/* dictionary(stream, bytes): the number of zlib */
static JSValue zlib_dictionary(JSContext *ctx, JSValueConst this_val, int argc,
                               JSValueConst *argv) {
    (void)this_val, (void)argc;
    struct stream *s = JS_GetOpaque2(ctx, argv[0], stream_class);
    uint8_t *data;
    size_t len;
    if (!s || !text_bytes(ctx, argv[1], &data, &len)) return JS_EXCEPTION;
    return JS_NewInt32(ctx, s->inflates ? inflateSetDictionary(&s->z, data, (uInt)len)
                                        : deflateSetDictionary(&s->z, data, (uInt)len));
}

/* Runs until the input is used up and nothing more comes out. The last number of zlib; `out` grows,
 * up to `most` bytes. Z_MEM_ERROR: no memory; Z_BUF_ERROR with a full buffer: more than `most`. */
static int run(struct stream *s, int flush, size_t most, uint8_t **out, size_t *used) {
    size_t room = 0;
    for (;;) {
        if (*used == room) {
            room = room ? room * 2 : 8192;
            uint8_t *more = realloc(*out, room);
            if (!more) return Z_MEM_ERROR;
            *out = more;
        }
        size_t piece = room - *used < PIECE_BYTES ? room - *used : PIECE_BYTES;
        s->z.next_out = *out + *used;
        s->z.avail_out = (uInt)piece;
        int result = s->inflates ? inflate(&s->z, flush) : deflate(&s->z, flush);
        *used += piece - s->z.avail_out;
        pf_yield();
        if (*used > most) return Z_BUF_ERROR;
        /* With Z_FINISH a full buffer is Z_BUF_ERROR to inflate() although it has more to give. */
        if ((result != Z_OK && result != Z_BUF_ERROR) || s->z.avail_out > 0) return result;
    }
}

static void *resize_output(JSRuntime *rt, void *opaque, void *bytes, size_t size) {
    (void)rt, (void)opaque;
    if (size > 0) return realloc(bytes, size);
    free(bytes);
    return NULL;
}

/* Large output is not copied. */
JSValue zlib_output(JSContext *ctx, uint8_t *out, size_t used) {
    uint8_t *fitting = realloc(out, used ? used : 1);
    if (fitting) out = fitting;
    JSValue bytes = JS_NewArrayBuffer(ctx, out, used, 0, resize_output, NULL, false);
    if (JS_IsException(bytes)) free(out);
    return bytes;
}

/* run(stream, bytes, flush, most): [number of zlib, output, bytes of input not used, message] */
static JSValue zlib_run(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    struct stream *s = JS_GetOpaque2(ctx, argv[0], stream_class);
    uint8_t *data, *out = NULL;
    size_t len, used = 0;
    int flush;
    int64_t most;
    if (!s || !text_bytes(ctx, argv[1], &data, &len) || JS_ToInt32(ctx, &flush, argv[2]) ||
        JS_ToInt64(ctx, &most, argv[3]))
        return JS_EXCEPTION;
    s->z.next_in = data;
    s->z.avail_in = (uInt)len;
    int status = run(s, flush, (size_t)most, &out, &used);
    if (status == Z_MEM_ERROR) {
        free(out);
        return JS_ThrowOutOfMemory(ctx);
    }
    JSValue result = JS_NewArray(ctx), bytes = zlib_output(ctx, out, used);
    if (JS_IsException(result) || JS_IsException(bytes)) {
        JS_FreeValue(ctx, result);
        JS_FreeValue(ctx, bytes);
        return JS_EXCEPTION;
    }
    JS_SetPropertyUint32(ctx, result, 0, JS_NewInt32(ctx, status));
    JS_SetPropertyUint32(ctx, result, 1, bytes);
    JS_SetPropertyUint32(ctx, result, 2, JS_NewInt32(ctx, (int)s->z.avail_in));
    JS_SetPropertyUint32(ctx, result, 3, s->z.msg ? JS_NewString(ctx, s->z.msg) : JS_UNDEFINED);
    return result;
}

/* reset(stream): ready for another member */
static JSValue zlib_reset(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    struct stream *s = JS_GetOpaque2(ctx, argv[0], stream_class);
    if (!s) return JS_EXCEPTION;
    return JS_NewInt32(ctx, s->inflates ? inflateReset(&s->z) : deflateReset(&s->z));
}

/* params(stream, level, strategy): the number of zlib; what was fed before must have been flushed
 */
static JSValue zlib_params(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    struct stream *s = JS_GetOpaque2(ctx, argv[0], stream_class);
    int level, strategy;
    if (!s || JS_ToInt32(ctx, &level, argv[1]) || JS_ToInt32(ctx, &strategy, argv[2]))
        return JS_EXCEPTION;
    if (s->inflates) return JS_NewInt32(ctx, Z_OK);
    uint8_t none[16];
    s->z.avail_in = 0;
    s->z.next_out = none;
    s->z.avail_out = sizeof none;
    return JS_NewInt32(ctx, deflateParams(&s->z, level, strategy));
}

/* crc32(bytes, value) */
static JSValue zlib_crc32(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    uint8_t *data;
    size_t len;
    uint32_t value;
    if (!text_bytes(ctx, argv[0], &data, &len) || JS_ToUint32(ctx, &value, argv[1]))
        return JS_EXCEPTION;
    return JS_NewUint32(ctx, (uint32_t)crc32(value, data, (uInt)len));
}

void bind_zlib(JSContext *ctx, JSValueConst native) {
    static const JSCFunctionListEntry functions[] = {
        JS_CFUNC_DEF("start", 5, zlib_start), JS_CFUNC_DEF("dictionary", 2, zlib_dictionary),
        JS_CFUNC_DEF("run", 4, zlib_run),     JS_CFUNC_DEF("reset", 1, zlib_reset),
        JS_CFUNC_DEF("crc32", 2, zlib_crc32), JS_CFUNC_DEF("params", 3, zlib_params)};
    static const JSClassDef definition = {"Zlib", .finalizer = stream_end};
    JSRuntime *rt = JS_GetRuntime(ctx);
    JS_NewClassID(rt, &stream_class);
    JS_NewClass(rt, stream_class, &definition);
    engine_bind(ctx, native, "zlib", functions, sizeof functions / sizeof *functions);
}
