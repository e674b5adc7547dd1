/*
 * pack.c: writes compressed streams.
 */
#include "codec.h"
#include "pf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bzip2-1.0.8/bzlib.h"
#include "api/lzma.h"
#include "zlib/zlib.h"
#include "lib/zstd.h"

enum { BLOCK = 65536 };

struct pack_state {
    union {
        z_stream z;
        bz_stream bz;
        lzma_stream lzma;
        ZSTD_CStream *zstd;
    };
    gz_header header;
    char *name;
    size_t len; /* of what is in out, for the one codec that packs nothing */
    unsigned char out[BLOCK];
};

static void put(packer *p, const unsigned char *bytes, size_t len) {
    p->given += len;
    while (len > 0 && !p->error) {
        ssize_t n = write(p->fd, bytes, len);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            p->error = errno;
        else {
            bytes += n;
            len -= (size_t)n;
        }
    }
}

/* xz with a dictionary no larger than the data, and one that the memory allows. */
static bool start_lzma(struct pack_state *s, enum codec codec, const pack_hints *hints) {
    uint32_t preset = hints->level < 0 ? 6 : (uint32_t)hints->level;
    lzma_options_lzma options;
    if (lzma_lzma_preset(&options, preset)) return false;
    int64_t size = hints->size;
    while (size >= 0 && options.dict_size / 2 >= (uint64_t)size && options.dict_size > 65536)
        options.dict_size /= 2;
    for (;;) {
        s->lzma = (lzma_stream)LZMA_STREAM_INIT;
        lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, NULL}};
        lzma_ret result = codec == CODEC_LZMA
                              ? lzma_alone_encoder(&s->lzma, &options)
                              : lzma_stream_encoder(&s->lzma, filters, LZMA_CHECK_CRC64);
        if (result == LZMA_OK) return true;
        lzma_end(&s->lzma);
        if (result != LZMA_MEM_ERROR || options.dict_size <= 65536) return false;
        options.dict_size /= 2;
    }
}

static bool start_gzip(struct pack_state *s, const pack_hints *hints) {
    int level = hints->level < 0 ? 6 : hints->level;
    if (deflateInit2(&s->z, level, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK) return false;
    s->header.os = 3; /* Unix */
    s->header.time = hints->mtime > 0 ? (uLong)hints->mtime : 0;
    if (hints->name) s->header.name = (Bytef *)(s->name = g_copy_string(hints->name));
    return deflateSetHeader(&s->z, &s->header) == Z_OK;
}

bool pack_start(packer *p, int fd, enum codec codec, const pack_hints *hints) {
    struct pack_state *s = g_zalloc(sizeof *s);
    *p = (packer){.fd = fd, .codec = codec, .state = s};
    bool ok = true;
    switch (codec) {
    case CODEC_GZIP: ok = start_gzip(s, hints); break;
    case CODEC_BZIP2:
        ok = BZ2_bzCompressInit(&s->bz, hints->level < 1 ? 9 : hints->level, 0, 0) == BZ_OK;
        break;
    case CODEC_XZ:
    case CODEC_LZMA: ok = start_lzma(s, codec, hints); break;
    case CODEC_ZSTD:
        ok = (s->zstd = ZSTD_createCStream()) != NULL;
        if (!ok) break;
        ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_compressionLevel,
                               hints->level < 0 ? 3 : hints->level);
        ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_checksumFlag, 1);
        if (hints->size >= 0) ZSTD_CCtx_setPledgedSrcSize(s->zstd, (unsigned long long)hints->size);
        break;
    case CODEC_NONE: break;
    }
    if (!ok) p->error = ENOMEM;
    return ok;
}

