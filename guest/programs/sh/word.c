/*
 * word.c: reads words, with quotes and expansions taken apart once and for all.
 *
 * The same loop reads a word of a command, the inside of double quotes, of ${x-…}, of a subscript
 * and of a here-document; the mode (parse.h) says what ends it and which quotes count.
 */
#include "wordscan.h"

/* Bytes that are more than themselves somewhere; runs of others are taken at once. */
static bool ordinary(int c) {
    if (c >= 'a' && c <= 'z') return true;
    if (c >= 'A' && c <= 'Z') return true;
    if (c >= '0' && c <= '9') return true;
    return c == '_' || c == '.' || c == '-' || c == '%' || c >= 0x80;
}

static bool is_arith(const struct scan *s) { return s->mode == WM_ARITH || s->mode == WM_INDEX; }

void scan_flush(struct parser *p, struct scan *s) {
    if (s->lit.n == 0) return;
    struct part *part = arena_zalloc(p->mem, sizeof *part);
    part->kind = s->lit_quoted ? PART_QUOTED : PART_TEXT;
    part->s = arena_strndup(p->mem, s->lit.s, s->lit.n);
    part->n = (uint32_t)s->lit.n;
    *s->tail = part;
    s->tail = &part->next;
    s->lit.n = 0;
}

static void scan_lit(struct parser *p, struct scan *s, const char *text, size_t n, bool quoted) {
    if (s->lit.n && s->lit_quoted != quoted) scan_flush(p, s);
    s->lit_quoted = quoted;
    sb_put(&s->lit, text, n);
    if (quoted) s->flags |= W_QUOTED;
}

void scan_part(struct parser *p, struct scan *s, struct part *part) {
    scan_flush(p, s);
    *s->tail = part;
    s->tail = &part->next;
}

/* An empty quoted string still makes a field. */
static void scan_empty_quotes(struct parser *p, struct scan *s) {
    struct part *part = arena_zalloc(p->mem, sizeof *part);
    part->kind = PART_QUOTED;
    part->s = "";
    scan_part(p, s, part);
    s->flags |= W_QUOTED;
}

static bool scan_single_quotes(struct parser *p, struct scan *s) {
    int line = p->line;
    size_t n = 0;
    char open_quote = p->open_quote;
    p->open_quote = '\'';
    p->pos++;
    for (;;) {
        int c = lex_at(p, 0);
        if (c < 0) {
            parse_eof_error(p, line, '\'');
            return false;
        }
        if (c == '\'') break;
        char ch = (char)c;
        scan_lit(p, s, &ch, 1, true);
        n++;
        if (c == '\n') lex_step_line(p);
        else p->pos++;
    }
    p->pos++;
    p->open_quote = open_quote;
    if (n == 0) scan_empty_quotes(p, s);
    return true;
}

/* Bytes from `at` to pos are a $'…' or the dollar of a $"…". */
static void note_dollar(struct parser *p, size_t at) {
    if (p->quotes) return; /* what bash makes of them there could not be read again */
    struct dollar_quote *d = arena_alloc(p->mem, sizeof *d);
    *d = (struct dollar_quote){p->dollars, (uint32_t)at, (uint32_t)p->pos};
    p->dollars = d;
}

static bool scan_dollar_quotes(struct parser *p, struct scan *s) {
    int line = p->line;
    size_t at = p->pos;
    sb raw = sb_in(p->mem), text = sb_in(p->mem);
    p->pos += 2;
    for (;;) {
        int c = lex_at(p, 0);
        if (c < 0) {
            parse_eof_error(p, line, '\'');
            return false;
        }
        if (c == '\'') break;
        sb_putc(&raw, (char)c);
        if (c == '\\' && lex_at(p, 1) >= 0) {
            p->pos++;
            sb_putc(&raw, p->buf[p->pos]);
        }
        if (p->buf[p->pos] == '\n') lex_step_line(p);
        else p->pos++;
    }
    p->pos++;
    note_dollar(p, at);
    quote_unescape(&text, raw.s, raw.n, '$');
    size_t n = text.n ? strnlen(text.s, text.n) : 0; /* \0 ends it */
    if (n == 0) scan_empty_quotes(p, s);
    else scan_lit(p, s, text.s, n, true);
    return true;
}

void show_bad_in(struct parser *p, struct part *parts, const char *text, size_t n) {
    for (struct part *part = parts; part; part = part->next) {
        struct param *pm = part->kind == PART_PARAM ? part->param : NULL;
        if (pm && pm->op == OP_TRANSFORM && !(pm->mode && strchr(TRANSFORMATIONS, pm->mode)))
            pm->source = arena_strndup(p->mem, text, n);
        if (part->kind != PART_BAD) continue;
        part->s = arena_strndup(p->mem, text, n);
        part->n = (uint32_t)n;
    }
}

