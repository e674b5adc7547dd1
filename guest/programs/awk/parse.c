/*
 * parse.c: rules, functions and statements.
 */
#include "g_in.h"
#include "parse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static node *statement(parser *p);

static const char *const group_names[] = {"BEGIN", "main", "END", "BEGINFILE", "ENDFILE"};

static const char *const special_names[V_SPECIALS] = {
    "NF",      "NR",         "FNR",    "FS",         "OFS",         "ORS",     "RS",
    "CONVFMT", "OFMT",       "SUBSEP", "IGNORECASE", "FIELDWIDTHS", "FPAT",    "BINMODE",
    "LINT",    "TEXTDOMAIN", "RSTART", "RLENGTH",    "FILENAME",    "ENVIRON", "ARGC",
    "ARGV",    "ARGIND",     "ERRNO",  "RT",         "PROCINFO",    "SYMTAB",  "FUNCTAB"};

enum { NODE_DEPTH = 3000 }; /* a + b + c … leans to the left without nesting in the text */

node *parse_node(parser *p, enum node_kind kind) {
    node *n = g_zalloc(sizeof *n);
    n->kind = (uint8_t)kind;
    n->line = p->lx.token_line;
    n->source = p->lx.source;
    n->depth = 1;
    return n;
}

node *parse_node2(parser *p, enum node_kind kind, node *a, node *b) {
    node *n = parse_node(p, kind);
    n->a = a;
    n->b = b;
    if (a) {
        n->depth = a->depth + 1;
        n->line = a->line;
    }
    if (b && b->depth >= n->depth) n->depth = b->depth + 1;
    if (n->depth > NODE_DEPTH) lex_error(&p->lx, "expression is nested too deeply");
    return n;
}

_Noreturn void parse_fail(parser *p) {
    lex_fail(&p->lx, "syntax error");
}

void parse_enter(parser *p) {
    if (++p->depth > AWK_PARSE_DEPTH) lex_error(&p->lx, "program is nested too deeply");
}

bool parse_accept(parser *p, int token) {
    if (p->lx.token != token) return false;
    lex_next(&p->lx);
    return true;
}

void parse_expect(parser *p, int token) {
    if (!parse_accept(p, token)) parse_fail(p);
}

void parse_newlines(parser *p) {
    while (p->lx.token == T_NEWLINE) lex_next(&p->lx);
}

static void skip_terminators(parser *p) {
    while (p->lx.token == T_NEWLINE || p->lx.token == ';') lex_next(&p->lx);
}

/* The end of a simple statement. */
static void end_statement(parser *p) {
    if (p->lx.token == '}' || p->lx.token == T_END) return;
    if (p->lx.token != ';' && p->lx.token != T_NEWLINE) parse_fail(p);
    lex_next(&p->lx);
}

static node *block(parser *p) {
    parse_expect(p, '{');
    node *n = parse_node(p, N_BLOCK), **tail = &n->list;
    skip_terminators(p);
    while (p->lx.token != '}') {
        if (p->lx.token == T_END) parse_fail(p);
        *tail = statement(p);
        tail = &(*tail)->next;
        skip_terminators(p);
    }
    lex_next(&p->lx);
    return n;
}

/* The body of an if or a loop: newlines may come first; a lone ; is empty. */
static node *body(parser *p) {
    parse_newlines(p);
    if (parse_accept(p, ';')) return parse_node(p, N_BLOCK);
    return statement(p);
}

static node *condition(parser *p) {
    parse_expect(p, '(');
    node *n = parse_expression(p);
    parse_expect(p, ')');
    return n;
}

