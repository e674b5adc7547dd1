/*
 * bc_run.c: executes bc programs.
 */
#include "bc.h"
#include "g_in.h"
#include "g_out.h"
#include "pf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CALL_DEPTH_MAX = 400, SCALE_MAX = 1000000, INDEX_MAX = 16777215 };

void bc_runtime_error(bc_state *st, const char *message) {
    char text[256];
    if (st->flow == F_ERROR) return;
    int n = snprintf(text, sizeof text, "Runtime error (func=(main), adr=0): %s\n", message);
    g_out_flush();
    if (write(STDERR_FILENO, text, (size_t)n) >= 0) st->flow = F_ERROR;
    st->flow = F_ERROR;
}

static size_t hash(const char *name) {
    size_t h = 5381;
    for (; *name; name++) h = h * 33 + (unsigned char)*name;
    return h % 64;
}

static bc_variable *find(bc_state *st, const char *name) {
    bc_variable **slot = &st->variables[hash(name)];
    for (bc_variable *v = *slot; v; v = v->next)
        if (strcmp(v->name, name) == 0) return v;
    bc_variable *v = g_zalloc(sizeof *v);
    v->name = g_copy_string(name);
    v->value = bc_from(0);
    v->next = *slot;
    *slot = v;
    return v;
}

static bc_array *array_named(bc_state *st, const char *name) {
    g_text full = {0};
    g_text_adds(&full, name);
    if (full.s[full.len - 1] != '[') g_text_addc(&full, '[');
    bc_variable *v = find(st, full.s);
    g_text_free(&full);
    if (!v->array) v->array = g_zalloc(sizeof *v->array);
    return v->array;
}

static bc_num *element(bc_state *st, const bc_node *n) {
    bc_num index = bc_evaluate(st, n->kids[0]);
    int64_t at = bc_to_int(&index);
    bc_free(&index);
    if (st->flow == F_ERROR) return NULL;
    if (at < 0 || at > INDEX_MAX) {
        bc_runtime_error(st, "Array subscript out of bounds.");
        return NULL;
    }
    bc_array *array = array_named(st, n->text);
    if ((size_t)at >= array->count) {
        size_t count = (size_t)at + 1 + (size_t)at / 2;
        array->items = g_resize(array->items, count, sizeof *array->items);
        for (size_t i = array->count; i < count; i++) array->items[i] = bc_from(0);
        array->count = count;
    }
    return &array->items[at];
}

static bc_num get(bc_state *st, const bc_node *n) {
    if (n->kind == N_ELEMENT) {
        bc_num *place = element(st, n);
        return place ? bc_copy(place) : bc_from(0);
    }
    if (strcmp(n->text, "scale") == 0) return bc_from((int64_t)st->scale);
    if (strcmp(n->text, "ibase") == 0) return bc_from(st->ibase);
    if (strcmp(n->text, "obase") == 0) return bc_from(st->obase);
    if (strcmp(n->text, "last") == 0) return bc_copy(&st->last);
    return bc_copy(&find(st, n->text)->value);
}

static void set_base(int64_t *base, int64_t value, int64_t most) {
    *base = value < 2 ? 2 : value > most ? most : value;
}

static void set(bc_state *st, const bc_node *n, const bc_num *value) {
    bc_num *place;
    if (n->kind == N_ELEMENT)
        place = element(st, n);
    else if (strcmp(n->text, "scale") == 0) {
        int64_t scale = bc_to_int(value);
        if (scale < 0) bc_runtime_error(st, "negative scale, set to 0");
        if (scale < 0) st->flow = F_NEXT;
        st->scale = scale < 0 ? 0 : scale > SCALE_MAX ? SCALE_MAX : (size_t)scale;
        return;
    } else if (strcmp(n->text, "ibase") == 0) {
        set_base(&st->ibase, bc_to_int(value), 16);
        return;
    } else if (strcmp(n->text, "obase") == 0) {
        set_base(&st->obase, bc_to_int(value), 1000000000);
        return;
    } else if (strcmp(n->text, "last") == 0) {
        place = &st->last;
    } else {
        place = &find(st, n->text)->value;
    }
    if (!place) return;
    bc_free(place);
    *place = bc_copy(value);
}

