/*
 * host/capability/attenuation.c: is a policy at most as permissive as another?
 *
 * A capability of the child is covered by one of the parent whose pattern matches at least as much,
 * whose constraints are implied, and whose budget cannot run out before the child's do. The last is
 * the subtle part: a parent's capability is spent by every call that it matches first, also by
 * calls which another one would have allowed, too. So its budget must suffice for all calls that
 * the child can make and that it matches, by whichever capability of the child they are made.
 * And a child does without asking only what no capability of the parent that comes first asks
 * about.
 */
#include "policy.h"

/* May the parent's capability be spent before all child's calls are made that could spend it? */
static bool lasts(const struct cap_capability *p, const struct cap_policy *child) {
    if (p->max_calls == CAP_UNLIMITED) return true;
    int64_t left = p->max_calls;
    for (size_t i = 0; i < child->count; i++) {
        const struct cap_capability *c = &child->capabilities[i];
        if (!cap_pattern_overlaps(&c->pattern, &p->pattern)) continue;
        if (c->max_calls == CAP_UNLIMITED || c->max_calls > left) return false;
        left -= c->max_calls;
    }
    return true;
}

/* The same policy covers itself, also where its budgets overlap. */
static bool same_policy(const struct cap_policy *a, const struct cap_policy *b) {
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct cap_capability *x = &a->capabilities[i], *y = &b->capabilities[i];
        if (x->max_calls != y->max_calls || x->ask != y->ask ||
            !cap_pattern_is_subset(&x->pattern, &y->pattern) ||
            !cap_pattern_is_subset(&y->pattern, &x->pattern) ||
            !cap_node_same(x->constraints, y->constraints))
            return false;
    }
    return true;
}

/* Might the parent ask about a call of c before its capability `index` is looked at? */
static bool may_ask(const struct cap_capability *c, const struct cap_policy *parent, size_t index) {
    if (c->ask) return false; /* so does the child */
    for (size_t i = 0; i <= index; i++) {
        const struct cap_capability *p = &parent->capabilities[i];
        if (p->ask && cap_pattern_overlaps(&c->pattern, &p->pattern)) return true;
    }
    return false;
}

/* Why no capability of the parent covers c; the nearest miss is the most telling. */
static void explain(struct base_text *why, size_t index, const struct cap_capability *c,
                    const struct cap_policy *parent) {
    base_text_rewind(why, 0);
    base_text_addf(why, "capability %zu (%s) is not covered: ", index, c->pattern.text);
    const struct cap_node *first = NULL;
    const struct cap_capability *spent = NULL;
    bool matched = false, asking = false;
    for (size_t i = 0; i < parent->count; i++) {
        const struct cap_capability *p = &parent->capabilities[i];
        const struct cap_node *missing;
        if (!cap_pattern_is_subset(&c->pattern, &p->pattern)) continue;
        matched = true;
        if (!cap_node_implies(c->constraints, p->constraints, &missing))
            first = first ? first : missing;
        else if (may_ask(c, parent, i))
            asking = true;
        else
            spent = spent ? spent : p;
    }
    if (asking && !spent) {
        base_text_addz(why, "the parent may ask about its calls, and it does not");
    } else if (spent) {
        base_text_addf(why, "the limit of %jd calls of %s in the parent could be spent before",
                       (intmax_t)spent->max_calls, spent->pattern.text);
    } else if (first) {
        base_text_addz(why, "it does not ensure: ");
        cap_node_show(why, first);
    } else if (!matched) {
        base_text_addz(why, "no pattern of the parent matches all that it matches");
    }
}

static bool covered(const struct cap_capability *c, const struct cap_policy *parent,
                    const struct cap_policy *child) {
    for (size_t i = 0; i < parent->count; i++) {
        const struct cap_capability *p = &parent->capabilities[i];
        if (cap_pattern_is_subset(&c->pattern, &p->pattern) &&
            cap_node_implies(c->constraints, p->constraints, NULL) && lasts(p, child) &&
            !may_ask(c, parent, i))
            return true;
    }
    return false;
}

bool cap_policy_covers(const struct cap_policy *parent, const struct cap_policy *child,
                       struct base_text *why) {
    if (same_policy(parent, child)) return true;
    for (size_t i = 0; i < child->count; i++) {
        const struct cap_capability *c = &child->capabilities[i];
        if (c->max_calls == 0 || covered(c, parent, child)) continue;
        if (why) explain(why, i, c, parent);
        return false;
    }
    return true;
}
