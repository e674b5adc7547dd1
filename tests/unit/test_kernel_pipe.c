/*
 * tests/unit/test_kernel_pipe.c: pipes, FIFOs and poll: who waits, who wakes, and what is atomic.
 */
#include "kernel_machine.h"

static uint32_t sh;
static int64_t child_pid;

static void pipe_(int32_t fds[2], int64_t flags) {
    CHECK_EQ(CALL(sh, PIPE, flags), 0);
    memcpy(fds, got, 8);
}

/* Two processes with a pipe between them: `sh` keeps both ends, the child too. */
static uint32_t pair(int32_t fds[2]) {
    sh = boot();
    pipe_(fds, 0);
    uint32_t child = fork_(sh, &child_pid);
    CALL(sh, YIELD, 0);
    switch_to(child);
    CHECK_EQ(CALL(child, FORK), 0);
    return child;
}

static uint8_t bulk[PF_IO_MAX];

static void reader_waits_for_writer(void) {
    int32_t fds[2];
    uint32_t child = pair(fds);
    CALL(child, READ, fds[0]);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL_PATH(sh, WRITE, "abc", fds[1]), 3);
    CALL(sh, SLEEP, 1, 1000, 0);
    CHECK_EQ(next(), child);
    CHECK_EQ(CALL(child, READ, fds[0]), 3);
    CHECK(memcmp(got, "abc", 3) == 0);
    k_check();
}

static void writer_fills_then_waits(void) {
    int32_t fds[2];
    uint32_t child = pair(fds);
    memset(bulk, 'w', sizeof bulk);
    for (int i = 0; i < 16; i++) CHECK_EQ(CALL_IN(child, WRITE, bulk, 4096, fds[1]), 4096);
    CALL_IN(child, WRITE, bulk, 4096, fds[1]);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK_EQ(next(), sh);
    /* One byte of room wakes nobody: a small write is whole or not at all. */
    CHECK_EQ(CALL_CAP(sh, READ, 1, fds[0]), 1);
    CHECK_EQ(k_proc_at(child)->state, K_WAITING);
    CHECK_EQ(CALL_CAP(sh, READ, 4095, fds[0]), 4095);
    CHECK_EQ(k_proc_at(child)->state, K_READY);
    switch_to(child);
    CHECK_EQ(CALL_IN(child, WRITE, bulk, 4096, fds[1]), 4096);
    k_check();
}

static void large_writes_are_partial(void) {
    int32_t fds[2];
    uint32_t child = pair(fds);
    CHECK_EQ(CALL_IN(child, WRITE, bulk, 60000, fds[1]), 60000);
    CHECK_EQ(CALL_IN(child, WRITE, bulk, 60000, fds[1]), 5536);
    CALL_IN(child, WRITE, bulk, 60000, fds[1]);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL(sh, READ, fds[0]), 65536); /* all of it, at once */
    switch_to(child);
    CHECK_EQ(CALL_IN(child, WRITE, bulk, 60000, fds[1]), 60000);
}

static void wraps_around(void) {
    int32_t fds[2];
    sh = boot();
    pipe_(fds, 0);
    uint8_t next_in = 0, next_out = 0;
    for (int round = 0; round < 200; round++) {
        uint8_t part[5000];
        for (size_t i = 0; i < sizeof part; i++) part[i] = next_in++;
        if (CALL_IN(sh, WRITE, part, 3000 + (round * 37) % 2000, fds[1]) < 0) break;
        next_in = (uint8_t)(next_in - (5000 - (3000 + (round * 37) % 2000)));
        int64_t n = CALL_CAP(sh, READ, 4500, fds[0]);
        for (int64_t i = 0; i < n; i++)
            if (got[i] != next_out++) {
                CHECK(!"bytes come in order");
                return;
            }
    }
    CHECK_EQ(action, PF_ACTION_RETURN);
}

