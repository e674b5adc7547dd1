/*
 * dd.c: copies blocks.
 *
 * Deviations: flags other than append, excl, fullblock, skip_bytes, seek_bytes, count_bytes and
 * nofollow have no effect.
 *
 * help dd:
 *   Usage: dd [OPERAND]...
 *     or:  dd OPTION
 *   Copy a file, converting and formatting according to the operands.
 *
 *     bs=BYTES        read and write up to BYTES bytes at a time (default: 512)
 *     cbs=BYTES       convert BYTES bytes at a time
 *     conv=CONVS      convert the file as per the comma separated symbol list: ascii, ebcdic,
 *                       ibm, block, unblock, lcase, ucase, swab, sync, excl, nocreat,
 *                       notrunc, noerror, fdatasync, fsync, sparse
 *     count=N         copy only N input blocks
 *     ibs=BYTES       read up to BYTES bytes at a time (default: 512)
 *     if=FILE         read from FILE instead of stdin
 *     iflag=FLAGS     read as per the comma separated symbol list
 *     obs=BYTES       write BYTES bytes at a time (default: 512)
 *     of=FILE         write to FILE instead of stdout
 *     oflag=FLAGS     write as per the comma separated symbol list
 *     seek=N          (or oseek=N) skip N obs-sized output blocks
 *     skip=N          (or iseek=N) skip N ibs-sized input blocks
 *     status=LEVEL    what to print to stderr: none, noxfer, progress
 *         --help      display this help and exit
 *         --version   output version information and exit
 *
 *   N and BYTES may be followed by c=1, w=2, b=512, kB=1000, K=1024, MB, M, GB, G and so on; a B at
 *   the end of N counts bytes. NxM is their product.
 */
#include "dd_charset.h"
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"
#include "g_time.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BLOCK = 1,
    UNBLOCK = 2,
    LCASE = 4,
    UCASE = 8,
    SWAB = 16,
    SYNC = 32,
    EXCL = 64,
    NOCREAT = 128,
    NOTRUNC = 256,
    NOERROR = 512,
    IGNORED = 1024,
    APPEND = 2048,
    FULLBLOCK = 4096,
    COUNT_BYTES = 8192,
    SKIP_BYTES = 16384,
    SEEK_BYTES = 32768,
    ASCII = 65536,
    EBCDIC = 131072,
    IBM = 262144
};

typedef struct {
    const char *name;
    unsigned bit;
} symbol;
static const symbol conversions[] = {{"block", BLOCK},
                                     {"unblock", UNBLOCK},
                                     {"lcase", LCASE},
                                     {"ucase", UCASE},
                                     {"swab", SWAB},
                                     {"sync", SYNC},
                                     {"excl", EXCL},
                                     {"nocreat", NOCREAT},
                                     {"notrunc", NOTRUNC},
                                     {"noerror", NOERROR},
                                     {"fdatasync", IGNORED},
                                     {"fsync", IGNORED},
                                     {"sparse", IGNORED},
                                     {"ascii", ASCII},
                                     {"ebcdic", EBCDIC},
                                     {"ibm", IBM},
                                     {0}};
static const symbol flags[] = {
    {"append", APPEND},         {"fullblock", FULLBLOCK},   {"count_bytes", COUNT_BYTES},
    {"skip_bytes", SKIP_BYTES}, {"seek_bytes", SEEK_BYTES}, {"direct", IGNORED},
    {"directory", IGNORED},     {"dsync", IGNORED},         {"sync", IGNORED},
    {"nonblock", IGNORED},      {"noatime", IGNORED},       {"nocache", IGNORED},
    {"noctty", IGNORED},        {"nofollow", IGNORED},      {0}};

typedef struct {
    const char *in_name, *out_name;
    uint64_t ibs, obs, cbs, count, skip, seek;
    bool has_count, one_size; /* bs=: blocks are written as they were read */
    unsigned conv, iflags, oflags;
    enum { STATUS_ALL, STATUS_NOXFER, STATUS_NONE } status;
    uint64_t full_in, part_in, full_out, part_out, truncated, bytes;
    g_text pending;  /* output that does not fill a block yet */
    uint64_t column; /* of block and unblock: characters of the record so far */
    uint64_t spaces;
    uint8_t charset[256]; /* of ascii, ebcdic and ibm */
    char newline, space;  /* in the charset of records */
    int result;
    g_moment start;
} copier;

