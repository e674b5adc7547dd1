/*
 * host/capability/constraint_text.c: constraints in words, for the guest, the log and the embedder.
 *
 *     amount must be <= 1000 (it is 5000)
 *     currency must be one of "USD", "EUR" (it is missing)
 *     one of these must hold: amount must be <= 10; note must start with "ok" (amount is 12; note
 * is missing)
 */
#include "constraint.h"

#include "host/base/utf8.h"

#define VALUE_SHOWN 80
#define LIST_SHOWN  200
#define PARTS_SHOWN 8

static void show_types(struct base_text *text, unsigned types) {
    const char *between = "";
    for (unsigned i = 0; i < CAP_TYPE_COUNT; i++) {
        if (!(types & 1u << i)) continue;
        base_text_addf(text, "%s%s", between, cap_type_names[i]);
        between = " or ";
    }
}

static void show_list(struct base_text *text, yyjson_val *list) {
    size_t start = text->len;
    yyjson_arr_iter iter = yyjson_arr_iter_with(list);
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));) {
        if (iter.idx > 1) base_text_addz(text, ", ");
        if (text->len - start > LIST_SHOWN) {
            base_text_addz(text, "…");
            return;
        }
        base_json_show(text, item, VALUE_SHOWN);
    }
    if (yyjson_arr_size(list) == 0) base_text_addz(text, "nothing");
}

/* What the operator asks for, after "must" or "must not". */
static void show_rule(struct base_text *text, const struct cap_leaf *leaf) {
    bool negative = leaf->op == CAP_NE || leaf->op == CAP_NOT_IN || leaf->op == CAP_NOT_EXISTS;
    base_text_addz(text, negative != leaf->negated ? " must not " : " must ");
    switch (leaf->op) {
    case CAP_LT:
    case CAP_LE:
    case CAP_GT:
    case CAP_GE: base_text_addf(text, "be %s ", cap_operator_names[leaf->op]); break;
    case CAP_EQ:
    case CAP_NE: base_text_addz(text, "be "); break;
    case CAP_STARTS_WITH: base_text_addz(text, "start with "); break;
    case CAP_ENDS_WITH: base_text_addz(text, "end with "); break;
    case CAP_CONTAINS: base_text_addz(text, "contain "); break;
    case CAP_MATCHES:
    case CAP_MATCHES_URL: base_text_addz(text, "match "); break;
    case CAP_IN:
    case CAP_NOT_IN:
        base_text_addz(text, "be one of ");
        show_list(text, leaf->value);
        return;
    case CAP_IS_TYPE:
        base_text_addz(text, "be of type ");
        show_types(text, leaf->types);
        return;
    case CAP_EXISTS:
    case CAP_NOT_EXISTS: base_text_addz(text, "be given"); return;
    }
    base_json_show(text, leaf->value, VALUE_SHOWN);
}

/* fault: names the element that is meant; NULL for the rule as such. */
static void show_leaf(struct base_text *text, const struct cap_leaf *leaf,
                      const struct cap_fault *fault) {
    if (leaf->negated && leaf->path.each) {
        base_text_addz(text, "at least one ");
        fault = NULL;
    }
    if (leaf->length) base_text_addz(text, "length of ");
    cap_path_show(text, &leaf->path, fault ? fault->indexes : NULL, fault ? fault->each : 0);
    show_rule(text, leaf);
    if (leaf->optional && !fault) base_text_addz(text, ", if given");
}

void cap_node_show(struct base_text *text, const struct cap_node *node) {
    if (node->kind == CAP_LEAF) {
        show_leaf(text, node->leaf, NULL);
        return;
    }
    if (node->count == 1) {
        cap_node_show(text, node->items[0]);
        return;
    }
    base_text_addz(text, node->kind == CAP_ALL ? "(all of these must hold: "
                                               : "(one of these must hold: ");
    for (size_t i = 0; i < node->count; i++) {
        if (i) base_text_addz(text, "; ");
        cap_node_show(text, node->items[i]);
    }
    base_text_addz(text, ")");
}

