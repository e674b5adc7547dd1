/*
 * host/capability/constraint_short.c: the short form of constraints, for people who write policies.
 *
 *     {"amount": "<=1000", "currency": ["USD", "EUR"], "to": "startswith:acct_", "dry_run": true}
 *
 * A list is membership; a number or boolean is equality; a string is an operator and what it
 * compares with. A string that starts with no operator is refused: it could have meant anything.
 */
#include "constraint.h"

#include <string.h>

static const struct {
    const char *prefix;
    enum cap_operator op;
    bool number; /* what follows is one */
} forms[] = {
    {"<=", CAP_LE, true},
    {">=", CAP_GE, true},
    {"==", CAP_EQ, true},
    {"!=", CAP_NE, true},
    {"<", CAP_LT, true},
    {">", CAP_GT, true},
    {"startswith:", CAP_STARTS_WITH, false},
    {"endswith:", CAP_ENDS_WITH, false},
    {"contains:", CAP_CONTAINS, false},
    {"matches:", CAP_MATCHES, false},
};

static pf_status bad(struct cap_reader *r, const yyjson_val *condition, const char *what) {
    char buffer[200];
    struct base_text text;
    base_text_init(&text, buffer, sizeof buffer);
    base_json_show(&text, condition, 100);
    return cap_reader_bad(r, "%s %s", buffer, what);
}

static pf_status new_string(yyjson_val **out, struct cap_reader *r, const char *text, size_t len) {
    yyjson_val *value = base_arena_zalloc(r->arena, sizeof *value);
    char *copy = base_arena_copy(r->arena, text, len);
    if (!value || !copy) return base_no_memory(r->error);
    unsafe_yyjson_set_strn(value, copy, len);
    *out = value;
    return PF_OK;
}

static pf_status parse_string(struct cap_node **out, struct cap_reader *r, const char *param,
                              size_t param_len, yyjson_val *condition) {
    const char *text = yyjson_get_str(condition);
    size_t len = yyjson_get_len(condition), i = 0;
    const size_t count = sizeof forms / sizeof *forms;
    while (i < count && strncmp(text, forms[i].prefix, strlen(forms[i].prefix)) != 0) i++;
    if (i == count)
        return bad(
            r, condition,
            "is not a condition: write \"<=N\" (also < > >= == !=), \"startswith:TEXT\" (also "
            "endswith: contains: matches:), or a list of the values that are allowed");
    size_t skip = strlen(forms[i].prefix);
    yyjson_val *value;
    pf_status status;
    if (forms[i].number) {
        status = base_json_read(r->arena, text + skip, len - skip, 1, &value, NULL);
        if (status == PF_INVALID || (status == PF_OK && !base_json_is_number(value)))
            return bad(r, condition, "has no number after its operator");
    } else {
        status = new_string(&value, r, text + skip, len - skip);
    }
    if (status != PF_OK) return base_no_memory(r->error);
    return cap_leaf_new(out, r, param, param_len, forms[i].op, value);
}

pf_status cap_constraint_parse(struct cap_node **out, struct cap_reader *r, const char *param,
                               size_t param_len, yyjson_val *condition) {
    if (yyjson_is_str(condition)) return parse_string(out, r, param, param_len, condition);
    if (yyjson_is_arr(condition)) return cap_leaf_new(out, r, param, param_len, CAP_IN, condition);
    if (base_json_is_number(condition) || yyjson_is_bool(condition))
        return cap_leaf_new(out, r, param, param_len, CAP_EQ, condition);
    return bad(r, condition, "is not a condition: use the long form for null and objects");
}
