/*
 * host/capability/schema_keywords.c: reads each keyword of a schema.
 *
 * One function per keyword, in one table at the end: a keyword that is not in the table is refused.
 */
#include "schema_node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parts of a node, made when the first keyword needs them */

static struct schema_object *object_of(struct schema_reader *r, struct schema_node *n) {
    if (!n->object && (n->object = base_arena_zalloc(&r->schema->arena, sizeof *n->object)))
        n->object->min = n->object->max = -1;
    return n->object;
}

static struct schema_array *array_of(struct schema_reader *r, struct schema_node *n) {
    if (!n->array && (n->array = base_arena_zalloc(&r->schema->arena, sizeof *n->array)))
        n->array->min = n->array->max = n->array->min_contains = n->array->max_contains = -1;
    return n->array;
}

static struct schema_string *string_of(struct schema_reader *r, struct schema_node *n) {
    if (!n->string && (n->string = base_arena_zalloc(&r->schema->arena, sizeof *n->string)))
        n->string->min = n->string->max = -1;
    return n->string;
}

static struct schema_number *number_of(struct schema_reader *r, struct schema_node *n) {
    if (!n->number) n->number = base_arena_zalloc(&r->schema->arena, sizeof *n->number);
    return n->number;
}

static struct schema_logic *logic_of(struct schema_reader *r, struct schema_node *n) {
    if (!n->logic) n->logic = base_arena_zalloc(&r->schema->arena, sizeof *n->logic);
    return n->logic;
}

/* ---- values of keywords */

static pf_status read_at(struct schema_node **out, struct schema_reader *r, yyjson_val *value,
                         const char *step, size_t len) {
    size_t mark = r->where.len;
    if (mark) base_text_addz(&r->where, ".");
    base_text_add(&r->where, step, len < 60 ? len : 60);
    pf_status status = schema_read(out, r, value);
    if (status == PF_OK) base_text_rewind(&r->where, mark);
    return status;
}

static pf_status read_schemas(struct schema_list *out, struct schema_reader *r, yyjson_val *list) {
    if (!yyjson_is_arr(list) || yyjson_arr_size(list) == 0)
        return schema_bad(r, "needs a list of schemas that is not empty");
    out->items = base_arena_array(&r->schema->arena, yyjson_arr_size(list), sizeof *out->items);
    if (!out->items) return base_no_memory(r->error);
    yyjson_arr_iter iter = yyjson_arr_iter_with(list);
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));) {
        char step[24];
        int len = snprintf(step, sizeof step, "%zu", out->count);
        pf_status status = read_at(&out->items[out->count], r, item, step, (size_t)len);
        if (status != PF_OK) return status;
        out->count++;
    }
    return PF_OK;
}

static pf_status read_size(int64_t *out, struct schema_reader *r, yyjson_val *value) {
    struct base_number n;
    if (base_json_is_number(value)) {
        base_json_number(value, &n);
        if (base_number_int64(&n, out) && *out >= 0) return PF_OK;
        if (base_number_whole(&n) && !n.negative) { /* as good as infinite */
            *out = INT64_MAX;
            return PF_OK;
        }
    }
    return schema_bad(r, "needs a whole number that is not negative");
}

static pf_status read_strings(yyjson_val **out, struct schema_reader *r, yyjson_val *value) {
    bool good = yyjson_is_arr(value);
    yyjson_arr_iter iter = yyjson_arr_iter_with(value);
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));)
        good = good && yyjson_is_str(item);
    if (!good) return schema_bad(r, "needs a list of strings");
    *out = value;
    return PF_OK;
}

static pf_status read_regex(struct cap_regex **out, struct schema_reader *r, yyjson_val *value) {
    if (!yyjson_is_str(value)) return schema_bad(r, "needs a regular expression");
    pf_error error;
    pf_status status = cap_regexes_add(&r->schema->regexes, &r->schema->arena, out,
                                       yyjson_get_str(value), yyjson_get_len(value), &error);
    if (status == PF_INVALID) return schema_bad(r, "%s", error.message);
    return status == PF_OK ? PF_OK : base_no_memory(r->error);
}

/* ---- keywords: any type */

typedef pf_status keyword_fn(struct schema_reader *r, struct schema_node *n, yyjson_val *value);

static pf_status kw_annotation(struct schema_reader *r, struct schema_node *n, yyjson_val *value) {
    (void)r;
    (void)n;
    (void)value;
    return PF_OK;
}

/* The name of this schema; elsewhere it would change what references mean. */
static pf_status kw_id(struct schema_reader *r, struct schema_node *n, yyjson_val *value) {
    (void)value;
    return n == r->schema->root ? PF_OK : schema_bad(r, "only the whole schema can have this");
}

