/*
 * parsecond.c: the expressions of [[ … ]].
 */
#include "parse.h"

static struct cond *cond_or(struct parser *p);

static struct cond *cond_new(struct parser *p, enum cond_kind kind, struct cond *left,
                             struct cond *right) {
    struct cond *c = arena_zalloc(p->mem, sizeof *c);
    c->kind = (uint8_t)kind;
    c->left = left;
    c->right = right;
    return c;
}

static void skip_newlines(struct parser *p) {
    for (;;) {
        lex_peek(p);
        if (p->tok.kind != T_NEWLINE) return;
        lex_take(p);
    }
}

/* A "]]" that comes too early fails without a word, as in bash. */
static struct cond *cond_fail_silently(struct parser *p) {
    p->failed = p->cond_error = true;
    return NULL;
}

/* The token at hand as messages show it; NULL at the end of input. */
static const char *token_shown(struct parser *p) {
    const struct token *t = &p->tok;
    if (t->kind == T_WORD) return t->word->text;
    if (t->kind == T_NEWLINE) return "newline";
    if (t->kind == T_EOF) return NULL;
    return arena_strndup(p->mem, p->buf + t->start, t->end - t->start);
}

/* A syntax error inside [[ ]]. It does not change $?, unless the input ended. */
static struct cond *cond_fail_at(struct parser *p, int line, const char *format, const char *text) {
    if (p->failed) return NULL;
    p->cond_error = true;
    if (text)
        parse_error(p, line, format, text);
    else
        parse_error(p, p->tok.line, "unexpected EOF while looking for `]]'");
    if (!text) {
        p->at_eof_error = true;
        p->cond_error = false;
    }
    return NULL;
}

static struct cond *cond_fail(struct parser *p, const char *format, const char *text) {
    return cond_fail_at(p, p->tok.line, format, text);
}

/* What is within ( ) failed: bash says that the parenthesis is missing, too. */
static struct cond *unclosed_group(struct parser *p, int line) {
    if (!p->cond_error) return NULL;
    p->failed = false;
    return cond_fail_at(p, line, "expected `)'%s", "");
}

/* A word is missing; `what` is "unary" or "binary". */
static struct cond *missing_argument(struct parser *p, const char *what) {
    const char *text = token_shown(p);
    bool unary = what[0] == 'u';
    return cond_fail(p,
                     unary ? "unexpected argument `%s' to conditional unary operator"
                           : "unexpected argument `%s' to conditional binary operator",
                     text);
}

static bool is_unary(const char *s) {
    return s[0] == '-' && s[1] && !s[2] && strchr("abcdefghknoprstuvwxzGLNORS", s[1]);
}

static bool is_binary(const char *s) {
    static const char *const names[] = {"=",   "==",  "!=",  "=~",  "-eq", "-ne", "-lt",
                                        "-le", "-gt", "-ge", "-nt", "-ot", "-ef"};
    for (int i = 0; i < DIM(names); i++)
        if (strcmp(s, names[i]) == 0) return true;
    return false;
}

/* The operator at hand as text, or NULL. */
static const char *binary_operator(struct parser *p) {
    lex_peek(p);
    if (p->tok.kind == T_REDIR && (p->tok.redir == R_IN || p->tok.redir == R_OUT))
        return p->tok.redir == R_IN ? "<" : ">";
    if (p->tok.kind == T_WORD && is_binary(p->tok.word->text)) return p->tok.word->text;
    return NULL;
}

/* An operand of -eq and the like, in which subscripts are expanded by themselves. */
static struct word *with_subscripts(struct parser *p, struct word *w) {
    if (!strchr(w->text, '[') || !strpbrk(w->text, "$`\\'\"")) return w;
    return word_of_text(p, w->text, w->len, WM_REFERENCE, w->line);
}

