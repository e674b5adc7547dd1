/*
 * tests/unit/test_kernel_time.c: clocks, sleeps, alarms, and who runs when.
 */
#include "kernel_machine.h"

static uint32_t sh;
static int64_t pid;

static uint32_t child(void) {
    uint32_t proc = fork_(sh, &pid);
    switch_to(proc);
    CALL(proc, FORK);
    return proc;
}

static void clocks(void) {
    sh = boot();
    k_mailbox.realtime_ns = 1000000000000;
    k_mailbox.monotonic_ns = 5000;
    uint32_t reads = k_mailbox.clock_reads;
    int64_t a = CALL(sh, CLOCK, 1), b = CALL(sh, CLOCK, 1), r = CALL(sh, CLOCK, 0);
    CHECK(a >= 5000 && b > a);
    CHECK(r > 1000000000000 && r < 1000000001000);
    CHECK_EQ(k_mailbox.clock_reads, reads + 3);
    CHECK_EQ(CALL(sh, CLOCK, 9), -PF_EINVAL);
    /* it never runs backwards, whatever the host says */
    for (int i = 0; i < 1000; i++) CALL(sh, CLOCK, 1), next();
    b = CALL(sh, CLOCK, 1);
    k_mailbox.monotonic_ns = 5001;
    CHECK(CALL(sh, CLOCK, 1) > b);
    k_mailbox.monotonic_ns = 90000000;
    CHECK(CALL(sh, CLOCK, 1) >= 90000000);
    CHECK(CALL(sh, CLOCK, 2) > 0);
}

static void sleeps(void) {
    sh = boot();
    k_mailbox.monotonic_ns = 1000;
    k_mailbox.realtime_ns = 1000001000;
    CHECK_EQ(CALL(sh, SLEEP, 1, 0, 0), 0);
    CHECK_EQ(CALL(sh, SLEEP, 1, -1, 0), -PF_EINVAL);
    CHECK_EQ(CALL(sh, SLEEP, 5, 1, 0), -PF_EINVAL);
    CHECK_EQ(CALL(sh, SLEEP, 1, 500, 1), 0); /* in the past */
    CALL(sh, SLEEP, 0, 1000009000, 1);
    CHECK_EQ(next(), 0);
    CHECK_EQ(event.deadline_ns, 9000);
    k_mailbox.monotonic_ns = 8999;
    CHECK_EQ(next(), 0);
    uint32_t reads = k_mailbox.clock_reads;
    k_mailbox.monotonic_ns = 9000;
    CHECK_EQ(next(), sh);
    CHECK(k_mailbox.clock_reads > reads); /* that time has come was seen */
    CHECK_EQ(CALL(sh, SLEEP, 0, 1000009000, 1), 0);
    CALL(sh, SLEEP, 1, INT64_MAX, 0); /* for ever: nobody need wait for that */
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK_EQ(next(), 0);
    CHECK_EQ(event.deadline_ns, INT64_MAX);
}

static void alarms(void) {
    sh = boot();
    CALL(sh, SIGACTION, K_SIGALRM, 2, 0);
    CHECK_EQ(CALL(sh, ALARM, 1000), 0);
    k_mailbox.monotonic_ns = 300;
    CHECK_EQ(CALL(sh, ALARM, 2000), 700);
    CHECK_EQ(CALL(sh, ALARM, 0), 2000);
    CHECK_EQ(CALL(sh, ALARM, 50), 0);
    uint32_t c = fork_(sh, &pid); /* does not inherit it */
    CALL(sh, WAIT, -1, 0);
    CHECK_EQ(next(), c);
    CALL(c, FORK);
    CHECK_EQ(CALL(c, ALARM, 0), 0);
    CALL(c, ALARM, 10);
    k_mailbox.monotonic_ns = 310;
    CALL(c, YIELD, 100000);
    CALL(c, YIELD, 0); /* the slice is over: time passes */
    CHECK_EQ(action, PF_ACTION_BLOCK);
    k_mailbox.monotonic_ns = 1000;
    CHECK_EQ(next(), c); /* the handler is inherited */
    CHECK_EQ(CALL(c, SIGTAKE), K_SIGALRM);
    CALL(c, SIGACTION, K_SIGALRM, 0, 0);
    CALL(c, ALARM, 10);
    CALL(c, SLEEP, 1, 100000, 0);
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL(sh, WAIT, -1, 0), -PF_EINTR);
    CHECK_EQ(CALL(sh, SIGTAKE), K_SIGALRM);
    CALL(sh, WAIT, -1, 0);
    k_mailbox.monotonic_ns = 2000;
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL(sh, WAIT, -1, 0), pid);
    struct pf_wait answer;
    memcpy(&answer, got, sizeof answer);
    CHECK_EQ(answer.status, K_SIGALRM);
    k_check();
}

