/*
 * bc_parse.c: trees of bc programs; reads a statement and has it executed, one after the other.
 */
#include "bc.h"
#include "g_out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH_MAX = 200 };

static bc_node *parse_statement(bc_parser *p);
static bc_node *parse_not(bc_parser *p);

static bc_node *make(bc_parser *p, enum bc_kind kind) {
    bc_node *n = g_zalloc(sizeof *n);
    n->kind = kind;
    n->line = p->line;
    return n;
}

static void add_kid(bc_node *n, bc_node *kid) {
    if (n->count == n->cap) n->kids = g_more(n->kids, &n->cap, sizeof *n->kids);
    n->kids[n->count++] = kid;
}

void bc_free_node(bc_node *n) {
    while (n) { /* left operands may be nested far deeper than all else */
        bc_node *left = n->count > 0 ? n->kids[0] : NULL;
        for (size_t i = 1; i < n->count; i++) bc_free_node(n->kids[i]);
        free(n->kids);
        free(n->text);
        free(n);
        n = left;
    }
}

void bc_syntax_error(bc_parser *p) {
    if (!p->failed) {
        char text[160];
        size_t line = p->line - (p->token == T_NEWLINE);
        int n = snprintf(text, sizeof text, "%s %zu: syntax error\n", p->st->file, line);
        g_out_flush();
        if (write(STDERR_FILENO, text, (size_t)n) < 0) p->failed = true;
    }
    p->failed = true;
}

static bool is(const bc_parser *p, const char *word) {
    return (p->token == T_OPERATOR || p->token == T_KEYWORD) && strcmp(p->word.s, word) == 0;
}

static bool accept(bc_parser *p, const char *word) {
    if (!is(p, word)) return false;
    bc_next_token(p);
    return true;
}

static void expect(bc_parser *p, const char *word) {
    if (!accept(p, word)) bc_syntax_error(p);
}

static void skip_newlines(bc_parser *p) {
    while (p->token == T_NEWLINE) bc_next_token(p);
}

static bc_node *binary(bc_parser *p, char op, bc_node *a, bc_node *b) {
    bc_node *n = make(p, N_BINARY);
    n->op = op;
    add_kid(n, a);
    add_kid(n, b);
    return n;
}

static bc_node *parse_call(bc_parser *p, char *name) {
    bc_node *n = make(p, N_CALL);
    n->text = name;
    while (!p->failed && !is(p, ")")) {
        bc_node *argument = NULL;
        if (p->token == T_NAME) { /* name[] hands over an array */
            const char *s = p->s;
            while (s < p->end && *s == ' ') s++;
            const char *t = s < p->end && *s == '[' ? s + 1 : p->end;
            while (t < p->end && *t == ' ') t++;
            if (t < p->end && *t == ']') {
                argument = make(p, N_ARRAY);
                argument->text = g_copy_string(p->word.s);
                bc_next_token(p);
                bc_next_token(p);
                bc_next_token(p);
            }
        }
        add_kid(n, argument ? argument : bc_parse_expression(p));
        if (!accept(p, ",")) break;
    }
    expect(p, ")");
    return n;
}

static bc_node *one_argument(bc_parser *p, enum bc_kind kind) {
    bc_node *n = make(p, kind);
    expect(p, "(");
    add_kid(n, bc_parse_expression(p));
    expect(p, ")");
    return n;
}

static bc_node *named(bc_parser *p) {
    char *name = g_copy_string(p->word.s);
    bc_next_token(p);
    if (accept(p, "(")) return parse_call(p, name);
    bc_node *n = make(p, N_VARIABLE);
    n->text = name;
    if (!accept(p, "[")) return n;
    n->kind = N_ELEMENT;
    add_kid(n, bc_parse_expression(p));
    expect(p, "]");
    return n;
}

static bool assignable(const bc_node *n) {
    return n && (n->kind == N_VARIABLE || n->kind == N_ELEMENT);
}

static bc_node *step(bc_parser *p, bc_node *target, char op, bool before) {
    if (!assignable(target)) bc_syntax_error(p);
    bc_node *n = make(p, N_STEP);
    n->op = op;
    n->before = before;
    add_kid(n, target);
    return n;
}

