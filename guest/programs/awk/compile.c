/*
 * compile.c: the code of statements, rules and functions.
 */
#include "compile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void statement(compiler *c, const node *n);

_Noreturn void compile_error(const node *n, const char *format, ...) {
    char where[300], text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    lex_where(n->source, n->line, where, sizeof where);
    g_die(1, "%s: error: %s", where, text);
}

uint32_t emit(compiler *c, enum opcode op, int sub, size_t n, int64_t a) {
    struct program *p = c->program;
    if (n > UINT16_MAX) compile_error(c->at, "more than %d values in one list", UINT16_MAX);
    if (p->count >= INT32_MAX / 2) compile_error(c->at, "the program is too large");
    if (p->count == p->cap) p->code = g_more(p->code, &p->cap, sizeof *p->code);
    if (p->count >= p->lines_cap) p->lines = g_more(p->lines, &p->lines_cap, sizeof *p->lines);
    p->code[p->count] = (instruction){(uint8_t)op, (uint8_t)sub, (uint16_t)n, (int32_t)a};
    p->lines[p->count] = c->at ? (code_line){c->at->line, c->at->source->name} : (code_line){0};
    return (uint32_t)p->count++;
}

uint32_t here(const compiler *c) {
    return (uint32_t)c->program->count;
}

void chain(compiler *c, uint32_t *head, uint32_t jump) {
    c->program->code[jump].a = (int32_t)*head;
    *head = jump;
}

static void patch_to(compiler *c, uint32_t head, uint32_t target) {
    while (head != NO_JUMP) {
        instruction *i = &c->program->code[head];
        head = (uint32_t)i->a;
        i->a = (int32_t)target;
    }
}

void patch(compiler *c, uint32_t head) {
    patch_to(c, head, here(c));
}

static void statements(compiler *c, const node *list) {
    for (const node *i = list; i; i = i->next) statement(c, i);
}

static void print(compiler *c, const node *n) {
    size_t count = 0;
    if (n->a) compile_expression(c, n->a, WANT_VALUE);
    if (n->kind == N_PRINT && !n->list && !n->a) {
        emit(c, I_PRINT_RECORD, 0, 0, 0);
        return;
    }
    if (!n->list) {
        emit(c, I_FIELD, 0, 0, 0);
        count = 1;
    }
    for (const node *i = n->list; i; i = i->next, count++) compile_expression(c, i, WANT_VALUE);
    c->at = n;
    emit(c, n->kind == N_PRINT ? I_PRINT : I_PRINTF, n->op, count, 0);
}

static void begin_loop(compiler *c, loop *l, bool is_switch) {
    *l = (loop){.outer = c->loop, .is_switch = is_switch, .breaks = NO_JUMP, .continues = NO_JUMP};
    c->loop = l;
}

/* The condition stands at the end, so that a round takes one jump. */
static void while_loop(compiler *c, const node *n) {
    loop l;
    uint32_t entry = NO_JUMP, out = NO_JUMP;
    if (n->kind == N_FOR && n->a) statement(c, n->a);
    begin_loop(c, &l, false);
    const node *condition = n->kind == N_FOR ? n->b : n->a;
    if (n->kind != N_DO && condition) chain(c, &entry, emit(c, I_JUMP, 0, 0, 0));
    uint32_t top = here(c);
    statement(c, n->kind == N_FOR ? n->d : n->b);
    patch(c, l.continues);
    if (n->kind == N_FOR && n->c) statement(c, n->c);
    patch(c, entry);
    if (condition) compile_condition(c, condition, &out);
    emit(c, I_JUMP, 0, 0, top);
    patch(c, out);
    patch(c, l.breaks);
    c->loop = l.outer;
}

static void for_in(compiler *c, const node *n) {
    loop l;
    enum place place;
    int number;
    uint32_t out = NO_JUMP;
    compile_array(c, n->b);
    emit(c, I_FOR_IN, 0, 0, 0);
    begin_loop(c, &l, false);
    uint32_t top = here(c);
    chain(c, &out, emit(c, I_FOR_NEXT, 0, 0, 0));
    compile_place(c, n->a, &place, &number);
    emit(c, I_STORE, place, 0, number);
    statement(c, n->d);
    patch_to(c, l.continues, top);
    emit(c, I_JUMP, 0, 0, top);
    patch(c, out);
    patch(c, l.breaks);
    emit(c, I_POP, 0, 0, 0); /* the cursor */
    c->loop = l.outer;
}

static void switch_statement(compiler *c, const node *n) {
    loop l;
    compile_expression(c, n->a, WANT_VALUE);
    begin_loop(c, &l, true);
    /* First all comparisons, each with a jump to its statements; those drop the value. */
    size_t count = 0;
    for (const node *i = n->list; i; i = i->next) count++;
    uint32_t *jumps = g_alloc((count + 1) * sizeof *jumps), other = NO_JUMP;
    size_t at = 0;
    for (const node *i = n->list; i; i = i->next, at++) {
        jumps[at] = NO_JUMP;
        if (!i->a) continue;
        compile_expression(c, i->a, WANT_VALUE);
        emit(c, I_CASE, 0, 0, 0);
        chain(c, &jumps[at], emit(c, I_JUMP_TRUE, 0, 0, 0));
    }
    chain(c, &other, emit(c, I_JUMP, 0, 0, 0));
    bool has_default = false;
    at = 0;
    for (const node *i = n->list; i; i = i->next, at++) {
        patch(c, jumps[at]);
        if (!i->a) {
            patch(c, other);
            has_default = true;
        }
        statements(c, i->list);
    }
    if (!has_default) patch(c, other);
    patch(c, l.breaks);
    emit(c, I_POP, 0, 0, 0);
    c->loop = l.outer;
    free(jumps);
}

