/*
 * ptx_layout.c: how ptx lays out a keyword and what stands around it, and prints that.
 *
 * A line has two halves: what stands before the keyword, and the keyword with what follows. What
 * one half has no room for goes to the free end of the other: `tail` to the left, `head` to the
 * right.
 */
#include "g_out.h"
#include "g_regex.h"
#include "ptx.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static int64_t half, before_most, keyafter_most;

typedef struct {
    ptx_span tail, before, keyafter, head;
    bool tail_cut, before_cut, keyafter_cut, head_cut;
} layout;

static bool is_blank(char c) {
    return isspace((unsigned char)c);
}

static const char *skip_blanks(const char *s, const char *limit) {
    while (s < limit && is_blank(*s)) s++;
    return s;
}

static const char *skip_blanks_back(const char *s, const char *limit) {
    while (s > limit && is_blank(s[-1])) s--;
    return s;
}

const char *ptx_skip_something(const ptx_options *o, const char *at, const char *limit) {
    if (o->word_regex) {
        pf_range range;
        if (pf_regex_search(o->word_regex, at, (size_t)(limit - at), 0, 0, &range, 1) == PF_RE_OK &&
            range.start == 0 && range.end > 0)
            return at + range.end;
        return at + 1;
    }
    if (!o->word[(unsigned char)*at]) return at + 1;
    while (at < limit && o->word[(unsigned char)*at]) at++;
    return at;
}

void ptx_prepare_layout(ptx_options *o) {
    int64_t cut = (int64_t)strlen(o->truncation);
    bool reference = o->auto_reference || o->input_reference;
    if (reference && !o->right_reference) o->width -= o->reference_width + o->gap;
    if (o->width < 0) o->width = 0;
    half = o->width / 2;
    before_most = half - o->gap;
    keyafter_most = half;
    /* Without GNU's extensions a mark may stand where the gap is. */
    if (o->gnu) {
        before_most -= 2 * cut;
        if (before_most < 0) before_most = 0;
        keyafter_most -= 2 * cut;
    } else {
        keyafter_most -= 2 * cut + 1;
    }
}

/* Moves the start on, by words, until the span has at most `most` bytes. */
static const char *shorten_front(const ptx_options *o, ptx_span span, int64_t most) {
    while (span.end - span.start > most && span.start < span.end)
        span.start = ptx_skip_something(o, span.start, span.end);
    return span.start;
}

/* As many words from `start` on as `most` bytes hold. */
static const char *fill(const ptx_options *o, const char *start, const char *limit, int64_t most,
                        bool allow_blank_end) {
    const char *end = start, *at = start;
    while (at < limit && at - start <= most) {
        end = at;
        at = ptx_skip_something(o, at, limit);
    }
    if (at - start <= most) end = at;
    return allow_blank_end ? end : skip_blanks_back(end, start);
}

static layout lay_out(const ptx_options *o, const ptx_occurrence *at) {
    layout l = {0};
    bool mark = *o->truncation != '\0';
    const char *left = at->context.start, *right = at->context.end;
    l.keyafter.start = at->key.start;
    l.keyafter.end = at->key.end;
    const char *end =
        fill(o, at->key.end, right, keyafter_most - (at->key.end - at->key.start), true);
    if (end > l.keyafter.end) l.keyafter.end = end;
    l.keyafter_cut = mark && l.keyafter.end < right;
    l.keyafter.end = skip_blanks_back(l.keyafter.end, l.keyafter.start);

    /* Far to the left nothing is looked at. */
    const char *field = left;
    if (at->key.start - left > half + o->longest_word)
        field = ptx_skip_something(o, at->key.start - (half + o->longest_word), at->key.start);
    l.before.start = field;
    l.before.end = skip_blanks_back(at->key.start, field);
    l.before.start = shorten_front(o, l.before, before_most);
    if (mark) l.before_cut = skip_blanks_back(l.before.start, left) > left;
    l.before.start = skip_blanks(l.before.start, at->context.end);

    int64_t room = before_most - (l.before.end - l.before.start) - o->gap;
    if (room > 0) {
        l.tail.start = skip_blanks(l.keyafter.end, right);
        l.tail.end = fill(o, l.tail.start, right, room - 1, true);
        if (l.tail.end > l.tail.start) {
            l.keyafter_cut = false;
            l.tail_cut = mark && l.tail.end < right;
        }
        l.tail.end = skip_blanks_back(l.tail.end, l.tail.start);
    }
    room = keyafter_most - (l.keyafter.end - l.keyafter.start) - o->gap;
    if (room > 0) {
        l.head.end = skip_blanks_back(l.before.start, left);
        l.head.start = field < l.head.end ? field : l.head.end;
        l.head.start = shorten_front(o, l.head, room);
        if (l.head.end > l.head.start) {
            l.before_cut = false;
            l.head_cut = mark && l.head.start > left;
        }
        l.head.start = skip_blanks(l.head.start, l.head.end);
    }
    return l;
}

/* Output */

