/*
 * host/capability/schema_check.c: is a value what its schema says? See schema.h.
 *
 * Values come from guests: both how deep this recurses and how much it compares are bounded, and
 * what goes over a bound is not valid. The first thing that is wrong is explained; alternatives are
 * tried in silence, and explained only when they all fail.
 */
#include "schema_node.h"

#include "host/http/url.h"

#include "host/base/utf8.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 700
#define STEPS_MAX 4000000
#define SHOWN     80

/* Where in the arguments we are; a list on the stack, innermost first. */
struct place {
    const struct place *outer;
    const char *key; /* NULL: an element */
    size_t len, index;
};

struct check {
    int64_t steps;
    unsigned depth; /* left */
    bool no_memory;
    struct base_text *why; /* NULL: in silence */
};

static bool valid(struct check *c, const struct schema_node *n, yyjson_val *v,
                  const struct place *place);

/* ---- saying what is wrong */

static void show_place(struct base_text *text, const struct place *place) {
    if (!place) return;
    show_place(text, place->outer);
    if (!place->key) {
        base_text_addf(text, "[%zu]", place->index);
        return;
    }
    bool plain = place->len > 0 && place->len <= 100;
    for (size_t i = 0; plain && i < place->len; i++)
        plain = (unsigned char)place->key[i] > ' ' && !strchr(".[]\"", place->key[i]);
    if (plain) {
        if (place->outer) base_text_addz(text, ".");
        base_text_add(text, place->key, place->len);
    } else {
        base_text_addz(text, "[");
        base_json_show_string(text, place->key, place->len, 100);
        base_text_addz(text, "]");
    }
}

static void start(struct check *c, const struct place *place) {
    base_text_rewind(c->why, 0);
    if (place)
        show_place(c->why, place);
    else
        base_text_addz(c->why, "the argument");
}

/* "PLACE RULE; it is VALUE" */
static bool wrong(struct check *c, const struct place *place, const yyjson_val *v, const char *rule,
                  const yyjson_val *bound) {
    if (!c->why) return false;
    start(c, place);
    base_text_addf(c->why, " %s", rule);
    if (bound) base_json_show(c->why, bound, SHOWN);
    if (!v) return false;
    base_text_addz(c->why, "; it is ");
    base_json_show(c->why, v, SHOWN);
    return false;
}

static bool wrong_size(struct check *c, const struct place *place, const char *rule, int64_t bound,
                       const char *things, size_t actual) {
    if (!c->why) return false;
    start(c, place);
    base_text_addf(c->why, " must have %s %jd %s%s; it has %zu", rule, (intmax_t)bound, things,
                   bound == 1 ? "" : "s", actual);
    return false;
}

static bool give_up(struct check *c) {
    c->steps = -1;
    if (c->why) {
        base_text_rewind(c->why, 0);
        base_text_addz(c->why, "the arguments are too large or too deeply nested to be checked");
    }
    return false;
}

/* ---- any type */

static bool valid_type(struct check *c, const struct schema_node *n, yyjson_val *v,
                       const struct place *place) {
    if (!n->types || (cap_types_of(v) & n->types)) return true;
    if (!c->why) return false;
    start(c, place);
    base_text_addz(c->why, " must be of type ");
    unsigned types = n->types;
    if (types & 1u << CAP_TYPE_INDEX_NUMBER) types &= ~(1u << CAP_TYPE_INDEX_INTEGER);
    const char *between = "";
    for (unsigned i = 0; i < CAP_TYPE_COUNT; i++) {
        if (!(types & 1u << i)) continue;
        base_text_addf(c->why, "%s%s", between, cap_type_names[i]);
        between = " or ";
    }
    base_text_addz(c->why, "; it is ");
    base_json_show(c->why, v, SHOWN);
    return false;
}

static bool equal(struct check *c, const yyjson_val *a, const yyjson_val *b) {
    bool same = base_json_equal(a, b, &c->steps);
    return c->steps < 0 ? give_up(c) : same;
}

