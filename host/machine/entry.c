/*
 * host/machine/entry.c: the embedder enters a sandbox, and leaves it: one thread at a time,
 * watched, and within bounds.
 *
 * Runs have limits. What else the embedder asks for depends on the guest as well: how large a file
 * says it is, how many directories there are, how long the kernel takes. So each such act has a
 * bound of bytes and one of time, and an interrupt ends it.
 */
#include "machine.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* What an embedder gets who says nothing; more bytes than this are never a default. */
#define DEFAULT_BYTES   (1ull << 30)
#define DEFAULT_SECONDS 60.0
/* More is for ever. */
#define SECONDS_MAX 1e9

static pf_status no_timer(const struct cpu_thread *self, pf_error *error) {
    assert(self->refused);
    return base_error(error, PF_NO_TIMER,
                      "%s: %s: without it no limit of time would hold, so nothing ran. Raise what "
                      "this process may have: RLIMIT_SIGPENDING (ulimit -i) for timers, "
                      "RLIMIT_NPROC (ulimit -u) for threads",
                      self->refused, strerror(errno));
}

pf_status machine_take(pf_sandbox *s, pf_error *error) {
    int idle = 0;
    if (!atomic_compare_exchange_strong(&s->busy, &idle, 1))
        return base_error(error, PF_BUSY,
                          "the sandbox is in use: by another thread, or by the call whose "
                          "handler or output callback this is");
    if (!s->dead) return PF_OK;
    atomic_store(&s->busy, 0);
    return machine_dead(s, error);
}

void machine_give(pf_sandbox *s) {
    assert(atomic_load(&s->busy) == 1);
    if (s->tape) s->tape->leave(s->tape, s);
    atomic_store(&s->busy, 0);
}

pf_status machine_enter(pf_sandbox *s, pf_error *error) {
    pf_status status = machine_take(s, error);
    if (status != PF_OK) return status;
    struct cpu_thread *self = cpu_thread();
    if (!self)
        status = base_error(error, PF_NO_MEMORY, "no memory for this thread's stacks");
    else if (!cpu_begin(self, &s->begun, s->run.brief))
        status = no_timer(self, error);
    if (status != PF_OK) atomic_store(&s->busy, 0);
    return status;
}

static pf_status check_change(const pf_sandbox *s, pf_error *error) {
    assert(atomic_load(&s->busy) == 1);
    if (s->tape && s->tape->failed)
        return base_error(error, PF_STATE, "the recording cannot go on: %s", s->tape->failed);
    if (!s->look_only) return PF_OK;
    return base_error(error, PF_STATE,
                      "the snapshot was opened to look at; pf_sandbox_restore() continues it");
}

pf_status machine_enter_to_change(pf_sandbox *s, pf_error *error) {
    pf_status status = machine_enter(s, error);
    if (status != PF_OK) return status;
    status = check_change(s, error);
    if (status != PF_OK) machine_leave(s);
    else s->changes++;
    return status;
}

pf_status machine_take_to_change(pf_sandbox *s, pf_error *error) {
    pf_status status = machine_take(s, error);
    if (status != PF_OK) return status;
    status = check_change(s, error);
    if (status != PF_OK) machine_give(s);
    return status;
}

void machine_leave(pf_sandbox *s) {
    assert(atomic_load(&s->busy) == 1 && !s->act.what);
    if (s->tape) s->tape->leave(s->tape, s);
    cpu_end(cpu_thread(), &s->begun);
    atomic_store(&s->busy, 0);
}

struct cpu_watch *machine_step_out(pf_sandbox *s) {
    assert(atomic_load(&s->busy) == 1);
    struct cpu_thread *self = cpu_thread();
    cpu_step_out(self, &s->begun);
    return cpu_watch(self, NULL);
}

void machine_step_in(pf_sandbox *s, struct cpu_watch *watch) {
    assert(atomic_load(&s->busy) == 1);
    struct cpu_thread *self = cpu_thread();
    cpu_watch(self, watch);
    if (cpu_step_in(self, &s->begun)) return;
    s->dead = true;
    s->dead_why = "no limit of time holds any more: the system refuses a timer";
}

/* ---- bounds */

pf_status pf_sandbox_bound(pf_sandbox *s, const pf_bounds *bounds, pf_error *error) {
    if (bounds)
        return base_take_sized(&s->bounds, sizeof s->bounds, bounds,
                               BASE_SIZE_TO(pf_bounds, max_seconds), "pf_bounds", error);
    s->bounds = (pf_bounds){0};
    return PF_OK;
}

static uint64_t bytes_of(const pf_sandbox *s) {
    if (s->bounds.max_bytes) return s->bounds.max_bytes;
    return s->limits.memory_bytes < DEFAULT_BYTES ? s->limits.memory_bytes : DEFAULT_BYTES;
}

static double seconds_of(const pf_bounds *bounds) {
    return bounds->max_seconds > 0 ? bounds->max_seconds : DEFAULT_SECONDS;
}

void machine_begin_act(pf_sandbox *s, const char *what, const char *path) {
    assert(what && !s->act.what);
    double seconds = seconds_of(&s->bounds);
    s->act = (struct machine_act){.what = what, .path = path, .max_bytes = bytes_of(s)};
    s->act.until_ns = seconds < SECONDS_MAX
                          ? base_clock_monotonic() + (int64_t)(seconds * 1e9)
                          : INT64_MAX;
    /* While a run is on, an interrupt that has come is not for this act. */
    bool others = s->run.on || machine_replays(s);
    s->act.came = others ? atomic_load(&s->interrupt) : INTERRUPT_AWAITED;
    int ignored = INTERRUPT_IGNORED;
    s->act.awaits = atomic_compare_exchange_strong(&s->interrupt, &ignored, INTERRUPT_AWAITED);
}

void machine_end_act(pf_sandbox *s) {
    assert(s->act.what);
    if (s->act.awaits) atomic_store(&s->interrupt, INTERRUPT_IGNORED);
    s->act = (struct machine_act){0};
}

pf_status machine_spend(pf_sandbox *s, uint64_t bytes, pf_error *error) {
    struct machine_act *act = &s->act;
    if (!act->what) return PF_OK;
    act->bytes = bytes > UINT64_MAX - act->bytes ? UINT64_MAX : act->bytes + bytes;
    if (act->bytes > act->max_bytes)
        return base_error(error, PF_BOUND,
                          "%s %.500s: more than max_bytes, %llu, which is the bound of one call: "
                          "raise it (pf_bounds, or the keyword max_bytes) if that is meant",
                          act->what, act->path, (unsigned long long)act->max_bytes);
    int came = atomic_load(&s->interrupt);
    if (came > INTERRUPT_AWAITED && came > act->came)
        return base_error(error, PF_INTERRUPTED, "%s %.500s: interrupted", act->what, act->path);
    if (act->until_ns != INT64_MAX && base_clock_monotonic() > act->until_ns)
        return base_error(error, PF_BOUND,
                          "%s %.500s: not done after max_seconds, %g, which is the bound of one "
                          "call: raise it (pf_bounds, or the keyword max_seconds) if that is meant",
                          act->what, act->path, seconds_of(&s->bounds));
    return PF_OK;
}

pf_status machine_enter_act(pf_sandbox *s, const char *what, const char *path, bool change,
                            pf_error *error) {
    pf_status status = change ? machine_enter_to_change(s, error) : machine_enter(s, error);
    if (status == PF_OK) machine_begin_act(s, what, path);
    return status;
}

void machine_leave_act(pf_sandbox *s) {
    machine_end_act(s);
    machine_leave(s);
}
