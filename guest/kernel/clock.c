/*
 * clock.c: time as the sandbox sees it. Called by whatever reads or stamps a time.
 *
 * The host writes both clocks into the mailbox before each slice. Within a slice a reading moves
 * the monotonic clock by STEP, so that two readings differ and it never runs backwards, and the
 * realtime clock moves with it. The host records its clock only for slices in which
 * mailbox.clock_reads changed.
 */
#include "kernel.h"

#define STEP 100 /* ns */

static int64_t last; /* the latest monotonic time given out */

void k_clock_boot(void) {
    last = 0;
}

int64_t k_monotonic(void) {
    return k_mailbox.monotonic_ns > last ? k_mailbox.monotonic_ns : last;
}

void k_clock_observed(void) {
    k_mailbox.clock_reads++;
}

static int64_t realtime(void) {
    return k_mailbox.realtime_ns + (k_monotonic() - k_mailbox.monotonic_ns);
}

int64_t k_now(void) {
    k_clock_observed();
    return realtime();
}

int64_t k_clock_read(int clock) {
    k_clock_observed();
    last = k_monotonic() + STEP;
    return clock == 0 ? realtime() : last;
}

int64_t k_clock_unix_of_boot(void) {
    k_clock_observed();
    return realtime() - k_monotonic();
}

int64_t k_do_CLOCK(struct k_call *call) {
    int64_t clock = k_arg(call, 0);
    if (clock == 2) {
        struct pf_rusage own, children;
        k_proc_usage(call->proc, &own, &children);
        return own.user_ns + own.system_ns;
    }
    if (clock != 0 && clock != 1) return -PF_EINVAL;
    return k_clock_read((int)clock);
}
