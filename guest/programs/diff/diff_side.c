/*
 * diff_side.c: both files in two columns (-y).
 */
#include "diff.h"
#include "g_out.h"
#include "lib/utf8/utf8.h"

enum { GUTTER = 3 };

typedef struct {
    const diff_options *o;
    size_t half;   /* columns of either text */
    size_t second; /* where the right one begins */
} columns;

/* Moves from one column to another with tabs and spaces. */
static void advance(const columns *c, size_t from, size_t to) {
    if (!c->o->expand_tabs)
        for (size_t stop = from + c->o->tab - from % c->o->tab; stop <= to; stop += c->o->tab) {
            g_outc('\t');
            from = stop;
        }
    if (to > from) g_out_fill(' ', to - from);
}

/* A tab, as far as there is room; returns the new column of the output. */
static size_t put_tab(const columns *c, size_t out, size_t spaces) {
    size_t stop = out + spaces;
    if (c->o->expand_tabs) {
        if (stop > c->half) stop = c->half;
        g_out_fill(' ', stop - out);
        return stop;
    }
    if (stop >= c->half) return out;
    g_outc('\t');
    return stop;
}

/* As much of a line as fits; the column where it ends. `indent` is where the text begins. */
static size_t put_half_line(const columns *c, const diff_line *line, size_t indent) {
    size_t in = 0, out = 0;
    const char *p = line->s, *end = p + line->len;
    if (p < end && end[-1] == '\n') end--;
    while (p < end) {
        unsigned char byte = (unsigned char)*p;
        size_t size = 1, width = 1;
        switch (byte) {
        case '\t': {
            size_t spaces = c->o->tab - in % c->o->tab;
            if (in == out) out = put_tab(c, out, spaces);
            in += spaces;
            p++;
            continue;
        }
        case '\r':
            g_outc('\r');
            advance(c, 0, indent);
            in = out = 0;
            p++;
            continue;
        case '\b':
            if (in > 0 && --in < c->half) {
                if (out <= in) {
                    g_out_fill(' ', in - out);
                    out = in;
                } else {
                    out = in;
                    g_outc('\b');
                }
            }
            p++;
            continue;
        }
        if (byte >= 0x80 && g_utf8_locale()) {
            uint32_t code;
            size_t n = pf_utf8_decode(p, (size_t)(end - p), &code);
            if (n > 0) {
                size = n;
                width = g_text_width(p, n);
            }
        } else if (byte < ' ' || byte == 0x7f) {
            width = 0;
        }
        in += width;
        if (width == 0 ? in < c->half : in <= c->half) {
            out = in;
            g_out(p, size);
        }
        p += size;
    }
    return out;
}

static bool ended(const diff_line *line) {
    return line->len > 0 && line->s[line->len - 1] == '\n';
}

static void put_pair(const columns *c, const diff_line *left, char mark, const diff_line *right,
                     const char *color) {
    size_t at = 0;
    bool newline = false;
    if (color) diff_color(c->o, color);
    if (left) {
        newline = ended(left);
        at = put_half_line(c, left, 0);
    }
    if (mark != ' ') {
        size_t to = (c->half + c->second - 1) / 2;
        advance(c, at, to);
        at = to + 1;
        if (mark == '|' && newline != ended(right)) mark = newline ? '/' : '\\';
        g_outc(mark);
    }
    if (right) {
        newline |= ended(right);
        if (right->len > 0 && right->s[0] != '\n') {
            advance(c, at, c->second);
            put_half_line(c, right, c->second);
        }
    }
    if (newline) g_outc('\n');
    if (color) diff_plain(c->o);
}

/* Lines that are the same, or whose differences are ignored: then there may be more of one side. */
static void put_common(const diff_pair *pair, const columns *c, size_t from0, size_t to0,
                       size_t from1, size_t to1) {
    const diff_line *left = pair->side[0].lines, *right = pair->side[1].lines;
    if (pair->o->hide_common) return;
    if (!pair->o->left_column) {
        while (from0 < to0 && from1 < to1) put_pair(c, &left[from0++], ' ', &right[from1++], NULL);
        while (from1 < to1) put_pair(c, NULL, ')', &right[from1++], NULL);
    }
    while (from0 < to0) put_pair(c, &left[from0++], '(', NULL, NULL);
}

static void put_change(const diff_pair *pair, const columns *c, const diff_change *change) {
    const diff_line *left = pair->side[0].lines + change->line0,
                    *right = pair->side[1].lines + change->line1;
    size_t both = change->deleted < change->inserted ? change->deleted : change->inserted;
    for (size_t i = 0; i < both; i++) put_pair(c, &left[i], '|', &right[i], NULL);
    for (size_t i = both; i < change->inserted; i++) put_pair(c, NULL, '>', &right[i], "32");
    for (size_t i = both; i < change->deleted; i++) put_pair(c, &left[i], '<', NULL, "31");
}

void diff_put_side(const diff_pair *pair) {
    const diff_options *o = pair->o;
    size_t unit = o->expand_tabs ? 1 : o->tab, width = o->width;
    columns c = {.o = o};
    size_t off = (width + unit + GUTTER) / (2 * unit) * unit,
           half = off < GUTTER ? 0 : off - GUTTER;
    size_t rest = width > off ? width - off : 0;
    c.half = half < rest ? half : rest;
    c.second = c.half ? off : width;
    size_t at0 = 0, at1 = 0;
    for (size_t i = 0; i < pair->change_count; i++) {
        const diff_change *change = &pair->changes[i];
        if (change->ignorable) continue;
        put_common(pair, &c, at0, change->line0, at1, change->line1);
        put_change(pair, &c, change);
        at0 = change->line0 + change->deleted;
        at1 = change->line1 + change->inserted;
    }
    put_common(pair, &c, at0, pair->side[0].line_count, at1, pair->side[1].line_count);
}
