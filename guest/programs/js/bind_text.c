/*
 * bind_text.c: strings to bytes and back: UTF-8, Latin-1, UTF-16, hexadecimal, base64.
 *
 * Buffer, TextEncoder/TextDecoder, atob/btoa and every file read and write go through here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "pf.h"

bool text_bytes(JSContext *ctx, JSValueConst value, uint8_t **data, size_t *len) {
    if (JS_GetTypedArrayType(value) >= 0) {
        size_t offset = 0, bytes = 0, size = 0;
        JSValue buffer = JS_GetTypedArrayBuffer(ctx, value, &offset, &bytes, NULL);
        if (JS_IsException(buffer)) return false;
        uint8_t *base = JS_GetArrayBuffer(ctx, &size, buffer);
        JS_FreeValue(ctx, buffer); /* the array keeps it alive */
        if (!base && bytes > 0) return false;
        *data = base ? base + offset : NULL;
        *len = bytes;
        return true;
    }
    if (JS_IsArrayBuffer(value)) {
        *data = JS_GetArrayBuffer(ctx, len, value);
        return *data != NULL || *len == 0;
    }
    JS_ThrowTypeError(ctx, "not a buffer");
    return false;
}

char *text_utf8(JSContext *ctx, JSValueConst value, size_t *len) {
    const char *raw = JS_ToCStringLen(ctx, len, value);
    if (!raw) return NULL;
    char *text = js_malloc(ctx, *len + 1);
    if (text) {
        memcpy(text, raw, *len + 1);
        for (size_t i = 0; i + 2 < *len; i++) { /* a lone surrogate is ED A0..BF xx */
            if ((uint8_t)text[i] == 0xed && (uint8_t)text[i + 1] >= 0xa0)
                memcpy(text + i, "\xef\xbf\xbd", 3);
        }
    }
    JS_FreeCString(ctx, raw);
    return text;
}

/* Length of the valid sequence at s, or -n: the n bytes there are one maximal invalid part. */
static int sequence(const uint8_t *s, size_t len) {
    uint8_t c = s[0], low = 0x80, high = 0xbf;
    int need;
    if (c < 0x80) return 1;
    if (c >= 0xc2 && c <= 0xdf)
        need = 1;
    else if (c >= 0xe0 && c <= 0xef)
        need = 2, low = c == 0xe0 ? 0xa0 : 0x80, high = c == 0xed ? 0x9f : 0xbf;
    else if (c >= 0xf0 && c <= 0xf4)
        need = 3, low = c == 0xf0 ? 0x90 : 0x80, high = c == 0xf4 ? 0x8f : 0xbf;
    else
        return -1;
    for (int i = 1; i <= need; i++) {
        if ((size_t)i >= len || s[i] < low || s[i] > high) return -i;
        low = 0x80, high = 0xbf;
    }
    return need + 1;
}

/* Index of the first invalid byte, len when there is none. */
static size_t valid_prefix(const uint8_t *data, size_t len) {
    size_t at = 0;
    while (at < len) {
        if (data[at] < 0x80) {
            at++;
            continue;
        }
        int step = sequence(data + at, len - at);
        if (step < 0) break;
        at += (size_t)step;
    }
    return at;
}

JSValue text_decode(JSContext *ctx, const uint8_t *data, size_t len) {
    size_t at = valid_prefix(data, len);
    if (at == len) return JS_NewStringLen(ctx, (const char *)data, len);
    char *clean = js_malloc(ctx, at + (len - at) * 3);
    if (!clean) return JS_EXCEPTION;
    memcpy(clean, data, at);
    size_t out = at;
    while (at < len) {
        int step = sequence(data + at, len - at);
        if (step < 0) {
            memcpy(clean + out, "\xef\xbf\xbd", 3);
            out += 3;
            at += (size_t)-step;
        } else {
            memcpy(clean + out, data + at, (size_t)step);
            out += (size_t)step;
            at += (size_t)step;
        }
    }
    JSValue result = JS_NewStringLen(ctx, clean, out);
    js_free(ctx, clean);
    return result;
}

