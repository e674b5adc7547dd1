/*
 * bind_brotli.c: Brotli, for zlib.
 *
 * A stream in progress is an object of a class of its own, which the garbage collector ends.
 */
#include <stdlib.h>
#include <string.h>

#include <brotli/decode.h>
#include <brotli/encode.h>

#include "engine.h"
#include "pf.h"

#define PIECE_BYTES (64u << 10)

struct stream {
    BrotliEncoderState *encoder; /* one of the two */
    BrotliDecoderState *decoder;
};

static JSClassID stream_class;

static void stream_free(struct stream *s) {
    if (s->encoder) BrotliEncoderDestroyInstance(s->encoder);
    if (s->decoder) BrotliDecoderDestroyInstance(s->decoder);
    free(s);
}

static void stream_end(JSRuntime *rt, JSValueConst value) {
    (void)rt;
    struct stream *s = JS_GetOpaque(value, stream_class);
    if (s) stream_free(s);
}

/* start(decodes): a stream */
static JSValue brotli_start(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    struct stream *s = calloc(1, sizeof *s);
    if (!s) return JS_ThrowOutOfMemory(ctx);
    if (JS_ToBool(ctx, argv[0]) > 0)
        s->decoder = BrotliDecoderCreateInstance(NULL, NULL, NULL);
    else
        s->encoder = BrotliEncoderCreateInstance(NULL, NULL, NULL);
    JSValue object =
        s->decoder || s->encoder ? JS_NewObjectClass(ctx, stream_class) : JS_ThrowOutOfMemory(ctx);
    if (JS_IsException(object))
        stream_free(s);
    else
        JS_SetOpaque(object, s);
    return object;
}

/* parameter(stream, number, value): whether the library takes it */
static JSValue brotli_parameter(JSContext *ctx, JSValueConst this_val, int argc,
                                JSValueConst *argv) {
    (void)this_val, (void)argc;
    struct stream *s = JS_GetOpaque2(ctx, argv[0], stream_class);
    int number;
    uint32_t value;
    if (!s || JS_ToInt32(ctx, &number, argv[1]) || JS_ToUint32(ctx, &value, argv[2]))
        return JS_EXCEPTION;
    if (s->decoder) return JS_NewBool(ctx, BrotliDecoderSetParameter(s->decoder, number, value));
    return JS_NewBool(ctx, BrotliEncoderSetParameter(s->encoder, number, value));
}

/* What one call of the library uses and makes. */
struct work {
    const uint8_t *in;
    size_t in_left;
    uint8_t *out; /* owned, grows */
    size_t used, room;
};

enum { FAILED = -1, MORE_INPUT, DONE, NO_MEMORY };

/* Runs until the input is used up and nothing more comes out, or more than `most` has. */
static int run(struct stream *s, int operation, size_t most, struct work *w) {
    for (;;) {
        if (w->used == w->room) {
            w->room = w->room ? w->room * 2 : 8192;
            uint8_t *more = realloc(w->out, w->room);
            if (!more) return NO_MEMORY;
            w->out = more;
        }
        size_t piece = w->room - w->used < PIECE_BYTES ? w->room - w->used : PIECE_BYTES;
        size_t left = piece;
        uint8_t *next = w->out + w->used;
        bool more, done;
        if (s->decoder) {
            BrotliDecoderResult result =
                BrotliDecoderDecompressStream(s->decoder, &w->in_left, &w->in, &left, &next, NULL);
            if (result == BROTLI_DECODER_RESULT_ERROR) return FAILED;
            more = result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT;
            done = result == BROTLI_DECODER_RESULT_SUCCESS;
        } else {
            if (!BrotliEncoderCompressStream(s->encoder, (BrotliEncoderOperation)operation,
                                             &w->in_left, &w->in, &left, &next, NULL))
                return FAILED;
            more = w->in_left > 0 || BrotliEncoderHasMoreOutput(s->encoder);
            done = BrotliEncoderIsFinished(s->encoder);
        }
        w->used += piece - left;
        pf_yield();
        if (w->used > most || done) return DONE;
        if (!more) return MORE_INPUT;
    }
}

/* run(stream, bytes, operation, most): [-1 failed, 0 wants more, 1 done; output, bytes of input not
 * used, the decoder's error number] */
static JSValue brotli_run(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    struct stream *s = JS_GetOpaque2(ctx, argv[0], stream_class);
    struct work w = {0};
    uint8_t *data;
    int operation;
    int64_t most;
    if (!s || !text_bytes(ctx, argv[1], &data, &w.in_left) ||
        JS_ToInt32(ctx, &operation, argv[2]) || JS_ToInt64(ctx, &most, argv[3]))
        return JS_EXCEPTION;
    w.in = data;
    int status = run(s, operation, (size_t)most, &w);
    if (status == NO_MEMORY) {
        free(w.out);
        return JS_ThrowOutOfMemory(ctx);
    }
    JSValue result = JS_NewArray(ctx), bytes = zlib_output(ctx, w.out, w.used);
    if (JS_IsException(result) || JS_IsException(bytes)) {
        JS_FreeValue(ctx, result);
        JS_FreeValue(ctx, bytes);
        return JS_EXCEPTION;
    }
    BrotliDecoderErrorCode error = s->decoder ? BrotliDecoderGetErrorCode(s->decoder) : 0;
    JS_SetPropertyUint32(ctx, result, 0, JS_NewInt32(ctx, status));
    JS_SetPropertyUint32(ctx, result, 1, bytes);
    JS_SetPropertyUint32(ctx, result, 2, JS_NewInt64(ctx, (int64_t)w.in_left));
    JS_SetPropertyUint32(ctx, result, 3, JS_NewInt32(ctx, (int)error));
    return result;
}

void bind_brotli(JSContext *ctx, JSValueConst native) {
    static const JSCFunctionListEntry functions[] = {JS_CFUNC_DEF("start", 1, brotli_start),
                                                     JS_CFUNC_DEF("parameter", 3, brotli_parameter),
                                                     JS_CFUNC_DEF("run", 4, brotli_run)};
    static const JSClassDef definition = {"Brotli", .finalizer = stream_end};
    JSRuntime *rt = JS_GetRuntime(ctx);
    JS_NewClassID(rt, &stream_class);
    JS_NewClass(rt, stream_class, &definition);
    engine_bind(ctx, native, "brotli", functions, sizeof functions / sizeof *functions);
}
