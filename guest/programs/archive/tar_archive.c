/*
 * tar_archive.c: opens archives, packed or not, and moves their blocks.
 */
#include "tar.h"
#include "g_human.h"
#include "g_in.h"
#include "g_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const flags[] = {
    [CODEC_NONE] = "", [CODEC_GZIP] = "-z",     [CODEC_BZIP2] = "-j",
    [CODEC_XZ] = "-J", [CODEC_LZMA] = "--lzma", [CODEC_ZSTD] = "--zstd"};
static const char *const programs[] = {
    [CODEC_NONE] = "", [CODEC_GZIP] = "gzip", [CODEC_BZIP2] = "bzip2",
    [CODEC_XZ] = "xz", [CODEC_LZMA] = "lzma", [CODEC_ZSTD] = "zstd"};

static _Noreturn void cannot_open(const tar_options *o, int error) {
    /* GNU tar reads packed archives in a child process, which its messages tell. */
    if (o->codec_given) {
        fprintf(stderr,
                "tar (child): %s: Cannot open: %s\ntar (child): Error is not recoverable: exiting "
                "now\n",
                o->archive, strerror(error));
        g_warn("Child returned status 2");
        tar_fatal(0, "Error is not recoverable: exiting now");
    }
    g_warn("%s: Cannot open: %s", o->archive, strerror(error));
    tar_fatal(0, "Error is not recoverable: exiting now");
}

void tar_open_read(tar_archive *a, const tar_options *o) {
    *a = (tar_archive){.o = o};
    clock_gettime(CLOCK_MONOTONIC, &a->opened);
    bool standard = strcmp(o->archive, "-") == 0;
    a->fd = standard ? STDIN_FILENO : open(o->archive, O_RDONLY | O_CLOEXEC);
    if (a->fd < 0) cannot_open(o, errno);
    unsigned char head[16];
    size_t have = 0;
    for (ssize_t n;
         have < sizeof head && (n = g_read(a->fd, head + have, sizeof head - have)) != 0;) {
        if (n < 0) {
            g_warn("%s: Cannot read: %s", o->archive, strerror(errno));
            g_warn("At beginning of tape, quitting now");
            tar_fatal(0, "Error is not recoverable: exiting now");
        }
        have += (size_t)n;
    }
    enum codec found = codec_of_magic(head, have), codec = found;
    if (o->codec_given && found != o->codec) {
        /* What the program that unpacks would have said. */
        if (found == CODEC_NONE) {
            if (o->codec == CODEC_GZIP)
                fprintf(stderr, "\ngzip: stdin: not in gzip format\n");
            else if (o->codec == CODEC_BZIP2)
                fprintf(stderr, "bzip2: (stdin) is not a bzip2 file.\n");
            else if (o->codec == CODEC_ZSTD)
                fprintf(stderr, "zstd: /*stdin*\\: unsupported format \n");
            else
                fprintf(stderr, "%s: (stdin): File format not recognized\n", programs[o->codec]);
            g_warn("Child returned status %d", o->codec == CODEC_BZIP2 ? 2 : 1);
            tar_fatal(0, "Error is not recoverable: exiting now");
        }
    } else if (!o->codec_given && found != CODEC_NONE && lseek(a->fd, 0, SEEK_CUR) < 0) {
        g_warn("Archive is compressed. Use %s option", flags[found]);
        tar_fatal(0, "Error is not recoverable: exiting now");
    }
    unpack_start(&a->in, a->fd, codec, head, have);
}

