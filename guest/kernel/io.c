/*
 * io.c: reading, writing and positioning open files, and listing directories.
 *
 * Decides by the kind of inode; pipes and devices have their own files. Answers point at the file's
 * own bytes whenever they lie in one piece.
 */
#include "kernel.h"

static bool readable(const struct k_file *file) {
    return (file->flags & PF_O_ACCMODE) != PF_O_WRONLY;
}

static bool writable(const struct k_file *file) {
    return (file->flags & PF_O_ACCMODE) != PF_O_RDONLY;
}

/* The open file of a descriptor through which something can be read or written. */
static struct k_file *io_file(struct k_call *call, int n) {
    struct k_file *file = k_fd(call->proc, k_arg(call, n));
    return file && !(file->flags & PF_O_PATH) ? file : NULL;
}

static bool seekable(const struct k_inode *inode) {
    return inode->kind != K_PIPE && inode->kind != K_STREAM;
}

/* Bytes of a regular file, or of a /proc file's text. */
static int64_t read_data(struct k_call *call, struct k_inode *inode, int64_t offset, uint32_t len) {
    if (offset >= inode->size) return 0;
    if (len > inode->size - offset) len = (uint32_t)(inode->size - offset);
    const uint8_t *at;
    uint32_t piece = len ? k_data_piece(&inode->data, offset, len, &at) : 0;
    if (piece == len) {
        if (len) k_out(call, at, len);
    } else {
        k_data_copy_out(&inode->data, offset, k_out_area(), len);
        k_out(call, k_out_area(), len);
    }
    k_inode_accessed(inode);
    return len;
}

static int64_t read_at(struct k_call *call, struct k_file *file, int64_t offset) {
    struct k_inode *inode = file->inode;
    if (!readable(file)) return -PF_EBADF;
    if (k_type(inode) == K_IFDIR) return -PF_EISDIR;
    uint32_t len = k_out_cap(call);
    switch ((enum k_inode_kind)inode->kind) {
    case K_FILE:
    case K_PROCFS: return read_data(call, inode, offset, len);
    case K_DEVICE: return k_device_read(call, inode, len);
    case K_PIPE:
    case K_STREAM: return k_pipe_read(call, file, len);
    default: return -PF_EINVAL;
    }
}

int64_t k_do_READ(struct k_call *call) {
    struct k_file *file = io_file(call, 0);
    if (!file) return -PF_EBADF;
    int64_t n = read_at(call, file, file->offset);
    if (n > 0 && seekable(file->inode)) file->offset += n;
    return n;
}

int64_t k_do_PREAD(struct k_call *call) {
    struct k_file *file = io_file(call, 0);
    if (k_arg(call, 1) < 0) return -PF_EINVAL;
    if (!file) return -PF_EBADF;
    if (!seekable(file->inode)) return -PF_ESPIPE;
    return read_at(call, file, k_arg(call, 1));
}

/* How much of len may be written at offset; 0 after SIGXFSZ was sent. */
static uint32_t within_size_limit(struct k_proc *proc, int64_t offset, uint32_t len) {
    int64_t limit = proc->rlimit[K_RLIMIT_FSIZE].soft;
    if (limit == -1) return len;
    if (offset >= limit) {
        k_signal(proc, K_SIGXFSZ);
        return 0;
    }
    return len < limit - offset ? len : (uint32_t)(limit - offset);
}

static int64_t write_file(struct k_call *call, struct k_inode *inode, int64_t offset,
                          uint32_t len) {
    if (len == 0) return 0;
    len = within_size_limit(call->proc, offset, len);
    if (!len) return k_after_signal(call, -PF_EFBIG);
    int64_t n = k_data_write(&inode->data, offset, call->in, len);
    if (n > 0) {
        if (offset + n > inode->size) inode->size = offset + n;
        inode->mtime = inode->ctime = k_now();
    }
    return n;
}

static int64_t write_at(struct k_call *call, struct k_file *file, int64_t offset) {
    struct k_inode *inode = file->inode;
    if (!writable(file)) return -PF_EBADF;
    uint32_t len = call->msg->in_len < K_IO_MAX ? call->msg->in_len : K_IO_MAX;
    switch ((enum k_inode_kind)inode->kind) {
    case K_FILE: return write_file(call, inode, offset, len);
    case K_DEVICE: return k_device_write(inode, len);
    case K_PIPE:
    case K_STREAM: return k_pipe_write(call, file, len);
    default: return -PF_EINVAL;
    }
}

int64_t k_do_WRITE(struct k_call *call) {
    struct k_file *file = io_file(call, 0);
    if (!file) return -PF_EBADF;
    if (file->inode->kind != K_FILE) return write_at(call, file, 0);
    if (file->flags & PF_O_APPEND) file->offset = file->inode->size;
    int64_t n = write_at(call, file, file->offset);
    if (n > 0) file->offset += n;
    return n;
}

int64_t k_do_PWRITE(struct k_call *call) {
    struct k_file *file = io_file(call, 0);
    int64_t offset = k_arg(call, 1);
    if (offset < 0) return -PF_EINVAL;
    if (!file) return -PF_EBADF;
    if (!seekable(file->inode)) return -PF_ESPIPE;
    if (file->flags & PF_O_APPEND && file->inode->kind == K_FILE) offset = file->inode->size;
    return write_at(call, file, offset);
}

