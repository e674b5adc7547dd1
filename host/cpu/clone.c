/*
 * host/cpu/clone.c: which pages an instance has written, and copies of it for a fork of its
 * sandbox.
 *
 * What lives long is mapped copy-on-write from a template, so a copy is the same mapping plus the
 * pages that were written since. Linux tells which those are (/proc/self/pagemap); where it does
 * not, they are found by comparing. Page faults dominate a copy, so pages are made present in
 * batches.
 */
#include "cpu.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BATCH 512 /* pages whose state is asked for at once */

/* Bits of an entry of pagemap (Documentation/admin-guide/mm/pagemap.rst). */
#define PRESENT (1ull << 63)
#define SWAPPED (1ull << 62)
#define SHARED  (1ull << 61) /* of a file: still the template's page */

enum part { NONE, SOME, ALL };

/* How much of a page means anything. */
static enum part live_part(const struct cpu_range *live, int count, size_t page) {
    for (int i = 0; i < count; i++) {
        if (live[i].from <= page && page + CPU_PAGE <= live[i].to) return ALL;
        if (live[i].from < page + CPU_PAGE && page < live[i].to) return SOME;
    }
    return NONE;
}

/* By content, for systems that do not tell. */
static bool content_differs(const struct cpu_slot *slot, size_t page) {
    const uint8_t *before = slot->file_to ? cpu_template_page(slot->origin, page) : cpu_zero_page;
    return memcmp(slot->base + page, before, CPU_PAGE) != 0;
}

static bool was_written(const struct cpu_slot *slot, size_t page, uint64_t entry) {
    bool mapped = slot->file_from <= page && page < slot->file_to;
    return entry & SWAPPED || (entry & PRESENT && !(mapped && entry & SHARED));
}

void cpu_each_written_page(const cpu_instance *instance, cpu_page_fn function, void *user) {
    const struct cpu_slot *slot = instance->slot;
    struct cpu_range live[CPU_LIVE_MAX];
    int live_count = cpu_live_ranges(instance, live);
    int pagemap = getpagesize() == CPU_PAGE ? open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) : -1;
    size_t size = instance->memory->size;
    for (size_t at = 0; at < size; at += BATCH * CPU_PAGE) {
        uint64_t entries[BATCH];
        size_t left = (size - at) / CPU_PAGE, pages = left < BATCH ? left : BATCH;
        off_t offset = (off_t)(((uintptr_t)slot->base + at) / CPU_PAGE * sizeof *entries);
        ssize_t want = (ssize_t)(pages * sizeof *entries);
        bool told = pagemap >= 0 && pread(pagemap, entries, (size_t)want, offset) == want;
        for (size_t i = 0; i < pages; i++) {
            size_t page = at + i * CPU_PAGE;
            enum part part = live_part(live, live_count, page);
            if (part == SOME || (part == ALL && (told ? was_written(slot, page, entries[i])
                                                      : content_differs(slot, page))))
                function(user, page);
        }
    }
    if (pagemap >= 0) close(pagemap);
}

/* Pages that lie side by side are copied together. */
struct copy {
    const uint8_t *from;
    uint8_t *to;
    size_t begin, end;
};

static void flush(struct copy *c) {
    size_t len = c->end - c->begin;
    if (len == 0) return;
#ifdef MADV_POPULATE_WRITE
    if (len > CPU_PAGE) madvise(c->to + c->begin, len, MADV_POPULATE_WRITE); /* only a hint */
#endif
    memcpy(c->to + c->begin, c->from + c->begin, len);
    c->begin = c->end = 0;
}

static void add(void *user, size_t page) {
    struct copy *c = user;
    if (c->end != page) {
        flush(c);
        c->begin = page;
    }
    c->end = page + CPU_PAGE;
}

cpu_instance *cpu_instance_clone(const cpu_instance *from, struct cpu_budget *budget) {
    const struct cpu_slot *slot = from->slot;
    cpu_instance *copy = cpu_instance_like(from, budget, NULL);
    if (!copy) return NULL;
    bool ok = !slot->file_to || cpu_template_map(slot->origin, copy->slot);
    if (!ok || !cpu_slot_resize(copy->slot, from->memory->size)) {
        cpu_instance_free(copy);
        errno = ENOMEM;
        return NULL;
    }
    copy->slot->dirty = true;
    struct copy c = {.from = slot->base, .to = copy->slot->base};
    cpu_each_written_page(from, add, &c);
    flush(&c);
    return copy;
}
