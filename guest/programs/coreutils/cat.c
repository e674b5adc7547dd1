/*
 * cat.c: concatenates files to standard output.
 *
 * Plain copying moves whole blocks; with an option every byte is looked at, but output still goes
 * through the buffer.
 *
 * help cat:
 *   Usage: cat [OPTION]... [FILE]...
 *   Concatenate FILE(s) to standard output. With no FILE, or when FILE is -, read standard input.
 *
 *     -A, --show-all           equivalent to -vET
 *     -b, --number-nonblank    number nonempty output lines, overrides -n
 *     -e                       equivalent to -vE
 *     -E, --show-ends          display $ at end of each line
 *     -n, --number             number all output lines
 *     -s, --squeeze-blank      suppress repeated empty output lines
 *     -t                       equivalent to -vT
 *     -T, --show-tabs          display TAB characters as ^I
 *     -u                       (ignored)
 *     -v, --show-nonprinting   use ^ and M- notation, except for LFD and TAB
 *         --help               display this help and exit
 *         --version            output version information and exit
 */
#include "g_file.h"
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK (64u << 10)

typedef struct {
    bool number, number_nonblank, squeeze, ends, tabs, nonprinting;
    /* State that goes on from file to file. */
    bool line_start;
    unsigned blank_lines;
    char line[24]; /* the last line's number, up to the end; 0 before the first */
    size_t line_at; /* where its digits begin */
    bool pending_cr; /* a CR at the end of a block: with -E it may be the first half of ^M$ */
    bool marks;       /* there are bytes that are shown in another way: */
    bool marked[256]; /* these; and the line end */
} cat;

/* Counts in the text itself: it is shorter than to divide. */
static void put_number(cat *c) {
    size_t last = sizeof c->line - 1, at = last;
    while (at >= c->line_at && c->line[at] == '9') c->line[at--] = '0';
    if (at < c->line_at) c->line[--c->line_at] = '1';
    else c->line[at]++;
    size_t from = c->line_at < last - 5 ? c->line_at : last - 5;
    g_out(c->line + from, sizeof c->line - from);
    g_outc('\t');
}

static void put_visible(unsigned char byte) {
    if (byte >= 128) {
        g_out("M-", 2);
        byte -= 128;
    }
    if (byte < 32) {
        g_outc('^');
        g_outc((char)(byte + 64));
    } else if (byte == 127) {
        g_out("^?", 2);
    } else {
        g_outc((char)byte);
    }
}

static void put_byte(cat *c, unsigned char byte) {
    if (byte == '\t') {
        if (c->tabs) g_out("^I", 2);
        else g_outc('\t');
    } else if (c->nonprinting) {
        put_visible(byte);
    } else if (byte == '\r' && c->ends) {
        c->pending_cr = true;
    } else {
        g_outc((char)byte);
    }
}

/* Begins a line: what comes before its first byte. */
static void begin_line(cat *c, bool empty) {
    if ((c->number && !c->number_nonblank) || (c->number_nonblank && !empty)) put_number(c);
    c->line_start = false;
}

static void format(cat *c, const unsigned char *p, size_t len) {
    for (const unsigned char *end = p + len; p < end;) {
        if (c->pending_cr) {
            if (*p == '\n') g_out("^M", 2);
            else g_outc('\r');
            c->pending_cr = false;
        }
        if (*p == '\n') {
            p++;
            if (c->line_start) {
                if (++c->blank_lines > 1 && c->squeeze) continue;
                begin_line(c, true);
            }
            if (c->ends) g_outc('$');
            g_outc('\n');
            c->line_start = true;
            continue;
        }
        if (c->line_start) {
            c->blank_lines = 0;
            begin_line(c, false);
        }
        const unsigned char *run = p;
        if (c->marks) {
            while (p < end && !c->marked[*p]) p++;
        } else {
            p = memchr(p, '\n', (size_t)(end - p));
            if (!p) p = end;
        }
        if (p > run) g_out(run, (size_t)(p - run));
        if (p < end && *p != '\n') put_byte(c, *p++);
    }
}

/* Which bytes do not stand for themselves. */
static void mark_bytes(cat *c) {
    for (int byte = 0; byte < 256; byte++) {
        bool visible = byte >= 32 && byte < 127;
        c->marked[byte] = byte == '\t'                 ? c->tabs
                          : byte == '\r' && c->ends    ? true
                                                       : c->nonprinting && !visible;
        c->marks = c->marks || c->marked[byte];
    }
    c->marked['\n'] = true;
}

/* Nothing to change: numbers and squeezing need line starts only. */
static int copy_plain(int fd, char *block) {
    g_out_flush();
    for (;;) {
        ssize_t n = g_read(fd, block, BLOCK);
        if (n <= 0) return n < 0 ? errno : 0;
        g_out_block(block, (size_t)n);
    }
}

static int copy_formatted(cat *c, int fd, char *block) {
    for (;;) {
        ssize_t n = g_read(fd, block, BLOCK);
        if (n <= 0) return n < 0 ? errno : 0;
        format(c, (unsigned char *)block, (size_t)n);
        if (n < (ssize_t)BLOCK) g_out_flush(); /* a pipe or terminal: show what there is */
    }
}

/* A file that grows by being read would never end. */
static bool is_output(int fd, const char *name) {
    struct stat in, out;
    if (fstat(fd, &in) < 0 || fstat(STDOUT_FILENO, &out) < 0) return false;
    if (!S_ISREG(out.st_mode) || in.st_ino != out.st_ino || in.st_dev != out.st_dev) return false;
    if (lseek(fd, 0, SEEK_CUR) >= in.st_size) return false;
    g_warn("%s: input file is output file", g_quotef(name));
    return true;
}

static int cat_file(cat *c, bool plain, const char *name, char *block) {
    int fd = g_open_input(name);
    if (fd < 0) return 1;
    int status = 0;
    if (is_output(fd, name)) {
        status = 1;
    } else {
        int error = plain ? copy_plain(fd, block) : copy_formatted(c, fd, block);
        if (error) {
            g_warn_errno(error, "%s", g_quotef(name));
            status = 1;
        }
    }
    g_close_input(fd);
    return status;
}

static const g_long longs[] = {
    {"number-nonblank", 'b', G_NONE}, {"number", 'n', G_NONE},
    {"squeeze-blank", 's', G_NONE},   {"show-nonprinting", 'v', G_NONE},
    {"show-ends", 'E', G_NONE},       {"show-tabs", 'T', G_NONE},
    {"show-all", 'A', G_NONE},        {0}};

int cat_main(int argc, char **argv) {
    cat c = {.line_start = true, .line_at = sizeof c.line};
    memset(c.line, ' ', sizeof c.line);
    g_options o = g_options_of(argc, argv, "benstuvAET", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (option == 'b') c.number_nonblank = c.number = true;
        if (option == 'n') c.number = true;
        if (option == 's') c.squeeze = true;
        if (option == 'E' || option == 'e' || option == 'A') c.ends = true;
        if (option == 'T' || option == 't' || option == 'A') c.tabs = true;
        if (strchr("vetA", option)) c.nonprinting = true;
    }
    bool plain = !(c.number || c.squeeze || c.ends || c.tabs || c.nonprinting);
    mark_bytes(&c);
    char *block = g_alloc(BLOCK);
    int status = 0;
    if (o.at == argc) status = cat_file(&c, plain, "-", block);
    for (int i = o.at; i < argc; i++) status |= cat_file(&c, plain, argv[i], block);
    if (c.pending_cr) g_outc('\r');
    return status;
}
