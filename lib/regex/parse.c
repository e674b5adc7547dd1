/*
 * lib/regex/parse.c: the text of a pattern to its tree.
 *
 * Grammar and errors are those of GNU's regcomp(). Where sed, grep and awk read a misplaced
 * operator differently, PF_RE_STRICT, PF_RE_GREP and PF_RE_AWK say how.
 */
#include <string.h>

#include "internal.h"
#include "lib/utf8/utf8.h"

enum token_kind {
    TOKEN_END,
    TOKEN_SYMBOL,
    TOKEN_ANY,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_ALT,
    TOKEN_STAR,
    TOKEN_PLUS,
    TOKEN_QUESTION,
    TOKEN_BRACE,
    TOKEN_BRACKET,
    TOKEN_ASSERT,
    TOKEN_BACKREF,
    TOKEN_WORD,  /* \w, value 1: \W */
    TOKEN_SPACE, /* \s, value 1: \S */
    TOKEN_BAD,   /* the parser's message is set */
};

struct token {
    enum token_kind kind;
    uint32_t value;
    const char *after; /* where the text goes on */
};

bool re_parser_fail(struct re_parser *p, int error, const char *message) {
    if (p->error == 0) {
        p->error = error;
        p->message = message != NULL ? message : "Memory exhausted";
    }
    return false;
}

uint32_t re_parser_symbol(struct re_parser *p) {
    uint32_t code;
    if (p->re->utf8) {
        int n = pf_utf8_decode(p->at, (size_t)(p->end - p->at), &code);
        if (n > 0) {
            p->at += n;
            return code;
        }
        return RE_INVALID_BYTE((unsigned char)*p->at++);
    }
    return (unsigned char)*p->at++;
}

static int digit_value(char c, int base) {
    int value = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : 99;
    return value < base ? value : -1;
}

/* A number of at most `digits` digits as a symbol: a byte over 7f stands for itself. */
static bool parse_byte(struct re_parser *p, int base, int digits, uint32_t *symbol) {
    uint32_t value = 0;
    int n = 0;
    for (; n < digits && p->at < p->end && digit_value(*p->at, base) >= 0; n++)
        value = value * (uint32_t)base + (uint32_t)digit_value(*p->at++, base);
    value &= 0xff;
    *symbol = value >= 0x80 && p->re->utf8 ? RE_INVALID_BYTE(value) : value;
    return n > 0;
}

bool re_parse_awk_escape(struct re_parser *p, uint32_t *symbol) {
    static const char names[] = "abfnrtv/\"", values[] = "\a\b\f\n\r\t\v/\"";
    char c = *p->at;
    const char *found = c == '\0' ? NULL : strchr(names, c);
    if (found != NULL) {
        p->at++;
        *symbol = (unsigned char)values[found - names];
        return true;
    }
    if (c >= '0' && c <= '7') return parse_byte(p, 8, 3, symbol);
    if (c == 'x') {
        const char *start = p->at++;
        if (parse_byte(p, 16, 2, symbol)) return true;
        p->at = start;
    }
    return false;
}

/* ------------------------------------------------------------------ tokens */

static bool is_extended(const struct re_parser *p) {
    return p->re->flags & PF_RE_EXTENDED;
}

static struct token make(struct re_parser *p, enum token_kind kind, uint32_t value) {
    struct token token = {kind, value, p->at};
    return token;
}