static bc_num raise(bc_state *st, const bc_num *a, const bc_num *exponent) {
    int64_t n = bc_to_int(exponent);
    if (n == INT64_MAX || n == INT64_MIN || n > 100000000 || n < -100000000) {
        bc_runtime_error(st, "exponent too large in raise");
        return bc_from(0);
    }
    if (n == 0) return bc_from(1);
    uint64_t left = (uint64_t)(n < 0 ? -n : n);
    size_t full = a->scale * left, most = st->scale > a->scale ? st->scale : a->scale;
    size_t scale = n < 0 ? st->scale : full < most ? full : most;
    bc_num result = bc_from(1), square = bc_copy(a);
    for (; left; left >>= 1) {
        if (left & 1) {
            bc_num next = bc_multiply(&result, &square, full);
            bc_free(&result);
            result = next;
        }
        if (left == 1) break;
        bc_num next = bc_multiply(&square, &square, full);
        bc_free(&square);
        square = next;
    }
    bc_free(&square);
    if (n < 0) {
        if (bc_is_zero(&result)) {
            bc_runtime_error(st, "Divide by zero");
            return result;
        }
        bc_num one = bc_from(1), quotient = bc_divide(&one, &result, scale);
        bc_free(&one);
        bc_free(&result);
        return quotient;
    }
    if (result.scale > scale) bc_rescale(&result, scale);
    return result;
}

static bc_num calculate(bc_state *st, char op, const bc_num *a, const bc_num *b) {
    int order;
    switch (op) {
    case '+': return bc_add(a, b, false);
    case '-': return bc_add(a, b, true);
    case '*': return bc_multiply(a, b, st->scale);
    case '/':
    case '%':
        if (bc_is_zero(b)) {
            bc_runtime_error(st, op == '/' ? "Divide by zero" : "Modulo by zero");
            return bc_from(0);
        }
        return op == '/' ? bc_divide(a, b, st->scale) : bc_modulo(a, b, st->scale);
    case '^': return raise(st, a, b);
    }
    order = bc_compare(a, b);
    return bc_from(op == '<'   ? order < 0
                   : op == '>' ? order > 0
                   : op == 'l' ? order <= 0
                   : op == 'g' ? order >= 0
                   : op == 'n' ? order != 0
                               : order == 0);
}

/* Hides the variable of that name behind a fresh one; release() shows it again. */
static bc_variable *hide(bc_state *st, const char *name) {
    bc_variable *v = find(st, name), *kept = g_alloc(sizeof *kept);
    *kept = *v;
    v->saved = kept;
    v->value = bc_from(0);
    v->array = NULL;
    v->borrowed = false;
    return v;
}

static void free_array(bc_array *array) {
    if (!array) return;
    for (size_t i = 0; i < array->count; i++) bc_free(&array->items[i]);
    free(array->items);
    free(array);
}

static void release(bc_state *st, const char *name) {
    bc_variable *v = find(st, name), *kept = v->saved;
    bc_free(&v->value);
    free_array(v->array);
    v->value = kept->value;
    v->array = kept->array;
    v->borrowed = kept->borrowed;
    v->saved = kept->saved;
    free(kept);
}

static bc_array *copy_array(const bc_array *from) {
    bc_array *to = g_zalloc(sizeof *to);
    to->count = from->count;
    to->items = g_resize(NULL, from->count, sizeof *to->items);
    for (size_t i = 0; i < from->count; i++) to->items[i] = bc_copy(&from->items[i]);
    return to;
}

