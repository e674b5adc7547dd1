/*
 * mount.c: files that are still with the host.
 *
 * A mounted directory starts as one inode with a *source*: the number of the mount and the path
 * below it. Names come when a directory is first looked into, contents when a file is first opened.
 * Until then the inode is *absent*. A call that needs what is absent answers K_WANT before it has
 * changed anything; the host fetches it (HOST_WANTED, HOST_FILL_NAME or HOST_FILL_DATA,
 * HOST_FILLED) and the same message comes again, before anybody else runs.
 *
 * A source stays with its inode whatever becomes of its name. It is text that the host wrote and
 * checks again; nothing here could lead it out of the mount.
 */
#include "kernel.h"

#define SOURCE_MAX (PF_PATH_MAX + 16u)

static struct k_inode *wanted; /* referenced */
static struct k_proc *caller;  /* whose call is being handled */
static int64_t wanted_size, wanted_mtime, wanted_atime;
static uint64_t absent; /* inodes with a source that a mount must bring */

/* A source without a number is the build's own library, which is never gone. */
static bool of_mount(const struct k_inode *inode) {
    return inode->source[0] != '/';
}

void k_mount_boot(void) {
    wanted = NULL;
    caller = NULL;
    absent = 0;
}

void k_mount_calling(struct k_proc *proc) {
    caller = proc;
}

struct k_inode *k_mount_holds(void) {
    return wanted;
}

static void want_nothing(void) {
    struct k_inode *inode = wanted;
    wanted = NULL;
    k_inode_put(inode);
}

int k_want(struct k_inode *inode) {
    if (!inode->source) return 0;
    if (caller->fill_error) return -caller->fill_error; /* the host has just said so */
    want_nothing();
    wanted = k_inode_get(inode);
    wanted_size = inode->kind == K_FILE ? inode->size : 0;
    wanted_mtime = inode->mtime;
    wanted_atime = inode->atime;
    k_mailbox.attention |= PF_ATTENTION_FILL;
    return K_WANT;
}

void k_present(struct k_inode *inode) {
    if (inode->source && of_mount(inode)) absent--;
    k_free(inode->source);
    inode->source = NULL;
}

static char *source_new(const char *a, uint32_t a_len, const char *b, uint32_t b_len) {
    if (a_len + b_len + 2 > SOURCE_MAX) return NULL;
    char *source = k_alloc(a_len + b_len + 2), *at = source;
    if (!source) return NULL;
    memcpy(at, a, a_len);
    at += a_len;
    if (b_len && a_len && at[-1] != '/') *at++ = '/';
    if (b_len) memcpy(at, b, b_len);
    at[b_len] = '\0';
    return source;
}

int64_t k_do_HOST_MOUNT(struct k_call *call) {
    const char *path, *source;
    uint32_t path_len, source_len;
    int error = k_two_paths(call, &path, &path_len, &source, &source_len);
    if (error) return error;
    struct k_inode *dir;
    error = k_find(call->proc, PF_AT_FDCWD, path, path_len, 0, &dir);
    if (error) return error;
    if (dir->kind != K_DIR)
        error = -PF_ENOTDIR;
    else if (dir->count)
        error = -PF_ENOTEMPTY;
    else if (dir->source)
        error = -PF_EBUSY;
    else if (!(dir->source = source_new(source, source_len, NULL, 0)))
        error = -PF_ENOMEM;
    else if (of_mount(dir))
        absent++;
    k_inode_put(dir);
    return error;
}

static int64_t out_source(struct k_call *call, const struct k_inode *inode) {
    uint32_t len = (uint32_t)strlen(inode->source);
    if (len > k_out_cap(call)) return -PF_ERANGE;
    memcpy(k_out_area(), inode->source, len);
    k_out(call, k_out_area(), len);
    return 0;
}

int64_t k_do_HOST_SOURCE(struct k_call *call) {
    if (call->msg->in_len == 0) return (int64_t)absent;
    struct k_inode *inode;
    int error = k_find(call->proc, PF_AT_FDCWD, k_in_path(call), call->msg->in_len, 0, &inode);
    if (error) return error;
    int64_t result = inode->source ? out_source(call, inode) : 0;
    k_inode_put(inode);
    return result;
}

int64_t k_do_HOST_WANTED(struct k_call *call) {
    if (!wanted) return -PF_ENOENT;
    int64_t error = out_source(call, wanted);
    return error ? error : k_type(wanted);
}

