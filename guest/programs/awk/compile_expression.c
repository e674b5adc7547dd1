/*
 * compile_expression.c: the code of expressions.
 */
#include "compile.h"

static uint32_t constant(compiler *c, value v) {
    struct program *p = c->program;
    if (p->constant_count == p->constant_cap)
        p->constants = g_more(p->constants, &p->constant_cap, sizeof *p->constants);
    p->constants[p->constant_count] = v;
    return (uint32_t)p->constant_count++;
}

static int32_t regex_number(compiler *c, const node *n) {
    struct program *p = c->program;
    if (p->regex_count == p->regex_cap)
        p->regexes = g_more(p->regexes, &p->regex_cap, sizeof *p->regexes);
    p->regexes[p->regex_count] = regex_constant(n->text->s, n->text->len);
    return (int32_t)p->regex_count++;
}

static bool is_special(const node *n) {
    return n->kind == N_GLOBAL && n->slot < V_SPECIALS;
}
static bool is_variable(const node *n) {
    return n->kind == N_GLOBAL || n->kind == N_LOCAL;
}

void compile_array(compiler *c, const node *n) {
    if (n->kind == N_ELEMENT) {
        compile_array(c, n->a);
        compile_subscript(c, n->list);
        emit(c, I_SUBARRAY, 0, 0, 0);
    } else if (is_variable(n)) {
        c->at = n;
        emit(c, n->kind == N_LOCAL ? I_ARRAY_LOCAL : I_ARRAY_GLOBAL, 0, 0, n->slot);
    } else {
        compile_error(n, "an array is needed here");
    }
}

void compile_subscript(compiler *c, const node *list) {
    size_t count = 0;
    for (const node *i = list; i; i = i->next, count++) compile_expression(c, i, WANT_VALUE);
    if (count > 1) emit(c, I_SUBSCRIPT, 0, count, 0);
}

void compile_place(compiler *c, const node *n, enum place *place, int *number) {
    *number = n->slot;
    switch (n->kind) {
    case N_GLOBAL: *place = is_special(n) ? AT_SPECIAL : AT_GLOBAL; break;
    case N_LOCAL: *place = AT_LOCAL; break;
    case N_FIELD:
        *place = AT_FIELD;
        compile_expression(c, n->a, WANT_NUMBER);
        break;
    case N_ELEMENT:
        *place = AT_ELEMENT;
        compile_array(c, n->a);
        compile_subscript(c, n->list);
        break;
    default: *place = AT_NOWHERE;
    }
}

/* v = v x …: grows the text in place. */
static bool append(compiler *c, const node *n, enum want want) {
    const node *to = n->a, *from = n->b;
    if (want != WANT_NOTHING || from->kind != N_CONCAT || !is_variable(to) || is_special(to))
        return false;
    if (from->list->kind != to->kind || from->list->slot != to->slot) return false;
    /* What follows must not change the variable: only plain things. */
    size_t count = 0;
    for (const node *i = from->list->next; i; i = i->next, count++)
        if (i->kind > N_LOCAL && !(i->kind == N_FIELD && i->a->kind == N_NUMBER)) return false;
    for (const node *i = from->list->next; i; i = i->next) {
        compile_expression(c, i, WANT_VALUE);
    }
    if (count > 1) emit(c, I_CONCAT, 0, count, 0);
    emit(c, I_APPEND, to->kind == N_LOCAL ? AT_LOCAL : AT_GLOBAL, 0, to->slot);
    return true;
}

static void assignment(compiler *c, const node *n, enum want want) {
    enum place place;
    int number;
    bool plain = n->op == (uint8_t)-1;
    if (plain && append(c, n, want)) return;
    compile_expression(c, n->b, plain ? WANT_VALUE : WANT_NUMBER);
    compile_place(c, n->a, &place, &number);
    c->at = n;
    size_t keep = want != WANT_NOTHING;
    if (plain)
        emit(c, I_STORE, place, keep, number);
    else
        emit(c, I_UPDATE, place, (size_t)n->op << 1 | keep, number);
}

static void call(compiler *c, const node *n) {
    size_t count = 0;
    if (n->kind == N_CALL_BY_NAME) compile_expression(c, n->a, WANT_VALUE);
    for (const node *i = n->list; i; i = i->next, count++) {
        if (i->kind == N_GLOBAL && !is_special(i))
            emit(c, I_ARGUMENT_GLOBAL, 0, 0, i->slot);
        else if (i->kind == N_GLOBAL &&
                 (i->slot == V_ENVIRON || i->slot == V_ARGV || i->slot == V_PROCINFO ||
                  i->slot == V_FUNCTAB || i->slot == V_SYMTAB))
            emit(c, I_ARGUMENT_GLOBAL, 0, 0, i->slot);
        else if (i->kind == N_LOCAL)
            emit(c, I_ARGUMENT_LOCAL, 0, 0, i->slot);
        else if (i->kind == N_ELEMENT) {
            compile_array(c, i->a);
            compile_subscript(c, i->list);
            emit(c, I_ARGUMENT_ELEMENT, 0, 0, 0);
        } else
            compile_expression(c, i, WANT_VALUE);
    }
    c->at = n;
    if (n->kind == N_CALL_BY_NAME) {
        emit(c, I_CALL_BY_NAME, 0, count, 0);
        return;
    }
    emit(c, I_CALL, 0, count, n->slot);
}

