/*
 * parse_expression.c: expressions, by recursive descent, lowest precedence first.
 *
 * gawk's grammar decides where an assignment may stand: wherever an operand of && || ?: ~ in or a
 * comparison begins with something that can be assigned to and = follows.
 */
#include "parse.h"

#include <stdio.h>

static node *concatenation(parser *p);
static node *unary(parser *p);
static node *primary(parser *p);
static node *step(parser *p, enum step kind, node *place);

static node *list_append(node ***tail, node *item) {
    **tail = item;
    *tail = &item->next;
    return item;
}

static node *constant(parser *p, double number) {
    node *n = parse_node(p, N_NUMBER);
    n->number = number;
    return n;
}

bool parse_is_place(const node *n) {
    return !n->parenthesised && (n->kind == N_GLOBAL || n->kind == N_LOCAL || n->kind == N_FIELD ||
                                 n->kind == N_ELEMENT);
}

node *parse_list(parser *p, int end, int *count) {
    node *list = NULL, **tail = &list;
    *count = 0;
    parse_newlines(p);
    while (p->lx.token != end) {
        list_append(&tail, parse_expression(p));
        ++*count;
        parse_newlines(p);
        if (!parse_accept(p, ',')) break;
        parse_newlines(p);
        if (p->lx.token == end) parse_fail(p);
    }
    return list;
}

/* A list inside brackets: there > compares and `in` is an operator again. */
static node *inner_list(parser *p, int end, int *count) {
    bool no_in = p->no_in, no_greater = p->no_greater, group_ends = p->group_ends;
    p->no_in = p->no_greater = p->group_ends = false;
    node *list = parse_list(p, end, count);
    p->no_in = no_in;
    p->no_greater = no_greater;
    p->group_ends = group_ends;
    p->closing = p->lx;
    parse_expect(p, end);
    return list;
}

static int find_local(const parser *p, const awk_text *name) {
    for (int i = 0; p->function && i < p->function->param_count; i++)
        if (text_equal(p->function->params[i], name)) return i;
    return -1;
}

static node *name_node(parser *p, const awk_text *name) {
    int slot = find_local(p, name);
    node *n = parse_node(p, slot >= 0 ? N_LOCAL : N_GLOBAL);
    n->slot = slot >= 0 ? slot : tree_global(p->tree, name->s, name->len);
    if (slot < 0 && n->slot == V_SYMTAB) lex_error(&p->lx, "SYMTAB is not supported");
    return n;
}

/* A variable or an element; the current token is its name. */
node *parse_variable(parser *p) {
    if (p->lx.token != T_NAME) parse_fail(p);
    node *n = name_node(p, p->lx.text);
    lex_next(&p->lx);
    while (p->lx.token == '[') {
        parse_enter(p);
        lex_next(&p->lx);
        int count;
        node *element = parse_node2(p, N_ELEMENT, n, NULL);
        element->list = inner_list(p, ']', &count);
        if (count == 0) parse_fail(p);
        n = element;
        p->depth--;
    }
    return n;
}

static node *regex_node(parser *p, enum node_kind kind) {
    node *n = parse_node(p, kind);
    lex_regex(&p->lx);
    n->text = p->lx.text;
    const char *mistake = regex_mistake(n->text);
    if (mistake) lex_error(&p->lx, "%s: /%s/", mistake, n->text->s);
    lex_next(&p->lx);
    return n;
}

static function_tree *mentioned_function(parser *p, const awk_text *name, int *index) {
    tree *t = p->tree;
    for (size_t i = 0; i < t->function_count; i++) {
        if (!text_equal(t->functions[i].name, name)) continue;
        *index = (int)i;
        return &t->functions[i];
    }
    if (t->function_count == t->function_cap)
        t->functions = g_more(t->functions, &t->function_cap, sizeof *t->functions);
    *index = (int)t->function_count;
    function_tree *f = &t->functions[t->function_count++];
    *f = (function_tree){
        .name = text_keep((awk_text *)name), .source = p->lx.source, .line = p->lx.token_line};
    return f;
}

