/*
 * tests/fuzz/cage.c: see cage.h. fork() is counted in memory that all processes of a cage share;
 * the linker puts __wrap_fork() in its place.
 */
#include "cage.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef PF_FUZZ
#include <sanitizer/common_interface_defs.h>
#endif

enum { FORKS_MAX = 12, REPORT_FD = 200 };

static atomic_int *forks;

pid_t __wrap_fork(void);
pid_t __wrap_fork(void) {
    if (forks && atomic_fetch_add(forks, 1) >= FORKS_MAX) {
        errno = EAGAIN;
        return -1;
    }
    return _Fork(); /* see program.c */
}

#ifdef __x86_64__

/* Without arguments that matter. */
/* clang-format off */
static const int harmless[] = {
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_close, SYS_fstat, SYS_stat, SYS_lstat,
    SYS_newfstatat, SYS_statx, SYS_lseek, SYS_pread64, SYS_mmap, SYS_mprotect, SYS_munmap,
    SYS_mremap, SYS_madvise, SYS_brk, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn,
    SYS_rt_sigtimedwait, SYS_sigaltstack, SYS_pipe, SYS_pipe2, SYS_dup, SYS_dup2, SYS_dup3,
    SYS_fcntl, SYS_poll, SYS_ppoll, SYS_pselect6, SYS_clock_gettime, SYS_clock_nanosleep,
    SYS_nanosleep, SYS_getpid, SYS_getppid, SYS_getpgrp, SYS_getpgid, SYS_getuid, SYS_geteuid,
    SYS_getgid, SYS_getegid, SYS_getcwd, SYS_chdir, SYS_clone, SYS_wait4, SYS_waitid, SYS_exit,
    SYS_exit_group, SYS_futex, SYS_getrandom, SYS_access, SYS_faccessat, SYS_faccessat2,
    SYS_umask, SYS_alarm, SYS_times, SYS_getrusage, SYS_gettimeofday, SYS_uname, SYS_sysinfo,
    SYS_set_robust_list, SYS_rseq, SYS_set_tid_address, SYS_gettid, SYS_tgkill,
    SYS_sched_getaffinity, SYS_sched_yield, SYS_readlink, SYS_getdents64, SYS_getrlimit,
};
/* clang-format on */

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define SAY(what)   BPF_STMT(BPF_RET | BPF_K, what)
/* Goes on `yes` or `no` instructions further. */
#define IF(test, value, yes, no) BPF_JUMP(BPF_JMP | (test) | BPF_K, (uint32_t)(value), yes, no)
enum { REFUSED = SECCOMP_RET_ERRNO | EPERM, UNKNOWN = SECCOMP_RET_ERRNO | ENOSYS };

static void lock(void) {
    static struct sock_filter filter[200];
    enum { WRITING = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC };
    enum {
        SIGNALS = 1 | 1 << SIGHUP | 1 << SIGINT | 1 << SIGQUIT | 1 << SIGUSR1 | 1 << SIGUSR2 |
                  1 << SIGPIPE | 1 << SIGALRM | 1 << SIGTERM | 1 << SIGCHLD | 1 << SIGCONT
    };
    const struct sock_filter first[] = {
        LOAD(arch),
        IF(BPF_JEQ, AUDIT_ARCH_X86_64, 1, 0),
        SAY(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
        /* kill: itself only, without feigning a fault */
        IF(BPF_JEQ, SYS_kill, 0, 10),
        LOAD(args[0]),
        IF(BPF_JEQ, getpid(), 0, 6),
        LOAD(args[1]),
        IF(BPF_JGT, 31, 4, 0),
        BPF_STMT(BPF_MISC | BPF_TAX, 0),
        BPF_STMT(BPF_LD | BPF_IMM, 1),
        BPF_STMT(BPF_ALU | BPF_LSH | BPF_X, 0),
        IF(BPF_JSET, SIGNALS, 1, 0),
        SAY(REFUSED),
        SAY(SECCOMP_RET_ALLOW),
        /* open, openat: reading */
        IF(BPF_JEQ, SYS_open, 0, 4),
        LOAD(args[1]),
        IF(BPF_JSET, WRITING, 1, 0),
        SAY(SECCOMP_RET_ALLOW),
        SAY(REFUSED),
        IF(BPF_JEQ, SYS_openat, 0, 4),
        LOAD(args[2]),
        IF(BPF_JSET, WRITING, 1, 0),
        SAY(SECCOMP_RET_ALLOW),
        SAY(REFUSED),
        /* ioctl: is this a terminal? */
        IF(BPF_JEQ, SYS_ioctl, 0, 4),
        LOAD(args[1]),
        IF(BPF_JEQ, TCGETS, 0, 1),
        SAY(SECCOMP_RET_ALLOW),
        SAY(REFUSED),
        /* limits: looking */
        IF(BPF_JEQ, SYS_prlimit64, 0, 4),
        LOAD(args[2]),
        IF(BPF_JEQ, 0, 0, 1),
        SAY(SECCOMP_RET_ALLOW),
        SAY(REFUSED),
        /* the C library then takes clone */
        IF(BPF_JEQ, SYS_clone3, 0, 1),
        SAY(UNKNOWN),
    };
    unsigned short n = 0;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) filter[n++] = first[i];
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
        filter[n++] = (struct sock_filter)IF(BPF_JEQ, harmless[i], 0, 1);
        filter[n++] = (struct sock_filter)SAY(SECCOMP_RET_ALLOW);
    }
    filter[n++] = (struct sock_filter)SAY(REFUSED);
    struct sock_fprog program = {n, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
        perror("cage: seccomp");
        abort();
    }
}

#else
static void lock(void) {
    fputs("cage: there is none on this machine\n", stderr);
    abort();
}
#endif

void cage_enter(void) {
    forks = mmap(NULL, sizeof *forks, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int null = open("/dev/null", O_WRONLY);
    if (forks == MAP_FAILED || null < 0 || chdir("/") < 0 || clearenv() != 0) abort();
#ifdef PF_FUZZ
    if (dup2(2, REPORT_FD) == REPORT_FD) __sanitizer_set_report_fd((void *)(intptr_t)REPORT_FD);
#endif
    if (dup2(null, 2) < 0 || close_range(3, REPORT_FD - 1, 0) < 0) abort();
    setenv("PATH", "/nowhere", 1);
    setenv("HOME", "/", 1);
    lock();
}