static void ends_of_a_pipe(void) {
    int32_t fds[2];
    uint32_t child = pair(fds);
    CHECK_EQ(CALL_PATH(child, WRITE, "xy", fds[1]), 2);
    CHECK_EQ(CALL(child, CLOSE, fds[1]), 0);
    switch_to(sh);
    CHECK_EQ(CALL(sh, CLOSE, fds[1]), 0);
    CHECK_EQ(CALL(sh, READ, fds[0]), 2);
    CHECK_EQ(CALL(sh, READ, fds[0]), 0);

    child = pair(fds);
    CALL(child, READ, fds[0]); /* waits, holding the write end itself */
    CHECK_EQ(next(), sh);
    CALL(sh, CLOSE, fds[1]);
    CHECK_EQ(k_proc_at(child)->state, K_WAITING);

    child = pair(fds);
    CALL(child, CLOSE, fds[1]);
    CALL(child, READ, fds[0]);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK_EQ(next(), sh);
    CALL(sh, CLOSE, fds[1]); /* the last writer goes */
    CALL(sh, WAIT, -1, 0);
    CHECK_EQ(next(), child);
    CHECK_EQ(CALL(child, READ, fds[0]), 0);
}

static void sigpipe(void) {
    int32_t fds[2];
    uint32_t child = pair(fds);
    CALL(child, CLOSE, fds[0]);
    switch_to(sh);
    CALL(sh, CLOSE, fds[0]);
    CALL(sh, SIGACTION, K_SIGPIPE, 1, 0);
    CHECK_EQ(CALL_PATH(sh, WRITE, "x", fds[1]), -PF_EPIPE);
    switch_to(child);
    CALL_PATH(child, WRITE, "x", fds[1]);
    CHECK_EQ(action, PF_ACTION_GONE);
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL(sh, WAIT, -1, 0), child_pid);
    struct pf_wait answer;
    memcpy(&answer, got, sizeof answer);
    CHECK_EQ(answer.status, K_SIGPIPE);

    /* A writer that waits for room when the last reader goes. */
    child = pair(fds);
    CALL(child, CLOSE, fds[0]);
    CHECK_EQ(CALL_IN(child, WRITE, bulk, 65536, fds[1]), 65536);
    CALL_PATH(child, WRITE, "x", fds[1]);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK_EQ(next(), sh);
    CALL(sh, CLOSE, fds[0]);
    CALL(sh, WAIT, -1, 0);
    CHECK_EQ(next(), child);
    CALL_PATH(child, WRITE, "x", fds[1]);
    CHECK_EQ(action, PF_ACTION_GONE);
    k_check();
}

static void nonblocking(void) {
    int32_t fds[2];
    sh = boot();
    pipe_(fds, PF_O_NONBLOCK);
    CHECK_EQ(CALL(sh, READ, fds[0]), -PF_EAGAIN);
    CHECK_EQ(CALL_IN(sh, WRITE, bulk, 65536, fds[1]), 65536);
    CHECK_EQ(CALL_PATH(sh, WRITE, "x", fds[1]), -PF_EAGAIN);
    CHECK_EQ(CALL_CAP(sh, READ, 100, fds[0]), 100);
    CHECK_EQ(CALL_IN(sh, WRITE, bulk, 101, fds[1]), -PF_EAGAIN);
    CHECK_EQ(CALL_IN(sh, WRITE, bulk, 5000, fds[1]), 100);
    int64_t flags = CALL(sh, FCNTL, fds[0], 3, 0);
    CHECK_EQ(flags, PF_O_NONBLOCK);
    CHECK_EQ(CALL(sh, IOCTL, fds[0], 0x541b), 0);
    CHECK_EQ(*(int32_t *)got, 65536);
    CHECK_EQ(CALL(sh, LSEEK, fds[0], 0, 1), -PF_ESPIPE);
    CHECK_EQ(CALL_PATH(sh, WRITE, "x", fds[0]), -PF_EBADF);
    CHECK_EQ(CALL(sh, READ, fds[1]), -PF_EBADF);
}

