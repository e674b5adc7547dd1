/*
 * host/machine/rejudge.c: calls that came with a snapshot, judged by who restores it.
 *
 * A snapshot says which calls wait, and which capability of its own embedder allowed each. That is
 * data: whether one may still happen is decided here, by the gate and the limits of the sandbox
 * that goes on, exactly as if it were made now. An allowed call waits on, with its id. A refused
 * one is answered as denied before anything runs.
 *
 * Called when a sandbox is restored, and for a branch that shares its trunk's budget. The embedder
 * cannot listen to decisions before it has the sandbox, so they are kept until it does.
 */
#include "machine.h"

#include "host/base/utf8.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The oldest first, as they were spent. One charge in the counters covers one call, however many a
 * forged snapshot says were made. */
static void set_aside(pf_sandbox *s) {
    for (struct machine_call *c = s->calls; c; c = c->next)
        c->aside = cap_gate_set_aside(s->gate, c->capability);
}

static char *text_of(const char *format, const char *method, const char *why) {
    int len = snprintf(NULL, 0, format, method, why);
    assert(len >= 0);
    char *text = malloc((size_t)len + 1);
    if (text) snprintf(text, (size_t)len + 1, format, method, why);
    return text;
}

/* A decision of the machine's own: the gate was not asked. */
static pf_status decide(struct cap_decision *d, const struct machine_call *c, int outcome,
                        const char *why) {
    assert(outcome != PF_OP_OK && c->method && why);
    const char *name = base_utf8_valid(c->method, strlen(c->method)) ? c->method : "";
    size_t method = strlen(name) + 1, text = strlen(why) + 1;
    char *block = malloc(method + text);
    if (!block) return PF_NO_MEMORY;
    *d = (struct cap_decision){.outcome = outcome,
                               .method = memcpy(block, name, method),
                               .message = memcpy(block + method, why, text),
                               .capability = -1,
                               .block = block};
    d->name = d->method;
    return PF_OK;
}

/* It once was allowed, so for its script there is one answer to whatever is the matter with it now:
 * that it is denied. The reason is in the text. */
static pf_status as_denial(struct cap_decision *d) {
    if (d->outcome != PF_OP_INVALID && d->outcome != PF_OP_UNKNOWN) return PF_OK;
    char *text = text_of("%s is denied: it waited in a snapshot; now: %s",
                         *d->method ? d->method : "the call",
                         d->message ? d->message : "it is not allowed");
    if (!text) return PF_NO_MEMORY;
    /* The block has room for the strings of the gate only; this one takes its place. */
    size_t method_len = strlen(d->method) + 1, name_len = strlen(d->name) + 1;
    size_t refused_len = d->refused ? strlen(d->refused) + 1 : 0, text_len = strlen(text) + 1;
    char *block = malloc(method_len + name_len + refused_len + text_len), *at = block;
    if (block) {
        struct cap_decision now = {
            .outcome = PF_OP_DENIED, .capability = d->capability, .block = block};
        now.method = memcpy(at, d->method, method_len), at += method_len;
        now.name = memcpy(at, d->name, name_len), at += name_len;
        if (d->refused) now.refused = memcpy(at, d->refused, refused_len), at += refused_len;
        now.message = memcpy(at, text, text_len);
        cap_decision_free(d);
        *d = now;
    }
    free(text);
    return block ? PF_OK : PF_NO_MEMORY;
}

/* Limits that a call had to pass before the gate was asked: `place` is which of the run's calls it
 * is, at the most. */
static pf_status check_limits(const pf_sandbox *s, const struct machine_call *c, uint64_t place,
                              struct cap_decision *d) {
    assert(place > 0);
    char why[160];
    if (place > s->limits.tool_calls) {
        snprintf(why, sizeof why,
                 "this run has made as many tool calls as it may (tool_calls: %llu)",
                 (unsigned long long)s->limits.tool_calls);
        return decide(d, c, PF_OP_LIMIT, why);
    }
    if (c->params_len <= s->limits.tool_argument_bytes) return PF_OK;
    snprintf(why, sizeof why, "the arguments have %zu bytes, the limit is %llu", c->params_len,
             (unsigned long long)s->limits.tool_argument_bytes);
    return decide(d, c, PF_OP_INVALID, why);
}

