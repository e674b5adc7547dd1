/*
 * tree.c: every name below the root in bulk, for a host that lists the files of a sandbox.
 *
 * One call gives as many entries as fit, a directory before what is in it, and says where in this
 * memory the contents of a file lie instead of giving them. Nothing changes by that: no time, no
 * allocation, and the answer lies in the area of messages. So a sandbox that was listed is to the
 * byte what it was. Between the calls of one list the kernel knows where it stopped.
 */
#include "kernel.h"

#define SKIP_MAX 32u

/* Where the list goes on; entry NULL: none is begun. */
static struct {
    struct k_dirent *entry;
    int64_t offset;  /* in that file's contents */
    uint32_t depth;  /* 1: in the root */
    uint32_t number; /* calls of this list so far */
} at;

struct skipped {
    const struct k_inode *dirs[SKIP_MAX];
    uint32_t count;
};

void k_tree_boot(void) {
    memset(&at, 0, sizeof at);
}

void k_tree_forget(const struct k_dirent *entry) {
    if (at.entry == entry) at.entry = NULL;
}

static struct k_dirent *first_of(const struct k_inode *dir) {
    return k_list_empty(&dir->entries) ? NULL : K_OUTER(dir->entries.next, struct k_dirent, order);
}

/* The entry behind this one and all that is in it. */
static void pass(void) {
    at.offset = 0;
    for (struct k_dirent *entry = at.entry; entry; entry = entry->dir->link, at.depth--) {
        if (entry->order.next != &entry->dir->entries) {
            at.entry = K_OUTER(entry->order.next, struct k_dirent, order);
            return;
        }
        if (entry->dir == k_root()) break;
    }
    at.entry = NULL;
}

static bool is_skipped(const struct skipped *skipped, const struct k_inode *inode) {
    for (uint32_t i = 0; i < skipped->count; i++)
        if (skipped->dirs[i] == inode) return true;
    return false;
}

static void step(const struct skipped *skipped) {
    const struct k_inode *inode = at.entry->inode;
    struct k_dirent *inner =
        inode->kind == K_DIR && !is_skipped(skipped, inode) ? first_of(inode) : NULL;
    if (!inner) {
        pass();
        return;
    }
    at.entry = inner;
    at.depth++;
}

/* What is at an absolute path without links, as it is here: nothing is asked of a mount. */
static const struct k_inode *here(const char *path, uint32_t len) {
    const struct k_inode *inode = k_root();
    for (uint32_t from = 0, to; inode && from < len; from = to) {
        while (from < len && path[from] == '/') from++;
        for (to = from; to < len && path[to] != '/';) to++;
        if (to == from) break;
        const struct k_dirent *entry =
            inode->kind == K_DIR ? k_dir_find(inode, path + from, to - from) : NULL;
        inode = entry ? entry->inode : NULL;
    }
    return inode;
}

static int read_skipped(const struct k_call *call, struct skipped *skipped) {
    skipped->count = 0;
    for (uint32_t from = 0, to; from < call->msg->in_len; from = to + 1) {
        for (to = from; to < call->msg->in_len && call->in[to];) to++;
        if (skipped->count == SKIP_MAX) return -PF_E2BIG;
        const struct k_inode *inode = here((const char *)call->in + from, to - from);
        if (inode) skipped->dirs[skipped->count++] = inode;
    }
    return 0;
}

/* The next bytes of the contents that were written, from at.offset on; false: there are none. */
static bool next_piece(const struct k_inode *inode, struct pf_tree_piece *piece) {
    const uint8_t *bytes;
    if (inode->kind == K_SYMLINK) {
        if (at.offset >= inode->target_len) return false;
        bytes = (const uint8_t *)inode->target;
        *piece = (struct pf_tree_piece){0, (uint32_t)(uintptr_t)bytes, inode->target_len};
        at.offset = inode->target_len;
        return true;
    }
    if (inode->kind != K_FILE || inode->source) return false;
    for (;;) {
        int64_t from = k_data_seek(&inode->data, at.offset, inode->size, false);
        if (from >= inode->size) return false;
        int64_t left = inode->size - from;
        uint32_t len = left < PF_IO_MAX ? (uint32_t)left : PF_IO_MAX;
        len = k_data_piece(&inode->data, from, len, &bytes);
        at.offset = from + len;
        *piece = (struct pf_tree_piece){(uint64_t)from, (uint32_t)(uintptr_t)bytes, len};
        if (!k_data_is_hole(bytes)) return true;
    }
}

/* One entry with as many pieces as fit; 0: there is no room for it. at.entry moves on when all of
 * it was given. */
static uint32_t put(uint8_t *to, uint32_t cap, const struct skipped *skipped) {
    const struct k_dirent *entry = at.entry;
    struct k_inode *inode = entry->inode;
    uint32_t names = (entry->len + 7u) & ~7u;
    uint32_t used = (uint32_t)sizeof(struct pf_tree_entry) + names;
    if (used + sizeof(struct pf_tree_piece) > cap) return 0;
    struct pf_tree_entry head = {.ino = inode->ino,
                                 .mtime_ns = inode->mtime,
                                 .ctime_ns = inode->ctime,
                                 .mode = inode->mode,
                                 .uid = inode->uid,
                                 .nlink = inode->nlink,
                                 .depth = at.depth,
                                 .name_len = entry->len,
                                 .flags = at.offset ? PF_TREE_CONTINUED : 0};
    if (inode->kind == K_FILE) head.size = (uint64_t)inode->size;
    if (inode->kind == K_SYMLINK) head.size = inode->target_len;
    if (inode->source) head.flags |= PF_TREE_ABSENT;
    memset(to + used - 8, 0, 8);
    memcpy(to + sizeof head, entry->name, entry->len);
    struct pf_tree_piece piece;
    bool more = true;
    while (used + sizeof piece <= cap && (more = next_piece(inode, &piece))) {
        memcpy(to + used, &piece, sizeof piece);
        used += (uint32_t)sizeof piece;
        head.pieces++;
    }
    memcpy(to, &head, sizeof head);
    if (!more || at.offset >= (int64_t)head.size) step(skipped);
    return used;
}

int64_t k_do_HOST_TREE(struct k_call *call) {
    int64_t number = k_arg(call, 0);
    struct skipped skipped;
    if (number < 0) {
        k_tree_boot();
        return 0;
    }
    if (number == 0) {
        k_tree_boot();
        at.entry = first_of(k_root());
        at.depth = 1;
    }
    if (number != at.number || !at.entry || call->msg->in_len > K_TREE_IN) return -PF_EINVAL;
    int error = read_skipped(call, &skipped);
    if (error) return error;
    uint8_t *to = k_tree_area();
    uint32_t cap = k_out_cap(call), used = 0;
    while (at.entry) {
        uint32_t size = put(to + used, cap - used, &skipped);
        if (!size) break;
        used += size;
    }
    if (at.entry && !used) return -PF_EINVAL;
    k_out(call, to, used);
    if (at.entry) return ++at.number;
    k_tree_boot(); /* nothing of it stays */
    return 0;
}
