/* stacks.c: stacks that take turns, and what a thread waits for. threads.h says how. */
#include <Python.h>

#include <pycore_interp.h>
#include <pycore_pystate.h>

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "abi/types.h"
#include "pf.h"
#include "stacks.h"
#include "threads.h"

#define LISTED __attribute__((noinline)) /* its name is on the list of CMakeLists.txt */
#define PINNED_MAX 16                    /* stacks on top of each other */
#define TURN_US 50                       /* about what python_turn() counts, on the machine of the build */
#define PATIENCE 4                       /* slices until a released lock goes to who waits */

/* Asyncify's, made by Binaryen. */
#define ASYNCIFY(name) __attribute__((import_module("asyncify"), import_name(#name)))
ASYNCIFY(start_unwind) void asyncify_unwind(void *area);
ASYNCIFY(stop_unwind) void asyncify_unwound(void);
ASYNCIFY(start_rewind) void asyncify_rewind(void *area);
ASYNCIFY(stop_rewind) void asyncify_rewound(void);

/* crt.c: where frames of what is unwound go. */
struct area {
    uint32_t current, end;
};
uint32_t pf_asyncify(void);
void __pf_deliver_signals(void); /* guest/libc: handlers of what is pending run */

uint32_t stack_pointer(void);
void set_stack_pointer(uint32_t address);
__asm__(".globaltype __stack_pointer, i32\n"
        ".globl stack_pointer\n.type stack_pointer,@function\nstack_pointer:\n"
        ".functype stack_pointer () -> (i32)\nglobal.get __stack_pointer\nend_function\n"
        ".globl set_stack_pointer\n.type set_stack_pointer,@function\nset_stack_pointer:\n"
        ".functype set_stack_pointer (i32) -> ()\nlocal.get 0\nglobal.set __stack_pointer\nend_function\n");

enum { PENDING = -100 }; /* the wait is on; else how it ended (stacks.h) */

struct thread {
    struct thread *next; /* in a ring, in the order of their turns */
    unsigned long ident;
    void (*function)(void *);
    void *argument;
    void *keys[PTHREAD_KEYS_MAX];
    bool begun, ended, pinned;
    /* While it does not run. */
    uint32_t pointer; /* of its stack */
    char *stack, *frames;
    uint32_t stack_len, stack_room, frames_len, frames_room;
    int depth, way; /* waits.h */
    PyThreadState *state;
    _PyCFrame *cframe, frame; /* state->cframe lies on its stack: a copy stands in */
    struct thread *below;  /* pinned: the next one below it */
    /* What it waits for, while result is PENDING: a lock, descriptors, a moment. */
    int result;
    struct lock *lock;
    struct pollfd *fds;
    int count;
    long long until; /* ns of the monotonic clock; -1: for ever */
    unsigned since;  /* the slice in which it began to wait for a lock */
    long long used;  /* ns of the process's time, in its turns before this one */
};

static struct thread main_thread = {.next = &main_thread, .ident = 1, .result = PYTHON_READY, .until = -1};
static struct thread *first = &main_thread; /* the one that hears of signals: the main one */
static struct thread *current = &main_thread, *chosen, *top; /* top: of the pinned ones */
static unsigned long last_ident = 1;
static uint32_t base; /* of all stacks */
static uint32_t frames_start; /* where Asyncify's area begins */
static bool leaving, coming, gone; /* what happens between loop() and a thread */
static unsigned slices;
static int turns_left;

int python_threads = 1, python_pinned, python_lock_way, python_ending;
bool python_deadlocked;

void **python_thread_keys(void) { return current->keys; }

static long long turn_began; /* in ns of the process's time */

void python_thread_time(struct timespec *time) {
    long long ns = current->used + python_process_time() - turn_began;
    *time = (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = (long)(ns % 1000000000)};
}

/* It is the turn of `chosen`; `ended`: of the one before there is nothing left. */
static void next_turn(bool ended) {
    long long now = python_process_time();
    if (!ended) current->used += now - turn_began;
    turn_began = now;
    current = chosen;
}

/* ---- stacks */

static void *grown(void *at, uint32_t *room, uint32_t needed) {
    if (*room >= needed) return at;
    free(at);
    at = malloc(needed);
    if (!at) Py_FatalError("out of memory while a thread waits");
    *room = needed;
    return at;
}