static bc_node *parse_primary(bc_parser *p) {
    bc_node *n = NULL;
    if (++p->depth > DEPTH_MAX) bc_syntax_error(p);
    if (p->failed) {
        n = make(p, N_NOTHING);
    } else if (p->token == T_NUMBER) {
        n = make(p, N_NUMBER);
        n->text = g_copy_string(p->word.s);
        bc_next_token(p);
    } else if (accept(p, "(")) {
        n = bc_parse_expression(p);
        n->parens = true;
        expect(p, ")");
    } else if (is(p, "++") || is(p, "--")) {
        char op = *p->word.s;
        bc_next_token(p);
        n = step(p, parse_primary(p), op, true);
    } else if (p->token == T_NAME) {
        n = named(p);
    } else if (accept(p, "length")) {
        n = one_argument(p, N_LENGTH);
    } else if (accept(p, "sqrt")) {
        n = one_argument(p, N_SQRT);
    } else if (accept(p, "read")) {
        n = make(p, N_READ);
        expect(p, "(");
        expect(p, ")");
    } else if (accept(p, "scale")) {
        if (is(p, "(")) {
            n = one_argument(p, N_SCALE);
        } else {
            n = make(p, N_VARIABLE);
            n->text = g_copy_string("scale");
        }
    } else {
        bc_syntax_error(p);
        n = make(p, N_NOTHING);
    }
    if ((is(p, "++") || is(p, "--")) && assignable(n) && !p->failed) {
        char op = *p->word.s;
        bc_next_token(p);
        n = step(p, n, op, false);
    }
    p->depth--;
    return n;
}

/* Unary minus binds closer than ^ in bc: -2^2 is 4. */
static bc_node *parse_unary(bc_parser *p) {
    if (is(p, "!") && !p->failed) return parse_not(p); /* a = !b */
    if (!is(p, "-") || p->failed) return parse_primary(p);
    if (++p->depth > DEPTH_MAX) bc_syntax_error(p);
    bc_next_token(p);
    bc_node *n = make(p, N_NEGATE);
    add_kid(n, parse_unary(p));
    p->depth--;
    return n;
}

static bc_node *parse_power(bc_parser *p) {
    if (++p->depth > DEPTH_MAX) bc_syntax_error(p);
    bc_node *n = parse_unary(p);
    if (!p->failed && accept(p, "^")) n = binary(p, '^', n, parse_power(p));
    p->depth--;
    return n;
}

static bc_node *parse_product(bc_parser *p) {
    bc_node *n = parse_power(p);
    while (!p->failed && (is(p, "*") || is(p, "/") || is(p, "%"))) {
        char op = *p->word.s;
        bc_next_token(p);
        n = binary(p, op, n, parse_power(p));
    }
    return n;
}

static bc_node *parse_sum(bc_parser *p) {
    bc_node *n = parse_product(p);
    while (!p->failed && (is(p, "+") || is(p, "-"))) {
        char op = *p->word.s;
        bc_next_token(p);
        n = binary(p, op, n, parse_product(p));
    }
    return n;
}

static bc_node *parse_assignment(bc_parser *p) {
    bc_node *n = parse_sum(p);
    bool plain = is(p, "=");
    if (p->failed || !(plain || (p->token == T_OPERATOR && p->word.len == 2 &&
                                 p->word.s[1] == '=' && strchr("+-*/%^", *p->word.s))))
        return n;
    if (++p->depth > DEPTH_MAX || !assignable(n)) bc_syntax_error(p);
    bc_node *assign = make(p, N_ASSIGN);
    assign->op = *p->word.s;
    bc_next_token(p);
    add_kid(assign, n);
    add_kid(assign, parse_assignment(p));
    p->depth--;
    return assign;
}

static bc_node *parse_comparison(bc_parser *p) {
    bc_node *n = parse_assignment(p);
    while (!p->failed &&
           (is(p, "<") || is(p, ">") || is(p, "==") || is(p, "<=") || is(p, ">=") || is(p, "!="))) {
        char op = p->word.len == 1    ? *p->word.s
                  : *p->word.s == '<' ? 'l'
                  : *p->word.s == '>' ? 'g'
                  : *p->word.s == '!' ? 'n'
                                      : '=';
        bc_next_token(p);
        n = binary(p, op, n, parse_assignment(p));
    }
    return n;
}

static bc_node *parse_not(bc_parser *p) {
    if (!is(p, "!") || p->failed) return parse_comparison(p);
    if (++p->depth > DEPTH_MAX) bc_syntax_error(p);
    bc_next_token(p);
    bc_node *n = make(p, N_NOT);
    add_kid(n, parse_not(p));
    p->depth--;
    return n;
}

