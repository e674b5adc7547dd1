/*
 * tests/unit/test_kernel_lock.c: locks of files: who has which bytes, who waits, what goes with what.
 */
#include "kernel_machine.h"

static uint32_t sh, child;
static int64_t child_pid, fd;

/* `sh` and its child share an open file. */
static void pair(void) {
    sh = boot();
    fd = CALL_PATH(sh, OPENAT, "/workspace/f", CWD, PF_O_RDWR | PF_O_CREAT, 0644);
    CHECK(fd >= 0);
    child = fork_(sh, &child_pid);
    switch_to(child);
    CHECK_EQ(CALL(child, FORK), 0);
    switch_to(sh);
}

static int64_t lock(uint32_t proc, int64_t of, int how, int kind, uint32_t type, int64_t start,
                    int64_t len) {
    struct pf_lock lock = {.type = type, .start = start, .len = len};
    int64_t result;
    do { /* again, when its slice was over */
        switch_to(proc);
        result = CALL_IN(proc, LOCK, &lock, sizeof lock, of, how, kind);
    } while (action == PF_ACTION_BLOCK && k_proc_at(proc)->state == K_READY);
    return result;
}
#define RECORD(proc, how, type, start, len)                                                        \
    lock(proc, fd, PF_LOCK_##how, PF_LOCK_OF_PROCESS, PF_LOCK_##type, start, len)

static const struct pf_lock *in_way(uint32_t proc, int64_t start, int64_t len) {
    static struct pf_lock answer;
    CHECK_EQ(RECORD(proc, TEST, WRITE, start, len), 0);
    memcpy(&answer, got, sizeof answer);
    return &answer;
}

static void records_exclude(void) {
    pair();
    CHECK_EQ(RECORD(sh, SET, WRITE, 10, 10), 0);
    CHECK_EQ(RECORD(sh, SET, WRITE, 15, 10), 0); /* its own is in nobody's way */
    CHECK_EQ(RECORD(child, SET, READ, 24, 1), -PF_EAGAIN);
    CHECK_EQ(RECORD(child, SET, READ, 25, 1), 0);
    CHECK_EQ(RECORD(child, SET, READ, 0, 10), 0);
    const struct pf_lock *other = in_way(child, 0, 0);
    CHECK_EQ(other->type, PF_LOCK_WRITE);
    CHECK_EQ(other->start, 10);
    CHECK_EQ(other->len, 15); /* the two became one */
    CHECK_EQ(other->pid, k_proc_at(sh)->pid);
    CHECK_EQ(RECORD(sh, SET, READ, 0, 10), 0); /* readers share */
    CHECK_EQ(RECORD(sh, SET, WRITE, 0, 10), -PF_EAGAIN);
    CHECK_EQ(in_way(sh, 100, 0)->type, PF_LOCK_NONE);
    k_check();
}

static void records_are_cut(void) {
    pair();
    CHECK_EQ(RECORD(sh, SET, WRITE, 0, 0), 0);
    CHECK_EQ(RECORD(sh, SET, NONE, 100, 50), 0); /* a hole in the middle */
    CHECK_EQ(RECORD(child, SET, WRITE, 100, 50), 0);
    CHECK_EQ(RECORD(child, SET, WRITE, 99, 1), -PF_EAGAIN);
    CHECK_EQ(RECORD(child, SET, WRITE, 150, 1), -PF_EAGAIN);
    CHECK_EQ(RECORD(sh, SET, READ, 0, 50), 0); /* another kind of the beginning */
    CHECK_EQ(RECORD(child, SET, READ, 49, 1), 0);
    CHECK_EQ(RECORD(child, SET, READ, 50, 1), -PF_EAGAIN);
    CHECK_EQ(in_way(child, 50, 0)->len, 50);
    CHECK_EQ(in_way(child, 150, 0)->len, 0);
    CHECK_EQ(RECORD(sh, SET, NONE, 0, 0), 0);
    CHECK_EQ(in_way(child, 0, 0)->type, PF_LOCK_NONE);
    CHECK_EQ(RECORD(child, SET, NONE, 0, 0), 0);
    k_check();
}

static void bad_requests(void) {
    pair();
    CHECK_EQ(RECORD(sh, SET, WRITE, -1, 1), -PF_EINVAL);
    CHECK_EQ(RECORD(sh, SET, WRITE, 5, -6), -PF_EINVAL);
    CHECK_EQ(RECORD(sh, SET, WRITE, 5, -5), 0); /* before start */
    CHECK_EQ(in_way(child, 0, 0)->start, 0);
    CHECK_EQ(in_way(child, 0, 0)->len, 5);
    CHECK_EQ(RECORD(sh, SET, WRITE, INT64_MAX, 2), -PF_EOVERFLOW);
    CHECK_EQ(RECORD(sh, SET, WRITE, INT64_MAX, 1), 0);
    CHECK_EQ(lock(sh, 77, PF_LOCK_SET, 0, PF_LOCK_READ, 0, 0), -PF_EBADF);
    CHECK_EQ(lock(sh, fd, 3, 0, PF_LOCK_READ, 0, 0), -PF_EINVAL);
    CHECK_EQ(lock(sh, fd, PF_LOCK_SET, 3, PF_LOCK_READ, 0, 0), -PF_EINVAL);
    CHECK_EQ(lock(sh, fd, PF_LOCK_SET, 0, 3, 0, 0), -PF_EINVAL);
    CHECK_EQ(CALL_IN(sh, LOCK, "short", 5, fd, PF_LOCK_SET, 0), -PF_EINVAL);
    int64_t reads = CALL_PATH(sh, OPENAT, "/workspace/f", CWD, PF_O_RDONLY, 0);
    CHECK_EQ(lock(sh, reads, PF_LOCK_SET, 0, PF_LOCK_WRITE, 0, 0), -PF_EBADF);
    CHECK_EQ(lock(sh, reads, PF_LOCK_SET, PF_LOCK_OF_WHOLE, PF_LOCK_WRITE, 0, 0), 0);
    k_check();
}

static void who_waits_gets_it(void) {
    pair();
    CHECK_EQ(RECORD(sh, SET, WRITE, 0, 10), 0);
    RECORD(child, WAIT, WRITE, 5, 1);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK_EQ(next(), sh);
    CHECK_EQ(k_proc_at(child)->state, K_WAITING);
    k_check();
    CHECK_EQ(RECORD(sh, SET, NONE, 5, 5), 0);
    CHECK_EQ(k_proc_at(child)->state, K_READY);
    CHECK_EQ(RECORD(child, WAIT, WRITE, 5, 1), 0);
    CHECK_EQ(RECORD(sh, SET, READ, 5, 1), -PF_EAGAIN);
    k_check();
}

static void waits_in_a_circle(void) {
    pair();
    CHECK_EQ(RECORD(sh, SET, WRITE, 0, 1), 0);
    CHECK_EQ(RECORD(child, SET, WRITE, 1, 1), 0);
    RECORD(child, WAIT, WRITE, 0, 1);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK_EQ(next(), sh);
    CHECK_EQ(RECORD(sh, WAIT, WRITE, 1, 1), -PF_EDEADLK);
    CHECK_EQ(RECORD(sh, SET, WRITE, 1, 1), -PF_EAGAIN);
    CHECK_EQ(RECORD(sh, SET, NONE, 0, 1), 0);
    CHECK_EQ(RECORD(child, WAIT, WRITE, 0, 1), 0);
    k_check();
}

static void a_signal_ends_the_wait(void) {
    pair();
    CHECK_EQ(RECORD(sh, SET, WRITE, 0, 1), 0);
    switch_to(child);
    CALL(child, SIGACTION, 10, 2, 0);
    RECORD(child, WAIT, WRITE, 0, 1);
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL(sh, KILL, child_pid, 10), 0);
    CHECK_EQ(RECORD(child, WAIT, WRITE, 0, 1), -PF_EINTR);
    CHECK_EQ(CALL(child, SIGTAKE), 10);
    RECORD(child, WAIT, WRITE, 0, 1);
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL(sh, KILL, child_pid, K_SIGKILL), 0); /* nothing of it is left in a queue */
    k_check();
    CHECK_EQ(RECORD(sh, SET, NONE, 0, 1), 0);
}

