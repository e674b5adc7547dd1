/*
 * host/pinfold.c: include/pinfold.h on top of host/machine. Only entering, leaving and translating.
 */
#include "machine/machine.h"

#include "host/capability/gate.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int pf_abi_version(void) {
    return PF_ABI_VERSION;
}
const char *pf_version(void) {
    return PINFOLD_VERSION;
}

pf_status pf_sandbox_start(pf_sandbox *s, const pf_run *given, pf_error *error) {
    pf_run run;
    pf_status status = base_take_sized(&run, sizeof run, given,
                                       BASE_SIZE_TO(pf_run, user), "pf_run", error);
    if (status == PF_OK) status = machine_enter_to_change(s, error);
    if (status != PF_OK) return status;
    machine_expect_interrupt(s);
    status = machine_start(s, &run, error);
    if (!s->run.on && !machine_replays(s)) atomic_store(&s->interrupt, INTERRUPT_IGNORED);
    machine_leave(s);
    return status;
}

bool pf_sandbox_is_fixed(const pf_sandbox *s) {
    return s->clock_fixed && s->seed_fixed;
}
bool pf_sandbox_was_struck(const pf_sandbox *s) {
    return s->run.struck || (s->run.on && atomic_load(&s->interrupt) > INTERRUPT_AWAITED);
}
bool pf_sandbox_has_work(const pf_sandbox *s) {
    return machine_next_call(s) != NULL;
}
bool pf_sandbox_running(const pf_sandbox *s) {
    return s->run.on;
}

static pf_call describe(const pf_sandbox *s, const struct machine_call *call) {
    return (pf_call){
        .id = call->id,
        .method = call->method,
        .name = call->name,
        .params = call->params,
        .params_len = call->params_len,
        .capability = call->capability,
        .ask = cap_gate_asks(s->gate, call->capability),
    };
}

pf_status pf_sandbox_step(pf_sandbox *s, pf_call *out, pf_error *error) {
    pf_status status = machine_take_to_change(s, error);
    if (status != PF_OK) return status;
    struct machine_call *call = machine_next_call(s);
    if (call) {
        call->handed_out = true;
        *out = describe(s, call);
    }
    machine_give(s);
    return call ? PF_OK : PF_DONE;
}

size_t pf_sandbox_pending(const pf_sandbox *s, pf_call *calls, size_t count) {
    size_t n = 0;
    for (const struct machine_call *call = s->calls; call; call = call->next, n++)
        if (n < count) calls[n] = describe(s, call);
    return n;
}

pf_status machine_reply(pf_sandbox *s, uint64_t id, uint32_t outcome, const char *data, size_t len,
                        pf_error *error) {
    pf_status status = machine_enter_to_change(s, error);
    if (status != PF_OK) return status;
    status = machine_answer(s, id, outcome, data, len, error);
    /* The background of a run that has ended goes on with the next, under its limits. */
    if (status == PF_OK && s->run.on) status = machine_drive(s, error);
    machine_leave(s);
    return status;
}

pf_status pf_json_check(const char *json, size_t len, pf_error *error) {
    return cap_json_check(json, len, error);
}

pf_status pf_sandbox_resume(pf_sandbox *s, uint64_t id, const char *json, size_t len,
                            pf_error *error) {
    pf_status status = cap_json_check(json, len, error);
    return status == PF_OK ? machine_reply(s, id, PF_OP_OK, json, len, error) : status;
}

pf_status pf_sandbox_fail(pf_sandbox *s, uint64_t id, pf_failure kind, const char *message,
                          pf_error *error) {
    uint32_t outcome = kind == PF_FAILURE_INVALID   ? PF_OP_INVALID
                       : kind == PF_FAILURE_TIMEOUT ? PF_OP_TIMEOUT
                       : kind == PF_FAILURE_DENIED  ? PF_OP_DENIED
                                                    : PF_OP_FAILED;
    if (!message) message = "failed";
    return machine_reply(s, id, outcome, message, strlen(message), error);
}

pf_status pf_sandbox_advance(pf_sandbox *s, pf_error *error) {
    pf_status status = machine_enter_to_change(s, error);
    if (status != PF_OK) return status;
    if (s->run.on) {
        machine_tape_act(s, "advance", NULL);
        status = machine_drive(s, error);
    }
    machine_leave(s);
    return status;
}

int64_t pf_sandbox_wait_ns(const pf_sandbox *s) {
    if (s->run.on && (s->stirred || !s->calls)) return 0; /* it was restored, and can go on */
    if (!s->run.on || s->deadline_ns == INT64_MAX) return -1;
    if (s->clock_fixed && s->calls) return -1; /* its time stands still until they are answered */
    int64_t now = s->clock_fixed ? s->monotonic_ns : base_clock_monotonic() - s->clock_origin;
    return s->deadline_ns > now ? s->deadline_ns - now : 0;
}

void machine_expect_interrupt(pf_sandbox *s) {
    int ignored = INTERRUPT_IGNORED;
    atomic_compare_exchange_strong(&s->interrupt, &ignored, INTERRUPT_AWAITED);
}

void pf_sandbox_expect_run(pf_sandbox *s, bool expected) {
    if (expected)
        machine_expect_interrupt(s);
    else if (!s->run.on)
        atomic_store(&s->interrupt, INTERRUPT_IGNORED);
}

/* Lets `what` come to a run that is on or expected, unless as much came before. */
static void come(pf_sandbox *s, int what) {
    /* A replay is not over when the guest has dealt with it: it ends, whatever runs. */
    if (machine_replays(s)) what = INTERRUPT_KILL;
    int now = atomic_load(&s->interrupt);
    do {
        if (now == INTERRUPT_IGNORED || now >= what) return;
    } while (!atomic_compare_exchange_weak(&s->interrupt, &now, what));
    atomic_store(&s->watch.stop, 1);
    syscall(SYS_futex, &s->interrupt, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void pf_sandbox_interrupt(pf_sandbox *s) {
    come(s, INTERRUPT_CAME);
}
void pf_sandbox_stop(pf_sandbox *s) {
    come(s, INTERRUPT_STOP);
}
void pf_sandbox_kill(pf_sandbox *s) {
    come(s, INTERRUPT_KILL);
}

void pf_sandbox_on_pause(pf_sandbox *s, pf_pause_fn callback, void *user) {
    s->on_pause = callback;
    s->on_pause_user = user;
}

const pf_result *pf_sandbox_result(const pf_sandbox *s) {
    return s->has_result ? &s->result : NULL;
}
