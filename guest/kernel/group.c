/*
 * group.c: process ids, groups and sessions.
 *
 * A group is orphaned when none of its members has a parent in another group of the same session:
 * no process could continue it, so terminal stop signals do not stop it.
 */
#include "kernel.h"

#define EACH_PROC(proc)                                                                            \
    for (struct k_link *at_ = k_procs()->next; at_ != k_procs(); at_ = at_->next)                  \
        for (struct k_proc *proc = K_OUTER(at_, struct k_proc, all); proc; proc = NULL)            \
            if (proc->state != K_REAPED)

bool k_group_exists(int32_t pgid, int32_t sid) {
    EACH_PROC(proc) {
        if (proc->pgid == pgid && (!sid || proc->sid == sid)) return true;
    }
    return false;
}

/* Does this process's parent keep its group from being orphaned? */
static bool anchored(const struct k_proc *proc) {
    const struct k_proc *parent = proc->parent;
    return parent && k_proc_alive(parent) && parent->sid == proc->sid && parent->pgid != proc->pgid;
}

bool k_group_orphaned(int32_t pgid) {
    EACH_PROC(proc) {
        if (proc->pgid == pgid && k_proc_alive(proc) && anchored(proc)) return false;
    }
    return true;
}

static bool in_group(const struct k_proc *proc, int64_t pgid) {
    return proc->pgid == pgid;
}

int k_signal_group(int32_t pgid, int signal) {
    return k_signal_some(in_group, pgid, signal);
}

/* Groups that lost an anchor in this call. The consequences follow when the call is over, because
 * they may end further processes. */
static uint32_t loser_count;

static void lost_anchor(int32_t pgid) {
    K_ASSERT(pgid > 0);
    for (uint32_t i = 0; i < loser_count; i++)
        if (k_group_losers[i] == pgid) return;
    if (loser_count == K_COUNT(k_group_losers)) return;
    k_group_losers[loser_count++] = pgid;
    k_unsettled = true;
}

/* `ending` is a zombie already, its children are still its own. */
void k_group_left(struct k_proc *ending) {
    if (ending->parent && ending->parent->sid == ending->sid &&
        ending->parent->pgid != ending->pgid)
        lost_anchor(ending->pgid);
    for (struct k_link *at = ending->children.next; at != &ending->children; at = at->next) {
        struct k_proc *child = K_OUTER(at, struct k_proc, sibling);
        if (child->sid == ending->sid && child->pgid != ending->pgid) lost_anchor(child->pgid);
    }
}

/* Members of a newly orphaned group that are stopped would never go on: POSIX hangs them up. */
void k_group_settle(void) {
    while (loser_count) {
        int32_t pgid = k_group_losers[--loser_count];
        bool stopped = false;
        EACH_PROC(proc) {
            if (proc->pgid == pgid && proc->stopped) stopped = true;
        }
        if (!stopped || !k_group_orphaned(pgid)) continue;
        k_signal_group(pgid, K_SIGHUP);
        k_signal_group(pgid, K_SIGCONT);
    }
}

int64_t k_do_GETPID(struct k_call *call) {
    struct k_proc *proc = call->proc;
    int64_t what = k_arg(call, 0), pid = k_arg(call, 1);
    if ((what == 2 || what == 3) && pid != 0 && pid != proc->pid) {
        proc = pid > 0 && pid <= INT32_MAX ? k_proc_find((int32_t)pid) : NULL;
        if (!proc) return -PF_ESRCH;
    }
    switch (what) {
    case 0: return proc->pid;
    case 1: return proc->parent ? proc->parent->pid : 1;
    case 2: return proc->pgid;
    case 3: return proc->sid;
    case 4:
    case 5: return proc->root ? 0 : (int64_t)K_UID;
    default: return -PF_EINVAL;
    }
}

int64_t k_do_SETPGID(struct k_call *call) {
    struct k_proc *self = call->proc, *proc = self;
    int64_t pid = k_arg(call, 0), pgid = k_arg(call, 1);
    if (pgid < 0 || pgid > INT32_MAX) return -PF_EINVAL;
    if (pid != 0 && pid != self->pid) {
        proc = pid > 0 && pid <= INT32_MAX ? k_proc_find((int32_t)pid) : NULL;
        if (!proc || proc->parent != self) return -PF_ESRCH;
        if (proc->sid != self->sid) return -PF_EPERM;
        if (proc->execed) return -PF_EACCES;
    }
    if (proc->sid == proc->pid) return -PF_EPERM;
    if (pgid == 0) pgid = proc->pid;
    if (pgid != proc->pid && !k_group_exists((int32_t)pgid, proc->sid)) return -PF_EPERM;
    proc->pgid = (int32_t)pgid;
    return 0;
}

int64_t k_do_SETSID(struct k_call *call) {
    struct k_proc *proc = call->proc;
    if (k_group_exists(proc->pid, 0)) return -PF_EPERM;
    proc->pgid = proc->sid = proc->pid;
    proc->behind = true;
    return proc->sid;
}
