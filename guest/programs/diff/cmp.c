/*
 * cmp.c: compares two files byte by byte.
 *
 * help cmp:
 *   Usage: cmp [OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]
 *   Compare two files byte by byte.
 *
 *   The optional SKIP1 and SKIP2 specify the number of bytes to skip
 *   at the beginning of each file (zero by default).
 *
 *     -b, --print-bytes          print differing bytes
 *     -i, --ignore-initial=SKIP         skip first SKIP bytes of both inputs
 *     -i, --ignore-initial=SKIP1:SKIP2  skip first SKIP1 bytes of FILE1 and SKIP2 bytes of FILE2
 *     -l, --verbose              output byte numbers and differing byte values
 *     -n, --bytes=LIMIT          compare at most LIMIT bytes
 *     -s, --quiet, --silent      suppress all normal output
 *         --help                 display this help and exit
 *     -v, --version              output version information and exit
 *
 *   SKIP values may be followed by multiplicative suffixes: kB 1000, K 1024, MB 1,000,000, M
 *   1,048,576 … If a FILE is '-' or missing, read standard input.
 *   Exit status is 0 if inputs are the same, 1 if different, 2 if trouble.
 */
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 65536 };

typedef struct {
    const char *name;
    int fd;
    struct stat st;
    uint64_t skip;
    size_t start, len; /* unread bytes are buf[start .. len) */
    bool end;
    unsigned char buf[BLOCK];
} input;

typedef struct {
    bool bytes, every, silent;
    uint64_t limit;
    uint64_t at, line; /* position of the next byte, from 1 */
    int width;
    unsigned char last;
} comparison;

static input files[2];

static bool fill(input *in) {
    if (in->start < in->len) return true;
    if (in->end) return false;
    ssize_t n = g_read(in->fd, in->buf, BLOCK);
    if (n < 0) g_die_errno(2, errno, "%s", in->name);
    in->start = 0;
    in->len = (size_t)n;
    in->end = n == 0;
    return n > 0;
}

static void skip(input *in) {
    if (in->skip == 0) return;
    if (S_ISREG(in->st.st_mode) && in->skip <= INT64_MAX &&
        lseek(in->fd, (off_t)in->skip, SEEK_CUR) >= 0)
        return;
    for (uint64_t left = in->skip; left > 0 && fill(in);) {
        size_t n = in->len - in->start < left ? in->len - in->start : (size_t)left;
        in->start += n;
        left -= n;
    }
}

/* A byte as `cat -v` shows it. */
static const char *shown(unsigned char c, char out[5]) {
    char *p = out;
    if (c >= 128) {
        c = (unsigned char)(c - 128);
        *p++ = 'M';
        *p++ = '-';
    }
    if (c < 32 || c == 127) {
        *p++ = '^';
        c ^= 64;
    }
    *p++ = (char)c;
    *p = '\0';
    return out;
}

/* Says that two bytes differ; true when that ends the comparison. */
static bool put_difference(const comparison *c, unsigned char a, unsigned char b) {
    char sa[5], sb[5];
    if (c->silent) return true;
    unsigned long long at = c->at, line = c->line;
    if (c->every) {
        if (c->bytes)
            g_outf("%*llu %3o %-4s %3o %s\n", c->width, at, a, shown(a, sa), b, shown(b, sb));
        else
            g_outf("%*llu %3o %3o\n", c->width, at, a, b);
        return false;
    }
    g_outf("%s %s differ: byte %llu, line %llu", files[0].name, files[1].name, at, line);
    if (c->bytes) g_outf(" is %3o %s %3o %s", a, shown(a, sa), b, shown(b, sb));
    g_outc('\n');
    return true;
}

static void put_end(const comparison *c, const input *in) {
    unsigned long long at = c->at - 1;
    if (c->silent) return;
    if (at == 0)
        g_warn("EOF on %s which is empty", in->name);
    else if (c->every)
        g_warn("EOF on %s after byte %llu", in->name, at);
    else if (c->last == '\n')
        g_warn("EOF on %s after byte %llu, line %llu", in->name, at,
               (unsigned long long)c->line - 1);
    else
        g_warn("EOF on %s after byte %llu, in line %llu", in->name, at,
               (unsigned long long)c->line);
}