/* After a backslash: what both syntaxes know. */
static struct token escape(struct re_parser *p) {
    uint32_t symbol;
    bool awk = p->re->flags & PF_RE_AWK;
    if (p->at == p->end) {
        if (awk) return make(p, TOKEN_SYMBOL, '\\');
        re_parser_fail(p, PF_RE_BAD, "Trailing backslash");
        return make(p, TOKEN_BAD, 0);
    }
    if (awk && re_parse_awk_escape(p, &symbol)) return make(p, TOKEN_SYMBOL, symbol);
    char c = *p->at;
    if (!awk && c >= '1' && c <= '9') {
        p->at++;
        return make(p, TOKEN_BACKREF, (uint32_t)(c - '0'));
    }
    static const char known[] = "wWsS<>bB`'y";
    const char *found = c == '\0' ? NULL : strchr(known, c);
    if (found == NULL || (c == 'y') != (awk && (c == 'y' || c == 'b')))
        return make(p, TOKEN_SYMBOL, re_parser_symbol(p));
    p->at++;
    switch (c) {
    case 'w': return make(p, TOKEN_WORD, 0);
    case 'W': return make(p, TOKEN_WORD, 1);
    case 's': return make(p, TOKEN_SPACE, 0);
    case 'S': return make(p, TOKEN_SPACE, 1);
    case '<': return make(p, TOKEN_ASSERT, RE_WORD_START);
    case '>': return make(p, TOKEN_ASSERT, RE_WORD_END);
    case 'B': return make(p, TOKEN_ASSERT, RE_WORD_INSIDE);
    case '`': return make(p, TOKEN_ASSERT, RE_TEXT_START);
    case '\'': return make(p, TOKEN_ASSERT, RE_TEXT_END);
    default: return make(p, TOKEN_ASSERT, RE_WORD_EDGE);
    }
}

/* In basic syntax `$` is an anchor only where something ends. */
static bool ends_here(const struct re_parser *p) {
    size_t left = (size_t)(p->end - p->at);
    if (left == 0) return true;
    if (p->at[0] == '\n' && (p->re->flags & PF_RE_GREP)) return true;
    return left >= 2 && p->at[0] == '\\' && (p->at[1] == ')' || p->at[1] == '|');
}

static bool starts_here(const struct re_parser *p) {
    return p->at == p->start || (p->at[-1] == '\n' && (p->re->flags & PF_RE_GREP));
}

static struct token basic_token(struct re_parser *p, bool caret_here) {
    bool caret = caret_here || starts_here(p);
    char c = *p->at;
    if (c == '\\' && p->at + 1 < p->end) {
        static const char names[] = "(){|+?";
        static const enum token_kind kinds[] = {TOKEN_OPEN, TOKEN_CLOSE, TOKEN_BRACE,
                                                TOKEN_ALT,  TOKEN_PLUS,  TOKEN_QUESTION};
        const char *found = p->at[1] == '\0' ? NULL : strchr(names, p->at[1]);
        if (found != NULL) {
            p->at += 2;
            return make(p, kinds[found - names], (unsigned char)*found);
        }
    }
    p->at++;
    switch (c) {
    case '\\': return escape(p);
    case '*': return make(p, TOKEN_STAR, '*');
    case '.': return make(p, TOKEN_ANY, 0);
    case '[': return make(p, TOKEN_BRACKET, 0);
    case '^':
        if (caret) return make(p, TOKEN_ASSERT, RE_LINE_START);
        break;
    case '$':
        if (ends_here(p)) return make(p, TOKEN_ASSERT, RE_LINE_END);
        break;
    default: break;
    }
    p->at--;
    return make(p, TOKEN_SYMBOL, re_parser_symbol(p));
}

static struct token extended_token(struct re_parser *p) {
    char c = *p->at++;
    switch (c) {
    case '\\': return escape(p);
    case '*': return make(p, TOKEN_STAR, '*');
    case '+': return make(p, TOKEN_PLUS, '+');
    case '?': return make(p, TOKEN_QUESTION, '?');
    case '{': return make(p, TOKEN_BRACE, '{');
    case '(': return make(p, TOKEN_OPEN, '(');
    case ')': return make(p, TOKEN_CLOSE, ')');
    case '|': return make(p, TOKEN_ALT, '|');
    case '.': return make(p, TOKEN_ANY, 0);
    case '[': return make(p, TOKEN_BRACKET, 0);
    case '^': return make(p, TOKEN_ASSERT, RE_LINE_START);
    case '$': return make(p, TOKEN_ASSERT, RE_LINE_END);
    default: break;
    }
    p->at--;
    return make(p, TOKEN_SYMBOL, re_parser_symbol(p));
}

