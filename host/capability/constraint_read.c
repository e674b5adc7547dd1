/*
 * host/capability/constraint_read.c: from JSON to a tree of constraints. See constraint.h.
 *
 * It fails closed: a key, operator or value that it does not understand is refused with its place.
 */
#include "constraint.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const cap_operator_names[CAP_OPERATOR_COUNT] = {
#define X(name, text) text,
    CAP_OPERATORS(X)
#undef X
};

const char *const cap_type_names[CAP_TYPE_COUNT] = {
#define X(name, text) text,
    CAP_TYPES(X)
#undef X
};

unsigned cap_type_bit(const yyjson_val *name) {
    for (unsigned i = 0; i < CAP_TYPE_COUNT; i++)
        if (base_json_is(name, cap_type_names[i])) return 1u << i;
    return 0;
}

pf_status cap_reader_bad(struct cap_reader *reader, const char *format, ...) {
    char what[700];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return base_error(reader->error, PF_INVALID, "%s: %s", reader->where.data, what);
}

static pf_status compile(struct cap_leaf *leaf, struct cap_reader *r) {
    pf_error error;
    pf_status status =
        cap_regexes_add(&r->regexes, r->arena, &leaf->regex, yyjson_get_str(leaf->value),
                        yyjson_get_len(leaf->value), &error);
    if (status == PF_INVALID) return cap_reader_bad(r, "%s", error.message);
    return status == PF_OK ? PF_OK : base_no_memory(r->error);
}

static pf_status read_rule(struct cap_leaf *leaf, struct cap_reader *r) {
    pf_error error;
    leaf->rule = base_arena_zalloc(r->arena, sizeof *leaf->rule);
    if (!leaf->rule) return base_no_memory(r->error);
    pf_status status = http_rule_read(leaf->rule, r->arena, yyjson_get_str(leaf->value),
                                      yyjson_get_len(leaf->value), false, &error);
    if (status == PF_INVALID) return cap_reader_bad(r, "%s", error.message);
    return status == PF_OK ? PF_OK : base_no_memory(r->error);
}

/* ---- leaves */

static pf_status check_types(struct cap_leaf *leaf, struct cap_reader *r) {
    yyjson_val *v = leaf->value;
    size_t count = yyjson_is_arr(v) ? yyjson_arr_size(v) : 1;
    for (size_t i = 0; i < count; i++) {
        unsigned bit = cap_type_bit(yyjson_is_arr(v) ? yyjson_arr_get(v, i) : v);
        if (!bit) count = 0;
        leaf->types |= bit;
    }
    if (count == 0)
        return cap_reader_bad(r, "is_type needs null, boolean, integer, number, string, array or "
                                 "object, or a list of these");
    return PF_OK;
}

static pf_status check_length_value(const struct cap_leaf *leaf, struct cap_reader *r) {
    bool list = leaf->op == CAP_IN || leaf->op == CAP_NOT_IN;
    if (leaf->op > CAP_NOT_IN)
        return cap_reader_bad(r, "a length can only be compared with numbers: < <= > >= == != in "
                                 "not_in");
    yyjson_arr_iter iter = yyjson_arr_iter_with(leaf->value);
    for (yyjson_val *item; list && (item = yyjson_arr_iter_next(&iter));)
        if (!base_json_is_number(item)) return cap_reader_bad(r, "a length is a number");
    if (!list && !base_json_is_number(leaf->value))
        return cap_reader_bad(r, "a length is a number");
    return PF_OK;
}

/* Is the value one that the operator can compare with? */
static pf_status check_value(struct cap_leaf *leaf, struct cap_reader *r) {
    yyjson_val *v = leaf->value;
    const char *op = cap_operator_names[leaf->op];
    if (leaf->op == CAP_EXISTS || leaf->op == CAP_NOT_EXISTS) {
        if (v) return cap_reader_bad(r, "%s takes no value", op);
        if (leaf->length || leaf->optional)
            return cap_reader_bad(r, "%s goes with neither \"of\" nor \"optional\"", op);
        return PF_OK;
    }
    if (!v) return cap_reader_bad(r, "%s needs a value", op);
    switch (leaf->op) {
    case CAP_LT:
    case CAP_LE:
    case CAP_GT:
    case CAP_GE:
        if (!base_json_is_number(v) && !yyjson_is_str(v))
            return cap_reader_bad(r, "%s compares with a number or a string, not with %s", op,
                                  base_json_type(v));
        break;
    case CAP_IN:
    case CAP_NOT_IN:
        if (!yyjson_is_arr(v)) return cap_reader_bad(r, "%s needs a list of values", op);
        break;
    case CAP_STARTS_WITH:
    case CAP_ENDS_WITH:
    case CAP_MATCHES:
    case CAP_MATCHES_URL:
        if (!yyjson_is_str(v)) return cap_reader_bad(r, "%s needs a string", op);
        break;
    case CAP_IS_TYPE:
        if (leaf->length) break;
        return check_types(leaf, r);
    default: break;
    }
    return leaf->length ? check_length_value(leaf, r) : PF_OK;
}

