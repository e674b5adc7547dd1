/*
 * place.c: variables, fields and elements as places to read from and write to; for-in loops.
 */
#include "machine.h"

#include <stdlib.h>

const char *group_name(int group) {
    static const char *const names[] = {"BEGIN", "main", "END", "BEGINFILE", "ENDFILE"};
    return names[group];
}

static value outer_value(struct outer outer) {
    struct outer *o = g_alloc(sizeof *o);
    *o = outer;
    o->refs = 1;
    return (value){.outer = o, .kind = OUTER};
}

value outer_variable(enum place place, size_t slot) {
    return outer_value((struct outer){.place = place, .slot = slot});
}

value outer_element(awk_array *array, value subscript) {
    return outer_value((struct outer){.place = AT_ELEMENT, .array = array, .subscript = subscript});
}

void outer_drop(struct outer *o) {
    if (--o->refs) return;
    if (o->place == AT_ELEMENT) {
        array_drop(o->array);
        value_drop(&o->subscript);
    }
    free(o);
}

static value *origin_of(const value *v) {
    struct outer *o = v->outer;
    switch (o->place) {
    case AT_GLOBAL: return &awk.globals[o->slot];
    case AT_LOCAL: return &machine.stack[o->slot];
    default: return array_at(o->array, &o->subscript);
    }
}

void settle_outer(value *v) {
    value *origin = origin_of(v);
    if (origin->kind == OUTER) settle_outer(origin);
    if (origin->kind != ARRAY) return;
    array_keep(origin->array);
    struct outer *o = v->outer;
    *v = *origin;
    outer_drop(o);
}

void scalar_needed(const value *v, bool local, int slot) {
    if (v->kind != ARRAY) return;
    for (size_t i = 0; local && i < awk.global_count; i++)
        if (awk.globals[i].kind == ARRAY && awk.globals[i].array == v->array)
            awk_fatal("attempt to use array `%s (from %s)' in a scalar context",
                      run_variable_name(true, slot), run_variable_name(false, (int)i));
    awk_fatal("attempt to use array `%s' in a scalar context", run_variable_name(local, slot));
}

void make_array(value *v, bool local, int slot) {
    if (v->kind == OUTER) {
        value *origin = origin_of(v);
        if (origin->kind == UNSET || origin->kind == OUTER) make_array(origin, local, slot);
        settle_outer(v);
        if (v->kind == ARRAY) return;
        value_assign(v, value_unset()); /* the caller's variable has become a scalar */
    }
    if (v->kind != UNSET)
        awk_fatal("attempt to use scalar %s`%s' as an array", local ? "parameter " : "",
                  run_variable_name(local, slot));
    *v = (value){.array = array_new(), .kind = ARRAY};
}

static int64_t field_of(value *v) {
    double n = value_to_number(v);
    if (!(n >= 0) || n > AWK_FIELD_MAX) awk_fatal("attempt to access field %.0f", trunc(n));
    return (int64_t)n;
}

value *place_direct(enum place place, int slot, value *parts) {
    value *v;
    switch (place) {
    case AT_GLOBAL: v = &awk.globals[slot]; break;
    case AT_LOCAL:
        v = &machine.stack[machine.frame + (size_t)slot];
        if (v->kind == OUTER) value_assign(v, value_unset());
        break;
    case AT_ELEMENT:
        v = array_at(parts[0].array, &parts[1]);
        if (v->kind == ARRAY) awk_fatal("attempt to use array in a scalar context");
        return v;
    default: return NULL;
    }
    scalar_needed(v, place == AT_LOCAL, slot);
    return v;
}

double place_number(enum place place, int slot, value *parts) {
    if (place == AT_FIELD) return record_field_number(field_of(&parts[0]));
    value v = place_load(place, slot, parts);
    double n = value_to_number(&v);
    value_drop(&v);
    return n;
}

value place_load(enum place place, int slot, value *parts) {
    if (place == AT_FIELD)
        return value_copy(record_field(place_parts(place) ? field_of(&parts[0]) : 0));
    if (place == AT_SPECIAL) {
        run_sync_special(slot);
        scalar_needed(&awk.globals[slot], false, slot);
        return value_copy(&awk.globals[slot]);
    }
    return value_copy(place_direct(place, slot, parts));
}

void place_store(enum place place, int slot, value *parts, value v) {
    if (v.kind == UNSET) v.num = 1; /* for typeof: assigned from nothing */
    switch (place) {
    case AT_FIELD: record_assign(field_of(&parts[0]), v); break;
    case AT_SPECIAL:
        scalar_needed(&awk.globals[slot], false, slot);
        value_assign(&awk.globals[slot], v);
        if (slot <= V_LAST_WATCHED) run_special_changed(slot);
        break;
    default: value_assign(place_direct(place, slot, parts), v);
    }
}

/* for (k in a): the subscripts as they are when the loop begins. */

struct awk_cursor {
    value *subscripts;
    size_t count, at;
};

awk_cursor *cursor_new(awk_array *array) {
    awk_cursor *c = g_zalloc(sizeof *c);
    c->subscripts = array_subscripts(array, &c->count);
    value *procinfo = &awk.globals[V_PROCINFO];
    value *order =
        procinfo->kind == ARRAY ? array_find_text(procinfo->array, "sorted_in", 9) : NULL;
    if (!order || c->count < 2) return c;
    awk_text *how = value_to_text(order, awk.convfmt);
    if (how->len > 0 && strcmp(how->s, "@unsorted") != 0) {
        sort_item *items = g_alloc(c->count * sizeof *items);
        for (size_t i = 0; i < c->count; i++)
            items[i] = (sort_item){c->subscripts[i], array_find(array, &c->subscripts[i])};
        sort_items(items, c->count, how->s, how->len);
        for (size_t i = 0; i < c->count; i++) c->subscripts[i] = items[i].subscript;
        free(items);
    }
    text_drop(how);
    return c;
}

bool cursor_next(awk_cursor *c, value *out) {
    if (c->at == c->count) return false;
    *out = c->subscripts[c->at++];
    return true;
}

void cursor_free(awk_cursor *c) {
    while (c->at < c->count) value_drop(&c->subscripts[c->at++]);
    free(c->subscripts);
    free(c);
}
