/*
 * signals.h: waits for signals and for children that guest/libc has not, in listed functions (waits.h), and
 * their words of POSIX. Included by CPython's modules after the headers that they choose.
 */
#ifndef PYTHON_SIGNALS_H
#define PYTHON_SIGNALS_H

#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>

typedef enum { P_ALL, P_PID, P_PGID } idtype_t;
#define P_ALL   P_ALL
#define P_PID   P_PID
#define P_PGID  P_PGID
#define WEXITED 4
#define WNOWAIT 0x1000000

enum { CLD_EXITED = 1, CLD_KILLED, CLD_DUMPED, CLD_TRAPPED, CLD_STOPPED, CLD_CONTINUED };
#define CLD_EXITED    CLD_EXITED
#define CLD_KILLED    CLD_KILLED
#define CLD_DUMPED    CLD_DUMPED
#define CLD_TRAPPED   CLD_TRAPPED
#define CLD_STOPPED   CLD_STOPPED
#define CLD_CONTINUED CLD_CONTINUED

/* As sigtimedwait(), in nanoseconds, -1 for ever: a signal of the set, or -1 with EAGAIN or EINTR. */
int python_sigwait(int way, const sigset_t *set, siginfo_t *info, long long ns);
/* As waitid(). */
int python_waitid(int way, idtype_t kind, id_t id, siginfo_t *info, int options);
/* As pthread_kill(): the main thread hears of it, as of every signal. */
int python_thread_kill(unsigned long ident, int signal);

#endif
