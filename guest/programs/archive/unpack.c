/*
 * unpack.c: reads compressed streams.
 *
 * Every format may have several members one after the other, whose contents are joined.
 */
#include "codec.h"
#include "g_in.h"
#include "pf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bzip2-1.0.8/bzlib.h"
#include "api/lzma.h"
#include "zlib/zlib.h"
#include "lib/zstd.h"

enum { BLOCK = 65536 };

struct unpack_state {
    union {
        z_stream z;
        bz_stream bz;
        lzma_stream lzma;
        ZSTD_DStream *zstd;
    };
    uLong crc;         /* gzip: of the member's plain data so far */
    uint64_t length;   /* and its length */
    bool inside;       /* a member is open */
    bool end;          /* nothing follows */
    bool eof;          /* of fd */
    size_t start, len; /* unread bytes are in[start .. len) */
    unsigned char in[BLOCK];
};

/* bzlib wants this without stdio: it is its assertion. */
void bz_internal_error(int code) {
    g_die(3, "internal error %d in bzlib", code);
}

static size_t fail(unpacker *u, enum unpack_error error) {
    u->error = error;
    u->state->end = true;
    return 0;
}

/* Makes sure that `want` bytes are at hand; false when the file ends before. */
static bool fill(unpacker *u, size_t want) {
    struct unpack_state *s = u->state;
    while (s->len - s->start < want && !s->eof) {
        memmove(s->in, s->in + s->start, s->len - s->start);
        s->len -= s->start;
        s->start = 0;
        ssize_t n = g_read(u->fd, s->in + s->len, BLOCK - s->len);
        if (n < 0) {
            u->error_number = errno;
            fail(u, UNPACK_READ);
            return false;
        }
        s->eof = n == 0;
        s->len += (size_t)n;
    }
    return s->len - s->start >= want;
}

static void take(unpacker *u, size_t n) {
    u->state->start += n;
    u->taken += n;
}

void unpack_start(unpacker *u, int fd, enum codec codec, const void *head, size_t head_len) {
    *u = (unpacker){.fd = fd, .codec = codec, .state = g_zalloc(sizeof *u->state)};
    memcpy(u->state->in, head, head_len);
    u->state->len = head_len;
}

/* gzip: the header of a member, up to its data. */
static bool gzip_header(unpacker *u) {
    struct unpack_state *s = u->state;
    if (!fill(u, 10)) {
        fail(u, s->len - s->start >= 2 ? UNPACK_EOF : UNPACK_FORMAT);
        return false;
    }
    const unsigned char *h = s->in + s->start;
    unsigned flags = h[3];
    if (h[2] != 8 || (flags & 0xe0)) {
        fail(u, UNPACK_FORMAT);
        return false;
    }
    if (u->members == 0)
        u->mtime = (int64_t)((uint32_t)h[4] | (uint32_t)h[5] << 8 | (uint32_t)h[6] << 16 |
                             (uint32_t)h[7] << 24);
    take(u, 10);
    if (flags & 4) {
        if (!fill(u, 2)) goto cut;
        size_t extra = (size_t)s->in[s->start] | (size_t)s->in[s->start + 1] << 8;
        if (extra > BLOCK - 2 || !fill(u, extra + 2)) goto cut;
        take(u, extra + 2);
    }
    for (unsigned bit = 8; bit <= 16; bit *= 2) { /* name, comment */
        if (!(flags & bit)) continue;
        size_t n = 0;
        while (fill(u, n + 1) && s->in[s->start + n] && n < BLOCK / 2) n++;
        if (!fill(u, n + 1) || s->in[s->start + n]) goto cut;
        if (bit == 8 && u->members == 0) u->name = g_copy_bytes((char *)s->in + s->start, n);
        take(u, n + 1);
    }
    if (flags & 2) {
        if (!fill(u, 2)) goto cut;
        take(u, 2);
    }
    return true;
cut:
    if (!u->error) fail(u, UNPACK_EOF);
    return false;
}