static void regex_value(compiler *c, const node *n) {
    emit(c, I_REGEX, 0, 0, regex_number(c, n));
}

static void builtin(compiler *c, const node *n) {
    if (n->slot == BUILTIN_LENGTH && n->list && is_variable(n->list) && !is_special(n->list)) {
        emit(c, I_LENGTH_OF, n->list->kind == N_LOCAL ? AT_LOCAL : AT_GLOBAL, 0, n->list->slot);
        return;
    }
    size_t count = 0;
    bool substitutes = n->slot == BUILTIN_SUB || n->slot == BUILTIN_GSUB;
    for (const node *i = n->list; i; i = i->next, count++) {
        if (substitutes && count == 2) break;
        if (i->kind == N_REGEX && builtin_takes_regex(n->slot, (int)count))
            regex_value(c, i);
        else if (builtin_takes_array(n->slot, (int)count))
            compile_array(c, i);
        else if (is_variable(i) && (n->slot == BUILTIN_TYPEOF || n->slot == BUILTIN_ISARRAY ||
                                    n->slot == BUILTIN_LENGTH))
            emit(c, i->kind == N_LOCAL ? I_ARGUMENT_LOCAL : I_ARGUMENT_GLOBAL, 0, 0, i->slot);
        else if (i->kind == N_ELEMENT && (n->slot == BUILTIN_TYPEOF || n->slot == BUILTIN_ISARRAY ||
                                          n->slot == BUILTIN_LENGTH)) {
            compile_array(c, i->a);
            compile_subscript(c, i->list);
            emit(c, I_ARGUMENT_ELEMENT, 0, 0, 0);
        } else
            compile_expression(c, i, WANT_VALUE);
    }
    if (substitutes) {
        enum place place = AT_FIELD;
        int number = 0;
        const node *target = n->list->next->next;
        if (!target) {
            emit(c, I_CONSTANT, 0, 0, constant(c, value_number(0)));
        } else {
            compile_place(c, target, &place, &number);
            if (place == AT_NOWHERE) compile_expression(c, target, WANT_VALUE);
        }
        c->at = n;
        emit(c, I_SUBSTITUTE, place, (size_t)n->slot, number);
        return;
    }
    c->at = n;
    emit(c, I_BUILTIN, n->slot, count, 0);
}

static void getline_from(compiler *c, const node *n) {
    enum place place = AT_NOWHERE;
    int number = 0;
    if (n->b) compile_expression(c, n->b, WANT_VALUE);
    if (n->a) compile_place(c, n->a, &place, &number);
    c->at = n;
    emit(c, I_GETLINE, place, n->op, number);
}

static void match(compiler *c, const node *n) {
    compile_expression(c, n->a, WANT_VALUE);
    if (n->b->kind == N_REGEX || n->b->kind == N_TYPED_REGEX) {
        emit(c, I_MATCH_CONSTANT, 0, n->op, regex_number(c, n->b));
    } else {
        compile_expression(c, n->b, WANT_VALUE);
        emit(c, I_MATCH, 0, n->op, 0);
    }
}

static void field(compiler *c, const node *n, enum want want) {
    if (n->a->kind == N_NUMBER && n->a->number >= 0 && n->a->number < INT32_MAX) {
        emit(c, want == WANT_NUMBER ? I_FIELD_NUMBER : I_FIELD, 0, 0, (int32_t)n->a->number);
        return;
    }
    compile_expression(c, n->a, WANT_NUMBER);
    emit(c, I_FIELD_AT, 0, 0, 0);
}

/* && || ! and comparisons as a value: 1 or 0. */
static void truth(compiler *c, const node *n) {
    uint32_t no = NO_JUMP, end = NO_JUMP;
    compile_condition(c, n, &no);
    emit(c, I_CONSTANT, 0, 0, constant(c, value_number(1)));
    chain(c, &end, emit(c, I_JUMP, 0, 0, 0));
    patch(c, no);
    emit(c, I_CONSTANT, 0, 0, constant(c, value_number(0)));
    patch(c, end);
}

static void list(compiler *c, const node *first, size_t *count) {
    *count = 0;
    for (const node *i = first; i; i = i->next, ++*count) compile_expression(c, i, WANT_VALUE);
}

