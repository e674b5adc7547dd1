/*
 * signal.c: sending signals, and what they do.
 *
 * The kernel carries out default actions itself, at once, wherever the process is: it ends, stops
 * or goes on. A caught signal stays pending; every reply to the process says so (PF_MSG_SIGNAL) and
 * the libc takes it with SIGTAKE and runs the handler. A process that waits is woken by it: its
 * call fails with EINTR, or with ERESTART when all its handlers were set with PF_SA_RESTART.
 */
#include "kernel.h"

#define STOPS                                                                                      \
    (K_SIGBIT(K_SIGSTOP) | K_SIGBIT(K_SIGTSTP) | K_SIGBIT(K_SIGTTIN) | K_SIGBIT(K_SIGTTOU))
#define HARMLESS                                                                                   \
    (K_SIGBIT(K_SIGCHLD) | K_SIGBIT(K_SIGURG) | K_SIGBIT(K_SIGWINCH) | K_SIGBIT(K_SIGCONT))
/* Signal 64 cannot be blocked either: results carry masks, and bit 63 would look like an error. */
#define UNBLOCKABLE (K_SIGBIT(K_SIGKILL) | K_SIGBIT(K_SIGSTOP) | K_SIGBIT(64))

bool k_signal_pending(const struct k_proc *proc) {
    return (proc->pending & proc->caught & (~proc->mask | proc->granted)) != 0;
}

int64_t k_interrupted(const struct k_proc *proc) {
    uint64_t signals = proc->pending & proc->caught & ~proc->mask;
    if (!signals) return 0;
    return signals & ~proc->restart ? -PF_EINTR : -PF_ERESTART;
}

int64_t k_after_signal(const struct k_call *call, int64_t result) {
    return k_proc_alive(call->proc) ? result : K_GONE;
}

static void stop(struct k_proc *proc, int signal) {
    K_ASSERT(k_proc_alive(proc) && STOPS & K_SIGBIT(signal));
    if (proc->stopped) return;
    k_sched_stop(proc);
    proc->stop_signal = signal;
    proc->report_stop = true;
    proc->report_cont = false;
    k_proc_news(proc);
}

/* An unblocked signal takes effect. */
static void act(struct k_proc *proc, int signal) {
    K_ASSERT(signal >= 1 && signal < PF_SIGNALS && k_proc_alive(proc));
    uint64_t bit = K_SIGBIT(signal);
    proc->pending &= ~bit;
    if (signal == K_SIGKILL) {
        k_proc_end(proc, signal);
    } else if (signal == K_SIGSTOP) {
        stop(proc, signal);
    } else if (proc->caught & bit) {
        proc->pending |= bit;
        k_wake(proc);
    } else if (proc->ignored & bit || HARMLESS & bit) {
        /* nothing */
    } else if (STOPS & bit) {
        if (!k_group_orphaned(proc->pgid)) stop(proc, signal);
    } else {
        k_proc_end(proc, signal);
    }
}

static void continue_(struct k_proc *proc) {
    proc->pending &= ~STOPS;
    if (!proc->stopped) return;
    proc->report_stop = false;
    proc->report_cont = true;
    k_sched_continue(proc);
    k_proc_news(proc);
    k_signals_unblocked(proc);
}

void k_signal(struct k_proc *proc, int signal) {
    K_ASSERT(signal >= 1 && signal < PF_SIGNALS);
    if (!k_proc_alive(proc) || proc->root) return;
    uint64_t bit = K_SIGBIT(signal);
    if (signal == K_SIGKILL) {
        act(proc, signal);
        return;
    }
    if (signal == K_SIGCONT) continue_(proc);
    if (!k_proc_alive(proc)) return;
    if (bit & STOPS) proc->pending &= ~K_SIGBIT(K_SIGCONT);
    if ((proc->mask & bit && !(bit & UNBLOCKABLE)) || proc->stopped)
        proc->pending |= bit;
    else
        act(proc, signal);
}

void k_signals_unblocked(struct k_proc *proc) {
    uint64_t todo = proc->pending & ~(proc->mask & ~UNBLOCKABLE);
    for (int signal = 1; todo && k_proc_alive(proc) && !proc->stopped; signal++) {
        if (!(todo & K_SIGBIT(signal))) continue;
        todo &= ~K_SIGBIT(signal);
        act(proc, signal);
    }
}

void k_signals_exec(struct k_proc *proc) {
    proc->caught = proc->restart = proc->granted = 0;
    proc->suspended = false;
}

void k_signal_set_mask(struct k_proc *proc, uint64_t mask) {
    proc->mask = mask & ~UNBLOCKABLE;
}

/* Signals every process that is wanted: how many. Chosen first, because a signal can end others
 * than the one it goes to. */
