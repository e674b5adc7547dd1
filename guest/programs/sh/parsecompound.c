/*
 * parsecompound.c: if, loops, case, groups, subshells, (( )), functions, coproc.
 */
#include "parse.h"

/* Takes the reserved word, or reports what stands in its place. */
static bool expect(struct parser *p, const char *word) {
    if (p->failed) return false;
    if (!lex_is_word(p, word)) {
        parse_unexpected(p);
        return false;
    }
    lex_take(p);
    return true;
}

static bool expect_kind(struct parser *p, enum token_kind kind) {
    lex_peek(p);
    if (p->failed) return false;
    if (p->tok.kind != kind) {
        parse_unexpected(p);
        return false;
    }
    lex_take(p);
    return true;
}

static struct node *parse_if(struct parser *p) {
    struct node *n = parse_new(p, N_IF);
    lex_take(p); /* if or elif */
    if (!(n->branch.cond = parse_list(p)) || !expect(p, "then")) return NULL;
    if (!(n->branch.then = parse_list(p))) return NULL;
    if (lex_is_word(p, "elif")) {
        if (++p->depth > PARSE_DEPTH_MAX) {
            parse_deep(p);
            return NULL;
        }
        n->branch.otherwise = parse_if(p);
        p->depth--;
        return n->branch.otherwise ? n : NULL; /* that one took the fi */
    }
    if (lex_is_word(p, "else")) {
        lex_take(p);
        if (!(n->branch.otherwise = parse_list(p))) return NULL;
    }
    return expect(p, "fi") ? n : NULL;
}

static struct node *parse_while(struct parser *p, enum node_kind kind) {
    struct node *n = parse_new(p, kind);
    lex_take(p);
    if (!(n->loop.cond = parse_list(p)) || !expect(p, "do")) return NULL;
    if (!(n->loop.body = parse_list(p))) return NULL;
    return expect(p, "done") ? n : NULL;
}

/* do … done, or { … } as the older form of for has it. */
static struct node *parse_do(struct parser *p) {
    struct node *body;
    if (lex_is_word(p, "{")) {
        lex_take(p);
        body = parse_list(p);
        return body && expect(p, "}") ? body : NULL;
    }
    if (!expect(p, "do")) return NULL;
    body = parse_list(p);
    return body && expect(p, "done") ? body : NULL;
}

static bool parse_word_list(struct parser *p, struct word ***words, int *count) {
    int cap = 0;
    p->ctx = (struct lex_context){0};
    for (;;) {
        lex_peek(p);
        if (p->failed) return false;
        if (p->tok.kind != T_WORD) return true;
        if (*count == cap) {
            int more = cap ? cap * 2 : 4;
            *words = arena_extend(p->mem, *words, (size_t)cap * sizeof(struct word *),
                                  (size_t)more * sizeof(struct word *));
            cap = more;
        }
        (*words)[(*count)++] = p->tok.word;
        lex_take(p);
    }
}

/* The three expressions of for ((a; b; c)); the text between the parentheses is at hand. */
static bool split_arith_for(struct parser *p, struct node *n, const char *s, size_t len, int line) {
    struct word **slots[3] = {&n->afor.init, &n->afor.cond, &n->afor.step};
    int which = 0, depth = 0;
    size_t start = 0;
    for (size_t i = 0; i <= len; i++) {
        if (i < len && s[i] == '\\' && i + 1 < len) {
            i++;
            continue;
        }
        if (i < len) depth += (s[i] == '(') - (s[i] == ')');
        if (i < len && !(s[i] == ';' && depth == 0)) continue;
        if (which > 2) {
            which++;
            break;
        }
        if (strspn(s + start, " \t\n") < i - start) {
            *slots[which] = word_of_text(p, s + start, i - start, WM_ARITH, line);
            if (!*slots[which]) return false;
        }
        which++;
        start = i + 1;
    }
    if (which == 3) return true;
    parse_error(p, line, which < 3 ? "syntax error: arithmetic expression required"
                                   : "syntax error: `;' unexpected");
    p->failed = false;
    parse_error(p, line, "syntax error: `((%.*s))'", (int)len, s);
    return false;
}

/* Text between (( and )), with p->pos behind the first parenthesis, which is the token just read.
 * NULL when the parentheses do not close together: then it is no arithmetic. */
static const char *arith_text(struct parser *p, size_t *n) {
    size_t from = p->pos + 1;
    ptrdiff_t close = word_skip(p, from, '(', ')');
    if (close < 0) {
        parse_eof_error(p, p->line, ')');
        return NULL;
    }
    size_t save = p->pos;
    p->pos = (size_t)close + 1;
    bool both = lex_at(p, 0) == ')';
    p->pos = save;
    if (!both) return NULL;
    *n = (size_t)close - from;
    const char *text = arena_strndup(p->mem, p->buf + from, *n);
    for (; p->pos < (size_t)close + 2; p->pos++) {
        if (p->buf[p->pos] != '\n') continue;
        p->line++;
        p->line_start = p->pos + 1;
    }
    return text;
}

