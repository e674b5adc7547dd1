/*
 * procfs.c: /proc: shows what the kernel knows about processes and the machine as files.
 *
 * Nodes are made when they are looked up and live while somebody refers to them. A file's text is
 * made when it is opened. Links do not lead through text: following one jumps to what it means.
 */
#include "kernel.h"

struct entry {
    const char *name;
    enum k_proc_node node;
    uint32_t mode;
};

static const struct entry root_entries[] = {
    {"self", K_PROC_SELF, K_IFLNK | 0777},
    {"meminfo", K_PROC_MEMINFO, K_IFREG | 0444},
    {"cpuinfo", K_PROC_CPUINFO, K_IFREG | 0444},
    {"uptime", K_PROC_UPTIME, K_IFREG | 0444},
    {"version", K_PROC_VERSION, K_IFREG | 0444},
    {"loadavg", K_PROC_LOADAVG, K_IFREG | 0444},
    {"mounts", K_PROC_MOUNTS, K_IFREG | 0444},
    {"filesystems", K_PROC_FILESYSTEMS, K_IFREG | 0444},
    {"stat", K_PROC_STAT, K_IFREG | 0444},
};
static const struct entry process_entries[] = {
    {"cmdline", K_PROC_CMDLINE, K_IFREG | 0444}, {"status", K_PROC_STATUS, K_IFREG | 0444},
    {"stat", K_PROC_PID_STAT, K_IFREG | 0444},   {"comm", K_PROC_COMM, K_IFREG | 0444},
    {"exe", K_PROC_EXE, K_IFLNK | 0777},         {"cwd", K_PROC_CWD, K_IFLNK | 0777},
    {"root", K_PROC_PID_ROOT, K_IFLNK | 0777},   {"fd", K_PROC_FD_DIR, K_IFDIR | 0500},
    {"environ", K_PROC_ENVIRON, K_IFREG | 0400}, {"mounts", K_PROC_PID_MOUNTS, K_IFREG | 0444},
};

#define NODE_SHIFT 5 /* inode number: pid, node, descriptor */
_Static_assert(K_PROC_FD < 1 << NODE_SHIFT, "nodes must fit the inode number");

static uint64_t number_of(enum k_proc_node node, int32_t pid, int32_t number) {
    return 1ull << 62 | (uint64_t)(uint32_t)pid << 24 | (uint64_t)(uint32_t)number << NODE_SHIFT |
           (uint64_t)node;
}

static int node_new(enum k_proc_node node, uint32_t mode, int32_t pid, int32_t number,
                    struct k_inode **out) {
    struct k_inode *inode;
    int error = k_inode_new(K_PROCFS, mode, false, &inode);
    if (error) return error;
    inode->ino = number_of(node, pid, number);
    inode->node = node;
    inode->pid = pid;
    inode->number = number;
    if (pid) inode->uid = inode->gid = K_UID;
    *out = inode;
    return 0;
}

int k_procfs_boot(void) {
    struct k_inode *proc;
    int error = node_new(K_PROC_ROOT, K_IFDIR | 0555, 0, 0, &proc);
    if (error) return error;
    k_root()->nlink++;
    error = k_make_at(k_root(), "proc", proc);
    k_inode_put(proc);
    return error;
}

/* ------------------------------------------------------------------ names */

/* A number without sign or leading zeros; -1: none. */
static int32_t parse(const char *name, uint32_t len) {
    int32_t n = 0;
    if (len == 0 || len > 9 || (name[0] == '0' && len > 1)) return -1;
    for (uint32_t i = 0; i < len; i++) {
        if (name[i] < '0' || name[i] > '9') return -1;
        n = n * 10 + (name[i] - '0');
    }
    return n;
}

static int find_entry(const struct entry *entries, uint32_t count, int32_t pid, const char *name,
                      uint32_t len, struct k_inode **out) {
    for (uint32_t i = 0; i < count; i++)
        if (strlen(entries[i].name) == len && memcmp(entries[i].name, name, len) == 0)
            return node_new(entries[i].node, entries[i].mode, pid, 0, out);
    return -PF_ENOENT;
}

int k_procfs_find(struct k_proc *proc, const struct k_inode *dir, const char *name, uint32_t len,
                  struct k_inode **out) {
    int32_t number = parse(name, len);
    if (dir->node == K_PROC_ROOT) {
        if (number <= 0) return find_entry(root_entries, K_COUNT(root_entries), 0, name, len, out);
        if (!k_proc_find(number)) return -PF_ENOENT;
        return node_new(K_PROC_PID, K_IFDIR | 0555, number, 0, out);
    }
    struct k_proc *whose = dir->pid == proc->pid ? proc : k_proc_find(dir->pid);
    if (!whose) return -PF_ENOENT;
    if (dir->node == K_PROC_PID)
        return find_entry(process_entries, K_COUNT(process_entries), dir->pid, name, len, out);
    if (number < 0 || !k_fd(whose, number)) return -PF_ENOENT;
    return node_new(K_PROC_FD, K_IFLNK | 0700, dir->pid, number, out);
}

struct k_inode *k_procfs_parent(struct k_proc *proc, const struct k_inode *dir) {
    struct k_inode *parent;
    (void)proc;
    if (dir->node == K_PROC_FD_DIR && !node_new(K_PROC_PID, K_IFDIR | 0555, dir->pid, 0, &parent))
        return parent;
    if (dir->node == K_PROC_PID) {
        struct k_dirent *entry = k_dir_find(k_root(), "proc", 4);
        if (entry) return k_inode_get(entry->inode);
    }
    return k_inode_get(k_root()); /* also when there was no memory for the true one */
}

/* ------------------------------------------------------------------ links */