/* Opens the next member; false at the end of all or at an error. */
static bool open_member(unpacker *u) {
    struct unpack_state *s = u->state;
    bool first = u->members == 0;
    if (!fill(u, 1)) {
        if (u->error) return false;
        s->end = true;
        if (first) fail(u, UNPACK_EOF);
        return false;
    }
    fill(u, 16);
    size_t have = s->len - s->start;
    const unsigned char *head = s->in + s->start;
    enum codec found = codec_of_magic(head, have);
    if (u->codec == CODEC_ZSTD && have >= 4 && head[1] == 0x2a && head[2] == 0x4d &&
        head[3] == 0x18 && (head[0] & 0xf0) == 0x50)
        found = CODEC_ZSTD; /* a frame to skip */
    if (found != u->codec && !(first && u->codec == CODEC_LZMA)) {
        if (first) return fail(u, have < 2 ? UNPACK_EOF : UNPACK_FORMAT), false;
        size_t zeros = 0;
        while (zeros < have && !head[zeros]) zeros++;
        u->trailing_garbage = zeros < have || have == 16;
        s->end = true;
        return false;
    }
    bool ok = true;
    switch (u->codec) {
    case CODEC_GZIP:
        if (!gzip_header(u)) return false;
        memset(&s->z, 0, sizeof s->z);
        s->crc = 0;
        s->length = 0;
        ok = inflateInit2(&s->z, -MAX_WBITS) == Z_OK;
        break;
    case CODEC_BZIP2:
        memset(&s->bz, 0, sizeof s->bz);
        ok = BZ2_bzDecompressInit(&s->bz, 0, 0) == BZ_OK;
        break;
    case CODEC_XZ:
    case CODEC_LZMA:
        s->lzma = (lzma_stream)LZMA_STREAM_INIT;
        ok = (u->codec == CODEC_XZ ? lzma_stream_decoder(&s->lzma, UINT64_MAX, LZMA_CONCATENATED)
                                   : lzma_alone_decoder(&s->lzma, UINT64_MAX)) == LZMA_OK;
        break;
    case CODEC_ZSTD:
        ok = (s->zstd = ZSTD_createDStream()) != NULL;
        if (ok) ZSTD_DCtx_setParameter(s->zstd, ZSTD_d_windowLogMax, 27);
        break;
    case CODEC_NONE: break;
    }
    if (!ok) return fail(u, UNPACK_MEMORY), false;
    s->inside = true;
    u->members++;
    return true;
}

static void close_member(unpacker *u) {
    struct unpack_state *s = u->state;
    if (!s->inside) return;
    s->inside = false;
    switch (u->codec) {
    case CODEC_GZIP: inflateEnd(&s->z); break;
    case CODEC_BZIP2: BZ2_bzDecompressEnd(&s->bz); break;
    case CODEC_XZ:
    case CODEC_LZMA: lzma_end(&s->lzma); break;
    case CODEC_ZSTD: ZSTD_freeDStream(s->zstd); break;
    case CODEC_NONE: break;
    }
}

/* One step of a library: how much it took and gave; whether the member ended. */
typedef struct {
    size_t taken, given;
    bool ended;
    enum unpack_error error;
} step;

static step step_gzip(struct unpack_state *s, unsigned char *out, size_t room) {
    s->z.next_in = s->in + s->start;
    s->z.avail_in = (uInt)(s->len - s->start);
    s->z.next_out = out;
    s->z.avail_out = (uInt)room;
    int result = inflate(&s->z, Z_NO_FLUSH);
    step r = {s->len - s->start - s->z.avail_in, room - s->z.avail_out, result == Z_STREAM_END,
              UNPACK_OK};
    if (result == Z_DATA_ERROR || result == Z_NEED_DICT) r.error = UNPACK_DATA;
    if (result == Z_MEM_ERROR) r.error = UNPACK_MEMORY;
    return r;
}

static step step_bzip2(struct unpack_state *s, unsigned char *out, size_t room) {
    s->bz.next_in = (char *)s->in + s->start;
    s->bz.avail_in = (unsigned)(s->len - s->start);
    s->bz.next_out = (char *)out;
    s->bz.avail_out = (unsigned)room;
    int result = BZ2_bzDecompress(&s->bz);
    step r = {s->len - s->start - s->bz.avail_in, room - s->bz.avail_out, result == BZ_STREAM_END,
              UNPACK_OK};
    if (result == BZ_MEM_ERROR)
        r.error = UNPACK_MEMORY;
    else if (result != BZ_OK && result != BZ_STREAM_END)
        r.error = UNPACK_DATA;
    return r;
}