/* The token at p->at, which stays where it is; take() moves on. */
static struct token peek(struct re_parser *p, bool caret_here) {
    const char *before = p->at;
    struct token token;
    if (p->at == p->end)
        token = make(p, TOKEN_END, 0);
    else if (*p->at == '\n' && (p->re->flags & PF_RE_GREP))
        token = (struct token){TOKEN_ALT, '\n', p->at + 1};
    else if (p->re->flags & PF_RE_LITERAL)
        token = make(p, TOKEN_SYMBOL, re_parser_symbol(p));
    else if (is_extended(p))
        token = extended_token(p);
    else
        token = basic_token(p, caret_here);
    p->at = before;
    return token;
}

static void take(struct re_parser *p, struct token token) {
    p->at = token.after;
}

/* ------------------------------------------------------------------ nodes */

static uint32_t node_new(struct re_parser *p, enum re_node_kind kind, uint32_t a, uint32_t b) {
    pf_regex *re = p->re;
    if (!re_grow(re, &re->nodes, &re->node_cap, re->node_count + 1, sizeof *re->nodes)) {
        re_parser_fail(p, PF_RE_NOMEM, NULL);
        return RE_NONE;
    }
    re->nodes[re->node_count] = (struct re_node){
        .kind = (uint8_t)kind,
        .nullable = kind != RE_NODE_SET && kind != RE_NODE_ALT,
        .a = a,
        .b = b,
        .first = RE_NONE,
        .last = RE_NONE,
        .next = RE_NONE,
        .prev = RE_NONE,
    };
    return re->node_count++;
}

static void node_append(pf_regex *re, uint32_t parent, uint32_t child) {
    struct re_node *up = &re->nodes[parent], *node = &re->nodes[child];
    node->prev = up->last;
    if (up->last == RE_NONE)
        up->first = child;
    else
        re->nodes[up->last].next = child;
    up->last = child;
    if (up->kind == RE_NODE_ALT)
        up->nullable = up->nullable || node->nullable;
    else if (up->kind == RE_NODE_REPEAT)
        up->nullable = up->a == 0 || node->nullable;
    else
        up->nullable = up->nullable && node->nullable;
}

static uint32_t node_over(struct re_parser *p, enum re_node_kind kind, uint32_t a, uint32_t b,
                          uint32_t child) {
    uint32_t node = node_new(p, kind, a, b);
    if (node != RE_NONE) node_append(p->re, node, child);
    return node;
}

/* A node for one symbol of `set`, which is taken over. */
static uint32_t node_set(struct re_parser *p, struct re_set *set) {
    uint32_t number = re_set_intern(p->re, set);
    if (number == UINT32_MAX) {
        re_parser_fail(p, PF_RE_NOMEM, NULL);
        return RE_NONE;
    }
    return node_new(p, RE_NODE_SET, number, 0);
}

static uint32_t node_symbol(struct re_parser *p, uint32_t symbol) {
    struct re_set set = {.number = UINT32_MAX};
    if (!re_set_add(p->re, &set, symbol, symbol) ||
        ((p->re->flags & PF_RE_ICASE) && !re_set_fold_case(p->re, &set))) {
        re_set_free(p->re, &set);
        re_parser_fail(p, PF_RE_NOMEM, NULL);
        return RE_NONE;
    }
    return node_set(p, &set);
}

static uint32_t node_class(struct re_parser *p, enum token_kind kind, bool negated) {
    pf_regex *re = p->re;
    struct re_set set = {.number = UINT32_MAX};
    bool ok;
    if (kind == TOKEN_ANY) {
        ok = re_set_add(re, &set, 0, re->utf8 ? PF_UNI_MAX : 0xff) &&
             (!(re->flags & PF_RE_NEWLINE) || re_set_remove(re, &set, '\n'));
    } else if (kind == TOKEN_WORD) {
        ok = re_set_add_word(re, &set, negated);
    } else {
        ok = re_set_add_class(re, &set, PF_UNI_SPACE, negated);
    }
    re_set_finish(&set);
    if (ok) return node_set(p, &set);
    re_set_free(re, &set);
    re_parser_fail(p, PF_RE_NOMEM, NULL);
    return RE_NONE;
}

static uint32_t node_assert(struct re_parser *p, uint32_t kind) {
    if (kind == RE_LINE_START || kind == RE_LINE_END)
        p->re->has_line_assert = true;
    else if (kind != RE_TEXT_START && kind != RE_TEXT_END)
        p->re->has_word_assert = true;
    return node_new(p, RE_NODE_ASSERT, kind, 0);
}

