/*
 * host/cpu/clone.c: which pages an instance has written, and copies of it for a fork of its
 * sandbox.
 *
 * What lives long is mapped copy-on-write from a template, so a copy is the same mapping plus the
 * pages that were written since. Linux tells which those are (/proc/self/pagemap); where it does
 * not, they are found by comparing. Page faults dominate a copy, so pages are made present in
 * batches; so are those that most processes of a wide template write.
 */
#include "cpu.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
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
    DEBUG_ASSERT(page % CPU_PAGE == 0);
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
    assert(slot && slot->file_to <= slot->accessible);
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
    assert(c->begin <= c->end);
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
    assert(page >= c->end);
    if (c->end != page) {
        flush(c);
        c->begin = page;
    }
    c->end = page + CPU_PAGE;
}

cpu_instance *cpu_instance_clone(const cpu_instance *from, struct cpu_budget *budget) {
    const struct cpu_slot *slot = from->slot;
    assert(from->state == CPU_UNWOUND && slot);
    cpu_instance *copy = cpu_instance_like(from, budget, NULL);
    if (!copy) return NULL;
    bool ok = !slot->file_to || cpu_template_map(slot->origin, copy->slot);
    if (!ok || !cpu_slot_resize(copy->slot, from->memory->size)) {
        cpu_instance_free(copy);
        errno = ENOMEM;
        return NULL;
    }
    copy->slot->dirty = true;
    assert(copy->slot->accessible == copy->memory->size);
    struct copy c = {.from = slot->base, .to = copy->slot->base};
    cpu_each_written_page(from, add, &c);
    flush(&c);
    return copy;
}

/* ---- what most processes of a wide template write */

#define HOT_LOOKS 4u
#define HOT_MOST  3u /* so many of them wrote a page that is hot */
#define HOT_STACK (128u << 10) /* below the stack pointer: what was written there counts, too */
#define HOT_GAP   2u /* a part goes on across so many pages that are not */

static void note(void *user, size_t page) {
    assert(page % CPU_PAGE == 0);
    const struct cpu_template *t = user;
    if (page < t->size) t->steady->written[page / CPU_PAGE]++;
}

static struct cpu_hot *find_hot(const struct cpu_template *t) {
    size_t pages = t->size / CPU_PAGE, parts = 0, end = 0;
    const uint8_t *written = t->steady->written;
    for (size_t i = 0; i < pages; i++) parts += written[i] >= HOT_MOST;
    struct cpu_hot *hot = malloc(sizeof *hot + parts * sizeof *hot->parts);
    if (!hot) return NULL;
    hot->count = 0;
    for (size_t i = 0; i < pages; i++) {
        if (written[i] < HOT_MOST) continue;
        if (hot->count == 0 || i > end + HOT_GAP)
            hot->parts[hot->count++].from = (uint32_t)(i * CPU_PAGE);
        end = i + 1;
        hot->parts[hot->count - 1].to = (uint32_t)(end * CPU_PAGE);
    }
    assert(hot->count <= parts);
    return hot;
}

void cpu_hot_learn(cpu_instance *ended) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const struct cpu_slot *slot = ended->slot;
    if (!slot || !slot->file_to || !slot->origin->wide) return;
    const struct cpu_template *t = slot->origin;
    if (atomic_load_explicit(&t->steady->looked, memory_order_relaxed) >= HOT_LOOKS) return;
    pthread_mutex_lock(&lock);
    if (!t->steady->written) t->steady->written = calloc(t->size / CPU_PAGE, 1);
    if (t->steady->written && atomic_load(&t->steady->looked) < HOT_LOOKS) {
        uint32_t *sp = ended->image->stack_pointer(ended->module);
        *sp = *sp > HOT_STACK ? *sp - HOT_STACK : 0; /* what it had there counts */
        cpu_each_written_page(ended, note, (void *)t);
        if (atomic_fetch_add(&t->steady->looked, 1) + 1 == HOT_LOOKS)
            atomic_store_explicit(&t->steady->hot, find_hot(t), memory_order_release);
    }
    pthread_mutex_unlock(&lock);
}

void cpu_hot_touch(const struct cpu_template *t, const struct cpu_slot *slot) {
    const struct cpu_hot *hot = atomic_load_explicit(&t->steady->hot, memory_order_acquire);
    if (!hot) return;
#ifdef MADV_POPULATE_WRITE
    for (size_t i = 0; i < hot->count; i++) /* only a hint */
        madvise(slot->base + hot->parts[i].from, hot->parts[i].to - hot->parts[i].from,
                MADV_POPULATE_WRITE);
#else
    (void)slot;
#endif
}

bool cpu_hot_restore(const struct cpu_slot *slot) {
    const struct cpu_template *t = slot->origin;
    const struct cpu_hot *hot = atomic_load_explicit(&t->steady->hot, memory_order_acquire);
    assert(slot->file_to && hot);
    size_t at = 0;
    for (size_t i = 0; i < hot->count; i++) {
        struct cpu_range part = hot->parts[i];
        if (part.from > at && madvise(slot->base + at, part.from - at, MADV_DONTNEED) != 0)
            return false;
        for (at = part.from; at < part.to; at += CPU_PAGE)
            memcpy(slot->base + at, cpu_template_page(t, at), CPU_PAGE);
    }
    assert(at <= slot->accessible);
    return at == slot->accessible ||
           madvise(slot->base + at, slot->accessible - at, MADV_DONTNEED) == 0;
}