static node *print(parser *p) {
    node *n = parse_node(p, p->lx.token == T_PRINT ? N_PRINT : N_PRINTF);
    int count;
    lex_next(&p->lx);
    p->no_greater = p->group_ends = true;
    switch (p->lx.token) {
    case T_NEWLINE:
    case ';':
    case '}':
    case '>':
    case T_APPEND:
    case '|':
    case T_COPROCESS:
    case T_END: break;
    default: {
        node **tail = &n->list;
        for (;;) {
            *tail = parse_expression(p);
            tail = &(*tail)->next;
            p->group_ends = false;
            if (!parse_accept(p, ',')) break;
            parse_newlines(p);
        }
    }
    }
    p->group_ends = false;
    if (n->list && n->list->kind == N_GROUP && !n->list->next) n->list = n->list->list;
    count = 0;
    for (node *i = n->list; i; i = i->next) count++;
    if (n->kind == N_PRINTF && count == 0) lex_fatal(&p->lx, "printf: no arguments");
    static const struct {
        int token;
        uint8_t how;
    } redirections[] = {
        {'>', TO_FILE}, {T_APPEND, TO_APPEND}, {'|', TO_PIPE}, {T_COPROCESS, TO_COPROCESS}};
    for (size_t i = 0; i < 4; i++) {
        if (p->lx.token != redirections[i].token) continue;
        lex_next(&p->lx);
        n->op = redirections[i].how;
        n->a = parse_operand(p);
        break;
    }
    p->no_greater = false;
    return n;
}

/* What may stand in the brackets of a for, and most other statements. */
static node *simple_statement(parser *p) {
    node *n;
    switch (p->lx.token) {
    case T_PRINT:
    case T_PRINTF: return print(p);
    case T_DELETE: {
        n = parse_node(p, N_DELETE);
        lex_next(&p->lx);
        bool brackets = parse_accept(p, '(');
        n->a = parse_variable(p);
        if (brackets) parse_expect(p, ')');
        return n;
    }
    default:
        n = parse_node(p, N_EXPRESSION);
        n->a = parse_expression(p);
        return n;
    }
}

/* for (name in array), when that is what follows the bracket. */
static bool is_for_in(const parser *p) {
    lexer ahead = p->lx;
    if (ahead.token != T_NAME) return false;
    lex_next(&ahead);
    if (ahead.token != T_IN) return false;
    lex_next(&ahead);
    if (ahead.token != T_NAME) return false;
    /* The array may be an element; then the bracket closes. */
    lex_next(&ahead);
    for (int depth = 0; ahead.token != ')' || depth > 0;) {
        if (ahead.token == '[' || ahead.token == '(')
            depth++;
        else if (ahead.token == ']' || ahead.token == ')')
            depth--;
        else if (depth == 0 || ahead.token == T_END || ahead.token == '/')
            return false;
        lex_next(&ahead);
    }
    return true;
}

static node *for_loop(parser *p) {
    node *n = parse_node(p, N_FOR);
    lex_next(&p->lx);
    parse_expect(p, '(');
    if (is_for_in(p)) {
        n->kind = N_FOR_IN;
        n->a = parse_variable(p);
        lex_next(&p->lx);
        n->b = parse_variable(p);
        parse_expect(p, ')');
        n->d = body(p);
        return n;
    }
    if (p->lx.token != ';') {
        p->no_in = true;
        n->a = simple_statement(p);
        p->no_in = false;
    }
    parse_expect(p, ';');
    parse_newlines(p);
    if (p->lx.token != ';') n->b = parse_expression(p);
    parse_expect(p, ';');
    parse_newlines(p);
    if (p->lx.token != ')') n->c = simple_statement(p);
    parse_expect(p, ')');
    n->d = body(p);
    return n;
}

static node *if_statement(parser *p) {
    node *n = parse_node(p, N_IF);
    lex_next(&p->lx);
    n->a = condition(p);
    n->b = body(p);
    /* An else may follow newlines and one semicolon; otherwise they are left. */
    lexer before = p->lx;
    skip_terminators(p);
    if (parse_accept(p, T_ELSE))
        n->c = body(p);
    else
        p->lx = before;
    return n;
}

static node *do_loop(parser *p) {
    node *n = parse_node(p, N_DO);
    lex_next(&p->lx);
    n->b = body(p);
    skip_terminators(p);
    parse_expect(p, T_WHILE);
    n->a = condition(p);
    parse_accept(p, ';'); /* what follows need not be separated */
    return n;
}