static void show_length(struct base_text *text, yyjson_val *value) {
    base_text_addf(text, "%zu",
                   yyjson_is_str(value)
                       ? base_utf8_count(yyjson_get_str(value), yyjson_get_len(value))
                       : unsafe_yyjson_get_len(value));
}

/* What the parameter is: `5000`, `missing`, `"5", a string`. */
static void show_actual(struct base_text *text, const struct cap_leaf *leaf,
                        const struct cap_fault *fault) {
    if (fault->found == CAP_MISSING) {
        base_text_addz(text, "missing");
        return;
    }
    if (fault->found == CAP_ASTRAY) {
        const char *type = base_json_type(fault->value);
        base_text_addf(text, "not there: on the way to it is %s %s",
                       type[0] == 'a' || type[0] == 'o' ? "an" : "a", type);
        return;
    }
    if (leaf->length && (yyjson_is_str(fault->value) || yyjson_is_ctn(fault->value))) {
        show_length(text, fault->value);
        return;
    }
    base_json_show(text, fault->value, VALUE_SHOWN);
    struct cap_eval eval = CAP_EVAL;
    if (cap_leaf_judge(leaf, fault->value, &eval) == CAP_UNKNOWN && eval.steps >= 0 &&
        !eval.no_memory)
        base_text_addf(text, ", which is of type %s", base_json_type(fault->value));
}

static void explain_leaf(struct base_text *text, const struct cap_leaf *leaf, yyjson_val *params) {
    struct cap_eval eval = CAP_EVAL;
    struct cap_fault fault = {0};
    cap_leaf_eval(leaf, params, &eval, &fault);
    if (eval.steps < 0) {
        base_text_addz(text, "the arguments are too large to be checked");
        return;
    }
    show_leaf(text, leaf, &fault);
    if (leaf->negated && leaf->path.each) return;
    base_text_addz(text, " (it is ");
    show_actual(text, leaf, &fault);
    base_text_addz(text, ")");
}

struct actuals {
    const struct cap_leaf *leaves[PARTS_SHOWN]; /* whose values were shown */
    size_t count;
};

static bool was_shown(const struct actuals *shown, const struct cap_leaf *leaf) {
    for (size_t i = 0; i < shown->count; i++) {
        const struct cap_leaf *other = shown->leaves[i];
        if (!leaf->path.each && other->length == leaf->length &&
            cap_path_same(&other->path, &leaf->path))
            return true;
    }
    return false;
}

static void show_actuals(struct base_text *text, const struct cap_node *node, yyjson_val *params,
                         struct actuals *shown) {
    for (size_t i = 0; i < node->count && shown->count < PARTS_SHOWN; i++)
        show_actuals(text, node->items[i], params, shown);
    if (node->kind != CAP_LEAF || shown->count >= PARTS_SHOWN) return;
    if (was_shown(shown, node->leaf)) return;
    struct cap_eval eval = CAP_EVAL;
    struct cap_fault fault = {0};
    if (cap_leaf_eval(node->leaf, params, &eval, &fault) == CAP_TRUE) return;
    if (node->leaf->negated && node->leaf->path.each) return;
    base_text_addz(text, shown->count ? "; " : " (");
    shown->leaves[shown->count++] = node->leaf;
    if (node->leaf->length) base_text_addz(text, "length of ");
    cap_path_show(text, &node->leaf->path, fault.indexes, fault.each);
    base_text_addz(text, " is ");
    show_actual(text, node->leaf, &fault);
}

void cap_node_explain(struct base_text *text, const struct cap_node *node, yyjson_val *params) {
    if (node->kind == CAP_LEAF) {
        explain_leaf(text, node->leaf, params);
        return;
    }
    struct cap_eval eval = CAP_EVAL;
    for (size_t i = 0; node->kind == CAP_ALL && i < node->count; i++)
        if (!cap_node_holds(node->items[i], params, &eval)) {
            cap_node_explain(text, node->items[i], params);
            return;
        }
    base_text_addz(text, "one of these must hold: ");
    for (size_t i = 0; i < node->count; i++) {
        if (i) base_text_addz(text, "; ");
        cap_node_show(text, node->items[i]);
    }
    struct actuals shown = {.count = 0};
    show_actuals(text, node, params, &shown);
    if (shown.count) base_text_addz(text, ")");
}