static bool scan_double_quotes(struct parser *p, struct scan *s) {
    int line = p->line;
    size_t start = ++p->pos;
    struct scan inner = scan_new(p, WM_DQ);
    char open_quote = p->open_quote;
    p->open_quote = '"';
    p->quotes++;
    bool ok = scan_run(p, &inner);
    p->quotes--;
    p->open_quote = open_quote;
    if (!ok) return false;
    if (lex_at(p, 0) != '"') {
        parse_eof_error(p, line, '"');
        return false;
    }
    p->pos++;
    scan_flush(p, &inner);
    show_bad_in(p, inner.first, p->buf + start, p->pos - 1 - start);
    struct part *part = arena_zalloc(p->mem, sizeof *part);
    part->kind = PART_DQ;
    part->inner = inner.first;
    scan_part(p, s, part);
    s->flags |= W_QUOTED;
    if (!(inner.flags & W_PURE)) s->flags &= (uint16_t)~W_PURE;
    return true;
}

static bool scan_backquote(struct parser *p, struct scan *s, bool dq) {
    int line = p->line;
    sb text = sb_in(p->mem);
    p->pos++;
    for (;;) {
        int c = lex_at(p, 0);
        if (c < 0) {
            parse_eof_error(p, line, '`');
            return false;
        }
        if (c == '`') break;
        if (c == '\\') {
            int d = lex_at(p, 1);
            if (d == '`' || d == '\\' || d == '$' || (dq && d == '"')) {
                p->pos++;
                c = d;
            } else if (d == '\n' && dq) {
                p->pos++;
                lex_step_line(p);
                continue;
            }
        }
        sb_putc(&text, (char)c);
        if (c == '\n') lex_step_line(p);
        else p->pos++;
    }
    p->pos++;
    struct part *part = arena_zalloc(p->mem, sizeof *part);
    part->kind = PART_BACKQUOTE;
    part->s = sb_str(&text);
    part->n = (uint32_t)text.n;
    scan_part(p, s, part);
    s->flags &= (uint16_t)~W_PURE;
    return true;
}

static void scan_backslash(struct parser *p, struct scan *s, bool dq) {
    int d = lex_at(p, 1);
    if (d == '\n') {
        lex_join(p, 0);
        return;
    }
    if (d < 0) {
        scan_lit(p, s, "\\", 1, s->mode == WM_WORD);
        p->pos++;
        return;
    }
    char both[2] = {'\\', (char)d};
    bool special = d == '$' || d == '`' || d == '\\' || (d == '"' && s->mode != WM_HERE) ||
                   (d == '}' && s->mode == WM_BRACE_DQ) ||
                   (s->mode == WM_INDEX && strchr("[]~'", d));
    if (!dq) {
        int n = u8_len(p->buf + p->pos + 1, p->len - p->pos - 1);
        scan_lit(p, s, p->buf + p->pos + 1, (size_t)n, true);
        p->pos += 1 + (size_t)n;
        return;
    }
    if (special) scan_lit(p, s, both + 1, 1, true);
    else scan_lit(p, s, both, 2, true);
    p->pos += 2;
}

/* <( or >( */
static bool scan_process(struct parser *p, struct scan *s, int c) {
    struct part *part = arena_zalloc(p->mem, sizeof *part);
    part->kind = c == '<' ? PART_PROC_IN : PART_PROC_OUT;
    part->at = (uint32_t)p->pos;
    p->pos += 2;
    part->cmd = parse_comsub(p);
    if (p->failed) return false;
    part->end = (uint32_t)p->pos;
    scan_part(p, s, part);
    s->flags &= (uint16_t)~W_PURE;
    return true;
}

/* ~ or ~user where a tilde may stand. */
bool scan_tilde(struct parser *p, struct scan *s) {
    size_t n = 1;
    int c;
    while ((c = lex_at(p, n)) >= 0 &&
           (ordinary(c) || c == '+')) n++;
    bool ends = c < 0 || c == '/' || c == ' ' || c == '\t' || c == '\n' || c == ';' || c == '&' ||
                c == '|' || c == '(' || c == ')' || c == '<' || c == '>' || c == '}' ||
                c == ':';
    if (!ends) return false;
    struct part *part = arena_zalloc(p->mem, sizeof *part);
    part->kind = PART_TILDE;
    part->s = arena_strndup(p->mem, p->buf + p->pos + 1, n - 1);
    part->n = (uint32_t)(n - 1);
    scan_part(p, s, part);
    p->pos += n;
    return true;
}