static bool valid_enum(struct check *c, const struct schema_node *n, yyjson_val *v,
                       const struct place *place) {
    yyjson_arr_iter iter = yyjson_arr_iter_with(n->allowed);
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));)
        if (equal(c, item, v)) return true;
    if (c->steps < 0 || !c->why) return false;
    start(c, place);
    base_text_addz(c->why, " must be one of ");
    size_t from = c->why->len;
    iter = yyjson_arr_iter_with(n->allowed);
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));) {
        if (iter.idx > 1) base_text_addz(c->why, ", ");
        if (c->why->len - from > 300) {
            base_text_addz(c->why, "…");
            break;
        }
        base_json_show(c->why, item, SHOWN);
    }
    base_text_addz(c->why, "; it is ");
    base_json_show(c->why, v, SHOWN);
    return false;
}

/* ---- strings and numbers */

static bool valid_string(struct check *c, const struct schema_string *s, yyjson_val *v,
                         const struct place *place) {
    const char *text = yyjson_get_str(v);
    size_t len = yyjson_get_len(v);
    if (s->min >= 0 || s->max >= 0) {
        size_t count = base_utf8_count(text, len);
        if (s->min >= 0 && (int64_t)count < s->min)
            return wrong_size(c, place, "at least", s->min, "character", count);
        if (s->max >= 0 && (int64_t)count > s->max)
            return wrong_size(c, place, "at most", s->max, "character", count);
    }
    if (!s->regex) return true;
    enum cap_match match = cap_regex_search(s->regex, text, len);
    if (match == CAP_MATCH_FAILED) c->no_memory = true;
    return match == CAP_MATCH || wrong(c, place, v, "must match ", s->pattern);
}

static bool valid_number(struct check *c, const struct schema_number *s, yyjson_val *v,
                         const struct place *place) {
    static const char *const rules[SCHEMA_BOUNDS] = {"must be >= ", "must be <= ", "must be > ",
                                                     "must be < ", "must be a multiple of "};
    struct base_number n;
    base_json_number(v, &n);
    for (int i = 0; i < SCHEMA_BOUNDS; i++) {
        if (!s->bounds[i]) continue;
        if (i == SCHEMA_MULTIPLE) {
            if (!base_number_divides(&s->numbers[i], &n))
                return wrong(c, place, v, rules[i], s->bounds[i]);
            continue;
        }
        int order = base_number_compare(&n, &s->numbers[i]);
        bool good = i == SCHEMA_MINIMUM   ? order >= 0
                    : i == SCHEMA_MAXIMUM ? order <= 0
                    : i == SCHEMA_ABOVE   ? order > 0
                                          : order < 0;
        if (!good) return wrong(c, place, v, rules[i], s->bounds[i]);
    }
    return true;
}

/* ---- arrays */

struct hashed {
    uint64_t hash;
    size_t index;
    yyjson_val *value;
};

static int order_hashed(const void *a, const void *b) {
    const struct hashed *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static bool find_twins(struct check *c, const struct hashed *all, size_t count, size_t twins[2]) {
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count && all[j].hash == all[i].hash; j++)
            if (equal(c, all[i].value, all[j].value)) {
                twins[0] = all[i].index;
                twins[1] = all[j].index;
                return true;
            }
    return false;
}

static bool valid_unique(struct check *c, yyjson_val *v, const struct place *place) {
    size_t count = yyjson_arr_size(v), twins[2];
    if (count < 2) return true;
    struct hashed *all = malloc(count * sizeof *all);
    if (!all) {
        c->no_memory = true;
        return false;
    }
    yyjson_arr_iter iter = yyjson_arr_iter_with(v);
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));)
        all[iter.idx - 1] = (struct hashed){base_json_hash(item), iter.idx - 1, item};
    qsort(all, count, sizeof *all, order_hashed);
    bool found = find_twins(c, all, count, twins);
    free(all);
    if (c->steps < 0) return false;
    if (found && c->why) {
        start(c, place);
        base_text_addf(c->why, " must not have an element twice; [%zu] and [%zu] are equal",
                       twins[0], twins[1]);
    }
    return !found;
}

