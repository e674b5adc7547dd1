/*
 * process.c: the process table: birth and end.
 *
 * A slot goes K_EMBRYO -> K_READY/K_RUNNING/K_WAITING -> K_ZOMBIE -> (K_REAPED) -> free. It is free
 * again when its parent has waited for it *and* the host has dropped its instance, whichever comes
 * last. Children of a process that ends go to the kernel's own init (parent NULL, pid 1), which
 * waits for them at once.
 */
#include "kernel.h"

#define PID_FIRST 2
#define PID_MAX   4194304 /* as Linux; then from the start again */

static struct k_link all;  /* k_proc.all */
static struct k_link dead; /* k_proc.freed: slots to free after this call */
static uint32_t alive;     /* on `all` and not K_REAPED */
static uint32_t lowest;    /* no free index below */
static int32_t next_pid;
static bool wrapped;

static struct k_proc *slot_new(uint32_t index) {
    struct k_proc *proc = k_zalloc(sizeof *proc);
    if (!proc) return NULL;
    proc->index = index;
    proc->state = K_EMBRYO;
    proc->image = -1;
    proc->umask = 022;
    k_list_init(&proc->children);
    k_list_init(&proc->child_wait);
    k_list_init(&proc->ops);
    k_list_init(&proc->ops_wait);
    k_process_table[index] = proc;
    return proc;
}

int k_process_boot(void) {
    memset(k_process_table, 0, sizeof k_process_table);
    k_list_init(&all);
    k_list_init(&dead);
    alive = 0;
    lowest = 1;
    next_pid = PID_FIRST;
    wrapped = false;
    struct k_proc *host = slot_new(0);
    if (!host) return -PF_ENOMEM;
    host->root = true;
    host->state = K_RUNNING;
    host->umask = 0;
    host->cwd = k_inode_get(k_root());
    k_rlimits_init(host);
    for (int i = 0; i < K_RLIMITS; i++) host->rlimit[i] = (struct k_rlimit){-1, -1};
    memcpy(host->name, "host", 5);
    return 0;
}

struct k_proc *k_proc_at(uint32_t index) {
    return index < PF_PROCESS_TABLE ? k_process_table[index] : NULL;
}

struct k_proc *k_host(void) {
    return k_process_table[0];
}

struct k_link *k_procs(void) {
    return &all;
}

uint32_t k_proc_count(void) {
    return alive;
}

struct k_proc *k_proc_find(int32_t pid) {
    for (struct k_link *at = all.next; at != &all; at = at->next) {
        struct k_proc *proc = K_OUTER(at, struct k_proc, all);
        if (proc->pid == pid && proc->state != K_REAPED) return proc;
    }
    return NULL;
}

bool k_proc_alive(const struct k_proc *proc) {
    return proc->state < K_ZOMBIE;
}

/* A number that neither a process nor a group or session has. */
static int32_t pid_new(void) {
    for (;;) {
        int32_t pid = next_pid++;
        if (next_pid == PID_MAX) {
            next_pid = PID_FIRST;
            wrapped = true;
        }
        bool taken = false;
        if (wrapped) {
            for (struct k_link *at = all.next; at != &all && !taken; at = at->next) {
                struct k_proc *proc = K_OUTER(at, struct k_proc, all);
                taken = proc->pid == pid || proc->pgid == pid || proc->sid == pid;
            }
        }
        if (!taken) return pid;
    }
}

static int process_new(struct k_proc **out) {
    if (alive >= k_limits.processes) return -PF_EAGAIN;
    while (lowest < PF_PROCESS_TABLE && k_process_table[lowest]) lowest++;
    if (lowest == PF_PROCESS_TABLE) return -PF_EAGAIN;
    struct k_proc *proc = slot_new(lowest);
    if (!proc) return -PF_ENOMEM;
    proc->pid = pid_new();
    proc->started = k_monotonic();
    k_clock_observed();
    proc->last_run = k_run_number();
    k_list_append(&all, &proc->all);
    alive++;
    *out = proc;
    return 0;
}