/* ------------------------------------------------------------------ the grammar */

static uint32_t parse_alternatives(struct re_parser *p, bool caret_here);

static uint32_t parse_group(struct re_parser *p) {
    if (p->depth >= RE_MAX_DEPTH || p->re->groups >= RE_MAX_GROUPS) {
        re_parser_fail(p, PF_RE_NOMEM, "Regular expression too big");
        return RE_NONE;
    }
    p->depth++;
    uint32_t group = ++p->re->groups;
    uint32_t inner = parse_alternatives(p, true);
    p->depth--;
    if (inner == RE_NONE) return RE_NONE;
    struct token close = peek(p, false);
    if (close.kind != TOKEN_CLOSE) {
        re_parser_fail(p, PF_RE_BAD, "Unmatched ( or \\(");
        return RE_NONE;
    }
    take(p, close);
    uint32_t local = group - p->group_base;
    if (local <= 9) p->closed[local] = 1;
    return node_over(p, RE_NODE_GROUP, group, 0, inner);
}

static bool is_repeat(enum token_kind kind) {
    return kind == TOKEN_STAR || kind == TOKEN_PLUS || kind == TOKEN_QUESTION ||
           kind == TOKEN_BRACE;
}

/* An operator with nothing before it that it could repeat. RE_NONE without an error: skip it. */
static uint32_t parse_misplaced(struct re_parser *p, struct token token) {
    bool grep = p->re->flags & (PF_RE_GREP | PF_RE_LENIENT), awk = p->re->flags & PF_RE_AWK;
    if (is_extended(p) ? !grep && !awk : token.kind == TOKEN_BRACE && !grep) {
        re_parser_fail(p, PF_RE_BAD, "Invalid preceding regular expression");
        return RE_NONE;
    }
    if (is_extended(p) && grep) return RE_NONE;
    return node_symbol(p, token.value);
}

/* One atom. RE_NONE: failure, or nothing here (p->error is 0 then). */
static uint32_t parse_atom(struct re_parser *p, struct token token) {
    switch (token.kind) {
    case TOKEN_SYMBOL: return node_symbol(p, token.value);
    case TOKEN_ANY:
    case TOKEN_WORD:
    case TOKEN_SPACE: return node_class(p, token.kind, token.value);
    case TOKEN_OPEN: return parse_group(p);
    case TOKEN_ASSERT: return node_assert(p, token.value);
    case TOKEN_BRACKET: {
        struct re_set set = {.number = UINT32_MAX};
        if (re_parse_bracket(p, &set)) return node_set(p, &set);
        re_set_free(p->re, &set);
        return RE_NONE;
    }
    case TOKEN_BACKREF:
        if (!p->closed[token.value]) {
            re_parser_fail(p, PF_RE_BAD, "Invalid back reference");
            return RE_NONE;
        }
        p->re->has_backref = true;
        return node_new(p, RE_NODE_BACKREF, p->group_base + token.value, 0);
    case TOKEN_CLOSE: return node_symbol(p, ')');
    default: return RE_NONE;
    }
}

/* A count in an interval; false when there is none. Over the bound it is RE_MAX_REPEAT + 1. */
static bool parse_count(struct re_parser *p, uint32_t *count) {
    uint32_t value = 0;
    const char *start = p->at;
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++) {
        value = value * 10 + (uint32_t)(*p->at - '0');
        if (value > RE_MAX_REPEAT) value = RE_MAX_REPEAT + 1;
    }
    *count = value;
    return p->at > start;
}

static bool at_interval_end(struct re_parser *p) {
    const char *close = is_extended(p) ? "}" : "\\}";
    size_t n = strlen(close);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, close, n) != 0) return false;
    p->at += n;
    return true;
}

/* Where the interval would end if its content were right: decides which error it is. */
static bool has_interval_end(struct re_parser *p) {
    for (; p->at < p->end; p->at++)
        if (at_interval_end(p)) return true;
    return false;
}

/*
 * After `{`: the counts. false with p->error 0: grep and awk take the `{` as a character.
 */
