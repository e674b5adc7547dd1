/*
 * assignword.c: words of the form NAME=value, NAME[index]+=value and NAME=(a b [i]=c).
 *
 * Called by word.c for every word; whether such a word then is an assignment, an argument of
 * `declare` or plain text is for the grammar to say.
 */
#include "wordscan.h"

static bool name_start(int c) { return c == '_' || ((c | 32) >= 'a' && (c | 32) <= 'z'); }
static bool name_char(int c) { return name_start(c) || (c >= '0' && c <= '9'); }

/* The text [at, end) is a subscript; without assign_ok it must not hold blanks. */
static bool subscript_allowed(struct parser *p, size_t at, size_t end) {
    if (p->ctx.assign_ok) return true;
    for (size_t i = at; i < end; i++)
        if (memchr(" \t\n;&|()<>", p->buf[i], 10)) return false;
    return end > at;
}

/* Steps over one newline or blank, or a comment, between elements; false when there is none. */
static bool skip_between(struct parser *p) {
    int c = lex_at(p, 0);
    if (c == '\n') {
        lex_newline(p);
        return true;
    }
    size_t was = p->pos;
    lex_skip_blanks(p);
    return p->pos != was;
}

/* A word that begins with [ takes all up to its ], or up to the end of the input. */
static struct element *unclosed_bracket(struct parser *p) {
    parse_eof_error(p, p->line, ']');
    p->failed = false;
    int line = p->line + (p->buf[p->len - 1] != '\n');
    for (; p->pos < p->len; p->pos++) line += p->buf[p->pos] == '\n';
    parse_error(p, line, "syntax error: unexpected end of file");
    p->compound_error = true;
    return NULL;
}

/* One word of a compound assignment; among `pairs` (the first word is no [k]=) each is kept whole, too. */
static struct element *element_lex(struct parser *p, bool pairs) {
    struct element *e = arena_zalloc(p->mem, sizeof *e);
    size_t start = p->pos, bracket = 0;
    int line = p->line;
    if (lex_at(p, 0) == '[') {
        ptrdiff_t close = word_skip(p, p->pos + 1, '[', ']');
        if (close < 0) return unclosed_bracket(p);
        size_t save = p->pos, after = (size_t)close + 1;
        p->pos = 0;
        int c = lex_at(p, after), d = c == '+' ? lex_at(p, after + 1) : 0;
        p->pos = save;
        bracket = after;
        if (c == '=' || (c == '+' && d == '=')) {
            e->append = c == '+';
            e->index = word_of_text(p, p->buf + start + 1, (size_t)close - start - 1,
                                    WM_SUBSCRIPT, line);
            if (!e->index) return NULL;
            p->pos = after + (c == '+' ? 2 : 1);
        }
    }
    if (e->index) {
        struct scan s = scan_new(p, WM_WORD);
        s.tilde_here = true;
        s.tilde_after_colon = true;
        size_t at = p->pos;
        if (!scan_run(p, &s)) return NULL;
        e->value = scan_finish(p, &s, at, line);
        if (!(e->value->flags & W_BRACE) && !pairs) return e;
        e->whole = word_of_text(p, p->buf + start, p->pos - start, WM_ALL, line);
        return e->whole ? e : NULL;
    }
    struct lex_context ctx = p->ctx;
    p->ctx.assign_ok = false;
    p->ctx.element = true;
    p->ctx.bracket = bracket;
    e->value = word_lex(p);
    p->ctx = ctx;
    return e->value ? e : NULL;
}