/* Calls behind it in the list were made after it, so it was at most the `place`th. */
static pf_status judge(pf_sandbox *s, struct machine_call *c, uint64_t place) {
    struct cap_decision *d = &c->decision;
    assert(!d->block && !c->untold);
    pf_status status = check_limits(s, c, place, d);
    if (status == PF_OK && !d->block)
        status =
            cap_gate_check_again(s->gate, c->method, c->name, c->params, c->params_len, d, NULL);
    return status == PF_OK ? as_denial(d) : status;
}

static void keep(pf_sandbox *s, struct machine_call *c) {
    assert(c->restored && s->budget.used >= c->charged);
    struct cap_decision *d = &c->decision;
    assert(d->outcome == PF_OP_OK && d->params);
    c->method = d->method;
    c->name = d->name;
    c->params = d->params;
    c->params_len = d->params_len;
    c->capability = d->capability;
    c->aside = false; /* spent anew */
    free(c->restored);
    c->restored = NULL;
    s->budget.used -= c->charged; /* written again, it may be longer or shorter */
    c->charged = 0;
    assert(c->capability >= 0 && c->params[c->params_len] == '\0');
}

/* Its answer, which the guest finds when it runs. What it had spent stays spent: whoever had the
 * sandbox before may have done it already. */
static void refuse(pf_sandbox *s, struct machine_call *c) {
    const struct cap_decision *d = &c->decision;
    assert(d->outcome != PF_OP_OK && d->message);
    if (c->aside) cap_gate_spend(s->gate, (size_t)c->capability, 1);
    machine_refuse(s, c->op, (uint32_t)d->outcome, d->message);
    s->stirred = true;
    struct machine_call **end = &s->refused;
    while (*end) end = &(*end)->next;
    c->next = NULL;
    *end = c;
}

pf_status machine_judge_again(pf_sandbox *s, bool spent, pf_error *error) {
    uint64_t count = 0, place = 0;
    for (const struct machine_call *c = s->calls; c; c = c->next) count++;
    uint64_t made = count;
    if (s->run.on) {
        if (s->run.asked < count) s->run.asked = count;
        made = s->run.asked;
    }
    assert(made >= count);
    if (spent) set_aside(s);
    for (struct machine_call **at = &s->calls, *c; (c = *at);) {
        uint64_t behind = count - ++place;
        if (judge(s, c, made - behind) != PF_OK) return base_no_memory(error);
        bool allowed = c->decision.outcome == PF_OP_OK;
        if (allowed) keep(s, c);
        if (allowed && !machine_charge_call(s, c, c->params_len))
            return base_error(error, PF_NO_MEMORY, "the calls that wait do not fit memory_bytes");
        c->untold = true;
        pf_decision decision = machine_decision(s, c->id, &c->decision);
        machine_tape_decision(s, &decision);
        if (allowed) {
            at = &c->next;
        } else {
            *at = c->next;
            refuse(s, c);
        }
    }
    return s->dead ? machine_dead(s, error) : PF_OK;
}

static void tell(pf_sandbox *s, struct machine_call *c) {
    assert(s->on_decision);
    if (!c->untold) return;
    c->untold = false;
    pf_decision decision = machine_decision(s, c->id, &c->decision);
    s->on_decision(s->on_decision_user, &decision);
}

/* In the order in which the calls were made: both lists have it. */
void machine_tell_judged(pf_sandbox *s) {
    if (!s->on_decision) return;
    struct machine_call *kept = s->calls, *gone = s->refused;
    while (kept || gone) {
        struct machine_call **next = !gone || (kept && kept->id < gone->id) ? &kept : &gone;
        tell(s, *next);
        *next = (*next)->next;
    }
    machine_forget_judged(s);
}

void machine_forget_judged(pf_sandbox *s) {
    for (struct machine_call *c; (c = s->refused);) {
        s->refused = c->next;
        machine_free_call(s, c);
    }
    for (struct machine_call *c = s->calls; c; c = c->next) c->untold = false;
}
