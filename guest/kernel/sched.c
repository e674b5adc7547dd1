/*
 * sched.c: decides which process runs; keeps those that wait. Called by everything that waits or
 * wakes; k_next() by the host.
 *
 * One run queue, first in, first out. A slice is counted in calls (and in the steps that a process
 * reports with YIELD), never in time, so the order of everything follows from the inputs alone.
 *
 * A process that waits is linked into the queues of what it waits for. Waking takes it off all of
 * them and puts it at the tail of the run queue; its call is then tried again and may wait again.
 *
 * A daemon (k_proc.behind) computes for as long as it likes and keeps nobody waiting. When all else
 * waits for the host, because the run's foreground has ended or a tool is to answer, daemons have a
 * number of calls left; then the sandbox rests, and they go on when the host does.
 */
#include "kernel.h"

#define STEPS_PER_CALL 64 /* steps of an interpreter loop that count as one call */

static struct k_link run_queue;  /* k_proc.run: K_READY and not stopped */
static struct k_link free_queue; /* k_proc.freed */
static struct k_proc *current;   /* K_RUNNING, or NULL */
static uint32_t slice_used;
static uint32_t behind_left;  /* calls that daemons may make while all else waits for the host */
static bool behind_counts;    /* the slice that is on is taken from these */
static uint64_t behind_moved; /* bytes that its calls may have moved */

void k_sched_boot(void) {
    k_list_init(&run_queue);
    k_list_init(&free_queue);
    current = NULL;
    slice_used = behind_left = 0;
    behind_moved = 0;
    behind_counts = false;
}

void k_sched_behind(uint32_t calls) {
    if (behind_left < calls) behind_left = calls;
}

struct k_proc *k_current(void) {
    return current;
}

void k_ready(struct k_proc *proc, bool first) {
    if (current == proc) current = NULL;
    proc->state = K_READY;
    if (proc->stopped || k_linked(&proc->run)) return;
    if (first)
        k_list_prepend(&run_queue, &proc->run);
    else
        k_list_append(&run_queue, &proc->run);
}

void k_wait_over(struct k_proc *proc) {
    for (uint32_t i = 0; i < K_WAITERS; i++) k_list_remove(&proc->waiters[i].link);
    for (uint32_t i = 0; i < proc->more_count; i++) k_list_remove(&proc->more_waiters[i].link);
}

void k_wake(struct k_proc *proc) {
    if (proc->state != K_WAITING) return;
    k_wait_over(proc);
    k_ready(proc, false);
}

void k_wake_all(struct k_link *queue) {
    while (!k_list_empty(queue)) {
        struct k_proc *proc = K_OUTER(queue->next, struct k_waiter, link)->proc;
        if (proc->state == K_WAITING)
            k_wake(proc);
        else
            k_wait_over(proc); /* its call has gone on without this queue */
    }
}

int64_t k_wait(struct k_call *call, struct k_link *queue, bool restart) {
    struct k_proc *proc = call->proc;
    if (proc->root) return -PF_EAGAIN;
    int64_t interrupted = k_interrupted(proc);
    if (interrupted) {
        k_wait_over(proc);
        return restart ? interrupted : -PF_EINTR;
    }
    if (queue) {
        proc->waiters[0].proc = proc;
        k_list_remove(&proc->waiters[0].link);
        k_list_append(queue, &proc->waiters[0].link);
    }
    return K_BLOCK;
}

int k_wait_also(struct k_proc *proc, uint32_t slot, struct k_link *queue) {
    struct k_waiter *waiter;
    if (slot < K_WAITERS) {
        waiter = &proc->waiters[slot];
    } else {
        slot -= K_WAITERS;
        if (slot >= proc->more_count) {
            uint32_t want = proc->more_count ? proc->more_count * 2 : 16;
            K_ASSERT(slot < want);
            struct k_waiter *more = k_zalloc(want * sizeof *more);
            if (!more) return -PF_ENOMEM;
            for (uint32_t i = 0; i < proc->more_count; i++) { /* move them in their queues */
                more[i].proc = proc;
                if (!k_linked(&proc->more_waiters[i].link)) continue;
                k_list_insert(proc->more_waiters[i].link.next, &more[i].link);
                k_list_remove(&proc->more_waiters[i].link);
            }
            k_free(proc->more_waiters);
            proc->more_waiters = more;
            proc->more_count = want;
        }
        waiter = &proc->more_waiters[slot];
    }
    waiter->proc = proc;
    k_list_remove(&waiter->link);
    k_list_append(queue, &waiter->link);
    return 0;
}

void k_sched_leave(struct k_proc *proc) {
    if (current == proc) current = NULL;
    k_list_remove(&proc->run);
    k_wait_over(proc);
}

void k_sched_stop(struct k_proc *proc) {
    proc->stopped = true;
    k_list_remove(&proc->run);
    if (proc->state == K_RUNNING && current != proc) k_ready(proc, false);
}

