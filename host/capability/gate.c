/*
 * host/capability/gate.c: making, copying and completing a gate. See gate.h.
 */
#include "gate_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define SCRATCH_MAX ((size_t)256 << 20) /* memory for the reading of one call */

pf_status cap_gate_new(cap_gate **out, pf_error *error) {
    *out = calloc(1, sizeof **out);
    if (!*out) return base_no_memory(error);
    base_arena_init(&(*out)->scratch, SCRATCH_MAX);
    return PF_OK;
}

static struct cap_ledger *new_ledger(size_t count) {
    struct cap_ledger *ledger = calloc(1, sizeof *ledger + count * sizeof ledger->used[0]);
    if (!ledger) return NULL;
    atomic_init(&ledger->owners, 1);
    ledger->count = count;
    return ledger;
}

static void drop_ledger(struct cap_ledger *ledger) {
    if (!ledger) return;
    size_t owners = atomic_fetch_sub_explicit(&ledger->owners, 1, memory_order_acq_rel);
    assert(owners > 0);
    if (owners == 1) free(ledger);
}

void cap_gate_free(cap_gate *gate) {
    if (!gate) return;
    cap_policy_drop(gate->policy);
    cap_tools_drop(gate->tools);
    base_arena_free(&gate->scratch);
    drop_ledger(gate->ledger);
    free(gate);
}

static cap_gate *copy_gate(const cap_gate *gate, bool shared) {
    cap_gate *copy = NULL;
    if (cap_gate_new(&copy, NULL) != PF_OK) return NULL;
    const struct cap_ledger *from = gate->ledger;
    assert(!from == !gate->policy && (!from || from->count == gate->policy->count));
    if (from && shared) {
        atomic_fetch_add_explicit(&gate->ledger->owners, 1, memory_order_relaxed);
        copy->ledger = gate->ledger;
    } else if (from && !(copy->ledger = new_ledger(from->count))) {
        cap_gate_free(copy);
        return NULL;
    } else if (from) {
        for (size_t i = 0; i < from->count; i++)
            atomic_init(&copy->ledger->used[i], atomic_load(&from->used[i]));
    }
    copy->policy = cap_policy_share(gate->policy);
    copy->tools = cap_tools_share(gate->tools);
    copy->catch_all = gate->catch_all;
    return copy;
}

cap_gate *cap_gate_clone(const cap_gate *gate) {
    return copy_gate(gate, false);
}

cap_gate *cap_gate_share(const cap_gate *gate) {
    return copy_gate(gate, true);
}

bool cap_gate_is_shared(const cap_gate *gate) {
    return gate->ledger && atomic_load(&gate->ledger->owners) > 1;
}

pf_status cap_gate_add_tool(cap_gate *gate, const char *name, const char *description,
                            const char *schema, size_t len, pf_error *error) {
    struct cap_tools *tools;
    pf_status status = cap_tools_with(&tools, gate->tools, name, description ? description : "",
                                      schema, len, error);
    if (status != PF_OK) return status;
    cap_tools_drop(gate->tools);
    gate->tools = tools;
    return PF_OK;
}

pf_status cap_gate_set_policy(cap_gate *gate, const char *json, size_t len, pf_error *error) {
    struct cap_policy *policy;
    pf_status status = cap_policy_read(&policy, json, len, error);
    if (status != PF_OK) return status;
    struct cap_ledger *ledger = new_ledger(policy->count);
    if (!ledger) {
        cap_policy_drop(policy);
        return base_no_memory(error);
    }
    cap_policy_drop(gate->policy);
    drop_ledger(gate->ledger);
    gate->policy = policy;
    gate->ledger = ledger;
    assert(gate->ledger->count == gate->policy->count);
    return PF_OK;
}

void cap_gate_set_catch_all(cap_gate *gate, bool on) {
    gate->catch_all = on;
}

bool cap_gate_catches_all(const cap_gate *gate) {
    return gate->catch_all;
}

