/*
 * cpio_format.c: the headers of cpio archives, and the archive as a stream.
 *
 * Four formats: old binary ones of either byte order, octal digits (odc), hexadecimal ones (newc),
 * and those with a sum (crc). A format is told by the six bytes, or two, that a header begins with.
 */
#include "cpio.h"
#include "g_out.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BUFFER = 64 << 10, NAME_MAX_BYTES = 1 << 20 };

static size_t read_some(cpio_stream *s, void *to, size_t len) {
    size_t got = 0;
    while (got < len) {
        if (s->left == 0) {
            s->left = g_read_some(&s->in, &s->have);
            if (s->left == 0) {
                if (s->in.error) g_die_errno(2, s->in.error, "read error");
                break;
            }
        }
        size_t n = s->left < len - got ? s->left : len - got;
        if (to) memcpy((char *)to + got, s->have, n);
        s->have += n;
        s->left -= n;
        got += n;
    }
    s->bytes += got;
    return got;
}

void cpio_read(cpio_stream *s, void *to, size_t len) {
    if (read_some(s, to, len) < len) g_die(2, "premature end of file");
}

void cpio_skip(cpio_stream *s, uint64_t len) {
    while (len > 0) {
        size_t n = len < BUFFER ? (size_t)len : BUFFER;
        cpio_read(s, NULL, n);
        len -= n;
    }
}

size_t cpio_padding(enum cpio_format format, uint64_t len) {
    if (format == CPIO_BIN) return len & 1;
    return format == CPIO_ODC ? 0 : (4 - len % 4) % 4;
}

static uint64_t digits(const char *s, size_t n, unsigned base) {
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        unsigned digit = c >= '0' && c <= '9'                 ? c - (unsigned)'0'
                         : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10u
                                                              : 99;
        if (digit >= base) {
            if (c != ' ' && c) g_warn("Malformed number %.*s", (int)n, s);
            break;
        }
        value = value * base + digit;
    }
    return value;
}

static size_t read_new(cpio_stream *s, cpio_member *m) {
    char text[104];
    cpio_read(s, text, sizeof text);
    uint32_t v[13];
    for (int i = 0; i < 13; i++) v[i] = (uint32_t)digits(text + 8 * i, 8, 16);
    *m = (cpio_member){.ino = v[0],
                       .mode = v[1],
                       .uid = v[2],
                       .gid = v[3],
                       .nlink = v[4],
                       .mtime = v[5],
                       .size = v[6],
                       .dev_major = v[7],
                       .dev_minor = v[8],
                       .rdev_major = v[9],
                       .rdev_minor = v[10],
                       .check = v[12]};
    return v[11];
}

static size_t read_odc(cpio_stream *s, cpio_member *m) {
    char text[70];
    cpio_read(s, text, sizeof text);
    uint32_t v[7];
    for (int i = 0; i < 7; i++) v[i] = (uint32_t)digits(text + 6 * i, 6, 8);
    *m = (cpio_member){.dev_major = v[0] >> 8,
                       .dev_minor = v[0] & 255,
                       .ino = v[1],
                       .mode = v[2],
                       .uid = v[3],
                       .gid = v[4],
                       .nlink = v[5],
                       .rdev_major = v[6] >> 8,
                       .rdev_minor = v[6] & 255,
                       .mtime = (uint32_t)digits(text + 42, 11, 8),
                       .size = digits(text + 59, 11, 8)};
    return (size_t)digits(text + 53, 6, 8);
}

static size_t read_binary(cpio_stream *s, cpio_member *m, bool swapped,
                          const unsigned char *begun) {
    unsigned char bytes[26];
    memcpy(bytes, begun, 6);
    cpio_read(s, bytes + 6, 20);
    uint32_t v[13];
    for (int i = 0; i < 13; i++)
        v[i] = swapped ? (uint32_t)(bytes[2 * i] << 8 | bytes[2 * i + 1])
                       : (uint32_t)(bytes[2 * i + 1] << 8 | bytes[2 * i]);
    *m = (cpio_member){.dev_major = v[1] >> 8,
                       .dev_minor = v[1] & 255,
                       .ino = v[2],
                       .mode = v[3],
                       .uid = v[4],
                       .gid = v[5],
                       .nlink = v[6],
                       .rdev_major = v[7] >> 8,
                       .rdev_minor = v[7] & 255,
                       .mtime = v[8] << 16 | v[9],
                       .size = (uint64_t)v[11] << 16 | v[12]};
    return v[10];
}