/* Puts aside what is on the stack from `pointer` on, and what else is of the thread that ran. */
static void keep_stack(struct thread *thread, uint32_t pointer) {
    thread->pointer = pointer;
    thread->stack_len = base - pointer;
    thread->stack = grown(thread->stack, &thread->stack_room, thread->stack_len);
    __builtin_memcpy(thread->stack, (void *)pointer, thread->stack_len);
    thread->depth = python_depth;
    thread->way = python_way;
    thread->state = PyGILState_GetThisThreadState();
    if (!thread->state) return;
    thread->cframe = thread->state->cframe;
    thread->frame = *thread->cframe;
    thread->state->cframe = &thread->frame;
}

/* Its stack is in its place again. */
static void take_up(struct thread *thread) {
    python_depth = thread->depth;
    python_way = thread->way;
    python_next = 0;
    python_leaf = 0;
    python_reader = 0;
    if (thread->state) thread->state->cframe = thread->cframe;
}

/* What Asyncify unwound. */
static void keep_frames(struct thread *thread) {
    struct area *area = (struct area *)pf_asyncify();
    thread->frames_len = area->current - frames_start;
    thread->frames = grown(thread->frames, &thread->frames_room, thread->frames_len);
    __builtin_memcpy(thread->frames, (void *)frames_start, thread->frames_len);
    area->current = frames_start;
}

/* From one turn of a thread to its next one. */
LISTED void python_thread_leave(void) {
    if (coming) {
        coming = false;
        asyncify_rewound();
        return;
    }
    current->pointer = stack_pointer();
    leaving = true;
    asyncify_unwind((void *)pf_asyncify());
}

static struct thread *choose(int way);
void python_thread_outside(int way);

LISTED void python_thread_run(void) {
    struct thread *self = current;
    self->function(self->argument);
    self->ended = true;
    if (self->next == self) exit(0); /* a thread of a child of fork() */
    while (!(chosen = choose(1))) python_thread_outside(1);
    gone = true;
}

static void forget(struct thread *thread) {
    struct thread *before = thread;
    while (before->next != thread) before = before->next;
    before->next = thread->next;
    python_threads--;
    free(thread->stack);
    free(thread->frames);
    if (thread != &main_thread) free(thread);
}

/* Puts `current` in place. */
static inline __attribute__((always_inline)) void place(void) {
    if (!current->begun) {
        current->begun = true;
        python_depth = python_way = 0;
        set_stack_pointer(base);
        return;
    }
    struct area *area = (struct area *)pf_asyncify();
    __builtin_memcpy((void *)area->current, current->frames, current->frames_len);
    area->current += current->frames_len;
    set_stack_pointer(current->pointer);
    __builtin_memcpy((void *)current->pointer, current->stack, current->stack_len);
    take_up(current);
    coming = true;
    asyncify_rewind(area);
}

/*
 * Runs `current`, then who was chosen when it left, until it is the turn of `owner`, below this, or until
 * the host unwinds all. It keeps nothing on the stack, which changes below it, and is not Asyncify's.
 */
static __attribute__((noinline)) void loop(struct thread *owner) {
    bool in_place = !owner;
    for (;;) {
        if (!in_place) place();
        in_place = false;
        python_thread_run();
        bool ended = gone;
        if (leaving) {
            leaving = false;
            asyncify_unwound();
            keep_frames(current);
            keep_stack(current, current->pointer);
        } else if (gone) {
            gone = false;
            forget(current);
        } else {
            return;
        }
        next_turn(ended);
        if (current == owner) return;
    }
}

/* Others run on top of this thread, which cannot be unwound. */
static __attribute__((noinline)) void run_on_top(void) {
    struct thread *self = current;
    uint32_t pointer = stack_pointer();
    self->below = top;
    self->pinned = true;
    top = self;
    python_pinned++;
    keep_stack(self, pointer);
    next_turn(false);
    loop(self);
    set_stack_pointer(pointer);
    __builtin_memcpy((void *)pointer, self->stack, self->stack_len);
    take_up(self);
    self->pinned = false;
    top = self->below;
    python_pinned--;
}

/* Through a pointer: what may be behind one is Asyncify's. */
static void (*volatile looper)(struct thread *) = loop;