static bc_num call(bc_state *st, const bc_node *n) {
    bc_function *f = st->functions;
    while (f && strcmp(f->name, n->text) != 0) f = f->next;
    char text[200];
    if (!f) {
        snprintf(text, sizeof text, "Function %.100s not defined.", n->text);
        bc_runtime_error(st, text);
        return bc_from(0);
    }
    if (f->parameter_count != n->count) {
        bc_runtime_error(st, "Parameter number mismatch");
        return bc_from(0);
    }
    if (++st->depth > CALL_DEPTH_MAX) {
        bc_runtime_error(st, "calls nested too deeply");
        st->depth--;
        return bc_from(0);
    }
    bc_num *values = g_zalloc((n->count + 1) * sizeof *values);
    bc_array **arrays = g_zalloc((n->count + 1) * sizeof *arrays);
    for (size_t i = 0; i < n->count; i++) {
        if (n->kids[i]->kind == N_ARRAY)
            arrays[i] = copy_array(array_named(st, n->kids[i]->text));
        else
            values[i] = bc_evaluate(st, n->kids[i]);
    }
    for (size_t i = 0; i < n->count; i++) {
        bc_variable *v = hide(st, f->parameters[i]);
        if (arrays[i]) {
            v->array = arrays[i];
        } else {
            bc_free(&v->value);
            v->value = values[i];
        }
    }
    for (size_t i = 0; i < f->auto_count; i++) hide(st, f->autos[i]);
    bc_num kept = st->result;
    st->result = bc_from(0);
    if (st->flow == F_NEXT) bc_execute(st, f->body);
    if (st->flow == F_RETURN) st->flow = F_NEXT;
    bc_num result = st->result;
    st->result = kept;
    for (size_t i = f->auto_count; i-- > 0;) release(st, f->autos[i]);
    for (size_t i = n->count; i-- > 0;) release(st, f->parameters[i]);
    free(values);
    free(arrays);
    st->depth--;
    return result;
}

static bool is_true(bc_state *st, const bc_node *n) {
    bc_num value = bc_evaluate(st, n);
    bool result = !bc_is_zero(&value);
    bc_free(&value);
    return result && st->flow != F_ERROR;
}

/* read(): an expression from standard input. */
static bc_num read_value(bc_state *st) {
    g_text line = {0};
    char c;
    while (g_read(STDIN_FILENO, &c, 1) == 1 && c != '\n') g_text_addc(&line, c);
    if (!line.s) g_text_add(&line, "0", 1);
    bc_parser p = {.st = st, .s = line.s, .end = line.s + line.len, .line = 1};
    bc_next_token(&p);
    bc_node *n = bc_parse_expression(&p);
    bc_num value = p.failed ? bc_from(0) : bc_evaluate(st, n);
    bc_free_node(n);
    g_text_free(&line);
    return value;
}

static size_t significant(const bc_num *a) {
    bool whole = false;
    for (size_t i = 0; i < a->len; i++) whole = whole || a->digits[i];
    if (whole) return a->len + a->scale;
    return a->scale ? a->scale : 1;
}

static bc_num apply(bc_state *st, const bc_node *n) {
    bc_num a = bc_evaluate(st, n->kids[0]), result;
    switch (n->kind) {
    case N_LENGTH: result = bc_from((int64_t)significant(&a)); break;
    case N_SCALE: result = bc_from((int64_t)a.scale); break;
    case N_SQRT:
        if (a.negative) {
            bc_runtime_error(st, "Square root of a negative number");
            result = bc_from(0);
        } else if (bc_is_zero(&a)) {
            result = bc_from(0);
        } else {
            result = bc_sqrt(&a, st->scale);
        }
        break;
    case N_NOT: result = bc_from(bc_is_zero(&a)); break;
    default: result = bc_copy(&a); result.negative = !a.negative && !bc_is_zero(&a);
    }
    bc_free(&a);
    return result;
}

static bc_num assign(bc_state *st, const bc_node *n) {
    bc_num value = bc_evaluate(st, n->kids[1]);
    if (n->op != '=') {
        bc_num old = get(st, n->kids[0]), next = calculate(st, n->op, &old, &value);
        bc_free(&old);
        bc_free(&value);
        value = next;
    }
    if (st->flow == F_NEXT) set(st, n->kids[0], &value);
    return value;
}

static bc_num step_variable(bc_state *st, const bc_node *n) {
    bc_num old = get(st, n->kids[0]), one = bc_from(1), next = bc_add(&old, &one, n->op == '-');
    set(st, n->kids[0], &next);
    bc_free(&one);
    bc_free(n->before ? &old : &next);
    return n->before ? next : old;
}