static uint64_t factor(const char **s, const char *text, bool *bytes) {
    uint64_t value;
    const char *end, *start;
    while (isspace((unsigned char)**s)) ++*s; /* as strtoumax() does */
    *s += **s == '+';
    start = *s;
    if (!isdigit((unsigned char)**s)) {
        static const char letters[] = "bcwKkMG";
        const char *known = strchr(letters, **s); /* a unit alone counts once */
        static const uint64_t units[] = {512, 1, 2, 1024, 1024, 1 << 20, 1 << 30};
        if (!**s || !known) g_die(1, "invalid number: %s", g_quote(text));
        ++*s;
        return units[known - letters];
    }
    g_parse_unsigned(*s, "bcEGKkMPTwYZ0", &value, &end);
    if (end == *s) g_die(1, "invalid number: %s", g_quote(text));
    if (*end == 'w') {
        value *= 2;
        end++;
    }
    if (*end == 'B') {
        if (bytes) *bytes = true;
        end++;
    }
    if (*start == '0' && start[1] == 'x' && end == start + 1)
        g_warn("warning: %s is a zero multiplier; use %s if that is intended", g_quote("0x"),
               g_quote("00x"));
    *s = end;
    return value;
}

static uint64_t number(const char *text, bool *bytes) {
    const char *s = text;
    uint64_t value = factor(&s, text, bytes);
    while (*s == 'x') {
        s++;
        value *= factor(&s, text, bytes);
    }
    if (*s) g_die(1, "invalid number: %s", g_quote(text));
    return value;
}

static uint64_t size(const char *text) {
    uint64_t value = number(text, NULL);
    if (value == 0 || value > 1u << 30)
        g_die_errno(1, value ? EOVERFLOW : 0, "invalid number: %s", g_quote(text));
    return value;
}

static unsigned symbols(const char *text, const symbol *known, const char *problem) {
    unsigned bits = 0;
    for (const char *s = text;; s++) {
        size_t len = strcspn(s, ",");
        const symbol *k = known;
        while (k->name && (strlen(k->name) != len || strncmp(k->name, s, len) != 0)) k++;
        if (!k->name) g_usage("%s: %s", problem, g_quote_bytes(s, len));
        bits |= k->bit;
        s += len;
        if (!*s) return bits;
    }
}

static void read_operand(copier *c, const char *text) {
    const char *value = strchr(text, '=');
    if (!value) g_usage("unrecognized operand %s", g_quote(text));
    size_t len = (size_t)(value - text);
    value++;
#define IS(word) (len == sizeof word - 1 && memcmp(text, word, sizeof word - 1) == 0)
    bool bytes = false;
    if (IS("if"))
        c->in_name = value;
    else if (IS("of"))
        c->out_name = value;
    else if (IS("bs")) {
        c->ibs = c->obs = size(value);
        c->one_size = true;
    } else if (IS("ibs"))
        c->ibs = size(value);
    else if (IS("obs"))
        c->obs = size(value);
    else if (IS("cbs"))
        c->cbs = size(value);
    else if (IS("count")) {
        c->count = number(value, &bytes);
        c->has_count = true;
        if (bytes) c->iflags |= COUNT_BYTES;
    } else if (IS("skip") || IS("iseek")) {
        c->skip = number(value, &bytes);
        if (bytes) c->iflags |= SKIP_BYTES;
    } else if (IS("seek") || IS("oseek")) {
        c->seek = number(value, &bytes);
        if (bytes) c->oflags |= SEEK_BYTES;
    } else if (IS("conv"))
        c->conv |= symbols(value, conversions, "invalid conversion");
    else if (IS("iflag"))
        c->iflags |= symbols(value, flags, "invalid input flag");
    else if (IS("oflag"))
        c->oflags |= symbols(value, flags, "invalid output flag");
    else if (IS("status")) {
        if (strcmp(value, "none") == 0)
            c->status = STATUS_NONE;
        else if (strcmp(value, "noxfer") == 0)
            c->status = STATUS_NOXFER;
        else if (strcmp(value, "progress") == 0)
            c->status = STATUS_ALL;
        else
            g_usage("invalid status level: %s", g_quote(value));
    } else {
        g_usage("unrecognized operand %s", g_quote(text));
    }
#undef IS
}

