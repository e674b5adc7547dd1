/*
 * host/machine/loop.c: the loop that everything runs in.
 *
 * One turn: deal with what the kernel asks attention for, let it choose, run that process until it
 * comes back. It ends when only the embedder (or time) can make something happen.
 */
#include "machine.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Time between the interrupt and the kill when a run is over its limit: a fifth of the limit within
 * these bounds. */
#define GRACE_MAX_NS 250000000ll
#define GRACE_MIN_NS 20000000ll
/* The same when the embedder gave it up. */
#define STOP_GRACE_NS 1000000000ll
/* Between two calls of on_pause. */
#define PAUSE_TICKS 5
#define PAUSE_NS    ((int64_t)PAUSE_TICKS * CPU_TICK_NS)
/* A kernel that still runs something two seconds after everything was killed is none of ours. */
#define KILLED_TICKS 200

static uint64_t cpu_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void show_time(pf_sandbox *s, int64_t now) {
    if (s->tape && !s->clock_fixed) {
        s->tape->time(s->tape, s);
    } else if (!s->clock_fixed) {
        if (now - s->clock_origin > s->monotonic_ns) s->monotonic_ns = now - s->clock_origin;
    }
    struct pf_mailbox *mailbox = machine_mailbox(s);
    mailbox->monotonic_ns = s->monotonic_ns;
    /* An embedder's clock may stand anywhere: what is too far goes round. */
    mailbox->realtime_ns = (int64_t)((uint64_t)s->realtime_base + (uint64_t)s->monotonic_ns);
}

void machine_show_time(pf_sandbox *s) {
    show_time(s, base_clock_monotonic());
}

static int64_t wall_used(const pf_sandbox *s, int64_t now) {
    return s->run.wall_ns + (now - s->entered_ns);
}

/* The guest is to end by itself; what is left after the grace is struck once more. */
static void ask_to_end(pf_sandbox *s, int64_t grace_ns) {
    assert(s->run.stage == STAGE_RUNNING && grace_ns > 0);
    struct machine_run *run = &s->run;
    run->stage = STAGE_INTERRUPTED;
    run->stop_wall_ns = wall_used(s, base_clock_monotonic()) + grace_ns;
    if (!machine_replays(s))
        s->watch.stop_at = atomic_load(&s->watch.ticks) + (unsigned)(grace_ns / CPU_TICK_NS);
    KERNEL(s, HOST_INTERRUPT, .arg = {SIGINT});
}

void machine_arm_grace(pf_sandbox *s) {
    assert(s->run.on);
    s->run.stop_wall_ns = s->run.wall_ns + GRACE_MAX_NS;
    s->watch.stop_at = atomic_load(&s->watch.ticks) + (unsigned)(GRACE_MAX_NS / CPU_TICK_NS);
    s->watch.kill_at = s->watch.stop_at + MACHINE_CUT_TICKS;
    assert(s->watch.stop_at <= s->watch.kill_at);
}

static void kill_run(pf_sandbox *s) {
    if (s->run.stage == STAGE_KILLED) return;
    s->run.stage = STAGE_KILLED;
    s->run.stop_tick = atomic_load(&s->watch.ticks) + KILLED_TICKS;
    if (!machine_replays(s)) s->watch.stop_at = UINT32_MAX;
    KERNEL(s, HOST_KILL, .arg = {0});
    machine_cancel_calls(s, s->run.limit);
    assert(!s->calls);
}

static int64_t grace_after(uint64_t limit_ms) {
    if (limit_ms >= 5 * GRACE_MAX_NS / 1000000) return GRACE_MAX_NS;
    int64_t fifth = (int64_t)limit_ms * 1000000 / 5;
    return fifth > GRACE_MIN_NS ? fifth : GRACE_MIN_NS;
}

/* The run is over a limit of time, or still there after it was to end. */
static void strike(pf_sandbox *s, const char *limit, uint64_t limit_ms) {
    assert(limit && *limit);
    if (s->run.stage != STAGE_RUNNING) {
        kill_run(s);
        return;
    }
    s->run.limit = limit;
    ask_to_end(s, grace_after(limit_ms));
    machine_cancel_calls(s, limit);
}

