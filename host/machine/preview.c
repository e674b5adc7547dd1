/*
 * host/machine/preview.c: shows what an answer would lead to, before it is given.
 *
 * A preview is a twin of a sandbox: it has its ids, moment and random numbers, so what it does is
 * what the sandbox would do. One of them can take the sandbox's place, in the same memory, so that
 * pointers of the embedder's, listeners and interrupts stay as they were. A recorded sandbox's
 * preview records into memory; what it wrote becomes part of the trace with it.
 */
#include "machine.h"

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

/* Not its address: another one may be there when it is gone. */
static uint64_t serial_of(pf_sandbox *s) {
    static atomic_uint_fast64_t last;
    if (!s->serial) s->serial = atomic_fetch_add(&last, 1) + 1;
    assert(s->serial);
    return s->serial;
}

pf_status pf_sandbox_preview(pf_sandbox *s, pf_sandbox **out, pf_error *error) {
    *out = NULL;
    if (machine_replays(s))
        return base_error(error, PF_STATE,
                          "the sandbox is a replay's: pf_replay_branch() goes on from it");
    if (s->tape && s->tape->failed)
        return base_error(error, PF_STATE, "the recording cannot go on: %s", s->tape->failed);
    if (cap_gate_is_shared(s->gate))
        return base_error(
            error, PF_STATE,
            "the sandbox shares what capabilities have left with branches, so what a "
            "preview spends would be spent: branches of pf_sandbox_fork() have previews");
    pf_status status = machine_twin(s, out, error);
    if (status != PF_OK) return status;
    pf_sandbox *twin = *out;
    assert(twin->serial == 0);
    twin->preview_of = serial_of(s);
    twin->preview_moment = s->moment;
    twin->preview_changes = s->changes;
    if (!s->tape) return PF_OK;
    twin->tape = s->tape->twin(s->tape);
    if (twin->tape) return PF_OK;
    *out = NULL;
    pf_sandbox_free(twin);
    return base_no_memory(error);
}

void pf_sandbox_on_output(pf_sandbox *s, pf_output_fn callback, void *user) {
    s->run.on_output = callback;
    s->run.user = user;
}

/* ---- taking its place */

static void exchange(void *a, void *b, size_t len) {
    assert(a != b);
    char piece[256], *x = a, *y = b;
    for (size_t n; len; len -= n, x += n, y += n) {
        n = len < sizeof piece ? len : sizeof piece;
        memcpy(piece, x, n);
        memcpy(x, y, n);
        memcpy(y, piece, n);
    }
}

/* All but the word that another thread's interrupt may come to meanwhile. */
static void exchange_inside(pf_sandbox *a, pf_sandbox *b) {
    enum { FROM = offsetof(pf_sandbox, interrupt), TO = FROM + sizeof(a->interrupt) };
    exchange(a, b, FROM);
    exchange((char *)a + TO, (char *)b + TO, sizeof *a - TO);
}

/* What points into a sandbox points into this one. */
static void settle_in(pf_sandbox *s) {
    assert(s->kernel && !s->dead);
    s->watch.demand = &s->interrupt;
    s->kernel->budget = &s->budget;
    for (uint32_t i = 1; i < s->procs_room; i++) {
        if (!s->procs[i]) continue;
        s->procs[i]->owner = s;
        s->procs[i]->budget = &s->budget;
    }
    if (s->has_result) machine_point_result(s);
}

/* Calls that were handed out meanwhile are not handed out again. */
static void keep_handed_out(pf_sandbox *s, const pf_sandbox *before) {
    for (struct machine_call *call = s->calls; call; call = call->next)
        for (const struct machine_call *old = before->calls; old; old = old->next)
            if (old->id == call->id) call->handed_out |= old->handed_out;
}

/* Who keeps calls of another one pays for them. */
static void pay_for_refused(pf_sandbox *s, pf_sandbox *before) {
    for (const struct machine_call *call = s->refused; call; call = call->next) {
        assert(before->budget.used >= call->charged);
        before->budget.used -= call->charged;
        s->budget.used += call->charged;
    }
    if (s->budget.used > s->budget.peak) s->budget.peak = s->budget.used;
}

/* `s` has the preview's inside; `before` is what it was, and keeps nothing of the embedder's. */
static void keep_embedder(pf_sandbox *s, pf_sandbox *before) {
    assert((s->tape == NULL) == (before->tape == NULL));
    struct machine_tape *tape = before->tape;
    if (tape) tape->join(tape, s->tape);
    before->tape = s->tape;
    s->tape = tape;
    s->on_decision = before->on_decision;
    s->on_decision_user = before->on_decision_user;
    s->on_pause = before->on_pause;
    s->on_pause_user = before->on_pause_user;
    s->pause_at = before->pause_at;
    s->run.on_output = before->run.on_output;
    s->run.user = before->run.user;
    s->bounds = before->bounds;
    s->keyed = before->keyed;
    memcpy(s->key, before->key, sizeof s->key);
    s->serial = before->serial;
    s->preview_of = before->preview_of; /* it may be a preview itself */
    s->preview_moment = before->preview_moment;
    s->preview_changes = before->preview_changes;
    s->changes = before->changes + 1;
    assert(s->serial != 0 && s->preview_of != s->serial);
    if (before->forks > s->forks) s->forks = before->forks;
    struct machine_call *refused = s->refused;
    s->refused = before->refused;
    before->refused = refused;
    pay_for_refused(s, before);
    pay_for_refused(before, s);
    keep_handed_out(s, before);
    if (!s->run.on) atomic_store(&s->interrupt, INTERRUPT_IGNORED);
}

bool pf_sandbox_accepts(const pf_sandbox *s, const pf_sandbox *preview) {
    return s->serial && preview->preview_of == s->serial && preview->preview_moment == s->moment &&
           preview->preview_changes == s->changes;
}

static pf_status check(const pf_sandbox *s, const pf_sandbox *preview, pf_error *error) {
    if (pf_sandbox_accepts(s, preview)) return PF_OK;
    return base_error(error, PF_STATE,
                      s->serial && preview->preview_of == s->serial
                          ? "the sandbox went on after this preview of it was made: make another"
                          : "this is no preview of the sandbox");
}

pf_status pf_sandbox_accept(pf_sandbox *s, pf_sandbox *preview, pf_error *error) {
    if (s == preview) return check(s, preview, error);
    pf_status status = machine_take_to_change(s, error);
    if (status != PF_OK) return status;
    status = machine_take_to_change(preview, error);
    if (status != PF_OK) {
        machine_give(s);
        return status;
    }
    status = check(s, preview, error);
    if (status == PF_OK) {
        exchange_inside(s, preview);
        settle_in(s);
        settle_in(preview);
        keep_embedder(s, preview);
        assert(s->kernel->budget == &s->budget && preview->kernel->budget == &preview->budget);
    }
    machine_give(preview);
    machine_give(s);
    if (status == PF_OK) pf_sandbox_free(preview);
    return status;
}
