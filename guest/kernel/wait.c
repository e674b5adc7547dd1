/*
 * wait.c: waiting for children, and what processes have used.
 */
#include "kernel.h"

/* Counted work as time: what a call and an interpreter step cost here, roughly. */
#define CALL_NS 100
#define STEP_NS 20

static struct pf_rusage usage(uint64_t calls, uint64_t steps) {
    return (struct pf_rusage){.user_ns = (int64_t)(steps * STEP_NS),
                              .system_ns = (int64_t)(calls * CALL_NS)};
}

void k_proc_usage(const struct k_proc *proc, struct pf_rusage *own, struct pf_rusage *children) {
    *own = usage(proc->calls, proc->steps);
    *children = usage(proc->child_calls, proc->child_steps);
}

int64_t k_do_TIMES(struct k_call *call) {
    struct pf_rusage both[2];
    k_proc_usage(call->proc, &both[0], &both[1]);
    return k_out_struct(call, both, sizeof both);
}

#define WNOHANG    1
#define WUNTRACED  2
#define WCONTINUED 8
#define NOT_ENDED  0x100     /* of waitid(): without WEXITED */
#define WNOWAIT    0x1000000 /* of waitid(): what is told is told again */
#define OPTIONS    (WNOHANG | WUNTRACED | WCONTINUED | NOT_ENDED | WNOWAIT)

static bool wanted(const struct k_proc *waiter, const struct k_proc *child, int64_t pid) {
    if (pid > 0) return child->pid == pid;
    if (pid == -1) return true;
    return child->pgid == (pid == 0 ? waiter->pgid : -pid);
}

static int64_t wait_answer(struct k_call *call, const struct k_proc *child, int32_t status) {
    struct pf_wait answer = {.pid = child->pid, .status = status};
    answer.usage = usage(child->calls + child->child_calls, child->steps + child->child_steps);
    if (call->msg->out_cap) k_out_struct(call, &answer, sizeof answer);
    return child->pid;
}

int64_t k_do_WAIT(struct k_call *call) {
    struct k_proc *proc = call->proc;
    int64_t pid = k_arg(call, 0), options = k_arg(call, 1);
    if (options & ~(int64_t)OPTIONS) return -PF_EINVAL;
    if (pid < -INT32_MAX || pid > INT32_MAX) return -PF_ECHILD;
    if (call->msg->out_cap && call->msg->out_cap < sizeof(struct pf_wait)) return -PF_EFAULT;
    bool any = false, again = options & WNOWAIT;
    for (struct k_link *at = proc->children.next; at != &proc->children; at = at->next) {
        struct k_proc *child = K_OUTER(at, struct k_proc, sibling);
        if (!wanted(proc, child, pid)) continue;
        if (child->state == K_ZOMBIE && options & NOT_ENDED) continue;
        any = true;
        if (child->state == K_ZOMBIE) {
            int64_t result = wait_answer(call, child, child->status);
            if (again) return result;
            proc->child_calls += child->calls + child->child_calls;
            proc->child_steps += child->steps + child->child_steps;
            k_proc_reap(child);
            return result;
        }
        if (child->report_stop && (options & WUNTRACED)) {
            child->report_stop = again;
            return wait_answer(call, child, child->stop_signal << 8 | 0x7f);
        }
        if (child->report_cont && (options & WCONTINUED)) {
            child->report_cont = again;
            return wait_answer(call, child, 0xffff);
        }
    }
    if (!any) return -PF_ECHILD;
    if (options & WNOHANG) return 0;
    return k_wait(call, &proc->child_wait, true);
}
