/*
 * lex.c: tokens: operators, newlines with the here-documents they start, aliases.
 *
 * Called by the parser only. A token is read when it is looked at, so the grammar sets p->ctx
 * before it peeks. Words are read by word.c.
 */
#include "parse.h"

int lex_at(struct parser *p, size_t ahead) {
    while (p->pos + ahead >= p->len)
        if (!p->more || !p->more(p)) return -1;
    return (unsigned char)p->buf[p->pos + ahead];
}

void lex_join(struct parser *p, size_t ahead) {
    while (lex_at(p, ahead) == '\\' && lex_at(p, ahead + 1) == '\n') {
        size_t at = p->pos + ahead, rest = p->len - at - 2;
        memmove(p->buf + at, p->buf + at + 2, rest);
        p->len -= 2;
        p->line++;
        for (struct alias_use *u = p->aliases; u; u = u->next) /* those that end before it */
            if (u->rest > rest) u->rest -= u->rest - rest < 2 ? u->rest - rest : 2;
        size_t *marks[] = {&p->alias_next, &p->alias_after};
        for (int i = 0; i < DIM(marks); i++)
            if (*marks[i] != NO_ALIAS && *marks[i] > rest)
                *marks[i] -= *marks[i] - rest < 2 ? *marks[i] - rest : 2;
    }
}

int lex_next(struct parser *p, size_t ahead) {
    lex_join(p, ahead);
    return lex_at(p, ahead);
}

/* ------------------------------------------------------------------ here-documents */

/* Finds the next line of the buffer; false at the end of the input. */
static bool here_line(struct parser *p, size_t *start, size_t *n) {
    if (lex_at(p, 0) < 0) return false;
    *start = p->pos;
    size_t i = 0;
    int c;
    while ((c = lex_at(p, i)) >= 0 && c != '\n') i++;
    *n = i;
    p->pos += i;
    if (c == '\n') {
        p->pos++;
        p->line++;
        p->line_start = p->pos;
    }
    return true;
}

/* A line of an unquoted here-document that ends in a backslash goes on in the next one. */
static bool here_continues(const char *s, size_t n) {
    size_t slashes = 0;
    while (slashes < n && s[n - 1 - slashes] == '\\') slashes++;
    return slashes % 2 == 1;
}

/* Within $( ) a line may also begin with the delimiter and hold the closing parenthesis. */
static bool here_ends_comsub(const struct parser *p, const char *s, size_t n, const char *delimiter,
                             size_t want) {
    return p->comsubs > 0 && n > want && memcmp(s, delimiter, want) == 0 &&
           memchr(s + want, ')', n - want);
}

static void here_read(struct parser *p, struct redir *r) {
    sb body = sb_in(p->mem), line = sb_in(p->mem);
    size_t want = strlen(r->delimiter);
    int first_line = p->line, asked = p->line - 1;
    bool found = false, early = false;
    size_t start, n;
    char open_quote = p->open_quote;
    p->open_quote = '<';
    while (!found) {
        int line_number = p->line;
        size_t line_start = p->line_start;
        if (!here_line(p, &start, &n)) break;
        line.n = 0;
        bool more;
        do {
            const char *s = p->buf + start;
            if (r->strip && (line.n == 0))
                while (n > 0 && *s == '\t') s++, n--;
            if (line.n == 0 && here_ends_comsub(p, s, n, r->delimiter, want)) {
                p->pos = (size_t)(s - p->buf) + want;
                p->line = line_number;
                p->line_start = line_start;
                early = true;
                break;
            }
            more = !r->here_quoted && here_continues(s, n);
            sb_put(&line, s, more ? n - 1 : n);
        } while (more && here_line(p, &start, &n));
        if (early) break;
        found = line.n == want && memcmp(line.s ? line.s : "", r->delimiter, want) == 0;
        if (!found) {
            sb_put(&body, line.s, line.n);
            sb_putc(&body, '\n');
        }
    }
    p->open_quote = open_quote;
    if (!found) {
        int was = p->sh->error_line;
        p->sh->error_line = p->line - (!early && p->len > 0 && p->buf[p->len - 1] == '\n');
        sh_error(p->sh, "warning: here-document at line %d delimited by end-of-file (wanted `%s')",
                 asked, r->delimiter);
        p->sh->error_line = was;
    }
    struct word *w;
    if (r->here_quoted) {
        w = arena_zalloc(p->mem, sizeof *w);
        w->parts = arena_zalloc(p->mem, sizeof *w->parts);
        w->parts->kind = PART_QUOTED;
        w->parts->s = sb_str(&body);
        w->parts->n = (uint32_t)body.n;
        w->flags = W_QUOTED | W_PURE;
    } else {
        w = word_of_text(p, sb_str(&body), body.n, WM_HERE, first_line);
    }
    if (w) {
        w->text = sb_str(&body);
        w->len = (uint32_t)body.n;
    }
    r->target = w;
}

