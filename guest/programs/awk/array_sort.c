/*
 * array_sort.c: the orders of PROCINFO["sorted_in"], asort() and asorti().
 *
 * A merge sort: stable, and safe with comparison functions that contradict themselves.
 */
#include "awk.h"
#include "pf.h"

#include <stdlib.h>

enum by { BY_INDEX_TEXT, BY_INDEX_NUMBER, BY_TYPE, BY_TEXT, BY_NUMBER, BY_FUNCTION };

typedef struct {
    enum by by;
    bool descending;
    int function;
} order;

static int compare_text(value *a, value *b) {
    awk_text *s = value_to_text(a, awk.convfmt), *t = value_to_text(b, awk.convfmt);
    int result = text_compare(s, t);
    text_drop(s);
    text_drop(t);
    return result;
}

static int compare_number(double a, double b) {
    return a < b ? -1 : a > b;
}

/* Numbers, then texts, then arrays. */
static int type_rank(value *v) {
    value_settle(v);
    if (v->kind == ARRAY) return 2;
    return v->kind == STRING || v->kind == REGEX;
}

static int compare_values(enum by by, value *a, value *b) {
    int x = type_rank(a), y = type_rank(b);
    if (x == 2 || y == 2) return x == y ? 0 : x == 2 ? 1 : -1;
    if (by == BY_TYPE) {
        if (x != y) return x - y;
        return x == 0 ? compare_number(value_to_number(a), value_to_number(b)) : compare_text(a, b);
    }
    if (by == BY_TEXT) return compare_text(a, b);
    int result = compare_number(value_to_number(a), value_to_number(b));
    return result ? result : compare_text(a, b);
}

static int compare_indices(enum by by, value *a, value *b) {
    if (by == BY_INDEX_NUMBER) {
        int result = compare_number(value_to_number(a), value_to_number(b));
        if (result) return result;
    }
    return compare_text(a, b);
}

static value element_copy(value *v) {
    if (!v) return value_unset();
    if (v->kind == ARRAY) array_keep(v->array);
    return value_copy(v);
}

static int compare(const order *o, sort_item *a, sort_item *b) {
    int result;
    if (o->by == BY_FUNCTION) {
        value args[] = {value_copy(&a->subscript), element_copy(a->element),
                        value_copy(&b->subscript), element_copy(b->element)};
        double n = awk.exiting ? 0 : run_call(o->function, args, 4);
        return n < 0 ? -1 : n > 0;
    }
    if (o->by <= BY_INDEX_NUMBER) {
        result = compare_indices(o->by, &a->subscript, &b->subscript);
    } else {
        result = compare_values(o->by, a->element, b->element);
        if (result == 0) result = compare_text(&a->subscript, &b->subscript);
    }
    return o->descending ? -result : result;
}

static void merge_sort(const order *o, sort_item *items, sort_item *spare, size_t count) {
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t start = 0; start < count; start += 2 * width) {
            size_t middle = start + width < count ? start + width : count;
            size_t end = start + 2 * width < count ? start + 2 * width : count;
            size_t i = start, j = middle;
            for (size_t at = start; at < end; at++) {
                bool left = j == end || (i < middle && compare(o, &items[i], &items[j]) <= 0);
                spare[at] = left ? items[i++] : items[j++];
            }
            pf_yield();
        }
        memcpy(items, spare, count * sizeof *items);
    }
}

static order read_order(const char *how, size_t len) {
    static const struct {
        const char *name;
        uint8_t by;
    } names[] = {{"@ind_str", BY_INDEX_TEXT},
                 {"@ind_num", BY_INDEX_NUMBER},
                 {"@val_type", BY_TYPE},
                 {"@val_str", BY_TEXT},
                 {"@val_num", BY_NUMBER}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i].name);
        if (len < n || memcmp(how, names[i].name, n) != 0) continue;
        if (len == n + 4 && memcmp(how + n, "_asc", 4) == 0) return (order){names[i].by, false, -1};
        if (len == n + 5 && memcmp(how + n, "_desc", 5) == 0) return (order){names[i].by, true, -1};
    }
    int function = len > 0 && how[0] != '@' ? run_find_function(how, len) : -1;
    if (function < 0) awk_fatal("sort comparison function `%.*s' is not defined", (int)len, how);
    return (order){BY_FUNCTION, false, function};
}

void sort_items(sort_item *items, size_t count, const char *how, size_t len) {
    order o = read_order(how, len);
    sort_item *spare = g_alloc(count * sizeof *spare);
    merge_sort(&o, items, spare, count);
    free(spare);
}

double sort_array(awk_array *from, awk_array *to, value *how, bool subscripts) {
    size_t count;
    char room[NUMBER_TEXT_MAX];
    size_t len;
    const char *name = subscripts ? "@ind_str_asc" : "@val_type_asc";
    len = strlen(name);
    if (how) name = value_bytes(how, awk.convfmt, room, &len);
    value *indices = array_subscripts(from, &count);
    sort_item *items = g_alloc((count + 1) * sizeof *items);
    for (size_t i = 0; i < count; i++)
        items[i] = (sort_item){indices[i], array_find(from, &indices[i])};
    free(indices);
    if (!(len == 9 && memcmp(name, "@unsorted", 9) == 0)) sort_items(items, count, name, len);
    value *results = g_alloc((count + 1) * sizeof *results);
    for (size_t i = 0; i < count; i++)
        results[i] = subscripts ? value_copy(&items[i].subscript) : element_copy(items[i].element);
    array_clear(to ? to : from);
    for (size_t i = 0; i < count; i++) {
        *array_at_int(to ? to : from, (int32_t)i + 1) = results[i];
        value_drop(&items[i].subscript);
    }
    free(items);
    free(results);
    return (double)count;
}
