/*
 * host/cpu/ticker.c: watches guests in a build without signal handlers, in place of timer.c and
 * trap.c.
 *
 * One thread for all that run guests. Every CPU_TICK_NS it reads the CPU clock of each, counts, and
 * does what the signal's handler does elsewhere: sets the flag that the trampoline looks at, and,
 * as a backstop, raises the limit that generated code compares its stack pointer with (guard.h).
 * Whether that ends the program, or the kernel, the thread itself decides: it knows what it runs.
 *
 * The thread starts with the first that runs guests, takes no signals, and sleeps when none did for
 * a second. A forked child has none, and starts its own.
 */
#include "cpu.h"
#include "guard.h"

#include <errno.h>
#include <limits.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

#define STACK_BYTES     (256u << 10)
#define IDLE_PASSES_MAX 100
/* Of the time between two looks at most so much counts. The thread may have waited long for a
 * processor, and what it missed need not be that of the run, or the kernel's call, that is on. */
#define TICKS_MAX        10
#define TICKS_KERNEL_MAX 2

_Static_assert(offsetof(struct cpu_thread, guard) == 0, "cpu_struck() finds the thread by it");

static struct {
    pthread_mutex_t lock; /* the list, and falling asleep */
    pthread_cond_t wake;
    struct cpu_thread *threads;
    atomic_bool alive, asleep;
} ticker = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

struct cpu_guard cpu_unguarded;

/* ---- the ticker's thread */

/* CPU ticks of a thread since the last look. */
static unsigned elapsed(struct cpu_thread *t) {
    struct timespec now;
    if (clock_gettime(t->clock, &now) != 0) return 0;
    uint64_t ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    uint64_t ticks = t->seen_ns ? (ns - t->seen_ns) / CPU_TICK_NS : 0;
    if (!t->seen_ns || ticks > TICKS_MAX)
        t->seen_ns = ns;
    else
        t->seen_ns += ticks * CPU_TICK_NS;
    return ticks > TICKS_MAX ? TICKS_MAX : (unsigned)ticks;
}

/* False: it runs no guest. */
static bool look_at(struct cpu_thread *t) {
    if (!atomic_load(&t->busy)) {
        t->seen_ns = 0;
        return false;
    }
    unsigned ticks = elapsed(t);
    if (ticks == 0) return true;
    bool strike = false;
    pthread_mutex_lock(&t->watch_lock);
    struct cpu_watch *watch = t->watch;
    if (watch) {
        unsigned all =
            atomic_fetch_add_explicit(&watch->ticks, ticks, memory_order_relaxed) + ticks;
        unsigned every = atomic_load_explicit(&watch->look_every, memory_order_relaxed);
        if (all >= watch->stop_at || (every && all % every < ticks))
            atomic_store_explicit(&watch->stop, 1, memory_order_relaxed);
        strike = cpu_watch_cuts(watch, all);
    }
    pthread_mutex_unlock(&t->watch_lock);
    /* Also while a program runs: the count begins again with each call of the kernel. */
    if (ticks > TICKS_KERNEL_MAX) ticks = TICKS_KERNEL_MAX;
    ticks += atomic_fetch_add_explicit(&t->kernel_ticks, ticks, memory_order_relaxed);
    if (strike || ticks > CPU_KERNEL_TICKS_MAX)
        __atomic_store_n(&t->guard.limit, UINTPTR_MAX, __ATOMIC_RELAXED);
    return true;
}

static bool look_at_all(void) {
    bool any = false;
    for (struct cpu_thread *t = ticker.threads; t; t = t->next) any |= look_at(t);
    return any;
}

static void *tick(void *begun) {
    unsigned idle = 0;
    sem_post(begun);
    pthread_mutex_lock(&ticker.lock);
    for (;;) {
        idle = look_at_all() ? 0 : idle + 1;
        if (idle < IDLE_PASSES_MAX) {
            pthread_mutex_unlock(&ticker.lock);
            nanosleep(&(struct timespec){0, CPU_TICK_NS}, NULL);
            pthread_mutex_lock(&ticker.lock);
            continue;
        }
        /* Who becomes busy now either is seen here, or sees that somebody sleeps. */
        atomic_store(&ticker.asleep, true);
        if (look_at_all()) atomic_store(&ticker.asleep, false);
        while (atomic_load(&ticker.asleep)) pthread_cond_wait(&ticker.wake, &ticker.lock);
        idle = 0;
    }
    return NULL;
}

/* With the lock. */
static int start(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    sem_t begun;
    int error = pthread_attr_init(&attributes);
    if (error) return error;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    sem_init(&begun, 0, 0);
    error = pthread_create(&thread, &attributes, tick, &begun);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (error) return error;
    pthread_setname_np(thread, "pinfold-ticker");
    /* Until then it makes system calls that a process may forbid itself next. */
    while (sem_wait(&begun) != 0) {
    }
    sem_destroy(&begun);
    atomic_store(&ticker.alive, true);
    return 0;
}

/* ---- the threads that it watches */

