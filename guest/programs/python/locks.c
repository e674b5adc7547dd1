/* locks.c: CPython's threads and locks (pythread.h), and calls that wait, on threads.h. */
#include <Python.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "abi/message.h"
#include "abi/types.h"
#include "pf.h"
#include "stacks.h"
#include "threads.h"

#define LISTED __attribute__((noinline)) /* its name is on the list of CMakeLists.txt */
#define PAUSE_FIRST 1000000 /* ns between two looks at a child, growing up to PAUSE_LAST */
#define PAUSE_LAST 16000000
#define PIPE_PIECE 4096 /* what a pipe that can be written takes at once */

int64_t __pf_call(struct pf_message *message); /* guest/libc */
int __pf_record_lock(int fd, int command, struct flock *lock);

static long long now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

long long python_now(void) { return now(CLOCK_MONOTONIC); }

long long python_process_time(void) { return now(CLOCK_PROCESS_CPUTIME_ID); }

/* ---- pythread.h */

unsigned long PyThread_start_new_thread(void (*function)(void *), void *argument) {
    return python_thread_new(function, argument);
}

unsigned long PyThread_get_thread_ident(void) { return python_thread_ident(); }

/* As on Linux, the main thread's is the process's. */
unsigned long PyThread_get_thread_native_id(void) {
    unsigned long process = (unsigned long)getpid();
    return python_thread_is_first() ? process : (process << 12) + python_thread_ident();
}

/* Reached by a thread that wants to go on when the interpreter is gone; none does. */
void _Py_NO_RETURN PyThread_exit_thread(void) { exit(0); }

PyThread_type_lock PyThread_allocate_lock(void) { return calloc(1, sizeof(struct lock)); }

void PyThread_free_lock(PyThread_type_lock lock) { free(lock); }

LISTED PyLockStatus PyThread_acquire_lock_timed(PyThread_type_lock given, PY_TIMEOUT_T microseconds,
                                                int interruptible) {
    int way = python_lock_way;
    struct lock *lock = given;
    python_lock_way = 0;
    if (!lock->held) {
        lock->held = 1;
        return PY_LOCK_ACQUIRED;
    }
    if (microseconds == 0) return PY_LOCK_FAILURE;
    long long ns = microseconds < 0 ? -1 : microseconds > INT64_MAX / 4000 ? INT64_MAX / 4 : microseconds * 1000;
    long long end = ns < 0 ? -1 : python_now() + ns;
    int result;
    do {
        result = python_lock_wait(way, lock, ns);
        if (end >= 0) ns = end > python_now() ? end - python_now() : 0;
    } while (result == PYTHON_INTERRUPTED && !interruptible);
    if (result == PYTHON_DEADLOCKED) {
        python_deadlocked = true;
        return interruptible ? PY_LOCK_INTR : PY_LOCK_FAILURE;
    }
    if (result == PYTHON_INTERRUPTED) return PY_LOCK_INTR;
    return result == PYTHON_TIMED_OUT ? PY_LOCK_FAILURE : PY_LOCK_ACQUIRED;
}

LISTED int PyThread_acquire_lock(PyThread_type_lock lock, int wait) {
    return PyThread_acquire_lock_timed(lock, wait ? -1 : 0, 0) == PY_LOCK_ACQUIRED;
}

void PyThread_release_lock(PyThread_type_lock lock) { python_lock_release(lock); }

/* Of the parent's threads none waits for it here. */
int _PyThread_at_fork_reinit(PyThread_type_lock *lock) {
    PyThread_type_lock fresh = PyThread_allocate_lock();
    if (!fresh) return -1;
    *lock = fresh;
    return 0;
}

/* ---- calls that wait */

LISTED int python_poll(int way, struct pollfd *fds, int count, long long timeout_ns) {
    if (python_threads == 1) return python_wait_alone(way, fds, count, timeout_ns);
    if (timeout_ns == 0) {
        python_thread_yield(way);
        return python_wait_alone(0, fds, count, 0);
    }
    struct pollfd *own = malloc(((size_t)count + 1) * sizeof *own);
    if (!own) return -1;
    memcpy(own, fds, (size_t)count * sizeof *own);
    for (int i = 0; i < count; i++) own[i].revents = 0;
    int result = python_fds_wait(way, own, count, timeout_ns);
    for (int i = 0; i < count; i++) fds[i].revents = own[i].revents;
    free(own);
    if (result >= 0) return result;
    errno = EINTR;
    return -1;
}

/* The kernel tells of children by waiting for them alone: beside others, one looks again and again. */
LISTED int python_waitpid(int way, int pid, int *status, int options) {
    long long pause = PAUSE_FIRST;
    while (python_threads > 1 && !(options & WNOHANG)) {
        pid_t found = waitpid(pid, status, options | WNOHANG);
        if (found != 0) return found;
        if (python_poll(way, NULL, 0, pause) < 0) return -1;
        if (pause < PAUSE_LAST) pause *= 2;
    }
    return PYTHON_UNWOUND(way, wait4(pid, status, options, NULL));
}

/* One that another process has: beside other threads one looks again and again. */
LISTED int python_flock(int way, int fd, int operation) {
    long long pause = PAUSE_FIRST;
    while (python_threads > 1 && !(operation & LOCK_NB)) {
        int result = flock(fd, operation | LOCK_NB);
        if (result == 0 || errno != EAGAIN) return result;
        if (python_poll(way, NULL, 0, pause) < 0) return -1;
        if (pause < PAUSE_LAST) pause *= 2;
    }
    return PYTHON_UNWOUND(way, flock(fd, operation));
}