/* Gives back everything that a process holds but its slot. */
static void release(struct k_proc *proc) {
    k_sched_leave(proc); /* first: it may wait for something that goes with its files */
    if (proc->opening) k_file_put(proc->opening);
    proc->opening = NULL;
    k_fds_close(proc, false);
    k_ops_close(proc);
    for (int i = 0; i < K_TIMERS; i++) k_timer_clear(proc, (enum k_timer)i);
    k_free(proc->more_waiters);
    proc->more_waiters = NULL;
    proc->more_count = 0;
    if (proc->cwd) k_inode_put(proc->cwd);
    if (proc->exe) k_inode_put(proc->exe);
    proc->cwd = proc->exe = NULL;
    k_start_put(proc->start);
    proc->start = NULL;
}

/* The slot becomes free when the call in progress is over: until then others may look at it. */
static void slot_free(struct k_proc *proc) {
    k_list_remove(&proc->freed);
    k_list_append(&dead, &proc->freed);
    k_unsettled = true;
}

void k_process_settle(void) {
    while (!k_list_empty(&dead)) {
        struct k_proc *proc = K_OUTER(dead.next, struct k_proc, freed);
        k_list_remove(&proc->freed);
        k_list_remove(&proc->all);
        k_process_table[proc->index] = NULL;
        if (proc->index < lowest) lowest = proc->index;
        k_free(proc);
    }
}

/* Its parent has waited for it, or no process will. */
void k_proc_reap(struct k_proc *proc) {
    k_list_remove(&proc->sibling);
    proc->parent = NULL;
    alive--;
    proc->state = K_REAPED;
    if (!proc->instance && !proc->embryo) slot_free(proc);
}

void k_proc_instance_freed(struct k_proc *proc) {
    proc->instance = proc->embryo = false;
    if (proc->state == K_REAPED) slot_free(proc);
}

int k_proc_spawn(struct k_proc **out) {
    struct k_proc *proc;
    int error = process_new(&proc);
    if (error) return error;
    proc->pgid = proc->sid = proc->pid;
    proc->cwd = k_inode_get(k_root());
    k_rlimits_init(proc);
    *out = proc;
    return 0;
}

int k_proc_fork(struct k_proc *from, struct k_proc **out) {
    int64_t most = from->rlimit[K_RLIMIT_NPROC].soft;
    if (most != -1 && alive >= (uint64_t)most) return -PF_EAGAIN;
    struct k_proc *proc;
    int error = process_new(&proc);
    if (error) return error;
    proc->parent = from;
    k_list_append(&from->children, &proc->sibling);
    proc->pgid = from->pgid;
    proc->sid = from->sid;
    proc->behind = from->behind;
    proc->mask = from->mask;
    proc->ignored = from->ignored;
    proc->caught = from->caught;
    proc->restart = from->restart;
    proc->umask = from->umask;
    memcpy(proc->name, from->name, sizeof proc->name);
    memcpy(proc->rlimit, from->rlimit, sizeof proc->rlimit);
    proc->cwd = k_inode_get(from->cwd);
    if (from->exe) proc->exe = k_inode_get(from->exe);
    if (from->start) {
        proc->start = from->start;
        proc->start->refs++;
    }
    proc->image = from->image;
    error = k_fds_copy(proc, from);
    if (error) {
        k_proc_discard(proc);
        return error;
    }
    *out = proc;
    return 0;
}

void k_proc_discard(struct k_proc *proc) {
    release(proc);
    proc->embryo = false;
    proc->state = K_ZOMBIE;
    k_proc_reap(proc);
}

void k_proc_news(struct k_proc *proc) {
    struct k_proc *parent = proc->parent;
    if (!parent) return;
    k_signal(parent, K_SIGCHLD);
    k_wake_all(&parent->child_wait);
}

/* The children of an ending process become init's, which waits for the dead ones. */
static void children_leave(struct k_proc *proc) {
    while (!k_list_empty(&proc->children)) {
        struct k_proc *child = K_OUTER(proc->children.next, struct k_proc, sibling);
        k_list_remove(&child->sibling);
        child->parent = NULL;
        if (child->state == K_ZOMBIE) k_proc_reap(child);
    }
}