static void stop(pf_sandbox *s) {
    if (!s->run.on || s->run.stage != STAGE_RUNNING) {
        KERNEL(s, HOST_INTERRUPT, .arg = {SIGINT});
        return;
    }
    ask_to_end(s, STOP_GRACE_NS);
    if (!machine_replays(s)) s->watch.kill_at = s->watch.stop_at + MACHINE_CUT_TICKS;
}

/* Looks at the flags that the timer and other threads set. */
static void look_at_stops(pf_sandbox *s) {
    atomic_store(&s->watch.stop, 0);
    int came = atomic_load(&s->interrupt);
    while (came >= INTERRUPT_CAME &&
           !atomic_compare_exchange_weak(&s->interrupt, &came, INTERRUPT_AWAITED)) {
    }
    if (came >= INTERRUPT_CAME) s->pause_at = 0; /* there may be more to it: see to it now */
    if (machine_struck(s, STRIKE_INTERRUPT, came == INTERRUPT_CAME))
        KERNEL(s, HOST_INTERRUPT, .arg = {SIGINT});
    if (machine_struck(s, STRIKE_STOP, came == INTERRUPT_STOP)) stop(s);
    if (!s->run.on && !machine_replays(s)) return;
    if (machine_struck(s, STRIKE_KILL, came == INTERRUPT_KILL)) kill_run(s);
    if (machine_struck(s, STRIKE_CPU, atomic_load(&s->watch.ticks) >= s->watch.stop_at))
        strike(s, "cpu_seconds", s->limits.cpu_ms);
}

/* Lets the embedder see to what else its thread has to do. */
static void pause_for_embedder(pf_sandbox *s, int64_t now) {
    if (!s->on_pause || now < s->pause_at) return;
    assert(atomic_load(&s->busy) == 1);
    struct cpu_watch *watch = machine_step_out(s);
    s->on_pause(s->on_pause_user);
    machine_step_in(s, watch);
    s->pause_at = base_clock_monotonic() + PAUSE_NS;
}

static void check_wall(pf_sandbox *s, int64_t now) {
    struct machine_run *run = &s->run;
    if (run->on && run->stage == STAGE_KILLED && atomic_load(&s->watch.ticks) >= run->stop_tick) {
        s->dead = true;
        s->dead_why = "its kernel did not end what was killed";
    }
    if (!run->on || run->stage == STAGE_KILLED) return;
    bool over = run->stop_wall_ns != INT64_MAX && wall_used(s, now) >= run->stop_wall_ns;
    if (!machine_struck(s, STRIKE_WALL, over)) return;
    strike(s, "wall_seconds", s->limits.wall_ms);
    if (run->stage == STAGE_INTERRUPTED && !machine_replays(s))
        s->watch.kill_at = s->watch.stop_at + MACHINE_CUT_TICKS;
}

static void attend(pf_sandbox *s) {
    struct pf_mailbox *mailbox = machine_mailbox(s);
    uint32_t attention = mailbox->attention;
    mailbox->attention = 0;
    if (attention & PF_ATTENTION_OUTPUT) machine_drain_output(s);
    if (attention & PF_ATTENTION_STDIN) machine_feed_stdin(s);
    if (attention & PF_ATTENTION_OP) machine_take_calls(s);
    if (attention & PF_ATTENTION_VALUE) machine_drain_value(s);
    if (attention & PF_ATTENTION_RUN_DONE) s->run.foreground_done = true;
    if (attention & PF_ATTENTION_MEMORY) machine_drop_free_memory(s);
}

/* Sleeps until the deadline, a wall limit, or an interrupt, and never wakes for nothing: the turns
 * of the loop are counted. */
static void wait_until(pf_sandbox *s, int64_t deadline_ns) {
    int64_t began = base_clock_monotonic(), now = began;
    while (atomic_load(&s->interrupt) == INTERRUPT_AWAITED) {
        int64_t wait = deadline_ns == INT64_MAX ? INT64_MAX : deadline_ns - (now - s->clock_origin);
        if (s->run.on && s->run.stop_wall_ns != INT64_MAX) {
            int64_t left = s->run.stop_wall_ns - wall_used(s, now);
            if (left < wait) wait = left;
        }
        if (wait <= 0) break;
        if (s->on_pause && wait > s->pause_at - now) wait = s->pause_at - now;
        if (wait < 0) wait = 0;
        struct timespec t = {wait / 1000000000, wait % 1000000000};
        if (wait == INT64_MAX) t.tv_sec = 3600;
        long r =
            syscall(SYS_futex, &s->interrupt, FUTEX_WAIT_PRIVATE, INTERRUPT_AWAITED, &t, NULL, 0);
        bool signalled = r != 0 && errno == EINTR;
        now = base_clock_monotonic();
        if (signalled) s->pause_at = now;
        pause_for_embedder(s, now);
    }
    s->run.slept_ns += now - began;
}

