/*
 * check.c: every invariant that can be checked, for tests; never called in production, and not part
 * of the wasm module.
 *
 * Counts all references anew, by walking everything that can hold one, and compares them with the
 * counts that the kernel keeps.
 */
#include "kernel.h"

#ifndef __wasm__

#define MANY 16384

/* What an inode, an open file or a pipe ought to have. */
enum what { INODE, OPEN_FILE, PIPE };
static struct tally {
    const void *object;
    enum what what;
    uint32_t refs;  /* of a pipe: readers */
    uint32_t names; /* of a pipe: writers */
    uint32_t subdirs;
} tallies[MANY];
static uint32_t tally_count;

static struct tally *tally(const void *object, enum what what, bool *is_new) {
    uint32_t at = (uint32_t)((uintptr_t)object >> 4) * 2654435761u % MANY;
    while (tallies[at].object && tallies[at].object != object) at = (at + 1) % MANY;
    *is_new = !tallies[at].object;
    if (*is_new) {
        K_ASSERT(++tally_count < MANY / 2);
        tallies[at] = (struct tally){.object = object, .what = what};
    }
    K_ASSERT(tallies[at].what == what);
    return &tallies[at];
}

static void count_inode(struct k_inode *inode, uint32_t refs, uint32_t names);

static void count_entries(struct k_inode *dir) {
    if (dir->parent != dir) count_inode(dir->parent, 1, 0);
    uint64_t seq = 0;
    uint32_t count = 0, subdirs = 0;
    for (struct k_link *at = dir->entries.next; at != &dir->entries; at = at->next) {
        struct k_dirent *entry = K_OUTER(at, struct k_dirent, order);
        K_ASSERT(entry->dir == dir && entry->seq > seq && entry->seq < dir->next_seq);
        K_ASSERT(k_dir_find(dir, entry->name, entry->len) == entry);
        seq = entry->seq;
        count++;
        count_inode(entry->inode, 0, 1);
        if (k_type(entry->inode) == K_IFDIR) subdirs++;
        if (entry->inode->kind == K_DIR) K_ASSERT(entry->inode->parent == dir);
    }
    K_ASSERT(count == dir->count);
    bool is_new;
    tally(dir, INODE, &is_new)->subdirs = subdirs;
}

static void count_inode(struct k_inode *inode, uint32_t refs, uint32_t names) {
    bool is_new;
    struct tally *t = tally(inode, INODE, &is_new);
    t->refs += refs;
    t->names += names;
    if (is_new && inode->kind == K_DIR) count_entries(inode);
}

static void count_file(struct k_file *file) {
    bool is_new;
    tally(file, OPEN_FILE, &is_new)->refs++;
    if (!is_new) return;
    count_inode(file->inode, 1, 0);
    bool piped = file->inode->kind == K_PIPE || file->inode->kind == K_STREAM;
    if (!piped || file->flags & PF_O_PATH) return;
    struct tally *t = tally(file->inode->pipe, PIPE, &is_new);
    if ((file->flags & PF_O_ACCMODE) != PF_O_WRONLY) t->refs++;
    if ((file->flags & PF_O_ACCMODE) != PF_O_RDONLY) t->names++;
}

static void compare(const struct tally *t, uint64_t *counted) {
    if (t->what == OPEN_FILE) {
        K_ASSERT(((const struct k_file *)t->object)->refs == t->refs);
    } else if (t->what == PIPE) {
        const struct k_pipe *pipe = t->object;
        K_ASSERT(pipe->readers == t->refs && pipe->writers == t->names);
        K_ASSERT(pipe->used <= K_PIPE_SIZE && pipe->head < K_PIPE_SIZE);
    } else {
        const struct k_inode *inode = t->object;
        K_ASSERT(inode->refs == t->refs);
        if (inode->kind == K_DIR) {
            bool named = t->names || inode == k_root();
            K_ASSERT(inode->nlink == (named ? 2 + t->subdirs : 0));
        } else {
            K_ASSERT(inode->nlink == t->names);
        }
        if (inode->counted) ++*counted;
    }
}

static void check_references(void) {
    memset(tallies, 0, sizeof tallies);
    tally_count = 0;
    count_inode(k_root(), 1, 0); /* walk.c has one for ever */
    for (struct k_link *at = k_procs()->next;; at = at->next) {
        struct k_proc *proc = at == k_procs() ? k_host() : K_OUTER(at, struct k_proc, all);
        for (uint32_t fd = 0; fd < proc->fd_cap; fd++)
            if (proc->fds[fd].file) count_file(proc->fds[fd].file);
        if (proc->opening) count_file(proc->opening);
        if (proc->cwd) count_inode(proc->cwd, 1, 0);
        if (proc->exe) count_inode(proc->exe, 1, 0);
        if (proc == k_host()) break;
    }
    struct k_inode *held[4];
    uint32_t count = k_run_holds(held);
    for (uint32_t i = 0; i < count; i++) count_inode(held[i], 1, 0);
    if (k_mount_holds()) count_inode(k_mount_holds(), 1, 0);
    uint64_t counted = 0;
    for (uint32_t i = 0; i < MANY; i++)
        if (tallies[i].object) compare(&tallies[i], &counted);
    K_ASSERT(counted == k_inode_count());
}

static void check_process(const struct k_proc *proc) {
    K_ASSERT(k_proc_at(proc->index) == proc && proc->index > 0);
    K_ASSERT(k_linked(&proc->run) == (proc->state == K_READY && !proc->stopped));
    K_ASSERT((k_current() == proc) == (proc->state == K_RUNNING));
    K_ASSERT(!proc->parent || k_proc_alive(proc->parent));
    K_ASSERT(k_linked(&proc->sibling) == (proc->parent != NULL));
    if (k_proc_alive(proc)) {
        K_ASSERT(proc->cwd);
        K_ASSERT(!proc->opening || proc->state == K_WAITING || proc->state == K_READY ||
                 proc->state == K_RUNNING);
    } else {
        K_ASSERT(!proc->fds && !proc->cwd && !proc->start && k_list_empty(&proc->ops));
        K_ASSERT(!proc->timer_at[0] && !proc->timer_at[1] && k_list_empty(&proc->children));
        K_ASSERT(proc->state == K_ZOMBIE || proc->instance || proc->embryo);
    }
    for (uint32_t fd = 0; fd < proc->fd_hint; fd++)
        K_ASSERT(fd < proc->fd_cap && proc->fds[fd].file);
    bool waits = false;
    for (uint32_t i = 0; i < K_WAITERS; i++) waits |= k_linked(&proc->waiters[i].link);
    for (uint32_t i = 0; i < proc->more_count; i++) waits |= k_linked(&proc->more_waiters[i].link);
    K_ASSERT(!waits || proc->state == K_WAITING);
}

void k_check(void) {
    k_alloc_check();
    k_timer_check();
    k_lock_check();
    uint32_t alive = 0;
    for (struct k_link *at = k_procs()->next; at != k_procs(); at = at->next) {
        struct k_proc *proc = K_OUTER(at, struct k_proc, all);
        K_ASSERT(at->next->prev == at);
        if (proc->state != K_REAPED) alive++;
        check_process(proc);
    }
    K_ASSERT(alive == k_proc_count());
    check_references();
}

#endif
