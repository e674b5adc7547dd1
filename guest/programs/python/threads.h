/*
 * threads.h: threads of Python, several stacks of one process that take turns. README.md, "Threads".
 *
 * A thread that waits, or whose turn is over, is unwound by Asyncify as far as loop() in stacks.c, and
 * lies in the heap as plain bytes: its part of the stack, and its frames. Another one is put in its
 * place. That needs a stack of listed functions only (waits.h). One that waits below other C (a key of
 * sort(), __del__) stays where it is, is *pinned*, and others run on top of it.
 *
 * All is one machine: nothing runs at once, and no lock is needed between two calls of what is here.
 *
 * Included after waits.h.
 */
#ifndef PYTHON_THREADS_H
#define PYTHON_THREADS_H

#include <stdbool.h>
#include <stddef.h>

struct pollfd; /* CPython chooses what the system's headers have before it includes them */
struct timeval;
struct timespec;

/* How many there are; and how many of them are pinned. */
extern int python_threads, python_pinned;

/* A lock found that nobody can release it: its caller raises RuntimeError with this text. */
extern bool python_deadlocked;
#define PYTHON_DEADLOCK \
    "deadlock: every thread waits for a lock or for a thread, and nothing outside can wake one"

/* Set right before PyThread_acquire_lock_timed(), which takes it: it is called on the way. */
extern int python_lock_way;

/* Set where the program ends on the way: python_depth is 0 below sys.exit(), too. */
extern int python_ending;

/* Runs the program's main thread, and the threads that it starts. It ends the process. */
int python_threads_run(int (*program)(int, char **), int argc, char **argv);
/* A turn of the interpreter's loop: asks it for python_offer() when the thread's time is over. */
void python_slice(void);
/* By the loop, without the interpreter's lock: others run. */
void python_offer(int way);
/* In a child of fork(): the thread that called it is the only one. */
void python_threads_forked(void);
/* pythread.h has it for the systems that it knows. */
unsigned long PyThread_get_thread_native_id(void);
/* How long the thread that runs has computed. */
void python_thread_time(struct timespec *time);
/* The values of thread-specific storage of the thread that runs, by key. */
void **python_thread_keys(void);

/* As poll(), in nanoseconds, and in listed functions: others run meanwhile. -1 with EINTR: a signal. */
int python_poll(int way, struct pollfd *fds, int count, long long timeout_ns);
/* As waitpid(). */
int python_waitpid(int way, int pid, int *status, int options);
/* As flock(), and as fcntl() with F_SETLK or F_SETLKW. */
struct flock;
int python_flock(int way, int fd, int operation);
int python_lockf(int way, int fd, int command, struct flock *lock);
/* SQLite waits for a database so that other threads run. */
void python_sqlite_pauses(void);
/* Until a tool call is finished; -1 with errno. */
int python_tool_wait(int way, int id);
/* As pf_tool_next(); whether it has something to tell; a call that is over, of which it does not tell. */
int python_tool_next(void);
int python_tool_news(void); /* Has python_tool_next() something to tell? */
/* A call is over: python_tool_next() does not tell of it. 0: of all. */
void python_tool_forget(int id);
/* Before a read or a write below other C: others run until it does not wait. How much may be written.
 * -1 with EINTR: a signal. */
int python_before_read(int fd);
/* How much of `count` bytes may be written, or -1. */
long python_before_write(int fd, size_t count);
/* Before select(): 1: it is not to wait any more; 0: it may; -1 with EINTR. */
int python_before_select(int way, int highest, void *in, void *out, void *odd, const struct timeval *timeout);

#endif