static void closing_gives_back(void) {
    pair();
    int64_t again = CALL_PATH(sh, OPENAT, "/workspace/f", CWD, PF_O_RDONLY, 0);
    CHECK_EQ(RECORD(sh, SET, WRITE, 0, 1), 0);
    CHECK_EQ(CALL(sh, CLOSE, again), 0); /* any descriptor of the file */
    CHECK_EQ(RECORD(child, SET, WRITE, 0, 1), 0);
    RECORD(sh, WAIT, WRITE, 0, 1);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK_EQ(next(), child);
    CALL(child, EXIT, 0);
    CHECK_EQ(next(), sh);
    CHECK_EQ(RECORD(sh, WAIT, WRITE, 0, 1), 0);
    k_check();
    int64_t null = CALL_PATH(sh, OPENAT, "/workspace/g", CWD, PF_O_RDWR | PF_O_CREAT, 0644);
    CHECK_EQ(CALL(sh, DUP3, null, fd, 0), fd); /* closes it, too */
    k_check();
}

/* A file's lock is shared over fork and dup, and goes with the last descriptor. */
static void whole_files(void) {
    pair();
    CHECK_EQ(lock(sh, fd, PF_LOCK_SET, PF_LOCK_OF_WHOLE, PF_LOCK_WRITE, 0, 0), 0);
    CHECK_EQ(lock(child, fd, PF_LOCK_SET, PF_LOCK_OF_WHOLE, PF_LOCK_READ, 0, 0), 0);
    int64_t own = CALL_PATH(child, OPENAT, "/workspace/f", CWD, PF_O_RDWR, 0);
    CHECK_EQ(lock(child, own, PF_LOCK_SET, PF_LOCK_OF_WHOLE, PF_LOCK_READ, 0, 0), 0);
    CHECK_EQ(lock(child, own, PF_LOCK_SET, PF_LOCK_OF_WHOLE, PF_LOCK_WRITE, 0, 0), -PF_EAGAIN);
    CHECK_EQ(lock(sh, fd, PF_LOCK_SET, PF_LOCK_OF_WHOLE, PF_LOCK_WRITE, 0, 0), 0); /* was given back */
    CHECK_EQ(RECORD(child, SET, WRITE, 0, 0), 0); /* records are something else */
    lock(child, own, PF_LOCK_WAIT, PF_LOCK_OF_WHOLE, PF_LOCK_READ, 0, 0);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL(sh, CLOSE, fd), 0); /* the child has it still */
    CHECK_EQ(k_proc_at(child)->state, K_WAITING);
    CHECK_EQ(CALL(sh, KILL, child_pid, K_SIGKILL), 0);
    k_check();
    fd = CALL_PATH(sh, OPENAT, "/workspace/f", CWD, PF_O_RDWR, 0);
    CHECK_EQ(lock(sh, fd, PF_LOCK_SET, PF_LOCK_OF_WHOLE, PF_LOCK_WRITE, 0, 0), 0);
}