bc_num bc_evaluate(bc_state *st, const bc_node *n) {
    pf_yield();
    if (st->flow == F_ERROR) return bc_from(0);
    switch (n->kind) {
    case N_NUMBER: return bc_read_number(n->text, st->ibase);
    case N_VARIABLE:
    case N_ELEMENT: return get(st, n);
    case N_CALL: return call(st, n);
    case N_ASSIGN: return assign(st, n);
    case N_STEP: return step_variable(st, n);
    case N_AND: return bc_from(is_true(st, n->kids[0]) && is_true(st, n->kids[1]));
    case N_OR: return bc_from(is_true(st, n->kids[0]) || is_true(st, n->kids[1]));
    case N_READ: return read_value(st);
    case N_BINARY: {
        bc_num a = bc_evaluate(st, n->kids[0]), b = bc_evaluate(st, n->kids[1]);
        bc_num result = st->flow == F_ERROR ? bc_from(0) : calculate(st, n->op, &a, &b);
        bc_free(&a);
        bc_free(&b);
        return result;
    }
    case N_LENGTH:
    case N_SCALE:
    case N_SQRT:
    case N_NOT:
    case N_NEGATE: return apply(st, n);
    default: return bc_from(0);
    }
}

static void print_value(bc_state *st, const bc_node *n, bool newline) {
    bc_num value = bc_evaluate(st, n);
    const bc_function *f = NULL;
    if (n->kind == N_CALL)
        for (f = st->functions; f && strcmp(f->name, n->text) != 0;) f = f->next;
    if (st->flow == F_NEXT && !(f && f->no_value)) {
        bc_print_number(st, &value);
        if (newline) bc_print_text(st, "\n", false);
        bc_free(&st->last);
        st->last = bc_copy(&value);
    }
    bc_free(&value);
}

static void loop(bc_state *st, const bc_node *n) {
    bool is_for = n->kind == N_FOR;
    const bc_node *condition = n->kids[is_for ? 1 : 0], *body = n->kids[is_for ? 3 : 1];
    if (is_for && n->kids[0]) {
        bc_num value = bc_evaluate(st, n->kids[0]);
        bc_free(&value);
    }
    while (st->flow == F_NEXT && (!condition || is_true(st, condition))) {
        bc_execute(st, body);
        if (st->flow == F_CONTINUE) st->flow = F_NEXT;
        if (st->flow != F_NEXT) break;
        if (is_for && n->kids[2]) {
            bc_num value = bc_evaluate(st, n->kids[2]);
            bc_free(&value);
        }
    }
    if (st->flow == F_BREAK) st->flow = F_NEXT;
}

void bc_execute(bc_state *st, const bc_node *n) {
    switch (n->kind) {
    case N_BLOCK:
        for (size_t i = 0; i < n->count && st->flow == F_NEXT; i++) bc_execute(st, n->kids[i]);
        break;
    case N_EXPRESSION:
        if (n->kids[0]->kind == N_ASSIGN && !n->kids[0]->parens) {
            bc_num value = bc_evaluate(st, n->kids[0]);
            bc_free(&value);
        } else {
            print_value(st, n->kids[0], true);
        }
        break;
    case N_STRING: bc_print_text(st, n->text, false); break;
    case N_PRINT:
        for (size_t i = 0; i < n->count && st->flow == F_NEXT; i++) {
            if (n->kids[i]->kind == N_STRING)
                bc_print_text(st, n->kids[i]->text, true);
            else
                print_value(st, n->kids[i], false);
        }
        break;
    case N_IF:
        if (is_true(st, n->kids[0]))
            bc_execute(st, n->kids[1]);
        else if (n->count > 2 && st->flow == F_NEXT)
            bc_execute(st, n->kids[2]);
        break;
    case N_WHILE:
    case N_FOR: loop(st, n); break;
    case N_BREAK: st->flow = F_BREAK; break;
    case N_CONTINUE: st->flow = F_CONTINUE; break;
    case N_RETURN:
        if (n->count > 0) {
            bc_num value = bc_evaluate(st, n->kids[0]);
            bc_free(&st->result);
            st->result = value;
        }
        if (st->flow == F_NEXT) st->flow = F_RETURN;
        break;
    case N_HALT: st->flow = F_HALT; break;
    default: break;
    }
}