static void leave_loop(compiler *c, const node *n) {
    bool is_break = n->kind == N_BREAK;
    loop *l = c->loop;
    while (l && l->is_switch && !is_break) {
        emit(c, I_POP, 0, 0, 0); /* the switch's value */
        l = l->outer;
    }
    if (!l)
        compile_error(n, "`%s' is not allowed outside a loop%s", is_break ? "break" : "continue",
                      is_break ? " or switch" : "");
    chain(c, is_break ? &l->breaks : &l->continues, emit(c, I_JUMP, 0, 0, 0));
}

static void if_statement(compiler *c, const node *n) {
    uint32_t no = NO_JUMP, end = NO_JUMP;
    compile_condition(c, n->a, &no);
    statement(c, n->b);
    if (n->c) chain(c, &end, emit(c, I_JUMP, 0, 0, 0));
    patch(c, no);
    if (n->c) statement(c, n->c);
    patch(c, end);
}

static void statement(compiler *c, const node *n) {
    c->at = n;
    switch (n->kind) {
    case N_BLOCK: statements(c, n->list); break;
    case N_EXPRESSION: compile_expression(c, n->a, WANT_NOTHING); break;
    case N_PRINT:
    case N_PRINTF: print(c, n); break;
    case N_IF: if_statement(c, n); break;
    case N_WHILE:
    case N_DO:
    case N_FOR: while_loop(c, n); break;
    case N_FOR_IN: for_in(c, n); break;
    case N_SWITCH: switch_statement(c, n); break;
    case N_BREAK:
    case N_CONTINUE: leave_loop(c, n); break;
    case N_NEXT: emit(c, I_NEXT, 0, 0, 0); break;
    case N_NEXTFILE: emit(c, I_NEXTFILE, 0, 0, 0); break;
    case N_EXIT:
        if (n->a) compile_expression(c, n->a, WANT_NUMBER);
        emit(c, I_EXIT, 0, n->a != NULL, 0);
        break;
    case N_RETURN:
        if (n->a)
            compile_expression(c, n->a, WANT_VALUE);
        else
            emit(c, I_CONSTANT, 0, 0, 0);
        emit(c, I_RETURN, 0, 0, 0);
        break;
    case N_DELETE:
        if (n->a->kind == N_ELEMENT) {
            compile_array(c, n->a->a);
            compile_subscript(c, n->a->list);
            c->at = n;
            emit(c, I_DELETE, 0, 0, 0);
        } else {
            compile_array(c, n->a);
            emit(c, I_CLEAR, 0, 0, 0);
        }
        break;
    }
}

static void one_rule(compiler *c, const rule *r) {
    uint32_t no = NO_JUMP;
    struct program *p = c->program;
    c->at = r->pattern ? r->pattern : r->action;
    if (r->pattern_end) {
        uint16_t range = p->range_count++;
        uint32_t inside = NO_JUMP, go_on = NO_JUMP;
        chain(c, &inside, emit(c, I_RANGE_JUMP, 0, range, 0));
        compile_condition(c, r->pattern, &no);
        emit(c, I_RANGE_SET, true, range, 0);
        patch(c, inside);
        compile_condition(c, r->pattern_end, &go_on);
        emit(c, I_RANGE_SET, false, range, 0);
        patch(c, go_on);
    } else if (r->pattern) {
        compile_condition(c, r->pattern, &no);
    }
    if (r->action)
        statement(c, r->action);
    else
        emit(c, I_PRINT_RECORD, 0, 0, 0);
    patch(c, no);
}

struct program *compile(const tree *t) {
    struct program *p = g_zalloc(sizeof *p);
    compiler c = {.program = p, .tree = t};
    p->constants = g_more(NULL, &p->constant_cap, sizeof *p->constants);
    p->constants[p->constant_count++] = value_unset();
    p->global_names = t->globals;
    p->global_count = t->global_count;
    for (int group = 0; group < RULE_GROUPS; group++) {
        p->entries[group] = here(&c);
        p->has[group] = t->rules[group] != NULL;
        for (rule *r = t->rules[group]; r; r = r->next) one_rule(&c, r);
        emit(&c, I_STOP, 0, 0, 0);
        p->sizes[group] = here(&c) - p->entries[group];
    }
    p->function_count = t->function_count;
    p->functions = g_zalloc((t->function_count + 1) * sizeof *p->functions);
    for (size_t i = 0; i < t->function_count; i++) {
        const function_tree *f = &t->functions[i];
        function_code *out = &p->functions[i];
        *out = (function_code){
            .name = f->name, .entry = here(&c), .params = f->param_count, .param_names = f->params};
        statement(&c, f->body);
        emit(&c, I_CONSTANT, 0, 0, 0);
        emit(&c, I_RETURN, 0, 0, 0);
        out->size = here(&c) - out->entry;
    }
    p->ranges = g_zalloc(p->range_count + 1u);
    return p;
}