/* Nothing can run. True: go on, something may now. */
static bool idle(pf_sandbox *s, int64_t deadline_ns) {
    assert(deadline_ns >= 0 && s->deadline_ns >= 0);
    s->deadline_ns = deadline_ns;
    if (!s->run.on) return false;
    if (s->run.foreground_done || s->run.stage == STAGE_KILLED) {
        machine_finish(s);
        return false;
    }
    if (s->calls) return false;
    if (deadline_ns == INT64_MAX) {
        /* Every process waits for something that cannot come: no call, no timer, no input. */
        strike(s, "wall_seconds", s->limits.wall_ms);
        return true;
    }
    if (s->clock_fixed)
        s->monotonic_ns = deadline_ns;
    else if (machine_replays(s))
        s->tape->wait(s->tape, s);
    else
        wait_until(s, deadline_ns);
    return true;
}

/* The program that called exec() is gone already, so no process can be told why. */
static void not_loaded(pf_sandbox *s, const struct pf_event *event) {
    assert(event->kind == PF_EVENT_LOAD && !machine_instance(s, event->proc));
    char text[160];
    const struct pf_image *image = machine_image_info(event->image);
    bool full = errno == ENOMEM;
    snprintf(text, sizeof text, "pinfold: a program (%s) cannot be loaded: %s\n",
             image ? image->name : "unknown",
             full ? "the memory of the sandbox or of its host is used up" : strerror(errno));
    s->run.starved |= full;
    machine_tell(s, text);
    KERNEL(s, HOST_TRAP, .arg = {event->proc, SIGKILL});
}

static void turn(pf_sandbox *s, struct cpu_thread *self, const struct pf_event *event) {
    assert(event->proc > 0 && event->proc < PF_PROCESS_TABLE);
    switch (event->kind) {
    case PF_EVENT_RUN: machine_run_process(s, self, event->proc); break;
    case PF_EVENT_LOAD:
        machine_tape_process(s, "exec", event->proc, event->pid);
        if (machine_load(s, event->proc, event->image)) machine_run_process(s, self, event->proc);
        else not_loaded(s, event);
        break;
    case PF_EVENT_FREE:
        machine_tape_process(s, "end", event->proc, event->pid);
        machine_drop(s, event->proc);
        break;
    default: s->dead = true; s->dead_why = "its kernel asked for something that does not exist";
    }
}

/* Is it time for a replay to be left between two turns? What is there then is plain bytes, in the
 * middle of a run as well. */
static bool rest(const pf_sandbox *s) {
    if (!machine_replays(s) || s->tape->rest_ns == INT64_MAX) return false;
    s->tape->rests = base_clock_monotonic() >= s->tape->rest_ns;
    return s->tape->rests;
}

static void loop(pf_sandbox *s, struct cpu_thread *self) {
    int64_t now = s->entered_ns;
    for (; !s->dead && !(s->tape && s->tape->ended); now = base_clock_monotonic()) {
        s->moment++;
        show_time(s, now);
        if (machine_replays(s) || atomic_load(&s->watch.stop) ||
            atomic_load(&s->interrupt) >= INTERRUPT_CAME)
            look_at_stops(s);
        check_wall(s, now);
        pause_for_embedder(s, now);
        /* What had not run in this run when it was killed does so now. */
        if (s->run.on && s->run.stage == STAGE_KILLED) KERNEL(s, HOST_KILL, .arg = {0});
        if (machine_mailbox(s)->attention) attend(s);
        struct pf_event event;
        if (!machine_next(s, &event)) return;
        if (event.kind != PF_EVENT_IDLE)
            turn(s, self, &event);
        else if (!machine_mailbox(s)->attention && !idle(s, event.deadline_ns))
            return;
        if (rest(s)) return;
    }
}