/* The range [start, end) of the bytes of argv[0], clamped; argv[1] and argv[2] may be missing. */
static bool range(JSContext *ctx, int argc, JSValueConst *argv, uint8_t **data, size_t *len) {
    int64_t start = 0, end;
    if (!text_bytes(ctx, argv[0], data, len)) return false;
    end = (int64_t)*len;
    if (argc > 1 && !JS_IsUndefined(argv[1]) && JS_ToInt64(ctx, &start, argv[1])) return false;
    if (argc > 2 && !JS_IsUndefined(argv[2]) && JS_ToInt64(ctx, &end, argv[2])) return false;
    if (end > (int64_t)*len) end = (int64_t)*len;
    if (start < 0) start = 0;
    if (start > end) start = end;
    *data = *data ? *data + start : NULL;
    *len = (size_t)(end - start);
    return true;
}

static JSValue take_bytes(JSContext *ctx, uint8_t *data, size_t len) {
    JSValue result = JS_NewArrayBufferCopy(ctx, data, len);
    js_free(ctx, data);
    return result;
}

static JSValue utf8_encode(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    size_t len;
    char *text = text_utf8(ctx, argv[0], &len);
    return text ? take_bytes(ctx, (uint8_t *)text, len) : JS_EXCEPTION;
}

static JSValue utf8_length(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    size_t len;
    const char *text = JS_ToCStringLen(ctx, &len, argv[0]);
    if (!text) return JS_EXCEPTION;
    JS_FreeCString(ctx, text);
    return JS_NewInt64(ctx, (int64_t)len);
}

static JSValue utf8_decode(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val;
    uint8_t *data;
    size_t len;
    return range(ctx, argc, argv, &data, &len) ? text_decode(ctx, data, len) : JS_EXCEPTION;
}

/* utf8Valid(bytes, start, end): how many bytes from start are valid UTF-8 */
static JSValue utf8_valid(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val;
    uint8_t *data;
    size_t len;
    if (!range(ctx, argc, argv, &data, &len)) return JS_EXCEPTION;
    return JS_NewInt64(ctx, (int64_t)valid_prefix(data, len));
}

/* The low byte of every UTF-16 unit ("latin1", "binary", "ascii"). */
static JSValue latin1_encode(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    size_t len;
    const uint16_t *units = JS_ToCStringLenUTF16(ctx, &len, argv[0]);
    if (!units) return JS_EXCEPTION;
    uint8_t *data = js_malloc(ctx, len + 1);
    for (size_t i = 0; data && i < len; i++) data[i] = (uint8_t)units[i];
    JS_FreeCStringUTF16(ctx, units);
    return data ? take_bytes(ctx, data, len) : JS_EXCEPTION;
}

static JSValue utf16_encode(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    size_t len;
    const uint16_t *units = JS_ToCStringLenUTF16(ctx, &len, argv[0]);
    if (!units) return JS_EXCEPTION;
    JSValue result = JS_NewArrayBufferCopy(ctx, (const uint8_t *)units, len * 2);
    JS_FreeCStringUTF16(ctx, units);
    return result;
}

static JSValue utf16_decode(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val;
    uint8_t *data;
    size_t len;
    if (!range(ctx, argc, argv, &data, &len)) return JS_EXCEPTION;
    uint16_t *units = js_malloc(ctx, len + 2);
    if (!units) return JS_EXCEPTION;
    memcpy(units, data, len & ~(size_t)1);
    JSValue result = JS_NewStringUTF16(ctx, units, len / 2);
    js_free(ctx, units);
    return result;
}

/* latin1Decode(bytes, start, end, mask): one UTF-16 unit a byte; mask 127 is Node's "ascii" */
static JSValue latin1_decode(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val;
    uint8_t *data;
    size_t len;
    int mask = 255;
    if (!range(ctx, argc, argv, &data, &len) || (argc > 3 && JS_ToInt32(ctx, &mask, argv[3])))
        return JS_EXCEPTION;
    uint16_t *units = js_malloc(ctx, len * 2 + 2);
    if (!units) return JS_EXCEPTION;
    for (size_t i = 0; i < len; i++) units[i] = (uint16_t)(data[i] & mask);
    JSValue result = JS_NewStringUTF16(ctx, units, len);
    js_free(ctx, units);
    return result;
}

