/* signals.c: waits for signals that are blocked, and for children by waitid(), on threads.h. */
#include <Python.h>

#include <errno.h>
#include <unistd.h>

#include "abi/message.h"
#include "abi/types.h"
#include "signals.h"
#include "stacks.h"
#include "threads.h"

#define LISTED __attribute__((noinline)) /* its name is on the list of CMakeLists.txt */
#define PAUSE_FIRST 1000000 /* ns between two looks at what is pending, growing up to PAUSE_LAST */
#define PAUSE_LAST 16000000
#define NOT_ENDED 0x100 /* of the kernel's call WAIT */

int64_t __pf_call(struct pf_message *message); /* guest/libc */

/* A pending signal of the set, which is over then; 0: there is none. */
static int take(const sigset_t *set) {
    struct pf_message message = {.call = PF_CALL_SIGTAKE, .arg = {(int64_t)set->bits}};
    return (int)__pf_call(&message);
}

/* The kernel wakes nobody for a signal that is blocked: one looks again and again. */
LISTED int python_sigwait(int way, const sigset_t *set, siginfo_t *info, long long ns) {
    long long end = ns < 0 ? -1 : python_now() + ns, pause = PAUSE_FIRST;
    for (;;) {
        int number = set->bits ? take(set) : 0;
        if (number > 0) {
            *info = (siginfo_t){.si_signo = number, .si_code = SI_USER};
            return number;
        }
        long long left = end < 0 ? pause : end - python_now();
        if (left <= 0) {
            errno = EAGAIN;
            return -1;
        }
        if (python_poll(way, NULL, 0, left < pause ? left : pause) < 0) return -1;
        if (pause < PAUSE_LAST) pause *= 2;
    }
}

static void describe(siginfo_t *info, pid_t pid, int status) {
    *info = (siginfo_t){.si_signo = SIGCHLD, .si_pid = pid, .si_uid = getuid()};
    if (WIFCONTINUED(status)) {
        info->si_code = CLD_CONTINUED;
        info->si_status = SIGCONT;
    } else if (WIFSTOPPED(status)) {
        info->si_code = CLD_STOPPED;
        info->si_status = WSTOPSIG(status);
    } else if (WIFEXITED(status)) {
        info->si_code = CLD_EXITED;
        info->si_status = WEXITSTATUS(status);
    } else {
        info->si_code = CLD_KILLED;
        info->si_status = WTERMSIG(status);
    }
}

LISTED int python_waitid(int way, idtype_t kind, id_t id, siginfo_t *info, int options) {
    int known = WEXITED | WSTOPPED | WCONTINUED, status = 0;
    if (!(options & known) || options & ~(known | WNOHANG | WNOWAIT) || kind > P_PGID || (kind == P_PID && !id)) {
        errno = EINVAL;
        return -1;
    }
    pid_t which = kind == P_ALL ? -1 : kind == P_PID ? (pid_t)id : -(pid_t)id;
    int asked = (options & ~WEXITED) | (options & WEXITED ? 0 : NOT_ENDED);
    pid_t pid = python_waitpid(way, which, &status, asked);
    if (pid < 0) return -1;
    *info = (siginfo_t){0};
    if (pid > 0) describe(info, pid, status);
    return 0;
}

int python_thread_kill(unsigned long ident, int signal) {
    if (!python_thread_exists(ident)) return ESRCH;
    return kill(getpid(), signal) < 0 ? errno : 0;
}