static struct node *parse_arith_for(struct parser *p, struct node *n) {
    int line = p->line;
    size_t len;
    lex_take(p); /* ( */
    const char *text = arith_text(p, &len);
    if (!text) {
        parse_unexpected(p);
        return NULL;
    }
    n->kind = N_ARITH_FOR;
    memset(&n->afor, 0, sizeof n->afor);
    if (!split_arith_for(p, n, text, len, line)) return NULL;
    lex_peek(p);
    if (p->tok.kind == T_SEMI) lex_take(p);
    parse_skip_newlines(p);
    n->afor.body = parse_do(p);
    return n->afor.body ? n : NULL;
}

static struct node *parse_for(struct parser *p, enum node_kind kind) {
    struct node *n = parse_new(p, kind);
    lex_take(p);
    p->ctx = (struct lex_context){0};
    lex_peek(p);
    if (kind == N_FOR && p->tok.kind == T_LPAREN && lex_at(p, 0) == '(')
        return parse_arith_for(p, n);
    if (p->tok.kind != T_WORD) {
        parse_unexpected(p);
        return NULL;
    }
    n->each.name = p->tok.word->text;
    lex_take(p);
    lex_peek(p);
    if (p->tok.kind == T_SEMI) {
        lex_take(p);
        parse_skip_newlines(p);
        n->flags |= NF_FOR_ARGS;
    } else {
        parse_skip_newlines(p);
        if (lex_is_word(p, "in")) {
            lex_take(p);
            if (!parse_word_list(p, &n->each.words, &n->each.count)) return NULL;
            if (p->tok.kind != T_SEMI && p->tok.kind != T_NEWLINE) {
                parse_unexpected(p);
                return NULL;
            }
            lex_take(p);
            parse_skip_newlines(p);
        } else {
            n->flags |= NF_FOR_ARGS;
        }
    }
    p->ctx = (struct lex_context){.assign_ok = true};
    n->each.body = parse_do(p);
    return n->each.body ? n : NULL;
}

static struct case_item *parse_case_item(struct parser *p) {
    struct case_item *item = arena_zalloc(p->mem, sizeof *item);
    int cap = 0;
    p->ctx = (struct lex_context){0};
    lex_peek(p);
    if (p->tok.kind == T_LPAREN) lex_take(p);
    for (;;) {
        lex_peek(p);
        if (p->failed) return NULL;
        if (p->tok.kind != T_WORD) {
            parse_unexpected(p);
            return NULL;
        }
        if (item->count == cap) {
            int more = cap ? cap * 2 : 2;
            item->patterns = arena_extend(p->mem, item->patterns,
                                          (size_t)cap * sizeof(struct word *),
                                          (size_t)more * sizeof(struct word *));
            cap = more;
        }
        item->patterns[item->count++] = p->tok.word;
        lex_take(p);
        lex_peek(p);
        if (p->tok.kind != T_PIPE) break;
        lex_take(p);
    }
    p->ctx = (struct lex_context){.assign_ok = true};
    if (!expect_kind(p, T_RPAREN)) return NULL;
    parse_skip_newlines(p);
    bool empty = p->tok.kind == T_DSEMI || p->tok.kind == T_SEMI_AMP ||
                 p->tok.kind == T_DSEMI_AMP || lex_is_word(p, "esac");
    if (!empty && !(item->body = parse_list(p))) return NULL;
    lex_peek(p);
    item->end = p->tok.kind == T_SEMI_AMP ? '&' : p->tok.kind == T_DSEMI_AMP ? '+' : ';';
    if (p->tok.kind == T_DSEMI || p->tok.kind == T_SEMI_AMP || p->tok.kind == T_DSEMI_AMP) {
        p->ctx = (struct lex_context){0};
        lex_take(p);
        parse_skip_newlines(p);
    } else if (!lex_is_word(p, "esac")) {
        parse_unexpected(p);
    }
    return p->failed ? NULL : item;
}

/* Takes the token; false: no word is behind it, which was said. */
static bool word_follows(struct parser *p) {
    lex_take(p);
    p->ctx = (struct lex_context){0};
    lex_peek(p);
    if (p->tok.kind != T_WORD) parse_unexpected(p);
    return p->tok.kind == T_WORD;
}

static struct node *parse_case(struct parser *p) {
    struct node *n = parse_new(p, N_CASE);
    struct case_item **tail = &n->choice.items;
    if (!word_follows(p)) return NULL;
    n->choice.subject = p->tok.word;
    lex_take(p);
    parse_skip_newlines(p);
    if (!expect(p, "in")) return NULL;
    parse_skip_newlines(p);
    while (!p->failed && !lex_is_word(p, "esac")) {
        struct case_item *item = parse_case_item(p);
        if (!item) return NULL;
        *tail = item;
        tail = &item->next;
    }
    p->ctx = (struct lex_context){.assign_ok = true};
    return expect(p, "esac") ? n : NULL;
}

