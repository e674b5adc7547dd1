/*
 * interrupt.c: Ctrl-C while a guest runs on the main thread.
 *
 * A loop that answers many calls of a guest holds the handler in place over all of them: to
 * exchange it twice costs as much as the rest of an answer's way.
 *
 * Python's own handler only sets a flag that the interpreter looks at, and the interpreter waits
 * for the guest. So for the time of a drive this handler stands before it: it interrupts the guest
 * and then does what was there before. Between two steps of the guest (drive.c, on_pause) the flag
 * is looked at as always, and what is raised there ends the run. Other threads are left alone:
 * Python never handles signals there.
 */
#include "native.h"

#include <sched.h>
#include <stdatomic.h>

static _Atomic(pf_sandbox *) running; /* on the main thread, or NULL */
static atomic_int in_handler;         /* some thread is between reading `running` and using it */
static atomic_uint arrived;           /* signals in this drive */
static struct sigaction previous; /* what Python (or the embedder) had before us */
#define IMPATIENT 3
static unsigned held;             /* loops that hold the handler; changes with the GIL held */

static void on_sigint(int number, siginfo_t *info, void *context) {
    atomic_fetch_add(&in_handler, 1);
    pf_sandbox *sandbox = atomic_load(&running);
    /* Between two steps of the guest Python's handler runs, and decides whether the run is to stop.
     * Who presses it once more waits for a program that comes to no step. */
    bool impatient = atomic_fetch_add(&arrived, 1) + 1 >= IMPATIENT;
    if (sandbox && impatient)
        pf_sandbox_kill(sandbox);
    else if (sandbox)
        pf_sandbox_interrupt(sandbox);
    atomic_fetch_sub(&in_handler, 1);
    if (previous.sa_flags & SA_SIGINFO) previous.sa_sigaction(number, info, context);
    else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
        previous.sa_handler(number);
}

void native_guard_setup(void) {
    if (!atomic_load(&running)) sigaction(SIGINT, NULL, &previous);
}

static bool install(struct sigaction *before) {
    struct sigaction ours = {.sa_sigaction = on_sigint, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    atomic_store(&arrived, 0);
    if (sigaction(SIGINT, &ours, before) != 0) return false;
    bool has_handler = (before->sa_flags & SA_SIGINFO) ||
                       (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN);
    if (!has_handler) { /* the program wants Ctrl-C to kill it, or to do nothing */
        sigaction(SIGINT, before, NULL);
        return false;
    }
    previous = *before;
    return true;
}

bool native_guard_hold(const native_state *state) {
    if (PyThread_get_thread_ident() != state->main_thread) return false;
    struct sigaction before;
    if (held == 0 && (atomic_load(&running) || !install(&before))) return false;
    held++;
    return true;
}

void native_guard_let_go(void) {
    if (--held > 0) return;
    struct sigaction now;
    /* A handler of a tool may have set another one, which stays. */
    if (sigaction(SIGINT, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO &&
        now.sa_sigaction == on_sigint)
        sigaction(SIGINT, &previous, NULL);
}

void native_guard_begin(native_guard *guard, const native_state *state, pf_sandbox *sandbox) {
    guard->installed = false;
    if (PyThread_get_thread_ident() != state->main_thread) return;
    guard->outer = atomic_load(&running);
    /* In place already: a loop holds it, or a handler of on_output runs another sandbox. */
    guard->kept = held > 0 || guard->outer;
    if (!guard->kept && !install(&guard->before)) return;
    if (guard->kept && !guard->outer) atomic_store(&arrived, 0);
    atomic_store(&running, sandbox);
    guard->installed = true;
}

bool native_guard_end(native_guard *guard) {
    if (!guard->installed) return false;
    atomic_store(&running, guard->outer);
    /* A handler on another thread may still hold the sandbox; it is a matter of instructions. */
    while (atomic_load(&in_handler) > 0) sched_yield();
    if (!guard->kept) sigaction(SIGINT, &guard->before, NULL);
    return atomic_load(&arrived) > 0;
}