/* An annotation, but for addresses of the web: see urls.c. */
static pf_status kw_format(struct schema_reader *r, struct schema_node *n, yyjson_val *value) {
    (void)r;
    n->url = base_json_is(value, "http-url");
    return PF_OK;
}

static pf_status kw_type(struct schema_reader *r, struct schema_node *n, yyjson_val *value) {
    size_t count = yyjson_is_arr(value) ? yyjson_arr_size(value) : 1;
    bool good = count > 0;
    for (size_t i = 0; i < count; i++) {
        unsigned bit = cap_type_bit(yyjson_is_arr(value) ? yyjson_arr_get(value, i) : value);
        good = good && bit;
        n->types |= bit;
    }
    return good ? PF_OK : schema_bad(r, "is not a type, nor a list of types");
}

static pf_status kw_enum(struct schema_reader *r, struct schema_node *n, yyjson_val *value) {
    if (!yyjson_is_arr(value) || yyjson_arr_size(value) == 0)
        return schema_bad(r, "needs a list of values that is not empty");
    n->allowed = value;
    return PF_OK;
}

static pf_status kw_const(struct schema_reader *r, struct schema_node *n, yyjson_val *value) {
    (void)r;
    n->constant = value;
    return PF_OK;
}

/* Read, although only references reach them: an unknown keyword must not hide in one. */
static pf_status kw_defs(struct schema_reader *r, struct schema_node *n, yyjson_val *value) {
    (void)n;
    if (!yyjson_is_obj(value)) return schema_bad(r, "needs an object");
    yyjson_obj_iter iter = yyjson_obj_iter_with(value);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter));) {
        struct schema_node *unused;
        pf_status status = read_at(&unused, r, yyjson_obj_iter_get_val(key), yyjson_get_str(key),
                                   yyjson_get_len(key));
        if (status != PF_OK) return status;
    }
    return PF_OK;
}

static pf_status kw_ref(struct schema_reader *r, struct schema_node *n, yyjson_val *value) {
    if (!yyjson_is_str(value)) return schema_bad(r, "needs a string");
    n->ref_text = value;
    return PF_OK;
}

/* nullable (OpenAPI) is read together with type, in finish(). */
static pf_status kw_nullable(struct schema_reader *r, struct schema_node *n, yyjson_val *value) {
    (void)n;
    return yyjson_is_bool(value) ? PF_OK : schema_bad(r, "needs true or false");
}

/* ---- keywords: combinations */

#define LOGIC_LIST(name, field)                                                                    \
    static pf_status name(struct schema_reader *r, struct schema_node *n, yyjson_val *value) {     \
        struct schema_logic *logic = logic_of(r, n);                                               \
        return logic ? read_schemas(&logic->field, r, value) : base_no_memory(r->error);           \
    }
LOGIC_LIST(kw_all_of, all)
LOGIC_LIST(kw_any_of, any)
LOGIC_LIST(kw_one_of, one)

#define LOGIC_NODE(name, field)                                                                    \
    static pf_status name(struct schema_reader *r, struct schema_node *n, yyjson_val *value) {     \
        struct schema_logic *logic = logic_of(r, n);                                               \
        return logic ? schema_read(&logic->field, r, value) : base_no_memory(r->error);            \
    }
LOGIC_NODE(kw_not, not)
LOGIC_NODE(kw_if, condition)
LOGIC_NODE(kw_then, then)
LOGIC_NODE(kw_else, otherwise)

/* ---- keywords: objects */

static int order_properties(const void *a, const void *b) {
    const struct schema_property *x = a, *y = b;
    return schema_order(x->key, x->len, y->key, y->len);
}

static pf_status kw_properties(struct schema_reader *r, struct schema_node *n, yyjson_val *value) {
    struct schema_object *o = object_of(r, n);
    if (!yyjson_is_obj(value)) return schema_bad(r, "needs an object");
    if (o)
        o->properties =
            base_arena_array(&r->schema->arena, yyjson_obj_size(value), sizeof *o->properties);
    if (!o || !o->properties) return base_no_memory(r->error);
    yyjson_obj_iter iter = yyjson_obj_iter_with(value);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter));) {
        struct schema_property *p = &o->properties[o->property_count];
        p->key = yyjson_get_str(key);
        p->len = yyjson_get_len(key);
        pf_status status = read_at(&p->node, r, yyjson_obj_iter_get_val(key), p->key, p->len);
        if (status != PF_OK) return status;
        o->property_count++;
    }
    qsort(o->properties, o->property_count, sizeof *o->properties, order_properties);
    return PF_OK;
}