static enum cpio_format format_of(const unsigned char begin[6], bool *swapped) {
    *swapped = begin[0] == 0x71 && begin[1] == 0xc7;
    if (*swapped || (begin[0] == 0xc7 && begin[1] == 0x71)) return CPIO_BIN;
    if (memcmp(begin, "070707", 6) == 0) return CPIO_ODC;
    if (memcmp(begin, "070701", 6) == 0) return CPIO_NEWC;
    return memcmp(begin, "070702", 6) == 0 ? CPIO_CRC : CPIO_NONE;
}

bool cpio_read_header(cpio_stream *s, enum cpio_format *format, cpio_member *m) {
    unsigned char begin[6];
    uint64_t junk = 0;
    bool swapped;
    cpio_read(s, begin, sizeof begin);
    while ((*format = format_of(begin, &swapped)) == CPIO_NONE) {
        memmove(begin, begin + 1, 5);
        if (read_some(s, begin + 5, 1) == 0) g_die(2, "premature end of archive");
        junk++;
    }
    if (junk)
        g_warn(junk == 1 ? "warning: skipped %llu byte of junk"
                         : "warning: skipped %llu bytes of junk",
               (unsigned long long)junk);
    size_t n = *format == CPIO_BIN   ? read_binary(s, m, swapped, begin)
               : *format == CPIO_ODC ? read_odc(s, m)
                                     : read_new(s, m);
    if (n == 0 || n > NAME_MAX_BYTES) g_die(2, "premature end of archive");
    m->name = g_alloc(n + 1);
    cpio_read(s, m->name, n);
    m->name[n] = '\0';
    bool hex = *format == CPIO_NEWC || *format == CPIO_CRC;
    cpio_skip(s, cpio_padding(*format, (hex ? 110u : 0u) + n));
    return strcmp(m->name, "TRAILER!!!") != 0;
}

/* ------------------------------------------------------------------ writing */

static void write_all(cpio_stream *s, const char *bytes, size_t len) {
    while (len > 0) {
        ssize_t n = write(s->fd, bytes, len);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) g_die_errno(2, errno, "write error");
        bytes += n;
        len -= (size_t)n;
    }
}

void cpio_flush(cpio_stream *s) {
    write_all(s, s->out, s->used);
    s->used = 0;
}

void cpio_write(cpio_stream *s, const void *bytes, size_t len) {
    if (!s->out) s->out = g_alloc(BUFFER);
    s->bytes += len;
    for (const char *p = bytes; len > 0;) {
        size_t n = BUFFER - s->used < len ? BUFFER - s->used : len;
        memcpy(s->out + s->used, p, n);
        s->used += n;
        p += n;
        len -= n;
        if (s->used == BUFFER) cpio_flush(s);
    }
}

static void put_words(cpio_stream *s, const uint32_t *v, int n) {
    unsigned char bytes[26];
    for (int i = 0; i < n; i++) {
        bytes[2 * i] = (unsigned char)(v[i] & 255);
        bytes[2 * i + 1] = (unsigned char)(v[i] >> 8 & 255);
    }
    cpio_write(s, bytes, (size_t)n * 2);
}

void cpio_write_header(cpio_stream *s, enum cpio_format format, const cpio_member *m) {
    static const char zeroes[4];
    size_t n = strlen(m->name) + 1;
    uint32_t dev = m->dev_major << 8 | m->dev_minor, rdev = m->rdev_major << 8 | m->rdev_minor;
    uint32_t size = (uint32_t)m->size, ino = (uint32_t)m->ino;
    if (format == CPIO_BIN) {
        const uint32_t v[13] = {070707,      dev,        ino,  m->mode,        m->uid,
                                m->gid,      m->nlink,   rdev, m->mtime >> 16, m->mtime,
                                (uint32_t)n, size >> 16, size};
        put_words(s, v, 13);
    } else {
        char text[128];
        if (format == CPIO_ODC)
            snprintf(text, sizeof text, "070707%06o%06o%06o%06o%06o%06o%06o%011o%06o%011llo",
                     dev & 0777777, ino & 0777777, m->mode & 0777777, m->uid & 0777777,
                     m->gid & 0777777, m->nlink & 0777777, rdev & 0777777, m->mtime,
                     (unsigned)n & 0777777, (unsigned long long)m->size);
        else
            snprintf(text, sizeof text, "%s%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X",
                     format == CPIO_CRC ? "070702" : "070701", ino, m->mode, m->uid, m->gid,
                     m->nlink, m->mtime, size, m->dev_major, m->dev_minor, m->rdev_major,
                     m->rdev_minor, (unsigned)n, m->check);
        cpio_write(s, text, strlen(text));
    }
    cpio_write(s, m->name, n);
    bool hex = format == CPIO_NEWC || format == CPIO_CRC;
    cpio_write(s, zeroes, cpio_padding(format, (hex ? 110u : 0u) + n));
}
