/*
 * dispatch.c: the way in. k_call() takes one message, finds its handler and says what becomes of
 * the caller. Calls that wait, fork or end their caller are told from results by K_BLOCK, K_FORK,
 * K_GONE.
 */
#include "kernel.h"

_Static_assert(offsetof(struct k_proc, has_result) == offsetof(struct k_proc, life) + 3, "all");
_Static_assert(K_WANT == -4096 && K_GONE < K_WANT && K_FORK < K_WANT && K_BLOCK < K_WANT,
               "below all errors");

bool k_unsettled;

static uint64_t handled;

uint8_t *k_out_area(void) {
    return k_dispatch_out;
}

uint64_t k_calls_handled(void) {
    return handled;
}

void k_out(struct k_call *call, const void *at, uint32_t len) {
    K_ASSERT(len <= call->msg->out_cap);
    call->out = at;
    call->msg->out_len = len;
}

int k_out_struct(struct k_call *call, const void *from, uint32_t size) {
    if (call->msg->out_cap < size) return -PF_EFAULT;
    memcpy(k_dispatch_out, from, size);
    k_out(call, k_dispatch_out, size);
    return 0;
}

uint32_t k_out_cap(const struct k_call *call) {
    return call->msg->out_cap < PF_IO_MAX ? call->msg->out_cap : PF_IO_MAX;
}

/* A table, not a switch: one function with all handlers in it would save registers for the largest
 * of them. */
typedef int64_t handler(struct k_call *call);
static handler *const handlers[] = {
#define X(number, name, input, output, args, meaning) [number] = k_do_##name,
#include "abi/call.def"
#undef X
};

static int64_t handle(struct k_call *call) {
    uint32_t number = call->msg->call;
    if (number >= sizeof handlers / sizeof handlers[0] || !handlers[number]) return -PF_ENOSYS;
    return handlers[number](call);
}

#define FIRST_PROCESS_CALL 64 /* below: files, for everybody */
#define FIRST_HOST_CALL    256

void k_settle(void) {
    while (k_unsettled) {
        k_unsettled = false;
        k_group_settle();
        k_process_settle();
    }
}

static uint32_t answer(struct k_call *call, int64_t result) {
    struct k_proc *proc = call->proc;
    struct pf_message *msg = call->msg;
    if (msg->call < PF_CALL_HOST_WANTED) proc->fill_error = 0;
    if (proc->has_deadline) {
        proc->has_deadline = false;
        k_timer_clear(proc, K_TIMER_WAIT);
    }
    msg->result = result;
    if (proc->pending && k_signal_pending(proc)) msg->flags |= PF_MSG_SIGNAL;
    return PF_ACTION_RETURN;
}

static uint32_t block(struct k_call *call) {
    k_sched_blocked(call->proc, call->msg->flags & PF_MSG_UNWIND);
    return PF_ACTION_BLOCK;
}

/* It was stopped in this call: it gets the result when it goes on. Only calls without output (kill,
 * sigaction, sigmask) can stop their caller. */
static uint32_t keep_result(struct k_call *call, int64_t result) {
    struct k_proc *proc = call->proc;
    proc->has_result = true;
    proc->result = result;
    proc->state = K_READY;
    call->msg->out_len = 0;
    return block(call);
}

/* What a handler says that is no answer, and answers for who is stopped or has a deadline. */
static uint32_t settle_result(struct k_call *call, int64_t result) {
    struct k_proc *proc = call->proc;
    if (result == K_BLOCK) return block(call);
    if (result == K_WANT) { /* the host sees to it before it asks who runs next */
        k_ready(proc, true);
        return block(call);
    }
    if (result == K_FORK) {
        k_sched_blocked(proc, true);
        return PF_ACTION_FORK;
    }
    if (result == K_GONE) return PF_ACTION_GONE;
    if (proc->stopped) return keep_result(call, result);
    return answer(call, result);
}

