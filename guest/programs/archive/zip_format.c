/*
 * zip_format.c: reads and writes zip archives.
 *
 * At the end stands the record of the directory; the directory has an entry per member, with the
 * offset of the member's local header, behind which is its data. Every number of an archive is
 * checked against its length before it is used.
 */
#include "zip_format.h"
#include "g_time.h"
#include "pf.h"

#include <fnmatch.h>
#include <stdlib.h>

#include "zlib/zlib.h"

static uint32_t u16(const char *p) {
    return (uint32_t)(unsigned char)p[0] | (uint32_t)(unsigned char)p[1] << 8;
}
static uint32_t u32(const char *p) {
    return u16(p) | u16(p + 2) << 16;
}

uint32_t zip_dos_time(int64_t t) {
    g_civil c;
    g_civil_local(t, &c);
    if (c.year < 1980) return (uint32_t)(1 << 5 | 1) << 16;
    return (uint32_t)((c.year - 1980) << 9 | (c.month + 1) << 5 | c.day) << 16 |
           (uint32_t)(c.hour << 11 | c.minute << 5 | c.second / 2);
}

int64_t zip_unix_time(uint32_t dos) {
    g_civil c = {.year = 1980 + (dos >> 25),
                 .month = (int)(dos >> 21 & 15) - 1,
                 .day = (int)(dos >> 16 & 31),
                 .hour = (int)(dos >> 11 & 31),
                 .minute = (int)(dos >> 5 & 63),
                 .second = (int)(dos & 31) * 2,
                 .dst = -1};
    int64_t t = 0;
    g_time_from_local(&c, &t);
    return t;
}

bool zip_matches(const char *pattern, const char *name) {
    return fnmatch(pattern, name, 0) == 0;
}

zip_entry *zip_add(zip_archive *z) {
    if (z->count == z->cap) z->entries = g_more(z->entries, &z->cap, sizeof *z->entries);
    z->entries[z->count] = (zip_entry){.mtime = -1};
    return &z->entries[z->count++];
}

zip_entry *zip_find(zip_archive *z, const char *name) {
    for (size_t i = 0; i < z->count; i++)
        if (strcmp(z->entries[i].name, name) == 0) return &z->entries[i];
    return NULL;
}

void zip_free(zip_archive *z) {
    for (size_t i = 0; i < z->count; i++) {
        free(z->entries[i].name);
        if (z->entries[i].owned) free((char *)z->entries[i].data);
    }
    free(z->entries);
    free(z->s);
}

/* The extra field with the time of Unix. */
static void read_extra(zip_entry *e, const char *p, size_t len) {
    while (len >= 4) {
        size_t n = u16(p + 2);
        if (n + 4 > len) return;
        if (u16(p) == 0x5455 && n >= 5 && (p[4] & 1)) e->mtime = (int32_t)u32(p + 5);
        p += n + 4;
        len -= n + 4;
    }
}

/* Where the member's data is: behind its local header. */
static bool find_data(const zip_archive *z, zip_entry *e) {
    if (e->offset > z->len || z->len - e->offset < 30 || u32(z->s + e->offset) != 0x04034b50)
        return false;
    size_t start = (size_t)e->offset + 30 + u16(z->s + e->offset + 26) + u16(z->s + e->offset + 28);
    if (start > z->len || z->len - start < e->packed) return false;
    e->data = z->s + start;
    return true;
}

enum zip_result zip_read(zip_archive *z, char *s, size_t len) {
    *z = (zip_archive){.s = s, .len = len};
    size_t end = SIZE_MAX;
    for (size_t at = len >= 22 ? len - 22 : SIZE_MAX; at != SIZE_MAX && len - at <= 22 + 65535;
         at--)
        if (u32(s + at) == 0x06054b50) {
            end = at;
            break;
        }
    if (end == SIZE_MAX) return ZIP_NO_DIRECTORY;
    size_t count = u16(s + end + 10), size = u32(s + end + 12), at = u32(s + end + 16);
    /* What was put in front of an archive moves everything. */
    size_t moved = end >= size + at ? end - size - at : 0;
    at += moved;
    for (size_t i = 0; i < count; i++) {
        if (at > len || len - at < 46 || u32(s + at) != 0x02014b50) return ZIP_DAMAGED;
        const char *h = s + at;
        size_t name = u16(h + 28), extra = u16(h + 30), comment = u16(h + 32);
        if (len - at - 46 < name + extra + comment) return ZIP_DAMAGED;
        zip_entry *e = zip_add(z);
        e->flags = u16(h + 8);
        e->method = u16(h + 10);
        e->dos_time = u32(h + 12);
        e->crc = u32(h + 16);
        e->packed = u32(h + 20);
        e->size = u32(h + 24);
        if (u16(h + 4) >> 8 == 3) e->mode = (mode_t)(u32(h + 38) >> 16);
        e->offset = u32(h + 42) + (uint32_t)moved;
        e->name = g_copy_bytes(h + 46, name);
        read_extra(e, h + 46 + name, extra);
        if (!find_data(z, e)) return ZIP_DAMAGED;
        at += 46 + name + extra + comment;
    }
    return ZIP_OK;
}