static node *switch_case(parser *p) {
    node *n = parse_node(p, N_CASE), **tail = &n->list;
    bool is_default = p->lx.token == T_DEFAULT;
    lex_next(&p->lx);
    if (!is_default) {
        bool minus = false, sign = p->lx.token == '-' || p->lx.token == '+';
        if (sign) {
            minus = p->lx.token == '-';
            lex_next(&p->lx);
            if (p->lx.token != T_NUMBER) parse_fail(p);
        }
        switch (p->lx.token) {
        case T_NUMBER:
            n->a = parse_node(p, N_NUMBER);
            n->a->number = minus ? -p->lx.number : p->lx.number;
            break;
        case T_STRING:
            n->a = parse_node(p, N_STRING);
            n->a->text = p->lx.text;
            break;
        case '@':
            lex_next(&p->lx);
            /* fall through */
        case '/':
        case T_ASSIGN_DIV:
            n->a = parse_node(p, N_TYPED_REGEX);
            lex_regex(&p->lx);
            n->a->text = p->lx.text;
            break;
        default: parse_fail(p);
        }
        lex_next(&p->lx);
    }
    parse_newlines(p);
    parse_expect(p, ':');
    skip_terminators(p);
    while (p->lx.token != T_CASE && p->lx.token != T_DEFAULT && p->lx.token != '}') {
        *tail = statement(p);
        tail = &(*tail)->next;
        skip_terminators(p);
    }
    return n;
}

/* Two cases of one constant are a mistake. */
static void same_case(parser *p, const node *a, const node *b) {
    if (!a || !b || a->kind != b->kind) return;
    if (a->kind == N_NUMBER && a->number == b->number)
        lex_error(&p->lx, "duplicate case values in switch body: %g", a->number);
    if (a->kind == N_STRING && text_equal(a->text, b->text))
        lex_error(&p->lx, "duplicate case values in switch body: %s", a->text->s);
}

static node *switch_statement(parser *p) {
    node *n = parse_node(p, N_SWITCH), **tail = &n->list;
    lex_next(&p->lx);
    n->a = condition(p);
    parse_newlines(p);
    parse_expect(p, '{');
    skip_terminators(p);
    bool has_default = false;
    while (p->lx.token != '}') {
        if (p->lx.token != T_CASE && p->lx.token != T_DEFAULT) parse_fail(p);
        *tail = switch_case(p);
        for (const node *c = n->list; c != *tail; c = c->next) same_case(p, c->a, (*tail)->a);
        if (!(*tail)->a) {
            if (has_default) lex_error(&p->lx, "duplicate `default' detected in switch body");
            has_default = true;
        }
        tail = &(*tail)->next;
    }
    lex_next(&p->lx);
    return n;
}

/* exit and return: with a value or without. */
static node *with_value(parser *p, enum node_kind kind) {
    node *n = parse_node(p, kind);
    lex_next(&p->lx);
    int token = p->lx.token;
    if (token != ';' && token != T_NEWLINE && token != '}' && token != T_END)
        n->a = parse_expression(p);
    end_statement(p);
    return n;
}

static node *word(parser *p, enum node_kind kind) {
    node *n = parse_node(p, kind);
    lex_next(&p->lx);
    end_statement(p);
    return n;
}

static node *statement(parser *p) {
    parse_enter(p);
    node *n;
    switch (p->lx.token) {
    case '{': n = block(p); break;
    case T_IF: n = if_statement(p); break;
    case T_WHILE:
        n = parse_node(p, N_WHILE);
        lex_next(&p->lx);
        n->a = condition(p);
        n->b = body(p);
        break;
    case T_DO: n = do_loop(p); break;
    case T_FOR: n = for_loop(p); break;
    case T_SWITCH: n = switch_statement(p); break;
    case T_BREAK: n = word(p, N_BREAK); break;
    case T_CONTINUE: n = word(p, N_CONTINUE); break;
    case T_NEXT:
        if (p->group != RULE_MAIN && !p->function)
            lex_error(&p->lx, "`next' used in %s action", group_names[p->group]);
        n = word(p, N_NEXT);
        break;
    case T_NEXTFILE:
        if (p->group != RULE_MAIN && p->group != RULE_BEGINFILE && !p->function)
            lex_error(&p->lx, "`nextfile' used in %s action", group_names[p->group]);
        n = word(p, N_NEXTFILE);
        break;
    case T_EXIT: n = with_value(p, N_EXIT); break;
    case T_RETURN:
        if (!p->function) lex_fail(&p->lx, "`return' used outside function context");
        n = with_value(p, N_RETURN);
        break;
    default: n = simple_statement(p); end_statement(p);
    }
    p->depth--;
    return n;
}

