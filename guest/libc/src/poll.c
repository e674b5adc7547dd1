/* poll.c: waiting for descriptors. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/select.h>

#include "internal.h"
#include "pf.h"

_Static_assert(sizeof(struct pollfd) == sizeof(struct pf_pollfd), "the arrays are the same bytes");

static struct pf_message message(struct pollfd *fds, nfds_t count, int64_t timeout_ns) {
    return (struct pf_message){.call = PF_CALL_POLL,
                               .arg = {timeout_ns},
                               PF_IN(fds, count * sizeof *fds),
                               PF_OUT(fds, count * sizeof *fds)};
}

static int poll_ns(struct pollfd *fds, nfds_t count, int64_t timeout_ns) {
    if (count > PF_OPEN_MAX * 4) {
        errno = EINVAL;
        return -1;
    }
    struct pf_message m = message(fds, count, timeout_ns);
    return __pf_result(__pf_call(&m));
}

int poll(struct pollfd *fds, nfds_t count, int timeout_ms) {
    return poll_ns(fds, count, timeout_ms < 0 ? -1 : timeout_ms * 1000000ll);
}

int pf_wait_unwound(struct pollfd *fds, int count, int64_t timeout_ns) {
    struct pf_message m = message(fds, (nfds_t)count, timeout_ns);
    return __pf_result(__pf_call_unwind(&m));
}

/* With a signal mask for the time of the wait: what the mask lets in ends the call. */
int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask) {
    int64_t ns = timeout ? __pf_ns(timeout->tv_sec, timeout->tv_nsec) : -1;
    if (!mask) return poll_ns(fds, count, ns);
    struct pf_message change = {.call = PF_CALL_SIGMASK, .arg = {SIG_SETMASK, (int64_t)mask->bits}};
    int64_t old = __pf_call(&change);
    if (old < 0) return __pf_result(old);
    int result = -1;
    if (change.flags & PF_MSG_SIGNAL) errno = EINTR;
    else result = poll_ns(fds, count, ns);
    int error = errno;
    PF_SEND(SIGMASK, .arg = {SIG_SETMASK, old});
    errno = error;
    return result;
}

static int select_ns(int highest, fd_set *in, fd_set *out, fd_set *odd,
                     const struct timespec *limit, const sigset_t *mask) {
    if (highest < 0 || highest > FD_SETSIZE) {
        errno = EINVAL;
        return -1;
    }
    struct pollfd *fds = malloc((size_t)(highest ? highest : 1) * sizeof *fds);
    if (!fds) return -1;
    nfds_t count = 0;
    for (int fd = 0; fd < highest; fd++) {
        short events = 0;
        if (in && FD_ISSET(fd, in)) events |= POLLIN;
        if (out && FD_ISSET(fd, out)) events |= POLLOUT;
        if (odd && FD_ISSET(fd, odd)) events |= POLLPRI;
        if (events) fds[count++] = (struct pollfd){.fd = fd, .events = events};
    }
    int result = ppoll(fds, count, limit, mask);
    for (nfds_t i = 0; result > 0 && i < count; i++)
        if (fds[i].revents & POLLNVAL) {
            errno = EBADF;
            result = -1;
        }
    if (result >= 0) {
        if (in) FD_ZERO(in);
        if (out) FD_ZERO(out);
        if (odd) FD_ZERO(odd);
        int ready = 0;
        for (nfds_t i = 0; i < count; i++) {
            short asked = fds[i].events, got = fds[i].revents;
            if (asked & POLLIN && got & (POLLIN | POLLHUP | POLLERR)) {
                FD_SET(fds[i].fd, in);
                ready++;
            }
            if (asked & POLLOUT && got & (POLLOUT | POLLERR)) {
                FD_SET(fds[i].fd, out);
                ready++;
            }
        }
        result = ready;
    }
    int error = errno;
    free(fds);
    errno = error;
    return result;
}

int pselect(int highest, fd_set *restrict in, fd_set *restrict out, fd_set *restrict odd,
            const struct timespec *restrict limit, const sigset_t *restrict mask) {
    return select_ns(highest, in, out, odd, limit, mask);
}
int select(int highest, fd_set *restrict in, fd_set *restrict out, fd_set *restrict odd,
           struct timeval *restrict timeout) {
    struct timespec limit;
    if (timeout) limit = (struct timespec){timeout->tv_sec, (long)timeout->tv_usec * 1000};
    return select_ns(highest, in, out, odd, timeout ? &limit : NULL, NULL);
}
