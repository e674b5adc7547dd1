/*
 * limit.c: the embedder's limits of the whole sandbox, and the resource limits of each process.
 *
 * The embedder's limits come with HOST_CONFIGURE; UINT64_MAX means the hard bound. RLIMIT keeps all
 * sixteen of Linux's resources; open files, processes and file size are enforced where they arise.
 */
#include "kernel.h"

struct pf_kernel_limits k_limits;

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static void set(const struct pf_kernel_limits *wanted) {
    k_limits.filesystem_bytes = least(wanted->filesystem_bytes, 1ull << 40);
    k_limits.files = least(wanted->files, PF_FILES_MAX);
    k_limits.processes = least(wanted->processes, PF_PROCESS_TABLE - 1);
    k_limits.open_files = least(wanted->open_files, PF_OPEN_MAX);
    k_limits.op_argument_bytes = least(wanted->op_argument_bytes, PF_MESSAGE_IN_MAX);
    k_limits.op_result_bytes = least(wanted->op_result_bytes, 1ull << 30);
    k_limits.file_reserve = wanted->file_reserve;
}

void k_limit_boot(void) {
    struct pf_kernel_limits defaults = {
        .filesystem_bytes = 256ull << 20,
        .files = 100000,
        .processes = 128,
        .open_files = 256,
        .op_argument_bytes = 1 << 20,
        .op_result_bytes = 10 << 20,
    };
    set(&defaults);
}

void k_rlimits_init(struct k_proc *proc) {
    for (int i = 0; i < K_RLIMITS; i++) proc->rlimit[i] = (struct k_rlimit){-1, -1};
    int64_t files = (int64_t)k_limits.open_files;
    proc->rlimit[K_RLIMIT_NOFILE] = (struct k_rlimit){files, files};
    int64_t processes = (int64_t)k_limits.processes;
    proc->rlimit[K_RLIMIT_NPROC] = (struct k_rlimit){processes, processes};
    proc->rlimit[3] = (struct k_rlimit){8 << 20, -1}; /* RLIMIT_STACK, as on Linux */
    proc->rlimit[4] = (struct k_rlimit){0, -1};       /* RLIMIT_CORE: there are no core files */
}

/* A process that still has the embedder's limit gets the new one. */
static void follow(struct k_rlimit *limit, uint64_t old, uint64_t now) {
    if (limit->soft == (int64_t)old && limit->hard == (int64_t)old)
        *limit = (struct k_rlimit){(int64_t)now, (int64_t)now};
}

int64_t k_do_HOST_CONFIGURE(struct k_call *call) {
    struct pf_kernel_limits wanted;
    if (call->msg->in_len != sizeof wanted) return -PF_EINVAL;
    memcpy(&wanted, call->in, sizeof wanted);
    struct pf_kernel_limits old = k_limits;
    set(&wanted);
    for (struct k_link *at = k_procs()->next; at != k_procs(); at = at->next) {
        struct k_proc *proc = K_OUTER(at, struct k_proc, all);
        follow(&proc->rlimit[K_RLIMIT_NOFILE], old.open_files, k_limits.open_files);
        follow(&proc->rlimit[K_RLIMIT_NPROC], old.processes, k_limits.processes);
    }
    return 0;
}

/* -1 is no limit, the largest of all. */
static bool above(int64_t a, int64_t b) {
    return b != -1 && (a == -1 || a > b);
}

int64_t k_do_RLIMIT(struct k_call *call) {
    int64_t resource = k_arg(call, 0), soft = k_arg(call, 1), hard = k_arg(call, 2);
    if (resource < 0 || resource >= K_RLIMITS) return -PF_EINVAL;
    struct k_rlimit *limit = &call->proc->rlimit[resource];
    int64_t old[2] = {limit->soft, limit->hard};
    if (call->msg->out_cap) {
        int error = k_out_struct(call, old, sizeof old);
        if (error) return error;
    }
    if (soft == -2) return 0;
    if (soft < -1 || hard < -1 || above(soft, hard)) return -PF_EINVAL;
    if (above(hard, limit->hard) && !call->proc->root) return -PF_EPERM;
    *limit = (struct k_rlimit){soft, hard};
    return 0;
}