static step step_lzma(struct unpack_state *s, unsigned char *out, size_t room) {
    s->lzma.next_in = s->in + s->start;
    s->lzma.avail_in = s->len - s->start;
    s->lzma.next_out = out;
    s->lzma.avail_out = room;
    lzma_ret result = lzma_code(&s->lzma, s->eof && s->lzma.avail_in == 0 ? LZMA_FINISH : LZMA_RUN);
    step r = {s->len - s->start - s->lzma.avail_in, room - s->lzma.avail_out,
              result == LZMA_STREAM_END, UNPACK_OK};
    if (result == LZMA_MEM_ERROR || result == LZMA_MEMLIMIT_ERROR)
        r.error = UNPACK_MEMORY;
    else if (result == LZMA_BUF_ERROR)
        r.error = s->eof && r.taken == 0 && r.given == 0 ? UNPACK_EOF : UNPACK_OK;
    else if (result == LZMA_FORMAT_ERROR)
        r.error = UNPACK_FORMAT;
    else if (result != LZMA_OK && result != LZMA_STREAM_END)
        r.error = UNPACK_DATA;
    return r;
}

static step step_zstd(struct unpack_state *s, unsigned char *out, size_t room) {
    ZSTD_inBuffer in = {s->in + s->start, s->len - s->start, 0};
    ZSTD_outBuffer to = {out, room, 0};
    size_t result = ZSTD_decompressStream(s->zstd, &to, &in);
    step r = {in.pos, to.pos, result == 0, UNPACK_OK};
    if (ZSTD_isError(result)) r.error = UNPACK_DATA;
    return r;
}

/* gzip: checksum and length behind the data. */
static bool gzip_trailer(unpacker *u) {
    struct unpack_state *s = u->state;
    if (!fill(u, 8)) return u->error ? false : (fail(u, UNPACK_EOF), false);
    const unsigned char *t = s->in + s->start;
    uint32_t want =
        (uint32_t)t[0] | (uint32_t)t[1] << 8 | (uint32_t)t[2] << 16 | (uint32_t)t[3] << 24;
    uint32_t size =
        (uint32_t)t[4] | (uint32_t)t[5] << 8 | (uint32_t)t[6] << 16 | (uint32_t)t[7] << 24;
    take(u, 8);
    if (want != (uint32_t)s->crc) return fail(u, UNPACK_CRC), false;
    if (size != (uint32_t)s->length) return fail(u, UNPACK_LENGTH), false;
    return true;
}

size_t unpack_read(unpacker *u, void *bytes, size_t len) {
    struct unpack_state *s = u->state;
    if (len > BLOCK) len = BLOCK;
    if (u->codec == CODEC_NONE && !s->end) {
        if (!fill(u, 1)) return 0;
        size_t n = s->len - s->start < len ? s->len - s->start : len;
        memcpy(bytes, s->in + s->start, n);
        take(u, n);
        u->given += n;
        return n;
    }
    while (!s->end) {
        if (!s->inside && !open_member(u)) return 0;
        if (s->start == s->len && !s->eof && !fill(u, 1) && u->error) return 0;
        step r = u->codec == CODEC_GZIP    ? step_gzip(s, bytes, len)
                 : u->codec == CODEC_BZIP2 ? step_bzip2(s, bytes, len)
                 : u->codec == CODEC_ZSTD  ? step_zstd(s, bytes, len)
                                           : step_lzma(s, bytes, len);
        take(u, r.taken);
        u->given += r.given;
        if (r.error) {
            fail(u, r.error);
            return r.given;
        }
        if (u->codec == CODEC_GZIP) {
            s->crc = crc32(s->crc, bytes, (uInt)r.given);
            s->length += r.given;
        }
        if (r.ended) {
            close_member(u);
            if (u->codec == CODEC_GZIP && !gzip_trailer(u)) return r.given;
            if (u->codec == CODEC_XZ || u->codec == CODEC_LZMA) s->end = true;
        } else if (r.taken == 0 && r.given == 0 && s->start == s->len && s->eof) {
            return fail(u, UNPACK_EOF);
        }
        if (r.given > 0) {
            pf_yield();
            return r.given;
        }
    }
    return 0;
}

void unpack_end(unpacker *u) {
    close_member(u);
    free(u->name);
    free(u->state);
    u->state = NULL;
}