static int compare(comparison *c) {
    bool differ = false;
    while (c->at - 1 < c->limit) {
        bool more0 = fill(&files[0]), more1 = fill(&files[1]);
        if (!more0 || !more1) {
            if (!more0 && !more1) break;
            put_end(c, &files[more0 ? 1 : 0]);
            return 1;
        }
        const unsigned char *a = files[0].buf + files[0].start, *b = files[1].buf + files[1].start;
        size_t n = files[0].len - files[0].start, m = files[1].len - files[1].start;
        if (m < n) n = m;
        if (c->limit - (c->at - 1) < n) n = (size_t)(c->limit - (c->at - 1));
        for (size_t i = 0; i < n; i++) {
            if (a[i] != b[i]) {
                differ = true;
                if (put_difference(c, a[i], b[i])) return 1;
            }
            c->line += a[i] == '\n';
            c->at++;
        }
        c->last = a[n - 1];
        files[0].start += n;
        files[1].start += n;
    }
    return differ;
}

static uint64_t number(const char *text, const char *what) {
    uint64_t value;
    enum g_number_result result = g_parse_unsigned(text, "kKMGTPEZY0", &value, NULL);
    if (result == G_NUMBER_OVERFLOW) return UINT64_MAX;
    if (result != G_NUMBER_OK) g_usage("invalid %s '%s'", what, text);
    return value;
}

static void set_skips(const char *text) {
    const char *colon = strchr(text, ':');
    char *first = colon ? g_copy_bytes(text, (size_t)(colon - text)) : g_copy_string(text);
    uint64_t one = number(first, "--ignore-initial value"),
             two = colon ? number(colon + 1, "--ignore-initial value") : one;
    if (one > files[0].skip) files[0].skip = one;
    if (two > files[1].skip) files[1].skip = two;
}

/* With -s a file that is not there is only told by the status. */
static void open_input(input *in, const char *name, bool silent) {
    in->name = name;
    in->fd = strcmp(name, "-") == 0 ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (in->fd >= 0 && fstat(in->fd, &in->st) == 0) return;
    if (silent) g_exit(2);
    g_die_errno(2, errno, "%s", name);
}

static int offset_width(uint64_t limit) {
    for (int f = 0; f < 2; f++) {
        if (!S_ISREG(files[f].st.st_mode)) continue;
        uint64_t size = (uint64_t)files[f].st.st_size,
                 left = size > files[f].skip ? size - files[f].skip : 0;
        if (left < limit) limit = left;
    }
    int width = 1;
    if (limit > INT64_MAX) limit = INT64_MAX; /* as many digits as an off_t may have */
    while (limit /= 10) width++;
    return width;
}

static const g_long longs[] = {{"bytes", 'n', G_REQUIRED},
                               {"ignore-initial", 'i', G_REQUIRED},
                               {"print-bytes", 'b', G_NONE},
                               {"print-chars", 'c', G_NONE},
                               {"quiet", 's', G_NONE},
                               {"silent", 's', G_NONE},
                               {"verbose", 'l', G_NONE},
                               {"version", 'v', G_NONE},
                               {0}};

int cmp_main(int argc, char **argv) {
    comparison c = {.limit = UINT64_MAX, .at = 1, .line = 1};
    g_set_failure(2);
    g_set_write_error(2, "standard output: %s");
    g_set_usage_line("cmp: ");
    g_options o = g_options_of(argc, argv, "bci:ln:sv", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'b':
        case 'c': c.bytes = true; break;
        case 'i': set_skips(o.arg); break;
        case 'l': c.every = true; break;
        case 'n': c.limit = number(o.arg, "--bytes value"); break;
        case 's': c.silent = true; break;
        case 'v': g_print_version(); return 0;
        }
    if (c.every && c.silent) g_usage("options -l and -s are incompatible");
    int operands = argc - o.at;
    if (operands == 0) g_usage("missing operand after '%s'", argv[argc - 1]);
    for (int f = 0; f < 2 && operands > 2 + f; f++) {
        uint64_t n = number(argv[o.at + 2 + f], "--ignore-initial value");
        if (n > files[f].skip) files[f].skip = n;
    }
    if (operands > 4) g_usage("extra operand '%s'", argv[o.at + 4]);
    open_input(&files[0], argv[o.at], c.silent);
    open_input(&files[1], operands > 1 ? argv[o.at + 1] : "-", c.silent);
    const struct stat *a = &files[0].st, *b = &files[1].st;
    if (a->st_ino == b->st_ino && a->st_dev == b->st_dev && S_ISREG(a->st_mode) &&
        files[0].skip == files[1].skip)
        return 0;
    /* Sizes alone tell, when nobody wants to know where. */
    if (c.silent && c.limit == UINT64_MAX && S_ISREG(a->st_mode) && S_ISREG(b->st_mode) &&
        a->st_size != b->st_size && files[0].skip == 0 && files[1].skip == 0)
        return 1;
    c.width = offset_width(c.limit);
    skip(&files[0]);
    skip(&files[1]);
    return compare(&c);
}
