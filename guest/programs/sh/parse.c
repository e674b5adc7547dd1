/*
 * parse.c: the grammar from complete commands down to simple ones.
 *
 * A complete command is parsed, executed and forgotten before the next is looked at, so aliases and
 * options that it sets count for what follows.
 */
#include "parse.h"

/* ------------------------------------------------------------------ errors */

static const char *const token_text[] = {
    [T_SEMI] = ";",        [T_AMP] = "&",    [T_PIPE] = "|",   [T_PIPE_AMP] = "|&",
    [T_AND_AND] = "&&",    [T_OR_OR] = "||", [T_DSEMI] = ";;", [T_SEMI_AMP] = ";&",
    [T_DSEMI_AMP] = ";;&", [T_LPAREN] = "(", [T_RPAREN] = ")", [T_NEWLINE] = "newline",
};
static const char *const redir_text[] = {
    [R_IN] = "<",        [R_OUT] = ">",           [R_CLOBBER] = ">|",
    [R_APPEND] = ">>",   [R_INOUT] = "<>",        [R_DUP_IN] = "<&",
    [R_DUP_OUT] = ">&",  [R_BOTH] = "&>",         [R_BOTH_APPEND] = "&>>",
    [R_HERE_DOC] = "<<", [R_HERE_STRING] = "<<<",
};

void parse_error(struct parser *p, int line, const char *format, ...) {
    if (p->failed) return;
    p->failed = true;
    va_list args;
    va_start(args, format);
    char *text = NULL;
    arena_mark mark = arena_here(&p->sh->tmp);
    sb b = sb_in(&p->sh->tmp);
    sb_vprintf(&b, format, args);
    text = sb_str(&b);
    va_end(args);
    sh_syntax_error(p->sh, p->where, line, text);
    arena_release(&p->sh->tmp, mark);
}

void parse_eof_error(struct parser *p, int line, int close) {
    if (p->failed) return;
    parse_error(p, line, "unexpected EOF while looking for matching `%c'", close);
    p->at_eof_error = true;
}

/* The line on which the input ended, as bash counts: behind the last newline there is one more. */
static int eof_line(const struct parser *p) {
    return p->line + (p->len > 0 && p->buf[p->len - 1] != '\n');
}

/* The source line that holds offset `at`, as the second line of a message. */
static void print_source_line(struct parser *p, size_t at, int line) {
    if (at > p->len) at = p->len;
    size_t start = at, end = at;
    while (start > 0 && p->buf[start - 1] != '\n') start--;
    while (end < p->len && p->buf[end] != '\n') end++;
    p->failed = false;
    parse_error(p, line, "`%.*s'", (int)(end - start), p->buf + start);
}

void parse_unexpected(struct parser *p) {
    if (p->failed) return;
    const struct token *t = &p->tok;
    if (t->kind == T_EOF) {
        parse_error(p, eof_line(p), "syntax error: unexpected end of file");
        p->at_eof_error = true;
        return;
    }
    const char *text = t->kind == T_REDIR                            ? redir_text[t->redir]
                       : t->kind == T_WORD || t->kind == T_IO_NUMBER ? t->word->text
                       : t->kind == T_IO_VAR                         ? t->word->text
                                                                     : token_text[t->kind];
    parse_error(p, t->line, "syntax error near unexpected token `%s'", text);
    print_source_line(p, t->start, t->line);
}

bool parse_deep(struct parser *p) {
    parse_error(p, p->line, "syntax error: constructs nested deeper than %d levels",
                PARSE_DEPTH_MAX);
    return false;
}

/* ------------------------------------------------------------------ redirections */

