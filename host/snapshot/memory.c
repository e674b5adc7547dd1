/*
 * host/snapshot/memory.c: see memory.h.
 */
#include "memory.h"

#include <assert.h>
#include <monocypher.h>
#include <pthread.h>
#include <string.h>

#define PAGE CPU_PAGE

void snapshot_build(const struct machine_boot *boot, uint8_t digest[SNAPSHOT_DIGEST]) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static uint8_t known[SNAPSHOT_DIGEST];
    static bool done;
    pthread_mutex_lock(&lock);
    if (!done) {
        const struct cpu_template *t = boot->kernel;
        uint64_t size = t->size;
        crypto_blake2b_ctx ctx;
        crypto_blake2b_init(&ctx, SNAPSHOT_DIGEST);
        crypto_blake2b_update(&ctx, pf_images_digest, sizeof pf_images_digest);
        crypto_blake2b_update(&ctx, (const uint8_t *)&size, sizeof size);
        for (size_t i = 0; i < t->run_count; i++) {
            struct cpu_range run = t->runs[i];
            crypto_blake2b_update(&ctx, (const uint8_t *)&run, sizeof run);
            crypto_blake2b_update(&ctx, cpu_template_page(t, run.from), run.to - run.from);
        }
        crypto_blake2b_final(&ctx, known);
        done = true;
    }
    memcpy(digest, known, SNAPSHOT_DIGEST);
    pthread_mutex_unlock(&lock);
}

struct pages {
    struct writer *w;
    const cpu_instance *instance;
    const struct cpu_template *base;
    struct cpu_range live[CPU_LIVE_MAX];
    int live_count;
};

/* One page as it counts: what lies outside the live ranges is zero. */
static void canonical(const struct pages *p, size_t page, uint8_t out[PAGE]) {
    assert(page % PAGE == 0 && page + PAGE <= p->instance->memory->size);
    memset(out, 0, PAGE);
    for (int i = 0; i < p->live_count; i++) {
        size_t from = p->live[i].from > page ? p->live[i].from : page;
        size_t to = p->live[i].to < page + PAGE ? p->live[i].to : page + PAGE;
        if (from < to) memcpy(out + (from - page), p->instance->slot->base + from, to - from);
    }
}

/* The page as its difference: what did not change is zero, and compresses to nothing. */
static void put_page(void *user, size_t page) {
    struct pages *p = user;
    assert(page % PAGE == 0 && page + PAGE <= p->instance->memory->size);
    uint8_t now[PAGE];
    canonical(p, page, now);
    const uint8_t *before = page < p->base->size ? cpu_template_page(p->base, page) : NULL;
    if (memcmp(now, before ? before : cpu_zero_page, PAGE) == 0) return;
    for (size_t i = 0; before && i < PAGE; i += sizeof(uint64_t)) {
        uint64_t word, was;
        memcpy(&word, now + i, sizeof word);
        memcpy(&was, before + i, sizeof was);
        word ^= was;
        memcpy(now + i, &word, sizeof word);
    }
    put_u32(p->w, (uint32_t)page);
    put_raw(p->w, now, PAGE);
}

static void put_live_pages(struct pages *p) {
    assert(p->live_count <= CPU_LIVE_MAX);
    size_t next = 0;
    for (int i = 0; i < p->live_count; i++) {
        size_t page = p->live[i].from / PAGE * PAGE;
        if (page < next) page = next;
        for (; page < p->live[i].to; page += PAGE) put_page(p, page);
        next = page;
    }
}

void put_instance(struct writer *w, const cpu_instance *instance, const struct cpu_template *base) {
    assert(instance->state == CPU_UNWOUND && instance->image == base->image);
    struct pages p = {.w = w, .instance = instance, .base = base};
    p.live_count = cpu_live_ranges(instance, p.live);
    assert(p.live_count >= 0 && p.live_count <= CPU_LIVE_MAX);
    assert(instance->memory->size <= instance->slot->accessible);
    put_u32(w, instance->memory->size);
    put_u32(w, cpu_stack_pointer(instance));
    put_u32(w, instance->rewinding);
    const struct cpu_slot *slot = instance->slot;
    if (slot->file_to && slot->origin == base)
        cpu_each_written_page(instance, put_page, &p);
    else
        put_live_pages(&p); /* it did not start as a mapping of this template */
    put_u32(w, UINT32_MAX);
}

static bool get_pages(struct reader *r, cpu_instance *instance, size_t base_size) {
    assert(instance->memory->size >= base_size);
    for (uint32_t next = 0;;) {
        uint32_t page = get_u32(r);
        if (r->bad) return false;
        if (page == UINT32_MAX) return true;
        if (page < next || page % PAGE || page > instance->memory->size - PAGE) return false;
        const uint8_t *data = get_raw(r, PAGE);
        if (r->bad) return false;
        assert((uint64_t)page + PAGE <= instance->slot->accessible);
        uint8_t *to = instance->slot->base + page;
        if (page < base_size)
            for (size_t i = 0; i < PAGE; i++) to[i] ^= data[i];
        else
            memcpy(to, data, PAGE);
        next = page + PAGE;
    }
}

cpu_instance *get_instance(struct reader *r, const struct cpu_template *base,
                           struct cpu_budget *budget) {
    uint32_t size = get_u32(r), sp = get_u32(r), rewinding = get_u32(r);
    if (r->bad || size % 65536 || size < base->size || size > 65535u << 16 || rewinding > 1 ||
        sp > size) {
        r->bad = true;
        return NULL;
    }
    cpu_instance *instance = cpu_template_instance(base, budget, true, NULL);
    if (!instance) return NULL;
    if (size > base->size) {
        if (!cpu_charge(instance, size - base->size) || !cpu_slot_resize(instance->slot, size)) {
            cpu_instance_free(instance);
            return NULL;
        }
        instance->memory->size = size;
        instance->memory->pages = size >> 16;
    }
    assert(instance->memory->size == size && instance->charged == size);
    *instance->image->stack_pointer(instance->module) = sp;
    instance->rewinding = rewinding;
    if (!get_pages(r, instance, base->size)) {
        r->bad = true;
        cpu_instance_free(instance);
        return NULL;
    }
    return instance;
}
