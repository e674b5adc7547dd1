/*
 * host/cpu/timer.c: a tick of CPU time for each thread that runs guests.
 *
 * It sets a flag that the trampoline looks at, and, as a backstop, cuts a program that makes no
 * calls. It never cuts the kernel in the middle of a call; a kernel call that lasts for
 * CPU_KERNEL_TICKS_MAX ticks means the sandbox is lost, in a run or outside of one. When no guest runs,
 * the tick turns itself off, so an embedder sees at most one after the last run.
 */
#include "cpu.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

extern __thread struct cpu_thread *cpu_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
/* trap.c: */
void cpu_redirect(void *ucontext, struct cpu_thread *self, enum cpu_exit how);
bool cpu_altstack(struct cpu_thread *self);
void cpu_altstack_free(struct cpu_thread *self);

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void on_tick(int number, siginfo_t *info, void *ucontext) {
    (void)number, (void)info;
    int saved_errno = errno;
    struct cpu_thread *self = cpu_self;
    if (!self) return;
    struct cpu_watch *watch = self->watch;
    if (self->mode == CPU_KERNEL &&
        atomic_fetch_add_explicit(&self->kernel_ticks, 1, memory_order_relaxed) >=
            CPU_KERNEL_TICKS_MAX)
        cpu_redirect(ucontext, self, CPU_EXIT_KERNEL);
    if (!watch && self->mode == CPU_HOST) {
        struct itimerspec off = {0};
        timer_settime(self->timer, 0, &off, NULL);
        self->timer_on = false;
    } else if (watch) {
        unsigned ticks = atomic_fetch_add_explicit(&watch->ticks, 1, memory_order_relaxed) + 1;
        unsigned every = atomic_load_explicit(&watch->look_every, memory_order_relaxed);
        if (ticks >= watch->stop_at || (every && ticks % every == 0))
            atomic_store_explicit(&watch->stop, 1, memory_order_relaxed);
        if (self->mode == CPU_PROGRAM && cpu_watch_cuts(watch, ticks))
            cpu_redirect(ucontext, self, CPU_EXIT_STOPPED);
    }
    errno = saved_errno;
}

static void install(void) {
    struct sigaction ours = {.sa_sigaction = on_tick,
                             .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    sigemptyset(&ours.sa_mask);
    sigaction(CPU_TICK_SIGNAL, &ours, NULL);
}

static void start(struct cpu_thread *self) {
    if (self->timer_on) return;
    pthread_once(&once, install);
    if (!self->timer_made) {
        struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = CPU_TICK_SIGNAL};
        event.sigev_notify_thread_id = (int)syscall(SYS_gettid);
        if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &self->timer) != 0) return;
        self->timer_made = true;
    }
    struct itimerspec on = {.it_interval = {0, CPU_TICK_NS}, .it_value = {0, CPU_TICK_NS}};
    self->timer_on = timer_settime(self->timer, 0, &on, NULL) == 0;
}

struct cpu_watch *cpu_watch(struct cpu_thread *self, struct cpu_watch *watch) {
    struct cpu_watch *before = self->watch;
    self->watch = watch;
    if (watch) start(self);
    return before;
}

void cpu_watch_kernel(struct cpu_thread *self, bool on) {
    /* A file call of the embedder's has no run around it, whose timer would be on. */
    if (on) start(self);
}

bool cpu_watcher_join(struct cpu_thread *self) { return cpu_altstack(self); }

void cpu_watcher_leave(struct cpu_thread *self) {
    if (self->timer_made) timer_delete(self->timer);
    cpu_altstack_free(self);
}

void cpu_watcher_hold(void) {}
void cpu_watcher_go_on(void) {}

/* A forked child has no timers. */
void cpu_watcher_forked(struct cpu_thread *self) {
    if (self) self->timer_made = self->timer_on = false;
}