static bool is_extglob(struct parser *p, struct scan *s, int c) {
    if (c != '?' && c != '*' && c != '+' && c != '@' && c != '!') return false;
    if (lex_at(p, 1) != '(') return false;
    if (s->mode == WM_WORD)
        return p->sh->shopt[SHOPT_EXTGLOB] || p->ctx.pattern;
    return s->mode == WM_ALL;
}

/* [subscript] where the text will be read as arithmetic: what its expansion gives is then one
 * subscript, whatever quotes, brackets and dollar signs are in it. *done: it was one. */
static bool scan_subscript(struct parser *p, struct scan *s, bool *done) {
    ptrdiff_t close = word_skip(p, p->pos + 1, '[', ']');
    *done = close > (ptrdiff_t)p->pos + 1;
    if (!*done) return true;
    struct part *part = arena_zalloc(p->mem, sizeof *part);
    part->kind = PART_SUBSCRIPT;
    part->expr = word_of_text(p, p->buf + p->pos + 1, (size_t)close - p->pos - 1, WM_SUBSCRIPT,
                              p->line);
    if (!part->expr) return false;
    scan_part(p, s, part);
    if (!(part->expr->flags & W_PURE)) s->flags &= (uint16_t)~W_PURE;
    s->flags &= (uint16_t)~W_PLAIN;
    while (p->pos <= (size_t)close)
        if (p->buf[p->pos] == '\n') lex_step_line(p);
        else p->pos++;
    return true;
}

static bool takes_subscripts(const struct scan *s) {
    return is_arith(s) || s->mode == WM_REFERENCE || s->mode == WM_OFFSET ||
           s->mode == WM_LENGTH;
}

/* Whether c ends the word in this mode. */
static bool scan_ends(struct parser *p, struct scan *s, int c) {
    switch (s->mode) {
    case WM_WORD:
        if (s->parens > 0 || p->pos < p->ctx.bracket) return false;
        if (c == ' ' || c == '\t' || c == '\n' || c == ';' || c == '&' || c == ')') return true;
        if (p->ctx.regex && (c == '|' || c == '(' || c == '<' || c == '>')) return false;
        if (c == '|' || c == '(') return true;
        return (c == '<' || c == '>') && lex_at(p, 1) != '(';
    case WM_DQ: return c == '"';
    case WM_BRACE_DQ:
        if (s->apostrophe) return false;
        return c == '}' && s->parens == 0;
    case WM_BRACE:
    case WM_LENGTH: return c == '}' && s->parens == 0;
    case WM_PATTERN: return c == '}' || (c == '/' && p->pos > s->start);
    case WM_OFFSET: return (c == '}' || (c == ':' && s->questions == 0)) && s->parens == 0;
    default: return false;
    }
}

/* Keeps count of what nests in this mode. */
static void scan_nest(struct parser *p, struct scan *s, int c) {
    switch (s->mode) {
    case WM_WORD:
        if (p->ctx.regex || s->parens > 0) s->parens += (c == '(') - (c == ')');
        if (s->parens < 0) s->parens = 0;
        break;
    case WM_OFFSET:
        s->questions += (c == '?') - (c == ':' && s->questions > 0);
        s->parens += (c == '(') - (c == ')' && s->parens > 0);
        break;
    case WM_LENGTH: s->parens += (c == '(') - (c == ')' && s->parens > 0); break;
    default: break;
    }
}

static bool scan_literal(struct parser *p, struct scan *s, int c, bool dq) {
    if (is_extglob(p, s, c)) { /* its parenthesis belongs to the word */
        scan_lit(p, s, p->buf + p->pos, 2, false);
        p->pos += 2;
        s->parens++;
        s->flags &= (uint16_t)~W_PLAIN;
        return true;
    }
    if (c == '*' || c == '?' || c == '[' || c == ']' || c == '\\') s->flags &= (uint16_t)~W_PLAIN;
    if (c == '{') s->flags |= W_BRACE;
    scan_nest(p, s, c);
    scan_lit(p, s, p->buf + p->pos, 1, dq);
    if (c == '\n') lex_step_line(p);
    else p->pos++;
    if (s->tilde_after_colon && c == ':' && !dq && lex_at(p, 0) == '~') scan_tilde(p, s);
    return true;
}

struct scan scan_new(struct parser *p, enum word_mode mode) {
    return (struct scan){.mode = mode, .lit = sb_in(p->mem), .start = p->pos,
                         .flags = W_PLAIN | W_PURE};
}