static bool redir_target(struct parser *p, struct redir *r) {
    bool assign_ok = p->ctx.assign_ok;
    p->ctx.assign_ok = false; /* >a[b c]=d is no element, also before the command */
    bool dup = r->kind == R_DUP_IN || r->kind == R_DUP_OUT;
    if (dup) lex_skip_blanks(p);
    if (dup && lex_at(p, 0) == '-') { /* a token of its own, whatever follows */
        r->target = word_of_text(p, "-", 1, WM_ALL, p->line);
        p->pos++;
        p->ctx.assign_ok = assign_ok;
        return r->target != NULL;
    }
    lex_peek(p);
    p->ctx.assign_ok = assign_ok;
    if (p->failed) return false;
    if (p->tok.kind != T_WORD) {
        parse_unexpected(p);
        return false;
    }
    r->target = p->tok.word;
    if (r->kind == R_HERE_DOC) {
        /* the delimiter: quotes are removed, nothing is expanded */
        sb text = sb_in(p->mem);
        r->here_quoted = (r->target->flags & W_QUOTED) != 0;
        const char *s = r->target->text;
        for (size_t i = 0; i < r->target->len; i++) {
            if (s[i] == '\'' || s[i] == '"') {
                char quote = s[i++];
                for (; i < r->target->len && s[i] != quote; i++) {
                    if (quote == '"' && s[i] == '\\' && i + 1 < r->target->len &&
                        strchr("\\\"$`", s[i + 1]))
                        i++;
                    sb_putc(&text, s[i]);
                }
            } else {
                if (s[i] == '\\' && i + 1 < r->target->len)
                    i++;
                else if (s[i] == '$' && i + 1 < r->target->len &&
                         (s[i + 1] == '\'' || s[i + 1] == '"'))
                    continue;
                sb_putc(&text, s[i]);
            }
        }
        r->delimiter = sb_str(&text);
        struct here_pending *h = arena_alloc(p->mem, sizeof *h);
        *h = (struct here_pending){NULL, r};
        struct here_pending **at = &p->pending;
        while (*at) at = &(*at)->next;
        *at = h;
    }
    lex_take(p);
    return true;
}

bool parse_redirs(struct parser *p, struct redir ***tail) {
    for (;;) {
        lex_peek(p);
        if (p->failed) return false;
        int kind = p->tok.kind;
        if (kind != T_REDIR && kind != T_IO_NUMBER && kind != T_IO_VAR) return true;
        struct redir *r = arena_zalloc(p->mem, sizeof *r);
        r->fd = -1;
        r->line = p->tok.line;
        if (kind != T_REDIR) {
            if (kind == T_IO_VAR)
                r->fd_var = p->tok.word->text;
            else
                r->fd = atoi(p->tok.word->text);
            lex_take(p);
            lex_peek(p);
            if (p->failed) return false;
        }
        r->kind = p->tok.redir;
        r->strip = p->tok.strip;
        lex_take(p);
        if (!redir_target(p, r)) return false;
        **tail = r;
        *tail = &r->next;
    }
}

/* Makes the token valid where a command may begin: what an alias stands for counts, which may be
 * nothing, a comment or a newline. */
static void command_peek(struct parser *p) {
    do lex_peek(p);
    while (lex_alias(p, true));
}

/* ------------------------------------------------------------------ simple commands */

struct node *parse_new(struct parser *p, enum node_kind kind) {
    struct node *n = arena_zalloc(p->mem, sizeof *n);
    n->kind = (uint8_t)kind;
    lex_peek(p);
    n->line = p->tok.line;
    return n;
}

/* Builtins whose arguments may be compound assignments. */
static bool takes_assignments(const struct word *w) {
    static const char *const names[] = {"declare",  "typeset", "local", "export",
                                        "readonly", "alias",   "eval",  "let"};
    for (int i = 0; i < DIM(names); i++)
        if (strcmp(w->text, names[i]) == 0) return true;
    return false;
}

static void add_word(struct parser *p, struct node *n, int *cap, struct word *w) {
    if (n->simple.count == *cap) {
        int more = *cap ? *cap * 2 : 4;
        n->simple.words =
            arena_extend(p->mem, n->simple.words, (size_t)*cap * sizeof(struct word *),
                         (size_t)more * sizeof(struct word *));
        *cap = more;
    }
    n->simple.words[n->simple.count++] = w;
}

static bool word_is_pure(const struct word *w) {
    return (w->flags & W_PURE) != 0;
}

static void note_purity(struct node *n) {
    for (int i = 0; i < n->simple.count; i++)
        if (!word_is_pure(n->simple.words[i])) return;
    if (n->simple.assigns) return;
    for (const struct redir *r = n->redirs; r; r = r->next)
        if (r->fd_var || (r->kind != R_HERE_DOC && !word_is_pure(r->target))) return;
    n->flags |= NF_PURE;
}