static int (*program)(int, char **);
static int program_argc;
static char **program_argv;

LISTED void python_thread_main(void *none) {
    (void)none;
    exit(program(program_argc, program_argv));
}

LISTED int python_threads_run(int (*function)(int, char **), int argc, char **argv) {
    program = function;
    program_argc = argc;
    program_argv = argv;
    main_thread.function = python_thread_main;
    main_thread.begun = true;
    frames_start = ((struct area *)pf_asyncify())->current;
    base = stack_pointer();
    looper(NULL);
    return 0; /* unwound */
}

/* ---- who is next */

static bool can_run(const struct thread *thread) {
    return thread->result != PENDING || (thread->lock && !thread->lock->held);
}

/* Another thread that can go on; NULL: there is none. */
static struct thread *choose(int way) {
    if (_PyRuntimeState_GetFinalizing(&_PyRuntime)) return NULL; /* daemons stand still */
    if (_Py_atomic_load_relaxed(&_PyRuntime.ceval.signals_pending) && first->result == PENDING)
        first->result = PYTHON_INTERRUPTED;
    if (!way && python_pinned >= PINNED_MAX) return NULL;
    for (struct thread *thread = current->next; thread != current; thread = thread->next)
        if ((!thread->pinned || (way && thread == top)) && can_run(thread)) return thread;
    return NULL;
}

LISTED void python_thread_give(int way) {
    PyThreadState *held = _PyThreadState_GET();
    int error = errno;
    if (held) PyEval_SaveThread();
    if (way) python_thread_leave();
    else run_on_top();
    if (held) PyEval_RestoreThread(held);
    errno = error;
}

void python_slice(void) {
    if (python_threads == 1 || --turns_left > 0) return;
    PyThreadState *state = _PyThreadState_GET();
    if (!state) return;
    turns_left = (int)(_PyRuntime.ceval.gil.interval / TURN_US);
    slices++;
    _Py_atomic_store_relaxed(&state->interp->ceval.gil_drop_request, 1);
    _Py_atomic_store_relaxed(&state->interp->ceval.eval_breaker, 1);
}

/* ---- what is outside */

/* All descriptors that threads wait for, and the first moment; the caller frees them. */
static struct pollfd *gather(int *count, long long *until) {
    *count = 0;
    *until = -1;
    struct thread *thread = current;
    do {
        if (thread->result == PENDING) *count += thread->count;
        if (thread->result == PENDING && thread->until >= 0 && (*until < 0 || thread->until < *until))
            *until = thread->until;
        thread = thread->next;
    } while (thread != current);
    struct pollfd *all = malloc(((size_t)*count + 1) * sizeof *all), *at = all;
    if (!all) Py_FatalError("out of memory while threads wait");
    do {
        if (thread->result == PENDING && thread->count) {
            memcpy(at, thread->fds, (size_t)thread->count * sizeof *at);
            at += thread->count;
        }
        thread = thread->next;
    } while (thread != current);
    return all;
}

/* Tells who waited for it. */
static void mark(const struct pollfd *at) {
    bool calls = false;
    long long time = python_now();
    struct thread *thread = current;
    do {
        int found = 0;
        for (int i = 0; thread->result == PENDING && i < thread->count; i++, at++) {
            thread->fds[i].revents = at->revents;
            if (at->revents) found++;
            if (at->revents && at->fd == PF_POLL_OPS) calls = true;
        }
        if (found) thread->result = found;
        else if (thread->result == PENDING && thread->until >= 0 && thread->until <= time)
            thread->result = PYTHON_TIMED_OUT;
        thread = thread->next;
    } while (thread != current);
    if (calls) python_tool_names();
}

/* Nobody can ever go on: the main thread hears of it, or else one that is not below others. */
static void tell_deadlock(void) {
    struct thread *victim = first;
    if (victim->result != PENDING || (victim->pinned && victim != top)) victim = current->ended ? top : current;
    if (!victim || victim->result != PENDING) victim = current->next;
    victim->result = PYTHON_DEADLOCKED;
}

LISTED int python_wait_alone(int way, struct pollfd *fds, int count, long long ns) {
    if (way && !python_pinned) return pf_wait_unwound(fds, count, ns);
    struct timespec limit = {.tv_sec = ns / 1000000000, .tv_nsec = (long)(ns % 1000000000)};
    return ppoll(fds, (nfds_t)count, ns < 0 ? NULL : &limit, NULL);
}

