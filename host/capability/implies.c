/*
 * host/capability/implies.c: is one constraint at least as strict as another? For attenuation.
 *
 * Sound, not complete: a "yes" must never be wrong, a "no" may be. Each rule below is an argument
 * about all values; two things carry most of them. What a leaf says depends on a value only up to
 * JSON equality, so a child that allows finitely many values is decided by trying them. And a value
 * that the child is not true of cannot be the actual one, which decides parents that exclude
 * values.
 */
#include "constraint.h"

#include <assert.h>

#define WORK_MAX 200000

struct proof {
    struct cap_eval eval;
    int work; /* comparisons of nodes left */
};

/* ---- sameness */

/* Of leaves with the same operator: both have a value, or none. */
static bool same_value(yyjson_val *a, yyjson_val *b, struct proof *proof) {
    assert((a == NULL) == (b == NULL));
    return !a || base_json_equal(a, b, &proof->eval.steps);
}

static bool same_leaf(const struct cap_leaf *a, const struct cap_leaf *b, struct proof *proof) {
    return a->op == b->op && a->length == b->length && a->optional == b->optional &&
           a->negated == b->negated && a->types == b->types && cap_path_same(&a->path, &b->path) &&
           (a->op == CAP_IS_TYPE || same_value(a->value, b->value, proof));
}

static bool same_node(const struct cap_node *a, const struct cap_node *b, struct proof *proof) {
    if (--proof->work < 0 || a->kind != b->kind || a->count != b->count) return false;
    if (a->kind == CAP_LEAF) return same_leaf(a->leaf, b->leaf, proof);
    for (size_t i = 0; i < a->count; i++)
        if (!same_node(a->items[i], b->items[i], proof)) return false;
    return true;
}

/* ---- leaves that are about the same value: whenever c is true of it, p is */

/* The types of values that the leaf can be true of. */
static unsigned possible_types(const struct cap_leaf *c) {
    const unsigned string = 1u << CAP_TYPE_INDEX_STRING, array = 1u << CAP_TYPE_INDEX_ARRAY;
    if (c->length) return string | array | 1u << CAP_TYPE_INDEX_OBJECT;
    switch (c->op) {
    case CAP_LT:
    case CAP_LE:
    case CAP_GT:
    case CAP_GE: return base_json_is_number(c->value) ? 1u << CAP_TYPE_INDEX_NUMBER : string;
    case CAP_STARTS_WITH:
    case CAP_ENDS_WITH:
    case CAP_MATCHES:
    case CAP_MATCHES_URL: return string;
    case CAP_CONTAINS: return yyjson_is_str(c->value) ? string | array : array;
    case CAP_IS_TYPE: return c->types;
    default: return ~0u;
    }
}

static bool types_imply(const struct cap_leaf *c, const struct cap_leaf *p) {
    unsigned allowed = p->types;
    if (allowed & 1u << CAP_TYPE_INDEX_NUMBER) allowed |= 1u << CAP_TYPE_INDEX_INTEGER;
    return (possible_types(c) & ~allowed) == 0;
}

/* p excludes values: none of them may be one that c is true of. */
static bool exclusion_implied(const struct cap_leaf *c, const struct cap_leaf *p,
                              struct proof *proof) {
    if (p->op == CAP_NE) return cap_leaf_judge(c, p->value, &proof->eval) != CAP_TRUE;
    yyjson_arr_iter iter = yyjson_arr_iter_with(p->value);
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));)
        if (cap_leaf_judge(c, item, &proof->eval) == CAP_TRUE) return false;
    return true;
}

/* c allows finitely many values: p must be true of each. */
static bool values_imply(const struct cap_leaf *c, const struct cap_leaf *p, struct proof *proof) {
    if (c->op == CAP_EQ) return cap_leaf_judge(p, c->value, &proof->eval) == CAP_TRUE;
    yyjson_arr_iter iter = yyjson_arr_iter_with(c->value);
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));)
        if (cap_leaf_judge(p, item, &proof->eval) != CAP_TRUE) return false;
    return true;
}

static bool is_upper(enum cap_operator op) {
    return op == CAP_LT || op == CAP_LE;
}
static bool is_lower(enum cap_operator op) {
    return op == CAP_GT || op == CAP_GE;
}

/* Both are bounds on the same side, and c's is inside p's. */
static bool bound_implied(const struct cap_leaf *c, const struct cap_leaf *p, struct proof *proof) {
    if (!(is_upper(c->op) && is_upper(p->op)) && !(is_lower(c->op) && is_lower(p->op)))
        return false;
    /* c's bound is a value that satisfies p; or it is p's bound, which c itself excludes. */
    if (cap_leaf_judge(p, c->value, &proof->eval) == CAP_TRUE) return true;
    return (c->op == CAP_LT || c->op == CAP_GT) && same_value(c->value, p->value, proof);
}