static void fifo_open_waits(void) {
    sh = boot();
    CHECK_EQ(CALL_PATH(sh, MKNODAT, "/tmp/f", CWD, K_IFIFO | 0666), 0);
    uint32_t child = fork_(sh, &child_pid);
    switch_to(child);
    CALL(child, FORK);
    CALL_PATH(child, OPENAT, "/tmp/f", CWD, PF_O_RDONLY, 0);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL_PATH(sh, OPENAT, "/tmp/f", CWD, PF_O_WRONLY, 0), 3); /* the reader is there */
    CHECK_EQ(CALL_PATH(sh, WRITE, "hello", 3), 5);
    CHECK_EQ(CALL(sh, CLOSE, 3), 0); /* gone again before the reader runs */
    CALL(sh, WAIT, -1, 0);
    CHECK_EQ(next(), child);
    CHECK_EQ(CALL_PATH(child, OPENAT, "/tmp/f", CWD, PF_O_RDONLY, 0), 3);
    CHECK_EQ(CALL(child, READ, 3), 5);
    CHECK_EQ(CALL(child, READ, 3), 0);
    k_check();
    CHECK_EQ(CALL(child, CLOSE, 3), 0);
    CHECK_EQ(CALL_PATH(child, OPENAT, "/tmp/f", CWD, PF_O_WRONLY | PF_O_NONBLOCK, 0), -PF_ENXIO);
    CHECK_EQ(CALL_PATH(child, OPENAT, "/tmp/f", CWD, PF_O_RDONLY | PF_O_NONBLOCK, 0), 3);
    CHECK_EQ(CALL(child, READ, 3), 0);
    CHECK_EQ(CALL_PATH(child, OPENAT, "/tmp/f", CWD, PF_O_RDWR, 0), 4);

    /* Waiting in open is interrupted by a signal, and its end is given back. */
    CALL(child, EXIT, 0);
    CHECK_EQ(next(), sh);
    CALL(sh, WAIT, -1, 0);
    CALL(sh, SIGACTION, 14, 2, 0);
    CALL(sh, ALARM, 1000);
    CALL_PATH(sh, OPENAT, "/tmp/f", CWD, PF_O_WRONLY, 0);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    k_check();
    k_mailbox.monotonic_ns += 2000;
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL_PATH(sh, OPENAT, "/tmp/f", CWD, PF_O_WRONLY, 0), -PF_EINTR);
    CHECK(reply_flags & PF_MSG_SIGNAL);
    CHECK_EQ(CALL(sh, SIGTAKE), 14);
    k_check();
}

static void host_cannot_wait_for_a_fifo(void) {
    sh = boot();
    CALL_PATH(HOST, MKNODAT, "/tmp/f", CWD, K_IFIFO | 0666);
    CHECK_EQ(CALL_PATH(HOST, OPENAT, "/tmp/f", CWD, PF_O_RDONLY, 0), -PF_EAGAIN);
    int64_t fd = CALL_PATH(HOST, OPENAT, "/tmp/f", CWD, PF_O_RDWR, 0);
    CHECK(fd >= 0);
    CHECK_EQ(CALL(HOST, READ, fd), -PF_EAGAIN);
    k_check();
}

static int64_t poll_(uint32_t proc, struct pf_pollfd *fds, uint32_t count, int64_t timeout) {
    int64_t r = CALL_IN(proc, POLL, fds, count * sizeof *fds, timeout);
    if (action == PF_ACTION_RETURN && r >= 0) memcpy(fds, got, count * sizeof *fds);
    return r;
}

static void poll_states(void) {
    int32_t fds[2];
    sh = boot();
    pipe_(fds, 0);
    struct pf_pollfd p[4] = {
        {fds[0], PF_POLLIN, 0}, {fds[1], PF_POLLOUT, 0}, {-1, PF_POLLIN, 9}, {77, PF_POLLIN, 0}};
    CHECK_EQ(poll_(sh, p, 4, 0), 2);
    CHECK_EQ(p[0].revents, 0);
    CHECK_EQ(p[1].revents, PF_POLLOUT);
    CHECK_EQ(p[2].revents, 0);
    CHECK_EQ(p[3].revents, PF_POLLNVAL);
    CALL_IN(sh, WRITE, bulk, 65536, fds[1]);
    CHECK_EQ(poll_(sh, p, 2, 0), 1);
    CHECK_EQ(p[0].revents, PF_POLLIN);
    CHECK_EQ(p[1].revents, 0);
    CALL(sh, CLOSE, fds[1]);
    CHECK_EQ(poll_(sh, p, 1, -1), 1);
    CHECK_EQ(p[0].revents, PF_POLLIN | PF_POLLHUP);
    CALL(sh, READ, fds[0]);
    CHECK_EQ(poll_(sh, p, 1, -1), 1);
    CHECK_EQ(p[0].revents, PF_POLLHUP);
    pipe_(fds, 0);
    CALL(sh, CLOSE, fds[0]);
    p[0] = (struct pf_pollfd){fds[1], 0, 0};
    CHECK_EQ(poll_(sh, p, 1, 0), 1);
    CHECK_EQ(p[0].revents, PF_POLLERR);
    int64_t file = CALL_PATH(sh, OPENAT, "/tmp/file", CWD, PF_O_RDWR | PF_O_CREAT, 0644);
    p[0] = (struct pf_pollfd){(int32_t)file, PF_POLLIN | PF_POLLOUT, 0};
    CHECK_EQ(poll_(sh, p, 1, -1), 1);
    CHECK_EQ(p[0].revents, PF_POLLIN | PF_POLLOUT);
}

