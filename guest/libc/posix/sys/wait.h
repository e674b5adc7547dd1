/* sys/wait.h: waiting for children, with Linux's status words. */
#ifndef PF_POSIX_SYS_WAIT_H
#define PF_POSIX_SYS_WAIT_H

#define __NEED_pid_t
#define __NEED_id_t
#include <bits/alltypes.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WNOHANG    1
#define WUNTRACED  2
#define WSTOPPED   2
#define WCONTINUED 8

#define WEXITSTATUS(status)  (((status)&0xff00) >> 8)
#define WTERMSIG(status)     ((status)&0x7f)
#define WSTOPSIG(status)     WEXITSTATUS(status)
#define WCOREDUMP(status)    ((status)&0x80)
#define WIFEXITED(status)    (WTERMSIG(status) == 0)
#define WIFSTOPPED(status)   (((status)&0xff) == 0x7f)
#define WIFSIGNALED(status)  (WTERMSIG(status) != 0 && WTERMSIG(status) != 0x7f)
#define WIFCONTINUED(status) ((status) == 0xffff)
#define W_EXITCODE(code, signal) ((code) << 8 | (signal))
#define W_STOPCODE(signal)       ((signal) << 8 | 0x7f)

struct rusage;
pid_t wait(int *);
pid_t waitpid(pid_t, int *, int);
pid_t wait3(int *, int, struct rusage *);
pid_t wait4(pid_t, int *, int, struct rusage *);

#ifdef __cplusplus
}
#endif

#endif