static int hex_digit(uint16_t c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* As Node: stops at the first pair that is not hexadecimal. */
static JSValue hex_encode(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    size_t len, out = 0;
    const uint16_t *units = JS_ToCStringLenUTF16(ctx, &len, argv[0]);
    if (!units) return JS_EXCEPTION;
    uint8_t *data = js_malloc(ctx, len / 2 + 1);
    for (size_t i = 0; data && i + 1 < len; i += 2) {
        int high = units[i] < 128 ? hex_digit(units[i]) : -1;
        int low = units[i + 1] < 128 ? hex_digit(units[i + 1]) : -1;
        if (high < 0 || low < 0) break;
        data[out++] = (uint8_t)(high << 4 | low);
    }
    JS_FreeCStringUTF16(ctx, units);
    return data ? take_bytes(ctx, data, out) : JS_EXCEPTION;
}

static JSValue hex_decode(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val;
    static const char digits[] = "0123456789abcdef";
    uint8_t *data;
    size_t len;
    if (!range(ctx, argc, argv, &data, &len)) return JS_EXCEPTION;
    char *text = js_malloc(ctx, len * 2 + 1);
    if (!text) return JS_EXCEPTION;
    for (size_t i = 0; i < len; i++) {
        text[i * 2] = digits[data[i] >> 4];
        text[i * 2 + 1] = digits[data[i] & 15];
    }
    JSValue result = JS_NewStringLen(ctx, text, len * 2);
    js_free(ctx, text);
    return result;
}

static int base64_digit(uint16_t c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/* base64Encode(text, strict) -> bytes. Lenient as Node's Buffer: other characters are skipped, both
 * alphabets are read, `=` ends. Strict as atob(): white space only, else undefined. */
static JSValue base64_encode(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val;
    bool strict = argc > 1 && JS_ToBool(ctx, argv[1]) > 0, bad = false;
    size_t len, out = 0, digits = 0, padding = 0;
    const uint16_t *units = JS_ToCStringLenUTF16(ctx, &len, argv[0]);
    if (!units) return JS_EXCEPTION;
    uint8_t *data = js_malloc(ctx, len / 4 * 3 + 4);
    uint32_t bits = 0;
    for (size_t i = 0; data && i < len; i++) {
        uint16_t c = units[i];
        int digit = base64_digit(c);
        if (strict && (c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r')) continue;
        if (c == '=') {
            if (!strict) break;
            padding++;
            continue;
        }
        if (digit < 0 || (strict && (padding || c == '-' || c == '_'))) {
            bad = true;
            continue;
        }
        bits = bits << 6 | (uint32_t)digit;
        if (++digits % 4 == 0) {
            data[out++] = (uint8_t)(bits >> 16);
            data[out++] = (uint8_t)(bits >> 8);
            data[out++] = (uint8_t)bits;
        }
    }
    JS_FreeCStringUTF16(ctx, units);
    if (!data) return JS_EXCEPTION;
    if (digits % 4 == 2) {
        data[out++] = (uint8_t)(bits >> 4);
    } else if (digits % 4 == 3) {
        data[out++] = (uint8_t)(bits >> 10);
        data[out++] = (uint8_t)(bits >> 2);
    }
    if (strict &&
        (bad || digits % 4 == 1 || padding > 2 || (padding && (digits + padding) % 4 != 0))) {
        js_free(ctx, data);
        return JS_UNDEFINED;
    }
    return take_bytes(ctx, data, out);
}

/* base64Decode(bytes, start, end, url) -> text */
static JSValue base64_decode(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val;
    uint8_t *data;
    size_t len, out = 0;
    if (!range(ctx, argc, argv, &data, &len)) return JS_EXCEPTION;
    bool url = argc > 3 && JS_ToBool(ctx, argv[3]) > 0;
    const char *alphabet = url ? "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
                               : "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = js_malloc(ctx, (len + 2) / 3 * 4 + 1);
    if (!text) return JS_EXCEPTION;
    for (size_t i = 0; i < len; i += 3) {
        size_t left = len - i;
        uint32_t bits = (uint32_t)data[i] << 16 | (left > 1 ? (uint32_t)data[i + 1] << 8 : 0) |
                        (left > 2 ? data[i + 2] : 0);
        text[out++] = alphabet[bits >> 18];
        text[out++] = alphabet[bits >> 12 & 63];
        if (left > 1 || !url) text[out++] = left > 1 ? alphabet[bits >> 6 & 63] : '=';
        if (left > 2 || !url) text[out++] = left > 2 ? alphabet[bits & 63] : '=';
    }
    JSValue result = JS_NewStringLen(ctx, text, out);
    js_free(ctx, text);
    return result;
}

/* copy(target, targetStart, source): bytes copied, as memmove */
static JSValue bytes_copy(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    uint8_t *target, *source;
    size_t target_len, source_len;
    int64_t at;
    if (!text_bytes(ctx, argv[0], &target, &target_len) || JS_ToInt64(ctx, &at, argv[1]) ||
        !text_bytes(ctx, argv[2], &source, &source_len))
        return JS_EXCEPTION;
    if (at < 0 || at > (int64_t)target_len) return JS_NewInt32(ctx, 0);
    size_t room = target_len - (size_t)at, count = source_len < room ? source_len : room;
    if (count) memmove(target + at, source, count);
    return JS_NewInt64(ctx, (int64_t)count);
}

/* compare(a, b): -1, 0, 1 */
static JSValue bytes_compare(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    uint8_t *a, *b;
    size_t a_len, b_len;
    if (!text_bytes(ctx, argv[0], &a, &a_len) || !text_bytes(ctx, argv[1], &b, &b_len))
        return JS_EXCEPTION;
    size_t common = a_len < b_len ? a_len : b_len;
    int order = common ? memcmp(a, b, common) : 0;
    if (order == 0) order = (a_len > b_len) - (a_len < b_len);
    return JS_NewInt32(ctx, (order > 0) - (order < 0));
}

/* find(haystack, needle, from): index or -1 */
static JSValue bytes_find(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    uint8_t *hay, *needle;
    size_t hay_len, needle_len;
    int64_t from;
    if (!text_bytes(ctx, argv[0], &hay, &hay_len) ||
        !text_bytes(ctx, argv[1], &needle, &needle_len) || JS_ToInt64(ctx, &from, argv[2]))
        return JS_EXCEPTION;
    for (size_t at = from < 0 ? 0 : (size_t)from;
         needle_len <= hay_len && at <= hay_len - needle_len;) {
        if (needle_len == 0) return JS_NewInt64(ctx, (int64_t)at);
        const uint8_t *hit = memchr(hay + at, needle[0], hay_len - needle_len + 1 - at);
        if (!hit) break;
        if (memcmp(hit, needle, needle_len) == 0) return JS_NewInt64(ctx, (int64_t)(hit - hay));
        at = (size_t)(hit - hay) + 1;
    }
    return JS_NewInt32(ctx, -1);
}

/* random(bytes): fills all of them */
static JSValue bytes_random(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    uint8_t *data;
    size_t len;
    if (!text_bytes(ctx, argv[0], &data, &len)) return JS_EXCEPTION;
    if (len) pf_random(data, len);
    return JS_UNDEFINED;
}

void bind_text(JSContext *ctx, JSValueConst native) {
    static const JSCFunctionListEntry functions[] = {JS_CFUNC_DEF("utf8Encode", 1, utf8_encode),
                                                     JS_CFUNC_DEF("utf8Length", 1, utf8_length),
                                                     JS_CFUNC_DEF("utf8Decode", 3, utf8_decode),
                                                     JS_CFUNC_DEF("utf8Valid", 3, utf8_valid),
                                                     JS_CFUNC_DEF("latin1Encode", 1, latin1_encode),
                                                     JS_CFUNC_DEF("latin1Decode", 4, latin1_decode),
                                                     JS_CFUNC_DEF("utf16Encode", 1, utf16_encode),
                                                     JS_CFUNC_DEF("utf16Decode", 3, utf16_decode),
                                                     JS_CFUNC_DEF("hexEncode", 1, hex_encode),
                                                     JS_CFUNC_DEF("hexDecode", 3, hex_decode),
                                                     JS_CFUNC_DEF("base64Encode", 2, base64_encode),
                                                     JS_CFUNC_DEF("base64Decode", 4, base64_decode),
                                                     JS_CFUNC_DEF("copy", 3, bytes_copy),
                                                     JS_CFUNC_DEF("compare", 2, bytes_compare),
                                                     JS_CFUNC_DEF("find", 3, bytes_find),
                                                     JS_CFUNC_DEF("random", 1, bytes_random)};
    engine_bind(ctx, native, "text", functions, sizeof functions / sizeof *functions);
}