/* Names */

int tree_find_global(const tree *t, const char *name, size_t len) {
    for (size_t i = 0; i < t->global_count; i++)
        if (t->globals[i]->len == len && memcmp(t->globals[i]->s, name, len) == 0) return (int)i;
    return -1;
}

int tree_global(tree *t, const char *name, size_t len) {
    int found = tree_find_global(t, name, len);
    if (found >= 0) return found;
    if (t->global_count == t->global_cap)
        t->globals = g_more(t->globals, &t->global_cap, sizeof *t->globals);
    t->globals[t->global_count] = text_of(name, len);
    return (int)t->global_count++;
}

/* Functions and rules */

static void parameters(parser *p, function_tree *f) {
    size_t cap = 0;
    parse_expect(p, '(');
    parse_newlines(p);
    while (p->lx.token != ')') {
        if (p->lx.token != T_NAME) parse_fail(p);
        for (int i = 0; i < f->param_count; i++)
            if (text_equal(f->params[i], p->lx.text))
                lex_error(&p->lx, "function `%s': parameter #%d, `%s', duplicates parameter #%d",
                          f->name->s, f->param_count + 1, p->lx.text->s, i + 1);
        int global = tree_find_global(p->tree, p->lx.text->s, p->lx.text->len);
        if (global >= 0 && global < V_SPECIALS)
            lex_error(&p->lx,
                      "function `%s': cannot use special variable `%s' as a function parameter",
                      f->name->s, p->lx.text->s);
        if (text_equal(f->name, p->lx.text))
            lex_error(&p->lx, "function `%s': cannot use function name as parameter name",
                      f->name->s);
        if ((size_t)f->param_count == cap) f->params = g_more(f->params, &cap, sizeof *f->params);
        f->params[f->param_count++] = p->lx.text;
        lex_next(&p->lx);
        parse_newlines(p);
        if (!parse_accept(p, ',')) break;
        parse_newlines(p);
    }
    parse_expect(p, ')');
}

static void function(parser *p) {
    lex_next(&p->lx);
    if (p->lx.token != T_NAME && p->lx.token != T_CALLED) {
        if (p->lx.token == T_BUILTIN) {
            char text[100];
            snprintf(text, sizeof text, "`%s' is a built-in function, it cannot be redefined",
                     builtin_name(p->lx.builtin));
            lex_fail(&p->lx, text);
        }
        parse_fail(p);
    }
    tree *t = p->tree;
    int global = tree_find_global(t, p->lx.text->s, p->lx.text->len);
    if (global >= 0 && global < V_SPECIALS)
        lex_error(&p->lx, "function name `%s' previously defined", p->lx.text->s);
    size_t i = 0;
    while (i < t->function_count && !text_equal(t->functions[i].name, p->lx.text)) i++;
    if (i == t->function_count) {
        if (i == t->function_cap)
            t->functions = g_more(t->functions, &t->function_cap, sizeof *t->functions);
        t->functions[t->function_count++] = (function_tree){.name = p->lx.text};
    }
    /* The table may move while the body is read. */
    function_tree f = t->functions[i];
    if (f.body) lex_error(&p->lx, "function name `%s' previously defined", f.name->s);
    f.source = p->lx.source;
    f.line = p->lx.token_line;
    lex_next(&p->lx);
    parameters(p, &f);
    parse_newlines(p);
    p->function = &f;
    p->group = RULE_MAIN;
    f.body = block(p);
    p->function = NULL;
    t->functions[i] = f;
}

static void add_rule(parser *p, enum rule_group group, node *from, node *to) {
    rule *r = g_zalloc(sizeof *r);
    p->group = group;
    r->pattern = from;
    r->pattern_end = to;
    if (p->lx.token == '{')
        r->action = block(p);
    else if (group != RULE_MAIN) {
        lex_say(&p->lx, "%s blocks must have an action part", group_names[group]);
    }
    *p->tree->ends[group] = r;
    p->tree->ends[group] = &r->next;
}