void lex_step_line(struct parser *p) {
    size_t left = p->len - p->pos;
    bool counts = true; /* a newline of an alias is no line of the script */
    for (struct alias_use *u = p->aliases; u; u = u->next) counts &= left <= u->rest;
    p->pos++;
    p->line += counts;
    p->line_start = p->pos;
}

void lex_newline(struct parser *p) {
    lex_step_line(p);
    lex_pending_at_eof(p);
}

void lex_pending_at_eof(struct parser *p) {
    struct here_pending *list = p->pending;
    p->pending = NULL;
    for (; list && !p->failed; list = list->next) here_read(p, list->redir);
}

/* ------------------------------------------------------------------ tokens */

void lex_skip_blanks(struct parser *p) {
    for (;;) {
        int c = lex_at(p, 0);
        if (c == ' ' || c == '\t') {
            p->pos++;
        } else if (c == '\\' && lex_at(p, 1) == '\n') {
            p->pos += 2;
            p->line++;
            p->line_start = p->pos;
        } else {
            break;
        }
    }
    if (lex_at(p, 0) == '#' && (!p->sh->interactive || p->sh->shopt[SHOPT_INTERACTIVE_COMMENTS])) {
        int c;
        while ((c = lex_at(p, 0)) >= 0 && c != '\n') p->pos++;
    }
}

static void lex_operator(struct parser *p, enum token_kind kind, size_t length) {
    p->tok.kind = (uint8_t)kind;
    p->pos += length;
}

static void lex_redir(struct parser *p, enum redir_kind redir, size_t length) {
    p->tok.redir = (uint8_t)redir;
    lex_operator(p, T_REDIR, length);
}

static void lex_less(struct parser *p) {
    int d = lex_next(p, 1);
    if (d == '<') {
        int e = lex_next(p, 2);
        p->tok.strip = e == '-';
        if (e == '<') lex_redir(p, R_HERE_STRING, 3);
        else lex_redir(p, R_HERE_DOC, e == '-' ? 3 : 2);
    } else if (d == '&') {
        lex_redir(p, R_DUP_IN, 2);
    } else if (d == '>') {
        lex_redir(p, R_INOUT, 2);
    } else {
        lex_redir(p, R_IN, 1);
    }
}

static void lex_greater(struct parser *p) {
    int d = lex_next(p, 1);
    if (d == '>') lex_redir(p, R_APPEND, 2);
    else if (d == '&') lex_redir(p, R_DUP_OUT, 2);
    else if (d == '|') lex_redir(p, R_CLOBBER, 2);
    else lex_redir(p, R_OUT, 1);
}

static void lex_amp(struct parser *p) {
    int d = lex_next(p, 1);
    if (d == '&') {
        lex_operator(p, T_AND_AND, 2);
    } else if (d == '>') {
        if (lex_next(p, 2) == '>') lex_redir(p, R_BOTH_APPEND, 3);
        else lex_redir(p, R_BOTH, 2);
    } else {
        lex_operator(p, T_AMP, 1);
    }
}

static void lex_semi(struct parser *p) {
    int d = lex_next(p, 1);
    if (d == ';') {
        if (lex_next(p, 2) == '&') lex_operator(p, T_DSEMI_AMP, 3);
        else lex_operator(p, T_DSEMI, 2);
    } else if (d == '&') {
        lex_operator(p, T_SEMI_AMP, 2);
    } else {
        lex_operator(p, T_SEMI, 1);
    }
}

/* 2> or {name}> : true when it was one. */
static bool lex_io_prefix(struct parser *p, int c) {
    size_t n = 0;
    bool var = c == '{';
    if (var) {
        n = 1;
        int d = lex_next(p, n);
        if (!(d == '_' || (d | 32) >= 'a') || (d | 32) > 'z') {
            if (d != '_') return false;
        }
        while ((d = lex_next(p, n)) >= 0 &&
               (d == '_' || (d >= '0' && d <= '9') || ((d | 32) >= 'a' && (d | 32) <= 'z')))
            n++;
        if (d == '[') { /* {array[index]}> */
            ptrdiff_t close = word_skip(p, p->pos + n + 1, '[', ']');
            if (close < 0) return false;
            n = (size_t)close - p->pos + 1;
        }
        if (lex_next(p, n) != '}') return false;
        n++;
    } else {
        int64_t value = 0; /* more than an int is a word */
        for (int d; (d = lex_next(p, n)) >= '0' && d <= '9' && value <= INT_MAX; n++)
            value = value * 10 + (d - '0');
        if (value > INT_MAX) return false;
    }
    int after = lex_next(p, n);
    if (after != '<' && after != '>') return false;
    if (lex_next(p, n + 1) == '(') return false; /* 2>(…) is a word */
    struct word *w = arena_zalloc(p->mem, sizeof *w);
    w->len = (uint32_t)(var ? n - 2 : n);
    w->text = arena_strndup(p->mem, p->buf + p->pos + (var ? 1 : 0), w->len);
    p->tok.word = w;
    lex_operator(p, var ? T_IO_VAR : T_IO_NUMBER, n);
    return true;
}