/* Is there another ' behind the one at pos? */
static bool has_partner(struct parser *p) {
    int c;
    for (size_t i = 1; (c = lex_at(p, i)) >= 0; i++)
        if (c == '\'') return true;
    parse_eof_error(p, p->line, '\'');
    return false;
}

/* One step of scan_run: whatever starts at byte c. */
static bool scan_one(struct parser *p, struct scan *s, int c, bool dq) {
    switch (c) {
    case '\\': scan_backslash(p, s, dq); return true;
    case '\'':
        if (s->mode == WM_BRACE_DQ && p->quotes > 0 && !p->sh->posix) { /* itself, but in pairs */
            s->apostrophe = !s->apostrophe;
            if (s->apostrophe && !has_partner(p)) return false;
        }
        if (dq || is_arith(s)) return scan_literal(p, s, c, dq);
        return scan_single_quotes(p, s);
    case '"':
        if (s->mode == WM_HERE) return scan_literal(p, s, c, dq);
        if (is_arith(s)) { /* quotes do not count in arithmetic */
            p->pos++;
            return true;
        }
        return scan_double_quotes(p, s);
    case '`': return scan_backquote(p, s, dq);
    case '$': {
        int d = lex_next(p, 1);
        if ((!dq || (s->mode == WM_BRACE_DQ && p->quotes > 0)) && d == '\'')
            return scan_dollar_quotes(p, s);
        if (!dq && d == '"') {
            p->pos++;
            note_dollar(p, p->pos - 1);
            return scan_double_quotes(p, s);
        }
        uint32_t at = (uint32_t)p->pos;
        struct part *part = dollar_lex(p, dq, &s->flags);
        if (p->failed) return false;
        if (part) {
            if (part->kind != PART_BAD) {
                part->at = at;
                part->end = (uint32_t)p->pos;
            }
            scan_part(p, s, part);
            return true;
        }
        return scan_literal(p, s, c, dq);
    }
    case '[': {
        bool done = false;
        if (takes_subscripts(s) && !scan_subscript(p, s, &done)) return false;
        return done || scan_literal(p, s, c, dq);
    }
    case '<':
    case '>':
        if ((s->mode == WM_WORD || s->mode == WM_BRACE) && lex_at(p, 1) == '(' && !p->ctx.regex)
            return scan_process(p, s, c);
        return scan_literal(p, s, c, dq);
    case '~':
        if (!dq && s->tilde_here && p->pos == s->start && scan_tilde(p, s)) return true;
        return scan_literal(p, s, c, dq);
    default: return scan_literal(p, s, c, dq);
    }
}

bool scan_run(struct parser *p, struct scan *s) {
    bool dq = s->mode == WM_DQ || s->mode == WM_HERE || s->mode == WM_BRACE_DQ ||
              is_arith(s);
    if (!s->tail) s->tail = &s->first;
    if (++p->depth > PARSE_DEPTH_MAX) return parse_deep(p);
    bool ok = true;
    for (;;) {
        int c = lex_at(p, 0);
        if (c < 0) break;
        if (ordinary(c)) {
            size_t n = 1;
            while (p->pos + n < p->len && ordinary((unsigned char)p->buf[p->pos + n])) n++;
            scan_lit(p, s, p->buf + p->pos, n, dq);
            p->pos += n;
            continue;
        }
        if (scan_ends(p, s, c)) break;
        if (!(ok = scan_one(p, s, c, dq))) break;
    }
    p->depth--;
    return ok;
}

void word_move_places(struct part *parts, uint32_t from, uint32_t to) {
    for (struct part *part = parts; part; part = part->next) {
        if (part->kind == PART_DQ) {
            word_move_places(part->inner, from, to);
        } else if (part->kind != PART_BACKQUOTE && part->end > 0) {
            part->at += to - from;
            part->end += to - from;
        }
    }
}

/* Makes a word of what was scanned from offset `start` on. */
struct word *scan_finish(struct parser *p, struct scan *s, size_t start, int line) {
    scan_flush(p, s);
    struct word *w = arena_zalloc(p->mem, sizeof *w);
    w->len = (uint32_t)(p->pos - start);
    w->text = arena_strndup(p->mem, p->buf + start, w->len);
    w->parts = s->first;
    show_bad_in(p, s->first, w->text, w->len);
    word_move_places(w->parts, (uint32_t)start, 0);
    w->line = line;
    for (const struct dollar_quote *d = p->dollars; d && d->at >= start; d = d->next) {
        struct dollar_quote *copy = arena_alloc(p->mem, sizeof *copy);
        *copy = (struct dollar_quote){w->dollars, d->at - (uint32_t)start, d->end - (uint32_t)start};
        w->dollars = copy;
    }
    bool one_text = s->first && s->first->kind == PART_TEXT && !s->first->next;
    w->flags = s->flags;
    if (!one_text || (s->flags & (W_QUOTED | W_BRACE)) || s->first->n != w->len)
        w->flags &= (uint16_t)~W_PLAIN;
    return w;
}