static bool is_numeric(const char *op) {
    static const char *const names[] = {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"};
    for (int i = 0; i < DIM(names); i++)
        if (strcmp(op, names[i]) == 0) return true;
    return false;
}

static struct cond *cond_binary_rest(struct parser *p, struct word *a, const char *op) {
    p->ctx.regex = strcmp(op, "=~") == 0;
    p->ctx.pattern = op[0] == '=' || op[0] == '!';
    lex_take(p);
    lex_peek(p);
    p->ctx.regex = p->ctx.pattern = false;
    if (strcmp(op, "=~") == 0 && p->failed && p->at_eof_error) {
        p->failed = false;
        parse_error(p, p->line, "unexpected argument to conditional binary operator");
        return NULL;
    }
    if (strcmp(op, "=~") == 0 && p->tok.kind == T_REDIR)
        return cond_fail(p, "syntax error in conditional expression: unexpected token `%s'",
                         token_shown(p));
    if (p->tok.kind != T_WORD || strcmp(p->tok.word->text, "]]") == 0)
        return missing_argument(p, "binary");
    struct cond *c = cond_new(p, COND_BINARY, NULL, NULL);
    c->op = arena_strdup(p->mem, op);
    bool numeric = is_numeric(op);
    c->a = numeric ? with_subscripts(p, a) : a;
    c->b = numeric ? with_subscripts(p, p->tok.word) : p->tok.word;
    if (!c->a || !c->b) return NULL;
    lex_take(p);
    return c;
}

static struct cond *cond_primary(struct parser *p) {
    skip_newlines(p);
    if (p->failed) return NULL;
    if (p->tok.kind == T_LPAREN) {
        lex_take(p);
        if (++p->depth > PARSE_DEPTH_MAX) {
            parse_deep(p);
            return NULL;
        }
        int line = p->tok.line;
        struct cond *inner = cond_or(p);
        p->depth--;
        if (!inner) return unclosed_group(p, line);
        lex_peek(p);
        if (p->tok.kind == T_WORD && strcmp(p->tok.word->text, "]]") != 0)
            return cond_fail_at(p, line, "expected `)'%s", "");
        if (p->tok.kind != T_RPAREN)
            return cond_fail_at(p, line, "unexpected token `%s', expected `)'", token_shown(p));
        lex_take(p);
        return cond_new(p, COND_GROUP, inner, NULL);
    }
    if (p->tok.kind == T_WORD && strcmp(p->tok.word->text, "]]") == 0) return cond_fail_silently(p);
    if (p->tok.kind != T_WORD)
        return cond_fail(p, "unexpected token `%s' in conditional command", token_shown(p));
    struct word *a = p->tok.word;
    if (strcmp(a->text, "!") == 0) {
        lex_take(p);
        if (++p->depth > PARSE_DEPTH_MAX) {
            parse_deep(p);
            return NULL;
        }
        struct cond *inner = cond_primary(p);
        p->depth--;
        return inner ? cond_new(p, COND_NOT, inner, NULL) : NULL;
    }
    lex_take(p);
    lex_peek(p);
    if (p->failed) return NULL;
    if (is_unary(a->text)) {
        /* Its operand may look like an operator: [[ -n = ]]. */
        if (p->tok.kind != T_WORD || strcmp(p->tok.word->text, "]]") == 0)
            return missing_argument(p, "unary");
        struct cond *c = cond_new(p, COND_UNARY, NULL, NULL);
        c->op = a->text;
        c->a = p->tok.word;
        lex_take(p);
        return c;
    }
    const char *op = binary_operator(p);
    if (op) return cond_binary_rest(p, a, op);
    if (p->tok.kind == T_WORD && strcmp(p->tok.word->text, "]]") != 0)
        return cond_fail(p, "conditional binary operator expected%s", "");
    int kind = p->tok.kind;
    if (kind != T_WORD && kind != T_AND_AND && kind != T_OR_OR && kind != T_RPAREN && kind != T_EOF)
        return cond_fail(p, "unexpected token `%s', conditional binary operator expected",
                         token_shown(p));
    struct cond *c = cond_new(p, COND_WORD, NULL, NULL);
    c->a = a;
    return c;
}

static struct cond *cond_and(struct parser *p) {
    struct cond *left = cond_primary(p);
    while (left) {
        skip_newlines(p);
        if (p->tok.kind != T_AND_AND) break;
        lex_take(p);
        struct cond *right = cond_primary(p);
        left = right ? cond_new(p, COND_AND, left, right) : NULL;
    }
    return left;
}

static struct cond *cond_or(struct parser *p) {
    struct cond *left = cond_and(p);
    while (left) {
        skip_newlines(p);
        if (p->tok.kind != T_OR_OR) break;
        lex_take(p);
        struct cond *right = cond_and(p);
        left = right ? cond_new(p, COND_OR, left, right) : NULL;
    }
    return left;
}

struct node *parse_cond_command(struct parser *p) {
    struct node *n = parse_new(p, N_COND);
    struct lex_context outer = p->ctx;
    p->ctx = (struct lex_context){.cond = true};
    lex_take(p);
    n->test.expr = cond_or(p);
    if (!n->test.expr) return NULL;
    skip_newlines(p);
    if (!lex_is_word(p, "]]")) {
        bool word = p->tok.kind == T_WORD;
        if (word) cond_fail(p, "syntax error in conditional expression%s", "");
        else
            cond_fail(p, "syntax error in conditional expression: unexpected token `%s'",
                      token_shown(p));
        return NULL;
    }
    n->line = p->tok.line; /* bash numbers it by its end */
    lex_take(p);
    p->ctx = outer;
    return n;
}
