/*
 * grep_expr.c: the patterns of git grep, and --and, --or, --not and parentheses between them.
 */
#include "grep.h"

int grep_icase, grep_kind, grep_word;

typedef struct pattern pattern;
struct pattern {
    enum grep_token token;
    const char *text;
    pf_regex *regex;
    pattern *next;
};

enum node_kind { NODE_ATOM, NODE_NOT, NODE_AND, NODE_OR };
typedef struct node node;
struct node {
    enum node_kind kind;
    bool hit;
    const pattern *atom;
    node *left, *right;
};

static pattern *patterns, **last = &patterns;
static node *expression; /* NULL: any pattern will do */
static bool combined;

void grep_add(enum grep_token token, const char *text) {
    const char *end;
    if (token != GREP_PATTERN) combined = true;
    do {
        end = text ? strchrnul(text, '\n') : "";
        pattern *p = g_zalloc(sizeof *p);
        p->token = token;
        if (text) p->text = g_copy_bytes(text, (size_t)(end - text));
        *last = p;
        last = &p->next;
        text = end + 1;
    } while (*end);
}

bool grep_has_patterns(void) { return patterns != NULL; }

static node *new_node(enum node_kind kind, node *left, node *right) {
    node *n = g_zalloc(sizeof *n);
    *n = (node){kind, false, NULL, left, right};
    return n;
}

static node *parse_or(const pattern **at);

static node *parse_atom(const pattern **at) {
    const pattern *p = *at;
    if (!p) return NULL;
    if (p->token == GREP_PATTERN) {
        node *n = new_node(NODE_ATOM, NULL, NULL);
        n->atom = p;
        *at = p->next;
        return n;
    }
    if (p->token != GREP_OPEN) return NULL;
    *at = p->next;
    node *inner = parse_or(at);
    if (!*at || (*at)->token != GREP_CLOSE) die("unmatched parenthesis");
    *at = (*at)->next;
    return inner;
}

static node *parse_not(const pattern **at) {
    const pattern *p = *at;
    if (!p || p->token != GREP_NOT) return parse_atom(at);
    if (!p->next) die("--not not followed by pattern expression");
    *at = p->next;
    node *inner = parse_not(at);
    if (!inner) die("--not followed by non pattern expression");
    return new_node(NODE_NOT, inner, NULL);
}

static node *parse_and(const pattern **at) {
    node *left = parse_not(at);
    const pattern *p = *at;
    if (!p || p->token != GREP_AND) return left;
    if (!left) die("--and not preceded by pattern expression");
    if (!p->next) die("--and not followed by pattern expression");
    *at = p->next;
    node *right = parse_and(at);
    if (!right) die("--and not followed by pattern expression");
    return new_node(NODE_AND, left, right);
}

/* --or may be left out. */
static node *parse_or(const pattern **at) {
    node *left = parse_and(at);
    const pattern *p = *at;
    if (!left || !p || p->token == GREP_CLOSE) return left;
    node *right = parse_or(at);
    if (!right) die("not a pattern expression %s", p->text ? p->text : "");
    return new_node(NODE_OR, left, right);
}

void grep_compile(bool all_match) {
    const char *message;
    static const char *const words[] = {"", "--and", "--not", "(", ")"};
    unsigned flags = (grep_icase ? PF_RE_ICASE : 0) | (grep_kind == GREP_FIXED ? PF_RE_LITERAL : grep_kind == GREP_EXTENDED ? PF_RE_EXTENDED : 0) | PF_RE_GREP | PF_RE_NEWLINE;
    for (pattern *p = patterns; p; p = p->next)
        if (p->token == GREP_PATTERN &&
            pf_regex_compile(&p->regex, p->text, strlen(p->text), flags, &g_regex_host, &message) != PF_RE_OK)
            die("command line, '%s': %s", p->text, message);
    const pattern *at = patterns;
    if (!combined && !all_match) return;
    expression = parse_or(&at);
    if (at) die("incomplete pattern expression: %s", at->text ? at->text : words[at->token]);
}

static bool is_word(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool match_one(const pattern *p, const grep_line *line, size_t from, pf_range *found) {
    while (from <= line->len && pf_regex_search(p->regex, line->s, line->len, from, 0, found, 1) == PF_RE_OK) {
        size_t start = (size_t)found->start, end = (size_t)found->end;
        if (!grep_word) return true;
        bool apart = (start == 0 || !is_word(line->s[start - 1])) && (end == line->len || !is_word(line->s[end]));
        if (end > start && apart) return true;
        from = start + 1;
    }
    return false;
}

bool grep_next(const grep_line *line, size_t from, pf_range *found) {
    bool hit = false;
    for (const pattern *p = patterns; p; p = p->next) {
        pf_range one;
        if (p->token != GREP_PATTERN || !match_one(p, line, from, &one)) continue;
        if (hit && (one.start > found->start || (one.start == found->start && one.end <= found->end))) continue;
        *found = one;
        hit = true;
    }
    return hit;
}

/* Of an OR each side is asked where columns or `collect` need it. */
static bool eval(node *n, const grep_line *line, long *column, long *inverted, bool collect) {
    pf_range found;
    bool hit = false;
    switch (n->kind) {
    case NODE_ATOM:
        hit = match_one(n->atom, line, 0, &found);
        if (hit && (*column < 0 || (long)found.start < *column)) *column = (long)found.start;
        break;
    case NODE_NOT: hit = !eval(n->left, line, inverted, column, false); break;
    case NODE_AND:
        hit = eval(n->left, line, column, inverted, false);
        hit &= eval(n->right, line, column, inverted, false);
        break;
    case NODE_OR:
        hit = eval(n->left, line, column, inverted, false);
        if (collect) n->left->hit |= hit;
        hit |= eval(n->right, line, column, inverted, collect);
        break;
    }
    if (collect) n->hit |= hit;
    return hit;
}

bool grep_hit(const grep_line *line, long *column, long *inverted) {
    pf_range found;
    *column = *inverted = -1;
    if (expression) return eval(expression, line, column, inverted, false);
    if (!grep_next(line, 0, &found)) return false;
    *column = (long)found.start;
    return true;
}

static void clear(node *n) {
    if (!n) return;
    n->hit = false;
    clear(n->left);
    clear(n->right);
}

void grep_clear_hits(void) { clear(expression); }

void grep_collect(const grep_line *line) {
    long column = -1, inverted = -1;
    eval(expression, line, &column, &inverted, true);
}

bool grep_all_hit(void) {
    const node *n = expression;
    for (; n->kind == NODE_OR; n = n->right)
        if (!n->left->hit) return false;
    return n->hit;
}
