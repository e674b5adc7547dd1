/*
 * confine.c: confine(files) takes from this process whatever a machine does not need. For the
 * worker of isolation="process" (pinfold/worker.py), before it runs code that nobody trusts.
 *
 * seccomp, a list of what is allowed (seccomp(2)): memory, clocks, timers, signals of its own,
 * reading and writing what is open already. Opening files and asking for them fails with EPERM,
 * because Python does so in passing; any other system call kills the process. `files` says whether
 * files may be opened, as a machine that records does when it is made. It cannot be taken back,
 * only narrowed by a second call.
 */
#include "native.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef OUR_ARCH

static const int allowed[] = {
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_close,
    SYS_lseek,
    SYS_fstat,
    SYS_fcntl,
    SYS_ftruncate,
    SYS_pread64,
    SYS_pwrite64,
    SYS_fsync,
    SYS_fdatasync,
    SYS_ppoll,
    SYS_mmap,
    SYS_munmap,
    SYS_mprotect,
    SYS_madvise,
    SYS_mremap,
    SYS_brk,
    SYS_memfd_create,
    SYS_futex,
    SYS_sched_yield,
    SYS_getrandom,
    SYS_gettid,
    SYS_getpid,
    SYS_membarrier,
    SYS_sched_getaffinity,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_tgkill,
    SYS_restart_syscall,
    SYS_timer_create,
    SYS_timer_settime,
    SYS_timer_gettime,
    SYS_timer_delete,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_getrusage,
#ifdef SYS_getrlimit
    SYS_getrlimit,
#endif
    SYS_exit,
    SYS_exit_group,
#ifdef SYS_poll
    SYS_poll,
#endif
#ifdef SYS_rseq
    SYS_rseq,
#endif
};

static const int files_only[] = {
    SYS_prctl,  SYS_seccomp, /* to narrow it further */
    SYS_openat, SYS_readlinkat, SYS_newfstatat, SYS_faccessat, SYS_ioctl,  SYS_getcwd,
#ifdef SYS_open
    SYS_open,   SYS_stat,       SYS_lstat,      SYS_readlink,  SYS_access,
#endif
};

#define RULE(...) ((struct sock_filter)__VA_ARGS__)
#define LOAD(at)  RULE(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(at)))
#define ARG(i)    (offsetof(struct seccomp_data, args) + 8 * (i))

enum {
    OWN_LIMITS = 9,
    MAX_RULES = 2 * (sizeof allowed / sizeof *allowed + sizeof files_only / sizeof *files_only) +
                OWN_LIMITS + 8
};

/* prlimit(2), but to look at limits of its own only: no process, no new limit. */
static size_t add_own_limits(struct sock_filter *rules, size_t count) {
    const struct sock_filter look[OWN_LIMITS] = {
        RULE(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, OWN_LIMITS - 1)),
        LOAD(ARG(0)),
        RULE(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 5)),
        LOAD(ARG(2)),
        RULE(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3)),
        LOAD(ARG(2) + 4),
        RULE(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1)),
        RULE(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)),
        RULE(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)),
    };
    for (size_t i = 0; i < OWN_LIMITS; i++) rules[count++] = look[i];
    return count;
}

static size_t add(struct sock_filter *rules, size_t count, const int *calls, size_t calls_count,
                  uint32_t verdict) {
    for (size_t i = 0; i < calls_count; i++) {
        rules[count++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i], 0, 1);
        rules[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, verdict);
    }
    return count;
}

static int install(bool files) {
    struct sock_filter rules[MAX_RULES];
    size_t n = 0;
    rules[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    rules[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCH, 1, 0);
    rules[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    rules[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    n = add_own_limits(rules, n);
    n = add(rules, n, allowed, sizeof allowed / sizeof *allowed, SECCOMP_RET_ALLOW);
    n = add(rules, n, files_only, sizeof files_only / sizeof *files_only,
            files ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | EPERM);
    rules[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    struct sock_fprog program = {.len = (unsigned short)n, .filter = rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    /* TSYNC: also the threads that are there already. */
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

#ifdef PF_NO_SIGNALS
/* The library's thread that counts CPU time starts with the first sandbox, and no thread starts from
 * here on. What this sandbox is made of, the worker's own needs as well. */
static bool start_threads(void) {
    pf_error error;
    pf_sandbox *sandbox = NULL;
    pf_options *options = pf_options_new();
    if (options) pf_sandbox_new(options, &sandbox, &error);
    pf_options_free(options);
    pf_sandbox_free(sandbox);
    return sandbox != NULL;
}
#else
static bool start_threads(void) { return true; }
#endif

PyObject *native_confine(PyObject *module, PyObject *files) {
    (void)module;
    int open_files = PyObject_IsTrue(files);
    if (open_files < 0) return NULL;
    if (!start_threads()) return PyErr_NoMemory();
    int failed = install(open_files);
    if (failed < 0) return PyErr_SetFromErrno(PyExc_OSError);
    if (failed > 0) {
        PyErr_Format(PyExc_OSError, "thread %d cannot be confined", failed);
        return NULL;
    }
    Py_RETURN_NONE;
}

#else

PyObject *native_confine(PyObject *module, PyObject *files) {
    (void)module;
    (void)files;
    PyErr_SetString(PyExc_NotImplementedError,
                    "isolation=\"process\" needs Linux on x86-64 or arm64");
    return NULL;
}

#endif
