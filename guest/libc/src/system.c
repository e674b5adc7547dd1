/* system.c: what system this is. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "internal.h"
#include "pf.h"

/* As an ordinary Linux, so that scripts take the ordinary way. */
static const struct utsname name = {
    .sysname = "Linux",
    .nodename = "pinfold",
    .release = "5.15.0-pinfold",
    .version = "#1 SMP",
    .machine = "x86_64",
    .domainname = "(none)",
};

int uname(struct utsname *out) {
    *out = name;
    return 0;
}

int gethostname(char *buf, size_t size) {
    size_t len = strlen(name.nodename) + 1;
    memcpy(buf, name.nodename, len < size ? len : size);
    if (len <= size) return 0;
    errno = ENAMETOOLONG;
    return -1;
}

static long limit_of(int resource) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) < 0 || limit.rlim_cur > LONG_MAX) return -1;
    return (long)limit.rlim_cur;
}

long sysconf(int what) {
    switch (what) {
    case _SC_ARG_MAX: return ARG_MAX;
    case _SC_CHILD_MAX: return limit_of(RLIMIT_NPROC);
    case _SC_OPEN_MAX: return limit_of(RLIMIT_NOFILE);
    case _SC_CLK_TCK: return 100;
    case _SC_NGROUPS_MAX: return NGROUPS_MAX;
    case _SC_STREAM_MAX: return 16;
    case _SC_TZNAME_MAX: return TZNAME_MAX;
    case _SC_JOB_CONTROL:
    case _SC_SAVED_IDS: return 1;
    case _SC_VERSION:
    case _SC_2_VERSION:
    case _SC_MONOTONIC_CLOCK: return _POSIX_VERSION;
    case _SC_PAGESIZE: return 4096;
    case _SC_LINE_MAX: return LINE_MAX;
    case _SC_RE_DUP_MAX: return RE_DUP_MAX;
    case _SC_IOV_MAX: return IOV_MAX;
    case _SC_GETGR_R_SIZE_MAX:
    case _SC_GETPW_R_SIZE_MAX: return 1024;
    case _SC_LOGIN_NAME_MAX: return LOGIN_NAME_MAX;
    case _SC_TTY_NAME_MAX: return TTY_NAME_MAX;
    case _SC_NPROCESSORS_CONF:
    case _SC_NPROCESSORS_ONLN: return 1;
    case _SC_PHYS_PAGES:
    case _SC_AVPHYS_PAGES: return 65536; /* process_memory_bytes' default, in pages */
    case _SC_SYMLOOP_MAX: return PF_SYMLINK_MAX;
    case _SC_HOST_NAME_MAX: return HOST_NAME_MAX;
    default: errno = EINVAL; return -1;
    }
}

long pathconf(const char *path, int what) {
    (void)path;
    switch (what) {
    case _PC_LINK_MAX: return 65000;
    case _PC_MAX_CANON:
    case _PC_MAX_INPUT: return 255;
    case _PC_NAME_MAX: return PF_NAME_MAX;
    case _PC_PATH_MAX: return PF_PATH_MAX;
    case _PC_PIPE_BUF: return PF_PIPE_BUF;
    case _PC_CHOWN_RESTRICTED:
    case _PC_NO_TRUNC:
    case _PC_2_SYMLINKS: return 1;
    case _PC_VDISABLE: return 0;
    case _PC_FILESIZEBITS: return 64;
    case _PC_SYMLINK_MAX: return PF_PATH_MAX;
    default: errno = EINVAL; return -1;
    }
}
long fpathconf(int fd, int what) {
    (void)fd;
    return pathconf("", what);
}

size_t confstr(int what, char *buf, size_t size) {
    static const char path[] = "/bin:/usr/bin";
    if (what != _CS_PATH) {
        errno = EINVAL;
        return 0;
    }
    if (size) {
        size_t len = sizeof path < size ? sizeof path : size;
        memcpy(buf, path, len);
        buf[len - 1] = 0;
    }
    return sizeof path;
}

int getpagesize(void) { return 4096; }
int getdtablesize(void) { return (int)limit_of(RLIMIT_NOFILE); }

/* Load would tell of the host's time, which programs here may not know. */
int getloadavg(double *loads, int count) {
    if (count > 3) count = 3;
    for (int i = 0; i < count; i++) loads[i] = 0;
    return count;
}

void pf_yield(void) { PF_SEND(YIELD, .arg = {1}); }
int sched_yield(void) { return __pf_result(PF_SEND(YIELD, .arg = {1})); }
