/*
 * codec.h: compressed streams, read and written a piece at a time whatever their format.
 *
 * Used by tar, by the commands for single files and, for deflated members, by zip and unzip.
 * Nothing is printed here: errors are texts that the commands put into their own words.
 */
#ifndef CODEC_H
#define CODEC_H

#include "g_program.h"

#include <sys/types.h>

enum codec { CODEC_NONE, CODEC_GZIP, CODEC_BZIP2, CODEC_XZ, CODEC_LZMA, CODEC_ZSTD };

/* What the first bytes of a file say: CODEC_NONE when they say nothing known. */
enum codec codec_of_magic(const unsigned char *bytes, size_t len);
/* What the end of a name says (.tar.gz, .tgz, .bz2 …). */
enum codec codec_of_name(const char *name);

/* Reading */

enum unpack_error {
    UNPACK_OK,
    UNPACK_READ,   /* errno of read(2) in `error_number` */
    UNPACK_FORMAT, /* does not begin as the format does */
    UNPACK_DATA,   /* damaged: contents or checksum */
    UNPACK_LENGTH, /* gzip: the length at the end is another */
    UNPACK_CRC,    /* gzip: the checksum at the end is another */
    UNPACK_EOF,    /* ends too early */
    UNPACK_MEMORY,
};

typedef struct {
    int fd;
    enum codec codec;
    enum unpack_error error;
    int error_number;
    bool trailing_garbage; /* something that is no further member followed */
    uint64_t taken, given; /* bytes of compressed and of plain data so far */
    unsigned members;
    /* gzip: from the first member's header; name is owned. */
    char *name;
    int64_t mtime;
    struct unpack_state *state;
} unpacker;

/* `head` is what was already read from fd, to tell the format: at most 16 bytes. */
void unpack_start(unpacker *u, int fd, enum codec codec, const void *head, size_t head_len);
/* Up to `len` bytes of plain data; 0 at the end or at an error. */
size_t unpack_read(unpacker *u, void *bytes, size_t len);
void unpack_end(unpacker *u); /* Frees what it holds; does not close fd. */

/* Writing */

typedef struct {
    int fd;
    enum codec codec;
    int error;             /* errno of a failed write, or ENOMEM; the rest is dropped then */
    uint64_t taken, given; /* bytes of plain and of compressed data so far */
    struct pack_state *state;
} packer;

/* What a packer may know beforehand: -1 or NULL when it does not. */
typedef struct {
    int level;        /* -1: the format's usual one */
    int64_t size;     /* of the plain data */
    const char *name; /* gzip's header */
    int64_t mtime;
} pack_hints;

/* Begins to write to fd. False: no memory, which p->error says too; then pack_end() all the
 * same. */
bool pack_start(packer *p, int fd, enum codec codec, const pack_hints *hints);
/* Packs bytes and writes what is ready; p->error tells of failures. */
void pack_write(packer *p, const void *bytes, size_t len);
/* Writes what is left: 0, or the packer's error. */
int pack_end(packer *p);

#endif