/* Nobody can go on: waits for what one of them waits for. */
LISTED void python_thread_outside(int way) {
    int count;
    long long until;
    struct pollfd *all = gather(&count, &until);
    if (!count && until < 0 && !python_may_be_signalled()) {
        tell_deadlock();
    } else {
        long long left = until < 0 ? -1 : until - python_now();
        if (python_wait_alone(way, all, count, until >= 0 && left < 0 ? 0 : left) >= 0) mark(all);
        else __pf_deliver_signals(); /* choose() asks for them, and makes no call before */
    }
    free(all);
}

LISTED void python_offer(int way) {
    if (!way) return;
    int count;
    long long until;
    struct pollfd *all = gather(&count, &until);
    if ((count || until >= 0) && poll(all, (nfds_t)count, 0) >= 0) mark(all);
    free(all);
    chosen = choose(1);
    if (chosen) python_thread_leave();
}

/* Whether what a thread waits for is there; a lock is its own then. */
static bool is_over(struct thread *self) {
    if (self->result == PENDING && self->lock && !self->lock->held) {
        self->lock->held = 1;
        self->result = PYTHON_READY;
    }
    return self->result != PENDING;
}

/* Until that, or for so many nanoseconds. */
static LISTED int python_thread_wait(int way, long long ns) {
    struct thread *self = current;
    if (ns > INT64_MAX / 4) ns = INT64_MAX / 4;
    self->until = ns < 0 ? -1 : python_now() + ns;
    self->result = PENDING;
    while (!is_over(self)) {
        chosen = choose(way);
        if (is_over(self)) break;
        if (chosen) python_thread_give(way);
        else python_thread_outside(way);
    }
    self->until = -1;
    int result = self->result;
    self->result = PYTHON_READY;
    return result;
}

LISTED int python_lock_wait(int way, struct lock *lock, long long ns) {
    struct thread *self = current;
    self->lock = lock;
    self->since = slices;
    lock->waiters++;
    int result = python_thread_wait(way, ns);
    lock->waiters--;
    self->lock = NULL;
    return result;
}

LISTED int python_fds_wait(int way, struct pollfd *fds, int count, long long ns) {
    struct thread *self = current;
    self->fds = fds;
    self->count = count;
    int result = python_thread_wait(way, ns);
    self->fds = NULL;
    self->count = 0;
    return result;
}

LISTED void python_thread_yield(int way) {
    chosen = way ? choose(way) : NULL;
    if (chosen) python_thread_give(way);
}

/* Who waited long has it next, whoever else asks meanwhile. */
void python_lock_release(struct lock *lock) {
    for (struct thread *thread = current->next; lock->waiters && thread != current; thread = thread->next)
        if (thread->result == PENDING && thread->lock == lock && slices - thread->since >= PATIENCE) {
            thread->result = PYTHON_READY;
            return;
        }
    lock->held = 0;
}

/* ---- threads */

unsigned long python_thread_ident(void) { return current->ident; }

bool python_thread_is_first(void) { return current == first; }

bool python_thread_exists(unsigned long ident) {
    const struct thread *thread = current;
    do {
        if (thread->ident == ident && !thread->ended) return true;
        thread = thread->next;
    } while (thread != current);
    return false;
}

unsigned long python_thread_new(void (*function)(void *), void *argument) {
    struct thread *thread = calloc(1, sizeof *thread);
    if (!thread) return PYTHREAD_INVALID_THREAD_ID;
    thread->ident = ++last_ident;
    thread->function = function;
    thread->argument = argument;
    thread->result = PYTHON_READY;
    thread->until = -1;
    struct thread *last = current; /* the last one to have its turn */
    while (last->next != current) last = last->next;
    thread->next = current;
    last->next = thread;
    python_threads++;
    return thread->ident;
}

/* What the others have is not freed: CPython looks at it when it clears their states. */
void python_threads_forked(void) {
    first = current;
    current->next = current;
    current->used = turn_began = 0;
    python_threads = 1;
    python_pinned = 0;
    top = NULL;
    python_tool_forget(0);
}