void compile_expression(compiler *c, const node *n, enum want want) {
    size_t count;
    const node *before = c->at;
    c->at = n;
    switch (n->kind) {
    case N_NUMBER: emit(c, I_CONSTANT, 0, 0, constant(c, value_number(n->number))); break;
    case N_STRING: emit(c, I_CONSTANT, 0, 0, constant(c, value_text(n->text))); break;
    case N_REGEX: emit(c, I_MATCH_RECORD, 0, 0, regex_number(c, n)); break;
    case N_TYPED_REGEX: regex_value(c, n); break;
    case N_GLOBAL:
        if (n->slot == V_NF || n->slot == V_NR || n->slot == V_FNR)
            emit(c, I_SPECIAL, 0, 0, n->slot);
        else
            emit(c, I_GLOBAL, 0, 0, n->slot);
        break;
    case N_LOCAL: emit(c, I_LOCAL, 0, 0, n->slot); break;
    case N_FIELD: field(c, n, want); break;
    case N_ELEMENT:
        compile_array(c, n->a);
        compile_subscript(c, n->list);
        c->at = n;
        emit(c, I_ELEMENT, 0, 0, 0);
        break;
    case N_ASSIGN:
        assignment(c, n, want);
        c->at = before;
        return;
    case N_STEP: {
        enum place place;
        int number;
        compile_place(c, n->a, &place, &number);
        c->at = n;
        emit(c, I_STEP, place, (size_t)n->op << 1 | (want != WANT_NOTHING), number);
        c->at = before;
        return;
    }
    case N_CONDITION: {
        uint32_t no = NO_JUMP, end = NO_JUMP;
        compile_condition(c, n->a, &no);
        compile_expression(c, n->b, WANT_VALUE);
        chain(c, &end, emit(c, I_JUMP, 0, 0, 0));
        patch(c, no);
        compile_expression(c, n->c, WANT_VALUE);
        patch(c, end);
        break;
    }
    case N_AND:
    case N_OR: truth(c, n); break;
    case N_NOT:
        compile_expression(c, n->a, WANT_VALUE);
        emit(c, I_NOT, 0, 0, 0);
        break;
    case N_NEGATE:
    case N_PLUS:
        compile_expression(c, n->a, WANT_NUMBER);
        emit(c, n->kind == N_NEGATE ? I_NEGATE : I_PLUS, 0, 0, 0);
        break;
    case N_BINARY:
        compile_expression(c, n->a, WANT_NUMBER);
        compile_expression(c, n->b, WANT_NUMBER);
        c->at = n;
        emit(c, I_OPERATE, n->op, 0, 0);
        break;
    case N_COMPARE:
        compile_expression(c, n->a, WANT_VALUE);
        compile_expression(c, n->b, WANT_VALUE);
        emit(c, I_COMPARE, n->op, 0, 0);
        break;
    case N_MATCH: match(c, n); break;
    case N_IN:
        compile_subscript(c, n->list);
        compile_array(c, n->a);
        emit(c, I_IN, 0, 0, 0);
        break;
    case N_CONCAT:
        list(c, n->list, &count);
        emit(c, I_CONCAT, 0, count, 0);
        break;
    case N_CALL:
    case N_CALL_BY_NAME: call(c, n); break;
    case N_BUILTIN: builtin(c, n); break;
    case N_GETLINE: getline_from(c, n); break;
    default: compile_error(n, "syntax error");
    }
    if (want == WANT_NOTHING) emit(c, I_POP, 0, 0, 0);
    c->at = before;
}

void compile_condition(compiler *c, const node *n, uint32_t *no) {
    const node *before = c->at;
    c->at = n;
    switch (n->kind) {
    case N_AND:
        compile_condition(c, n->a, no);
        compile_condition(c, n->b, no);
        break;
    case N_OR: {
        uint32_t other = NO_JUMP, yes = NO_JUMP;
        compile_condition(c, n->a, &other);
        chain(c, &yes, emit(c, I_JUMP, 0, 0, 0));
        patch(c, other);
        compile_condition(c, n->b, no);
        patch(c, yes);
        break;
    }
    case N_NOT:
        compile_expression(c, n->a, WANT_VALUE);
        chain(c, no, emit(c, I_JUMP_TRUE, 0, 0, 0));
        break;
    case N_COMPARE:
        compile_expression(c, n->a, WANT_VALUE);
        compile_expression(c, n->b, WANT_VALUE);
        chain(c, no, emit(c, I_JUMP_COMPARE, n->op, 0, 0));
        break;
    default: compile_expression(c, n, WANT_VALUE); chain(c, no, emit(c, I_JUMP_FALSE, 0, 0, 0));
    }
    c->at = before;
}
