/*
 * host/capability/constraint_eval.c: does a constraint hold? See "TRUTH" in constraint.h.
 */
#include "constraint.h"

#include "host/base/utf8.h"

#include <string.h>

unsigned cap_types_of(const yyjson_val *value) {
    struct base_number n;
    switch (yyjson_get_type((yyjson_val *)value)) {
    case YYJSON_TYPE_NULL: return 1u << CAP_TYPE_INDEX_NULL;
    case YYJSON_TYPE_BOOL: return 1u << CAP_TYPE_INDEX_BOOLEAN;
    case YYJSON_TYPE_STR: return 1u << CAP_TYPE_INDEX_STRING;
    case YYJSON_TYPE_ARR: return 1u << CAP_TYPE_INDEX_ARRAY;
    case YYJSON_TYPE_OBJ: return 1u << CAP_TYPE_INDEX_OBJECT;
    case YYJSON_TYPE_RAW:
        base_json_number(value, &n);
        return 1u << CAP_TYPE_INDEX_NUMBER |
               (base_number_whole(&n) ? 1u << CAP_TYPE_INDEX_INTEGER : 0);
    default: return 0;
    }
}

static enum cap_truth truth(bool b) {
    return b ? CAP_TRUE : CAP_FALSE;
}

static enum cap_truth judge_order(enum cap_operator op, int order) {
    switch (op) {
    case CAP_LT: return truth(order < 0);
    case CAP_LE: return truth(order <= 0);
    case CAP_GT: return truth(order > 0);
    default: return truth(order >= 0);
    }
}

static int compare_strings(const yyjson_val *a, const yyjson_val *b) {
    size_t n = yyjson_get_len((void *)a), m = yyjson_get_len((void *)b);
    int order = memcmp(yyjson_get_str((void *)a), yyjson_get_str((void *)b), n < m ? n : m);
    return order ? order : n < m ? -1 : n > m;
}

static enum cap_truth judge_equal(yyjson_val *a, yyjson_val *b, struct cap_eval *eval) {
    return truth(base_json_equal(a, b, &eval->steps));
}

static enum cap_truth judge_in(yyjson_val *list, yyjson_val *value, struct cap_eval *eval) {
    yyjson_arr_iter iter = yyjson_arr_iter_with(list);
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));) {
        enum cap_truth t = judge_equal(item, value, eval);
        if (t != CAP_FALSE) return t;
    }
    return CAP_FALSE;
}

static enum cap_truth contrary(enum cap_truth t) {
    return t == CAP_TRUE ? CAP_FALSE : t == CAP_FALSE ? CAP_TRUE : CAP_UNKNOWN;
}

static enum cap_truth judge_string(const struct cap_leaf *leaf, yyjson_val *value,
                                   struct cap_eval *eval) {
    const char *text = yyjson_get_str(value), *part = yyjson_get_str(leaf->value);
    size_t len = yyjson_get_len(value), part_len = yyjson_get_len(leaf->value);
    switch (leaf->op) {
    case CAP_STARTS_WITH: return truth(len >= part_len && memcmp(text, part, part_len) == 0);
    case CAP_ENDS_WITH:
        return truth(len >= part_len && memcmp(text + len - part_len, part, part_len) == 0);
    case CAP_CONTAINS: return truth(memmem(text, len, part, part_len) != NULL);
    default: break;
    }
    enum cap_match match = cap_regex_fullmatch(leaf->regex, text, len);
    if (match == CAP_MATCH_FAILED) eval->no_memory = true;
    return match == CAP_MATCH ? CAP_TRUE : match == CAP_NO_MATCH ? CAP_FALSE : CAP_UNKNOWN;
}

/* A string contains a part of it, an array an element. */
static enum cap_truth judge_contains(const struct cap_leaf *leaf, yyjson_val *value,
                                     struct cap_eval *eval) {
    if (yyjson_is_arr(value)) return judge_in(value, leaf->value, eval);
    if (yyjson_is_str(value) && yyjson_is_str(leaf->value)) return judge_string(leaf, value, eval);
    return CAP_UNKNOWN;
}

