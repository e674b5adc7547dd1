/*
 * name.c: making, linking, renaming and removing names: mkdir, mknod, symlink, link, rename,
 * unlink.
 *
 * The choice and order of errors follow Linux. Everything that can fail is done before the first
 * change, so no call leaves half of its work behind.
 */
#include "kernel.h"

/* May a new name be put into this directory? */
static int may_create(const struct k_proc *proc, const struct k_inode *dir) {
    if (dir->kind != K_DIR) return proc->root ? -PF_EPERM : -PF_EACCES;
    if (!dir->nlink) return -PF_ENOENT;
    return k_may(proc, dir, K_MAY_W | K_MAY_X) ? 0 : -PF_EACCES;
}

/* May this name go away? In a sticky directory only for the owner of either. */
static int may_remove(const struct k_proc *proc, const struct k_inode *dir,
                      const struct k_inode *inode, bool as_dir) {
    if (dir->kind != K_DIR) return proc->root ? -PF_EPERM : -PF_EACCES;
    if (!k_may(proc, dir, K_MAY_W | K_MAY_X)) return -PF_EACCES;
    if (dir->mode & 01000 && !k_owns(proc, inode) && !k_owns(proc, dir)) return -PF_EPERM;
    if (as_dir && k_type(inode) != K_IFDIR) return -PF_ENOTDIR;
    if (!as_dir && k_type(inode) == K_IFDIR) return -PF_EISDIR;
    if (as_dir && inode->kind != K_DIR) return -PF_EBUSY; /* /proc */
    return 0;
}

int k_make(struct k_proc *proc, struct k_place *place, enum k_inode_kind kind, uint32_t mode,
           struct k_inode **out) {
    struct k_inode *dir = place->dir;
    int error = may_create(proc, dir);
    if (error) return error;
    struct k_dirent *entry = k_dirent_new(place->name, place->len);
    if (!entry) return -PF_ENOMEM;
    struct k_inode *inode;
    error = k_inode_new(kind, mode, true, &inode);
    if (error) {
        k_free(entry);
        return error;
    }
    /* What the embedder puts somewhere belongs to whom the place belongs to. */
    inode->uid = proc->root ? dir->uid : K_UID;
    inode->gid = proc->root ? dir->gid : K_UID;
    inode->nlink = 1;
    if (kind == K_DIR) {
        inode->parent = k_inode_get(dir);
        inode->nlink = 2;
        dir->nlink++;
    }
    k_dir_insert(dir, entry, inode);
    *out = inode;
    return 0;
}

int k_make_at(struct k_inode *dir, const char *name, struct k_inode *inode) {
    struct k_dirent *entry = k_dirent_new(name, (uint32_t)strlen(name));
    if (!entry) return -PF_ENOMEM;
    inode->nlink++;
    k_dir_insert(dir, entry, inode);
    return 0;
}

/* The place of a name that is to be made: it must not exist. */
static int place_for_new(struct k_proc *proc, int64_t dirfd, const char *path, uint32_t len,
                         bool dir, struct k_place *place) {
    int error = k_walk(proc, dirfd, path, len, K_WALK_PARENT, place);
    if (error) return error;
    if (place->inode || place->last != K_LAST_NAME)
        error = -PF_EEXIST;
    else if (place->slash && !dir)
        error = -PF_ENOENT;
    if (error) k_place_put(place);
    return error;
}

static int64_t make_node(struct k_proc *proc, int64_t dirfd, const char *path, uint32_t len,
                         enum k_inode_kind kind, uint32_t mode) {
    struct k_place place;
    int error = place_for_new(proc, dirfd, path, len, kind == K_DIR, &place);
    if (error) return error;
    struct k_inode *inode;
    error = k_make(proc, &place, kind, mode & ~proc->umask, &inode);
    k_place_put(&place);
    if (error) return error;
    k_inode_put(inode);
    return 0;
}

int64_t k_do_MKDIRAT(struct k_call *call) {
    uint32_t mode = (uint32_t)k_arg(call, 1) & 01777;
    return make_node(call->proc, k_arg(call, 0), k_in_path(call), call->msg->in_len, K_DIR,
                     K_IFDIR | mode);
}

