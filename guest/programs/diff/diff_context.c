/*
 * diff_context.c: unified and copied context.
 */
#include "diff.h"
#include "g_out.h"
#include "g_time.h"

#include <ctype.h>
#include <stdlib.h>

/* What a hunk covers in each file: lines [from .. to). */
typedef struct {
    size_t first, last; /* changes [first .. last) */
    size_t from[2], to[2];
    size_t function; /* line of side 0 */
    bool has_function;
} hunk;

static void put_heading(const diff_pair *pair, int f, const char *mark) {
    const diff_side *side = &pair->side[f];
    diff_color(pair->o, "1");
    g_outs(mark);
    g_outc(' ');
    if (pair->o->labels[f]) {
        g_outs(pair->o->labels[f]);
    } else {
        g_civil civil;
        size_t len;
        int64_t t = side->absent ? 0 : (int64_t)side->st.st_mtim.tv_sec;
        int ns = side->absent ? 0 : (int)side->st.st_mtim.tv_nsec;
        if (side->is_stdin && !S_ISREG(side->st.st_mode)) {
            g_moment now = g_now();
            t = now.seconds;
            ns = now.nanoseconds;
        }
        g_civil_local(t, &civil);
        char *time = g_strftime("%Y-%m-%d %H:%M:%S.%N %z", &civil, t, ns, &len);
        g_text name = {0};
        diff_add_name(&name, side->name);
        g_out(name.s, name.len);
        g_text_free(&name);
        g_outc('\t');
        g_out(time, len);
        free(time);
    }
    diff_plain(pair->o);
    g_outc('\n');
}

/* The next hunk from change *next on that shows something; false at the end. */
static bool next_hunk(const diff_pair *pair, size_t *next, hunk *h) {
    for (; *next < pair->change_count;) {
        h->first = *next;
        h->last = *next = diff_hunk_end(pair, h->first);
        bool shown = false;
        for (size_t c = h->first; c < h->last; c++) shown |= !pair->changes[c].ignorable;
        if (!shown) continue;
        const diff_change *c = &pair->changes[h->first], *d = &pair->changes[h->last - 1];
        size_t context =
            (uint64_t)pair->o->context > SIZE_MAX / 4 ? SIZE_MAX / 4 : (size_t)pair->o->context;
        size_t first[2] = {c->line0, c->line1},
               end[2] = {d->line0 + d->deleted, d->line1 + d->inserted};
        for (int f = 0; f < 2; f++) {
            size_t count = pair->side[f].line_count;
            h->from[f] = first[f] > context ? first[f] - context : 0;
            h->to[f] = count - end[f] > context ? end[f] + context : count;
        }
        h->has_function = pair->o->function_lines && diff_function(pair, h->from[0], &h->function);
        return true;
    }
    return false;
}

static void put_function(const diff_pair *pair, const hunk *h) {
    if (!h->has_function) return;
    const diff_line *line = &pair->side[0].lines[h->function];
    size_t from = 0, len = line->len;
    while (from < len && isspace((unsigned char)line->s[from])) from++;
    if (len - from > 40) len = from + 40;
    while (len > from && isspace((unsigned char)line->s[len - 1])) len--;
    const char *stop = memchr(line->s + from, '\n', len - from);
    g_outc(' ');
    g_out(line->s + from, stop ? (size_t)(stop - line->s) - from : len - from);
}

static void put_line_end(const diff_side *side, size_t at) {
    g_outc('\n');
    if (side->no_newline && at + 1 == side->line_count) g_outs("\\ No newline at end of file\n");
}

/* Unified */

static void put_unified_range(const hunk *h, int f) {
    size_t count = h->to[f] - h->from[f];
    if (count == 0)
        g_outf("%zu,0", h->from[f]);
    else if (count == 1)
        g_outf("%zu", h->from[f] + 1);
    else
        g_outf("%zu,%zu", h->from[f] + 1, count);
}

static void put_unified_lines(const diff_pair *pair, int f, const char *mark, size_t from,
                              size_t to) {
    const diff_options *o = pair->o;
    const diff_side *side = &pair->side[f];
    for (size_t i = from; i < to; i++) {
        if (*mark != ' ') diff_color(o, *mark == '+' ? "32" : "31");
        diff_put_line(o, o->initial_tab && *mark == ' ' ? "" : mark, &side->lines[i]);
        if (*mark != ' ') diff_plain(o);
        put_line_end(side, i);
    }
}

void diff_put_unified(const diff_pair *pair) {
    size_t next = 0;
    bool headed = false;
    for (hunk h; next_hunk(pair, &next, &h);) {
        if (!headed) {
            put_heading(pair, 0, "---");
            put_heading(pair, 1, "+++");
            headed = true;
        }
        diff_color(pair->o, "36");
        g_outs("@@ -");
        put_unified_range(&h, 0);
        g_outs(" +");
        put_unified_range(&h, 1);
        g_outs(" @@");
        diff_plain(pair->o);
        put_function(pair, &h);
        g_outc('\n');
        size_t at = h.from[0];
        for (size_t i = h.first; i < h.last; i++) {
            const diff_change *c = &pair->changes[i];
            put_unified_lines(pair, 0, " ", at, c->line0);
            at = c->line0 + c->deleted;
            put_unified_lines(pair, 0, "-", c->line0, at);
            put_unified_lines(pair, 1, "+", c->line1, c->line1 + c->inserted);
        }
        put_unified_lines(pair, 0, " ", at, h.to[0]);
    }
}

/* Copied context */

static void put_context_range(const hunk *h, int f, const char *mark) {
    g_outs(mark);
    g_outc(' ');
    if (h->to[f] - h->from[f] <= 1)
        g_outf("%zu", h->to[f]);
    else
        g_outf("%zu,%zu", h->from[f] + 1, h->to[f]);
    g_outc(' ');
}

/* One file's half of a hunk, when something in it changed. */
static void put_half(const diff_pair *pair, const hunk *h, int f) {
    const diff_options *o = pair->o;
    const diff_side *side = &pair->side[f];
    bool any = false;
    for (size_t i = h->first; i < h->last; i++)
        any |= (f ? pair->changes[i].inserted : pair->changes[i].deleted) > 0;
    if (!any) return;
    size_t next = h->first;
    for (size_t i = h->from[f]; i < h->to[f]; i++) {
        const diff_change *c = NULL;
        for (; next < h->last; next++) {
            c = &pair->changes[next];
            if (i < (f ? c->line1 + c->inserted : c->line0 + c->deleted)) break;
        }
        const char *mark = "  ";
        if (next < h->last && i >= (f ? c->line1 : c->line0))
            mark = c->deleted && c->inserted ? "! " : f ? "+ " : "- ";
        diff_color(o, f ? "32" : "31");
        diff_put_line(o, mark, &side->lines[i]);
        diff_plain(o);
        put_line_end(side, i);
    }
}

void diff_put_context(const diff_pair *pair) {
    size_t next = 0;
    bool headed = false;
    for (hunk h; next_hunk(pair, &next, &h);) {
        if (!headed) {
            put_heading(pair, 0, "***");
            put_heading(pair, 1, "---");
            headed = true;
        }
        g_outs("***************");
        put_function(pair, &h);
        g_outc('\n');
        for (int f = 0; f < 2; f++) {
            diff_color(pair->o, "36");
            put_context_range(&h, f, f ? "---" : "***");
            g_outs(f ? "----" : "****");
            diff_plain(pair->o);
            g_outc('\n');
            put_half(pair, &h, f);
        }
    }
}