void zip_pack(zip_entry *e, const char *bytes, size_t len, int level) {
    e->crc = (uint32_t)crc32(0, (const Bytef *)bytes, (uInt)len);
    e->size = (uint32_t)len;
    e->owned = true;
    z_stream z = {0};
    if (level > 0 && len > 0 &&
        deflateInit2(&z, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK) {
        uLong bound = deflateBound(&z, (uLong)len);
        char *out = g_alloc(bound);
        z.next_out = (Bytef *)out;
        z.avail_out = (uInt)bound;
        z.next_in = (Bytef *)bytes;
        int result = Z_OK;
        for (size_t left = len; result == Z_OK;) { /* in pieces, so that others get their turn */
            uInt piece = left < 262144 ? (uInt)left : 262144;
            z.avail_in = piece;
            left -= piece;
            result = deflate(&z, left == 0 ? Z_FINISH : Z_NO_FLUSH);
            pf_yield();
        }
        size_t packed = bound - z.avail_out;
        deflateEnd(&z);
        if (result == Z_STREAM_END && packed < len) {
            e->data = out;
            e->packed = (uint32_t)packed;
            e->method = ZIP_DEFLATED;
            return;
        }
        free(out);
    }
    e->data = g_copy_bytes(bytes, len);
    e->packed = (uint32_t)len;
    e->method = ZIP_STORED;
}

static bool inflate_all(const zip_entry *e, char *out) {
    z_stream z = {0};
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK) return false;
    z.next_in = (Bytef *)e->data;
    z.avail_in = e->packed;
    z.next_out = (Bytef *)out;
    int result = Z_OK;
    for (uint32_t left = e->size; result == Z_OK && (left > 0 || e->size == 0);) {
        uInt piece = left < 262144 ? left : 262144;
        z.avail_out = piece;
        result = inflate(&z, Z_NO_FLUSH);
        left -= piece - z.avail_out;
        if (z.avail_out == piece && result == Z_OK) break;
        pf_yield();
    }
    /* The end of the stream may come after the last byte. */
    if (result == Z_OK) {
        char spare;
        z.next_out = (Bytef *)&spare;
        z.avail_out = 1;
        result = inflate(&z, Z_NO_FLUSH);
        if (z.avail_out == 0) result = Z_DATA_ERROR;
    }
    bool whole = result == Z_STREAM_END && z.total_out == e->size;
    inflateEnd(&z);
    return whole;
}

char *zip_unpack(const zip_entry *e, const char **why) {
    *why = NULL;
    if (e->flags & 1)
        *why = "unable to get password";
    else if (e->method != ZIP_STORED && e->method != ZIP_DEFLATED)
        *why = "unsupported compression method";
    else if (e->method == ZIP_STORED && e->packed != e->size)
        *why = "bad zipfile offset";
    /* Deflate makes at most about 1032 bytes of one. */
    else if (e->method == ZIP_DEFLATED && e->size / 1040 > e->packed)
        *why = "invalid compressed data to inflate";
    if (*why) return NULL;
    char *out = malloc((size_t)e->size + 1);
    if (!out) {
        *why = "not enough memory";
        return NULL;
    }
    out[e->size] = '\0';
    if (e->method == ZIP_STORED)
        memcpy(out, e->data, e->size);
    else if (!inflate_all(e, out))
        *why = "invalid compressed data to inflate";
    if (!*why && (uint32_t)crc32(0, (const Bytef *)out, e->size) != e->crc) *why = "bad CRC";
    if (!*why) return out;
    free(out);
    return NULL;
}

static void put16(g_text *out, uint32_t v) {
    g_text_addc(out, (char)v);
    g_text_addc(out, (char)(v >> 8));
}
static void put32(g_text *out, uint32_t v) {
    put16(out, v & 0xffff);
    put16(out, v >> 16);
}

/* What the local header and the directory have in common: from the flags to the name's length. */
static void put_common(g_text *out, const zip_entry *e, size_t extra) {
    put16(out, e->flags & ~8u); /* no descriptor behind the data */
    put16(out, e->method);
    put32(out, e->dos_time);
    put32(out, e->crc);
    put32(out, e->packed);
    put32(out, e->size);
    put16(out, (uint32_t)strlen(e->name));
    put16(out, (uint32_t)extra);
}

static void put_extra(g_text *out, const zip_entry *e) {
    if (e->mtime < 0) return;
    put16(out, 0x5455);
    put16(out, 5);
    g_text_addc(out, 1);
    put32(out, (uint32_t)e->mtime);
}

void zip_write(const zip_archive *z, g_text *out) {
    uint32_t *offsets = g_resize(NULL, z->count + 1, sizeof *offsets);
    for (size_t i = 0; i < z->count; i++) {
        const zip_entry *e = &z->entries[i];
        if (out->len + e->packed > UINT32_MAX / 2)
            g_die(6, "archives over 2 GiB are not supported");
        offsets[i] = (uint32_t)out->len;
        put32(out, 0x04034b50);
        put16(out, e->method == ZIP_STORED ? 10 : 20);
        put_common(out, e, e->mtime < 0 ? 0 : 9);
        g_text_adds(out, e->name);
        put_extra(out, e);
        g_text_add(out, e->data, e->packed);
    }
    uint32_t start = (uint32_t)out->len;
    for (size_t i = 0; i < z->count; i++) {
        const zip_entry *e = &z->entries[i];
        bool directory = e->name[0] && e->name[strlen(e->name) - 1] == '/';
        put32(out, 0x02014b50);
        put16(out, 3 << 8 | 30);
        put16(out, e->method == ZIP_STORED ? 10 : 20);
        put_common(out, e, e->mtime < 0 ? 0 : 9);
        put16(out, 0);
        put16(out, 0);
        put16(out, 0);
        put32(out, (uint32_t)e->mode << 16 | (directory ? 0x10 : 0));
        put32(out, offsets[i]);
        g_text_adds(out, e->name);
        put_extra(out, e);
    }
    uint32_t size = (uint32_t)out->len - start;
    put32(out, 0x06054b50);
    put32(out, 0);
    put16(out, (uint32_t)z->count);
    put16(out, (uint32_t)z->count);
    put32(out, size);
    put32(out, start);
    put16(out, 0);
    free(offsets);
}