static node *call(parser *p) {
    int count, index;
    mentioned_function(p, p->lx.text, &index);
    node *n = parse_node(p, N_CALL);
    n->slot = index;
    lex_next(&p->lx);
    lex_next(&p->lx);
    n->list = inner_list(p, ')', &count);
    return n;
}

static node *function_call(parser *p) {
    node *n = parse_node(p, N_BUILTIN);
    n->slot = p->lx.builtin;
    int count = 0;
    lexer before = p->lx;
    lex_next(&p->lx);
    if (p->lx.token == '(') {
        lex_next(&p->lx);
        n->list = inner_list(p, ')', &count);
    } else if (n->slot == BUILTIN_LENGTH) {
        n->op = 1;
    } else {
        parse_fail(p);
    }
    const char *wrong = builtin_check(n->slot, count);
    bool bits = n->slot == BUILTIN_AND || n->slot == BUILTIN_OR || n->slot == BUILTIN_XOR;
    if (wrong && bits) lex_fatal(&before, "%s: called with less than two arguments", wrong);
    if (wrong) {
        char text[100];
        snprintf(text, sizeof text, "%d is invalid as number of arguments for %s", count, wrong);
        lex_fail(&p->closing, text);
    }
    return n;
}

/* @/regex/ and @name(…) */
static node *at_sign(parser *p) {
    lex_next(&p->lx);
    if (p->lx.token == '/' || p->lx.token == T_ASSIGN_DIV) return regex_node(p, N_TYPED_REGEX);
    if (p->lx.token != T_CALLED) parse_fail(p);
    node *n = parse_node2(p, N_CALL_BY_NAME, name_node(p, p->lx.text), NULL);
    int count;
    lex_next(&p->lx);
    lex_next(&p->lx);
    n->list = inner_list(p, ')', &count);
    return n;
}

static node *brackets(parser *p) {
    int count;
    lex_next(&p->lx);
    node *list = inner_list(p, ')', &count);
    if (count == 0) parse_fail(p);
    if (count == 1) {
        list->parenthesised = true;
        return list;
    }
    bool ends = p->group_ends;
    switch (p->lx.token) {
    case T_IN: break;
    case T_NEWLINE:
    case ';':
    case '}':
    case '>':
    case T_APPEND:
    case '|':
    case T_COPROCESS:
    case T_END:
        if (ends) break;
        /* fall through */
    default: parse_fail(p);
    }
    node *n = parse_node(p, N_GROUP);
    n->list = list;
    return n;
}

static node *field(parser *p) {
    lex_next(&p->lx);
    node *index;
    int token = p->lx.token;
    if (token == '-' || token == '+' || token == '!' || token == T_INCREMENT ||
        token == T_DECREMENT)
        index = unary(p);
    else
        index = primary(p);
    /* $$a++ counts up the inner field: each $ takes a ++ of its own. */
    if (token == '$' && parse_accept(p, T_INCREMENT)) index = step(p, POST_INCREMENT, index);
    else if (token == '$' && parse_accept(p, T_DECREMENT)) index = step(p, POST_DECREMENT, index);
    return parse_node2(p, N_FIELD, index, NULL);
}

static node *getline_from(parser *p, enum redirection how, node *source) {
    node *n = parse_node2(p, N_GETLINE, NULL, source);
    n->op = (uint8_t)how;
    lex_next(&p->lx);
    if (p->lx.token == T_NAME)
        n->a = parse_variable(p);
    else if (p->lx.token == '$')
        n->a = field(p);
    return n;
}

static node *primary(parser *p) {
    parse_enter(p);
    node *n;
    switch (p->lx.token) {
    case T_NUMBER:
        n = constant(p, p->lx.number);
        lex_next(&p->lx);
        break;
    case T_STRING:
        n = parse_node(p, N_STRING);
        n->text = p->lx.text;
        lex_next(&p->lx);
        break;
    case '/':
    case T_ASSIGN_DIV: n = regex_node(p, N_REGEX); break;
    case '$': n = field(p); break;
    case '(': n = brackets(p); break;
    case T_NAME: n = parse_variable(p); break;
    case T_CALLED: n = call(p); break;
    case T_BUILTIN: n = function_call(p); break;
    case '@': n = at_sign(p); break;
    case T_GETLINE:
        n = getline_from(p, TO_STDOUT, NULL);
        if (parse_accept(p, '<')) {
            n->op = FROM_FILE;
            n->b = primary(p);
        }
        break;
    case '-':
    case '+':
    case '!': n = unary(p); break;
    default: parse_fail(p);
    }
    p->depth--;
    return n;
}

