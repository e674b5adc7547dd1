/*
 * file.c: open files, and the descriptors of a process that refer to them.
 *
 * An open file (POSIX: open file description) is shared by descriptors, over dup and fork. The
 * table of descriptors grows as needed; fd_hint makes finding the lowest free one cheap.
 */
#include "kernel.h"

#define FDS_MIN 16u

int k_file_new(struct k_inode *inode, uint32_t flags, struct k_file **out) {
    K_ASSERT(inode->refs > 0 || inode->nlink > 0);
    struct k_file *file = k_zalloc(sizeof *file);
    if (!file) return -PF_ENOMEM;
    file->refs = 1;
    file->flags = flags & (PF_O_ACCMODE | PF_O_APPEND | PF_O_NONBLOCK | PF_O_PATH);
    file->inode = k_inode_get(inode);
    if ((inode->kind == K_PIPE || inode->kind == K_STREAM) && !(flags & PF_O_PATH)) {
        int error = k_pipe_opened(file);
        if (error) {
            k_inode_put(inode);
            k_free(file);
            return error;
        }
    }
    *out = file;
    return 0;
}

void k_file_put(struct k_file *file) {
    K_ASSERT(file->refs > 0);
    if (--file->refs) return;
    struct k_inode *inode = file->inode;
    k_lock_file_gone(file);
    if ((inode->kind == K_PIPE || inode->kind == K_STREAM) && !(file->flags & PF_O_PATH))
        k_pipe_closed(file);
    k_inode_put(inode);
    k_free(file);
}

struct k_file *k_fd(const struct k_proc *proc, int64_t fd) {
    return (uint64_t)fd < proc->fd_cap ? proc->fds[fd].file : NULL;
}

static int fds_grow(struct k_proc *proc, uint32_t need) {
    K_ASSERT(need <= PF_OPEN_MAX);
    if (need <= proc->fd_cap) return 0;
    uint32_t cap = proc->fd_cap ? proc->fd_cap : FDS_MIN;
    while (cap < need) cap *= 2;
    struct k_fd *fds = k_zalloc(cap * sizeof *fds);
    if (!fds) return -PF_ENOMEM;
    if (proc->fd_cap) memcpy(fds, proc->fds, proc->fd_cap * sizeof *fds);
    k_free(proc->fds);
    proc->fds = fds;
    proc->fd_cap = cap;
    return 0;
}

static int64_t fd_limit(const struct k_proc *proc) {
    int64_t limit = proc->rlimit[K_RLIMIT_NOFILE].soft;
    return limit == -1 || limit > PF_OPEN_MAX ? PF_OPEN_MAX : limit;
}

int64_t k_fd_new(struct k_proc *proc, struct k_file *file, int64_t lowest, bool cloexec) {
    K_ASSERT(file->refs > 0 && lowest >= 0);
    uint32_t fd = (uint32_t)lowest > proc->fd_hint ? (uint32_t)lowest : proc->fd_hint;
    while (fd < proc->fd_cap && proc->fds[fd].file) fd++;
    if (fd >= fd_limit(proc)) return -PF_EMFILE;
    int error = fds_grow(proc, fd + 1);
    if (error) return error;
    if ((uint32_t)lowest <= proc->fd_hint) proc->fd_hint = fd + 1;
    K_ASSERT(lowest >= 0 && fd < proc->fd_cap && !proc->fds[fd].file);
    proc->fds[fd] = (struct k_fd){file, cloexec};
    return fd;
}

int k_fd_set(struct k_proc *proc, struct k_file *file, int64_t fd, bool cloexec) {
    K_ASSERT(file->refs > 0 && fd >= 0 && fd < PF_OPEN_MAX);
    int error = fds_grow(proc, (uint32_t)fd + 1);
    if (error) return error;
    struct k_file *old = proc->fds[fd].file;
    proc->fds[fd] = (struct k_fd){file, cloexec};
    if (!old) return 0;
    k_lock_closed(proc, old->inode);
    k_file_put(old);
    return 0;
}

int k_fd_close(struct k_proc *proc, int64_t fd) {
    struct k_file *file = k_fd(proc, fd);
    if (!file) return -PF_EBADF;
    proc->fds[fd] = (struct k_fd){NULL, false};
    K_ASSERT(file->refs > 0);
    if ((uint32_t)fd < proc->fd_hint) proc->fd_hint = (uint32_t)fd;
    k_lock_closed(proc, file->inode);
    k_file_put(file);
    return 0;
}

int k_fds_copy(struct k_proc *to, const struct k_proc *from) {
    K_ASSERT(!to->fds && !to->fd_cap);
    uint32_t used = from->fd_cap;
    while (used && !from->fds[used - 1].file) used--;
    int error = fds_grow(to, used);
    if (error) return error;
    for (uint32_t i = 0; i < used; i++) {
        to->fds[i] = from->fds[i];
        if (to->fds[i].file) k_file_get(to->fds[i].file);
    }
    to->fd_hint = from->fd_hint;
    return 0;
}

void k_fds_close(struct k_proc *proc, bool only_cloexec) {
    for (uint32_t fd = 0; fd < proc->fd_cap; fd++)
        if (proc->fds[fd].file && (!only_cloexec || proc->fds[fd].cloexec)) k_fd_close(proc, fd);
    if (only_cloexec) return;
    k_free(proc->fds);
    proc->fds = NULL;
    proc->fd_cap = proc->fd_hint = 0;
}

int64_t k_do_CLOSE(struct k_call *call) {
    return k_fd_close(call->proc, k_arg(call, 0));
}

int64_t k_do_DUPFD(struct k_call *call) {
    struct k_file *file = k_fd(call->proc, k_arg(call, 0));
    int64_t lowest = k_arg(call, 1);
    if (!file) return -PF_EBADF;
    if (lowest < 0 || lowest >= fd_limit(call->proc)) return -PF_EINVAL;
    int64_t fd = k_fd_new(call->proc, file, lowest, k_arg(call, 2) != 0);
    if (fd >= 0) k_file_get(file);
    return fd;
}

int64_t k_do_DUP3(struct k_call *call) {
    int64_t old = k_arg(call, 0), new = k_arg(call, 1), flags = k_arg(call, 2);
    if (flags & ~(int64_t)PF_O_CLOEXEC || old == new) return -PF_EINVAL;
    struct k_file *file = k_fd(call->proc, old);
    if (!file || new < 0 || new >= fd_limit(call->proc)) return -PF_EBADF;
    int error = k_fd_set(call->proc, file, new, flags != 0);
    if (error) return error;
    k_file_get(file);
    return new;
}

#define F_GETFD 1
#define F_SETFD 2
#define F_GETFL 3
#define F_SETFL 4

int64_t k_do_FCNTL(struct k_call *call) {
    int64_t fd = k_arg(call, 0), value = k_arg(call, 2);
    struct k_file *file = k_fd(call->proc, fd);
    if (!file) return -PF_EBADF;
    switch (k_arg(call, 1)) {
    case F_GETFD: return call->proc->fds[fd].cloexec;
    case F_SETFD: call->proc->fds[fd].cloexec = value & 1; return 0;
    case F_GETFL: return file->flags;
    case F_SETFL:
        if (file->flags & PF_O_PATH) return -PF_EBADF;
        file->flags = (file->flags & ~(uint32_t)(PF_O_APPEND | PF_O_NONBLOCK)) |
                      ((uint32_t)value & (PF_O_APPEND | PF_O_NONBLOCK));
        return 0;
    default: return -PF_EINVAL;
    }
}
