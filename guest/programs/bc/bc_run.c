/*
 * bc_run.c: executes the code that bc_compile.c makes.
 *
 * Values and calls are on stacks in memory of their own, so that a function may call itself as
 * often as GNU's.
 */
#include "bc_code.h"
#include "g_in.h"
#include "g_out.h"
#include "pf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CALL_DEPTH_MAX = 100000, READ_DEPTH_MAX = 10, SCALE_MAX = 1000000, INDEX_MAX = 16777215 };

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

/* The element at `index`, NULL after an error. */
static bc_num *element(bc_state *st, const char *name, const bc_num *index) {
    int64_t at = bc_to_int(index);
    if (at < 0 || at > INDEX_MAX) {
        bc_runtime_error(st, "Array subscript out of bounds.");
        return NULL;
    }
    bc_array *array = array_named(st, name);
    if ((size_t)at >= array->count) {
        size_t count = (size_t)at + 1 + (size_t)at / 2;
        array->items = g_resize(array->items, count, sizeof *array->items);
        for (size_t i = array->count; i < count; i++) array->items[i] = bc_from(0);
        array->count = count;
    }
    return &array->items[at];
}

/* The value of a variable or, with its index, an element. */
static bc_num get(bc_state *st, const bc_node *n, const bc_num *index) {
    if (n->kind == N_ELEMENT) {
        bc_num *place = element(st, n->text, index);
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

static void set(bc_state *st, const bc_node *n, const bc_num *index, const bc_num *value) {
    bc_num *place;
    if (n->kind == N_ELEMENT) {
        place = element(st, n->text, index);
    } else if (strcmp(n->text, "scale") == 0) {
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

/* ------------------------------------------------------------------ the machine */

typedef struct {
    const bc_code *code; /* where to go on, and whose: */
    size_t at;
    const bc_function *f;
    bc_num result; /* of the function it was called in */
} frame;

/* What one text of code, a line or what read() got, is executed with. */
typedef struct {
    bc_state *st;
    bc_num *values;
    size_t count, cap;
    frame *frames;
    size_t depth, frame_cap;
} machine;

static void push(machine *m, bc_num value) {
    if (m->count == m->cap) m->values = g_more(m->values, &m->cap, sizeof *m->values);
    m->values[m->count++] = value;
}

static bc_num pop(machine *m) {
    return m->values[--m->count];
}

static void drop(machine *m) {
    bc_num value = pop(m);
    bc_free(&value);
}

static bool pop_truth(machine *m) {
    bc_num value = pop(m);
    bool result = !bc_is_zero(&value);
    bc_free(&value);
    return result;
}

/* The function to enter, NULL after an error. */
static const bc_function *callee(const machine *m, const bc_node *n) {
    const bc_function *f = m->st->functions;
    while (f && strcmp(f->name, n->text) != 0) f = f->next;
    if (!f) {
        char text[200];
        snprintf(text, sizeof text, "Function %.100s not defined.", n->text);
        bc_runtime_error(m->st, text);
        return NULL;
    }
    if (f->parameter_count != n->count) {
        bc_runtime_error(m->st, "Parameter number mismatch");
        return NULL;
    }
    if (m->depth >= CALL_DEPTH_MAX) {
        bc_runtime_error(m->st, "calls nested too deeply");
        return NULL;
    }
    return f;
}

/* The values of what is no array are on the stack, the last one on top. */
static const bc_code *enter(machine *m, const bc_node *n, const bc_code *code, size_t at) {
    bc_state *st = m->st;
    const bc_function *f = callee(m, n);
    if (!f) return NULL;
    size_t values = 0, used = 0;
    bc_array **arrays = g_zalloc((n->count + 1) * sizeof *arrays);
    for (size_t i = 0; i < n->count; i++) {
        if (n->kids[i]->kind == N_ARRAY)
            arrays[i] = copy_array(array_named(st, n->kids[i]->text));
        else
            values++;
    }
    const bc_num *first = m->values + (m->count - values);
    for (size_t i = 0; i < n->count; i++) {
        bc_variable *v = hide(st, f->parameters[i]);
        if (arrays[i]) {
            v->array = arrays[i];
        } else {
            bc_free(&v->value);
            v->value = first[used++];
        }
    }
    m->count -= values;
    free(arrays);
    for (size_t i = 0; i < f->auto_count; i++) hide(st, f->autos[i]);
    if (m->depth == m->frame_cap) m->frames = g_more(m->frames, &m->frame_cap, sizeof *m->frames);
    m->frames[m->depth++] = (frame){code, at, f, st->result};
    st->result = bc_from(0);
    return f->code;
}

/* Leaves the innermost function; its result is the caller's. */
static bc_num leave(machine *m) {
    bc_state *st = m->st;
    const frame *top = &m->frames[--m->depth];
    bc_num result = st->result;
    st->result = top->result;
    for (size_t i = top->f->auto_count; i-- > 0;) release(st, top->f->autos[i]);
    for (size_t i = top->f->parameter_count; i-- > 0;) release(st, top->f->parameters[i]);
    return result;
}

/* read(): an expression from standard input. */
static bc_num read_value(bc_state *st) {
    g_text line = {0};
    char c;
    g_out_flush(); /* what asks for it */
    while (g_read(STDIN_FILENO, &c, 1) == 1 && c != '\n') g_text_addc(&line, c);
    if (!line.s) g_text_add(&line, "0", 1);
    bc_parser p = {.st = st, .start = line.s, .s = line.s, .end = line.s + line.len, .line = 1};
    bc_num value = bc_from(0);
    if (++st->reads > READ_DEPTH_MAX) {
        bc_runtime_error(st, "read() within read() too deeply");
    } else {
        bc_next_token(&p);
        bc_node *n = bc_parse_expression(&p);
        if (!p.failed) {
            bc_code *code = bc_compile(n);
            bc_num got = bc_run(st, code);
            bc_free_code(code);
            bc_free(&value);
            value = got;
        }
        bc_free_node(n);
    }
    st->reads--;
    g_text_free(&line);
    return value;
}

static size_t significant(const bc_num *a) {
    bool whole = false;
    for (size_t i = 0; i < a->len; i++) whole = whole || a->digits[i];
    if (whole) return a->len + a->scale;
    return a->scale ? a->scale : 1;
}

static bc_num apply(bc_state *st, const bc_node *n, const bc_num *a) {
    bc_num result;
    switch (n->kind) {
    case N_LENGTH: return bc_from((int64_t)significant(a));
    case N_SCALE: return bc_from((int64_t)a->scale);
    case N_SQRT:
        if (a->negative) bc_runtime_error(st, "Square root of a negative number");
        return a->negative || bc_is_zero(a) ? bc_from(0) : bc_sqrt(a, st->scale);
    case N_NOT: return bc_from(bc_is_zero(a));
    default:
        result = bc_copy(a);
        result.negative = !a->negative && !bc_is_zero(a);
        return result;
    }
}

/* The index of an element, which lies below what is assigned. */
static bc_num pop_index(machine *m, const bc_node *target) {
    return target->kind == N_ELEMENT ? pop(m) : bc_from(0);
}

static void assign(machine *m, const bc_node *n) {
    bc_num value = pop(m), index = pop_index(m, n->kids[0]);
    if (n->op != '=') {
        bc_num old = get(m->st, n->kids[0], &index);
        bc_num next = m->st->flow == F_NEXT ? calculate(m->st, n->op, &old, &value) : bc_from(0);
        bc_free(&old);
        bc_free(&value);
        value = next;
    }
    if (m->st->flow == F_NEXT) set(m->st, n->kids[0], &index, &value);
    bc_free(&index);
    push(m, value);
}

static void step_variable(machine *m, const bc_node *n) {
    bc_num index = pop_index(m, n->kids[0]), old = get(m->st, n->kids[0], &index);
    bc_num one = bc_from(1), next = bc_add(&old, &one, n->op == '-');
    if (m->st->flow == F_NEXT) set(m->st, n->kids[0], &index, &next);
    bc_free(&index);
    bc_free(&one);
    bc_free(n->before ? &old : &next);
    push(m, n->before ? next : old);
}

static void print_value(machine *m, const bc_node *n, bool newline) {
    bc_num value = pop(m);
    const bc_function *f = NULL;
    if (n->kind == N_CALL)
        for (f = m->st->functions; f && strcmp(f->name, n->text) != 0;) f = f->next;
    if (!(f && f->no_value)) {
        bc_print_number(m->st, &value);
        if (newline) bc_print_text(m->st, "\n", false);
        bc_free(&m->st->last);
        m->st->last = bc_copy(&value);
    }
    bc_free(&value);
}

/* An instruction that neither jumps nor calls. */
static void execute(machine *m, const bc_op *op) {
    bc_state *st = m->st;
    const bc_node *n = op->n;
    switch (op->kind) {
    case OP_NUMBER: push(m, bc_read_number(n->text, st->ibase)); break;
    case OP_TRUTH: push(m, bc_from((int64_t)op->to)); break;
    case OP_GET: {
        bc_num index = pop_index(m, n);
        push(m, get(st, n, &index));
        bc_free(&index);
        break;
    }
    case OP_ASSIGN: assign(m, n); break;
    case OP_STEP: step_variable(m, n); break;
    case OP_READ: push(m, read_value(st)); break;
    case OP_BINARY: {
        bc_num b = pop(m), a = pop(m);
        push(m, calculate(st, n->op, &a, &b));
        bc_free(&a);
        bc_free(&b);
        break;
    }
    case OP_APPLY: {
        bc_num a = pop(m);
        push(m, apply(st, n, &a));
        bc_free(&a);
        break;
    }
    case OP_DROP: drop(m); break;
    case OP_PRINT_LINE: print_value(m, n, true); break;
    case OP_PRINT: print_value(m, n, false); break;
    case OP_STRING: bc_print_text(st, n->text, false); break;
    case OP_PRINT_STRING: bc_print_text(st, n->text, true); break;
    case OP_RESULT:
        bc_free(&st->result);
        st->result = pop(m);
        break;
    default: break;
    }
}

bc_num bc_run(bc_state *st, const bc_code *code) {
    machine m = {.st = st};
    size_t at = 0;
    while (st->flow == F_NEXT) {
        pf_yield();
        const bc_op *op = &code->ops[at++];
        switch (op->kind) {
        case OP_JUMP: at = op->to; break;
        case OP_JUMP_FALSE:
            if (!pop_truth(&m)) at = op->to;
            break;
        case OP_JUMP_TRUE:
            if (pop_truth(&m)) at = op->to;
            break;
        case OP_CALL: {
            const bc_code *next = enter(&m, op->n, code, at);
            if (next) {
                code = next;
                at = 0;
            }
            break;
        }
        case OP_END:
            if (m.depth == 0) goto out;
            code = m.frames[m.depth - 1].code;
            at = m.frames[m.depth - 1].at;
            push(&m, leave(&m));
            break;
        case OP_HALT: st->flow = F_HALT; break;
        default: execute(&m, op);
        }
    }
out:
    while (m.depth > 0) {
        bc_num result = leave(&m);
        bc_free(&result);
    }
    bc_num value = m.count > 0 ? pop(&m) : bc_from(0);
    while (m.count > 0) drop(&m);
    free(m.values);
    free(m.frames);
    return value;
}