static enum cap_operator opposite(enum cap_operator op) {
    switch (op) {
    case CAP_LT: return CAP_GE;
    case CAP_LE: return CAP_GT;
    case CAP_GT: return CAP_LE;
    case CAP_GE: return CAP_LT;
    case CAP_EQ: return CAP_NE;
    case CAP_NE: return CAP_EQ;
    case CAP_IN: return CAP_NOT_IN;
    case CAP_NOT_IN: return CAP_IN;
    case CAP_EXISTS: return CAP_NOT_EXISTS;
    case CAP_NOT_EXISTS: return CAP_EXISTS;
    default: return op;
    }
}

/* Says the contrary. `optional` goes: what is not true of a missing parameter stays so. With [*]
 * the contrary of "all are" is "one is not", which no operator says. */
static void negate(struct cap_leaf *leaf) {
    enum cap_operator other = opposite(leaf->op);
    leaf->optional = false;
    if (leaf->path.each || other == leaf->op)
        leaf->negated = true;
    else
        leaf->op = other;
}

static pf_status finish_leaf(struct cap_node **out, struct cap_leaf *leaf, struct cap_reader *r) {
    pf_status status = check_value(leaf, r);
    if (status != PF_OK) return status;
    if (leaf->value && base_json_is_number(leaf->value))
        base_json_number(leaf->value, &leaf->number);
    if (leaf->op == CAP_MATCHES) status = compile(leaf, r);
    if (leaf->op == CAP_MATCHES_URL) status = read_rule(leaf, r);
    if (status != PF_OK) return status;
    struct cap_node *node = base_arena_zalloc(r->arena, sizeof *node);
    if (!node) return base_no_memory(r->error);
    node->kind = CAP_LEAF;
    node->leaf = leaf;
    *out = node;
    return PF_OK;
}

static pf_status read_path(struct cap_leaf *leaf, struct cap_reader *r, const char *text,
                           size_t len) {
    pf_error error;
    pf_status status = cap_path_read(&leaf->path, r->arena, text, len, &error);
    if (status == PF_INVALID) return cap_reader_bad(r, "%s", error.message);
    return status == PF_OK ? PF_OK : base_no_memory(r->error);
}

pf_status cap_leaf_new(struct cap_node **out, struct cap_reader *r, const char *param,
                       size_t param_len, enum cap_operator op, yyjson_val *value) {
    struct cap_leaf *leaf = base_arena_zalloc(r->arena, sizeof *leaf);
    if (!leaf) return base_no_memory(r->error);
    leaf->op = op;
    leaf->value = value;
    pf_status status = read_path(leaf, r, param, param_len);
    return status == PF_OK ? finish_leaf(out, leaf, r) : status;
}

static bool find_operator(const yyjson_val *name, enum cap_operator *out) {
    for (int i = 0; i < CAP_OPERATOR_COUNT; i++)
        if (base_json_is(name, cap_operator_names[i])) {
            *out = (enum cap_operator)i;
            return true;
        }
    return false;
}

static pf_status unknown_operator(struct cap_reader *r, const yyjson_val *name) {
    char buffer[500];
    struct base_text text;
    base_text_init(&text, buffer, sizeof buffer);
    base_json_show(&text, name, 60);
    base_text_addz(&text, " is not an operator; the operators are");
    for (int i = 0; i < CAP_OPERATOR_COUNT; i++)
        base_text_addf(&text, " %s", cap_operator_names[i]);
    return cap_reader_bad(r, "%s", buffer);
}

static pf_status unknown_key(struct cap_reader *r, const yyjson_val *key, const char *known) {
    char buffer[200];
    struct base_text text;
    base_text_init(&text, buffer, sizeof buffer);
    base_json_show(&text, key, 100);
    return cap_reader_bad(r, "the key %s is not known here; %s", buffer, known);
}

static pf_status read_leaf(struct cap_node **out, struct cap_reader *r, yyjson_val *object,
                           bool negated) {
    struct cap_leaf *leaf = base_arena_zalloc(r->arena, sizeof *leaf);
    if (!leaf) return base_no_memory(r->error);
    yyjson_val *param = NULL, *op = NULL;
    yyjson_obj_iter iter = yyjson_obj_iter_with(object);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter));) {
        yyjson_val *value = yyjson_obj_iter_get_val(key);
        if (base_json_is(key, "param"))
            param = value;
        else if (base_json_is(key, "op"))
            op = value;
        else if (base_json_is(key, "value"))
            leaf->value = value;
        else if (base_json_is(key, "of") && base_json_is(value, "length"))
            leaf->length = true;
        else if (base_json_is(key, "optional") && yyjson_is_bool(value))
            leaf->optional = yyjson_get_bool(value);
        else if (base_json_is(key, "of") || base_json_is(key, "optional"))
            return cap_reader_bad(r, "\"of\" is \"length\" and \"optional\" is true or false");
        else
            return unknown_key(r, key,
                               "a constraint has param, op, value, of and optional, or one "
                               "of all, any and not");
    }
    if (!yyjson_is_str(param)) return cap_reader_bad(r, "\"param\" must name a parameter");
    if (!op) return cap_reader_bad(r, "\"op\" is missing");
    if (!find_operator(op, &leaf->op)) return unknown_operator(r, op);
    pf_status status = read_path(leaf, r, yyjson_get_str(param), yyjson_get_len(param));
    if (status == PF_OK) status = finish_leaf(out, leaf, r);
    if (status == PF_OK && negated) negate(leaf);
    return status;
}