static enum cap_truth judge_url(const struct cap_leaf *leaf, yyjson_val *value) {
    struct http_url url;
    const char *why;
    if (!yyjson_is_str(value)) return CAP_UNKNOWN;
    if (!http_url_read(&url, yyjson_get_str(value), yyjson_get_len(value), &why))
        return CAP_UNKNOWN;
    return truth(http_rule_matches_url(leaf->rule, &url));
}

static enum cap_truth judge_compare(const struct cap_leaf *leaf, yyjson_val *value) {
    if (base_json_is_number(value) && base_json_is_number(leaf->value)) {
        struct base_number n;
        base_json_number(value, &n);
        return judge_order(leaf->op, base_number_compare(&n, &leaf->number));
    }
    if (yyjson_is_str(value) && yyjson_is_str(leaf->value))
        return judge_order(leaf->op, compare_strings(value, leaf->value));
    return CAP_UNKNOWN;
}

/* The length becomes a JSON number of its own, and is judged like any other. */
static enum cap_truth judge_length(const struct cap_leaf *leaf, yyjson_val *value,
                                   struct cap_eval *eval) {
    size_t length;
    if (yyjson_is_str(value))
        length = base_utf8_count(yyjson_get_str(value), yyjson_get_len(value));
    else if (yyjson_is_ctn(value))
        length = unsafe_yyjson_get_len(value);
    else
        return CAP_UNKNOWN;
    char text[BASE_NUMBER_TEXT];
    struct base_number n;
    base_number_of(&n, (int64_t)length, text);
    yyjson_val number = {0};
    unsafe_yyjson_set_raw(&number, text, strlen(text));
    struct cap_leaf plain = *leaf;
    plain.length = false;
    return cap_leaf_judge(&plain, &number, eval);
}

enum cap_truth cap_leaf_judge(const struct cap_leaf *leaf, yyjson_val *value,
                              struct cap_eval *eval) {
    if (eval->steps <= 0) {
        eval->steps = -1;
        return CAP_UNKNOWN;
    }
    eval->steps--;
    if (leaf->length) return judge_length(leaf, value, eval);
    switch (leaf->op) {
    case CAP_LT:
    case CAP_LE:
    case CAP_GT:
    case CAP_GE: return judge_compare(leaf, value);
    case CAP_EQ: return judge_equal(leaf->value, value, eval);
    case CAP_NE: return contrary(judge_equal(leaf->value, value, eval));
    case CAP_IN: return judge_in(leaf->value, value, eval);
    case CAP_NOT_IN: return contrary(judge_in(leaf->value, value, eval));
    case CAP_STARTS_WITH:
    case CAP_ENDS_WITH:
    case CAP_MATCHES: return yyjson_is_str(value) ? judge_string(leaf, value, eval) : CAP_UNKNOWN;
    case CAP_MATCHES_URL: return judge_url(leaf, value);
    case CAP_CONTAINS: return judge_contains(leaf, value, eval);
    case CAP_IS_TYPE: return truth(cap_types_of(value) & leaf->types);
    case CAP_EXISTS: return CAP_TRUE;
    case CAP_NOT_EXISTS: return CAP_FALSE;
    }
    return CAP_UNKNOWN;
}

/* ---- along the path */

struct walk {
    const struct cap_leaf *leaf;
    struct cap_eval *eval;
    struct cap_fault *fault;
    size_t indexes[CAP_PATH_STEPS];
    size_t each; /* how many [*] we are inside */
    bool faulty;
};

static enum cap_truth note(struct walk *w, enum cap_truth t, enum cap_found found,
                           yyjson_val *value) {
    if (!w->faulty && (t != CAP_TRUE || !w->leaf->path.each)) {
        w->faulty = true;
        w->fault->found = found;
        w->fault->value = value;
        w->fault->each = w->each;
        memcpy(w->fault->indexes, w->indexes, w->each * sizeof *w->indexes);
    }
    return t;
}