static void lex_word(struct parser *p) {
    p->tok.kind = T_WORD;
    p->dollars = NULL;
    p->tok.word = word_lex(p);
    if (!p->tok.word) p->failed = true;
}

static void lex_token(struct parser *p) {
    lex_skip_blanks(p);
    int c = lex_at(p, 0);
    p->tok.start = p->pos;
    p->tok.line = p->line;
    p->tok.word = NULL;
    p->tok.strip = false;
    switch (c) {
    case -1: p->tok.kind = T_EOF; break;
    case '\n':
        p->tok.kind = T_NEWLINE;
        lex_newline(p);
        break;
    case ';': lex_semi(p); break;
    case '&': lex_amp(p); break;
    case '|':
        if (p->ctx.regex) lex_word(p);
        else if (lex_next(p, 1) == '|') lex_operator(p, T_OR_OR, 2);
        else if (lex_next(p, 1) == '&') lex_operator(p, T_PIPE_AMP, 2);
        else lex_operator(p, T_PIPE, 1);
        break;
    case '(':
        if (p->ctx.regex) lex_word(p);
        else lex_operator(p, T_LPAREN, 1);
        break;
    case ')': lex_operator(p, T_RPAREN, 1); break;
    case '<':
        if (lex_next(p, 1) == '(' && !p->ctx.regex)
            lex_word(p);
        else lex_less(p);
        break;
    case '>':
        if (lex_next(p, 1) == '(' && !p->ctx.regex)
            lex_word(p);
        else lex_greater(p);
        break;
    case '{':
    case '0': case '1': case '2': case '3': case '4':
    case '5': case '6': case '7': case '8': case '9':
        if (p->ctx.cond || !lex_io_prefix(p, c)) lex_word(p);
        break;
    default: lex_word(p);
    }
    p->tok.end = p->pos;
}

void lex_peek(struct parser *p) {
    if (p->have || p->failed) {
        if (p->failed) p->tok.kind = T_EOF;
        return;
    }
    lex_token(p);
    p->have = true;
    if (p->failed) p->tok.kind = T_EOF;
}

void lex_take(struct parser *p) { p->have = false; }

bool lex_is_word(struct parser *p, const char *text) {
    lex_peek(p);
    return p->tok.kind == T_WORD && strcmp(p->tok.word->text, text) == 0;
}

/* ------------------------------------------------------------------ aliases */

static bool alias_active(struct parser *p, const char *name) {
    size_t left = p->len - p->tok.start;
    for (struct alias_use *u = p->aliases; u; u = u->next)
        if (left > u->rest && strcmp(u->name, name) == 0) return true;
    return false;
}

/* Puts an alias's text in the place of the token and reads on from there. The text before it stays
 * where it is: words around a $( ) that holds the token remember where they began. */
static void alias_splice(struct parser *p, const char *name, const char *value, bool command) {
    size_t at = p->tok.start, rest = p->len - p->tok.end, n = strlen(value);
    char *buf = xmalloc(at + n + rest + 1);
    memcpy(buf, p->buf, at);
    memcpy(buf + at, value, n);
    memcpy(buf + at + n, p->buf + p->tok.end, rest);
    free(p->buf);
    p->buf = buf;
    p->len = at + n + rest;
    p->pos = at;
    struct alias_use *u = arena_alloc(p->mem, sizeof *u);
    *u = (struct alias_use){p->aliases, arena_strdup(p->mem, name), rest};
    p->aliases = u;
    bool next = n > 0 && (value[n - 1] == ' ' || value[n - 1] == '\t');
    if (command) {
        if (next) p->alias_next = rest;
    } else { /* the first word of this one may be an alias as well */
        p->alias_next = n + rest;
        p->alias_after = next ? rest : NO_ALIAS;
    }
    p->have = false;
}

bool lex_alias(struct parser *p, bool command) {
    if (!p->sh->shopt[SHOPT_EXPAND_ALIASES] || table_count(p->sh->aliases) == 0) return false;
    lex_peek(p);
    if (p->tok.kind != T_WORD) return false;
    if (!command) {
        /* the word after an alias that ended in a blank */
        if (p->alias_next == NO_ALIAS || p->len - p->tok.start > p->alias_next) return false;
        p->alias_next = p->alias_after;
        p->alias_after = NO_ALIAS;
    }
    const struct word *w = p->tok.word;
    if (w->flags & W_QUOTED) return false;
    if (command && p->sh->posix && sh_is_keyword(w->text)) return false;
    struct alias *a = (struct alias *)table_find(p->sh->aliases, w->text, w->len);
    if (!a || alias_active(p, w->text)) return false;
    if (p->aliases_off > 0) {
        p->alias_met = true;
        return false;
    }
    if (p->more && p->tok.end >= p->len) lex_at(p, 0); /* the rest must be there to be kept */
    alias_splice(p, w->text, a->value, command);
    return true;
}
