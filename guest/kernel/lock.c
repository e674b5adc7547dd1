/*
 * lock.c: locks of files: records (fcntl) and whole files (flock).
 *
 * A record belongs to a process, which loses it when it closes any descriptor of the file, or to an
 * open file, as a lock of the whole file does, and then goes with that. Records and locks of whole
 * files do not see each other. There are few locks, so all are on one list, and so are the
 * processes that wait: a lock that shrinks or goes wakes everybody, and who cannot go on yet waits
 * again.
 */
#include "kernel.h"

#define LOCKS_MAX 4096u

struct k_lock {
    struct k_link link;
    struct k_inode *inode; /* open while there is a lock of it */
    const void *owner;     /* k_proc or k_file */
    int64_t first, last;   /* bytes; INT64_MAX: to the end, wherever that will be */
    int32_t pid;           /* of a process; -1 */
    bool whole, write;
};

static struct k_link locks, waiting; /* k_lock; k_waiter */
static uint32_t count;

void k_lock_boot(void) {
    k_list_init(&locks);
    k_list_init(&waiting);
    count = 0;
}

static struct k_lock *at_link(struct k_link *at) {
    return K_OUTER(at, struct k_lock, link);
}

static void drop(struct k_lock *lock) {
    K_ASSERT(count > 0 && lock->inode->locks > 0);
    lock->inode->locks--;
    count--;
    k_list_remove(&lock->link);
    k_free(lock);
    k_wake_all(&waiting);
}

static void put(struct k_lock *lock, const struct k_lock *as) {
    *lock = *as;
    lock->inode->locks++;
    count++;
    k_list_append(&locks, &lock->link);
}

static bool same_owner(const struct k_lock *a, const struct k_lock *b) {
    return a->inode == b->inode && a->whole == b->whole && a->owner == b->owner;
}

/* The first lock in the file that stands in the way of one that is wanted. */
static const struct k_lock *conflict(const struct k_lock *want) {
    const struct k_lock *found = NULL;
    for (struct k_link *at = locks.next; at != &locks; at = at->next) {
        const struct k_lock *lock = at_link(at);
        if (lock->inode != want->inode || lock->whole != want->whole) continue;
        if (lock->owner == want->owner || !(lock->write || want->write)) continue;
        if (lock->first > want->last || want->first > lock->last) continue;
        if (!found || lock->first < found->first) found = lock;
    }
    return found;
}

/* Does the owner of a lock wait, over others, for this process, so that it never gives the lock
 * back? */
static bool deadlock(const struct k_proc *proc, const struct k_lock *lock) {
    const struct k_proc *owner = lock->pid > 0 ? lock->owner : NULL;
    for (uint32_t steps = 0; owner && steps < PF_PROCESS_TABLE; steps++) {
        if (owner == proc) return true;
        owner = owner->state == K_WAITING ? owner->lock_of : NULL;
    }
    return false;
}

static bool touches(const struct k_lock *a, const struct k_lock *b) {
    return (a->last == INT64_MAX || b->first <= a->last + 1) &&
           (b->last == INT64_MAX || a->first <= b->last + 1);
}

/* What another lock of its owner leaves of one; with `right` when that is in its middle. */
static void cut(struct k_lock *lock, const struct k_lock *by, struct k_lock **right) {
    if (lock->first > by->last || by->first > lock->last) return;
    bool before = lock->first < by->first, behind = lock->last > by->last;
    if (before && behind) {
        struct k_lock rest = *lock;
        rest.first = by->last + 1;
        put(*right, &rest);
        *right = NULL;
    }
    if (before)
        lock->last = by->first - 1;
    else if (behind)
        lock->first = by->last + 1;
    else {
        drop(lock);
        return;
    }
    k_wake_all(&waiting);
}

/* Makes the bytes of `want` locked so, or free. */
static int set(struct k_lock want, bool unlock) {
    bool middle = false;
    for (struct k_link *at = locks.next; at != &locks; at = at->next) {
        const struct k_lock *lock = at_link(at);
        if (same_owner(lock, &want) && (unlock || lock->write != want.write))
            middle |= lock->first < want.first && lock->last > want.last;
    }
    if (count + middle + !unlock > LOCKS_MAX) return -PF_ENOLCK;
    struct k_lock *fresh = unlock ? NULL : k_alloc(sizeof *fresh);
    struct k_lock *right = middle ? k_alloc(sizeof *right) : NULL;
    if ((!unlock && !fresh) || (middle && !right)) {
        k_free(fresh);
        k_free(right);
        return -PF_ENOLCK;
    }
    for (struct k_link *at = locks.next, *next; at != &locks; at = next) {
        struct k_lock *lock = at_link(at);
        next = at->next;
        if (!same_owner(lock, &want)) continue;
        if (unlock || lock->write != want.write) {
            cut(lock, &want, &right);
        } else if (touches(lock, &want)) {
            if (lock->first < want.first) want.first = lock->first;
            if (lock->last > want.last) want.last = lock->last;
            drop(lock);
        }
    }
    if (!unlock) put(fresh, &want);
    return 0;
}

