/*
 * host/cpu/clone.c: a copy of an instance for a fork of the whole sandbox.
 *
 * What lives long is mapped copy-on-write from a template, so the copy is the same mapping plus the
 * pages that were written since. Linux tells which those are (/proc/self/pagemap); where it does not,
 * they are found by comparing. Page faults dominate, so pages are made present in batches.
 */
#include "cpu.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096u
#define BATCH 512 /* pages whose state is asked for at once */

/* Bits of an entry of pagemap (Documentation/admin-guide/mm/pagemap.rst). */
#define PRESENT (1ull << 63)
#define SWAPPED (1ull << 62)
#define SHARED  (1ull << 61) /* of a file: still the template's page */

struct copy {
    const cpu_instance *from;
    uint8_t *to;
    struct cpu_range live[CPU_LIVE_MAX];
    int live_count;
    int pagemap;              /* -1: not to be had */
    size_t run_from, run_to;  /* pages that are to be copied, not copied yet */
};

static bool means_something(const struct copy *c, size_t page) {
    for (int i = 0; i < c->live_count; i++)
        if (c->live[i].from < page + PAGE && page < c->live[i].to) return true;
    return false;
}

static void flush(struct copy *c) {
    size_t len = c->run_to - c->run_from;
    if (len == 0) return;
#ifdef MADV_POPULATE_WRITE
    if (len > PAGE) madvise(c->to + c->run_from, len, MADV_POPULATE_WRITE); /* only a hint */
#endif
    memcpy(c->to + c->run_from, c->from->slot->base + c->run_from, len);
    c->run_from = c->run_to = 0;
}

static void add(struct copy *c, size_t page) {
    if (c->run_to != page) {
        flush(c);
        c->run_from = page;
    }
    c->run_to = page + PAGE;
}

/* Was this page written since it was mapped? `entry` is what pagemap says. */
static bool differs(const struct copy *c, size_t page, uint64_t entry) {
    const struct cpu_slot *slot = c->from->slot;
    bool mapped = page < slot->file_mapped;
    if (c->pagemap >= 0)
        return entry & SWAPPED || (entry & PRESENT && !(mapped && entry & SHARED));
    static const uint8_t zero[PAGE];
    return memcmp(slot->base + page, mapped ? slot->origin->data + page : zero, PAGE) != 0;
}

static void copy_pages(struct copy *c) {
    size_t size = c->from->memory->size;
    for (size_t at = 0; at < size; at += BATCH * PAGE) {
        uint64_t entries[BATCH] = {0};
        size_t pages = (size - at) / PAGE < BATCH ? (size - at) / PAGE : BATCH;
        off_t offset = (off_t)(((uintptr_t)c->from->slot->base + at) / PAGE * sizeof *entries);
        ssize_t want = (ssize_t)(pages * sizeof *entries);
        if (c->pagemap >= 0 && pread(c->pagemap, entries, (size_t)want, offset) != want) {
            close(c->pagemap);
            c->pagemap = -1;
        }
        for (size_t i = 0; i < pages; i++) {
            size_t page = at + i * PAGE;
            if (means_something(c, page) && differs(c, page, entries[i])) add(c, page);
        }
    }
    flush(c);
}

cpu_instance *cpu_instance_clone(const cpu_instance *from, struct cpu_budget *budget) {
    const struct cpu_slot *slot = from->slot;
    cpu_instance *copy = cpu_instance_like(from, budget, NULL);
    if (!copy) return NULL;
    bool ok = !slot->file_mapped || cpu_slot_map(copy->slot, slot->origin->fd, slot->file_mapped);
    if (slot->file_mapped) copy->slot->origin = slot->origin;
    if (!ok || !cpu_slot_resize(copy->slot, from->memory->size)) {
        cpu_instance_free(copy);
        errno = ENOMEM;
        return NULL;
    }
    copy->slot->dirty = true;
    struct copy c = {.from = from, .to = copy->slot->base};
    c.live_count = cpu_live_ranges(from, c.live);
    c.pagemap = getpagesize() == PAGE ? open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) : -1;
    copy_pages(&c);
    if (c.pagemap >= 0) close(c.pagemap);
    return copy;
}
