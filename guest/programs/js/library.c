/*
 * library.c: loads a file of the embedded JavaScript library.
 *
 * The files are compiled to bytecode at build time (bake.c) by the very QuickJS that runs them, so
 * that no parsing happens at start and lazily loaded modules cost little. Only bytecode from that
 * table is ever loaded: QuickJS does not check bytecode, so it must never come from a user.
 */
#include "library.h"

#include <string.h>

#include "engine.h"

static const struct library_file *find(const char *name) {
    uint32_t low = 0, high = library_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(name, library_files[middle].name);
        if (order == 0) return &library_files[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* The bytes come from our own build, so this trusts them. */
static void unpack(uint8_t *out, const uint8_t *in, const uint8_t *end) {
    while (in < end) {
        uint8_t head = *in++;
        if (head < 128) {
            memcpy(out, in, head + 1u);
            out += head + 1u;
            in += head + 1u;
            continue;
        }
        const uint8_t *from = out - (in[0] | in[1] << 8);
        for (unsigned left = (head & 127u) + 4; left > 0; left--) /* may overlap */
            *out++ = *from++;
        in += 2;
    }
}

JSValue library_load(JSContext *ctx, const char *name) {
    const struct library_file *file = find(name);
    if (!file) return JS_UNDEFINED;
    uint8_t *packed = library_bytes + file->offset, *bytecode = js_malloc(ctx, file->size);
    if (!bytecode) return JS_EXCEPTION;
    unpack(bytecode, packed, packed + file->packed);
    JSValue code = JS_ReadObject(ctx, bytecode, file->size, JS_READ_OBJ_BYTECODE);
    js_free(ctx, bytecode);
    return JS_IsException(code) ? code : JS_EvalFunction(ctx, code);
}

void library_forget(const char *name) {
    const struct library_file *file = find(name);
    if (file) memset(library_bytes + file->offset, 0, file->packed);
}
