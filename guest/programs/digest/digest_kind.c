/*
 * digest_kind.c: computes digests and checksums of files.
 */
#include "digest.h"
#include "g_in.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"
#include "lib/hash/hash.h"
#include "monocypher.h"
#include "sm3.h"

#include <string.h>

const char *digest_name(enum digest_kind kind) {
    static const char *const names[] = {"MD5", "SHA1",    "SHA224", "SHA256", "SHA384", "SHA512",
                                        "SM3", "BLAKE2b", "CRC",    "BSD",    "SYSV"};
    return names[kind];
}

/* POSIX cksum: CRC-32 of 0x04c11db7, the highest bit first, with the length behind the bytes. */
#define CRC_BYTES 16 /* at a time: a table for each */
static uint32_t crc_table[CRC_BYTES][256];

static void make_crc_table(void) {
    if (crc_table[0][1]) return;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i << 24;
        for (int bit = 0; bit < 8; bit++) crc = crc << 1 ^ (crc >> 31 ? 0x04c11db7u : 0);
        crc_table[0][i] = crc;
    }
    for (uint32_t i = 0; i < 256; i++)
        for (int t = 1; t < CRC_BYTES; t++)
            crc_table[t][i] = crc_table[t - 1][i] << 8 ^ crc_table[0][crc_table[t - 1][i] >> 24];
}

static uint32_t crc_step(uint32_t crc, uint8_t byte) {
    return crc << 8 ^ crc_table[0][(crc >> 24 ^ byte) & 0xff];
}

/* The sum of four bytes, of which the first has `table`. */
static inline uint32_t crc_four(uint32_t (*table)[256], uint32_t four) {
    return table[0][four >> 24] ^ table[-1][four >> 16 & 0xff] ^ table[-2][four >> 8 & 0xff] ^
           table[-3][four & 0xff];
}

static inline uint32_t big_endian(const uint8_t *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t crc_bytes(uint32_t crc, const uint8_t *p, size_t len) {
    for (; len >= CRC_BYTES; p += CRC_BYTES, len -= CRC_BYTES)
        crc = crc_four(crc_table + 15, crc ^ big_endian(p)) ^
              crc_four(crc_table + 11, big_endian(p + 4)) ^
              crc_four(crc_table + 7, big_endian(p + 8)) ^
              crc_four(crc_table + 3, big_endian(p + 12));
    for (; len > 0; len--) crc = crc_step(crc, *p++);
    return crc;
}

/* A digest that is being made. */
typedef struct {
    enum digest_kind kind;
    pf_hash hash;
    crypto_blake2b_ctx blake;
    sm3 sm3;
    uint32_t sum;
} maker;

static void begin(maker *m, enum digest_kind kind, size_t size) {
    m->kind = kind;
    m->sum = 0;
    if (kind <= DIGEST_SHA512)
        pf_hash_init(&m->hash, (enum pf_hash_kind)kind);
    else if (kind == DIGEST_SM3)
        sm3_init(&m->sm3);
    else if (kind == DIGEST_BLAKE2B)
        crypto_blake2b_init(&m->blake, size);
    else if (kind == DIGEST_CRC)
        make_crc_table();
}

static void add(maker *m, const uint8_t *bytes, size_t len) {
    switch (m->kind) {
    case DIGEST_SM3: sm3_update(&m->sm3, bytes, len); break;
    case DIGEST_BLAKE2B: crypto_blake2b_update(&m->blake, bytes, len); break;
    case DIGEST_CRC: m->sum = crc_bytes(m->sum, bytes, len); break;
    case DIGEST_BSD:
        for (size_t i = 0; i < len; i++)
            m->sum = ((m->sum >> 1 | m->sum << 15) + bytes[i]) & 0xffff;
        break;
    case DIGEST_SYSV:
        for (size_t i = 0; i < len; i++) m->sum += bytes[i];
        break;
    default: pf_hash_update(&m->hash, bytes, len);
    }
}

static void end(maker *m, size_t size, digest *out) {
    switch (m->kind) {
    case DIGEST_SM3:
        sm3_final(&m->sm3, out->bytes);
        out->size = 32;
        break;
    case DIGEST_BLAKE2B:
        crypto_blake2b_final(&m->blake, out->bytes);
        out->size = size;
        break;
    case DIGEST_CRC:
        for (uint64_t n = out->length; n > 0; n >>= 8) m->sum = crc_step(m->sum, (uint8_t)n);
        out->checksum = ~m->sum;
        break;
    case DIGEST_BSD: out->checksum = m->sum; break;
    case DIGEST_SYSV: {
        uint32_t folded = (m->sum & 0xffff) + (m->sum >> 16);
        out->checksum = (folded & 0xffff) + (folded >> 16);
        break;
    }
    default: pf_hash_final(&m->hash, out->bytes); out->size = pf_hash_kinds[m->kind].size;
    }
}

int digest_read(int fd, enum digest_kind kind, size_t size, digest *out) {
    maker m;
    g_reader in;
    char *bytes;
    memset(out, 0, sizeof *out);
    begin(&m, kind, size);
    g_reader_init(&in, fd, '\n');
    for (size_t n; (n = g_read_some(&in, &bytes)) > 0;) {
        add(&m, (const uint8_t *)bytes, n);
        out->length += n;
    }
    int error = in.error;
    g_reader_free(&in);
    end(&m, size, out);
    return error;
}

bool digest_file(const char *name, enum digest_kind kind, size_t size, digest *out) {
    int fd = g_open_input(name);
    if (fd < 0) return false;
    int error = digest_read(fd, kind, size, out);
    g_close_input(fd);
    if (error) g_warn_errno(error, "%s", g_quotef(name));
    return error == 0;
}

char *digest_escape_name(const char *name, bool *escaped) {
    g_text out = {0};
    g_text_add(&out, "", 0);
    *escaped = false;
    for (const char *s = name; *s; s++) {
        const char *escape = *s == '\n' ? "\\n" : *s == '\r' ? "\\r" : *s == '\\' ? "\\\\" : NULL;
        if (escape) {
            g_text_adds(&out, escape);
            *escaped = true;
        } else {
            g_text_addc(&out, *s);
        }
    }
    return out.s;
}

void digest_put_hex(const digest *d) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < d->size; i++) {
        g_outc(digits[d->bytes[i] >> 4]);
        g_outc(digits[d->bytes[i] & 15]);
    }
}

void digest_put_tagged(enum digest_kind kind, const digest *d, const char *shown) {
    g_outs(digest_name(kind));
    if (kind == DIGEST_BLAKE2B && d->size < DIGEST_MAX) g_outf("-%u", (unsigned)d->size * 8);
    g_outf(" (%s) = ", shown);
    digest_put_hex(d);
}