static void poll_waits(void) {
    int32_t fds[2];
    uint32_t child = pair(fds);
    struct pf_pollfd p[40];
    for (int i = 0; i < 40; i++) p[i] = (struct pf_pollfd){fds[0], PF_POLLIN, 0};
    poll_(child, p, 40, 5000);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    k_check();
    CHECK_EQ(next(), sh);
    CALL_PATH(sh, WRITE, "x", fds[1]);
    CALL(sh, WAIT, -1, 0);
    CHECK_EQ(next(), child);
    CHECK_EQ(poll_(child, p, 40, 5000), 40);
    CALL(child, READ, fds[0]);
    /* the deadline is that of the first try */
    poll_(child, p, 1, 5000);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK_EQ(next(), 0);
    CHECK_EQ(event.deadline_ns, k_mailbox.monotonic_ns + 5000);
    k_mailbox.monotonic_ns += 3000;
    CHECK_EQ(next(), 0);
    k_mailbox.monotonic_ns += 2000;
    CHECK_EQ(next(), child);
    CHECK_EQ(poll_(child, p, 1, 5000), 0);
    CHECK_EQ(p[0].revents, 0);
    CHECK_EQ(next(), child);
    k_check();
    /* a writer that polls wakes when there is room for an atomic write */
    CALL_IN(child, WRITE, bulk, 65536, fds[1]);
    p[0] = (struct pf_pollfd){fds[1], PF_POLLOUT, 0};
    poll_(child, p, 1, -1);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK_EQ(next(), 0);
    CHECK_EQ(CALL(HOST, HOST_TRAP, sh, 9), 0); /* nobody else has the pipe */
    CHECK_EQ(next(), 0);
    k_check();
}

/* A hundred processes that wait cost the one that works nothing: they are never looked at. */
static void idle_processes(void) {
    int32_t fds[2];
    sh = boot();
    struct pf_kernel_limits many = {1 << 30, 1000, 1000, 256, 100, 100, 0};
    CALL_IN(HOST, HOST_CONFIGURE, &many, sizeof many);
    pipe_(fds, 0);
    for (int i = 0; i < 100; i++) {
        uint32_t child = fork_(sh, &child_pid);
        switch_to(child);
        CALL(child, FORK);
        CALL(child, READ, fds[0]);
        CHECK_EQ(action, PF_ACTION_BLOCK);
        CHECK_EQ(next(), sh);
    }
    CALL(sh, SLEEP, 1, 10, 0);
    CHECK_EQ(next(), 0);
    k_mailbox.monotonic_ns += 1000;
    CHECK_EQ(next(), sh);
    CALL_PATH(sh, WRITE, "one", fds[1]);
    CALL(sh, WAIT, -1, 0);
    int runs = 0;
    for (uint32_t proc; (proc = next()) && runs < 1000; runs++) CALL(proc, READ, fds[0]);
    CHECK_EQ(runs, 101); /* each looks once; the first got it and waits again */
    k_check();
}

int main(void) {
    reader_waits_for_writer();
    writer_fills_then_waits();
    large_writes_are_partial();
    wraps_around();
    ends_of_a_pipe();
    sigpipe();
    nonblocking();
    fifo_open_waits();
    host_cannot_wait_for_a_fifo();
    poll_states();
    poll_waits();
    idle_processes();
    return check_report();
}