size_t cap_gate_tool_count(const cap_gate *gate) {
    return gate->tools ? gate->tools->count : 0;
}

const struct cap_tool *cap_gate_tool(const cap_gate *gate, size_t index) {
    return index < cap_gate_tool_count(gate) ? &gate->tools->tools[index] : NULL;
}

size_t cap_gate_capability_count(const cap_gate *gate) {
    return gate->policy ? gate->policy->count : 0;
}

/* Without a capability (-1, a huge size_t) as well. */
bool cap_gate_asks(const cap_gate *gate, int capability) {
    return (size_t)capability >= cap_gate_capability_count(gate) ||
           gate->policy->capabilities[capability].ask;
}

int64_t cap_gate_remaining(const cap_gate *gate, size_t capability) {
    return capability < cap_gate_capability_count(gate) ? cap_gate_left(gate, capability) : 0;
}

/* ---- policy against tools */

/* The first leaf about a parameter that none of these tools can have. */
static const struct cap_leaf *impossible(const struct cap_gate *gate, const struct cap_node *node,
                                         const size_t *tools, size_t count) {
    for (size_t i = 0; i < node->count; i++) {
        const struct cap_leaf *leaf = impossible(gate, node->items[i], tools, count);
        if (leaf) return leaf;
    }
    if (node->kind != CAP_LEAF) return NULL;
    for (size_t i = 0; i < count; i++) {
        const struct cap_schema *schema = cap_tools_schema(gate->tools, tools[i]);
        if (!schema || cap_schema_may_have(schema, &node->leaf->path)) return NULL;
    }
    return node->leaf;
}

/* The tools that a pattern matches, into found[]; returns how many. */
static size_t find_tools(const struct cap_gate *gate, const struct cap_pattern *pattern,
                         size_t *found) {
    struct cap_name name;
    const char *why;
    size_t count = 0;
    if (pattern->literal) {
        found[0] = cap_tools_find_id(gate->tools, pattern->text);
        return found[0] != CAP_NO_TOOL;
    }
    for (size_t i = 0; i < cap_gate_tool_count(gate); i++) {
        const char *id = gate->tools->tools[i].id;
        if (cap_name_read(&name, id, strlen(id), false, &why) &&
            cap_pattern_matches(pattern, &name))
            found[count++] = i;
    }
    return count;
}

static pf_status check_capability(const struct cap_gate *gate, size_t index, size_t *tools,
                                  pf_error *error) {
    const struct cap_capability *c = &gate->policy->capabilities[index];
    if (c->constraints->count == 0) return PF_OK;
    size_t count = find_tools(gate, &c->pattern, tools);
    if (count == 0 && gate->catch_all) return PF_OK;
    if (count == 0) {
        char buffer[400];
        struct base_text text;
        base_text_init(&text, buffer, sizeof buffer);
        cap_tools_suggest(&text, gate->tools, c->pattern.text);
        return base_error(error, PF_INVALID,
                          "capabilities[%zu] has constraints on %s, but no tool has that name%s",
                          index, c->pattern.text, buffer);
    }
    const struct cap_leaf *leaf = impossible(gate, c->constraints, tools, count);
    if (!leaf || (gate->catch_all && !c->pattern.literal)) return PF_OK;
    return base_error(error, PF_INVALID,
                      "capabilities[%zu] has a constraint on %s, but %s has no such parameter",
                      index, leaf->path.text, c->pattern.text);
}

pf_status cap_gate_finish(cap_gate *gate, pf_error *error) {
    size_t *tools = malloc((cap_gate_tool_count(gate) + 1) * sizeof *tools);
    if (!tools) return base_no_memory(error);
    pf_status status = PF_OK;
    for (size_t i = 0; status == PF_OK && i < cap_gate_capability_count(gate); i++)
        status = check_capability(gate, i, tools, error);
    free(tools);
    return status;
}