int64_t k_do_HOST_FILL_DATA(struct k_call *call) {
    int64_t offset = k_arg(call, 0);
    uint32_t len = call->msg->in_len;
    if (!wanted) return -PF_ENOENT;
    if (wanted->kind != K_FILE) return -PF_EISDIR;
    if (offset < 0 || offset > PF_FILE_SIZE_MAX - (int64_t)len) return -PF_EFBIG;
    int64_t n = k_data_write(&wanted->data, offset, call->in, len);
    if (n > 0 && offset + n > wanted->size) wanted->size = offset + n;
    return n;
}

/* One name of the wanted directory: like k_make(), but as the host says it is. */
static int fill_name(const char *name, uint32_t len, const char *target, uint32_t mode,
                     int64_t size, int64_t mtime) {
    uint32_t type = mode & K_IFMT;
    bool link = type == K_IFLNK;
    enum k_inode_kind kind = link ? K_SYMLINK : type == K_IFDIR ? K_DIR : K_FILE;
    struct k_dirent *entry = k_dirent_new(name, len);
    char *text = link ? source_new(target, (uint32_t)strlen(target), NULL, 0)
                      : source_new(wanted->source, (uint32_t)strlen(wanted->source), name, len);
    struct k_inode *inode = NULL;
    int error = entry && text ? k_inode_new(kind, mode, true, &inode) : -PF_ENOMEM;
    if (error) {
        k_free(entry);
        k_free(text);
        return error;
    }
    inode->uid = wanted->uid;
    inode->gid = wanted->gid;
    inode->nlink = 1;
    if (link) {
        inode->target = text;
        inode->target_len = (uint32_t)strlen(text);
    } else {
        inode->source = text;
        absent += of_mount(inode);
    }
    if (kind == K_FILE) inode->size = size;
    if (kind == K_DIR) {
        inode->parent = k_inode_get(wanted);
        inode->nlink = 2;
        wanted->nlink++;
    }
    k_dir_insert(wanted, entry, inode);
    inode->atime = inode->mtime = inode->ctime = mtime;
    k_inode_put(inode);
    return 0;
}

int64_t k_do_HOST_FILL_NAME(struct k_call *call) {
    const char *name, *target;
    uint32_t len, target_len, mode = (uint32_t)k_arg(call, 0), type = mode & K_IFMT;
    int64_t size = k_arg(call, 1);
    int error = k_two_paths(call, &name, &len, &target, &target_len);
    if (error) return error;
    if (!wanted) return -PF_ENOENT;
    if (wanted->kind != K_DIR) return -PF_ENOTDIR;
    if (type != K_IFDIR && type != K_IFREG && type != K_IFLNK) return -PF_EINVAL;
    bool dots = name[0] == '.' && (len == 1 || (len == 2 && name[1] == '.'));
    if (len == 0 || len > PF_NAME_MAX || memchr(name, '/', len) || dots) return -PF_EINVAL;
    if (type == K_IFLNK && (target_len == 0 || target_len >= PF_PATH_MAX)) return -PF_EINVAL;
    if (size < 0) return -PF_EFBIG;
    if (k_dir_find(wanted, name, len)) return -PF_EEXIST;
    return fill_name(name, len, target, mode & (K_IFMT | 0777u), size, k_arg(call, 2));
}

static void forget_names(struct k_inode *dir) {
    while (!k_list_empty(&dir->entries)) {
        struct k_dirent *entry = K_OUTER(dir->entries.next, struct k_dirent, order);
        struct k_inode *inode = k_inode_get(entry->inode);
        k_dir_remove(entry);
        if (inode->kind == K_DIR) {
            dir->nlink--;
            inode->nlink--; /* its own . */
        }
        k_inode_unlink(inode);
        k_inode_put(inode);
    }
}

int64_t k_do_HOST_FILLED(struct k_call *call) {
    int64_t error = k_arg(call, 0);
    if (!wanted) return -PF_ENOENT;
    if (error < 0 || error > 4095) return -PF_EINVAL;
    if (!error) {
        k_present(wanted);
    } else if (wanted->kind == K_DIR) {
        forget_names(wanted);
    } else {
        k_data_cut(&wanted->data, 0);
        wanted->size = wanted_size;
    }
    caller->fill_error = (int)error;
    wanted->mtime = wanted->ctime = wanted_mtime;
    wanted->atime = wanted_atime;
    want_nothing();
    return 0;
}