/* Runs a check in silence. */
static bool quietly(struct check *c, const struct schema_node *n, yyjson_val *v,
                    const struct place *place) {
    struct base_text *why = c->why;
    c->why = NULL;
    bool good = valid(c, n, v, place);
    c->why = why;
    return c->steps < 0 ? give_up(c) : good;
}

static bool valid_contains(struct check *c, const struct schema_array *s, yyjson_val *v,
                           const struct place *place) {
    int64_t least = s->min_contains >= 0 ? s->min_contains : 1, count = 0;
    yyjson_arr_iter iter = yyjson_arr_iter_with(v);
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));)
        count += quietly(c, s->contains, item, place);
    if (c->steps < 0) return false;
    if (count < least) return wrong_size(c, place, "at least", least, "matching element", count);
    return s->max_contains < 0 || count <= s->max_contains ||
           wrong_size(c, place, "at most", s->max_contains, "matching element", count);
}

static bool valid_array(struct check *c, const struct schema_array *s, yyjson_val *v,
                        const struct place *place) {
    size_t count = yyjson_arr_size(v);
    if (s->min >= 0 && (int64_t)count < s->min)
        return wrong_size(c, place, "at least", s->min, "element", count);
    if (s->max >= 0 && (int64_t)count > s->max)
        return wrong_size(c, place, "at most", s->max, "element", count);
    yyjson_arr_iter iter = yyjson_arr_iter_with(v);
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));) {
        size_t index = iter.idx - 1;
        const struct schema_node *n = index < s->prefix.count ? s->prefix.items[index] : s->items;
        struct place inner = {.outer = place, .index = index};
        if (n && !valid(c, n, item, &inner)) return false;
    }
    if (s->contains && !valid_contains(c, s, v, place)) return false;
    return !s->unique || valid_unique(c, v, place);
}

/* ---- objects */

