/*
 * open.c: OPENAT: finding or making a file and opening it.
 *
 * Opening a FIFO waits for the other end: the open file exists and is counted at its end already
 * while it waits (proc->opening), so that the other side sees it come.
 */
#include "kernel.h"

#define OPEN_FLAGS                                                                                 \
    (PF_O_ACCMODE | PF_O_CREAT | PF_O_EXCL | PF_O_NOCTTY | PF_O_TRUNC | PF_O_APPEND |              \
     PF_O_NONBLOCK | PF_O_DIRECTORY | PF_O_NOFOLLOW | PF_O_CLOEXEC | PF_O_PATH)

static uint32_t access_of(uint32_t flags) {
    switch (flags & PF_O_ACCMODE) {
    case PF_O_RDONLY: return K_MAY_R;
    case PF_O_WRONLY: return K_MAY_W;
    default: return K_MAY_R | K_MAY_W;
    }
}

/* May this existing inode be opened so? */
static int may_open(const struct k_proc *proc, const struct k_inode *inode, uint32_t flags) {
    uint32_t type = k_type(inode), access = access_of(flags);
    if (flags & PF_O_PATH) return 0;
    if (type == K_IFLNK) return -PF_ELOOP;
    if (flags & PF_O_TRUNC) access |= K_MAY_W;
    if (type == K_IFDIR && (access & K_MAY_W || flags & PF_O_CREAT)) return -PF_EISDIR;
    if (!k_may(proc, inode, access)) return -PF_EACCES;
    if (inode->kind == K_PROCFS && access & K_MAY_W) return -PF_EACCES;
    if (inode->kind == K_DEVICE && inode->node == K_DEV_TTY) return -PF_ENXIO;
    if (inode->kind == K_STREAM) { /* one end is the host's */
        if (inode->pipe->host_reads && access & K_MAY_R) return -PF_EACCES;
        if (inode->pipe->host_writes && access & K_MAY_W) return -PF_EACCES;
    }
    return 0;
}

static int open_inode(struct k_proc *proc, struct k_inode *inode, uint32_t flags,
                      struct k_file **out) {
    if (flags & PF_O_DIRECTORY && k_type(inode) != K_IFDIR) return -PF_ENOTDIR;
    int error = may_open(proc, inode, flags);
    if (error) return error;
    if (inode->kind == K_FILE && !(flags & (PF_O_PATH | PF_O_TRUNC))) {
        error = k_want(inode);
        if (error) return error;
    }
    if (inode->kind == K_PROCFS && !(flags & PF_O_PATH)) {
        error = k_procfs_open(inode);
        if (error) return error;
    }
    if (inode->kind == K_PIPE && (flags & PF_O_ACCMODE) == PF_O_WRONLY && flags & PF_O_NONBLOCK &&
        !(flags & PF_O_PATH) && (!inode->pipe || !inode->pipe->readers))
        return -PF_ENXIO;
    error = k_file_new(inode, flags, out);
    if (!error && flags & PF_O_TRUNC && inode->kind == K_FILE) {
        k_inode_truncate(inode, 0);
        k_present(inode);
    }
    return error;
}

static int create(struct k_proc *proc, struct k_place *place, uint32_t flags, uint32_t mode,
                  struct k_file **out) {
    struct k_inode *inode;
    int error = k_make(proc, place, K_FILE, K_IFREG | (mode & 07777 & ~proc->umask), &inode);
    if (error) return error;
    error = k_file_new(inode, flags, out);
    if (error) { /* as if it had never been */
        k_dir_remove(k_dir_find(place->dir, place->name, place->len));
        k_inode_unlink(inode);
    }
    k_inode_put(inode);
    return error;
}

int k_open(struct k_proc *proc, int64_t dirfd, const char *path, uint32_t len, uint32_t flags,
           uint32_t mode, struct k_file **out) {
    if ((flags & PF_O_ACCMODE) == PF_O_ACCMODE) return -PF_EINVAL;
    if (flags & PF_O_PATH) flags &= PF_O_PATH | PF_O_DIRECTORY | PF_O_NOFOLLOW | PF_O_CLOEXEC;
    if (flags & PF_O_CREAT && flags & PF_O_DIRECTORY) return -PF_EINVAL;
    uint32_t how = K_WALK_FOLLOW;
    if (flags & PF_O_NOFOLLOW || (flags & PF_O_CREAT && flags & PF_O_EXCL)) how = 0;
    if (flags & PF_O_CREAT) how |= K_WALK_CREATE;
    struct k_place place;
    int error = k_walk(proc, dirfd, path, len, how, &place);
    if (error) return error;
    if (flags & PF_O_CREAT && flags & PF_O_EXCL && place.inode)
        error = -PF_EEXIST;
    else if (place.inode)
        error = open_inode(proc, place.inode, flags, out);
    else if (!(flags & PF_O_CREAT))
        error = -PF_ENOENT;
    else
        error = create(proc, &place, flags, mode, out);
    k_place_put(&place);
    return error;
}

/* The opened file waits for the other end of its FIFO, or gets its descriptor. */
static int64_t finish(struct k_call *call, struct k_file *file) {
    struct k_proc *proc = call->proc;
    if (!k_pipe_open_ready(file)) {
        struct k_pipe *pipe = file->inode->pipe;
        bool reads = (file->flags & PF_O_ACCMODE) == PF_O_RDONLY;
        int64_t result = k_wait(call, reads ? &pipe->read_wait : &pipe->write_wait, true);
        if (result == K_BLOCK) {
            proc->opening = file;
            return result;
        }
        proc->opening = NULL;
        k_file_put(file);
        return result;
    }
    proc->opening = NULL;
    int64_t fd = k_fd_new(proc, file, 0, (k_arg(call, 1) & PF_O_CLOEXEC) != 0);
    if (fd < 0) k_file_put(file);
    return fd;
}

int64_t k_do_OPENAT(struct k_call *call) {
    struct k_proc *proc = call->proc;
    if (proc->opening) return finish(call, proc->opening);
    uint32_t flags = (uint32_t)k_arg(call, 1) & OPEN_FLAGS;
    struct k_file *file;
    int error = k_open(proc, k_arg(call, 0), k_in_path(call), call->msg->in_len, flags,
                       (uint32_t)k_arg(call, 2), &file);
    return error ? error : finish(call, file);
}
