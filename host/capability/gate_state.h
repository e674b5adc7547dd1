/*
 * host/capability/gate_state.h: the structure of a gate, for gate.c, decide.c, counters.c and
 * match.c.
 */
#ifndef CAP_GATE_STATE_H
#define CAP_GATE_STATE_H

#include "gate.h"
#include "policy.h"
#include "tools.h"

#include <stdatomic.h>

/* What was spent, one number for each capability of a policy. A gate has one of its own, unless it
 * was made to share that of another; then they may be on different threads, so the numbers are
 * atomic. */
struct cap_ledger {
    atomic_size_t owners;
    size_t count;
    _Atomic int64_t used[]; /* never negative, never more than a capability's max_calls unless a
                             * snapshot with another policy said so */
};

struct cap_gate {
    struct cap_policy *policy; /* shared; NULL: nothing is granted */
    struct cap_tools *tools;   /* shared; NULL: none */
    struct cap_ledger *ledger; /* one owner, or several; NULL without a policy */
    bool catch_all;
    struct base_arena scratch; /* for the call that is being decided */
};

/* ---- match.c: which capability allows a call */

struct cap_match_result {
    int outcome;    /* PF_OP_OK, PF_OP_DENIED or PF_OP_LIMIT */
    int capability; /* as in struct cap_decision */
    bool no_memory; /* then nothing else counts */
};
/* Finds the capability that allows a call; spends nothing. When none does, `why` gets the
 * reason. */
struct cap_match_result cap_gate_match(const struct cap_gate *gate, const struct cap_name *method,
                                       yyjson_val *params, struct base_text *why);
/* Calls that capability `index` has left, or CAP_UNLIMITED. */
int64_t cap_gate_left(const struct cap_gate *gate, size_t index);

/* ---- counters.c */

/* Spends one call of a capability, if there is one left. */
bool cap_gate_take(struct cap_gate *gate, size_t index);

#endif