/* Is the ticker there? Starts it if not; false: errno. */
static bool ticker_lives(void) {
    if (atomic_load_explicit(&ticker.alive, memory_order_relaxed)) return true;
    pthread_mutex_lock(&ticker.lock);
    int error = atomic_load(&ticker.alive) ? 0 : start();
    pthread_mutex_unlock(&ticker.lock);
    errno = error;
    return error == 0;
}

bool cpu_watcher_join(struct cpu_thread *self) {
    int error = pthread_getcpuclockid(pthread_self(), &self->clock);
    if (error) {
        errno = error;
        return false;
    }
    pthread_mutex_init(&self->watch_lock, NULL);
    pthread_mutex_lock(&ticker.lock);
    self->next = ticker.threads;
    ticker.threads = self;
    pthread_mutex_unlock(&ticker.lock);
    return true;
}

bool cpu_step_in(struct cpu_thread *self, struct cpu_begun *begun) {
    begun->blocked = false;
    self->refused = "pthread_create";
    return ticker_lives();
}

void cpu_step_out(struct cpu_thread *self, const struct cpu_begun *begun) {
    (void)self, (void)begun; /* the embedder's signals are left alone */
}

bool cpu_begin(struct cpu_thread *self, struct cpu_begun *begun, bool soon) {
    (void)soon;
    if (!cpu_step_in(self, begun)) return false;
    self->begun++;
    return true;
}

void cpu_end(struct cpu_thread *self, const struct cpu_begun *begun) {
    (void)begun;
    self->begun--;
}

void cpu_watcher_leave(struct cpu_thread *self) {
    pthread_mutex_lock(&ticker.lock);
    for (struct cpu_thread **at = &ticker.threads; *at; at = &(*at)->next)
        if (*at == self) {
            *at = self->next;
            pthread_mutex_destroy(&self->watch_lock);
            break;
        }
    pthread_mutex_unlock(&ticker.lock);
}

/* With the list's lock the ticker holds no other either. */
void cpu_watcher_hold(void) {
    pthread_mutex_lock(&ticker.lock);
}
void cpu_watcher_go_on(void) {
    pthread_mutex_unlock(&ticker.lock);
}

void cpu_watcher_forked(struct cpu_thread *self) {
    pthread_mutex_init(&ticker.lock, NULL);
    pthread_cond_init(&ticker.wake, NULL);
    atomic_store(&ticker.asleep, false);
    atomic_store(&ticker.alive, false);
    ticker.threads = self; /* the others are not there any more */
    if (!self) return;
    self->next = NULL;
    self->seen_ns = 0;
    pthread_getcpuclockid(pthread_self(), &self->clock); /* it names the thread by its number */
}

enum { RUN = 1, KERNEL_CALL = 2 };

static void set_busy(struct cpu_thread *self, unsigned what, bool on) {
    unsigned before = atomic_load_explicit(&self->busy, memory_order_relaxed);
    atomic_store(&self->busy, on ? before | what : before & ~what);
    if (!on || !atomic_load(&ticker.asleep)) return;
    pthread_mutex_lock(&ticker.lock);
    atomic_store(&ticker.asleep, false);
    pthread_cond_signal(&ticker.wake);
    pthread_mutex_unlock(&ticker.lock);
}

struct cpu_watch *cpu_watch(struct cpu_thread *self, struct cpu_watch *watch) {
    pthread_mutex_lock(&self->watch_lock);
    struct cpu_watch *before = self->watch;
    self->watch = watch;
    pthread_mutex_unlock(&self->watch_lock);
    set_busy(self, RUN, watch != NULL);
    return before;
}

void cpu_watch_kernel(struct cpu_thread *self, bool on) {
    set_busy(self, KERNEL_CALL, on);
}

void cpu_traps_install(bool all) {
    (void)all; /* there are none */
}

/* ---- and what they do when they are stopped */

void cpu_stack_begin(struct cpu_thread *self, const struct cpu_stack *stack) {
    self->floor = (uintptr_t)stack->base + CPU_STACK_RESERVE;
    __atomic_store_n(&self->guard.limit, self->floor, __ATOMIC_RELAXED);
}

/* Calls may push so much between the comparison and here: a call that was let through must not end
 * because a limit strikes just then, or a run would depend on time. */
#define CALL_BYTES 256

void cpu_struck(struct cpu_guard *guard) {
    uintptr_t sp = (uintptr_t)__builtin_dwarf_cfa();
    struct cpu_thread *self = (struct cpu_thread *)guard;
    if (self->mode == CPU_HOST) return; /* a function of the guest, but the host's own call */
    __atomic_store_n(&guard->limit, self->floor, __ATOMIC_RELAXED);
    if (self->mode == CPU_KERNEL) {
        if (atomic_load_explicit(&self->kernel_ticks, memory_order_relaxed) > CPU_KERNEL_TICKS_MAX)
            cpu_leave(self, CPU_EXIT_KERNEL);
    } else if (self->watch) {
        unsigned ticks = atomic_load_explicit(&self->watch->ticks, memory_order_relaxed);
        if (cpu_watch_cuts(self->watch, ticks)) cpu_leave(self, CPU_EXIT_STOPPED);
    }
    if (sp + CALL_BYTES < self->floor) cpu_trap(self, SIGSEGV);
}