static void many_timers(void) {
    sh = boot();
    struct pf_kernel_limits many = {1 << 30, 1000, 1000, 256, 100, 100, 0};
    CALL_IN(HOST, HOST_CONFIGURE, &many, sizeof many);
    uint32_t procs[200];
    for (uint32_t i = 0; i < 200; i++) {
        procs[i] = child();
        CALL(procs[i], SLEEP, 1, 100 + (i * 7919) % 1000, 0);
        k_timer_check();
        CHECK_EQ(next(), sh);
    }
    for (uint32_t i = 0; i < 200; i += 3) CALL(sh, KILL, k_proc_at(procs[i])->pid, 9);
    k_check();
    CALL(sh, SLEEP, 1, 10000000, 0);
    int64_t last = 0;
    int woken = 0;
    for (;;) {
        uint32_t proc = next();
        if (!proc) {
            if (event.deadline_ns > 1000000) break;
            CHECK(event.deadline_ns > last);
            last = event.deadline_ns;
            k_mailbox.monotonic_ns = last;
            continue;
        }
        woken++;
        CHECK_EQ(CALL(proc, SLEEP, 1, 1, 0), 0);
        CALL(proc, EXIT, 0);
    }
    CHECK_EQ(woken, 133);
    k_check();
}

/* Three busy processes get the same share, in turns, whatever they call. */
static void fairness(void) {
    sh = boot();
    uint32_t a = fork_(sh, &pid), b = fork_(sh, &pid);
    int64_t count[PF_PROCESS_TABLE] = {0};
    uint32_t proc = sh;
    for (int i = 0; i < 300000; i++) {
        CALL(proc, GETPID, 0);
        if (action == PF_ACTION_BLOCK)
            proc = next();
        else
            count[proc]++;
    }
    CHECK(count[a] > 98000 && count[a] < 102000);
    CHECK(count[b] > 98000 && count[b] < 102000);
    CHECK(count[sh] > 98000 && count[sh] < 102000);
    /* steps of an interpreter count, too */
    memset(count, 0, sizeof count);
    for (int i = 0; i < 30000; i++) {
        CALL(proc, YIELD, 640);
        if (action == PF_ACTION_BLOCK)
            proc = next();
        else
            count[proc]++;
    }
    CHECK(count[a] > 9000 && count[b] > 9000 && count[sh] > 9000);
}