int64_t k_do_MKNODAT(struct k_call *call) {
    uint32_t mode = (uint32_t)k_arg(call, 1);
    uint32_t type = mode & K_IFMT ? mode & K_IFMT : K_IFREG;
    if (type != K_IFREG && type != K_IFIFO) return type == K_IFDIR ? -PF_EPERM : -PF_EINVAL;
    return make_node(call->proc, k_arg(call, 0), k_in_path(call), call->msg->in_len,
                     type == K_IFIFO ? K_PIPE : K_FILE, type | (mode & 07777));
}

int64_t k_do_SYMLINKAT(struct k_call *call) {
    const char *target, *path;
    uint32_t target_len, path_len;
    int error = k_two_paths(call, &target, &target_len, &path, &path_len);
    if (error) return error;
    if (target_len == 0) return -PF_ENOENT;
    if (target_len >= PF_PATH_MAX) return -PF_ENAMETOOLONG;
    struct k_place place;
    error = place_for_new(call->proc, k_arg(call, 0), path, path_len, false, &place);
    if (error) return error;
    char *text = k_alloc(target_len);
    struct k_inode *inode;
    error = text ? k_make(call->proc, &place, K_SYMLINK, K_IFLNK | 0777, &inode) : -PF_ENOMEM;
    k_place_put(&place);
    if (error) {
        k_free(text);
        return error;
    }
    memcpy(text, target, target_len);
    inode->target = text;
    inode->target_len = target_len;
    k_inode_put(inode);
    return 0;
}

int64_t k_do_LINKAT(struct k_call *call) {
    struct k_proc *proc = call->proc;
    const char *from, *to;
    uint32_t from_len, to_len;
    int error = k_two_paths(call, &from, &from_len, &to, &to_len);
    if (error) return error;
    int64_t flags = k_arg(call, 2);
    if (flags & ~(int64_t)PF_AT_SYMLINK_FOLLOW) return -PF_EINVAL;
    struct k_inode *inode;
    error = k_find(proc, k_arg(call, 0), from, from_len, flags ? K_WALK_FOLLOW : 0, &inode);
    if (error) return error;
    struct k_place place;
    error = place_for_new(proc, k_arg(call, 1), to, to_len, false, &place);
    if (error) goto out;
    if (!inode->counted || inode->kind == K_PROCFS)
        error = -PF_EXDEV;
    else if ((error = may_create(proc, place.dir)))
        ;
    else if (k_type(inode) == K_IFDIR)
        error = -PF_EPERM;
    else if (!inode->nlink)
        error = -PF_ENOENT;
    if (!error) {
        struct k_dirent *entry = k_dirent_new(place.name, place.len);
        if (entry) {
            inode->nlink++;
            inode->ctime = k_now();
            k_dir_insert(place.dir, entry, inode);
        } else {
            error = -PF_ENOMEM;
        }
    }
    k_place_put(&place);
out:
    k_inode_put(inode);
    return error;
}

/* A name goes: `place` has it, checks are done. */
static void remove_name(struct k_place *place) {
    struct k_inode *inode = place->inode, *dir = place->dir;
    struct k_dirent *entry = k_dir_find(dir, place->name, place->len);
    k_dir_remove(entry);
    if (inode->kind == K_DIR) {
        dir->nlink--;
        inode->nlink--; /* its own . */
    }
    k_inode_unlink(inode);
}

int64_t k_do_UNLINKAT(struct k_call *call) {
    struct k_proc *proc = call->proc;
    int64_t flags = k_arg(call, 1);
    if (flags & ~(int64_t)PF_AT_REMOVEDIR) return -PF_EINVAL;
    bool as_dir = flags != 0;
    struct k_place place;
    int error =
        k_walk(proc, k_arg(call, 0), k_in_path(call), call->msg->in_len, K_WALK_PARENT, &place);
    if (error) return error;
    if (place.last != K_LAST_NAME) {
        error = !as_dir                       ? -PF_EISDIR
                : place.last == K_LAST_DOT    ? -PF_EINVAL
                : place.last == K_LAST_DOTDOT ? -PF_ENOTEMPTY
                                              : -PF_EBUSY;
    } else if (!place.inode) {
        error = -PF_ENOENT;
    } else if (place.slash && !as_dir) {
        error = k_type(place.inode) == K_IFDIR ? -PF_EISDIR : -PF_ENOTDIR;
    } else {
        error = may_remove(proc, place.dir, place.inode, as_dir);
        if (!error && as_dir) error = k_want(place.inode);
        if (!error && as_dir && place.inode->count) error = -PF_ENOTEMPTY;
    }
    if (!error) remove_name(&place);
    k_place_put(&place);
    return error;
}