static enum cap_truth missing(const struct cap_leaf *leaf) {
    if (leaf->op == CAP_EXISTS) return CAP_FALSE;
    return leaf->optional || leaf->op == CAP_NOT_EXISTS ? CAP_TRUE : CAP_UNKNOWN;
}

static enum cap_truth walk(struct walk *w, size_t at, yyjson_val *value);

/* All elements: false when one is false, unknown when one is unknown, true of an empty array. */
static enum cap_truth walk_each(struct walk *w, size_t at, yyjson_val *array) {
    enum cap_truth all = CAP_TRUE;
    size_t depth = w->each++;
    yyjson_arr_iter iter = yyjson_arr_iter_with(array);
    for (yyjson_val *item; all != CAP_FALSE && (item = yyjson_arr_iter_next(&iter));) {
        w->indexes[depth] = iter.idx - 1;
        enum cap_truth t = walk(w, at, item);
        if (t != CAP_TRUE) all = t;
    }
    w->each--;
    return all;
}

/* Of a text that is an address of the web, a part by its name. */
static enum cap_found take_part(struct walk *w, const struct cap_step *step, yyjson_val *value,
                                yyjson_val **out) {
    struct cap_fault *f = w->fault;
    const char *why, *text;
    size_t len;
    if (!http_url_has_part(step->key, step->len)) return CAP_ASTRAY;
    if (!http_url_read(&f->url, yyjson_get_str(value), yyjson_get_len(value), &why))
        return CAP_ASTRAY;
    text = http_url_part(&f->url, step->key, step->len, &len, f->number);
    if (!text) return CAP_MISSING;
    if (text == f->number)
        unsafe_yyjson_set_raw(&f->part, text, len);
    else
        unsafe_yyjson_set_strn(&f->part, text, len);
    *out = &f->part;
    return CAP_FOUND;
}

static enum cap_truth walk(struct walk *w, size_t at, yyjson_val *value) {
    const struct cap_path *path = &w->leaf->path;
    for (; at < path->count; at++) {
        if (path->steps[at].kind == CAP_STEP_EACH) {
            if (!yyjson_is_arr(value)) return note(w, CAP_UNKNOWN, CAP_ASTRAY, value);
            return walk_each(w, at + 1, value);
        }
        yyjson_val *next = NULL;
        bool part = yyjson_is_str(value) && path->steps[at].kind == CAP_STEP_MEMBER;
        enum cap_found found = part ? take_part(w, &path->steps[at], value, &next)
                                    : cap_step_take(&path->steps[at], value, &next);
        if (found == CAP_MISSING) return note(w, missing(w->leaf), found, NULL);
        if (found == CAP_ASTRAY) return note(w, CAP_UNKNOWN, found, value);
        value = next;
    }
    return note(w, cap_leaf_judge(w->leaf, value, w->eval), CAP_FOUND, value);
}

enum cap_truth cap_leaf_eval(const struct cap_leaf *leaf, yyjson_val *params, struct cap_eval *eval,
                             struct cap_fault *fault) {
    struct walk w = {.leaf = leaf, .eval = eval, .fault = fault};
    enum cap_truth t = walk(&w, 0, params);
    return leaf->negated ? contrary(t) : t;
}

/* What was compared in part only does not hold, whatever it looks like so far. */
static bool leaf_holds(const struct cap_leaf *leaf, yyjson_val *params, struct cap_eval *eval) {
    struct cap_fault fault;
    return cap_leaf_eval(leaf, params, eval, &fault) == CAP_TRUE && eval->steps >= 0;
}

bool cap_node_holds(const struct cap_node *node, yyjson_val *params, struct cap_eval *eval) {
    if (node->kind == CAP_LEAF) return leaf_holds(node->leaf, params, eval);
    for (size_t i = 0; i < node->count; i++)
        if (cap_node_holds(node->items[i], params, eval) != (node->kind == CAP_ALL))
            return node->kind == CAP_ANY;
    return node->kind == CAP_ALL;
}