/* name ( ) : true when the word at hand is followed by "(" so that it defines a function. */
static struct node *parse_named_function(struct parser *p, struct word *name, int line) {
    lex_take(p); /* ( */
    lex_peek(p);
    if (p->tok.kind != T_RPAREN) {
        parse_unexpected(p);
        return NULL;
    }
    lex_take(p);
    struct node *n = parse_new(p, N_FUNCTION);
    n->line = line;
    n->func.name = name->text;
    n->func.tree = p->tree;
    n->func.body = parse_function_body(p);
    return n->func.body ? n : NULL;
}

static struct node *parse_simple(struct parser *p) {
    struct node *n = parse_new(p, N_SIMPLE);
    struct redir **redirs = &n->redirs;
    struct assign **assigns = &n->simple.assigns;
    int cap = 0;
    bool declaring = false;
    struct lex_context outer = p->ctx;
    p->ctx = (struct lex_context){.assign_ok = true};
    for (bool placed = false;;) {
        p->ctx.assign_ok = n->simple.count == 0 || declaring;
        bool first = n->simple.count == 0 && !n->simple.assigns && !n->redirs;
        if (!first && !placed) { /* bash numbers a command by where its second word ends */
            lex_peek(p);
            n->line = p->tok.kind == T_NEWLINE ? p->tok.line : p->line;
            placed = true;
        }
        if (!parse_redirs(p, &redirs)) return NULL;
        if (p->tok.kind != T_WORD) break;
        if (n->simple.count == 0 && (n->simple.assigns || n->redirs)) {
            if (lex_alias(p, true)) continue;
        } else if (n->simple.count > 0 && lex_alias(p, false)) {
            continue;
        }
        struct word *w = p->tok.word;
        int line = p->tok.line;
        lex_take(p);
        if (n->simple.count == 0 && w->assign) {
            *assigns = w->assign;
            assigns = &w->assign->next;
            continue;
        }
        add_word(p, n, &cap, w);
        if (n->simple.count == 1) {
            declaring = takes_assignments(w);
            p->ctx.assign_ok = declaring;
            lex_peek(p);
            if (p->tok.kind == T_LPAREN && !n->simple.assigns && !n->redirs) {
                p->ctx = outer;
                return parse_named_function(p, w, line);
            }
        }
    }
    p->ctx = outer;
    if (n->simple.count == 0 && !n->simple.assigns && !n->redirs) {
        parse_unexpected(p);
        return NULL;
    }
    note_purity(n);
    return n;
}

struct node *parse_command(struct parser *p) {
    if (++p->depth > PARSE_DEPTH_MAX) {
        parse_deep(p);
        return NULL;
    }
    struct lex_context outer = p->ctx;
    p->ctx = (struct lex_context){.assign_ok = true};
    command_peek(p);
    struct node *n = p->failed ? NULL : parse_compound(p);
    if (n && n->kind != N_FUNCTION) {
        struct redir **tail = &n->redirs;
        while (*tail) tail = &(*tail)->next;
        if (!parse_redirs(p, &tail)) n = NULL;
    }
    if (!n && !p->failed) n = parse_simple(p);
    p->ctx = outer;
    p->depth--;
    return p->failed ? NULL : n;
}

/* ------------------------------------------------------------------ pipelines and lists */

void parse_skip_newlines(struct parser *p) {
    for (;;) {
        lex_peek(p);
        if (p->tok.kind != T_NEWLINE) return;
        lex_take(p);
    }
}

static struct node *parse_stages(struct parser *p) {
    struct node *first = parse_command(p);
    if (!first) return NULL;
    struct node *last = first;
    int count = 1;
    for (;;) {
        lex_peek(p);
        if (p->tok.kind != T_PIPE && p->tok.kind != T_PIPE_AMP) break;
        if (p->tok.kind == T_PIPE_AMP) last->flags |= NF_PIPE_ERR;
        lex_take(p);
        parse_skip_newlines(p);
        struct node *n = parse_command(p);
        if (!n) return NULL;
        last->next = n;
        last = n;
        count++;
    }
    if (p->failed) return NULL;
    if (count == 1) return first;
    struct node *pipe = parse_new(p, N_PIPE);
    pipe->line = first->line;
    pipe->list.first = first;
    pipe->list.count = count;
    return pipe;
}