void tar_open_write(tar_archive *a, const tar_options *o) {
    *a = (tar_archive){.o = o, .writing = true};
    clock_gettime(CLOCK_MONOTONIC, &a->opened);
    bool standard = strcmp(o->archive, "-") == 0;
    if (standard && isatty(STDOUT_FILENO)) {
        g_warn("Refusing to write archive contents to terminal (missing -f option?)");
        tar_fatal(0, "Error is not recoverable: exiting now");
    }
    a->fd =
        standard ? STDOUT_FILENO : open(o->archive, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (a->fd < 0) cannot_open(o, errno);
    enum codec codec = o->codec_given  ? o->codec
                       : o->auto_codec ? codec_of_name(o->archive)
                                       : CODEC_NONE;
    pack_hints hints = {.level = o->level, .size = -1};
    if (!pack_start(&a->out, a->fd, codec, &hints)) tar_fatal(ENOMEM, "%s", o->archive);
}

void tar_open_append(tar_archive *a, tar_options *o, void (*seen)(const tar_member *m)) {
    if (o->codec_given) {
        g_warn("Cannot update compressed archives");
        g_try_help(2);
    }
    int fd = open(o->archive, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) cannot_open(o, errno);
    struct stat st;
    fstat(fd, &st);
    uint64_t end = 0;
    if (st.st_size > 0) {
        tar_archive old;
        tar_member m;
        bool totals = o->totals;
        o->totals = false;
        tar_open_read(&old, o);
        if (old.in.codec != CODEC_NONE) {
            g_warn("Cannot update compressed archives");
            tar_fatal(0, "Error is not recoverable: exiting now");
        }
        while (tar_next(&old, o, &m)) {
            seen(&m);
            tar_skip(&old, m.size);
            end = old.blocks;
            tar_member_free(&m);
        }
        tar_close(&old);
        o->totals = totals;
    }
    *a = (tar_archive){.o = o, .writing = true, .fd = fd, .blocks = end};
    pack_hints hints = {.level = -1, .size = -1};
    if (lseek(fd, (off_t)(end * TAR_BLOCK), SEEK_SET) < 0)
        tar_fatal(errno, "%s: Cannot seek", o->archive);
    pack_start(&a->out, fd, CODEC_NONE, &hints);
    a->out.taken = end * TAR_BLOCK;
    a->before = a->out.taken / TAR_RECORD * TAR_RECORD;
    clock_gettime(CLOCK_MONOTONIC, &a->opened);
}

static _Noreturn void damaged(const tar_archive *a) {
    const unpacker *u = &a->in;
    if (u->error == UNPACK_READ) tar_fatal(u->error_number, "%s: Cannot read", a->o->archive);
    if (u->codec != CODEC_NONE && u->error) {
        if (u->codec == CODEC_GZIP)
            fprintf(stderr, "\ngzip: stdin: %s\n",
                    u->error == UNPACK_EOF   ? "unexpected end of file"
                    : u->error == UNPACK_CRC ? "invalid compressed data--crc error"
                                             : "invalid compressed data--format violated");
        else
            fprintf(stderr, "%s: (stdin): %s\n", programs[u->codec],
                    u->error == UNPACK_EOF ? "Unexpected end of input"
                                           : "Compressed data is corrupt");
    }
    g_warn("Unexpected EOF in archive");
    if (u->codec != CODEC_NONE && u->error) g_warn("Child returned status 1");
    tar_fatal(0, "Error is not recoverable: exiting now");
}

bool tar_read_block(tar_archive *a, unsigned char block[TAR_BLOCK]) {
    size_t have = 0;
    while (have < TAR_BLOCK && !a->eof) {
        size_t n = unpack_read(&a->in, block + have, TAR_BLOCK - have);
        a->eof = n == 0;
        have += n;
    }
    if (a->eof && a->in.error) damaged(a);
    /* A part of a block at the end counts for nothing. */
    if (have < TAR_BLOCK) {
        if (a->blocks == 0) {
            g_warn("This does not look like a tar archive");
            tar_fatal(0, "Exiting with failure status due to previous errors");
        }
        return false;
    }
    a->blocks++;
    return true;
}

void tar_skip(tar_archive *a, int64_t bytes) {
    unsigned char block[TAR_BLOCK];
    for (; bytes > 0; bytes -= TAR_BLOCK)
        if (!tar_read_block(a, block)) damaged(a);
}

void tar_write(tar_archive *a, const void *bytes, size_t len) {
    pack_write(&a->out, bytes, len);
    if (a->out.error) {
        int error = a->out.error;
        g_warn("%s: Cannot write: %s", a->o->archive, strerror(error));
        tar_fatal(0, "Error is not recoverable: exiting now");
    }
}

void tar_pad(tar_archive *a) {
    static const unsigned char zeros[TAR_BLOCK];
    size_t over = (size_t)(a->out.taken % TAR_BLOCK);
    if (over > 0) tar_write(a, zeros, TAR_BLOCK - over);
}

static void put_amount(double bytes) {
    static const g_size_style style = {.base = 1024, .block = 1, .suffix = ""};
    char text[G_HUMAN_SIZE];
    const char *s = g_human(bytes < 1e18 ? (uint64_t)bytes : (uint64_t)1e18, &style, text);
    fprintf(stderr, "%s%s", s, s[strspn(s, "0123456789.")] ? "iB" : "B");
}

/* Whole records count, as GNU's do. */
static void put_totals(const tar_archive *a) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t bytes = a->writing
                         ? a->out.taken - a->before
                         : (a->blocks * TAR_BLOCK + TAR_RECORD - 1) / TAR_RECORD * TAR_RECORD;
    double seconds =
        (double)(now.tv_sec - a->opened.tv_sec) + (double)(now.tv_nsec - a->opened.tv_nsec) / 1e9;
    g_out_flush();
    fprintf(stderr, "Total bytes %s: %llu (", a->writing ? "written" : "read",
            (unsigned long long)bytes);
    put_amount((double)bytes);
    fputs(", ", stderr);
    put_amount((double)bytes / (seconds > 1e-9 ? seconds : 1e-9));
    fputs("/s)\n", stderr);
}

void tar_close(tar_archive *a) {
    if (!a->writing) {
        unpack_end(&a->in);
    } else {
        static const unsigned char zeros[TAR_BLOCK];
        tar_write(a, zeros, TAR_BLOCK);
        tar_write(a, zeros, TAR_BLOCK);
        while (a->out.taken % TAR_RECORD) tar_write(a, zeros, TAR_BLOCK);
        int error = pack_end(&a->out);
        if (!error && a->fd != STDOUT_FILENO && close(a->fd) < 0) error = errno;
        if (error) {
            g_warn("%s: Cannot write: %s", a->o->archive, strerror(error));
            tar_fatal(0, "Error is not recoverable: exiting now");
        }
    }
    if (a->o->totals) put_totals(a);
    if (!a->writing && a->fd > STDIN_FILENO) close(a->fd);
}