static bool parse_interval(struct re_parser *p, uint32_t *min, uint32_t *max) {
    bool has_min = parse_count(p, min), comma = p->at < p->end && *p->at == ',';
    bool has_max = has_min;
    *max = *min;
    if (comma) {
        p->at++;
        has_max = parse_count(p, max);
        if (!has_min) *min = 0;
        if (!has_max) *max = RE_ENDLESS;
    }
    if (!at_interval_end(p)) {
        if (p->re->flags & PF_RE_AWK || (p->re->flags & PF_RE_GREP && is_extended(p))) return false;
        return re_parser_fail(p, PF_RE_BAD,
                              has_interval_end(p) ? "Invalid content of \\{\\}" : "Unmatched \\{");
    }
    if ((!has_min && !comma) || *min > *max)
        return re_parser_fail(p, PF_RE_BAD, "Invalid content of \\{\\}");
    if (*min > RE_MAX_REPEAT || (*max != RE_ENDLESS && *max > RE_MAX_REPEAT))
        return re_parser_fail(p, PF_RE_NOMEM, "Regular expression too big");
    return true;
}

static bool is_plain_star(const struct re_node *node) {
    return node->kind == RE_NODE_REPEAT && node->a == 0 && node->b == RE_ENDLESS;
}

static uint32_t node_repeat(struct re_parser *p, uint32_t child, uint32_t min, uint32_t max) {
    if (max == 0) return node_new(p, RE_NODE_EMPTY, 0, 0);
    if (min == 1 && max == 1) return child;
    /* x** is x*. */
    if (min <= 1 && is_plain_star(&p->re->nodes[child])) return child;
    return node_over(p, RE_NODE_REPEAT, min, max, child);
}

/* The operators after an atom. */
static uint32_t parse_repeats(struct re_parser *p, uint32_t atom) {
    for (uint32_t depth = 0;; depth++) {
        struct token token = peek(p, false);
        if (!is_repeat(token.kind)) return atom;
        /* Basic syntax has no a**; grep and expr take it. */
        bool basic = !is_extended(p) && !(p->re->flags & (PF_RE_GREP | PF_RE_LENIENT));
        if (depth > 0 && basic && (token.kind == TOKEN_STAR || token.kind == TOKEN_BRACE)) {
            re_parser_fail(p, PF_RE_BAD, "Invalid preceding regular expression");
            return RE_NONE;
        }
        if (depth > RE_MAX_DEPTH) {
            re_parser_fail(p, PF_RE_NOMEM, "Regular expression too big");
            return RE_NONE;
        }
        const char *operator= p->at;
        take(p, token);
        uint32_t min = token.kind == TOKEN_PLUS,
                 max = token.kind == TOKEN_QUESTION ? 1 : RE_ENDLESS;
        if (token.kind == TOKEN_BRACE && !parse_interval(p, &min, &max)) {
            if (p->error != 0) return RE_NONE;
            p->at = operator;
            return atom;
        }
        atom = node_repeat(p, atom, min, max);
        if (atom == RE_NONE) return RE_NONE;
    }
}

/* A `{` that begins no interval, as grep and awk read it. */
static bool is_literal_brace(struct re_parser *p, struct token token) {
    if (token.kind != TOKEN_BRACE || !(p->re->flags & (PF_RE_GREP | PF_RE_AWK))) return false;
    const char *before = p->at;
    uint32_t min, max;
    take(p, token);
    bool literal = !parse_interval(p, &min, &max);
    if (p->re->flags & PF_RE_AWK) p->error = 0; /* with nothing to repeat even {} is itself */
    p->at = before;
    return literal && p->error == 0;
}

static bool branch_ends(struct re_parser *p, struct token token) {
    if (token.kind == TOKEN_END || token.kind == TOKEN_ALT) return true;
    if (token.kind != TOKEN_CLOSE) return false;
    /* An unmatched `)` is itself in extended syntax, unless the caller wants it refused. */
    if (p->depth > 0) return true;
    if (is_extended(p) && !(p->re->flags & PF_RE_STRICT)) return false;
    re_parser_fail(p, PF_RE_BAD, "Unmatched ) or \\)");
    return true;
}