static bc_node *parse_logic(bc_parser *p, bool both) {
    bc_node *n = both ? parse_not(p) : parse_logic(p, true);
    while (!p->failed && accept(p, both ? "&&" : "||")) {
        bc_node *logic = make(p, both ? N_AND : N_OR);
        add_kid(logic, n);
        add_kid(logic, both ? parse_not(p) : parse_logic(p, true));
        n = logic;
    }
    return n;
}

bc_node *bc_parse_expression(bc_parser *p) {
    return parse_logic(p, false);
}

static bc_node *parse_block(bc_parser *p) {
    bc_node *block = make(p, N_BLOCK);
    for (;;) {
        while (p->token == T_NEWLINE || is(p, ";")) bc_next_token(p);
        if (p->failed || accept(p, "}")) return block;
        if (p->token == T_END) {
            bc_syntax_error(p);
            return block;
        }
        add_kid(block, parse_statement(p));
        if (!is(p, ";") && !is(p, "}") && p->token != T_NEWLINE) bc_syntax_error(p);
    }
}

static bc_node *parse_body(bc_parser *p) {
    skip_newlines(p);
    return parse_statement(p);
}

static bc_node *optional(bc_parser *p, const char *end) {
    bc_node *n = is(p, end) ? NULL : bc_parse_expression(p);
    expect(p, end);
    return n;
}

static bc_node *parse_if(bc_parser *p) {
    bc_node *n = make(p, N_IF);
    expect(p, "(");
    add_kid(n, bc_parse_expression(p));
    expect(p, ")");
    add_kid(n, parse_body(p));
    /* GNU: else may stand in the next line only within a block; a newline before it is skipped
     * when else follows. */
    size_t at = (size_t)(p->s - p->start), line = p->line;
    enum bc_token token = p->token;
    if (token == T_NEWLINE && p->depth > 1) {
        skip_newlines(p);
        if (!is(p, "else")) {
            p->s = p->start + at;
            p->line = line;
            p->token = T_NEWLINE;
        }
    }
    if (accept(p, "else")) add_kid(n, parse_body(p));
    return n;
}

static bc_node *parse_loop(bc_parser *p, bool is_for) {
    bc_node *n = make(p, is_for ? N_FOR : N_WHILE);
    expect(p, "(");
    if (is_for) {
        add_kid(n, optional(p, ";"));
        add_kid(n, optional(p, ";"));
        add_kid(n, optional(p, ")"));
    } else {
        add_kid(n, bc_parse_expression(p));
        expect(p, ")");
    }
    p->loops++;
    add_kid(n, parse_body(p));
    p->loops--;
    return n;
}

static bc_node *parse_print(bc_parser *p) {
    bc_node *n = make(p, N_PRINT);
    do {
        if (p->token == T_STRING) {
            bc_node *string = make(p, N_STRING);
            string->text = g_copy_string(p->word.s);
            bc_next_token(p);
            add_kid(n, string);
        } else {
            add_kid(n, bc_parse_expression(p));
        }
    } while (!p->failed && accept(p, ","));
    return n;
}

static bc_node *parse_statement(bc_parser *p) {
    bc_node *n;
    if (++p->depth > DEPTH_MAX) bc_syntax_error(p);
    if (p->failed) {
        n = make(p, N_NOTHING);
    } else if (p->token == T_STRING) {
        n = make(p, N_STRING);
        n->text = g_copy_string(p->word.s);
        bc_next_token(p);
    } else if (accept(p, "{")) {
        n = parse_block(p);
    } else if (accept(p, "if")) {
        n = parse_if(p);
    } else if (accept(p, "while")) {
        n = parse_loop(p, false);
    } else if (accept(p, "for")) {
        n = parse_loop(p, true);
    } else if (accept(p, "print")) {
        n = parse_print(p);
    } else if (is(p, "break") || is(p, "continue")) {
        n = make(p, is(p, "break") ? N_BREAK : N_CONTINUE);
        if (p->loops == 0) bc_syntax_error(p);
        bc_next_token(p);
    } else if (accept(p, "return")) {
        n = make(p, N_RETURN);
        if (!p->in_function) bc_syntax_error(p);
        if (p->token != T_NEWLINE && !is(p, ";") && !is(p, "}")) add_kid(n, bc_parse_expression(p));
    } else if (is(p, "quit")) { /* at once, wherever it stands */
        p->st->quit = true;
        g_exit(0);
    } else if (accept(p, "halt")) {
        n = make(p, N_HALT);
    } else if (accept(p, "limits") || accept(p, "warranty")) {
        n = make(p, N_NOTHING);
    } else {
        n = make(p, N_EXPRESSION);
        add_kid(n, bc_parse_expression(p));
    }
    p->depth--;
    return n;
}