static struct node *parse_group(struct parser *p) {
    struct node *n = parse_new(p, N_GROUP);
    lex_take(p);
    n->wrap.body = parse_list(p);
    return n->wrap.body && expect(p, "}") ? n : NULL;
}

/* ( … ) or (( … )) */
static struct node *parse_paren(struct parser *p) {
    struct node *n = parse_new(p, N_SUBSHELL);
    int line = p->line;
    if (lex_at(p, 0) == '(') {
        size_t len;
        const char *text = arith_text(p, &len);
        if (text) {
            n->kind = N_ARITH;
            n->arith.expr = word_of_text(p, text, len, WM_ARITH, line);
            n->line = p->line; /* bash numbers it by its end */
            lex_take(p);
            return n->arith.expr ? n : NULL;
        }
        if (p->failed) return NULL;
    }
    lex_take(p);
    n->wrap.body = parse_list(p);
    return n->wrap.body && expect_kind(p, T_RPAREN) ? n : NULL;
}

struct node *parse_function_body(struct parser *p) {
    parse_skip_newlines(p);
    struct node *body = p->failed ? NULL : parse_compound(p);
    if (!body) {
        if (!p->failed) parse_unexpected(p);
        return NULL;
    }
    struct redir **tail = &body->redirs;
    while (*tail) tail = &(*tail)->next;
    return parse_redirs(p, &tail) ? body : NULL;
}

static struct node *parse_function(struct parser *p) {
    struct node *n = parse_new(p, N_FUNCTION);
    if (!word_follows(p)) return NULL;
    n->func.name = p->tok.word->text;
    n->func.tree = p->tree;
    lex_take(p);
    p->ctx = (struct lex_context){.assign_ok = true};
    lex_peek(p);
    if (p->tok.kind == T_LPAREN && lex_at(p, 0) != '(') {
        size_t save = p->pos;
        lex_skip_blanks(p);
        if (lex_at(p, 0) == ')') {
            lex_take(p);
            if (!expect_kind(p, T_RPAREN)) return NULL;
        } else {
            p->pos = save;
        }
    }
    n->func.body = parse_function_body(p);
    return n->func.body ? n : NULL;
}

static bool starts_compound(struct parser *p) {
    static const char *const words[] = {"if", "while", "until", "for", "select", "case", "{", "[["};
    lex_peek(p);
    if (p->tok.kind == T_LPAREN) return true;
    if (p->tok.kind != T_WORD) return false;
    for (int i = 0; i < DIM(words); i++)
        if (strcmp(p->tok.word->text, words[i]) == 0) return true;
    return false;
}

static struct node *parse_coproc(struct parser *p) {
    struct node *n = parse_new(p, N_COPROC);
    lex_take(p);
    n->wrap.name = "COPROC";
    lex_peek(p);
    if (p->tok.kind == T_WORD && !starts_compound(p)) {
        struct token name = p->tok;
        size_t save = p->pos;
        struct word *w = p->tok.word;
        lex_take(p);
        if (starts_compound(p)) { /* coproc NAME { … } */
            n->wrap.name = w->text;
        } else { /* it was the command itself: read it again */
            p->pos = name.start;
            p->line = name.line;
            lex_take(p);
            (void)save;
        }
    }
    n->wrap.body = parse_command(p);
    return n->wrap.body ? n : NULL;
}

struct node *parse_compound(struct parser *p) {
    lex_peek(p);
    if (p->tok.kind == T_LPAREN) return parse_paren(p);
    if (p->tok.kind != T_WORD || (p->tok.word->flags & (W_QUOTED | W_ASSIGN))) return NULL;
    const char *w = p->tok.word->text;
    switch (w[0]) {
    case 'i':
        if (strcmp(w, "if") == 0) return parse_if(p);
        break;
    case 'w': return strcmp(w, "while") == 0 ? parse_while(p, N_WHILE) : NULL;
    case 'u': return strcmp(w, "until") == 0 ? parse_while(p, N_UNTIL) : NULL;
    case 'f':
        if (strcmp(w, "for") == 0) return parse_for(p, N_FOR);
        if (strcmp(w, "function") == 0) return parse_function(p);
        break;
    case 's': return strcmp(w, "select") == 0 ? parse_for(p, N_SELECT) : NULL;
    case 'c':
        if (strcmp(w, "case") == 0) return parse_case(p);
        if (strcmp(w, "coproc") == 0) return parse_coproc(p);
        break;
    case '{': return strcmp(w, "{") == 0 ? parse_group(p) : NULL;
    case '[': return strcmp(w, "[[") == 0 ? parse_cond_command(p) : NULL;
    default: break;
    }
    static const char *const misplaced[] = {"then", "else", "elif", "fi", "do", "done", "esac", "in", "}"};
    for (int i = 0; i < DIM(misplaced); i++)
        if (strcmp(w, misplaced[i]) == 0) parse_unexpected(p);
    return NULL;
}
