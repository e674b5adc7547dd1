/*
 * fold.c: wraps lines. As in GNU, a byte above 127 counts as one column.
 *
 * help fold:
 *   Usage: fold [OPTION]... [FILE]...
 *   Wrap input lines in each FILE, writing to standard output.
 *
 *     -b, --bytes         count bytes rather than columns
 *     -s, --spaces        break at spaces
 *     -w, --width=WIDTH   use WIDTH columns instead of 80
 *         --help          display this help and exit
 *         --version       output version information and exit
 */
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"

#include <errno.h>
#include <ctype.h>
#include <stdlib.h>

typedef struct {
    bool bytes, spaces;
    size_t width;
} folder;

static size_t advance(const folder *f, size_t column, char c) {
    if (f->bytes) return column + 1;
    switch (c) {
    case '\b': return column > 0 ? column - 1 : 0;
    case '\r': return 0;
    case '\t': return column + 8 - column % 8;
    default: return column + 1;
    }
}

static size_t width_of(const folder *f, const char *s, size_t len) {
    size_t column = 0;
    for (size_t i = 0; i < len; i++) column = advance(f, column, s[i]);
    return column;
}

static void fold_line(void *context, const g_line *line) {
    const folder *f = context;
    size_t start = 0, column = 0;
    for (size_t i = 0; i < line->len;) {
        size_t next = advance(f, column, line->s[i]);
        if (next <= f->width || i == start) {
            column = next;
            i++;
            continue;
        }
        size_t cut = i;
        if (f->spaces) {
            size_t blank = i;
            while (blank > start && !isblank((unsigned char)line->s[blank - 1])) blank--;
            if (blank > start) cut = blank;
        }
        g_out(line->s + start, cut - start);
        g_outc('\n');
        start = cut;
        column = width_of(f, line->s + start, i - start);
    }
    g_out(line->s + start, line->len - start);
    if (line->terminated) g_outc('\n');
}

static const g_long longs[] = {
    {"bytes", 'b', G_NONE}, {"spaces", 's', G_NONE}, {"width", 'w', G_REQUIRED}, {0}};

static size_t columns(const char *text) {
    uint64_t value = g_number(text, "", 0, SIZE_MAX - 9, "invalid number of columns");
    if (value == 0) g_die_errno(1, ERANGE, "invalid number of columns: %s", g_quote(text));
    return (size_t)value;
}

int fold_main(int argc, char **argv) {
    folder f = {.width = 80};
    g_text old = {0}; /* -NUM, digit by digit */
    g_options o = g_options_of(argc, argv, "bsw:0123456789", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'b': f.bytes = true; break;
        case 's': f.spaces = true; break;
        case 'w':
            f.width = columns(o.arg);
            break;
        default:
            g_text_addc(&old, (char)option);
            f.width = columns(old.s);
        }
    return g_each_line(argc - o.at, argv + o.at, fold_line, &f);
}