static void alone(void) {
    sh = boot();
    int blocks = 0;
    for (int i = 0; i < 10000; i++) {
        CALL(sh, GETPID, 0);
        if (action == PF_ACTION_BLOCK) {
            blocks++;
            CHECK_EQ(next(), sh);
        }
    }
    CHECK(blocks >= 9 && blocks <= 10); /* the host sees it once a slice */
    /* a process that would be parked is left alone while nobody else has anything to do … */
    for (int i = 0; i < 5000; i++) {
        call_raw(sh, PF_CALL_YIELD, (struct words){{64}}, NULL, 0, 0, 0);
        CHECK_EQ(action, PF_ACTION_RETURN);
    }
    /* … unless the host asks */
    k_mailbox.preempt = 1;
    call_raw(sh, PF_CALL_GETPID, (struct words){{0}}, NULL, 0, 0, 0);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK_EQ(CALL(HOST, HOST_RUN_STATE), 0);
    CHECK_EQ(((struct pf_run_state *)got)->parked_pid, k_proc_at(sh)->pid);
    CHECK_EQ(next(), sh);
    CHECK_EQ(k_mailbox.preempt, 0);
    call_raw(sh, PF_CALL_GETPID, (struct words){{0}}, NULL, 0, 0, 0);
    CHECK_EQ(action, PF_ACTION_RETURN);
    CHECK_EQ(CALL(HOST, HOST_RUN_STATE), 0);
    CHECK_EQ(((struct pf_run_state *)got)->parked_pid, 0);
    /* the host may leave a process in the middle of its slice */
    uint32_t c = fork_(sh, &pid);
    CHECK_EQ(next(), sh);
    CALL(sh, WAIT, -1, 0);
    CHECK_EQ(next(), c);
    CHECK_EQ(next(), c);
}

/* Two kernels that hear the same say the same. */
static uint64_t trace_once(void) {
    uint64_t hash = 14695981039346656037ull;
    sh = boot();
    k_random_seed((const uint8_t *)"seed", 4);
    uint32_t proc = sh, state = 1;
    for (int i = 0; i < 20000; i++) {
        state = state * 1664525 + 1013904223;
        int64_t r;
        switch (state >> 28) {
        case 0:
            r = k_proc_count() < 20 ? CALL(proc, FORK) : 0;
            if (action == PF_ACTION_FORK) CALL(HOST, HOST_FORK_DONE, r, 1);
            break;
        case 1: r = CALL(proc, SLEEP, 1, state % 1000, 0); break;
        case 2:
            r = CALL_CAP(proc, RANDOM, 8);
            r += got[0];
            break;
        case 3: r = CALL(proc, CLOCK, 0); break;
        case 4: r = CALL(proc, WAIT, -1, 1); break;
        default: r = CALL(proc, YIELD, state % 3000); break;
        }
        hash = (hash ^ (uint64_t)r ^ action) * 1099511628211ull;
        if (action != PF_ACTION_RETURN) {
            proc = next();
            while (!proc) {
                k_mailbox.monotonic_ns = event.deadline_ns;
                proc = next();
            }
        }
        hash = (hash ^ proc) * 1099511628211ull;
    }
    return hash;
}

static void deterministic(void) {
    uint64_t a = trace_once(), b = trace_once();
    CHECK(a == b);
}

static void random_stream(void) {
    sh = boot();
    uint8_t first[64];
    CALL_PATH(HOST, HOST_SEED, "one seed");
    CHECK_EQ(CALL_CAP(sh, RANDOM, 64), 64);
    memcpy(first, got, 64);
    CHECK_EQ(CALL_CAP(sh, RANDOM, 64), 64);
    CHECK(memcmp(first, got, 64) != 0);
    CALL_PATH(HOST, HOST_SEED, "one seed");
    CALL_CAP(sh, RANDOM, 64);
    CHECK(memcmp(first, got, 64) == 0);
    CALL_PATH(HOST, HOST_SEED, "another seed that is longer than thirty-two bytes");
    CALL_CAP(sh, RANDOM, 64);
    CHECK(memcmp(first, got, 64) != 0);
    /* every bit of it looks like a coin */
    int ones = 0;
    for (int i = 0; i < 100; i++) {
        CALL_CAP(sh, RANDOM, 1000);
        for (int k = 0; k < 1000; k++) ones += __builtin_popcount(got[k]);
    }
    CHECK(ones > 398000 && ones < 402000);
}

int main(void) {
    clocks();
    sleeps();
    alarms();
    many_timers();
    fairness();
    alone();
    deterministic();
    random_stream();
    return check_report();
}
