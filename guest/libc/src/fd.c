/* fd.c: opening, closing and copying descriptors, and what is set on them. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <unistd.h>

#include "internal.h"

int openat(int dir, const char *path, int flags, ...) {
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    return __pf_result(PF_SEND(OPENAT, .arg = {dir, flags, mode}, PF_PATH(path)));
}

int open(const char *path, int flags, ...) {
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    return openat(AT_FDCWD, path, flags, mode);
}

int creat(const char *path, mode_t mode) {
    return open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

int close(int fd) {
    int64_t result = PF_SEND(CLOSE, .arg = {fd});
    return __pf_result(result == -EINTR ? 0 : result); /* it is closed all the same */
}

int close_range(unsigned first, unsigned last, int flags) {
    if (first > last || flags) {
        errno = EINVAL;
        return -1;
    }
    if (last >= PF_OPEN_MAX) last = PF_OPEN_MAX - 1;
    for (unsigned fd = first; fd <= last; fd++) PF_SEND(CLOSE, .arg = {fd});
    return 0;
}
void closefrom(int lowest) { close_range(lowest < 0 ? 0 : (unsigned)lowest, ~0u, 0); }

int dup(int fd) { return __pf_result(PF_SEND(DUPFD, .arg = {fd, 0, 0})); }

int dup2(int from, int to) {
    if (from == to) return fcntl(from, F_GETFD) < 0 ? -1 : to;
    return __pf_result(PF_SEND(DUP3, .arg = {from, to, 0}));
}

int dup3(int from, int to, int flags) {
    return __pf_result(PF_SEND(DUP3, .arg = {from, to, flags}));
}
/* What wasi-libc's freopen() calls in place of dup3. */
int __wasilibc_fd_renumber(int from, int to) { return dup2(from, to) < 0 ? -1 : 0; }

int pipe2(int ends[2], int flags) {
    int32_t fds[2];
    int result = __pf_result(PF_SEND(PIPE, .arg = {flags}, PF_OUT(fds, sizeof fds)));
    if (result < 0) return -1;
    ends[0] = fds[0];
    ends[1] = fds[1];
    return 0;
}
int pipe(int ends[2]) { return pipe2(ends, 0); }

static bool is_lock(int command) {
    return (command >= F_GETLK && command <= F_SETLKW) ||
           (command >= F_OFD_GETLK && command <= F_OFD_SETLKW);
}

int fcntl(int fd, int command, ...) {
    va_list rest;
    va_start(rest, command);
    void *pointer = is_lock(command) ? va_arg(rest, void *) : NULL;
    int argument = pointer ? 0 : va_arg(rest, int);
    va_end(rest);
    if (is_lock(command)) return __pf_record_lock(fd, command, pointer);
    switch (command) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
        return __pf_result(PF_SEND(DUPFD, .arg = {fd, argument, command == F_DUPFD_CLOEXEC}));
    case F_GETFD:
    case F_SETFD:
    case F_GETFL:
    case F_SETFL: return __pf_result(PF_SEND(FCNTL, .arg = {fd, command, argument}));
    case F_SETPIPE_SZ:
    case F_GETPIPE_SZ: return fcntl(fd, F_GETFD) < 0 ? -1 : (int)PF_PIPE_SIZE;
    default: errno = EINVAL; return -1;
    }
}