static void drop_all(const void *owner, const struct k_inode *inode) {
    for (struct k_link *at = locks.next, *next; inode->locks && at != &locks; at = next) {
        struct k_lock *lock = at_link(at);
        next = at->next;
        if (lock->inode == inode && lock->owner == owner) drop(lock);
    }
}

void k_lock_closed(const struct k_proc *proc, const struct k_inode *inode) {
    if (inode->locks) drop_all(proc, inode);
}

void k_lock_file_gone(const struct k_file *file) {
    if (file->inode->locks) drop_all(file, file->inode);
}

/* From what was asked for to the bytes that are meant. */
static int range(const struct k_file *file, const struct pf_lock *asked, struct k_lock *want) {
    int64_t start = 0;
    switch (asked->whence) {
    case 0: break;
    case 1: start = file->offset; break;
    case 2: start = file->inode->kind == K_FILE ? file->inode->size : 0; break;
    default: return -PF_EINVAL;
    }
    if (__builtin_add_overflow(start, asked->start, &start)) return -PF_EOVERFLOW;
    if (start < 0) return -PF_EINVAL;
    want->first = start;
    want->last = INT64_MAX;
    if (asked->len > 0 && __builtin_add_overflow(start, asked->len - 1, &want->last))
        return -PF_EOVERFLOW;
    if (asked->len < 0) {
        want->last = start - 1;
        if (__builtin_add_overflow(start, asked->len, &want->first) || want->first < 0)
            return -PF_EINVAL;
    }
    return 0;
}

static int64_t test(struct k_call *call, const struct k_lock *want, struct pf_lock answer) {
    const struct k_lock *lock = conflict(want);
    answer.type = PF_LOCK_NONE;
    if (lock) {
        answer.type = lock->write ? PF_LOCK_WRITE : PF_LOCK_READ;
        answer.whence = 0;
        answer.start = lock->first;
        answer.len = lock->last == INT64_MAX ? 0 : lock->last - lock->first + 1;
        answer.pid = lock->pid;
    }
    return k_out_struct(call, &answer, sizeof answer);
}

int64_t k_do_LOCK(struct k_call *call) {
    struct k_proc *proc = call->proc;
    proc->lock_of = NULL;
    struct k_file *file = k_fd(proc, k_arg(call, 0));
    int64_t how = k_arg(call, 1), kind = k_arg(call, 2);
    struct pf_lock asked;
    if (!file || file->flags & PF_O_PATH) return -PF_EBADF;
    if (call->msg->in_len != sizeof asked || how < PF_LOCK_TEST || how > PF_LOCK_WAIT)
        return -PF_EINVAL;
    if (kind < PF_LOCK_OF_PROCESS || kind > PF_LOCK_OF_WHOLE) return -PF_EINVAL;
    memcpy(&asked, call->in, sizeof asked);
    if (asked.type > PF_LOCK_NONE) return -PF_EINVAL;
    struct k_lock want = {.inode = file->inode,
                          .owner = kind == PF_LOCK_OF_PROCESS ? (void *)proc : (void *)file,
                          .pid = kind == PF_LOCK_OF_PROCESS ? proc->pid : -1,
                          .whole = kind == PF_LOCK_OF_WHOLE,
                          .write = asked.type == PF_LOCK_WRITE,
                          .last = INT64_MAX};
    int error = want.whole ? 0 : range(file, &asked, &want);
    if (error) return error;
    bool unlock = asked.type == PF_LOCK_NONE;
    if (how == PF_LOCK_TEST) return unlock ? -PF_EINVAL : test(call, &want, asked);
    uint32_t access = file->flags & PF_O_ACCMODE;
    if (!want.whole && !unlock && access == (want.write ? PF_O_RDONLY : PF_O_WRONLY))
        return -PF_EBADF;
    if (unlock) return set(want, true);
    const struct k_lock *other = conflict(&want);
    if (!other) return set(want, false);
    /* As on Linux, a process that asks for another lock of the whole file gives back the one that
     * it has. */
    if (want.whole) set(want, true);
    if (how == PF_LOCK_SET) return -PF_EAGAIN;
    if (kind == PF_LOCK_OF_PROCESS && deadlock(proc, other)) return -PF_EDEADLK;
    int64_t result = k_wait(call, &waiting, true);
    bool of_process = kind == PF_LOCK_OF_PROCESS && other->pid > 0;
    if (result == K_BLOCK && of_process) proc->lock_of = other->owner;
    return result;
}

#ifndef __wasm__
void k_lock_check(void) {
    uint32_t found = 0;
    for (struct k_link *at = locks.next; at != &locks; at = at->next) {
        const struct k_lock *lock = at_link(at);
        K_ASSERT(lock->inode->refs > 0 && lock->inode->locks > 0 && lock->first <= lock->last);
        K_ASSERT(lock->first >= 0 && (!lock->whole || (!lock->first && lock->last == INT64_MAX)));
        K_ASSERT(!conflict(lock));
        found++;
    }
    K_ASSERT(found == count);
}
#endif