/* "1.5 kB": to the nearest, with one digit behind the point below 10. */
static void scaled(g_text *out, double value, unsigned base) {
    static const char letters[] = "kMGTPE";
    int power = -1;
    for (; value >= base && power < 5; power++) value /= base;
    if (power >= 0 && value < 9.95)
        g_text_addf(out, "%.1f", value);
    else
        g_text_addf(out, "%.0f", value);
    g_text_adds(out, " ");
    if (power >= 0) g_text_addc(out, power == 0 && base == 1024 ? 'K' : letters[power]);
    if (power >= 0 && base == 1024) g_text_addc(out, 'i');
    g_text_addc(out, 'B');
}

static void report(const copier *c) {
    g_moment end = g_now();
    double seconds = (double)(end.seconds - c->start.seconds);
    seconds += (end.nanoseconds - c->start.nanoseconds) / 1e9;
    g_text out = {0};
    if (c->status == STATUS_NONE) return;
    g_text_addf(&out, "%" PRIu64 "+%" PRIu64 " records in\n%" PRIu64 "+%" PRIu64 " records out\n",
                c->full_in, c->part_in, c->full_out, c->part_out);
    if (c->truncated)
        g_text_addf(&out, "%" PRIu64 " truncated record%s\n", c->truncated,
                    c->truncated == 1 ? "" : "s");
    if (c->status == STATUS_ALL) {
        g_text_addf(&out, "%" PRIu64 " byte%s", c->bytes, c->bytes == 1 ? "" : "s");
        if (c->bytes >= 1000) {
            g_text_adds(&out, " (");
            scaled(&out, (double)c->bytes, 1000);
            if (c->bytes >= 1024) {
                g_text_adds(&out, ", ");
                scaled(&out, (double)c->bytes, 1024);
            }
            g_text_adds(&out, ")");
        }
        g_text_addf(&out, " copied, %g s, ", seconds);
        double rate = seconds > 0 ? (double)c->bytes / seconds : 0;
        if (rate < 1000) /* in nothing below kB */
            g_text_addf(&out, "%.1f kB", rate / 1000);
        else
            scaled(&out, rate, 1000);
        g_text_adds(&out, "/s\n");
    }
    if (write(STDERR_FILENO, out.s, out.len) < 0) g_exit(1);
    g_text_free(&out);
}

static void write_block(copier *c, const char *s, size_t len, size_t full) {
    size_t done = 0;
    while (done < len) {
        ssize_t n = write(STDOUT_FILENO, s + done, len - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            g_warn_errno(errno, "error writing %s",
                         g_quoteaf(c->out_name ? c->out_name : "standard output"));
            c->part_out += done > 0;
            c->bytes += done;
            report(c);
            g_exit(1);
        }
        done += (size_t)n;
    }
    c->bytes += len;
    if (len == full)
        c->full_out++;
    else
        c->part_out++;
}

static void emit(copier *c, const char *s, size_t len) {
    g_text_add(&c->pending, s, len);
    size_t at = 0;
    for (; c->pending.len - at >= c->obs; at += (size_t)c->obs)
        write_block(c, c->pending.s + at, (size_t)c->obs, (size_t)c->obs);
    if (at) {
        memmove(c->pending.s, c->pending.s + at, c->pending.len - at);
        c->pending.len -= at;
    }
}

static void emit_fill(copier *c, char byte, uint64_t count) {
    while (count-- > 0) emit(c, &byte, 1);
}