static bool compound_lex(struct parser *p, struct assign *as) {
    int line = p->line;
    struct element **tail = &as->elements;
    p->pos++;
    if (++p->depth > PARSE_DEPTH_MAX) return parse_deep(p);
    for (;;) {
        while (skip_between(p)) continue;
        int c = lex_at(p, 0);
        if (c < 0) {
            parse_eof_error(p, line, ')');
            p->compound_error = true;
            return false;
        }
        if (c == ')') break;
        bool process = (c == '<' || c == '>') && lex_at(p, 1) == '(';
        if (!process && memchr(";&|(<>", c, 6)) {
            lex_peek(p); /* the operator, for the message */
            parse_unexpected(p);
            p->compound_error = true;
            return false;
        }
        bool pairs = as->elements && !as->elements->index;
        struct element *e = element_lex(p, pairs);
        if (!e) return false;
        *tail = e;
        tail = &e->next;
    }
    p->depth--;
    p->pos++;
    return true;
}

bool assign_scan(struct parser *p, struct scan *s, struct assign **out) {
    size_t n = 0;
    if (!name_start(lex_at(p, 0))) return true;
    while (name_char(lex_next(p, n))) n++;
    int c = lex_next(p, n);
    size_t after = n, sub_at = 0, sub_end = 0;
    if (c == '[') {
        ptrdiff_t close = word_skip(p, p->pos + n + 1, '[', ']');
        if (close < 0 || !subscript_allowed(p, p->pos + n + 1, (size_t)close)) return true;
        sub_at = n + 1;
        sub_end = (size_t)close - p->pos;
        after = sub_end + 1;
        c = lex_next(p, after);
    }
    bool append = c == '+' && lex_next(p, after + 1) == '=';
    if (c != '=' && !append) return true;
    after += append ? 2 : 1;

    struct assign *as = arena_zalloc(p->mem, sizeof *as);
    as->name = arena_strndup(p->mem, p->buf + p->pos, n);
    as->append = append;
    if (sub_at) {
        as->index = word_of_text(p, p->buf + p->pos + sub_at, sub_end - sub_at, WM_SUBSCRIPT,
                                 p->line);
        if (!as->index) return false;
        /* the same once more as part of the word, for where it is no assignment */
        struct word *plain = word_of_text(p, p->buf + p->pos, after, WM_ALL, p->line);
        if (!plain) return false;
        s->flags &= plain->flags | W_QUOTED;
        s->flags |= plain->flags & (W_QUOTED | W_BRACE);
        word_move_places(plain->parts, 0, (uint32_t)p->pos);
        *s->tail = plain->parts;
        while (*s->tail) s->tail = &(*s->tail)->next;
    } else {
        sb_put(&s->lit, p->buf + p->pos, after);
        s->lit_quoted = false;
        scan_flush(p, s);
    }
    s->flags &= (uint16_t)~W_PLAIN;
    p->pos += after;
    *out = as;
    if (lex_at(p, 0) == '(' && p->ctx.assign_ok) {
        as->compound = true;
        s->value_tail = s->tail;
        s->value_start = p->pos;
        return compound_lex(p, as);
    }
    s->value_tail = s->tail;
    s->value_start = p->pos;
    if (p->ctx.element) return true; /* a=(x=~) keeps it */
    s->tilde_after_colon = true;
    if (p->sh->posix && !p->ctx.assign_ok) s->tilde_after_colon = false;
    else if (lex_at(p, 0) == '~') {
        struct scan t = scan_new(p, WM_WORD);
        t.tail = &t.first;
        t.tilde_after_colon = true;
        if (scan_tilde(p, &t)) {
            scan_part(p, s, t.first);
        }
    }
    return true;
}

void assign_finish(struct parser *p, struct word *w, struct assign *as, struct scan *s) {
    w->assign = as;
    as->word = w;
    if (as->compound) return;
    struct word *value = arena_zalloc(p->mem, sizeof *value);
    size_t skip = s->value_start - s->start;
    value->text = w->text + skip;
    value->len = w->len - (uint32_t)skip;
    value->line = w->line;
    value->parts = *s->value_tail;
    show_bad_in(p, value->parts, value->text, value->len);
    const struct part *only = value->parts;
    value->flags = (w->flags & (W_QUOTED | W_PURE));
    if (only && !only->next && only->kind == PART_TEXT && only->n == value->len)
        value->flags |= W_PLAIN;
    as->value = value;
}