static uint32_t parse_branch(struct re_parser *p, bool caret_here) {
    uint32_t cat = node_new(p, RE_NODE_CAT, 0, 0);
    if (cat == RE_NONE) return RE_NONE;
    for (;;) {
        struct token token = peek(p, caret_here);
        if (branch_ends(p, token) || p->error != 0) break;
        uint32_t atom;
        bool literal_brace = is_literal_brace(p, token);
        if (p->error != 0) return RE_NONE;
        const char *operator= p->at;
        take(p, token);
        if (literal_brace) {
            atom = node_symbol(p, '{');
        } else if (is_repeat(token.kind)) {
            atom = parse_misplaced(p, token);
            if (atom == RE_NONE && p->error == 0) {
                uint32_t min, max;
                if (token.kind == TOKEN_BRACE && !parse_interval(p, &min, &max) && p->error == 0)
                    p->at = operator;
                if (p->error != 0) return RE_NONE;
                continue;
            }
        } else {
            atom = parse_atom(p, token);
        }
        if (atom == RE_NONE) return RE_NONE;
        caret_here = token.kind == TOKEN_ASSERT;
        /* An anchor is not repeated: what follows it stands at the start of an expression. */
        if (!caret_here && !(p->re->flags & PF_RE_LITERAL)) atom = parse_repeats(p, atom);
        if (atom == RE_NONE) return RE_NONE;
        node_append(p->re, cat, atom);
    }
    if (p->error != 0) return RE_NONE;
    const struct re_node *node = &p->re->nodes[cat];
    return node->first != RE_NONE && node->first == node->last ? node->first : cat;
}

static bool is_empty(const pf_regex *re, uint32_t index) {
    const struct re_node *node = &re->nodes[index];
    return node->kind == RE_NODE_EMPTY || (node->kind == RE_NODE_CAT && node->first == RE_NONE);
}

/* The next alternative, after the token between them. */
static uint32_t parse_alternative(struct re_parser *p, struct token token) {
    if (token.value == '\n') {
        /* A list of patterns: each is on its own, so a group cannot span two of them. */
        if (p->depth > 0) {
            re_parser_fail(p, PF_RE_BAD, "Unmatched ( or \\(");
            return RE_NONE;
        }
        p->group_base = p->re->groups;
        memset(p->closed, 0, sizeof p->closed);
    }
    take(p, token);
    return parse_branch(p, true);
}

static uint32_t parse_alternatives(struct re_parser *p, bool caret_here) {
    /* A back-reference cannot mean a group of another alternative. */
    uint8_t before[sizeof p->closed], all[sizeof p->closed];
    memcpy(before, p->closed, sizeof before);
    uint32_t branch = parse_branch(p, caret_here);
    struct token token = peek(p, false);
    if (branch == RE_NONE || token.kind != TOKEN_ALT) return branch;
    uint32_t alt = node_new(p, RE_NODE_ALT, 0, 0), empty = RE_NONE;
    memcpy(all, p->closed, sizeof all);
    for (uint32_t i = 0; alt != RE_NONE; i++) {
        if (i == 0 && is_empty(p->re, branch)) {
            /* GNU prefers the second alternative to a first one that is empty. */
            empty = branch;
        } else {
            node_append(p->re, alt, branch);
            if (empty != RE_NONE) node_append(p->re, alt, empty);
            empty = RE_NONE;
        }
        token = peek(p, false);
        if (token.kind != TOKEN_ALT) break;
        memcpy(p->closed, before, sizeof before);
        branch = parse_alternative(p, token);
        if (branch == RE_NONE) return RE_NONE;
        for (size_t k = 0; k < sizeof all; k++) all[k] |= p->closed[k];
    }
    memcpy(p->closed, all, sizeof all);
    return alt;
}

int re_parse(pf_regex *re, const char *pattern, size_t len, const char **message) {
    struct re_parser parser = {.re = re, .at = pattern, .start = pattern, .end = pattern + len};
    re->root = parse_alternatives(&parser, true);
    if (parser.error != 0) {
        *message = parser.message;
        return parser.error;
    }
    return PF_RE_OK;
}
