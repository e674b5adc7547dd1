/*
 * inode.c: inodes, whatever they are: made, counted, freed; permissions; stat.
 *
 * Called by everything that has to do with files. Names are dir.c's matter, contents data.c's.
 */
#include "kernel.h"

static uint64_t next_ino;
static uint64_t counted; /* inodes that count against limits.files */

void k_inode_boot(void) {
    next_ino = 1;
    counted = 0;
}

uint64_t k_inode_count(void) {
    return counted;
}

int k_inode_new(enum k_inode_kind kind, uint32_t mode, bool named, struct k_inode **out) {
    K_ASSERT(kind <= K_PROCFS && !(mode & ~(K_IFMT | 07777u)));
    if (named && counted >= k_limits.files) return -PF_ENOSPC;
    struct k_inode *inode = k_zalloc(sizeof *inode);
    if (!inode) return -PF_ENOMEM;
    inode->ino = next_ino++;
    inode->refs = 1;
    inode->kind = (uint8_t)kind;
    inode->mode = mode;
    inode->counted = named;
    if (inode->counted) {
        counted++;
        inode->atime = inode->mtime = inode->ctime = inode->btime = k_now();
    }
    if (kind == K_FILE) inode->data.charged = true;
    if (kind == K_DIR) k_dir_init(inode, NULL);
    *out = inode;
    return 0;
}

static void inode_free(struct k_inode *inode) {
    K_ASSERT(!inode->refs && !inode->nlink && (!inode->counted || counted > 0));
    if (inode->counted) counted--;
    k_present(inode);
    switch ((enum k_inode_kind)inode->kind) {
    case K_FILE: k_data_free(&inode->data); break;
    case K_PROCFS:
        if (k_type(inode) == K_IFREG) k_data_free(&inode->data);
        break;
    case K_SYMLINK: k_free(inode->target); break;
    case K_PIPE:
    case K_STREAM: k_pipe_free(inode->pipe); break;
    case K_DIR: k_dir_release(inode); break;
    case K_DEVICE: break;
    }
    k_free(inode);
}

/* Freeing a directory gives back its parent, and so on up, without recursion. */
void k_inode_put(struct k_inode *inode) {
    while (inode) {
        K_ASSERT(inode->refs > 0);
        if (--inode->refs || inode->nlink) return;
        struct k_inode *parent = NULL;
        if (inode->kind == K_DIR && inode->parent != inode) parent = inode->parent;
        inode_free(inode);
        inode = parent;
    }
}

void k_inode_unlink(struct k_inode *inode) {
    K_ASSERT(inode->nlink > 0);
    inode->nlink--;
    inode->ctime = k_now();
    k_inode_put(k_inode_get(inode));
}

bool k_may(const struct k_proc *proc, const struct k_inode *inode, uint32_t what) {
    K_ASSERT(!(what & ~(K_MAY_R | K_MAY_W | K_MAY_X)));
    if (proc->root) return true;
    uint32_t mode = inode->mode;
    if (inode->uid == K_UID)
        mode >>= 6;
    else if (inode->gid == K_UID)
        mode >>= 3;
    return (mode & what) == what;
}

bool k_owns(const struct k_proc *proc, const struct k_inode *inode) {
    return proc->root || inode->uid == K_UID;
}

static int64_t blocks(int64_t bytes) {
    return (bytes + 4095) / 4096 * 8;
}

void k_inode_stat(struct k_inode *inode, struct pf_stat *stat) {
    K_ASSERT(inode->refs > 0 || inode->nlink > 0);
    *stat = (struct pf_stat){
        .dev = inode->kind == K_PROCFS   ? 2
               : inode->kind == K_STREAM ? 3
                                         : 1,
        .ino = inode->ino,
        .mode = inode->mode,
        .nlink = inode->nlink,
        .uid = inode->uid,
        .gid = inode->gid,
        .blksize = 4096,
        .atime_ns = inode->atime,
        .mtime_ns = inode->mtime,
        .ctime_ns = inode->ctime,
        .btime_ns = inode->btime,
    };
    switch ((enum k_inode_kind)inode->kind) {
    case K_FILE: {
        int64_t whole = blocks(inode->size), held = blocks((int64_t)inode->data.allocated);
        stat->size = inode->size;
        stat->blocks = held < whole && !inode->source ? held : whole;
        break;
    }
    case K_DIR:
        stat->size = 4096;
        stat->blocks = 8;
        break;
    case K_SYMLINK: stat->size = inode->target_len; break;
    case K_DEVICE: stat->rdev = k_device_number(inode); break;
    case K_STREAM:
    case K_PIPE:
        if (!inode->nlink) stat->nlink = 1;
        break;
    case K_PROCFS: stat->nlink = k_type(inode) == K_IFDIR ? 2 : 1; break;
    }
    if (!inode->counted) { /* pipes, streams and /proc have no times of their own */
        stat->atime_ns = stat->mtime_ns = stat->ctime_ns = stat->btime_ns = k_now();
    }
}

int64_t k_inode_truncate(struct k_inode *inode, int64_t size) {
    K_ASSERT(size >= 0 && inode->kind == K_FILE);
    if (size > PF_FILE_SIZE_MAX) return -PF_EFBIG;
    if (size < inode->size) k_data_cut(&inode->data, size);
    inode->size = size;
    inode->mtime = inode->ctime = k_now();
    return 0;
}

/* As Linux's relatime: enough for "was it read since it was written?". */
void k_inode_accessed(struct k_inode *inode) {
    if (inode->counted && inode->atime <= inode->mtime) inode->atime = k_now();
}