void k_proc_end(struct k_proc *proc, int32_t status) {
    K_ASSERT(k_proc_alive(proc) && !proc->root);
    release(proc);
    proc->status = status;
    proc->state = K_ZOMBIE;
    proc->stopped = proc->report_stop = proc->report_cont = false;
    proc->pending = 0;
    k_group_left(proc);
    children_leave(proc);
    k_run_ended(proc);
    if (proc->instance) k_sched_free(proc);
    struct k_proc *parent = proc->parent;
    if (!parent) {
        k_proc_reap(proc);
    } else if (parent->ignored & K_SIGBIT(K_SIGCHLD)) {
        k_proc_reap(proc);
        k_wake_all(&parent->child_wait);
    } else {
        k_proc_news(proc);
    }
}

int64_t k_do_NAME(struct k_call *call) {
    struct k_proc *proc = call->proc;
    uint32_t len = call->msg->in_len;
    if (len > sizeof proc->name - 1) len = sizeof proc->name - 1;
    memset(proc->name, 0, sizeof proc->name);
    memcpy(proc->name, call->in, len);
    return 0;
}

int64_t k_do_EXIT(struct k_call *call) {
    k_proc_end(call->proc, (int32_t)(k_arg(call, 0) & 0xff) << 8);
    return K_GONE;
}

/* First try: the child is made and the host copies the instance. Both sides then fetch their
 * result with the same call again, before it gets here (dispatch.c). */
int64_t k_do_FORK(struct k_call *call) {
    if (!(call->msg->flags & PF_MSG_UNWIND)) return -PF_ENOSYS;
    struct k_proc *child;
    int error = k_proc_fork(call->proc, &child);
    if (error) return error;
    child->embryo = true;
    call->proc->state = K_FORKING;
    call->msg->arg[0] = child->index;
    return K_FORK;
}

int64_t k_do_HOST_FORK_DONE(struct k_call *call) {
    int64_t index = k_arg(call, 0), ok = k_arg(call, 1);
    struct k_proc *child = index > 0 && index < PF_PROCESS_TABLE ? k_process_table[index] : NULL;
    if (!child || !child->embryo) return -PF_ESRCH;
    struct k_proc *parent = child->parent;
    int32_t pid = child->pid;
    child->embryo = false;
    if (child->state != K_EMBRYO) { /* killed meanwhile */
        child->instance = ok;
        if (ok)
            k_sched_free(child);
        else if (child->state == K_REAPED)
            slot_free(child);
    } else if (ok) {
        child->instance = true;
        child->has_result = true;
        child->result = 0;
        k_ready(child, false);
    } else {
        k_proc_discard(child);
    }
    if (parent && parent->state == K_FORKING) {
        parent->has_result = true;
        parent->result = ok ? pid : -PF_ENOMEM;
        k_ready(parent, true);
    }
    return 0;
}

int64_t k_do_HOST_TRAP(struct k_call *call) {
    int64_t index = k_arg(call, 0), signal = k_arg(call, 1);
    struct k_proc *proc = index > 0 && index < PF_PROCESS_TABLE ? k_process_table[index] : NULL;
    if (signal < 1 || signal >= PF_SIGNALS) return -PF_EINVAL;
    if (!proc || !k_proc_alive(proc)) return -PF_ESRCH;
    k_proc_end(proc, (int32_t)signal);
    return 0;
}

int64_t k_do_HOST_PROCESS(struct k_call *call) {
    int64_t index = k_arg(call, 0);
    struct k_proc *proc = index > 0 && index < PF_PROCESS_TABLE ? k_process_table[index] : NULL;
    if (!proc || proc->state == K_REAPED) return -PF_ESRCH;
    struct pf_process_info info = {.pid = proc->pid, .pgid = proc->pgid};
    info.ppid = proc->parent ? proc->parent->pid : 1;
    info.state = proc->state == K_ZOMBIE                                ? 'Z'
                 : proc->stopped                                        ? 'T'
                 : proc->state == K_WAITING || proc->state == K_FORKING ? 'S'
                                                                        : 'R';
    uint32_t len = (uint32_t)strlen(proc->name);
    if (k_out_cap(call) < sizeof info + len) return -PF_EFAULT;
    uint8_t *to = k_out_area();
    memcpy(to, &info, sizeof info);
    memcpy(to + sizeof info, proc->name, len);
    k_out(call, to, (uint32_t)sizeof info + len);
    return 0;
}