void machine_tell_output(pf_sandbox *s, int stream, const char *data, size_t len) {
    assert(s->run.on_output && (stream == 1 || stream == 2));
    struct machine_run *run = &s->run;
    struct cpu_watch *watch = machine_step_out(s);
    int64_t began = base_clock_monotonic();
    uint64_t cpu = run->brief ? 0 : cpu_clock();
    run->on_output(run->user, stream, data, len);
    if (!run->brief) run->told_cpu_ns += cpu_clock() - cpu;
    s->entered_ns += base_clock_monotonic() - began;
    machine_step_in(s, watch);
}

/*
 * Reading the CPU clock twice costs as much as a tool call does otherwise, so after a brief drive
 * the next is taken to be brief as well. Where that was wrong, the timer's ticks say how much it
 * was.
 */
#define BRIEF_NS 50000

struct usage {
    uint64_t cpu_ns;
    int64_t slept_ns;
    unsigned ticks;
};

/* CPU time of a drive that was not measured. */
static uint64_t estimate(const pf_sandbox *s, const struct usage *before, int64_t wall_ns) {
    int64_t awake = wall_ns - (s->run.slept_ns - before->slept_ns);
    int64_t ticked = (int64_t)(atomic_load(&s->watch.ticks) - before->ticks + 1) * CPU_TICK_NS;
    return (uint64_t)(awake < 0 ? 0 : awake < ticked ? awake : ticked);
}

/* A replay looks at its time with each message. A program that sends none is cut then. */
static void bound_replay(pf_sandbox *s, int64_t now) {
    if (!machine_replays(s) || s->tape->until_ns == INT64_MAX) return;
    int64_t left = s->tape->until_ns > now ? s->tape->until_ns - now : 0;
    uint64_t at = atomic_load(&s->watch.ticks) + (uint64_t)(left / CPU_TICK_NS) + 2;
    if (at < s->watch.stop_at) s->watch.stop_at = (unsigned)at;
    if (at + MACHINE_CUT_TICKS < s->watch.kill_at)
        s->watch.kill_at = (unsigned)at + MACHINE_CUT_TICKS;
}

/* Who makes no calls hears of no limit: it is cut when it computed as long as the run may last. */
static void bound_wall(pf_sandbox *s) {
    const struct machine_run *run = &s->run;
    if (!run->on || machine_replays(s) || run->stop_wall_ns == INT64_MAX) return;
    int64_t left = run->stop_wall_ns > run->wall_ns ? run->stop_wall_ns - run->wall_ns : 0;
    uint64_t at = atomic_load(&s->watch.ticks) + (uint64_t)(left / CPU_TICK_NS);
    at += MACHINE_CUT_TICKS;
    if (at < s->watch.kill_at) s->watch.kill_at = (unsigned)at;
}

pf_status machine_drive(pf_sandbox *s, pf_error *error) {
    assert(atomic_load(&s->busy) == 1 && s->kernel);
    struct cpu_thread *self = cpu_thread();
    assert(self && self->begun && !self->running);
    struct cpu_watch *outer = cpu_watch(self, &s->watch);
    s->entered_ns = base_clock_monotonic();
    s->pause_at = s->entered_ns + PAUSE_NS;
    bound_replay(s, s->entered_ns);
    bound_wall(s);
    atomic_store(&s->watch.look_every, s->on_pause && !s->clock_fixed ? PAUSE_TICKS : 0);
    struct machine_run *run = &s->run;
    struct usage before = {.slept_ns = run->slept_ns, .ticks = atomic_load(&s->watch.ticks)};
    run->told_cpu_ns = 0;
    s->stirred = false;
    machine_forget_judged(s);
    if (!run->brief) before.cpu_ns = cpu_clock();
    loop(s, self);
    cpu_watch(self, outer);
    int64_t wall_ns = base_clock_monotonic() - s->entered_ns;
    run->wall_ns += wall_ns;
    run->cpu_ns += run->brief ? estimate(s, &before, wall_ns)
                              : cpu_clock() - before.cpu_ns - run->told_cpu_ns;
    run->brief = wall_ns < BRIEF_NS;
    if (s->has_result) {
        s->result.wall_ns = (uint64_t)run->wall_ns;
        s->result.cpu_ns = run->cpu_ns;
    }
    return s->dead ? machine_dead(s, error) : PF_OK;
}
