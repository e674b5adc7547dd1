/*
 * attr.c: the attributes of files, and the working directory.
 */
#include "kernel.h"

/* The inode that (dirfd, path, flags) names; referenced. */
static int find(struct k_call *call, int64_t flags, struct k_inode **out) {
    struct k_proc *proc = call->proc;
    int64_t dirfd = k_arg(call, 0);
    if (call->msg->in_len == 0 && flags & PF_AT_EMPTY_PATH) {
        if (dirfd == PF_AT_FDCWD) {
            *out = k_inode_get(proc->cwd);
            return 0;
        }
        struct k_file *file = k_fd(proc, dirfd);
        if (!file) return -PF_EBADF;
        *out = k_inode_get(file->inode);
        return 0;
    }
    uint32_t how = flags & PF_AT_SYMLINK_NOFOLLOW ? 0 : K_WALK_FOLLOW;
    return k_find(proc, dirfd, k_in_path(call), call->msg->in_len, how, out);
}

#define PATH_FLAGS (PF_AT_SYMLINK_NOFOLLOW | PF_AT_EMPTY_PATH)

int64_t k_do_FSTATAT(struct k_call *call) {
    int64_t flags = k_arg(call, 1);
    if (flags & ~(int64_t)PATH_FLAGS) return -PF_EINVAL;
    struct k_inode *inode;
    int error = find(call, flags, &inode);
    if (error) return error;
    struct pf_stat stat;
    k_inode_stat(inode, &stat);
    k_inode_put(inode);
    return k_out_struct(call, &stat, sizeof stat);
}

int64_t k_do_FSTAT(struct k_call *call) {
    struct k_file *file = k_fd(call->proc, k_arg(call, 0));
    if (!file) return -PF_EBADF;
    struct pf_stat stat;
    k_inode_stat(file->inode, &stat);
    return k_out_struct(call, &stat, sizeof stat);
}

int64_t k_do_FACCESSAT(struct k_call *call) {
    int64_t mode = k_arg(call, 1), flags = k_arg(call, 2);
    if (mode & ~(int64_t)7 || flags & ~(int64_t)(PATH_FLAGS | 0x200)) return -PF_EINVAL;
    struct k_inode *inode;
    int error = find(call, flags, &inode);
    if (error) return error;
    bool may = k_may(call->proc, inode, (uint32_t)mode);
    k_inode_put(inode);
    return may ? 0 : -PF_EACCES;
}

int64_t k_do_FCHMODAT(struct k_call *call) {
    int64_t flags = k_arg(call, 2);
    if (flags & ~(int64_t)PATH_FLAGS) return -PF_EINVAL;
    struct k_inode *inode;
    int error = find(call, flags, &inode);
    if (error) return error;
    if (k_type(inode) == K_IFLNK) {
        error = -PF_EOPNOTSUPP;
    } else if (!k_owns(call->proc, inode) || inode->kind == K_PROCFS) {
        error = -PF_EPERM;
    } else {
        inode->mode = (inode->mode & K_IFMT) | ((uint32_t)k_arg(call, 1) & 07777);
        inode->ctime = k_now();
    }
    k_inode_put(inode);
    return error;
}

int64_t k_do_FCHOWNAT(struct k_call *call) {
    struct k_proc *proc = call->proc;
    int64_t uid = k_arg(call, 1), gid = k_arg(call, 2), flags = k_arg(call, 3);
    if (flags & ~(int64_t)PATH_FLAGS) return -PF_EINVAL;
    if (uid < -1 || uid > UINT32_MAX || gid < -1 || gid > UINT32_MAX) return -PF_EINVAL;
    struct k_inode *inode;
    int error = find(call, flags, &inode);
    if (error) return error;
    bool keeps_owner = uid == -1 || uid == inode->uid;
    bool own_group = gid == -1 || gid == inode->gid || gid == K_UID;
    if (inode->kind == K_PROCFS || (!proc->root && (uid != -1 || gid != -1) &&
                                    (!k_owns(proc, inode) || !keeps_owner || !own_group))) {
        error = -PF_EPERM;
    } else if (uid != -1 || gid != -1) {
        if (uid != -1) inode->uid = (uint32_t)uid;
        if (gid != -1) inode->gid = (uint32_t)gid;
        if (k_type(inode) != K_IFDIR) inode->mode &= ~04000u;
        inode->ctime = k_now();
    }
    k_inode_put(inode);
    return error;
}

static bool time_valid(int64_t time) {
    return time >= -2 || time < -1000000000; /* within a second before 1970: reserved */
}

