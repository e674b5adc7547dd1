/*
 * host/cpu/timer.c: a tick of CPU time for each thread that runs guests.
 *
 * It sets a flag that the trampoline looks at, and, as a backstop, cuts a program that makes no
 * calls. It never cuts the kernel in the middle of a call; a kernel call that lasts for
 * CPU_KERNEL_TICKS_MAX ticks means the sandbox is lost, in a run or outside of one. When no guest
 * runs, the tick turns itself off, so an embedder sees at most one after the last run.
 *
 * Without the tick nothing ends a guest. So each entry looks whether its signal is ours and reaches
 * this thread, and fails when the system refuses the timer.
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

static char ours; /* its address is in each of our ticks: other timers may have the same signal */
static struct sigaction previous; /* who had the signal before us, or took it in between */
static atomic_bool shared; /* somebody had it, who may put it back at any time */
static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER;

static void tick(struct cpu_thread *self, void *ucontext) {
    struct cpu_watch *watch = self->watch;
    if (self->mode == CPU_KERNEL &&
        atomic_fetch_add_explicit(&self->kernel_ticks, 1, memory_order_relaxed) >=
            CPU_KERNEL_TICKS_MAX)
        cpu_redirect(ucontext, self, CPU_EXIT_KERNEL);
    if (!watch && self->mode == CPU_HOST && self->begun == 0) {
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
}

/* A signal that is none of our ticks. A handler that was installed after ours may have saved ours,
 * and may put it back. */
static void pass_on(int number, siginfo_t *info, void *ucontext) {
    static __thread volatile bool passing __attribute__((tls_model("initial-exec")));
    if (passing) return;
    passing = true;
    if (previous.sa_flags & SA_SIGINFO)
        previous.sa_sigaction(number, info, ucontext);
    else if (previous.sa_handler != SIG_IGN && previous.sa_handler != SIG_DFL)
        previous.sa_handler(number);
    passing = false;
}

static void on_tick(int number, siginfo_t *info, void *ucontext) {
    int saved_errno = errno;
    if (info->si_code != SI_TIMER || info->si_value.sival_ptr != &ours)
        pass_on(number, info, ucontext);
    else if (cpu_self)
        tick(cpu_self, ucontext);
    errno = saved_errno;
}

/* The signal's handler is ours, with what was there behind it. False: errno. */
static bool take_signal(void) {
    struct sigaction now, own = {.sa_sigaction = on_tick,
                                 .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    if (sigaction(CPU_TICK_SIGNAL, NULL, &now) != 0) return false;
    if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_tick) return true;
    sigemptyset(&own.sa_mask);
    pthread_mutex_lock(&install_lock);
    previous = now;
    bool handled = (now.sa_flags & SA_SIGINFO) || now.sa_handler != SIG_DFL;
    if (handled) atomic_store(&shared, true);
    bool taken = sigaction(CPU_TICK_SIGNAL, &own, NULL) == 0;
    pthread_mutex_unlock(&install_lock);
    return taken;
}

static bool mask_tick(int how, sigset_t *before) {
    sigset_t tick;
    sigemptyset(&tick);
    sigaddset(&tick, CPU_TICK_SIGNAL);
    errno = pthread_sigmask(how, &tick, before);
    return errno == 0;
}

/* The timer runs. */
static bool arm(struct cpu_thread *self) {
    if (self->timer_on) return true;
    if (!self->timer_made) {
        struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = CPU_TICK_SIGNAL};
        event.sigev_value.sival_ptr = &ours;
        event.sigev_notify_thread_id = (int)syscall(SYS_gettid);
        self->refused = "timer_create";
        if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &self->timer) != 0) return false;
        self->timer_made = true;
    }
    struct itimerspec on = {.it_interval = {0, CPU_TICK_NS}, .it_value = {0, CPU_TICK_NS}};
    self->refused = "timer_settime";
    self->timer_on = timer_settime(self->timer, 0, &on, NULL) == 0;
    return self->timer_on;
}

/* The system's clock at its coarsest: it costs next to nothing. */
static int64_t coarse_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Whose the handlers are is asked once in a tick of the system's clock where calls of a tool follow
 * each other at once: to ask costs as much as a tenth of such a call. */
static bool handlers_known(struct cpu_thread *self, bool soon) {
    int64_t now = coarse_clock();
    bool known = soon && self->looked_ns == now;
    self->looked_ns = now;
    return known;
}

static bool reach(struct cpu_thread *self, struct cpu_begun *begun) {
    sigset_t before;
    begun->blocked = false;
    self->refused = "pthread_sigmask";
    if (!mask_tick(SIG_UNBLOCK, &before)) return false;
    begun->blocked = sigismember(&before, CPU_TICK_SIGNAL) == 1;
    return arm(self);
}

bool cpu_step_in(struct cpu_thread *self, struct cpu_begun *begun) {
    self->refused = "sigaction";
    if (!handlers_known(self, true) && !take_signal()) return false;
    return reach(self, begun);
}

void cpu_step_out(struct cpu_thread *self, const struct cpu_begun *begun) {
    (void)self;
    if (begun->blocked) mask_tick(SIG_BLOCK, NULL);
}

bool cpu_begin(struct cpu_thread *self, struct cpu_begun *begun, bool soon) {
    begun->blocked = false;
    self->begun++; /* first: from here on no tick turns the timer off */
    atomic_signal_fence(memory_order_seq_cst);
    bool known = handlers_known(self, soon);
    cpu_traps_install(!known);
    self->refused = "sigaction";
    if ((known || take_signal()) && reach(self, begun)) return true;
    int error = errno;
    self->looked_ns = 0;
    cpu_end(self, begun);
    errno = error;
    return false;
}

/* No tick is to come when the handler may not be ours any more: the default is to end the
 * process. */
static void disarm(struct cpu_thread *self) {
    struct itimerspec off = {0};
    if (self->timer_on) timer_settime(self->timer, 0, &off, NULL);
    self->timer_on = false;
}

void cpu_end(struct cpu_thread *self, const struct cpu_begun *begun) {
    assert(self->begun > 0);
    if (self->begun == 1 && atomic_load_explicit(&shared, memory_order_relaxed)) disarm(self);
    cpu_step_out(self, begun);
    self->begun--;
}

struct cpu_watch *cpu_watch(struct cpu_thread *self, struct cpu_watch *watch) {
    struct cpu_watch *before = self->watch;
    self->watch = watch;
    return before;
}

void cpu_watch_kernel(struct cpu_thread *self, bool on) {
    (void)self, (void)on; /* the timer is on from cpu_begin() to cpu_end() */
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
