/*
 * host/cpu/memory.c: the pool of reservations. See memory.h.
 */
#include "memory.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Empty slots that are kept; each costs address space only. Of those that have a template's bytes
 * mapped, each costs the system's tables of it as well. */
#define POOL_MAX  4096
#define READY_MAX 64
/* What mmap(2) counts in. */
#define PAGE 4096u
/* To copy so much costs no more than to see the next first write there. */
#define SEALED_AGAIN (64u << 10)

static struct {
    pthread_mutex_t lock;
    struct cpu_slot *free;
    unsigned count;
    struct cpu_slot *ready; /* their origin's bytes are mapped, and nobody has written to them */
    unsigned ready_count;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct cpu_slot *reserve(void) {
    struct cpu_slot *slot = calloc(1, sizeof *slot);
    if (!slot) return NULL;
    void *base = mmap(NULL, CPU_SLOT_BYTES, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) {
        free(slot);
        return NULL;
    }
    slot->base = base;
    return slot;
}

struct cpu_slot *cpu_slot_acquire(void) {
    pthread_mutex_lock(&pool.lock);
    struct cpu_slot *slot = pool.free;
    if (slot) {
        pool.free = slot->next;
        pool.count--;
    }
    pthread_mutex_unlock(&pool.lock);
    if (!slot) slot = reserve();
    if (slot) slot->next = NULL;
    assert(!slot || (slot->accessible == 0 && slot->file_to == 0 && !slot->dirty && !slot->sealed));
    return slot;
}

struct cpu_slot *cpu_slot_ready(const struct cpu_template *origin) {
    assert(origin);
    pthread_mutex_lock(&pool.lock);
    struct cpu_slot **at = &pool.ready, *slot;
    while ((slot = *at) && slot->origin != origin) at = &slot->next;
    if (slot) {
        *at = slot->next;
        pool.ready_count--;
    }
    pthread_mutex_unlock(&pool.lock);
    if (slot) slot->next = NULL;
    assert(!slot || (slot->file_to && !slot->dirty && slot->lasting &&
           slot->accessible == slot->began_with));
    return slot;
}

void cpu_slots_hold(void) { pthread_mutex_lock(&pool.lock); }
void cpu_slots_go_on(void) { pthread_mutex_unlock(&pool.lock); }

static void destroy(struct cpu_slot *slot) {
    assert(slot->base);
    munmap(slot->base, CPU_SLOT_BYTES);
    free(slot);
}

/* Replaces [from, to) by untouched, inaccessible address space. */
static bool vacate(struct cpu_slot *slot, size_t from, size_t to) {
    if (from >= to) return true;
    assert(to <= CPU_SLOT_BYTES && from % PAGE == 0 && to % PAGE == 0);
    return mmap(slot->base + from, to - from, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

/* Its pages are new ones. */
static void forget_copy(struct cpu_slot *slot) {
    slot->copied = NULL;
    slot->sealed_from = slot->sealed_to = 0;
    slot->seal_count = slot->sealed = slot->broken = 0;
}

/* Into one of the pool's two lists; false: it is full. */
static bool pool_put(struct cpu_slot **list, unsigned *count, unsigned most,
                     struct cpu_slot *slot) {
    pthread_mutex_lock(&pool.lock);
    bool keep = *count < most;
    if (keep) {
        slot->next = *list;
        *list = slot;
        ++*count;
    }
    pthread_mutex_unlock(&pool.lock);
    return keep;
}

/* Its pages are the template's again, and its mappings stay. False: it has to be vacated. */
static bool make_ready(struct cpu_slot *slot) {
    if (!slot->lasting || slot->file_to == 0 || slot->sealed) return false;
    if (slot->accessible != slot->began_with) return false;
    /* Refused for memory that is locked (mlockall(2)). */
    if (madvise(slot->base, slot->accessible, MADV_DONTNEED) != 0) return false;
    slot->dirty = false;
    assert(slot->origin && slot->file_to <= slot->accessible);
    return pool_put(&pool.ready, &pool.ready_count, READY_MAX, slot);
}

void cpu_slot_release(struct cpu_slot *slot) {
    if (!slot || make_ready(slot)) return;
    if (!vacate(slot, 0, slot->accessible)) {
        destroy(slot); /* unmapping cannot leak bytes either */
        return;
    }
    slot->accessible = slot->file_from = slot->file_to = 0;
    slot->lasting = false;
    forget_copy(slot);
    slot->dirty = false;
    if (!pool_put(&pool.free, &pool.count, POOL_MAX, slot)) destroy(slot);
}

bool cpu_slot_resize(struct cpu_slot *slot, size_t size) {
    assert(size <= CPU_SLOT_BYTES && size % PAGE == 0);
    if (size < slot->accessible) {
        if (!vacate(slot, size, slot->accessible)) return false;
        if (slot->file_to > size) slot->file_to = size;
    } else if (size > slot->accessible) {
        if (mprotect(slot->base + slot->accessible, size - slot->accessible,
                     PROT_READ | PROT_WRITE) != 0)
            return false;
    }
    assert(slot->file_to <= size && slot->sealed_to <= size);
    slot->accessible = size;
    return true;
}

bool cpu_slot_map(struct cpu_slot *slot, int fd, size_t offset, size_t from, size_t to,
                  size_t size) {
    assert(to % PAGE == 0 && size <= CPU_SLOT_BYTES);
    assert(from <= to && to <= size && from % PAGE == 0 && offset % PAGE == 0);
    if (!vacate(slot, 0, slot->accessible)) return false;
    slot->accessible = slot->file_from = slot->file_to = 0;
    if (!cpu_slot_resize(slot, size)) return false;
    if (from < to && mmap(slot->base + from, to - from, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, fd, (off_t)offset) == MAP_FAILED)
        return false;
    slot->file_from = from;
    slot->file_to = to;
    slot->lasting = false;
    slot->began_with = size;
    forget_copy(slot);
    slot->dirty = false;
    return true;
}

void cpu_slot_discard(struct cpu_slot *slot, size_t from, size_t to) {
    assert(from <= to && to <= slot->accessible);
    madvise(slot->base + from, to - from, MADV_DONTNEED); /* else they stay: nobody minds */
}

/* Around what is sealed. */
static void bound_seals(struct cpu_slot *slot) {
    assert(slot->seal_count <= CPU_SEALS_MAX);
    slot->sealed_from = slot->sealed_to = 0;
    for (unsigned i = 0; i < slot->seal_count; i++) {
        if (!(slot->sealed & 1u << i)) continue;
        if (!slot->sealed_to) slot->sealed_from = slot->seals[i].from;
        slot->sealed_to = slot->seals[i].to;
    }
}

static bool is_small(struct cpu_range part) { return part.to - part.from <= SEALED_AGAIN; }

void cpu_slot_seal(struct cpu_slot *slot, bool small) {
#ifdef PF_NO_SIGNALS
    return; /* nobody would see the first write */
#endif
    unsigned before = slot->sealed;
    for (unsigned i = 0; i < slot->seal_count; i++) {
        const struct cpu_range *part = &slot->seals[i];
        if ((slot->sealed | slot->broken) & 1u << i || (!small && is_small(*part))) continue;
        assert(part->from < part->to && part->to <= slot->accessible);
        if (mprotect(slot->base + part->from, part->to - part->from, PROT_READ) == 0)
            slot->sealed |= 1u << i;
    }
    if (slot->sealed != before) bound_seals(slot);
}

bool cpu_slot_sealed_at(const struct cpu_slot *slot, size_t at) {
    for (unsigned i = 0; i < slot->seal_count; i++)
        if (slot->sealed & 1u << i && slot->seals[i].from <= at && at < slot->seals[i].to)
            return true;
    return false;
}

bool cpu_slot_unseal(struct cpu_slot *slot, size_t from, size_t to) {
    assert(from <= to && slot->seal_count <= CPU_SEALS_MAX);
    for (unsigned i = 0; i < slot->seal_count; i++) {
        const struct cpu_range *part = &slot->seals[i];
        if (!(slot->sealed & 1u << i) || part->to <= from || to <= part->from) continue;
        assert(part->from < part->to && part->to <= slot->accessible);
        if (mprotect(slot->base + part->from, part->to - part->from, PROT_READ | PROT_WRITE) != 0)
            return false;
        slot->sealed &= ~(1u << i);
        if (is_small(*part)) slot->broken |= 1u << i;
    }
    bound_seals(slot);
    return true;
}