/* Is `dir` `above` itself or somewhere below it? Bounded by the depth of the tree. */
static bool is_below(const struct k_inode *dir, const struct k_inode *above) {
    for (;; dir = dir->parent) {
        if (dir == above) return true;
        if (dir->kind != K_DIR || dir->parent == dir || !dir->parent) return false;
    }
}

static int may_rename(const struct k_proc *proc, const struct k_place *from,
                      const struct k_place *to, int64_t flags) {
    bool noreplace = flags & PF_RENAME_NOREPLACE;
    if (from->last != K_LAST_NAME) return -PF_EBUSY;
    if (to->last != K_LAST_NAME) return noreplace ? -PF_EEXIST : -PF_EBUSY;
    struct k_inode *source = from->inode, *target = to->inode;
    if (!source) return -PF_ENOENT;
    if (noreplace && target) return -PF_EEXIST;
    bool as_dir = k_type(source) == K_IFDIR;
    if (!as_dir && (from->slash || to->slash)) return -PF_ENOTDIR;
    if (from->dir->kind != K_DIR || to->dir->kind != K_DIR)
        return from->dir->kind == to->dir->kind ? (proc->root ? -PF_EPERM : -PF_EACCES) : -PF_EXDEV;
    if (as_dir && is_below(to->dir, source)) return -PF_EINVAL;
    if (target && k_type(target) == K_IFDIR && is_below(from->dir, target)) return -PF_ENOTEMPTY;
    if (source == target) return 0;
    int error = may_remove(proc, from->dir, source, as_dir);
    if (error) return error;
    error = target ? may_remove(proc, to->dir, target, as_dir) : may_create(proc, to->dir);
    if (error) return error;
    if (as_dir && from->dir != to->dir && !k_may(proc, source, K_MAY_W)) return -PF_EACCES;
    if (!target || !as_dir) return 0;
    error = k_want(target);
    return !error && target->count ? -PF_ENOTEMPTY : error;
}

static int rename_now(struct k_place *from, struct k_place *to) {
    struct k_inode *source = from->inode, *target = to->inode;
    if (source == target) return 0;
    struct k_dirent *entry = k_dirent_new(to->name, to->len);
    if (!entry) return -PF_ENOMEM;
    if (target) remove_name(to);
    k_dir_remove(k_dir_find(from->dir, from->name, from->len));
    if (source->kind == K_DIR && from->dir != to->dir) {
        from->dir->nlink--;
        to->dir->nlink++;
        source->parent = k_inode_get(to->dir);
        k_inode_put(from->dir);
    }
    k_dir_insert(to->dir, entry, source);
    source->ctime = k_now();
    return 0;
}

int64_t k_do_RENAMEAT(struct k_call *call) {
    struct k_proc *proc = call->proc;
    const char *old, *new;
    uint32_t old_len, new_len;
    int error = k_two_paths(call, &old, &old_len, &new, &new_len);
    if (error) return error;
    int64_t flags = k_arg(call, 2);
    if (flags & ~(int64_t)PF_RENAME_NOREPLACE) return -PF_EINVAL;
    struct k_place from, to;
    error = k_walk(proc, k_arg(call, 0), old, old_len, K_WALK_PARENT, &from);
    if (error) return error;
    error = k_walk(proc, k_arg(call, 1), new, new_len, K_WALK_PARENT, &to);
    if (!error) {
        error = may_rename(proc, &from, &to, flags);
        if (!error) error = rename_now(&from, &to);
        k_place_put(&to);
    }
    k_place_put(&from);
    return error;
}