/* Can a command start here? After `!` and `time` there may be none. */
static bool ends_command(struct parser *p) {
    lex_peek(p);
    switch (p->tok.kind) {
    case T_EOF:
    case T_NEWLINE:
    case T_SEMI:
    case T_AMP:
    case T_AND_AND:
    case T_OR_OR:
    case T_RPAREN:
    case T_DSEMI: return true;
    default: return false;
    }
}

static struct node *parse_prefixed(struct parser *p, enum node_kind kind) {
    struct node *n = parse_new(p, kind);
    lex_take(p);
    if (kind == N_TIME) {
        if (lex_is_word(p, "-p")) {
            n->flags |= NF_POSIX_TIME;
            lex_take(p);
        }
        if (lex_is_word(p, "--")) lex_take(p);
    }
    if (ends_command(p)) return p->failed ? NULL : n;
    n->wrap.body = parse_pipeline(p);
    return n->wrap.body ? n : NULL;
}

/* In POSIX mode `time -p` is a command like any other. */
static bool time_is_command(struct parser *p) {
    size_t n = 0;
    while (p->sh->posix && (lex_at(p, n) == ' ' || lex_at(p, n) == '\t')) n++;
    return p->sh->posix && lex_at(p, n) == '-';
}

struct node *parse_pipeline(struct parser *p) {
    if (p->depth > PARSE_DEPTH_MAX) {
        parse_deep(p);
        return NULL;
    }
    p->depth++;
    struct lex_context outer = p->ctx;
    p->ctx = (struct lex_context){.assign_ok = true};
    command_peek(p);
    struct node *n;
    if (lex_is_word(p, "!"))
        n = parse_prefixed(p, N_NOT);
    else if (lex_is_word(p, "time") && !time_is_command(p))
        n = parse_prefixed(p, N_TIME);
    else
        n = p->failed ? NULL : parse_stages(p);
    p->ctx = outer;
    p->depth--;
    return n;
}

static struct node *parse_and_or(struct parser *p) {
    struct node *left = parse_pipeline(p);
    while (left) {
        lex_peek(p);
        if (p->tok.kind != T_AND_AND && p->tok.kind != T_OR_OR) break;
        struct node *n = parse_new(p, p->tok.kind == T_AND_AND ? N_AND : N_OR);
        n->line = left->line;
        lex_take(p);
        parse_skip_newlines(p);
        n->pair.left = left;
        n->pair.right = parse_pipeline(p);
        left = n->pair.right ? n : NULL;
    }
    return p->failed ? NULL : left;
}

/* One and-or list and its separator. *more: another may follow on this line. */
static struct node *parse_item(struct parser *p, bool *more) {
    struct node *n = parse_and_or(p);
    if (!n) return NULL;
    lex_peek(p);
    *more = p->tok.kind == T_SEMI || p->tok.kind == T_AMP;
    if (p->tok.kind == T_AMP) n->flags |= NF_BACKGROUND;
    if (*more) {
        lex_take(p);
        lex_peek(p);
    }
    return p->failed ? NULL : n;
}

static bool reserved_end(struct parser *p) {
    static const char *const words[] = {"then", "else", "elif", "fi", "do", "done", "esac", "}"};
    if (p->tok.kind != T_WORD) return false;
    for (int i = 0; i < DIM(words); i++)
        if (strcmp(p->tok.word->text, words[i]) == 0) return true;
    return false;
}

/* Does the list end at the current token? */
static bool list_ends(struct parser *p) {
    command_peek(p);
    switch (p->tok.kind) {
    case T_EOF:
    case T_RPAREN:
    case T_DSEMI:
    case T_SEMI_AMP:
    case T_DSEMI_AMP: return true;
    default: return reserved_end(p);
    }
}

/* Newlines before a command, those that aliases stand for included. */
static void command_skip_newlines(struct parser *p) {
    for (;;) {
        command_peek(p);
        if (p->tok.kind != T_NEWLINE) return;
        lex_take(p);
    }
}

static struct node *list_of(struct parser *p, struct node *first, int count, int line) {
    if (count == 1 && !(first->flags & NF_BACKGROUND)) return first;
    struct node *n = arena_zalloc(p->mem, sizeof *n); /* must not look at the next line */
    n->kind = N_LIST;
    n->line = line;
    n->list.first = first;
    n->list.count = count;
    return n;
}