/* Drives a library until it has taken everything, and at the end given everything. */
static void drive(packer *p, const unsigned char *bytes, size_t len, bool finish) {
    struct pack_state *s = p->state;
    for (bool done = false; !done && !p->error;) {
        size_t given = 0;
        bool failed = false;
        switch (p->codec) {
        case CODEC_GZIP: {
            s->z.next_in = (Bytef *)bytes;
            s->z.avail_in = (uInt)len;
            s->z.next_out = s->out;
            s->z.avail_out = BLOCK;
            int result = deflate(&s->z, finish ? Z_FINISH : Z_NO_FLUSH);
            bytes += len - s->z.avail_in;
            len = s->z.avail_in;
            given = BLOCK - s->z.avail_out;
            done = finish ? result == Z_STREAM_END : len == 0 && s->z.avail_out > 0;
            break;
        }
        case CODEC_BZIP2: {
            s->bz.next_in = (char *)bytes;
            s->bz.avail_in = (unsigned)len;
            s->bz.next_out = (char *)s->out;
            s->bz.avail_out = BLOCK;
            int result = BZ2_bzCompress(&s->bz, finish ? BZ_FINISH : BZ_RUN);
            bytes += len - s->bz.avail_in;
            len = s->bz.avail_in;
            given = BLOCK - s->bz.avail_out;
            done = finish ? result == BZ_STREAM_END : len == 0;
            failed = result < 0;
            break;
        }
        case CODEC_XZ:
        case CODEC_LZMA: {
            s->lzma.next_in = bytes;
            s->lzma.avail_in = len;
            s->lzma.next_out = s->out;
            s->lzma.avail_out = BLOCK;
            lzma_ret result = lzma_code(&s->lzma, finish ? LZMA_FINISH : LZMA_RUN);
            bytes += len - s->lzma.avail_in;
            len = s->lzma.avail_in;
            given = BLOCK - s->lzma.avail_out;
            done = finish ? result == LZMA_STREAM_END : len == 0;
            failed = result != LZMA_OK && result != LZMA_STREAM_END;
            break;
        }
        case CODEC_ZSTD: {
            ZSTD_inBuffer in = {bytes, len, 0};
            ZSTD_outBuffer to = {s->out, BLOCK, 0};
            size_t result =
                ZSTD_compressStream2(s->zstd, &to, &in, finish ? ZSTD_e_end : ZSTD_e_continue);
            bytes += in.pos;
            len -= in.pos;
            given = to.pos;
            failed = ZSTD_isError(result) != 0;
            done = finish ? result == 0 : len == 0;
            break;
        }
        case CODEC_NONE: return;
        }
        put(p, s->out, given);
        if (failed && !p->error) p->error = ENOMEM;
        pf_yield();
    }
}

void pack_write(packer *p, const void *bytes, size_t len) {
    struct pack_state *s = p->state;
    const unsigned char *from = bytes;
    p->taken += len;
    if (p->codec != CODEC_NONE) {
        for (size_t n; len > 0; from += n, len -= n)
            drive(p, from, n = len < BLOCK ? len : BLOCK, false);
        return;
    }
    while (len > 0) {
        size_t n = BLOCK - s->len < len ? BLOCK - s->len : len;
        memcpy(s->out + s->len, from, n);
        s->len += n;
        from += n;
        len -= n;
        if (s->len == BLOCK) {
            put(p, s->out, BLOCK);
            s->len = 0;
        }
    }
}

int pack_end(packer *p) {
    struct pack_state *s = p->state;
    if (p->codec == CODEC_NONE)
        put(p, s->out, s->len);
    else if (p->error != ENOMEM)
        drive(p, NULL, 0, true);
    switch (p->codec) {
    case CODEC_GZIP: deflateEnd(&s->z); break;
    case CODEC_BZIP2: BZ2_bzCompressEnd(&s->bz); break;
    case CODEC_XZ:
    case CODEC_LZMA: lzma_end(&s->lzma); break;
    case CODEC_ZSTD: ZSTD_freeCStream(s->zstd); break;
    case CODEC_NONE: break;
    }
    free(s->name);
    free(s);
    p->state = NULL;
    return p->error;
}
