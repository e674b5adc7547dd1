/*
 * patch_binary.c: binary patches of git: packed, in letters.
 */
#include "patch.h"

#include <zlib.h>

#define line_number patch_line_number
#define line_length patch_line_length
#define begins patch_begins

static int base85(char c) {
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

static bool decode_line(g_text *out, const char *at, size_t digits, size_t bytes) {
    for (size_t i = 0; i + 5 <= digits; i += 5) {
        uint64_t value = 0;
        for (int k = 0; k < 5; k++) {
            int digit = base85(at[i + (size_t)k]);
            if (digit < 0) return false;
            value = value * 85 + (uint64_t)digit;
        }
        if (value > 0xffffffffu) return false;
        for (int k = 3; k >= 0 && bytes; k--, bytes--) g_text_addc(out, (char)(value >> (k * 8)));
    }
    return bytes == 0;
}

static bool unpack(binary_hunk *b, const g_text *packed, size_t size) {
    z_stream z = {0};
    if (inflateInit(&z) != Z_OK) return false;
    b->data = g_alloc(size + 1);
    z.next_in = (Bytef *)(packed->s ? packed->s : "");
    z.avail_in = (uInt)packed->len;
    z.next_out = (Bytef *)b->data;
    z.avail_out = (uInt)size + 1;
    int rc = inflate(&z, Z_FINISH);
    bool ok = rc == Z_STREAM_END && z.total_out == size;
    inflateEnd(&z);
    return ok;
}

/* "literal N" or "delta N" and its lines; NULL: none here, or *bad. */
static const char *read_binary(binary_hunk *b, const char *at, const char *end, bool *bad) {
    char *stop;
    g_text packed = {0};
    bool delta = begins(at, end, "delta ");
    if (!delta && !begins(at, end, "literal ")) return NULL;
    unsigned long size = strtoul(at + (delta ? 6 : 8), &stop, 10);
    for (at += line_length(at, end), line_number++; at < end; at += line_length(at, end), line_number++) {
        size_t len = line_length(at, end);
        if (len == 1) {
            at++, line_number++;
            break;
        }
        size_t bytes = *at >= 'A' && *at <= 'Z' ? (size_t)(*at - 'A') + 1
                       : *at >= 'a' && *at <= 'z' ? (size_t)(*at - 'a') + 27 : 0;
        if (!bytes || (len - 2) % 5 || !decode_line(&packed, at + 1, len - 2, bytes)) *bad = true;
        if (*bad) return NULL;
    }
    if (size > 256u << 20 || !unpack(b, &packed, size)) *bad = true;
    b->len = size;
    b->delta = delta;
    g_text_free(&packed);
    return *bad ? NULL : at;
}

/* What stands instead of hunks when a file is binary; NULL after a message. */
const char *patch_read_binary(file_patch *p, const char *at, const char *end) {
    bool bad = false;
    if (begins(at, end, "GIT binary patch\n")) {
        p->is_binary = true;
        at += line_length(at, end);
        line_number++;
        int line = line_number;
        const char *next = read_binary(&p->forward, at, end, &bad);
        if (!next) return error(bad ? "corrupt binary patch at line %d: %.*s" : "unrecognized binary patch at line %d",
                                bad ? line_number : line - 1, (int)strcspn(at, "\n"), at), NULL;
        at = next;
        next = read_binary(&p->backward, at, end, &bad);
        if (bad) return error("corrupt binary patch at line %d: %.*s", line_number, (int)strcspn(at, "\n"), at), NULL;
        return next ? next : at;
    }
    size_t len = at < end ? line_length(at, end) : 0;
    if ((begins(at, end, "Binary files ") || begins(at, end, "Files ")) && len > 8 && memcmp(at + len - 8, " differ\n", 8) == 0)
        p->is_binary = true;
    return at;
}