/* Lines to records of cbs bytes, filled with blanks; what is longer is cut. */
static void to_records(copier *c, const char *s, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if (s[i] == c->newline) {
            if (c->column < c->cbs) emit_fill(c, c->space, c->cbs - c->column);
            c->column = 0;
            continue;
        }
        if (c->column == c->cbs)
            c->truncated++;
        else if (c->column < c->cbs)
            emit(c, s + i, 1);
        c->column++;
    }
}

static void to_lines(copier *c, const char *s, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if (c->column++ >= c->cbs) {
            c->spaces = 0;
            c->column = 1;
            emit(c, "\n", 1);
        }
        if (s[i] == ' ') {
            c->spaces++;
            continue;
        }
        emit_fill(c, ' ', c->spaces);
        c->spaces = 0;
        emit(c, s + i, 1);
    }
}

static void swap_bytes(char *s, size_t len) {
    for (size_t i = 0; i + 1 < len; i += 2) {
        char kept = s[i];
        s[i] = s[i + 1];
        s[i + 1] = kept;
    }
}

static void translate(const copier *c, char *s, size_t len) {
    for (size_t i = 0; i < len; i++) s[i] = (char)c->charset[(unsigned char)s[i]];
}

static void convert(copier *c, char *s, size_t len) {
    if (c->conv & SWAB) swap_bytes(s, len);
    if (c->conv & ASCII) translate(c, s, len);
    for (size_t i = 0; c->conv & (LCASE | UCASE) && i < len; i++)
        s[i] =
            (char)(c->conv & LCASE ? tolower((unsigned char)s[i]) : toupper((unsigned char)s[i]));
    if (c->conv & (EBCDIC | IBM)) translate(c, s, len);
    if (c->conv & BLOCK && c->cbs)
        to_records(c, s, len);
    else if (c->conv & UNBLOCK && c->cbs)
        to_lines(c, s, len);
    else if (c->one_size)
        write_block(c, s, len, (size_t)c->obs);
    else
        emit(c, s, len);
}

static void finish(copier *c) {
    if (c->conv & BLOCK && c->column > 0 && c->column < c->cbs)
        emit_fill(c, c->space, c->cbs - c->column);
    if (c->conv & UNBLOCK && c->column > 0) emit(c, "\n", 1);
    if (c->pending.len) write_block(c, c->pending.s, c->pending.len, (size_t)c->obs);
}

static void skip_input(copier *c) {
    uint64_t left = c->iflags & SKIP_BYTES ? c->skip : c->skip * c->ibs;
    off_t end, now = lseek(STDIN_FILENO, 0, SEEK_CUR);
    if (left == 0) return;
    if (now >= 0 && (end = lseek(STDIN_FILENO, 0, SEEK_END)) >= 0) {
        if (end > now && (uint64_t)(end - now) < left && c->status != STATUS_NONE)
            g_warn("%s: cannot skip to specified offset",
                   g_quotef(c->in_name ? c->in_name : "standard input"));
        lseek(STDIN_FILENO, now + (off_t)left, SEEK_SET);
        return;
    }
    char waste[4096];
    while (left > 0) {
        ssize_t n = g_read(STDIN_FILENO, waste, left < sizeof waste ? (size_t)left : sizeof waste);
        if (n <= 0) {
            if (c->status == STATUS_NONE) return;
            g_warn("%s: cannot skip to specified offset",
                   g_quotef(c->in_name ? c->in_name : "standard input"));
            return;
        }
        left -= (uint64_t)n;
    }
}