void k_sched_continue(struct k_proc *proc) {
    proc->stopped = false;
    if (proc->state == K_READY) k_ready(proc, false);
}

/* The caller's message was answered with PF_ACTION_BLOCK. */
void k_sched_blocked(struct k_proc *proc, bool unwound) {
    proc->parked = !unwound;
    if (current == proc) current = NULL;
    if (proc->state == K_RUNNING) proc->state = K_WAITING;
}

void k_slice_charge(uint32_t units) {
    slice_used += units;
}

/* What the slice of a daemon costs so far. */
static uint64_t behind_spent(void) {
    return slice_used + K_BEHIND_TURN + behind_moved / K_BEHIND_BYTES;
}

/*
 * Is it time for others? A caller whose stack can be unwound goes back to the host at the end of
 * every slice, also when it is alone: there time moves and limits strike. One that would be parked
 * goes only when somebody else has something to do, or the host asks for it.
 */
bool k_slice_over(const struct pf_message *msg) {
    if (behind_counts) {
        behind_moved += msg->in_len + msg->out_cap;
        if (behind_spent() >= behind_left) slice_used = K_SLICE_CALLS;
    }
    if (++slice_used <= K_SLICE_CALLS && !k_mailbox.preempt) return false;
    if (k_mailbox.preempt || msg->flags & PF_MSG_UNWIND) return true;
    return msg->call == PF_CALL_YIELD &&
           (!k_list_empty(&run_queue) || !k_list_empty(&free_queue) || k_timer_first() != K_NEVER);
}

void k_sched_free(struct k_proc *proc) {
    if (!k_linked(&proc->freed)) k_list_append(&free_queue, &proc->freed);
}

static bool next_free(struct pf_event *event) {
    if (k_list_empty(&free_queue)) return false;
    struct k_proc *proc = K_OUTER(free_queue.next, struct k_proc, freed);
    K_ASSERT(proc->index > 0 && proc->index < PF_PROCESS_TABLE);
    k_list_remove(&proc->freed);
    event->kind = PF_EVENT_FREE;
    event->proc = proc->index;
    event->pid = proc->pid;
    k_proc_instance_freed(proc);
    return true;
}

/* The slice is over. It costs something even if it had no call, so that the sandbox comes to rest.
 */
static void charge_behind(void) {
    uint64_t cost = behind_spent();
    if (behind_counts) behind_left = behind_left > cost ? behind_left - (uint32_t)cost : 0;
    behind_counts = false;
    behind_moved = 0;
}

/* Who is first on the run queue and may run; NULL: nobody. */
static struct k_proc *next_ready(void) {
    bool host_waits = k_run_done() || k_ops_unanswered();
    for (struct k_link *at = run_queue.next; at != &run_queue; at = at->next) {
        struct k_proc *proc = K_OUTER(at, struct k_proc, run);
        if (proc->behind && host_waits && !behind_left) continue;
        behind_counts = proc->behind && host_waits;
        return proc;
    }
    return NULL;
}

static void run(struct k_proc *proc, struct pf_event *event) {
    k_list_remove(&proc->run);
    K_ASSERT(proc->state == K_READY && !proc->stopped);
    K_ASSERT(!current && k_list_empty(&free_queue)); /* k_next() looks at these first */
    K_ASSERT(proc->index > 0 && proc->index < PF_PROCESS_TABLE);
    proc->state = K_RUNNING;
    proc->parked = false;
    proc->last_run = k_run_number();
    current = proc;
    slice_used = 0;
    event->kind = proc->load ? PF_EVENT_LOAD : PF_EVENT_RUN;
    event->proc = proc->index;
    event->pid = proc->pid;
    if (proc->load) {
        event->image = proc->image;
        proc->load = false;
        proc->instance = true;
    }
}

void k_next(struct pf_event *event) {
    *event = (struct pf_event){.deadline_ns = K_NEVER, .image = -1};
    k_mailbox.preempt = 0;
    if (current) k_ready(current, true); /* the host left it in the middle of its slice */
    k_timer_expire(k_monotonic());
    charge_behind();
    struct k_proc *proc = NULL;
    if (next_free(event)) {
        /* that is all */
    } else if ((proc = next_ready())) {
        run(proc, event);
    } else {
        event->kind = PF_EVENT_IDLE;
        event->deadline_ns = k_timer_first();
    }
    if (k_unsettled) k_settle();
}

int64_t k_do_YIELD(struct k_call *call) {
    int64_t steps = k_arg(call, 0);
    if (steps < 0) return -PF_EINVAL;
    if (steps > 1000000) steps = 1000000;
    call->proc->steps += (uint64_t)steps;
    k_slice_charge((uint32_t)(steps / STEPS_PER_CALL));
    return 0;
}
