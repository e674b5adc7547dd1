/*
 * host/capability/match.c: which capability allows a call, and why none does.
 *
 * The first capability whose pattern matches, whose constraints hold and whose budget is not spent.
 * If there is none, the reason is, in this order: a spent limit, failed constraints, nothing
 * granted.
 */
#include "gate_state.h"

#include <inttypes.h>

#define CONSTRAINTS_SHOWN 3
#define GRANTS_SHOWN      12

int64_t cap_gate_left(const struct cap_gate *gate, size_t index) {
    int64_t max = gate->policy->capabilities[index].max_calls;
    if (max == CAP_UNLIMITED) return CAP_UNLIMITED;
    int64_t used = atomic_load_explicit(&gate->ledger->used[index], memory_order_relaxed);
    return used < max ? max - used : 0;
}

/* The method as messages show it. */
static void name_method(struct base_text *why, const struct cap_name *method) {
    base_text_add(why, method->text, method->len);
}

static void explain_limit(const struct cap_gate *gate, const struct cap_name *method, int index,
                          struct base_text *why) {
    const struct cap_capability *c = &gate->policy->capabilities[index];
    name_method(why, method);
    base_text_addf(why, " is over its limit: %s%" PRId64 " call%s of %s %s used up",
                   c->max_calls > 1 ? "all " : "", c->max_calls, c->max_calls == 1 ? "" : "s",
                   c->pattern.text, c->max_calls == 1 ? "is" : "are");
}

static void explain_constraints(const struct cap_gate *gate, const struct cap_name *method,
                                yyjson_val *params, struct base_text *why) {
    name_method(why, method);
    base_text_addz(why, " is denied: ");
    size_t shown = 0;
    for (size_t i = 0; i < gate->policy->count && shown < CONSTRAINTS_SHOWN; i++) {
        const struct cap_capability *c = &gate->policy->capabilities[i];
        if (!cap_pattern_matches(&c->pattern, method)) continue;
        if (shown++) base_text_addz(why, "; or, by another capability, ");
        cap_node_explain(why, c->constraints, params);
    }
}

static void explain_nothing(const struct cap_gate *gate, const struct cap_name *method,
                            struct base_text *why) {
    size_t count = gate->policy ? gate->policy->count : 0;
    name_method(why, method);
    base_text_addz(why, " is denied: no capability grants it; granted");
    if (count == 0) base_text_addz(why, " is nothing");
    for (size_t i = 0; i < count && i < GRANTS_SHOWN; i++)
        base_text_addf(why, "%s %s",
                       i            ? ","
                       : count == 1 ? " is"
                                    : " are",
                       gate->policy->capabilities[i].pattern.text);
    if (count > GRANTS_SHOWN) base_text_addf(why, " and %zu more", count - GRANTS_SHOWN);
}

struct cap_match_result cap_gate_match(const struct cap_gate *gate, const struct cap_name *method,
                                       yyjson_val *params, struct base_text *why) {
    struct cap_match_result result = {.outcome = PF_OP_DENIED, .capability = -1};
    int spent = -1;
    for (size_t i = 0; gate->policy && i < gate->policy->count; i++) {
        const struct cap_capability *c = &gate->policy->capabilities[i];
        if (!cap_pattern_may_match(&c->pattern, method)) continue;
        if (!cap_pattern_matches(&c->pattern, method)) continue;
        struct cap_eval eval = CAP_EVAL;
        bool holds = cap_node_holds(c->constraints, params, &eval);
        if (eval.no_memory) {
            result.no_memory = true;
            return result;
        }
        if (result.capability < 0) result.capability = (int)i;
        if (holds && cap_gate_left(gate, i) != 0) {
            result.outcome = PF_OP_OK;
            result.capability = (int)i;
            return result;
        }
        if (holds && spent < 0) spent = (int)i;
    }
    if (spent >= 0) {
        result.outcome = PF_OP_LIMIT;
        result.capability = spent;
        explain_limit(gate, method, spent, why);
    } else if (result.capability >= 0) {
        explain_constraints(gate, method, params, why);
    } else {
        explain_nothing(gate, method, why);
    }
    return result;
}
