/*
 * machine.h: between run.c and what it uses to reach variables (place.c).
 */
#ifndef AWK_MACHINE_H
#define AWK_MACHINE_H

#include "code.h"

extern struct machine {
    value *stack;
    size_t top, cap;
    size_t frame;    /* where the locals of the current function begin */
    instruction *pc; /* for messages */
} machine;

/* Values on the stack behind a place's instruction. */
static inline size_t place_parts(int place) {
    return place == AT_ELEMENT ? 2 : place == AT_FIELD;
}
static inline void drop_values(value *values, size_t count) {
    for (size_t i = 0; i < count; i++) value_drop(&values[i]);
}
/* Its value, a copy; `parts` are the place_parts() values of it, which stay. */
value place_load(enum place place, int slot, value *parts);
double place_number(enum place place, int slot, value *parts); /* The same as a number. */
void place_store(enum place place, int slot, value *parts, value v); /* takes over v */
/* The variable itself, when it may simply be changed: a number is made of it. Or NULL. */
value *place_direct(enum place place, int slot, value *parts);

/* What an unset argument was: a global, a local of a caller, or an element. Shared. */
struct outer {
    uint32_t refs;
    uint8_t place; /* AT_GLOBAL, AT_LOCAL: slot; AT_ELEMENT: array and subscript */
    size_t slot;   /* AT_LOCAL: an index into the stack */
    awk_array *array;
    value subscript;
};
value outer_variable(enum place place, size_t slot); /* A reference to a variable that is unset. */
value outer_element(awk_array *array, value subscript); /* takes over both */

/* The value is an array where none may be: says so and ends; an unset argument passes. */
void scalar_needed(const value *v, bool local, int slot);
/* Makes an array of an unset variable. */
void make_array(value *v, bool local, int slot);
/* An unset argument: becomes what the caller's variable has become meanwhile. */
void settle_outer(value *v);
/* For messages: a local one of the function that runs, or a global one. */
const char *run_variable_name(bool local, int slot);
const char *group_name(int group); /* For messages. */

awk_cursor *cursor_new(awk_array *array); /* may run a comparison function */
/* The next subscript, the caller's then; false: none is left. */
bool cursor_next(awk_cursor *cursor, value *out);
void cursor_free(awk_cursor *cursor); /* Drops what is left. */

#endif