static void open_files(copier *c) {
    if (c->in_name) {
        int fd = open(c->in_name, O_RDONLY | O_CLOEXEC);
        if (fd < 0) g_die_errno(1, errno, "failed to open %s", g_quoteaf(c->in_name));
        dup2(fd, STDIN_FILENO);
    }
    uint64_t seek = c->oflags & SEEK_BYTES ? c->seek : c->seek * c->obs;
    if (c->out_name) {
        int how = O_WRONLY | O_CLOEXEC | (c->conv & NOCREAT ? 0 : O_CREAT) |
                  (c->conv & EXCL ? O_EXCL : 0) | (c->oflags & APPEND ? O_APPEND : 0) |
                  (c->conv & NOTRUNC || seek ? 0 : O_TRUNC);
        int fd = open(c->out_name, how, 0666);
        if (fd < 0) g_die_errno(1, errno, "failed to open %s", g_quoteaf(c->out_name));
        if (seek && !(c->conv & NOTRUNC) && ftruncate(fd, (off_t)seek) < 0 && errno != EINVAL)
            g_die_errno(1, errno, "failed to truncate to %" PRIu64 " bytes in output file %s", seek,
                        g_quoteaf(c->out_name));
        dup2(fd, STDOUT_FILENO);
    }
    if (seek && lseek(STDOUT_FILENO, (off_t)seek, SEEK_CUR) < 0)
        g_die_errno(1, errno, "%s: cannot seek",
                    g_quoteaf(c->out_name ? c->out_name : "standard output"));
}

static void copy(copier *c) {
    char *block = g_alloc((size_t)c->ibs);
    uint64_t left = c->iflags & COUNT_BYTES ? c->count : UINT64_MAX;
    for (uint64_t blocks = 0;
         !c->has_count || c->iflags & COUNT_BYTES ? left > 0 : blocks < c->count; blocks++) {
        size_t want = (size_t)c->ibs, have = 0;
        if (want > left) want = (size_t)left;
        do {
            ssize_t n = g_read(STDIN_FILENO, block + have, want - have);
            if (n < 0) {
                g_warn_errno(errno, "error reading %s",
                             g_quoteaf(c->in_name ? c->in_name : "standard input"));
                c->result = 1;
            }
            if (n <= 0) break;
            have += (size_t)n;
        } while (c->iflags & FULLBLOCK && have < want);
        if (have == 0) break;
        if (left != UINT64_MAX) left -= have;
        if (have == c->ibs)
            c->full_in++;
        else {
            c->part_in++;
            if (c->conv & SYNC) {
                memset(block + have, c->conv & (BLOCK | UNBLOCK) ? ' ' : 0, (size_t)c->ibs - have);
                have = (size_t)c->ibs;
            }
        }
        convert(c, block, have);
    }
    finish(c);
    free(block);
}

static bool several(unsigned bits) {
    return (bits & (bits - 1)) != 0;
}

static void settle_conversions(copier *c) {
    if (several(c->conv & (ASCII | EBCDIC | IBM)))
        g_die(1, "cannot combine any two of {ascii,ebcdic,ibm}");
    if (c->conv & ASCII) c->conv |= UNBLOCK;
    if (c->conv & (EBCDIC | IBM)) c->conv |= BLOCK;
    if (!c->cbs) c->conv &= ~(unsigned)(BLOCK | UNBLOCK);
    if (several(c->conv & (BLOCK | UNBLOCK))) g_die(1, "cannot combine block and unblock");
    if (several(c->conv & (LCASE | UCASE))) g_die(1, "cannot combine lcase and ucase");
    if (several(c->conv & (EXCL | NOCREAT))) g_die(1, "cannot combine excl and nocreat");
    if (c->conv & (BLOCK | UNBLOCK)) c->one_size = false;
    c->newline = '\n';
    c->space = ' ';
    if (c->conv & (ASCII | EBCDIC | IBM))
        dd_charset(c->charset, c->conv & ASCII ? DD_ASCII : c->conv & EBCDIC ? DD_EBCDIC : DD_IBM);
    if (c->conv & (EBCDIC | IBM)) {
        c->newline = (char)c->charset['\n'];
        c->space = (char)c->charset[' '];
    }
}

int dd_main(int argc, char **argv) {
    copier c = {.ibs = 512, .obs = 512};
    int at = g_no_options(argc, argv);
    for (int i = at; i < argc; i++) read_operand(&c, argv[i]);
    settle_conversions(&c);
    open_files(&c);
    skip_input(&c);
    c.start = g_now();
    copy(&c);
    report(&c);
    return c.result;
}
