/*
 * host/capability/gate.h: the gate that every tool call of one sandbox passes.
 *
 * A gate holds the declared tools, the policy and the counters of one sandbox. host/machine asks it
 * about each call; include/pinfold.h and the bindings reach it through the machine. It knows no
 * wasm, runs no handler, and must never let a call through that it could not read to the end.
 *
 * Threads: a gate belongs to one thread at a time; its clones may be used from other threads.
 */
#ifndef CAP_GATE_H
#define CAP_GATE_H

#include "abi/types.h"
#include "pinfold.h"

typedef struct cap_gate cap_gate;

/* A gate without a policy and without tools; cap_gate_free() ends it. */
pf_status cap_gate_new(cap_gate **out, pf_error *error);
void cap_gate_free(cap_gate *gate); /* NULL is allowed */
/* A gate with the same tools, policy and counters. What cannot change is shared. NULL: no
 * memory. */
cap_gate *cap_gate_clone(const cap_gate *gate);
/* The same, and the counters are shared, too: what one of the two spends the other has no more,
 * whatever threads they are on. */
cap_gate *cap_gate_share(const cap_gate *gate);
bool cap_gate_is_shared(const cap_gate *gate); /* Does a branch spend from the same counters? */

/* Declares a tool; everything is copied. len 0: any object is accepted. PF_INVALID: a malformed
 * name or schema, an unknown schema keyword, or an id that another tool has (the message names
 * both). */
pf_status cap_gate_add_tool(cap_gate *gate, const char *name, const char *description,
                            const char *schema, size_t len, pf_error *error);
/* Replaces the policy (docs/policy.md) and starts its counters at zero. On failure nothing
 * changed. */
pf_status cap_gate_set_policy(cap_gate *gate, const char *json, size_t len, pf_error *error);
/* Whether a granted method that no declared tool has may be called. */
void cap_gate_set_catch_all(cap_gate *gate, bool on);
/* Is there a handler for methods that no tool has? */
bool cap_gate_catches_all(const cap_gate *gate);
/* Checks policy and tools against each other, when both are complete: a constraint on a tool that
 * does not exist, or on a parameter that a closed schema does not have, is PF_INVALID. */
pf_status cap_gate_finish(cap_gate *gate, pf_error *error);

struct cap_tool {
    const char *name;        /* as declared */
    const char *id;          /* canonical: "stripe/charges/create" */
    const char *flat;        /* "stripe_charges_create" */
    const char *description; /* "" when there is none */
    const char *schema;      /* as declared, NUL-terminated; "" when there is none */
    size_t schema_len;
    bool flat_usable;   /* flat is an identifier, not reserved, and no other tool's flat name */
    bool dotted_usable; /* the first segment can be a JavaScript global: an identifier, not reserved
                         */
};
size_t cap_gate_tool_count(const cap_gate *gate); /* Tools that were registered. */
/* In the order of declaration; lives until the next cap_gate_add_tool(). NULL: no such index. */
const struct cap_tool *cap_gate_tool(const cap_gate *gate, size_t index);

/* What became of one call. All strings lie in one block: free them with cap_decision_free()
 * only. */
struct cap_decision {
    int outcome;       /* PF_OP_OK, or PF_OP_DENIED, _LIMIT, _INVALID, _UNKNOWN (abi/types.h) */
    char *method;      /* canonical id; "" when the payload could not be read that far */
    char *name;        /* as written; the same */
    char *params;      /* PF_OP_OK: the checked object, re-serialised; otherwise NULL */
    size_t params_len; /* without the NUL that follows */
    char *refused;     /* otherwise: the object as far as it could be read, for a log, or NULL */
    int capability;    /* PF_OP_OK: index in the policy; otherwise that of the first one that
                          matched the method, or -1 */
    char *message;     /* why not, for the guest; NULL with PF_OP_OK */
    void *block;       /* private */
};

/*
 * Decides about one call. The payload is {"tool": name as written, "params": object} as the guest
 * sent it: untrusted. An allowed call spends its capability's budget here. Returns PF_OK with *out
 * filled, or PF_NO_MEMORY with *out zeroed and nothing spent.
 */
pf_status cap_gate_check(cap_gate *gate, const char *payload, size_t len, struct cap_decision *out,
                         pf_error *error);
void cap_decision_free(struct cap_decision *decision); /* zeroes it; twice is harmless */
/*
 * The same for a call that waits in a snapshot: as if it were made now, of that method (canonical)
 * with these parameters, which anybody may have written: any bytes. `name` is what the decision
 * shows as written, if that is a name of the method today. What the call has spent must be set
 * aside before: cap_gate_set_aside().
 */
pf_status cap_gate_check_again(cap_gate *gate, const char *method, const char *name,
                               const char *params, size_t len, struct cap_decision *out,
                               pf_error *error);
/* As embedders are told; points into the decision. Id and request are the caller's to fill. */
pf_decision cap_decision_describe(const cap_gate *gate, const struct cap_decision *decision);

/* Counters as JSON for a snapshot; *json is the caller's to free(). */
pf_status cap_gate_counters_save(const cap_gate *gate, char **json, size_t *len);
/* Takes counters into a policy, which may be another one: each goes to the capability with its
 * pattern, of several equal ones in their order. PF_FORMAT when something was spent of one that has
 * none while others here have no counter; then nothing changed. *map (may be NULL; free with
 * free()) says to which capability each of the `map_len` went, or -1. */
pf_status cap_gate_counters_load(cap_gate *gate, const char *json, size_t len, int **map,
                                 size_t *map_len, pf_error *error);

/* Takes back what one call has spent of a capability, until that call is decided about again;
 * false: there is nothing to take back. Whoever refuses the call then spends it again:
 * cap_gate_spend(). */
bool cap_gate_set_aside(cap_gate *gate, int capability);
/* Counts calls of a capability as spent that were made elsewhere. An index out of range:
 * nothing. */
void cap_gate_spend(cap_gate *gate, size_t capability, int64_t calls);

/* Would this call be allowed now? Spends nothing and does not look at tools and schemas. params
 * NULL: an empty object. When not, *why (may be NULL) gets the reason; free it with free(). When
 * memory is out the answer is false and *why NULL. */
bool cap_gate_can_call(const cap_gate *gate, const char *method, const char *params, size_t len,
                       char **why);
/* Calls that a capability has left: -1 unlimited, 0 for an index that does not exist. */
int64_t cap_gate_remaining(const cap_gate *gate, size_t capability);
size_t cap_gate_capability_count(const cap_gate *gate); /* 0 without a policy. */
/* Must the embedder approve the calls that this capability allows? An index out of range: yes. */
bool cap_gate_asks(const cap_gate *gate, int capability);

/* With a catch-all handler: the distinct first literal segments of the granted patterns, in the
 * order of the policy, which programs see as namespaces. False past the last one, or without a
 * catch-all. */
#define CAP_NAMESPACE_SIZE 256
/* The name at `index`, with a NUL. */
bool cap_gate_namespace(const cap_gate *gate, size_t index, char out[CAP_NAMESPACE_SIZE]);

/* Is this one JSON value by the rules of host/base/json? PF_INVALID says what is wrong where. For
 * the results that an embedder gives. */
pf_status cap_json_check(const char *json, size_t len, pf_error *error);

#endif
