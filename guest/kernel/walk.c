/*
 * walk.c: from a path to an inode, as POSIX describes pathname resolution.
 *
 * Called by every path call. Symbolic links are followed by putting their text on a small stack of
 * what is left to walk, so nothing is copied and nothing recurses.
 */
#include "kernel.h"

static struct k_inode *root;

int k_walk_boot(void) {
    int error = k_inode_new(K_DIR, K_IFDIR | 0755, true, &root);
    if (error) return error;
    root->parent = root;
    root->nlink = 2;
    return 0;
}

struct k_inode *k_root(void) {
    return root;
}

void k_place_put(struct k_place *place) {
    if (place->dir) k_inode_put(place->dir);
    if (place->inode) k_inode_put(place->inode);
    place->dir = place->inode = NULL;
}

struct rest {
    const char *at, *end;
};
struct walk {
    struct k_proc *proc;
    struct k_inode *current;               /* referenced */
    struct rest stack[PF_SYMLINK_MAX + 1]; /* [depth - 1] is walked now */
    uint32_t depth, links;
    bool slash; /* the path, or a link that it ended in, ended in a slash */
};

static void skip_slashes(struct rest *rest) {
    while (rest->at < rest->end && *rest->at == '/') rest->at++;
}

/* Is nothing left but slashes? If there are any, that is noted. */
static bool at_end(struct walk *walk) {
    bool slash = false;
    for (uint32_t i = walk->depth; i-- > 0;) {
        for (const char *at = walk->stack[i].at; at < walk->stack[i].end; at++) {
            if (*at != '/') return false;
            slash = true;
        }
    }
    walk->slash |= slash;
    return true;
}

static int follow(struct walk *walk, struct k_inode *link) {
    if (++walk->links > PF_SYMLINK_MAX) return -PF_ELOOP;
    if (link->kind == K_PROCFS) {
        struct k_inode *target;
        int error = k_procfs_follow(walk->proc, link, &target);
        if (error) return error;
        k_inode_put(walk->current);
        walk->current = target;
        return 0;
    }
    if (link->target_len == 0) return -PF_ENOENT;
    while (walk->depth && walk->stack[walk->depth - 1].at == walk->stack[walk->depth - 1].end)
        walk->depth--;
    walk->stack[walk->depth++] = (struct rest){link->target, link->target + link->target_len};
    if (link->target[0] == '/') {
        k_inode_put(walk->current);
        walk->current = k_inode_get(root);
    }
    return 0;
}

static struct k_inode *parent_of(struct k_proc *proc, struct k_inode *dir) {
    if (dir->kind == K_PROCFS) return k_procfs_parent(proc, dir);
    return k_inode_get(dir->parent);
}

static int lookup(struct k_proc *proc, struct k_inode *dir, const char *name, uint32_t len,
                  struct k_inode **out) {
    if (dir->kind == K_PROCFS) {
        int error = k_procfs_find(proc, dir, name, len, out);
        return error == -PF_ENOENT ? 0 : error;
    }
    int error = k_want(dir);
    if (error) return error;
    struct k_dirent *entry = k_dir_find(dir, name, len);
    if (entry) *out = k_inode_get(entry->inode);
    return 0;
}

static int start(struct k_proc *proc, int64_t dirfd, const char *path, uint32_t len,
                 struct k_inode **out) {
    if (len == 0) return -PF_ENOENT;
    if (len >= PF_PATH_MAX) return -PF_ENAMETOOLONG;
    if (memchr(path, 0, len)) return -PF_EINVAL;
    struct k_inode *from;
    if (path[0] == '/') {
        from = root;
    } else if (dirfd == PF_AT_FDCWD) {
        from = proc->cwd;
    } else {
        struct k_file *file = k_fd(proc, dirfd);
        if (!file) return -PF_EBADF;
        from = file->inode;
        if (k_type(from) != K_IFDIR) return -PF_ENOTDIR;
    }
    *out = k_inode_get(from);
    return 0;
}

