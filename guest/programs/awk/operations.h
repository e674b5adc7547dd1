/*
 * operations.h: the effects of instructions on the top of the stack. Included by run.c, which
 * decides which instruction is next; the seldom ones are in operations.c.
 *
 * An operation gets the place behind the top value, and gives that place as it is afterwards.
 */
#ifndef AWK_OPERATIONS_H
#define AWK_OPERATIONS_H

#include "code.h"
#include "machine.h"

#define PUSH(v) (*sp++ = (v))

/* Does the text match? */
bool operation_matches(value *text, awk_regex *re);
bool operation_record_matches(awk_regex *re); /* Does $0? */
/* Texts that become one; takes over the values. */
value operation_concat(value *values, size_t count);
/* The number of a field; ends the program when it can be none. */
int64_t operation_field_number(value *v);
/* $0 and ORS. */
void operation_print_record(void);
/* print and printf with n values, and a destination below them unless it is the standard output. */
value *operation_output(value *sp, const instruction *pc);
/* Pops a subscript and an array: the element is deleted. */
value *operation_delete(value *sp);
/* Pops an array, which becomes empty. */
value *operation_clear(value *sp);

/* Pops a subscript and an array, pushes the array that the element is. */
value *operation_subarray(value *sp);
/* Pops n values, pushes them joined by SUBSEP. */
value *operation_subscript(value *sp, const instruction *pc);
/* Pushes a global for a call: an array and an unset one go by reference. */
value *operation_argument_global(value *sp, const instruction *pc);
/* Pushes a local for a call, as operation_argument_global() does. */
value *operation_argument_local(value *sp, const instruction *pc);
/* Pops a subscript and an array, pushes the element for a call. */
value *operation_argument_element(value *sp);
/* Compares the top with the value popped from above it, as switch does. */
value *operation_case(value *sp);
/* sub() and gsub() on a place; pushes how often. */
value *operation_substitute(value *sp, const instruction *pc);
/* Pushes the length of a variable, which may be an array. */
value *operation_length_of(value *sp, const instruction *pc);

static inline value *local(int slot) {
    return &machine.stack[machine.frame + (size_t)slot];
}

static inline double number_of(value *v) {
    return v->kind == NUMBER ? v->num : value_to_number(v);
}

static inline bool compare_numbers(enum comparison op, double a, double b) {
    switch (op) {
    case LESS: return a < b;
    case LESS_EQUAL: return a <= b;
    case EQUAL: return a == b;
    case NOT_EQUAL: return a != b;
    case GREATER: return a > b;
    case GREATER_EQUAL: return a >= b;
    }
    return false;
}

static inline bool holds(enum comparison op, value *a, value *b) {
    if (a->kind == NUMBER && b->kind == NUMBER) return compare_numbers(op, a->num, b->num);
    value_settle(a);
    value_settle(b);
    bool numeric_a = a->kind == NUMBER || a->kind == STRNUM,
         numeric_b = b->kind == NUMBER || b->kind == STRNUM;
    if (numeric_a && numeric_b) return compare_numbers(op, a->num, b->num);
    if ((op == EQUAL || op == NOT_EQUAL) && a->kind == STRING && b->kind == STRING)
        return text_equal(a->text, b->text) == (op == EQUAL);
    int order = value_compare(a, b);
    switch (op) {
    case LESS: return order < 0;
    case LESS_EQUAL: return order <= 0;
    case EQUAL: return order == 0;
    case NOT_EQUAL: return order != 0;
    case GREATER: return order > 0;
    case GREATER_EQUAL: return order >= 0;
    }
    return false;
}

/* Pushes a global, or a local, that is no array. */
static inline value *push_global(value *sp, value *v, int slot) {
    if (v->kind >= REGEX) scalar_needed(v, false, slot);
    *sp = value_copy(v);
    return sp + 1;
}

static inline value *push_local(value *sp, value *v, int slot) {
    bool scalar = v->kind <= REGEX;
    if (!scalar) scalar_needed(v, true, slot);
    *sp = scalar ? value_copy(v) : value_unset();
    return sp + 1;
}

/* Pushes the array that a variable is, or becomes. */
static inline value *push_array(value *sp, value *v, bool is_local, int slot) {
    if (v->kind != ARRAY) make_array(v, is_local, slot);
    array_keep(v->array);
    *sp = *v;
    return sp + 1;
}

/* Compares two values that were popped. */
static inline bool compared(value *popped, const instruction *pc) {
    bool is = holds(pc->sub, &popped[0], &popped[1]);
    value_drop(&popped[1]);
    value_drop(&popped[0]);
    return is;
}

/* Is a value that was popped true? */
static inline bool is_true(value *popped) {
    bool is = popped->kind == NUMBER ? popped->num != 0 : value_is_true(popped);
    value_drop(popped);
    return is;
}

/* The text on top becomes whether it matches. */
static inline void match_top(value *sp, awk_regex *re, bool negated) {
    bool is = operation_matches(&sp[-1], re) != negated;
    value_drop(&sp[-1]);
    sp[-1] = value_number(is);
}

/* Pops the number of a field, pushes the field. */
static inline value *field_at(value *sp) {
    int64_t n = operation_field_number(&sp[-1]);
    value_drop(&sp[-1]);
    sp[-1] = value_copy(record_field(n));
    return sp;
}

/* Pops a subscript and an array, pushes the element, which comes into being. */
static inline value *element(value *sp) {
    value *v = array_at(sp[-2].array, &sp[-1]);
    if (v->kind == ARRAY) awk_fatal("attempt to use array in a scalar context");
    value copy = value_copy(v);
    value_drop(&sp[-1]);
    value_drop(&sp[-2]);
    sp--;
    sp[-1] = copy;
    return sp;
}

