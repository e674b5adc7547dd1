/*
 * spawn.c: SPAWN: a new process that runs another program, in one call (posix_spawn).
 *
 * The child is made as by fork, changed as its actions say, and loaded with the program (exec.c).
 * It becomes runnable only when all of that has worked; any error is the caller's, and no child
 * stays.
 */
#include "kernel.h"

/* The path that an action names; NULL: not in the message. */
static const char *action_path(const struct k_exec *exec, uint32_t offset, uint32_t *len) {
    if (offset >= exec->base_len) return NULL;
    const char *path = (const char *)exec->base + offset;
    const char *nul = memchr(path, 0, exec->base_len - offset);
    if (nul) *len = (uint32_t)(nul - path);
    return nul ? path : NULL;
}

static int action_open(struct k_proc *child, const struct k_exec *exec,
                       const struct pf_spawn_action *action) {
    uint32_t len;
    const char *path = action_path(exec, action->path_offset, &len);
    if (!path) return -PF_EINVAL;
    struct k_file *file;
    int error = k_open(child, PF_AT_FDCWD, path, len, (uint32_t)action->flags, action->mode, &file);
    if (error) return error;
    /* A child that is being made cannot wait for the other end of a FIFO. */
    error = k_pipe_open_ready(file)
                ? k_fd_set(child, file, action->fd, (action->flags & PF_O_CLOEXEC) != 0)
                : -PF_EAGAIN;
    if (error) k_file_put(file);
    return error;
}

static int action_chdir(struct k_proc *child, const struct k_exec *exec,
                        const struct pf_spawn_action *action) {
    uint32_t len;
    const char *path = action_path(exec, action->path_offset, &len);
    if (!path) return -PF_EINVAL;
    struct k_inode *dir;
    int error = k_find(child, PF_AT_FDCWD, path, len, K_WALK_FOLLOW, &dir);
    if (error) return error;
    if (k_type(dir) != K_IFDIR)
        error = -PF_ENOTDIR;
    else if (!k_may(child, dir, K_MAY_X))
        error = -PF_EACCES;
    if (error) {
        k_inode_put(dir);
        return error;
    }
    k_inode_put(child->cwd);
    child->cwd = dir;
    return 0;
}

static int action_dup2(struct k_proc *child, const struct pf_spawn_action *action) {
    struct k_file *file = k_fd(child, action->fd2);
    if (!file) return -PF_EBADF;
    if (action->fd == action->fd2) { /* posix_spawn: it stays open over exec */
        child->fds[action->fd].cloexec = false;
        return 0;
    }
    k_file_get(file);
    int error = k_fd_set(child, file, action->fd, false);
    if (error) k_file_put(file);
    return error;
}

int k_exec_actions(struct k_proc *child, const struct k_exec *exec) {
    for (uint32_t i = 0; i < exec->head.action_count; i++) {
        struct pf_spawn_action action;
        memcpy(&action, exec->base + exec->head.actions_offset + i * sizeof action, sizeof action);
        int error = 0;
        if (action.kind != PF_SPAWN_CHDIR && (action.fd < 0 || action.fd >= (int)PF_OPEN_MAX))
            return -PF_EBADF;
        switch (action.kind) {
        case PF_SPAWN_OPEN: error = action_open(child, exec, &action); break;
        case PF_SPAWN_CLOSE: k_fd_close(child, action.fd); break; /* not open: no matter */
        case PF_SPAWN_DUP2: error = action_dup2(child, &action); break;
        case PF_SPAWN_CHDIR: error = action_chdir(child, exec, &action); break;
        default: error = -PF_EINVAL;
        }
        if (error) return error;
    }
    return 0;
}

static int set_attributes(struct k_proc *child, const struct pf_exec *head) {
    if (head->flags & PF_SPAWN_SETSID) {
        child->sid = child->pgid = child->pid;
        child->behind = true;
    }
    if (head->flags & PF_SPAWN_SETPGROUP) {
        int32_t pgid = head->pgid ? head->pgid : child->pid;
        if (pgid < 0) return -PF_EINVAL;
        if (pgid != child->pid && !k_group_exists(pgid, child->sid)) return -PF_EPERM;
        child->pgid = pgid;
    }
    if (head->flags & PF_SPAWN_SETSIGDEF) child->ignored &= ~head->sigdefault;
    if (head->flags & PF_SPAWN_SETSIGMASK) k_signal_set_mask(child, head->sigmask);
    return 0;
}

static int fetch(struct k_proc *proc, const char *path, uint32_t len) {
    struct k_inode *inode;
    int error = k_find(proc, PF_AT_FDCWD, path, len, K_WALK_FOLLOW, &inode);
    if (error) return error;
    if (inode->kind == K_FILE) error = k_want(inode);
    k_inode_put(inode);
    return error;
}

/* Actions make files, and must not be done twice: so what is still with the host comes first. Other
 * errors show when it is done. */
static int fetch_all(struct k_proc *proc, const struct k_exec *exec) {
    int error = fetch(proc, exec->path, exec->path_len);
    for (uint32_t i = 0; i < exec->head.action_count && error != K_WANT; i++) {
        struct pf_spawn_action action;
        uint32_t len;
        memcpy(&action, exec->base + exec->head.actions_offset + i * sizeof action, sizeof action);
        if (action.kind != PF_SPAWN_OPEN || action.flags & PF_O_TRUNC) continue;
        const char *path = action_path(exec, action.path_offset, &len);
        if (path) error = fetch(proc, path, len);
    }
    return error == K_WANT ? error : 0;
}

int64_t k_do_SPAWN(struct k_call *call) {
    struct k_exec exec;
    int error = k_exec_decode(call->in, call->msg->in_len, true, &exec);
    if (!error) error = fetch_all(call->proc, &exec);
    if (error) return error;
    struct k_proc *child;
    error = k_proc_fork(call->proc, &child);
    if (error) return error;
    error = k_exec_actions(child, &exec);
    if (!error) error = set_attributes(child, &exec.head);
    if (!error) error = k_exec_load(child, &exec);
    if (error) {
        k_proc_discard(child);
        return error;
    }
    if (exec.head.flags & PF_SPAWN_FOREGROUND) k_run_foreground(child->pgid);
    k_ready(child, false);
    return child->pid;
}