LISTED int python_lockf(int way, int fd, int command, struct flock *lock) {
    long long pause = PAUSE_FIRST;
    while (python_threads > 1 && command == F_SETLKW) {
        int result = __pf_record_lock(fd, F_SETLK, lock);
        if (result == 0 || errno != EAGAIN) return result;
        if (python_poll(way, NULL, 0, pause) < 0) return -1;
        if (pause < PAUSE_LAST) pause *= 2;
    }
    return PYTHON_UNWOUND(way, __pf_record_lock(fd, command, lock));
}

static int pause_for(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    python_poll(0, NULL, 0, microseconds * 1000ll);
    return microseconds;
}

void python_sqlite_pauses(void) {
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    if (vfs) vfs->xSleep = pause_for;
}

static int is_unfinished(int id) {
    struct pf_op_status status;
    struct pf_message message = {
        .call = PF_CALL_OP_STATUS, .arg = {id, 0}, .out = (uint32_t)&status, .out_len = sizeof status};
    return __pf_call(&message) == -PF_EAGAIN;
}

LISTED int python_tool_wait(int way, int id) {
    while (python_threads > 1) {
        if (!is_unfinished(id)) return 0;
        struct pollfd calls = {.fd = PF_POLL_OPS, .events = POLLIN};
        if (python_poll(way, &calls, 1, -1) < 0) return -1;
    }
    return PYTHON_UNWOUND(way, pf_tool_wait(id));
}

/* Finished calls that the kernel told of, and python_tool_next() did not yet. */
static int *named, named_count, named_room;

void python_tool_names(void) {
    for (int id; (id = pf_tool_next()) > 0;) {
        if (named_count == named_room) {
            int room = named_room ? 2 * named_room : 16;
            int *more = realloc(named, (size_t)room * sizeof *more);
            if (!more) return;
            named = more;
            named_room = room;
        }
        named[named_count++] = id;
    }
}

int python_tool_news(void) { return named_count > 0; }

/* 0: all of them. */
void python_tool_forget(int id) {
    int kept = 0;
    for (int i = 0; id && i < named_count; i++)
        if (named[i] != id) named[kept++] = named[i];
    named_count = kept;
}

int python_tool_next(void) {
    if (!named_count) return pf_tool_next();
    int id = named[0];
    python_tool_forget(id);
    return id;
}

/* ---- signals */

bool python_may_be_signalled(void) {
    struct itimerval timer = {0};
    if (getitimer(ITIMER_REAL, &timer) == 0 && (timer.it_value.tv_sec || timer.it_value.tv_usec)) return true;
    for (int number = 1; number < 32; number++) {
        struct sigaction action;
        if (number == SIGINT || number == SIGCHLD || sigaction(number, NULL, &action) < 0) continue;
        if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) return true;
    }
    return false;
}

/* Does a call on it wait, so that others should run? */
static bool waits(int fd, bool *is_pipe) {
    int flags = python_threads > 1 ? fcntl(fd, F_GETFL) : -1, error = errno;
    struct stat status;
    bool it_does = flags >= 0 && !(flags & O_NONBLOCK) && fstat(fd, &status) == 0 && !S_ISREG(status.st_mode);
    *is_pipe = it_does && S_ISFIFO(status.st_mode);
    errno = error;
    return it_does;
}

/* Until a descriptor is ready now: since python_poll() saw it so others had their turns, in other processes, too. */
static int ready(int fd, short events) {
    struct pollfd one = {.fd = fd, .events = events};
    while (poll(&one, 1, 0) == 0)
        if (python_poll(0, &one, 1, -1) < 0) return -1;
    return 0;
}

int python_before_read(int fd) {
    bool is_pipe;
    return waits(fd, &is_pipe) ? ready(fd, POLLIN) : 0;
}

long python_before_write(int fd, size_t count) {
    bool is_pipe;
    if (!waits(fd, &is_pipe)) return (long)count;
    if (ready(fd, POLLOUT) < 0) return -1;
    return (long)(is_pipe && count > PIPE_PIECE ? PIPE_PIECE : count);
}

LISTED int python_before_select(int way, int highest, void *in, void *out, void *odd,
                                const struct timeval *timeout) {
    if (python_threads == 1 || highest < 0 || highest > FD_SETSIZE) return 0;
    struct pollfd *fds = malloc(((size_t)highest + 1) * sizeof *fds);
    if (!fds) return 0;
    int count = 0;
    for (int fd = 0; fd < highest; fd++) {
        short events = 0;
        if (in && FD_ISSET(fd, (fd_set *)in)) events |= POLLIN;
        if (out && FD_ISSET(fd, (fd_set *)out)) events |= POLLOUT;
        if (odd && FD_ISSET(fd, (fd_set *)odd)) events |= POLLPRI;
        if (events) fds[count++] = (struct pollfd){.fd = fd, .events = events};
    }
    long long ns = timeout ? timeout->tv_sec * 1000000000ll + timeout->tv_usec * 1000ll : -1;
    int result = python_poll(way, fds, count, ns);
    free(fds);
    if (result < 0) return -1;
    errno = 0; /* of waits on the way */
    return 1;
}
