/*
 * interrupt.c: Ctrl-C while a guest runs on the main thread.
 *
 * Python's own handler only sets a flag that the interpreter looks at, and the interpreter waits
 * for the guest. So for the time of a drive this handler stands before it: it interrupts the guest
 * and then does what was there before. After the drive the flag is looked at as always, and
 * KeyboardInterrupt is raised. Other threads are left alone: Python never handles signals there.
 */
#include "native.h"

#include <sched.h>
#include <stdatomic.h>

static _Atomic(pf_sandbox *) running; /* on the main thread, or NULL */
static atomic_int in_handler;         /* some thread is between reading `running` and using it */
static atomic_bool arrived;
static struct sigaction previous; /* what Python (or the embedder) had before us */

static void on_sigint(int number, siginfo_t *info, void *context) {
    atomic_fetch_add(&in_handler, 1);
    pf_sandbox *sandbox = atomic_load(&running);
    if (sandbox) pf_sandbox_interrupt(sandbox);
    atomic_store(&arrived, true);
    atomic_fetch_sub(&in_handler, 1);
    if (previous.sa_flags & SA_SIGINFO) previous.sa_sigaction(number, info, context);
    else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
        previous.sa_handler(number);
}

void native_guard_setup(void) {
    if (!atomic_load(&running)) sigaction(SIGINT, NULL, &previous);
}

void native_guard_begin(native_guard *guard, const native_state *state, pf_sandbox *sandbox) {
    guard->installed = false;
    if (PyThread_get_thread_ident() != state->main_thread) return;
    guard->outer = atomic_load(&running);
    if (guard->outer) { /* a handler of on_output runs another sandbox: the guard is in place */
        atomic_store(&running, sandbox);
        guard->installed = true;
        return;
    }
    struct sigaction ours = {.sa_sigaction = on_sigint, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    atomic_store(&arrived, false);
    if (sigaction(SIGINT, &ours, &guard->before) != 0) return;
    bool has_handler = (guard->before.sa_flags & SA_SIGINFO) ||
                       (guard->before.sa_handler != SIG_DFL && guard->before.sa_handler != SIG_IGN);
    if (!has_handler) { /* the program wants Ctrl-C to kill it, or to do nothing */
        sigaction(SIGINT, &guard->before, NULL);
        return;
    }
    previous = guard->before;
    atomic_store(&running, sandbox);
    guard->installed = true;
}

bool native_guard_end(native_guard *guard) {
    if (!guard->installed) return false;
    atomic_store(&running, guard->outer);
    /* A handler on another thread may still hold the sandbox; it is a matter of instructions. */
    while (atomic_load(&in_handler) > 0) sched_yield();
    if (!guard->outer) sigaction(SIGINT, &guard->before, NULL);
    return atomic_load(&arrived);
}