static pf_status kw_pattern_properties(struct schema_reader *r, struct schema_node *n,
                                       yyjson_val *value) {
    struct schema_object *o = object_of(r, n);
    if (!yyjson_is_obj(value)) return schema_bad(r, "needs an object");
    if (o)
        o->patterns =
            base_arena_array(&r->schema->arena, yyjson_obj_size(value), sizeof *o->patterns);
    if (!o || !o->patterns) return base_no_memory(r->error);
    yyjson_obj_iter iter = yyjson_obj_iter_with(value);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter));) {
        struct schema_pattern *p = &o->patterns[o->pattern_count];
        pf_status status = read_regex(&p->regex, r, key);
        if (status == PF_OK)
            status = read_at(&p->node, r, yyjson_obj_iter_get_val(key), yyjson_get_str(key),
                             yyjson_get_len(key));
        if (status != PF_OK) return status;
        o->pattern_count++;
    }
    return PF_OK;
}

static pf_status read_dependencies(struct schema_reader *r, struct schema_node *n,
                                   yyjson_val *value, bool schemas) {
    struct schema_object *o = object_of(r, n);
    if (!yyjson_is_obj(value)) return schema_bad(r, "needs an object");
    if (!o) return base_no_memory(r->error);
    size_t old = o->dependency_count, count = old + yyjson_obj_size(value);
    struct schema_dependency *all =
        base_arena_array(&r->schema->arena, count, sizeof *o->dependencies);
    if (!all) return base_no_memory(r->error);
    if (old) memcpy(all, o->dependencies, old * sizeof *all);
    o->dependencies = all;
    yyjson_obj_iter iter = yyjson_obj_iter_with(value);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter));) {
        struct schema_dependency *d = &all[o->dependency_count];
        d->key = yyjson_get_str(key);
        d->len = yyjson_get_len(key);
        yyjson_val *v = yyjson_obj_iter_get_val(key);
        pf_status status =
            schemas ? read_at(&d->node, r, v, d->key, d->len) : read_strings(&d->required, r, v);
        if (status != PF_OK) return status;
        o->dependency_count++;
    }
    return PF_OK;
}

static pf_status kw_dependent_required(struct schema_reader *r, struct schema_node *n,
                                       yyjson_val *value) {
    return read_dependencies(r, n, value, false);
}

static pf_status kw_dependent_schemas(struct schema_reader *r, struct schema_node *n,
                                      yyjson_val *value) {
    return read_dependencies(r, n, value, true);
}

/* One field of a part, by the reader of its value. */
#define PART_KEYWORD(name, part, field, reader)                                                    \
    static pf_status name(struct schema_reader *r, struct schema_node *n, yyjson_val *value) {     \
        struct schema_##part *x = part##_of(r, n);                                                 \
        return x ? reader(&x->field, r, value) : base_no_memory(r->error);                         \
    }
PART_KEYWORD(kw_required, object, required, read_strings)
PART_KEYWORD(kw_additional, object, additional, schema_read)
PART_KEYWORD(kw_names, object, names, schema_read)
PART_KEYWORD(kw_min_properties, object, min, read_size)
PART_KEYWORD(kw_max_properties, object, max, read_size)
PART_KEYWORD(kw_prefix_items, array, prefix, read_schemas)
PART_KEYWORD(kw_contains, array, contains, schema_read)
PART_KEYWORD(kw_min_items, array, min, read_size)
PART_KEYWORD(kw_max_items, array, max, read_size)
PART_KEYWORD(kw_min_contains, array, min_contains, read_size)
PART_KEYWORD(kw_max_contains, array, max_contains, read_size)
PART_KEYWORD(kw_min_length, string, min, read_size)
PART_KEYWORD(kw_max_length, string, max, read_size)

/* ---- keywords: arrays */

/* Before 2020-12, a list here was what prefixItems is now. */
static pf_status kw_items(struct schema_reader *r, struct schema_node *n, yyjson_val *value) {
    struct schema_array *a = array_of(r, n);
    if (!a) return base_no_memory(r->error);
    return yyjson_is_arr(value) ? read_schemas(&a->prefix, r, value)
                                : schema_read(&a->items, r, value);
}

static pf_status kw_unique(struct schema_reader *r, struct schema_node *n, yyjson_val *value) {
    struct schema_array *a = array_of(r, n);
    if (!yyjson_is_bool(value)) return schema_bad(r, "needs true or false");
    if (!a) return base_no_memory(r->error);
    a->unique = yyjson_get_bool(value);
    return PF_OK;
}

/* ---- keywords: strings and numbers */

static pf_status kw_pattern(struct schema_reader *r, struct schema_node *n, yyjson_val *value) {
    struct schema_string *s = string_of(r, n);
    if (!s) return base_no_memory(r->error);
    s->pattern = value;
    return read_regex(&s->regex, r, value);
}

