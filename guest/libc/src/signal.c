/*
 * signal.c: handlers, masks, sending.
 *
 * The kernel knows which signals a process catches; which function that means is known here. A
 * handler runs inside the call during which its signal was announced, so never in the middle of
 * anything else: every function is async-signal-safe.
 */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"

void __pf_sig_err(int signal) {
    (void)signal;
    abort();
}
void __pf_sig_ign(int signal) { (void)signal; }

int64_t __pf_alarm_interval_ns; /* of setitimer(): SIGALRM starts the next one */

static struct sigaction actions[PF_SIGNALS];

static uint64_t bit(int signal) { return 1ull << (signal - 1); }
static int valid(int signal) { return signal > 0 && signal < PF_SIGNALS; }
static int fail(int error) {
    errno = error;
    return -1;
}

/* Sends without running handlers: this is what runs them. */
static int64_t send_plain(uint32_t call, int64_t a, int64_t b, int64_t c) {
    struct pf_message message = {.call = call, .arg = {a, b, c}};
    return __pf_call_plain(&message);
}

static void run(int signal) {
    struct sigaction action = actions[signal];
    if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) return;
    if (signal == SIGALRM && __pf_alarm_interval_ns)
        send_plain(PF_CALL_ALARM, __pf_alarm_interval_ns, 0, 0);
    if (action.sa_flags & (int)SA_RESETHAND) {
        actions[signal].sa_handler = SIG_DFL;
        send_plain(PF_CALL_SIGACTION, signal, 0, 0);
    }
    uint64_t block = action.sa_mask.bits | (action.sa_flags & SA_NODEFER ? 0 : bit(signal));
    int64_t old = send_plain(PF_CALL_SIGMASK, SIG_BLOCK, (int64_t)block, 0);
    if (action.sa_flags & SA_SIGINFO) {
        siginfo_t info = {.si_signo = signal, .si_code = SI_USER};
        action.sa_sigaction(signal, &info, NULL);
    } else {
        action.sa_handler(signal);
    }
    send_plain(PF_CALL_SIGMASK, SIG_SETMASK, old, 0);
}

void __pf_deliver_signals(void) {
    int saved = errno;
    int64_t signal;
    while ((signal = send_plain(PF_CALL_SIGTAKE, 0, 0, 0)) > 0) run((int)signal);
    errno = saved;
}

enum { QUERY = -1, DEFAULT, IGNORE, CATCH };

int sigaction(int signal, const struct sigaction *restrict new, struct sigaction *restrict old) {
    if (!valid(signal)) return fail(EINVAL);
    struct sigaction before = actions[signal];
    int disposition = QUERY;
    int64_t flags = 0;
    if (new) {
        struct sigaction after = *new; /* may be the same object as *old */
        disposition = after.sa_handler == SIG_DFL   ? DEFAULT
                      : after.sa_handler == SIG_IGN ? IGNORE
                                                    : CATCH;
        flags = after.sa_flags & SA_RESTART ? PF_SA_RESTART : 0;
        actions[signal] = after; /* first: the reply may announce this very signal */
    }
    int64_t result = PF_SEND(SIGACTION, .arg = {signal, disposition, flags});
    if (result < 0) {
        actions[signal] = before;
        return __pf_result(result);
    }
    if (old) {
        *old = before;
        if (result != CATCH) old->sa_handler = result == IGNORE ? SIG_IGN : SIG_DFL;
    }
    return 0;
}

static uint64_t no_restart; /* siginterrupt() */

sighandler_t signal(int number, sighandler_t handler) {
    if (!valid(number)) {
        errno = EINVAL;
        return SIG_ERR;
    }
    struct sigaction new = {.sa_flags = no_restart & bit(number) ? 0 : SA_RESTART}, old;
    new.sa_handler = handler;
    return sigaction(number, &new, &old) < 0 ? SIG_ERR : old.sa_handler;
}

int siginterrupt(int number, int on) {
    struct sigaction action;
    if (sigaction(number, NULL, &action) < 0) return -1;
    if (on) {
        no_restart |= bit(number);
        action.sa_flags &= ~SA_RESTART;
    } else {
        no_restart &= ~bit(number);
        action.sa_flags |= SA_RESTART;
    }
    return sigaction(number, &action, NULL);
}

int kill(pid_t pid, int signal) { return __pf_result(PF_SEND(KILL, .arg = {pid, signal})); }
int killpg(pid_t group, int signal) {
    if (group < 0) return fail(EINVAL);
    return kill(group ? -group : 0, signal);
}
int raise(int signal) { return kill(getpid(), signal); }

int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old) {
    if (set && (how < SIG_BLOCK || how > SIG_SETMASK)) return fail(EINVAL);
    int64_t result = PF_SEND(SIGMASK, .arg = {set ? how : 3, set ? (int64_t)set->bits : 0});
    if (result < 0) return __pf_result(result);
    if (old) old->bits = (uint64_t)result;
    return 0;
}
int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old) {
    return sigprocmask(how, set, old) < 0 ? errno : 0;
}

int sigsuspend(const sigset_t *mask) {
    return __pf_result(PF_SEND(SIGSUSPEND, .arg = {(int64_t)mask->bits}));
}
int pause(void) {
    sigset_t mask;
    return sigprocmask(SIG_BLOCK, NULL, &mask) < 0 ? -1 : sigsuspend(&mask);
}
int sigpending(sigset_t *set) {
    int64_t result = PF_SEND(SIGPENDING);
    if (result < 0) return __pf_result(result);
    set->bits = (uint64_t)result;
    return 0;
}

int sigemptyset(sigset_t *set) {
    set->bits = 0;
    return 0;
}
int sigfillset(sigset_t *set) {
    set->bits = ~0ull;
    return 0;
}
int sigaddset(sigset_t *set, int signal) {
    if (!valid(signal)) return fail(EINVAL);
    set->bits |= bit(signal);
    return 0;
}
int sigdelset(sigset_t *set, int signal) {
    if (!valid(signal)) return fail(EINVAL);
    set->bits &= ~bit(signal);
    return 0;
}
int sigismember(const sigset_t *set, int signal) {
    if (!valid(signal)) return fail(EINVAL);
    return (set->bits & bit(signal)) != 0;
}
int sigisemptyset(const sigset_t *set) { return set->bits == 0; }
int sigorset(sigset_t *out, const sigset_t *a, const sigset_t *b) {
    out->bits = a->bits | b->bits;
    return 0;
}
int sigandset(sigset_t *out, const sigset_t *a, const sigset_t *b) {
    out->bits = a->bits & b->bits;
    return 0;
}