static void records_of_open_files(void) {
    pair();
    int64_t again = CALL_PATH(sh, OPENAT, "/workspace/f", CWD, PF_O_RDWR, 0);
    CHECK_EQ(lock(sh, fd, PF_LOCK_SET, PF_LOCK_OF_FILE, PF_LOCK_WRITE, 0, 5), 0);
    CHECK_EQ(lock(sh, again, PF_LOCK_SET, PF_LOCK_OF_FILE, PF_LOCK_WRITE, 4, 1), -PF_EAGAIN);
    CHECK_EQ(lock(child, fd, PF_LOCK_SET, PF_LOCK_OF_FILE, PF_LOCK_WRITE, 4, 1), 0);
    CHECK_EQ(RECORD(sh, SET, WRITE, 4, 1), -PF_EAGAIN);
    CHECK_EQ(in_way(sh, 0, 0)->pid, -1);
    CHECK_EQ(CALL(sh, CLOSE, again), 0);
    CHECK_EQ(RECORD(sh, SET, WRITE, 4, 1), -PF_EAGAIN);
    k_check();
}

static void there_are_so_many(void) {
    pair();
    int64_t i = 0;
    while (RECORD(sh, SET, WRITE, 2 * i, 1) == 0) i++;
    CHECK_EQ(i, 4096);
    CHECK_EQ(RECORD(sh, SET, WRITE, 2 * i, 1), -PF_ENOLCK);
    CHECK_EQ(RECORD(sh, SET, NONE, 0, 0), 0);
    CHECK_EQ(RECORD(sh, SET, WRITE, 0, 1), 0);
    k_check();
}

int main(void) {
    records_exclude();
    records_are_cut();
    bad_requests();
    who_waits_gets_it();
    waits_in_a_circle();
    a_signal_ends_the_wait();
    closing_gives_back();
    whole_files();
    records_of_open_files();
    there_are_so_many();
    return check_report();
}
