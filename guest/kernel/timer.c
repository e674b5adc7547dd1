/*
 * timer.c: deadlines of waiting calls and of alarm(), in one heap. Called by the scheduler.
 *
 * A process has at most one timer of each kind. Equal deadlines come in the order in which they
 * were set. Each process knows the places of its timers, so that clearing one is a heap removal.
 */
#include "kernel.h"

struct timer {
    int64_t when;
    uint64_t order;
    struct k_proc *proc;
    enum k_timer which;
};

static struct timer *heap;
static uint32_t count, cap;
static uint64_t next_order;

void k_timer_boot(void) {
    heap = NULL;
    count = cap = 0;
    next_order = 0;
}

static bool before(const struct timer *a, const struct timer *b) {
    return a->when != b->when ? a->when < b->when : a->order < b->order;
}

static void place(uint32_t at, struct timer timer) {
    K_ASSERT(at < count);
    heap[at] = timer;
    timer.proc->timer_at[timer.which] = at + 1;
}

/* Puts `timer` where it belongs, starting from the free place `at`. */
static void settle(uint32_t at, struct timer timer) {
    while (at > 0 && before(&timer, &heap[(at - 1) / 2])) {
        place(at, heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child + 1 < count && before(&heap[child + 1], &heap[child])) child++;
        if (child >= count || !before(&heap[child], &timer)) break;
        place(at, heap[child]);
        at = child;
    }
    place(at, timer);
}

int k_timer_set(struct k_proc *proc, enum k_timer which, int64_t when) {
    k_timer_clear(proc, which);
    if (count == cap) {
        uint32_t want = cap ? cap * 2 : 16;
        struct timer *grown = k_alloc(want * sizeof *grown);
        if (!grown) return -PF_ENOMEM;
        if (count) memcpy(grown, heap, count * sizeof *grown);
        k_free(heap);
        heap = grown;
        cap = want;
    }
    count++;
    settle(count - 1, (struct timer){when, next_order++, proc, which});
    return 0;
}

void k_timer_clear(struct k_proc *proc, enum k_timer which) {
    uint32_t at = proc->timer_at[which];
    if (!at) return;
    proc->timer_at[which] = 0;
    struct timer last = heap[--count];
    if (at - 1 < count) settle(at - 1, last);
}

int64_t k_timer_left(const struct k_proc *proc, enum k_timer which) {
    uint32_t at = proc->timer_at[which];
    return at ? heap[at - 1].when : K_NEVER;
}

int64_t k_timer_first(void) {
    return count ? heap[0].when : K_NEVER;
}

void k_timer_expire(int64_t now) {
    while (count && heap[0].when <= now) {
        struct k_proc *proc = heap[0].proc;
        enum k_timer which = heap[0].which;
        k_clock_observed();
        k_timer_clear(proc, which);
        if (which == K_TIMER_ALARM)
            k_signal(proc, K_SIGALRM);
        else
            k_wake(proc);
    }
}

/* Further away than this is never: a sleep for ever has no timer that the host would wait for. */
#define FOREVER (1ll << 61) /* 73 years */

int64_t k_later(int64_t delay) {
    return delay > FOREVER ? K_NEVER : k_monotonic() + delay;
}

int k_deadline(struct k_proc *proc, int64_t when) {
    if (!proc->has_deadline) {
        if (when <= k_monotonic()) {
            k_clock_observed();
            return 1;
        }
        if (when != K_NEVER) {
            int error = k_timer_set(proc, K_TIMER_WAIT, when);
            if (error) return error;
        }
        proc->has_deadline = true;
        proc->deadline = when;
    } else if (proc->deadline <= k_monotonic()) {
        k_clock_observed();
        return 1;
    } else if (proc->deadline != K_NEVER && !proc->timer_at[K_TIMER_WAIT]) {
        return k_timer_set(proc, K_TIMER_WAIT, proc->deadline);
    }
    return 0;
}

void k_timer_check(void) {
    for (uint32_t i = 0; i < count; i++) {
        K_ASSERT(heap[i].proc->timer_at[heap[i].which] == i + 1);
        K_ASSERT(i == 0 || !before(&heap[i], &heap[(i - 1) / 2]));
    }
}

int64_t k_do_SLEEP(struct k_call *call) {
    int64_t clock = k_arg(call, 0), ns = k_arg(call, 1), absolute = k_arg(call, 2);
    if ((clock != 0 && clock != 1) || ns < 0 || (absolute != 0 && absolute != 1)) return -PF_EINVAL;
    struct k_proc *proc = call->proc;
    int64_t when = 0;
    if (!proc->has_deadline) {
        k_clock_observed();
        if (absolute && clock == 0) {
            if (__builtin_sub_overflow(ns, k_clock_unix_of_boot(), &when)) when = K_NEVER;
            if (when > FOREVER) when = K_NEVER;
        } else {
            when = absolute ? (ns > FOREVER ? K_NEVER : ns) : k_later(ns);
        }
    }
    int passed = k_deadline(proc, when);
    if (passed) return passed < 0 ? passed : 0;
    return k_wait(call, NULL, false);
}

int64_t k_do_ALARM(struct k_call *call) {
    int64_t ns = k_arg(call, 0);
    struct k_proc *proc = call->proc;
    if (ns < 0) return -PF_EINVAL;
    int64_t old = k_timer_left(proc, K_TIMER_ALARM);
    int64_t left = 0;
    if (old != K_NEVER) {
        k_clock_observed();
        left = old - k_monotonic();
        if (left <= 0) left = 1;
    }
    if (ns) {
        k_clock_observed();
        int error = k_timer_set(proc, K_TIMER_ALARM, k_later(ns));
        if (error) return error;
    } else {
        k_timer_clear(proc, K_TIMER_ALARM);
    }
    return left;
}
