/* stacks.h: between stacks.c, which switches threads, and locks.c, which says when. */
#ifndef PYTHON_STACKS_H
#define PYTHON_STACKS_H

#include <poll.h>
#include <stdbool.h>

struct lock {
    int held, waiters;
};

/* How a wait ended; one for descriptors: how many are ready. */
enum { PYTHON_DEADLOCKED = -2, PYTHON_INTERRUPTED = -1, PYTHON_TIMED_OUT = 0, PYTHON_READY = 1 };

/* A thread that runs function(argument) at its first turn. Its number, or
 * PYTHREAD_INVALID_THREAD_ID: no memory. */
unsigned long python_thread_new(void (*function)(void *), void *argument);
unsigned long python_thread_ident(void); /* The number of the thread that runs. */
bool python_thread_is_first(void); /* the main one, that hears of signals */
bool python_thread_exists(unsigned long ident);
long long python_now(void); /* ns of the monotonic clock */
long long python_process_time(void); /* ns for which the process computed */

/* Waits, in listed functions: of the thread that runs, for so many nanoseconds (-1: for ever). */
int python_lock_wait(int way, struct lock *lock, long long ns);
/* A thread that has waited long gets the lock next, before others that ask for it. */
void python_lock_release(struct lock *lock);
/* For descriptors, as ppoll(); other threads run meanwhile. */
int python_fds_wait(int way, struct pollfd *fds, int count, long long ns);
/* The same when no other thread can run: the whole process waits. */
int python_wait_alone(int way, struct pollfd *fds, int count, long long ns);
/* Others that can run have a turn. */
void python_thread_yield(int way);

/* Takes the names of finished calls, for python_tool_next(). */
void python_tool_names(void);
/* May a signal come that Python hears of? */
bool python_may_be_signalled(void);

#endif