struct node *parse_list(struct parser *p) {
    struct node *first = NULL, **tail = &first;
    int count = 0;
    struct lex_context outer = p->ctx;
    p->ctx = (struct lex_context){.assign_ok = true};
    command_skip_newlines(p);
    int line = p->tok.line;
    while (!p->failed && !list_ends(p)) {
        bool more;
        struct node *n = parse_item(p, &more);
        if (!n) return NULL;
        *tail = n;
        tail = &n->next;
        count++;
        if (p->tok.kind != T_NEWLINE && !more) break;
        command_skip_newlines(p);
    }
    p->ctx = outer;
    if (p->failed) return NULL;
    if (!first) {
        parse_unexpected(p);
        return NULL;
    }
    return list_of(p, first, count, line);
}

/* In bash the text of a $( ) is parsed again when it runs, and only then are aliases looked for. */
static struct node *comsub_text(struct parser *p, size_t from, size_t to, int line) {
    struct node *n = arena_zalloc(p->mem, sizeof *n);
    n->kind = N_TEXT;
    n->line = line;
    n->text.source = arena_strndup(p->mem, p->buf + from, to - from);
    n->text.n = to - from;
    return n;
}

struct node *parse_comsub(struct parser *p) {
    struct token tok = p->tok;
    bool have = p->have;
    struct lex_context ctx = p->ctx;
    struct here_pending *pending = p->pending;
    struct node *n = NULL;
    int quotes = p->quotes;
    char open_quote = p->open_quote;
    struct dollar_quote *dollars = p->dollars;
    p->pending = NULL;
    p->quotes = 0;
    p->open_quote = 0;
    p->have = false;
    p->ctx = (struct lex_context){.assign_ok = true};
    if (++p->depth > PARSE_DEPTH_MAX) {
        parse_deep(p);
        return NULL;
    }
    p->comsubs++;
    size_t from = p->pos;
    int line = p->line;
    bool alias_met = p->alias_met;
    bool late = p->aliases_off > 0 || !p->sh->posix;
    p->alias_met = false;
    p->aliases_off += late;
    command_skip_newlines(p);
    if (p->tok.kind == T_RPAREN)
        n = parse_new(p, N_LIST); /* empty */
    else if (p->tok.kind != T_EOF)
        n = parse_list(p);
    lex_peek(p);
    if (p->failed && p->at_eof_error) {
        p->tok.kind = T_EOF;
    } else if (!p->failed && p->tok.kind == T_EOF) {
        parse_eof_error(p, eof_line(p), ')');
    } else if (!p->failed && p->tok.kind != T_RPAREN) {
        parse_unexpected(p);
    }
    if (p->failed && !p->at_eof_error) p->comsub_error = true;
    if (!p->failed && p->alias_met) n = comsub_text(p, from, p->tok.start, line);
    p->alias_met |= alias_met;
    p->aliases_off -= late;
    p->depth--;
    p->comsubs--;
    struct here_pending **at = &pending;
    while (*at) at = &(*at)->next;
    *at = p->pending;
    p->pending = pending;
    p->tok = tok;
    p->have = have;
    p->ctx = ctx;
    p->quotes = quotes;
    p->open_quote = open_quote;
    p->dollars = dollars;
    return p->failed ? NULL : n;
}

/* The next complete command: up to the end of its line. NULL at the end of input or on failure. */
struct node *parse_complete(struct parser *p) {
    p->ctx = (struct lex_context){.assign_ok = true};
    command_skip_newlines(p);
    if (p->failed || p->tok.kind == T_EOF) return NULL;
    struct node *first = NULL, **tail = &first;
    int count = 0, line = p->tok.line;
    for (;;) {
        bool more;
        struct node *n = parse_item(p, &more);
        if (!n) return NULL;
        *tail = n;
        tail = &n->next;
        count++;
        if (p->tok.kind == T_NEWLINE || p->tok.kind == T_EOF) break;
        if (!more) {
            parse_unexpected(p);
            return NULL;
        }
    }
    lex_take(p); /* the newline, whose here-documents were read with it */
    if (p->pending) lex_pending_at_eof(p);
    return p->failed ? NULL : list_of(p, first, count, line);
}