/* @include "file" */
static void directive(parser *p) {
    lex_next(&p->lx);
    bool is_name = p->lx.token == T_NAME || p->lx.token == T_CALLED;
    if (!is_name || strcmp(p->lx.text->s, "include") != 0) {
        if (is_name &&
            (strcmp(p->lx.text->s, "load") == 0 || strcmp(p->lx.text->s, "namespace") == 0))
            lex_error(&p->lx, "@%s is not supported", p->lx.text->s);
        parse_fail(p);
    }
    lex_next(&p->lx);
    if (p->lx.token != T_STRING) parse_fail(p);
    lex_source *source = g_zalloc(sizeof *source);
    source->name = g_copy_string(p->lx.text->s);
    int fd = open(source->name, O_RDONLY | O_CLOEXEC);
    char *text = fd >= 0 ? g_read_all(fd, &source->len) : NULL;
    if (!text)
        lex_error(&p->lx, "cannot open source file `%s' for reading: %s", source->name,
                  strerror(errno));
    close(fd);
    source->text = text;
    if (p->depth > 8) lex_error(&p->lx, "@include is nested too deeply");
    lexer back = p->lx;
    int depth = p->depth;
    p->depth = depth + 1;
    parse_source(p->tree, source);
    p->depth = depth;
    p->lx = back;
    lex_next(&p->lx);
}

static void item(parser *p) {
    static const struct {
        int token;
        uint8_t group;
    } words[] = {{T_BEGIN, RULE_BEGIN},
                 {T_END_RULE, RULE_END},
                 {T_BEGINFILE, RULE_BEGINFILE},
                 {T_ENDFILE, RULE_ENDFILE}};
    if (p->lx.token == T_FUNCTION) {
        function(p);
        return;
    }
    if (p->lx.token == '@') {
        lexer ahead = p->lx;
        lex_next(&ahead);
        if (ahead.token == T_NAME) {
            directive(p);
            return;
        }
    }
    for (size_t i = 0; i < 4; i++) {
        if (!parse_accept(p, words[i].token)) continue;
        add_rule(p, words[i].group, NULL, NULL);
        return;
    }
    node *from = NULL, *to = NULL;
    if (p->lx.token != '{') {
        from = parse_expression(p);
        if (parse_accept(p, ',')) {
            parse_newlines(p);
            to = parse_expression(p);
        }
    }
    add_rule(p, RULE_MAIN, from, to);
}

void parse_begin(tree *t) {
    memset(t, 0, sizeof *t);
    for (int i = 0; i < RULE_GROUPS; i++) t->ends[i] = &t->rules[i];
    for (int i = 0; i < V_SPECIALS; i++) tree_global(t, special_names[i], strlen(special_names[i]));
}

void parse_source(tree *t, const lex_source *source) {
    static int nested;
    parser p = {.tree = t, .depth = nested};
    lex_begin(&p.lx, source);
    if (++nested > 10) lex_error(&p.lx, "@include is nested too deeply");
    lex_next(&p.lx);
    skip_terminators(&p);
    while (p.lx.token != T_END) {
        item(&p);
        skip_terminators(&p);
    }
    nested--;
}

void parse_finish(tree *t) {
    for (size_t i = 0; i < t->function_count; i++) {
        function_tree *f = &t->functions[i];
        if (f->body) {
            if (tree_find_global(t, f->name->s, f->name->len) >= 0) {
                char where[300];
                lex_where(f->source, f->line, where, sizeof where);
                g_die(
                    1,
                    "%s: error: function `%s' called with space between name and `(',\nor used as "
                    "a variable or an array",
                    where, f->name->s);
            }
            continue;
        }
        char where[300];
        lex_where(f->source, f->line, where, sizeof where);
        if (tree_find_global(t, f->name->s, f->name->len) >= 0)
            g_die(1, "%s: error: attempt to use non-function `%s' in function call", where,
                  f->name->s);
        g_die(2, "%s: fatal: function `%s' not defined", where, f->name->s);
    }
}
