/*
 * builtin/input.c: see readline.h.
 */
#include "readline.h"

#include <poll.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void) {
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

void input_open(struct input *in, int fd, int64_t timeout_ns) {
    in->fd = fd;
    in->n = in->at = 0;
    in->deadline = timeout_ns < 0 ? 0 : now_ns() + timeout_ns;
    in->seekable = lseek(fd, 0, SEEK_CUR) >= 0;
}

/* Waits until something can be read, or a signal came; false when the time is up. */
static bool wait_readable(struct input *in) {
    for (;;) {
        int64_t left = in->deadline - now_ns();
        if (left <= 0) return false;
        struct pollfd p = {.fd = in->fd, .events = POLLIN};
        int64_t ms = (left + 999999) / 1000000;
        int got = poll(&p, 1, ms > 1000000 ? 1000000 : (int)ms);
        if (got > 0) return true;
        if (got < 0 && (errno != EINTR || signal_pending())) return true;
    }
}

int input_byte(struct shell *sh, struct input *in) {
    while (in->at == in->n) {
        if (in->deadline && !wait_readable(in)) return INPUT_TIMEOUT;
        errno = EINTR;
        ssize_t n = in->deadline && signal_pending() ? -1 : read(in->fd, in->buf, in->seekable ? sizeof in->buf : 1);
        if (n < 0 && errno == EINTR) {
            int signal = signal_first_pending();
            signal_check(sh);
            if (sh->flow == FLOW_NONE && !(signal > 0 && sh->posix)) continue;
            sh->read_signal = signal;
            return INPUT_SIGNAL;
        }
        if (n < 0) return INPUT_ERROR;
        if (n == 0) return INPUT_EOF;
        in->at = 0;
        in->n = (int)n;
    }
    return (unsigned char)in->buf[in->at++];
}

void input_close(struct input *in) {
    if (in->at < in->n) lseek(in->fd, (off_t)(in->at - in->n), SEEK_CUR);
    in->at = in->n = 0;
}