/* ---- trees */

static pf_status read_node(struct cap_node **out, struct cap_reader *r, yyjson_val *value,
                           bool negated, unsigned depth);

static pf_status read_list(struct cap_node **out, struct cap_reader *r, yyjson_val *list,
                           enum cap_node_kind kind, bool negated, unsigned depth) {
    if (!yyjson_is_arr(list)) return cap_reader_bad(r, "needs a list of constraints");
    struct cap_node *node = base_arena_zalloc(r->arena, sizeof *node);
    if (node) node->items = base_arena_array(r->arena, yyjson_arr_size(list), sizeof *node->items);
    if (!node || !node->items) return base_no_memory(r->error);
    node->kind = kind;
    size_t mark = r->where.len;
    yyjson_arr_iter iter = yyjson_arr_iter_with(list);
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));) {
        base_text_addf(&r->where, "[%zu]", node->count);
        pf_status status = read_node(&node->items[node->count], r, item, negated, depth);
        if (status != PF_OK) return status;
        node->count++;
        base_text_rewind(&r->where, mark);
    }
    *out = node;
    return PF_OK;
}

/* {"all": […]}, {"any": […]} or {"not": …} */
static pf_status read_junction(struct cap_node **out, struct cap_reader *r, yyjson_val *object,
                               bool negated, unsigned depth) {
    yyjson_obj_iter iter = yyjson_obj_iter_with(object);
    yyjson_val *key = yyjson_obj_iter_next(&iter), *value = yyjson_obj_iter_get_val(key);
    if (yyjson_obj_size(object) != 1)
        return cap_reader_bad(r, "all, any and not stand alone in their object");
    size_t mark = r->where.len;
    base_text_addf(&r->where, ".%s", yyjson_get_str(key));
    pf_status status;
    if (base_json_is(key, "not")) {
        status = read_node(out, r, value, !negated, depth);
    } else {
        bool any = base_json_is(key, "any");
        status = read_list(out, r, value, any != negated ? CAP_ANY : CAP_ALL, negated, depth);
        if (status == PF_OK && (*out)->count == 0)
            return cap_reader_bad(r, "an empty list says nothing");
    }
    if (status == PF_OK) base_text_rewind(&r->where, mark);
    return status;
}

static pf_status read_node(struct cap_node **out, struct cap_reader *r, yyjson_val *value,
                           bool negated, unsigned depth) {
    if (depth == 0) return cap_reader_bad(r, "constraints are nested too deeply");
    if (!yyjson_is_obj(value))
        return cap_reader_bad(r, "a constraint is an object, not %s", base_json_type(value));
    if (yyjson_obj_get(value, "all") || yyjson_obj_get(value, "any") ||
        yyjson_obj_get(value, "not"))
        return read_junction(out, r, value, negated, depth - 1);
    return read_leaf(out, r, value, negated);
}

static pf_status read_short(struct cap_node **out, struct cap_reader *r, yyjson_val *object) {
    struct cap_node *node = base_arena_zalloc(r->arena, sizeof *node);
    if (node)
        node->items = base_arena_array(r->arena, yyjson_obj_size(object), sizeof *node->items);
    if (!node || !node->items) return base_no_memory(r->error);
    node->kind = CAP_ALL;
    size_t mark = r->where.len;
    yyjson_obj_iter iter = yyjson_obj_iter_with(object);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter));) {
        base_text_addz(&r->where, "[");
        base_json_show(&r->where, key, 60);
        base_text_addz(&r->where, "]");
        pf_status status = cap_constraint_parse(&node->items[node->count], r, yyjson_get_str(key),
                                                yyjson_get_len(key), yyjson_obj_iter_get_val(key));
        if (status != PF_OK) return status;
        node->count++;
        base_text_rewind(&r->where, mark);
    }
    *out = node;
    return PF_OK;
}

pf_status cap_constraints_read(struct cap_node **out, struct cap_reader *r, yyjson_val *value) {
    if (yyjson_is_obj(value)) return read_short(out, r, value);
    if (yyjson_is_arr(value)) return read_list(out, r, value, CAP_ALL, false, CAP_NESTING);
    return cap_reader_bad(r, "constraints are a list, or an object with one member per parameter");
}
