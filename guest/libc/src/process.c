/* process.c: processes: making, waiting for and naming them. */
#include <sys/resource.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <unistd.h>

#include "internal.h"

/* The host copies the instance while its C stack lies unwound in its memory, so everything in the
 * child is as it was: buffers of stdio are there twice, as POSIX has it. Host operations are not
 * inherited; nothing here remembers them. ENOSYS in programs that are not Asyncify's as a whole. */
pid_t fork(void) { return __pf_result(PF_SEND(FORK)); }
pid_t vfork(void) { return fork(); }

static struct timeval time_of(int64_t ns) {
    return (struct timeval){.tv_sec = ns / PF_NS_PER_S, .tv_usec = ns % PF_NS_PER_S / 1000};
}

static struct rusage usage_of(const struct pf_rusage *from) {
    return (struct rusage){.ru_utime = time_of(from->user_ns),
                           .ru_stime = time_of(from->system_ns)};
}

pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage) {
    struct pf_wait found;
    int64_t result = PF_SEND(WAIT, .arg = {pid, options}, PF_OUT(&found, sizeof found));
    if (result < 0) return __pf_result(result);
    if (result > 0) {
        if (status) *status = found.status;
        if (usage) *usage = usage_of(&found.usage);
    }
    return (pid_t)result;
}
pid_t waitpid(pid_t pid, int *status, int options) { return wait4(pid, status, options, NULL); }
pid_t wait(int *status) { return wait4(-1, status, 0, NULL); }
pid_t wait3(int *status, int options, struct rusage *usage) {
    return wait4(-1, status, options, usage);
}

enum { PID, PPID, PGID, SID, UID, GID };
static int id(int what, pid_t of) { return __pf_result(PF_SEND(GETPID, .arg = {what, of})); }
pid_t getpid(void) { return id(PID, 0); }
pid_t gettid(void) { return id(PID, 0); }
pid_t getppid(void) { return id(PPID, 0); }
pid_t getpgid(pid_t pid) { return id(PGID, pid); }
pid_t getpgrp(void) { return id(PGID, 0); }
pid_t getsid(pid_t pid) { return id(SID, pid); }
int setpgid(pid_t pid, pid_t group) { return __pf_result(PF_SEND(SETPGID, .arg = {pid, group})); }
pid_t setpgrp(void) { return setpgid(0, 0); }
pid_t setsid(void) { return __pf_result(PF_SEND(SETSID)); }

uid_t getuid(void) { return (uid_t)id(UID, 0); }
uid_t geteuid(void) { return (uid_t)id(UID, 0); }
gid_t getgid(void) { return (gid_t)id(GID, 0); }
gid_t getegid(void) { return (gid_t)id(GID, 0); }

/* No process can become another user. */
static int become(unsigned wanted, unsigned now) {
    if (wanted == now || wanted == ~0u) return 0;
    errno = EPERM;
    return -1;
}
int setuid(uid_t uid) { return become(uid, getuid()); }
int seteuid(uid_t uid) { return become(uid, getuid()); }
int setgid(gid_t gid) { return become(gid, getgid()); }
int setegid(gid_t gid) { return become(gid, getgid()); }
int setreuid(uid_t real, uid_t effective) {
    return become(real, getuid()) < 0 ? -1 : become(effective, getuid());
}
int setregid(gid_t real, gid_t effective) {
    return become(real, getgid()) < 0 ? -1 : become(effective, getgid());
}
int getresuid(uid_t *real, uid_t *effective, uid_t *saved) {
    *real = *effective = *saved = getuid();
    return 0;
}
int getresgid(gid_t *real, gid_t *effective, gid_t *saved) {
    *real = *effective = *saved = getgid();
    return 0;
}
int getgroups(int room, gid_t groups[]) {
    if (room == 0) return 1;
    if (room < 0) {
        errno = EINVAL;
        return -1;
    }
    groups[0] = getgid();
    return 1;
}
int setgroups(size_t count, const gid_t *groups) {
    (void)count;
    (void)groups;
    errno = EPERM;
    return -1;
}

static int64_t usage(struct pf_rusage of[2]) {
    return PF_SEND(TIMES, PF_OUT(of, 2 * sizeof *of));
}

int getrusage(int who, struct rusage *out) {
    struct pf_rusage both[2];
    if (who != RUSAGE_SELF && who != RUSAGE_CHILDREN) {
        errno = EINVAL;
        return -1;
    }
    int64_t result = usage(both);
    if (result < 0) return __pf_result(result);
    *out = usage_of(&both[who == RUSAGE_CHILDREN]);
    return 0;
}

#define NS_PER_TICK 10000000 /* sysconf(_SC_CLK_TCK) is 100 */
clock_t times(struct tms *out) {
    struct pf_rusage both[2];
    int64_t result = usage(both);
    if (result < 0) return __pf_result(result);
    if (out)
        *out = (struct tms){both[0].user_ns / NS_PER_TICK, both[0].system_ns / NS_PER_TICK,
                            both[1].user_ns / NS_PER_TICK, both[1].system_ns / NS_PER_TICK};
    int64_t now = PF_SEND(CLOCK, .arg = {1});
    return now < 0 ? __pf_result(now) : now / NS_PER_TICK;
}

int getrlimit(int resource, struct rlimit *out) {
    int64_t limits[2];
    int64_t result = PF_SEND(RLIMIT, .arg = {resource, -2}, PF_OUT(limits, sizeof limits));
    if (result < 0) return __pf_result(result);
    out->rlim_cur = limits[0] < 0 ? RLIM_INFINITY : (rlim_t)limits[0];
    out->rlim_max = limits[1] < 0 ? RLIM_INFINITY : (rlim_t)limits[1];
    return 0;
}

static int64_t limit(rlim_t value) { return value > INT64_MAX ? -1 : (int64_t)value; }
int setrlimit(int resource, const struct rlimit *in) {
    int64_t unused[2];
    return __pf_result(PF_SEND(RLIMIT, .arg = {resource, limit(in->rlim_cur), limit(in->rlim_max)},
                               PF_OUT(unused, sizeof unused)));
}

/* The scheduler is fair and has no priorities: a nice value is kept, and that is all. */
static int niceness;
int getpriority(int which, id_t who) {
    (void)which;
    (void)who;
    return niceness;
}
int setpriority(int which, id_t who, int value) {
    (void)which;
    (void)who;
    if (value < niceness) {
        errno = EACCES;
        return -1;
    }
    niceness = value > 19 ? 19 : value;
    return 0;
}
int nice(int more) {
    if (more < 0) {
        errno = EPERM;
        return -1;
    }
    setpriority(0, 0, niceness + (more > 39 ? 39 : more));
    return niceness;
}