static void put_tex(char c) {
    if (strchr("$%&#_", c)) {
        g_outc('\\');
        g_outc(c);
    } else if (c == '{' || c == '}') {
        g_outs("$\\");
        g_outc(c);
        g_outc('$');
    } else if (c == '\\') {
        g_outs("\\backslash{}");
    } else {
        g_outc(c);
    }
}

static int64_t put_field(const ptx_options *o, ptx_span s) {
    for (const char *p = s.start; p < s.end; p++) {
        if (is_blank(*p) || *p == '\0')
            g_outc(*p ? ' ' : *p);
        else if (o->format == PTX_ROFF && *p == '"')
            g_outs("\"\"");
        else if (o->format == PTX_TEX)
            put_tex(*p);
        else
            g_outc(*p);
    }
    return s.end - s.start;
}

static void blanks(int64_t count) {
    if (count > 0) g_out_fill(' ', (size_t)count);
}

static int64_t put_reference(const ptx_options *o, const ptx_occurrence *at) {
    if (!o->auto_reference) return put_field(o, at->reference);
    char number[32];
    int len = snprintf(number, sizeof number, ":%llu", (unsigned long long)at->line + 1);
    const char *name = at->file->name ? at->file->name : "";
    put_field(o, (ptx_span){name, name + strlen(name)});
    g_out(number, (size_t)len);
    return (int64_t)strlen(name) + len;
}

static int64_t put_marked(const ptx_options *o, ptx_span s, bool front, bool cut, bool back) {
    int64_t mark = (int64_t)strlen(o->truncation), width = 0;
    if (front && cut) g_outs(o->truncation), width += mark;
    width += put_field(o, s);
    if (back && cut) g_outs(o->truncation), width += mark;
    return width;
}

/* An empty `before` may begin behind its end, past the blanks of the context: it has a negative
 * width, as GNU's has. */
static void put_dumb(const ptx_options *o, const ptx_occurrence *at, const layout *l) {
    bool reference = o->auto_reference || o->input_reference;
    int64_t mark = (int64_t)strlen(o->truncation);
    if (!o->right_reference) {
        int64_t width = 0;
        if (reference) width = put_reference(o, at);
        if (o->auto_reference) {
            g_outc(':');
            width++;
        }
        blanks(reference ? o->reference_width + o->gap - width : o->gap);
    }
    int64_t before = l->before.end - l->before.start + (l->before_cut ? mark : 0);
    int64_t tail = 0;
    if (l->tail.start < l->tail.end) tail = put_marked(o, l->tail, false, l->tail_cut, true);
    blanks(half - o->gap - before - tail);
    put_marked(o, l->before, true, l->before_cut, false);
    blanks(o->gap);
    int64_t after = put_marked(o, l->keyafter, false, l->keyafter_cut, true);
    if (l->head.start < l->head.end) {
        int64_t head = l->head.end - l->head.start + (l->head_cut ? mark : 0);
        blanks(half - after - head);
        put_marked(o, l->head, true, l->head_cut, false);
    } else if (reference && o->right_reference) {
        blanks(half - after);
    }
    if (reference && o->right_reference) {
        blanks(o->gap);
        put_reference(o, at);
    }
    g_outc('\n');
}

static void put_roff_field(const ptx_options *o, ptx_span s, bool front, bool cut) {
    g_outs(" \"");
    put_marked(o, s, front, cut, !front);
    g_outc('"');
}

static void put_roff(const ptx_options *o, const ptx_occurrence *at, const layout *l) {
    g_outc('.');
    g_outs(o->macro);
    put_roff_field(o, l->tail, false, l->tail_cut);
    put_roff_field(o, l->before, true, l->before_cut);
    put_roff_field(o, l->keyafter, false, l->keyafter_cut);
    put_roff_field(o, l->head, true, l->head_cut);
    if (o->auto_reference || o->input_reference) {
        g_outs(" \"");
        put_reference(o, at);
        g_outc('"');
    }
    g_outc('\n');
}

static void put_braced(const ptx_options *o, ptx_span s) {
    g_outc('{');
    put_field(o, s);
    g_outc('}');
}

static void put_tex_line(const ptx_options *o, const ptx_occurrence *at, const layout *l) {
    ptx_span key = l->keyafter, after = l->keyafter;
    key.end = after.start = ptx_skip_something(o, key.start, key.end);
    g_outc('\\');
    g_outs(o->macro);
    g_outc(' ');
    put_braced(o, l->tail);
    put_braced(o, l->before);
    put_braced(o, key);
    put_braced(o, after);
    put_braced(o, l->head);
    if (o->auto_reference || o->input_reference) {
        g_outc('{');
        put_reference(o, at);
        g_outc('}');
    }
    g_outc('\n');
}

void ptx_put(const ptx_options *o, const ptx_occurrence *at) {
    layout l = lay_out(o, at);
    if (o->format == PTX_ROFF)
        put_roff(o, at, &l);
    else if (o->format == PTX_TEX)
        put_tex_line(o, at, &l);
    else
        put_dumb(o, at, &l);
}