/* One component. 1: it was the last one and `place` is filled; 0: go on; or -errno. */
static int step(struct walk *walk, uint32_t how, struct k_place *place) {
    struct rest *rest = &walk->stack[walk->depth - 1];
    const char *name = rest->at;
    while (rest->at < rest->end && *rest->at != '/') rest->at++;
    uint32_t len = (uint32_t)(rest->at - name);
    bool last = at_end(walk), slash = walk->slash;
    skip_slashes(rest);

    struct k_inode *dir = walk->current;
    if (k_type(dir) != K_IFDIR) return -PF_ENOTDIR;
    if (!k_may(walk->proc, dir, K_MAY_X)) return -PF_EACCES;
    if (len > PF_NAME_MAX) return -PF_ENAMETOOLONG;
    if (name[0] == '.' && (len == 1 || (len == 2 && name[1] == '.'))) {
        if (len == 2) {
            walk->current = parent_of(walk->proc, dir);
            k_inode_put(dir);
        }
        if (!last) return 0;
        place->last = len == 1 ? K_LAST_DOT : K_LAST_DOTDOT;
        place->slash = slash;
        place->inode = k_inode_get(walk->current);
        return 1;
    }
    if (last && slash && how & K_WALK_CREATE) return -PF_EISDIR;
    struct k_inode *found = NULL;
    int error = lookup(walk->proc, dir, name, len, &found);
    if (error) return error;
    if (found && k_type(found) == K_IFLNK &&
        (!last || (!(how & K_WALK_PARENT) && (how & K_WALK_FOLLOW || slash)))) {
        bool jump = found->kind == K_PROCFS;
        error = follow(walk, found);
        k_inode_put(found);
        if (error) return error;
        if (!last || !jump) return 0;
        if (slash && k_type(walk->current) != K_IFDIR) return -PF_ENOTDIR;
        *place = (struct k_place){.inode = k_inode_get(walk->current), .slash = slash};
        return 1;
    }
    if (last) {
        if (found && slash && !(how & K_WALK_PARENT) && k_type(found) != K_IFDIR) {
            k_inode_put(found);
            return -PF_ENOTDIR;
        }
        *place = (struct k_place){k_inode_get(dir), found, name, len, K_LAST_NAME, slash};
        return 1;
    }
    if (!found) return -PF_ENOENT;
    k_inode_put(dir);
    walk->current = found;
    return 0;
}

int k_walk(struct k_proc *proc, int64_t dirfd, const char *path, uint32_t len, uint32_t how,
           struct k_place *place) {
    static struct walk walk; /* too large for the stack; k_walk does not nest */
    *place = (struct k_place){.last = K_LAST_ROOT};
    int result = start(proc, dirfd, path, len, &walk.current);
    if (result) return result;
    walk.proc = proc;
    walk.links = 0;
    walk.slash = false;
    walk.depth = 1;
    walk.stack[0] = (struct rest){path, path + len};
    for (;;) {
        while (walk.depth) {
            skip_slashes(&walk.stack[walk.depth - 1]);
            if (walk.stack[walk.depth - 1].at < walk.stack[walk.depth - 1].end) break;
            walk.depth--;
        }
        if (!walk.depth) { /* the path was "/", or a link to it */
            place->inode = k_inode_get(walk.current);
            result = 0;
            break;
        }
        result = step(&walk, how, place);
        if (result) break;
    }
    k_inode_put(walk.current);
    return result < 0 ? result : 0;
}

int k_find(struct k_proc *proc, int64_t dirfd, const char *path, uint32_t len, uint32_t how,
           struct k_inode **out) {
    struct k_place place;
    int error = k_walk(proc, dirfd, path, len, how, &place);
    if (error) return error;
    if (!place.inode) {
        k_place_put(&place);
        return -PF_ENOENT;
    }
    *out = k_inode_get(place.inode);
    k_place_put(&place);
    return 0;
}

int64_t k_path_of(const struct k_inode *inode, char *to, uint32_t cap) {
    if (inode->kind == K_PROCFS) return k_procfs_path(inode, to, cap);
    char *begin = to + cap, *at = begin; /* filled from the end */
    while (inode != root) {
        const struct k_dirent *entry = inode->link;
        if (!entry) return -PF_ENOENT;
        if ((uint32_t)(at - to) < entry->len + 1u) return -PF_ENAMETOOLONG;
        at -= entry->len;
        memcpy(at, entry->name, entry->len);
        *--at = '/';
        inode = entry->dir;
    }
    if (at == begin) {
        if (!cap) return -PF_ENAMETOOLONG;
        *--at = '/';
    }
    memmove(to, at, (size_t)(begin - at));
    return begin - at;
}

int k_two_paths(const struct k_call *call, const char **a, uint32_t *a_len, const char **b,
                uint32_t *b_len) {
    const char *in = (const char *)call->in, *end = in + call->msg->in_len;
    const char *nul = memchr(in, 0, call->msg->in_len);
    if (!nul) return -PF_EINVAL;
    const char *second = nul + 1;
    const char *last = memchr(second, 0, (size_t)(end - second));
    if (!last) return -PF_EINVAL;
    *a = in;
    *a_len = (uint32_t)(nul - in);
    *b = second;
    *b_len = (uint32_t)(last - second);
    return 0;
}