static node *step(parser *p, enum step kind, node *place) {
    if (!parse_is_place(place)) parse_fail(p);
    node *n = parse_node2(p, N_STEP, place, NULL);
    n->op = kind;
    return n;
}

static node *postfix(parser *p) {
    if (p->lx.token == T_INCREMENT || p->lx.token == T_DECREMENT) {
        enum step kind = p->lx.token == T_INCREMENT ? PRE_INCREMENT : PRE_DECREMENT;
        lex_next(&p->lx);
        return step(p, kind, primary(p));
    }
    node *n = primary(p);
    if (parse_is_place(n)) {
        if (parse_accept(p, T_INCREMENT)) return step(p, POST_INCREMENT, n);
        if (parse_accept(p, T_DECREMENT)) return step(p, POST_DECREMENT, n);
    }
    return n;
}

static node *binary(parser *p, enum operation op, node *a, node *b) {
    if (a->kind == N_NUMBER && b->kind == N_NUMBER) {
        if ((op == OP_DIVIDE || op == OP_MODULO) && b->number == 0)
            lex_error(&p->lx, "division by zero attempted%s", op == OP_MODULO ? " in `%'" : "");
        return constant(p, operation_apply(op, a->number, b->number));
    }
    node *n = parse_node2(p, N_BINARY, a, b);
    n->op = (uint8_t)op;
    return n;
}

static node *power(parser *p) {
    node *base = postfix(p);
    if (!parse_accept(p, T_POWER)) return base;
    parse_enter(p);
    int token = p->lx.token;
    node *exponent = token == '-' || token == '+' || token == '!' ? unary(p) : power(p);
    p->depth--;
    return binary(p, OP_POWER, base, exponent);
}

static node *unary(parser *p) {
    int token = p->lx.token;
    if (token != '!' && token != '-' && token != '+') return power(p);
    parse_enter(p);
    lex_next(&p->lx);
    node *operand = unary(p);
    p->depth--;
    if (token == '-' && operand->kind == N_NUMBER) return constant(p, -operand->number);
    return parse_node2(p, token == '!' ? N_NOT : token == '-' ? N_NEGATE : N_PLUS, operand, NULL);
}

static node *product(parser *p) {
    node *n = unary(p);
    for (;;) {
        enum operation op;
        switch (p->lx.token) {
        case '*': op = OP_MULTIPLY; break;
        case '/': op = OP_DIVIDE; break;
        case '%': op = OP_MODULO; break;
        default: return n;
        }
        lex_next(&p->lx);
        n = binary(p, op, n, unary(p));
    }
}

static node *sum(parser *p) {
    node *n = product(p);
    while (p->lx.token == '+' || p->lx.token == '-') {
        enum operation op = p->lx.token == '+' ? OP_ADD : OP_SUBTRACT;
        lex_next(&p->lx);
        n = binary(p, op, n, product(p));
    }
    return n;
}

static bool begins_operand(const parser *p) {
    switch (p->lx.token) {
    case T_NUMBER:
    case T_STRING:
    case T_NAME:
    case T_CALLED:
    case T_BUILTIN:
    case '$':
    case '!':
    case '(':
    case '-':
    case '+':
    case T_INCREMENT:
    case T_DECREMENT:
    case '@': return true;
    }
    return false;
}

static bool before_getline(const parser *p) {
    /* What print prints goes into a pipe, whatever stands behind it. */
    if (p->no_greater || (p->lx.token != '|' && p->lx.token != T_COPROCESS)) return false;
    lexer ahead = p->lx;
    lex_next(&ahead);
    return ahead.token == T_GETLINE;
}