int64_t k_do_UTIMENSAT(struct k_call *call) {
    struct k_proc *proc = call->proc;
    int64_t flags = k_arg(call, 1), atime = k_arg(call, 2), mtime = k_arg(call, 3);
    if (flags & ~(int64_t)PATH_FLAGS) return -PF_EINVAL;
    if (!time_valid(atime) || !time_valid(mtime)) return -PF_EINVAL;
    struct k_inode *inode;
    int error = find(call, flags, &inode);
    if (error) return error;
    bool both_now = atime == PF_UTIME_NOW && mtime == PF_UTIME_NOW;
    if (atime == PF_UTIME_OMIT && mtime == PF_UTIME_OMIT) {
        /* nothing to do, whoever asks */
    } else if (inode->kind == K_PROCFS) {
        error = -PF_EPERM;
    } else if (!k_owns(proc, inode) && !(both_now && k_may(proc, inode, K_MAY_W))) {
        error = both_now ? -PF_EACCES : -PF_EPERM;
    } else {
        int64_t now = k_now();
        if (atime != PF_UTIME_OMIT) inode->atime = atime == PF_UTIME_NOW ? now : atime;
        if (mtime != PF_UTIME_OMIT) inode->mtime = mtime == PF_UTIME_NOW ? now : mtime;
        inode->ctime = now;
    }
    k_inode_put(inode);
    return error;
}

int64_t k_do_READLINKAT(struct k_call *call) {
    struct k_proc *proc = call->proc;
    uint32_t cap = k_out_cap(call);
    if (cap == 0) return -PF_EINVAL;
    struct k_inode *inode;
    int error = k_find(proc, k_arg(call, 0), k_in_path(call), call->msg->in_len, 0, &inode);
    if (error) return error;
    int64_t len;
    char *to = (char *)k_out_area();
    if (k_type(inode) != K_IFLNK) {
        len = -PF_EINVAL;
    } else if (inode->kind == K_PROCFS) {
        len = k_procfs_readlink(proc, inode, to, PF_PATH_MAX);
        if (len > cap) len = cap;
    } else {
        len = inode->target_len < cap ? inode->target_len : cap;
        memcpy(to, inode->target, (size_t)len);
    }
    k_inode_put(inode);
    if (len > 0) k_out(call, to, (uint32_t)len);
    return len;
}

/* Takes the reference on success. */
static int change_to(struct k_proc *proc, struct k_inode *dir) {
    if (k_type(dir) != K_IFDIR) return -PF_ENOTDIR;
    if (!k_may(proc, dir, K_MAY_X)) return -PF_EACCES;
    k_inode_put(proc->cwd);
    proc->cwd = dir;
    return 0;
}

int64_t k_do_CHDIR(struct k_call *call) {
    struct k_inode *dir;
    int error =
        k_find(call->proc, PF_AT_FDCWD, k_in_path(call), call->msg->in_len, K_WALK_FOLLOW, &dir);
    if (error) return error;
    error = change_to(call->proc, dir);
    if (error) k_inode_put(dir);
    return error;
}

int64_t k_do_FCHDIR(struct k_call *call) {
    struct k_file *file = k_fd(call->proc, k_arg(call, 0));
    if (!file) return -PF_EBADF;
    struct k_inode *dir = k_inode_get(file->inode);
    int error = change_to(call->proc, dir);
    if (error) k_inode_put(dir);
    return error;
}

int64_t k_do_GETCWD(struct k_call *call) {
    char *to = (char *)k_out_area();
    int64_t len = k_path_of(call->proc->cwd, to, PF_PATH_MAX);
    if (len < 0) return len;
    if (len > k_out_cap(call)) return -PF_ERANGE;
    k_out(call, to, (uint32_t)len);
    return len;
}

int64_t k_do_UMASK(struct k_call *call) {
    uint32_t old = call->proc->umask;
    call->proc->umask = (uint32_t)k_arg(call, 0) & 0777;
    return old;
}

int64_t k_do_STATFS(struct k_call *call) {
    struct k_inode *inode;
    int error =
        k_find(call->proc, PF_AT_FDCWD, k_in_path(call), call->msg->in_len, K_WALK_FOLLOW, &inode);
    if (error) return error;
    k_inode_put(inode);
    uint64_t bytes = k_limits.filesystem_bytes, used = k_data_charged();
    struct pf_statfs answer = {.block_size = 4096};
    answer.blocks = bytes / 4096;
    answer.blocks_free = used < bytes ? (bytes - used) / 4096 : 0;
    answer.files = k_limits.files;
    answer.files_free = k_inode_count() < k_limits.files ? k_limits.files - k_inode_count() : 0;
    return k_out_struct(call, &answer, sizeof answer);
}