static uint32_t process_call(struct k_call *call) {
    struct k_proc *proc = call->proc;
    struct pf_message *msg = call->msg;
    bool usual = proc->life == K_RUNNING;
    if (!usual && proc->state != K_RUNNING) {
        msg->result = -PF_ESRCH;
        return k_proc_alive(proc) ? PF_ACTION_RETURN : PF_ACTION_GONE;
    }
    if ((!usual && proc->stopped) || k_slice_over(msg)) {
        k_ready(proc, false);
        return block(call);
    }
    if (!usual && proc->has_result) {
        proc->has_result = false;
        return answer(call, proc->result);
    }
    proc->calls++;
    if (msg->call >= FIRST_HOST_CALL) return answer(call, -PF_EPERM);
    k_mount_calling(proc);
    int64_t result = handle(call);
    /* No error is below the four that are no answer. */
    if (result <= K_WANT || proc->life != K_RUNNING || proc->pending)
        return settle_result(call, result);
    proc->fill_error = 0;
    msg->result = result;
    return PF_ACTION_RETURN;
}

static uint32_t host_call(struct k_call *call) {
    uint32_t number = call->msg->call;
    bool allowed = number < FIRST_PROCESS_CALL || number >= FIRST_HOST_CALL;
    if (number < PF_CALL_HOST_WANTED) k_mount_calling(call->proc);
    int64_t result = allowed ? handle(call) : -PF_EPERM;
    if (call->proc->opening) { /* the host does not wait */
        k_file_put(call->proc->opening);
        call->proc->opening = NULL;
    }
    if (result == K_WANT) return PF_ACTION_BLOCK;
    K_ASSERT(result != K_BLOCK && result != K_FORK && result != K_GONE);
    return answer(call, result);
}

/* One at a time: its place is known when this is compiled. */
static struct k_call call;

uint32_t k_call(uint32_t index, struct pf_message *msg, const uint8_t *in) {
    call.proc = k_proc_at(index);
    call.msg = msg;
    call.in = in;
    call.out = k_dispatch_out;
    handled += index != 0; /* the host's own say nothing about the sandbox */
    msg->flags &= PF_MSG_UNWIND;
    msg->out_len = 0;
    uint32_t action = PF_ACTION_RETURN;
    if (!call.proc)
        msg->result = -PF_ESRCH;
    else if (msg->in_len > PF_MESSAGE_IN_MAX)
        msg->result = -PF_E2BIG;
    else
        action = index ? process_call(&call) : host_call(&call);
    if (k_unsettled) k_settle();
    call.proc = NULL; /* who called last is no part of a sandbox: equal ones have equal memories */
    return action;
}

const uint8_t *k_answered(void) {
    const uint8_t *out = call.out;
    call.out = NULL;
    return out;
}

int k_boot(const uint8_t *image_names, uint32_t len) {
    handled = 0;
    k_unsettled = false;
    k_alloc_boot();
    k_data_boot();
    k_limit_boot();
    k_clock_boot();
    k_random_boot();
    k_timer_boot();
    k_sched_boot();
    k_op_boot();
    k_inode_boot();
    k_lock_boot();
    k_mount_boot();
    k_tree_boot();
    int error = k_exec_boot(image_names, len);
    if (!error) error = k_walk_boot();
    if (!error) error = k_process_boot();
    if (!error) error = k_devfs_boot();
    if (!error) error = k_procfs_boot();
    if (!error) error = k_run_boot();
    return error;
}

int64_t k_do_HOST_STATS(struct k_call *call) {
    struct pf_kernel_stats stats = {
        .heap_bytes = k_alloc_used(),
        .filesystem_bytes = k_data_charged(),
        .files = k_inode_count(),
        .processes = k_proc_count(),
        .calls = handled,
    };
    if (call->msg->out_cap < sizeof stats) return -PF_EFAULT;
    void *start;
    size_t len;
    if (k_alloc_trim(&start, &len)) {
        stats.trim_offset = (uint64_t)(uintptr_t)start;
        stats.trim_len = len;
    }
    return k_out_struct(call, &stats, sizeof stats);
}