static const struct schema_property *find_property(const struct schema_object *o, const char *key,
                                                   size_t len) {
    size_t low = 0, high = o->property_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct schema_property *p = &o->properties[middle];
        int order = schema_order(key, len, p->key, p->len);
        if (order == 0) return p;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* The key of a property that looks much like the unknown one, or NULL. */
static const char *nearest_property(const struct schema_object *o, const char *key) {
    const char *best = NULL;
    size_t least = strlen(key) / 3 + 1;
    for (size_t i = 0; i < o->property_count; i++) {
        size_t distance = cap_name_distance(key, o->properties[i].key, least);
        if (distance > least) continue;
        best = o->properties[i].key;
        if (distance == 0) break;
        least = distance - 1;
    }
    return best;
}

static bool unknown_member(struct check *c, const struct schema_object *o, yyjson_val *key,
                           const struct place *place) {
    if (!c->why) return false;
    struct place inner = {.outer = place, .key = yyjson_get_str(key), .len = yyjson_get_len(key)};
    start(c, &inner);
    base_text_addz(c->why, " is not a known parameter");
    const char *near = nearest_property(o, inner.key);
    if (near) {
        base_text_addf(c->why, "; did you mean %s?", near);
    } else if (o->property_count) {
        base_text_addz(c->why, "; known are");
        for (size_t i = 0; i < o->property_count && i < 20; i++)
            base_text_addf(c->why, "%s %s", i ? "," : "", o->properties[i].key);
    }
    return false;
}

static bool valid_member(struct check *c, const struct schema_object *o, yyjson_val *key,
                         yyjson_val *v, const struct place *place) {
    const char *text = yyjson_get_str(key);
    size_t len = yyjson_get_len(key);
    struct place inner = {.outer = place, .key = text, .len = len};
    const struct schema_property *p = find_property(o, text, len);
    bool known = p != NULL;
    if (p && !valid(c, p->node, v, &inner)) return false;
    for (size_t i = 0; i < o->pattern_count; i++) {
        enum cap_match match = cap_regex_search(o->patterns[i].regex, text, len);
        if (match == CAP_MATCH_FAILED) c->no_memory = true;
        if (match == CAP_MATCH_FAILED) return false;
        if (match == CAP_NO_MATCH) continue;
        known = true;
        if (!valid(c, o->patterns[i].node, v, &inner)) return false;
    }
    if (o->names && !quietly(c, o->names, key, &inner)) {
        if (c->steps < 0) return false;
        return wrong(c, &inner, NULL, "is not a name that is allowed here", NULL);
    }
    if (known || !o->additional) return true;
    if (o->additional->never) return unknown_member(c, o, key, place);
    return valid(c, o->additional, v, &inner);
}

static bool has_all(struct check *c, yyjson_val *required, yyjson_val *v, const struct place *place,
                    const char *because) {
    yyjson_arr_iter iter = yyjson_arr_iter_with(required);
    for (yyjson_val *key; (key = yyjson_arr_iter_next(&iter));) {
        const char *text = yyjson_get_str(key);
        size_t len = yyjson_get_len(key);
        if (yyjson_obj_getn(v, text, len)) continue;
        if (!c->why) return false;
        struct place inner = {.outer = place, .key = text, .len = len};
        start(c, &inner);
        base_text_addz(c->why, " is required");
        if (because) base_text_addf(c->why, " when %s is given", because);
        return false;
    }
    return true;
}

static bool valid_object(struct check *c, const struct schema_object *o, yyjson_val *v,
                         const struct place *place) {
    size_t count = yyjson_obj_size(v);
    c->steps -= (int64_t)count;
    if (c->steps < 0) return give_up(c);
    if (o->required && !has_all(c, o->required, v, place, NULL)) return false;
    yyjson_obj_iter iter = yyjson_obj_iter_with(v);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter));)
        if (!valid_member(c, o, key, yyjson_obj_iter_get_val(key), place)) return false;
    if (o->min >= 0 && (int64_t)count < o->min)
        return wrong_size(c, place, "at least", o->min, "member", count);
    if (o->max >= 0 && (int64_t)count > o->max)
        return wrong_size(c, place, "at most", o->max, "member", count);
    for (size_t i = 0; i < o->dependency_count; i++) {
        const struct schema_dependency *d = &o->dependencies[i];
        if (!yyjson_obj_getn(v, d->key, d->len)) continue;
        if (d->required && !has_all(c, d->required, v, place, d->key)) return false;
        if (d->node && !valid(c, d->node, v, place)) return false;
    }
    return true;
}

/* ---- combinations */

/* The one alternative that is about values of this type, so that its complaint is the useful one.
 */
static const struct schema_node *likely(const struct schema_list *list, yyjson_val *v) {
    const struct schema_node *found = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const struct schema_node *n = list->items[i];
        while (n->ref && !n->types) n = n->ref;
        if (n->never || (n->types && !(n->types & cap_types_of(v)))) continue;
        if (found) return NULL;
        found = list->items[i];
    }
    return found;
}

static bool no_alternative(struct check *c, const struct schema_list *list, yyjson_val *v,
                           const struct place *place) {
    const struct schema_node *n = likely(list, v);
    if (n) return valid(c, n, v, place);
    return wrong(c, place, v, "is none of the things that are allowed", NULL);
}