static pf_status read_bound(struct schema_reader *r, struct schema_node *n, yyjson_val *value,
                            int which) {
    struct schema_number *x = number_of(r, n);
    if (!base_json_is_number(value)) return schema_bad(r, "needs a number");
    if (!x) return base_no_memory(r->error);
    x->bounds[which] = value;
    base_json_number(value, &x->numbers[which]);
    return PF_OK;
}

#define BOUND(name, which)                                                                         \
    static pf_status name(struct schema_reader *r, struct schema_node *n, yyjson_val *value) {     \
        return read_bound(r, n, value, which);                                                     \
    }
BOUND(kw_minimum, SCHEMA_MINIMUM)
BOUND(kw_maximum, SCHEMA_MAXIMUM)
BOUND(kw_above, SCHEMA_ABOVE)
BOUND(kw_below, SCHEMA_BELOW)

static pf_status kw_multiple(struct schema_reader *r, struct schema_node *n, yyjson_val *value) {
    pf_status status = read_bound(r, n, value, SCHEMA_MULTIPLE);
    if (status != PF_OK) return status;
    struct base_number *m = &n->number->numbers[SCHEMA_MULTIPLE];
    if (m->zero || m->negative || base_number_digits(m) > BASE_NUMBER_DIVISOR_DIGITS)
        return schema_bad(r, "needs a number over 0 with at most 18 digits");
    return PF_OK;
}

/* ---- the table */

static const struct {
    const char *name;
    keyword_fn *read;
} keywords[] = {
    {"$comment", kw_annotation},
    {"$defs", kw_defs},
    {"$id", kw_id},
    {"$ref", kw_ref},
    {"$schema", kw_annotation},
    {"additionalProperties", kw_additional},
    {"allOf", kw_all_of},
    {"anyOf", kw_any_of},
    {"const", kw_const},
    {"contains", kw_contains},
    {"contentEncoding", kw_annotation},
    {"contentMediaType", kw_annotation},
    {"default", kw_annotation},
    {"definitions", kw_defs},
    {"dependentRequired", kw_dependent_required},
    {"dependentSchemas", kw_dependent_schemas},
    {"deprecated", kw_annotation},
    {"description", kw_annotation},
    {"discriminator", kw_annotation}, /* OpenAPI: which oneOf is meant; oneOf itself is checked */
    {"else", kw_else},
    {"enum", kw_enum},
    {"example", kw_annotation},
    {"examples", kw_annotation},
    {"exclusiveMaximum", kw_below},
    {"exclusiveMinimum", kw_above},
    {"format", kw_format},
    {"if", kw_if},
    {"items", kw_items},
    {"maxContains", kw_max_contains},
    {"maxItems", kw_max_items},
    {"maxLength", kw_max_length},
    {"maxProperties", kw_max_properties},
    {"maximum", kw_maximum},
    {"minContains", kw_min_contains},
    {"minItems", kw_min_items},
    {"minLength", kw_min_length},
    {"minProperties", kw_min_properties},
    {"minimum", kw_minimum},
    {"multipleOf", kw_multiple},
    {"not", kw_not},
    {"nullable", kw_nullable},
    {"oneOf", kw_one_of},
    {"pattern", kw_pattern},
    {"patternProperties", kw_pattern_properties},
    {"prefixItems", kw_prefix_items},
    {"properties", kw_properties},
    {"propertyNames", kw_names},
    {"readOnly", kw_annotation},
    {"required", kw_required},
    {"then", kw_then},
    {"title", kw_annotation},
    {"type", kw_type},
    {"uniqueItems", kw_unique},
    {"writeOnly", kw_annotation},
    {"x-returns", kw_annotation}, /* the schema of the tool's result, for who reads about it */
};

pf_status schema_keyword(struct schema_reader *r, struct schema_node *n, yyjson_val *key,
                         yyjson_val *value) {
    size_t low = 0, high = sizeof keywords / sizeof *keywords;
    const char *name = yyjson_get_str(key);
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(name, keywords[middle].name);
        if (order == 0 && yyjson_get_len(key) == strlen(name)) {
            size_t mark = r->where.len;
            base_text_addf(&r->where, mark ? ".%s" : "%s", name);
            pf_status status = keywords[middle].read(r, n, value);
            if (status == PF_OK) base_text_rewind(&r->where, mark);
            return status;
        }
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    char buffer[200];
    struct base_text shown;
    base_text_init(&shown, buffer, sizeof buffer);
    base_json_show(&shown, key, 100);
    return schema_bad(r, "the keyword %s is not known, so it could not be checked", buffer);
}