static int assignment_of(int token) {
    switch (token) {
    case '=': return -1;
    case T_ASSIGN_ADD: return OP_ADD;
    case T_ASSIGN_SUB: return OP_SUBTRACT;
    case T_ASSIGN_MUL: return OP_MULTIPLY;
    case T_ASSIGN_DIV: return OP_DIVIDE;
    case T_ASSIGN_MOD: return OP_MODULO;
    case T_ASSIGN_POW: return OP_POWER;
    }
    return -2;
}

static node *concatenation(parser *p) {
    node *n = sum(p);
    int op = assignment_of(p->lx.token);
    if (op > -2 && parse_is_place(n)) {
        lex_next(&p->lx);
        parse_newlines(p);
        node *assign = parse_node2(p, N_ASSIGN, n, parse_expression(p));
        assign->op = (uint8_t)op;
        return assign;
    }
    for (;;) {
        if (before_getline(p)) {
            enum redirection how = p->lx.token == '|' ? FROM_PIPE : FROM_COPROCESS;
            lex_next(&p->lx);
            n = getline_from(p, how, n);
        } else if (begins_operand(p)) {
            node *list = n, **tail = &n->next;
            while (begins_operand(p)) list_append(&tail, sum(p));
            n = parse_node(p, N_CONCAT);
            n->list = list;
            for (node *i = list; i; i = i->next)
                if (i->depth >= n->depth) n->depth = i->depth + 1;
        } else {
            return n;
        }
    }
}

node *parse_operand(parser *p) {
    return concatenation(p);
}

static int comparison_of(const parser *p) {
    switch (p->lx.token) {
    case '<': return LESS;
    case T_LE: return LESS_EQUAL;
    case T_EQ: return EQUAL;
    case T_NE: return NOT_EQUAL;
    case '>': return p->no_greater ? -1 : GREATER;
    case T_GE: return GREATER_EQUAL;
    }
    return -1;
}

static node *comparison(parser *p) {
    node *n = concatenation(p);
    int op = comparison_of(p);
    /* An assignment took all it could: x = 1 < 2 < 3 is no comparison of one. */
    if (op < 0 || (n->kind == N_ASSIGN && !n->parenthesised)) return n;
    lex_next(&p->lx);
    n = parse_node2(p, N_COMPARE, n, concatenation(p));
    n->op = (uint8_t)op;
    return n;
}

static node *match(parser *p) {
    node *n = comparison(p);
    while (p->lx.token == '~' || p->lx.token == T_NO_MATCH) {
        bool negated = p->lx.token == T_NO_MATCH;
        lex_next(&p->lx);
        n = parse_node2(p, N_MATCH, n, comparison(p));
        n->op = negated;
    }
    return n;
}

static node *membership(parser *p) {
    node *n = match(p);
    while (p->lx.token == T_IN && !p->no_in) {
        lex_next(&p->lx);
        node *in = parse_node2(p, N_IN, parse_variable(p), NULL);
        in->list = n->kind == N_GROUP ? n->list : n;
        in->depth += n->depth;
        n = in;
    }
    return n;
}

static node *conjunction(parser *p) {
    node *n = membership(p);
    while (parse_accept(p, T_AND)) {
        parse_newlines(p);
        n = parse_node2(p, N_AND, n, membership(p));
    }
    return n;
}

static node *disjunction(parser *p) {
    node *n = conjunction(p);
    while (parse_accept(p, T_OR)) {
        parse_newlines(p);
        n = parse_node2(p, N_OR, n, conjunction(p));
    }
    return n;
}

node *parse_expression(parser *p) {
    parse_enter(p);
    node *n = disjunction(p);
    if (parse_accept(p, '?')) {
        parse_newlines(p);
        node *yes = parse_expression(p);
        parse_newlines(p);
        parse_expect(p, ':');
        parse_newlines(p);
        node *no = parse_expression(p);
        n = parse_node2(p, N_CONDITION, n, yes);
        n->c = no;
        if (no->depth >= n->depth) n->depth = no->depth + 1;
    }
    p->depth--;
    return n;
}