static bool string_implied(const struct cap_leaf *c, const struct cap_leaf *p,
                           struct proof *proof) {
    if (c->op == p->op && same_value(c->value, p->value, proof)) return true;
    if (c->op != CAP_STARTS_WITH && c->op != CAP_ENDS_WITH) return false;
    /* What c's part starts with, ends with or contains, the whole does. */
    return (p->op == c->op || p->op == CAP_CONTAINS) &&
           cap_leaf_judge(p, c->value, &proof->eval) == CAP_TRUE;
}

static bool value_implies(const struct cap_leaf *c, const struct cap_leaf *p, struct proof *proof) {
    assert(c->op != CAP_NOT_EXISTS); /* nothing is true of a value that is not there */
    if (c->length && p->length) { /* both are about one number */
        struct cap_leaf a = *c, b = *p;
        a.length = b.length = false;
        return value_implies(&a, &b, proof);
    }
    if (!c->length && (c->op == CAP_EQ || c->op == CAP_IN)) return values_imply(c, p, proof);
    if (p->length) return false;
    switch (p->op) {
    case CAP_NE:
    case CAP_NOT_IN: return exclusion_implied(c, p, proof);
    case CAP_IS_TYPE: return types_imply(c, p);
    case CAP_LT:
    case CAP_LE:
    case CAP_GT:
    case CAP_GE: return !c->length && bound_implied(c, p, proof);
    case CAP_STARTS_WITH:
    case CAP_ENDS_WITH:
    case CAP_CONTAINS:
    case CAP_MATCHES:
    case CAP_MATCHES_URL: return string_implied(c, p, proof);
    default: return false;
    }
}

/* ---- leaves with their paths */

static bool leaf_implies(const struct cap_leaf *c, const struct cap_leaf *p, struct proof *proof) {
    if (same_leaf(c, p, proof)) return true;
    if (c->negated || p->negated) return false;
    /* What lies inside something missing is missing. */
    if (c->op == CAP_NOT_EXISTS)
        return (p->op == CAP_NOT_EXISTS || p->optional) && cap_path_starts_with(&p->path, &c->path);
    /* A leaf that is true of a value had the value, and everything on the way to it. */
    if (p->op == CAP_EXISTS) return !c->optional && cap_path_starts_with(&c->path, &p->path);
    if (c->optional && !p->optional) return false;
    return cap_path_same(&c->path, &p->path) && value_implies(c, p, proof);
}

/* ---- trees */

static bool node_implies(const struct cap_node *c, const struct cap_node *p, struct proof *proof) {
    if (--proof->work < 0) return false;
    if (p->kind == CAP_ALL) {
        for (size_t i = 0; i < p->count; i++)
            if (!node_implies(c, p->items[i], proof)) return false;
        return true;
    }
    if (c->kind == CAP_ANY) {
        if (same_node(c, p, proof)) return true;
        for (size_t i = 0; i < c->count; i++)
            if (!node_implies(c->items[i], p, proof)) return false;
        return true;
    }
    if (c->kind == CAP_ALL)
        for (size_t i = 0; i < c->count; i++)
            if (node_implies(c->items[i], p, proof)) return true;
    if (p->kind == CAP_ANY) {
        for (size_t i = 0; i < p->count; i++)
            if (node_implies(c, p->items[i], proof)) return true;
        return false;
    }
    return c->kind == CAP_LEAF && leaf_implies(c->leaf, p->leaf, proof);
}

/* An answer for which memory or steps ran out is a no. Where work ran out it is one already. */
static bool certain(bool answer, const struct proof *proof) {
    return answer && proof->eval.steps >= 0 && !proof->eval.no_memory;
}

bool cap_node_implies(const struct cap_node *child, const struct cap_node *parent,
                      const struct cap_node **first) {
    struct proof proof = {.eval = CAP_EVAL, .work = WORK_MAX};
    assert(parent->kind == CAP_ALL); /* a capability's constraints */
    for (size_t i = 0; i < parent->count; i++) {
        if (certain(node_implies(child, parent->items[i], &proof), &proof)) continue;
        if (first) *first = parent->items[i];
        return false;
    }
    return true;
}

bool cap_node_same(const struct cap_node *a, const struct cap_node *b) {
    struct proof proof = {.eval = CAP_EVAL, .work = WORK_MAX};
    return certain(same_node(a, b, &proof), &proof);
}