/* What the link leads to; referenced. */
int k_procfs_follow(struct k_proc *proc, const struct k_inode *link, struct k_inode **out) {
    if (link->node == K_PROC_SELF) return node_new(K_PROC_PID, K_IFDIR | 0555, proc->pid, 0, out);
    struct k_proc *whose = link->pid == proc->pid ? proc : k_proc_find(link->pid);
    if (!whose) return -PF_ENOENT;
    struct k_inode *inode = NULL;
    switch ((enum k_proc_node)link->node) {
    case K_PROC_EXE: inode = whose->exe; break;
    case K_PROC_CWD: inode = whose->cwd; break;
    case K_PROC_PID_ROOT: inode = whose->cwd ? k_root() : NULL; break;
    case K_PROC_FD: {
        struct k_file *file = k_fd(whose, link->number);
        inode = file ? file->inode : NULL;
        break;
    }
    default: break;
    }
    if (!inode) return -PF_ENOENT;
    *out = k_inode_get(inode);
    return 0;
}

static int64_t node_path(const struct k_inode *inode, char *to) {
    char *at = k_put_text(to, "/proc");
    if (inode->pid) {
        *at++ = '/';
        at = k_put_number(at, (uint64_t)inode->pid);
    }
    if (inode->node == K_PROC_FD_DIR) return k_put_text(at, "/fd") - to;
    const struct entry *entries = inode->pid ? process_entries : root_entries;
    uint32_t count = inode->pid ? K_COUNT(process_entries) : K_COUNT(root_entries);
    for (uint32_t i = 0; i < count; i++) {
        if (entries[i].node != inode->node) continue;
        *at++ = '/';
        at = k_put_text(at, entries[i].name);
    }
    return at - to;
}

int64_t k_procfs_path(const struct k_inode *inode, char *to, uint32_t cap) {
    return cap < 64 ? -PF_ENAMETOOLONG : node_path(inode, to);
}

/* `to` has room for a path and a little more. */
static int64_t describe(const struct k_inode *inode, char *to, uint32_t cap) {
    if (inode->kind == K_PIPE || inode->kind == K_STREAM) {
        if (!inode->counted) {
            char *at = k_put_text(to, inode->kind == K_PIPE ? "pipe:[" : "stream:[");
            at = k_put_number(at, inode->ino);
            *at++ = ']';
            return at - to;
        }
    }
    int64_t len = k_path_of(inode, to, cap);
    return len == -PF_ENOENT ? k_put_text(to, "/ (deleted)") - to : len;
}

int64_t k_procfs_readlink(struct k_proc *proc, const struct k_inode *link, char *to, uint32_t cap) {
    if (link->node == K_PROC_SELF) return k_put_number(to, (uint64_t)proc->pid) - to;
    struct k_inode *target;
    int error = k_procfs_follow(proc, link, &target);
    if (error) return error;
    int64_t len = describe(target, to, cap);
    k_inode_put(target);
    return len;
}

/* ------------------------------------------------------------------ listing */

#define FIRST_NUMBER 64 /* positions: . and .., fixed names from 2, numbers from here */

int64_t k_procfs_list(struct k_proc *proc, struct k_file *file, uint8_t *to, uint32_t cap) {
    struct k_inode *dir = file->inode;
    const struct entry *entries = dir->node == K_PROC_ROOT ? root_entries : process_entries;
    int64_t count = dir->node == K_PROC_ROOT  ? (int64_t)K_COUNT(root_entries)
                    : dir->node == K_PROC_PID ? (int64_t)K_COUNT(process_entries)
                                              : 0;
    uint32_t used = 0, size;
    for (; file->offset < 2 + count; file->offset++, used += size) {
        uint32_t at = (uint32_t)file->offset;
        if (at < 2)
            size = k_dirent_pack(to + used, cap - used, dir->ino, K_IFDIR, "..", at + 1);
        else
            size = k_dirent_pack(to + used, cap - used,
                                 number_of(entries[at - 2].node, dir->pid, 0), entries[at - 2].mode,
                                 entries[at - 2].name, (uint32_t)strlen(entries[at - 2].name));
        if (!size) return used ? (int64_t)used : -PF_EINVAL;
    }
    if (file->offset < FIRST_NUMBER) file->offset = FIRST_NUMBER;
    char name[20];
    if (dir->node == K_PROC_ROOT) {
        for (struct k_link *at = k_procs()->next; at != k_procs(); at = at->next) {
            struct k_proc *each = K_OUTER(at, struct k_proc, all);
            if (each->state == K_REAPED || each->pid < file->offset - FIRST_NUMBER) continue;
            uint32_t len = (uint32_t)(k_put_number(name, (uint64_t)each->pid) - name);
            size = k_dirent_pack(to + used, cap - used, number_of(K_PROC_PID, each->pid, 0),
                                 K_IFDIR, name, len);
            if (!size) return used ? (int64_t)used : -PF_EINVAL;
            used += size;
            file->offset = FIRST_NUMBER + each->pid + 1;
        }
    } else if (dir->node == K_PROC_FD_DIR) {
        struct k_proc *whose = dir->pid == proc->pid ? proc : k_proc_find(dir->pid);
        int64_t fd = file->offset - FIRST_NUMBER;
        for (; whose && fd < whose->fd_cap; fd++) {
            if (!whose->fds[fd].file) continue;
            uint32_t len = (uint32_t)(k_put_number(name, (uint64_t)fd) - name);
            size = k_dirent_pack(to + used, cap - used, number_of(K_PROC_FD, dir->pid, (int32_t)fd),
                                 K_IFLNK, name, len);
            if (!size) return used ? (int64_t)used : -PF_EINVAL;
            used += size;
            file->offset = FIRST_NUMBER + fd + 1;
        }
    }
    return used;
}