/* Stores the top in a place; pops it unless its value is wanted. */
static inline value *store(value *sp, const instruction *pc) {
    if (pc->sub == AT_GLOBAL) {
        value *to = &awk.globals[pc->a];
        if (to->kind == ARRAY) scalar_needed(to, false, pc->a);
        if (sp[-1].kind == UNSET) sp[-1].num = 1; /* for typeof */
        if (pc->n)
            value_assign(to, value_copy(&sp[-1]));
        else
            value_assign(to, *--sp);
        return sp;
    }
    size_t parts = place_parts(pc->sub);
    value *at = sp - parts, *v = at - 1;
    if (pc->n) {
        value copy = value_copy(v);
        place_store(pc->sub, pc->a, at, copy);
        drop_values(at, parts);
        sp = at;
    } else {
        place_store(pc->sub, pc->a, at, *v);
        drop_values(at, parts);
        sp = v;
    }
    return sp;
}

/* An assignment with an operation, such as +=. */
static inline value *update(value *sp, const instruction *pc) {
    size_t parts = place_parts(pc->sub);
    value *at = sp - parts, *v = at - 1;
    double right = number_of(v), result;
    value *direct = place_direct(pc->sub, pc->a, at);
    enum operation op = (enum operation)(pc->n >> 1);
    value_drop(v);
    if (right == 0 && (op == OP_DIVIDE || op == OP_MODULO))
        awk_fatal("division by zero attempted in `%c='", op == OP_DIVIDE ? '/' : '%');
    if (direct) {
        double left = number_of(direct);
        result = op == OP_ADD ? left + right : operation_apply(op, left, right);
        value_drop(direct);
        *direct = value_number(result);
    } else {
        result = operation_apply(op, place_number(pc->sub, pc->a, at), right);
        place_store(pc->sub, pc->a, at, value_number(result));
    }
    drop_values(at, parts);
    sp = v;
    if (pc->n & 1) PUSH(value_number(result));
    return sp;
}

/* ++ and --, before and behind a place. */
static inline value *step(value *sp, const instruction *pc) {
    size_t parts = place_parts(pc->sub);
    value *at = sp - parts, *direct = place_direct(pc->sub, pc->a, at);
    int kind = pc->n >> 1; /* enum step */
    double old = direct ? number_of(direct) : place_number(pc->sub, pc->a, at);
    double now = old + (kind == 0 || kind == 2 ? 1 : -1);
    if (direct) {
        value_drop(direct);
        *direct = value_number(now);
    } else {
        place_store(pc->sub, pc->a, at, value_number(now));
    }
    drop_values(at, parts);
    sp = at;
    if (pc->n & 1) PUSH(value_number(kind >= 2 ? old : now));
    return sp;
}

/* Appends the top to a variable. */
static inline value *append(value *sp, const instruction *pc) {
    value *to = pc->sub == AT_LOCAL ? local(pc->a) : &awk.globals[pc->a];
    if (to->kind > REGEX) scalar_needed(to, pc->sub == AT_LOCAL, pc->a);
    char room[NUMBER_TEXT_MAX];
    size_t len;
    awk_text *text = value_to_text(to, awk.convfmt);
    value_drop(to);
    to->kind = UNSET;
    const char *s = value_bytes(&sp[-1], awk.convfmt, room, &len);
    *to = value_text(text_append(text, s, len));
    value_drop(--sp);
    return sp;
}

/* Arithmetic on the two on top. */
static inline value *operate(value *sp, const instruction *pc) {
    double b = number_of(&sp[-1]), a = number_of(&sp[-2]);
    value_drop(&sp[-1]);
    value_drop(&sp[-2]);
    sp--;
    switch (pc->sub) {
    case OP_ADD: a += b; break;
    case OP_SUBTRACT: a -= b; break;
    case OP_MULTIPLY: a *= b; break;
    default: a = operation_apply(pc->sub, a, b);
    }
    sp[-1] = value_number(a);
    return sp;
}

/* Unary minus and plus. */
static inline value *sign(value *sp, const instruction *pc) {
    double n = number_of(&sp[-1]);
    value_drop(&sp[-1]);
    sp[-1] = value_number(pc->opcode == I_NEGATE ? -n : n);
    return sp;
}

/* The logical opposite of the top. */
static inline value *negation(value *sp) {
    bool is = value_is_true(&sp[-1]);
    value_drop(&sp[-1]);
    sp[-1] = value_number(!is);
    return sp;
}

/* Pops a regular expression and a text: does it match? */
static inline value *match(value *sp, const instruction *pc) {
    bool is = operation_matches(&sp[-2], regex_of(&sp[-1])) != (pc->n != 0);
    value_drop(&sp[-1]);
    value_drop(&sp[-2]);
    sp--;
    sp[-1] = value_number(is);
    return sp;
}

/* Pops an array and a subscript: is it there? */
static inline value *is_in(value *sp) {
    bool is = array_find(sp[-1].array, &sp[-2]) != NULL;
    value_drop(&sp[-1]);
    value_drop(&sp[-2]);
    sp--;
    sp[-1] = value_number(is);
    return sp;
}

/* Pops n values, pushes them as one text. */
static inline value *join(value *sp, const instruction *pc) {
    value v = operation_concat(sp - pc->n, pc->n);
    sp -= pc->n;
    PUSH(v);
    return sp;
}

/* Pops a value, or the cursor of a loop that ended. */
static inline value *pop(value *sp) {
    value *v = --sp;
    if (v->kind == CURSOR)
        cursor_free(v->cursor);
    else
        value_drop(v);
    return sp;
}

#endif