struct word *word_parts(struct parser *p, enum word_mode mode, bool dq) {
    if (dq && mode == WM_BRACE) mode = WM_BRACE_DQ;
    struct scan s = scan_new(p, mode);
    bool anchored = p->pos > 0 && (p->buf[p->pos - 1] == '#' || p->buf[p->pos - 1] == '%');
    s.tilde_here = mode == WM_BRACE || (mode == WM_PATTERN && !anchored); /* ${x/#~/y} */
    s.tilde_after_colon = mode == WM_BRACE && p->ctx.value;
    size_t start = p->pos;
    int line = p->line;
    if (!scan_run(p, &s)) return NULL;
    if (s.apostrophe) {
        parse_eof_error(p, line, '\'');
        return NULL;
    }
    return scan_finish(p, &s, start, line);
}

struct word *word_lex(struct parser *p) {
    struct scan s = scan_new(p, WM_WORD);
    size_t start = p->pos;
    int line = p->line;
    s.tail = &s.first;
    s.tilde_here = true;
    struct assign *as = NULL;
    if (!p->ctx.cond && !assign_scan(p, &s, &as)) return NULL;
    if (!(as && as->compound)) {
        bool was = p->ctx.value;
        p->ctx.value = as != NULL;
        bool ok = scan_run(p, &s);
        p->ctx.value = was;
        if (!ok) return NULL;
        if (s.parens > 0 && (!p->ctx.regex || lex_at(p, 0) < 0)) {
            parse_eof_error(p, line, ')');
            return NULL;
        }
    }
    struct word *w = scan_finish(p, &s, start, line);
    if (as) {
        assign_finish(p, w, as, &s);
        w->flags |= W_ASSIGN;
    }
    return w;
}

struct word *word_of_text(struct parser *p, const char *text, size_t n, enum word_mode mode,
                          int line) {
    struct parser sub = {.sh = p->sh, .tree = p->tree, .mem = p->mem, .where = p->where};
    sub.buf = xstrndup(text, n);
    sub.len = n;
    sub.line = line;
    sub.depth = p->depth + 1;
    struct word *w = NULL;
    if (sub.depth > PARSE_DEPTH_MAX) {
        parse_deep(&sub);
    } else {
        struct scan s = scan_new(&sub, mode);
        s.tilde_here = mode == WM_ALL;
        if (scan_run(&sub, &s)) w = scan_finish(&sub, &s, 0, line);
    }
    if (sub.failed) p->failed = true;
    free(sub.buf);
    return w;
}

/* Steps over quotes and substitutions that start at `at`; the offset after them. */
static ptrdiff_t skip_one(struct parser *p, size_t at) {
    size_t save = p->pos;
    p->pos = 0;
    int c = lex_at(p, at), d = lex_at(p, at + 1);
    ptrdiff_t end = (ptrdiff_t)at + 1;
    if (c == '\\') {
        end = d < 0 ? end : end + 1;
    } else if (c == '\'' || c == '"' || c == '`') {
        size_t i = at + 1;
        int e;
        while ((e = lex_at(p, i)) >= 0 && e != c)
            i += (e == '\\' && c != '\'' && lex_at(p, i + 1) >= 0) ? 2 : 1;
        end = e < 0 ? -1 : (ptrdiff_t)i + 1;
    } else if (c == '$' && (d == '(' || d == '{')) {
        p->depth++;
        end = p->depth > PARSE_DEPTH_MAX ? -1 : word_skip(p, at + 2, d, d == '(' ? ')' : '}');
        p->depth--;
        if (end >= 0) end++;
    }
    p->pos = save;
    return end;
}

ptrdiff_t word_skip(struct parser *p, size_t at, int open, int close) {
    size_t save = p->pos;
    int depth = 0;
    ptrdiff_t found = -1;
    p->pos = 0;
    for (;;) {
        int c = lex_at(p, at);
        if (c < 0) break;
        if (c == close && depth == 0) {
            found = (ptrdiff_t)at;
            break;
        }
        depth += (c == open) - (c == close);
        ptrdiff_t next = skip_one(p, at);
        if (next < 0) break;
        at = (size_t)next;
    }
    p->pos = save;
    return found;
}