/* SEEK_DATA and SEEK_HOLE: an extent that was never written is a hole, and the end of the file is
 * one. */
static int64_t seek_content(struct k_file *file, int64_t offset, bool hole) {
    const struct k_inode *inode = file->inode;
    if (inode->kind != K_FILE) return -PF_EINVAL;
    if (offset < 0 || offset >= inode->size) return -PF_ENXIO;
    int64_t at = k_data_seek(&inode->data, offset, inode->size, hole);
    if (!hole && at >= inode->size) return -PF_ENXIO;
    file->offset = at;
    return at;
}

int64_t k_do_LSEEK(struct k_call *call) {
    struct k_file *file = io_file(call, 0);
    int64_t offset = k_arg(call, 1), base;
    if (!file) return -PF_EBADF;
    struct k_inode *inode = file->inode;
    if (!seekable(inode)) return -PF_ESPIPE;
    if (inode->kind == K_DEVICE) return 0;
    switch (k_arg(call, 2)) {
    case 0: base = 0; break;
    case 1: base = file->offset; break;
    case 2: base = inode->kind == K_FILE ? inode->size : 0; break;
    case 3: return seek_content(file, offset, false);
    case 4: return seek_content(file, offset, true);
    default: return -PF_EINVAL;
    }
    int64_t at;
    if (__builtin_add_overflow(base, offset, &at)) return -PF_EOVERFLOW;
    if (at < 0) return -PF_EINVAL;
    file->offset = at;
    return at;
}

int64_t k_do_FTRUNCATE(struct k_call *call) {
    struct k_file *file = io_file(call, 0);
    int64_t size = k_arg(call, 1);
    if (size < 0) return -PF_EINVAL;
    if (!file) return -PF_EBADF;
    if (file->inode->kind != K_FILE || !writable(file)) return -PF_EINVAL;
    int64_t limit = call->proc->rlimit[K_RLIMIT_FSIZE].soft;
    if (limit != -1 && size > limit && size > file->inode->size) {
        k_signal(call->proc, K_SIGXFSZ);
        return k_after_signal(call, -PF_EFBIG);
    }
    return k_inode_truncate(file->inode, size);
}

int64_t k_do_COPY(struct k_call *call) {
    struct k_file *from = io_file(call, 0), *to = io_file(call, 1);
    int64_t wanted = k_arg(call, 2);
    if (!from || !to) return -PF_EBADF;
    if (wanted < 0) return -PF_EINVAL;
    if (k_type(from->inode) == K_IFDIR || k_type(to->inode) == K_IFDIR) return -PF_EISDIR;
    if (from->inode->kind != K_FILE || to->inode->kind != K_FILE) return -PF_EINVAL;
    if (!readable(from) || !writable(to) || to->flags & PF_O_APPEND) return -PF_EBADF;
    int64_t left = from->inode->size - from->offset;
    if (left <= 0) return 0;
    uint32_t len = wanted < K_IO_MAX ? (uint32_t)wanted : K_IO_MAX;
    if (len > left) len = (uint32_t)left;
    if (from->inode == to->inode && from->offset < to->offset + len &&
        to->offset < from->offset + len)
        return -PF_EINVAL;
    len = within_size_limit(call->proc, to->offset, len);
    if (!len) return wanted ? k_after_signal(call, -PF_EFBIG) : 0;
    /* Through the area, because writing can move the bytes of a small file. */
    k_data_copy_out(&from->inode->data, from->offset, k_out_area(), len);
    int64_t n = k_data_write(&to->inode->data, to->offset, k_out_area(), len);
    if (n < 0) return n;
    from->offset += n;
    to->offset += n;
    if (to->offset > to->inode->size) to->inode->size = to->offset;
    to->inode->mtime = to->inode->ctime = k_now();
    return n;
}

int64_t k_do_GETDENTS(struct k_call *call) {
    struct k_file *file = io_file(call, 0);
    if (!file) return -PF_EBADF;
    struct k_inode *inode = file->inode;
    if (k_type(inode) != K_IFDIR) return -PF_ENOTDIR;
    if (inode->kind == K_DIR && !inode->nlink) return -PF_ENOENT;
    int error = k_want(inode);
    if (error) return error;
    uint8_t *to = k_out_area();
    int64_t n = inode->kind == K_PROCFS ? k_procfs_list(call->proc, file, to, k_out_cap(call))
                                        : k_dir_list(file, to, k_out_cap(call));
    if (n > 0) k_out(call, to, (uint32_t)n);
    return n;
}

#define FIONREAD 0x541b

int64_t k_do_IOCTL(struct k_call *call) {
    struct k_file *file = io_file(call, 0);
    if (!file) return -PF_EBADF;
    struct k_inode *inode = file->inode;
    if (k_arg(call, 1) != FIONREAD) return -PF_ENOTTY;
    int64_t bytes;
    if (inode->kind == K_FILE) {
        bytes = inode->size - file->offset;
        if (bytes < 0) bytes = 0;
    } else if (inode->kind == K_PIPE || inode->kind == K_STREAM) {
        bytes = inode->pipe->used;
    } else {
        return -PF_ENOTTY;
    }
    int32_t answer = bytes > INT32_MAX ? INT32_MAX : (int32_t)bytes;
    return k_out_struct(call, &answer, sizeof answer);
}