static char *parse_formal(bc_parser *p) {
    accept(p, "*");
    if (p->token != T_NAME) {
        bc_syntax_error(p);
        return g_copy_string("");
    }
    g_text name = {0};
    g_text_adds(&name, p->word.s);
    bc_next_token(p);
    if (accept(p, "[")) {
        expect(p, "]");
        g_text_addc(&name, '[');
    }
    return name.s;
}

static void add_name(char ***names, size_t *count, size_t *cap, char *name) {
    if (*count == *cap) *names = g_more(*names, cap, sizeof **names);
    (*names)[(*count)++] = name;
}

static void parse_function(bc_parser *p) {
    bc_function *f = g_zalloc(sizeof *f);
    f->no_value = accept(p, "void");
    if (p->token != T_NAME) bc_syntax_error(p);
    f->name = g_copy_string(p->word.s);
    bc_next_token(p);
    expect(p, "(");
    while (!p->failed && !is(p, ")")) {
        add_name(&f->parameters, &f->parameter_count, &f->parameter_cap, parse_formal(p));
        if (!accept(p, ",")) break;
    }
    expect(p, ")");
    skip_newlines(p);
    expect(p, "{");
    while (!p->failed && (p->token == T_NEWLINE || is(p, ";"))) bc_next_token(p);
    if (accept(p, "auto")) {
        do add_name(&f->autos, &f->auto_count, &f->auto_cap, parse_formal(p));
        while (!p->failed && accept(p, ","));
    }
    p->in_function = true;
    f->body = parse_block(p);
    p->in_function = false;
    if (p->failed) return;
    f->code = bc_compile(f->body);
    f->next = p->st->functions;
    p->st->functions = f;
}

/* After an error the rest of the line is dropped. */
static void recover(bc_parser *p) {
    if (p->token != T_NEWLINE) {
        while (p->s < p->end && *p->s != '\n') p->s++;
        bc_next_token(p);
    }
    p->failed = false;
    p->depth = 0;
    p->loops = 0;
    p->in_function = false;
}

/*
 * A line is read as a whole before any of it is executed, so that an error in it executes nothing.
 */
static bool interpret(bc_parser p, const char *file) {
    bc_state *st = p.st;
    st->file = file;
    bc_next_token(&p);
    while (p.token != T_END && !st->quit) {
        bc_node *line = make(&p, N_BLOCK);
        while (p.token != T_NEWLINE && p.token != T_END && !p.failed) {
            if (accept(&p, ";")) continue;
            if (accept(&p, "define")) {
                parse_function(&p); /* needs nothing between it and what follows */
                if (!p.failed) continue;
            } else {
                add_kid(line, parse_statement(&p));
            }
            if (!p.failed && !is(&p, ";") && p.token != T_NEWLINE && p.token != T_END)
                bc_syntax_error(&p);
        }
        if (p.token == T_END && line->count > 0)
            bc_syntax_error(&p); /* as GNU: the last line must end */
        if (p.failed) {
            recover(&p);
        } else {
            bc_code *code = bc_compile(line);
            bc_num value = bc_run(st, code);
            bc_free(&value);
            bc_free_code(code);
            if (st->flow == F_HALT) g_exit(0);
            st->flow = F_NEXT;
        }
        bc_free_node(line);
        if (p.in && p.s == p.end) { /* all that was read is done with */
            p.lines.len = 0;
            p.s = p.end = p.start;
        }
        if (p.token == T_NEWLINE) bc_next_token(&p);
    }
    g_text_free(&p.lines);
    return !st->quit;
}

bool bc_interpret(bc_state *st, const char *text, size_t len, const char *file) {
    return interpret((bc_parser){.st = st, .start = text, .s = text, .end = text + len, .line = 1},
                     file);
}

bool bc_interpret_input(bc_state *st, int fd, const char *file) {
    g_reader in;
    g_reader_init(&in, fd, '\n');
    bool go_on = interpret(
        (bc_parser){.st = st, .start = "", .s = "", .end = "", .in = &in, .line = 1}, file);
    g_reader_free(&in);
    return go_on;
}