static bool valid_logic(struct check *c, const struct schema_logic *l, yyjson_val *v,
                        const struct place *place) {
    for (size_t i = 0; i < l->all.count; i++)
        if (!valid(c, l->all.items[i], v, place)) return false;
    size_t found = 0;
    for (size_t i = 0; i < l->any.count && !found; i++)
        found += quietly(c, l->any.items[i], v, place);
    if (c->steps < 0) return false;
    if (l->any.count && !found) return no_alternative(c, &l->any, v, place);
    found = 0;
    for (size_t i = 0; i < l->one.count; i++) found += quietly(c, l->one.items[i], v, place);
    if (c->steps < 0) return false;
    if (l->one.count && !found) return no_alternative(c, &l->one, v, place);
    if (found > 1)
        return wrong(c, place, v, "must be exactly one of the things that are allowed", NULL);
    if (l->not) {
        bool excluded = quietly(c, l->not, v, place);
        if (c->steps < 0) return false;
        if (excluded) return wrong(c, place, v, "is something that is not allowed", NULL);
    }
    if (!l->condition) return true;
    const struct schema_node *n = quietly(c, l->condition, v, place) ? l->then : l->otherwise;
    if (c->steps < 0) return false;
    return !n || valid(c, n, v, place);
}

static bool valid_parts(struct check *c, const struct schema_node *n, yyjson_val *v,
                        const struct place *place) {
    if (n->never) return wrong(c, place, NULL, "is not allowed", NULL);
    if (!valid_type(c, n, v, place)) return false;
    if (n->allowed && !valid_enum(c, n, v, place)) return false;
    if (n->constant && !equal(c, n->constant, v))
        return c->steps >= 0 && wrong(c, place, v, "must be ", n->constant);
    if (n->string && yyjson_is_str(v) && !valid_string(c, n->string, v, place)) return false;
    if (n->number && base_json_is_number(v) && !valid_number(c, n->number, v, place)) return false;
    if (n->array && yyjson_is_arr(v) && !valid_array(c, n->array, v, place)) return false;
    if (n->object && yyjson_is_obj(v) && !valid_object(c, n->object, v, place)) return false;
    if (n->logic && !valid_logic(c, n->logic, v, place)) return false;
    return !n->ref || valid(c, n->ref, v, place);
}

static bool valid(struct check *c, const struct schema_node *n, yyjson_val *v,
                  const struct place *place) {
    if (c->depth == 0 || --c->steps < 0) return give_up(c);
    c->depth--;
    bool good = valid_parts(c, n, v, place);
    c->depth++;
    return good && c->steps >= 0 && !c->no_memory;
}

enum cap_verdict cap_schema_check(const struct cap_schema *schema, yyjson_val *value,
                                  struct base_text *why) {
    struct check c = {.steps = STEPS_MAX, .depth = DEPTH_MAX, .why = why};
    bool good = valid(&c, schema->root, value, NULL);
    if (c.no_memory) return CAP_NO_VERDICT;
    return good && c.steps >= 0 ? CAP_VALID : CAP_NOT_VALID;
}

/* ---- what a path can lead to */

static bool may_have(const struct schema_node *n, const struct cap_path *path, size_t at) {
    for (int hops = 0; n->ref && hops < 100; hops++) n = n->ref;
    if (n->never) return false;
    if (at == path->count || n->ref) return true;
    const struct cap_step *step = &path->steps[at];
    if (step->kind == CAP_STEP_MEMBER) {
        if (n->url && at + 1 == path->count && http_url_has_part(step->key, step->len)) return true;
        if (n->types && !(n->types & 1u << CAP_TYPE_INDEX_OBJECT)) return false;
        if (!n->object) return true;
        const struct schema_property *p = find_property(n->object, step->key, step->len);
        if (p) return may_have(p->node, path, at + 1);
        return n->object->pattern_count || !n->object->additional ||
               may_have(n->object->additional, path, at + 1);
    }
    if (n->types && !(n->types & 1u << CAP_TYPE_INDEX_ARRAY)) return false;
    return !n->array || !n->array->items || step->kind == CAP_STEP_ELEMENT
               ? true
               : n->array->prefix.count || may_have(n->array->items, path, at + 1);
}

bool cap_schema_may_have(const struct cap_schema *schema, const struct cap_path *path) {
    return may_have(schema->root, path, 0);
}