int k_signal_some(bool (*wanted)(const struct k_proc *proc, int64_t arg), int64_t arg, int signal) {
    K_ASSERT(signal >= 0 && signal < PF_SIGNALS);
    int count = 0;
    for (struct k_link *at = k_procs()->next; at != k_procs(); at = at->next) {
        struct k_proc *proc = K_OUTER(at, struct k_proc, all);
        if (proc->state == K_REAPED || !wanted(proc, arg)) continue;
        K_ASSERT(count < (int)PF_PROCESS_TABLE);
        k_signal_chosen[count++] = proc->pid;
    }
    if (!signal) return count;
    for (int i = 0; i < count; i++) {
        struct k_proc *proc = k_proc_find(k_signal_chosen[i]);
        if (proc) k_signal(proc, signal);
    }
    return count;
}

static bool not_this(const struct k_proc *proc, int64_t pid) {
    return proc->pid != pid;
}

int64_t k_do_KILL(struct k_call *call) {
    struct k_proc *self = call->proc;
    int64_t pid = k_arg(call, 0), signal = k_arg(call, 1);
    if (signal < 0 || signal >= PF_SIGNALS) return -PF_EINVAL;
    if (pid == 1) return signal ? -PF_EPERM : 0;
    if (pid > INT32_MAX || pid < -INT32_MAX) return -PF_ESRCH;
    if (pid > 0) {
        struct k_proc *proc = k_proc_find((int32_t)pid);
        if (!proc) return -PF_ESRCH;
        if (signal) k_signal(proc, (int)signal);
    } else {
        int count = pid == -1 ? k_signal_some(not_this, self->pid, (int)signal)
                              : k_signal_group(pid ? (int32_t)-pid : self->pgid, (int)signal);
        if (!count) return -PF_ESRCH;
    }
    return k_after_signal(call, 0);
}

int64_t k_do_SIGACTION(struct k_call *call) {
    struct k_proc *proc = call->proc;
    int64_t signal = k_arg(call, 0), disposition = k_arg(call, 1), flags = k_arg(call, 2);
    if (signal < 1 || signal >= PF_SIGNALS || disposition < -1 || disposition > 2)
        return -PF_EINVAL;
    uint64_t bit = K_SIGBIT(signal);
    int64_t old = proc->caught & bit ? 2 : proc->ignored & bit ? 1 : 0;
    if (disposition == -1) return old;
    if (bit & UNBLOCKABLE) return -PF_EINVAL;
    proc->caught &= ~bit;
    proc->ignored &= ~bit;
    proc->restart &= ~bit;
    if (disposition == 2) {
        proc->caught |= bit;
        if (flags & PF_SA_RESTART) proc->restart |= bit;
    } else {
        if (disposition == 1) proc->ignored |= bit;
        if (disposition == 1 || HARMLESS & bit) proc->pending &= ~bit;
        k_signals_unblocked(proc); /* one that was caught and not yet taken */
    }
    return k_after_signal(call, old);
}

int64_t k_do_SIGMASK(struct k_call *call) {
    struct k_proc *proc = call->proc;
    uint64_t old = proc->mask, mask = (uint64_t)k_arg(call, 1) & ~UNBLOCKABLE;
    switch (k_arg(call, 0)) {
    case 0: proc->mask |= mask; break;
    case 1: proc->mask &= ~mask; break;
    case 2: proc->mask = mask; break;
    case 3: break;
    default: return -PF_EINVAL;
    }
    if (proc->pending) k_signals_unblocked(proc);
    return k_after_signal(call, (int64_t)old);
}

int64_t k_do_SIGTAKE(struct k_call *call) {
    struct k_proc *proc = call->proc;
    uint64_t set = (uint64_t)k_arg(call, 0) & ~UNBLOCKABLE;
    uint64_t ready = proc->pending & (set ? set : proc->caught & (~proc->mask | proc->granted));
    if (!ready) return 0;
    int signal = __builtin_ctzll(ready) + 1;
    proc->pending &= ~K_SIGBIT(signal);
    proc->granted &= ~K_SIGBIT(signal);
    return signal;
}

int64_t k_do_SIGSUSPEND(struct k_call *call) {
    struct k_proc *proc = call->proc;
    if (!proc->suspended) {
        proc->suspended = true;
        proc->old_mask = proc->mask;
        proc->mask = (uint64_t)k_arg(call, 0) & ~UNBLOCKABLE;
        k_signals_unblocked(proc);
        if (!k_proc_alive(proc)) return K_GONE;
    }
    uint64_t ready = proc->pending & proc->caught & ~proc->mask;
    if (!ready) return k_wait(call, NULL, false);
    proc->granted |= ready;
    proc->mask = proc->old_mask;
    proc->suspended = false;
    return -PF_EINTR;
}

int64_t k_do_SIGPENDING(struct k_call *call) {
    return (int64_t)(call->proc->pending & ~K_SIGBIT(64));
}
