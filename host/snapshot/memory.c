/*
 * host/snapshot/memory.c: see memory.h.
 */
#include "memory.h"

#include <monocypher.h>
#include <string.h>

#define PAGE 4096u

void template_digest(const struct cpu_template *t, uint8_t digest[SNAPSHOT_DIGEST]) {
    crypto_blake2b_ctx ctx;
    crypto_blake2b_init(&ctx, SNAPSHOT_DIGEST);
    crypto_blake2b_update(&ctx, (const uint8_t *)t->image->name, strlen(t->image->name) + 1);
    uint64_t size = t->size;
    crypto_blake2b_update(&ctx, (const uint8_t *)&size, sizeof size);
    for (size_t i = 0; i < t->run_count; i++) {
        struct cpu_range run = t->runs[i];
        crypto_blake2b_update(&ctx, (const uint8_t *)&run, sizeof run);
        crypto_blake2b_update(&ctx, t->data + run.from, run.to - run.from);
    }
    crypto_blake2b_final(&ctx, digest);
}

/* One page as it counts: what lies outside the live ranges is zero. */
static void canonical(const cpu_instance *instance, const struct cpu_range *live, int n,
                      uint32_t page, uint8_t out[PAGE]) {
    memset(out, 0, PAGE);
    for (int i = 0; i < n; i++) {
        uint32_t from = live[i].from > page ? live[i].from : page;
        uint32_t to = live[i].to < page + PAGE ? live[i].to : page + PAGE;
        if (from < to) memcpy(out + (from - page), instance->slot->base + from, to - from);
    }
}

void put_instance(struct writer *w, const cpu_instance *instance, const struct cpu_template *base) {
    static const uint8_t zero[PAGE];
    struct cpu_range live[CPU_LIVE_MAX];
    int n = cpu_live_ranges(instance, live);
    uint32_t size = instance->memory->size;
    put_u32(w, size);
    put_u32(w, cpu_stack_pointer(instance));
    put_u32(w, instance->rewinding);
    for (uint32_t page = 0; page < size && !w->failed; page += PAGE) {
        uint8_t now[PAGE];
        canonical(instance, live, n, page, now);
        const uint8_t *before = page < base->size ? base->data + page : zero;
        if (memcmp(now, before, PAGE) == 0) continue;
        put_u32(w, page);
        put_raw(w, now, PAGE);
    }
    put_u32(w, UINT32_MAX);
}

static bool get_pages(struct reader *r, cpu_instance *instance) {
    for (uint32_t next = 0;;) {
        uint32_t page = get_u32(r);
        if (r->bad) return false;
        if (page == UINT32_MAX) return true;
        if (page < next || page % PAGE || page > instance->memory->size - PAGE) return false;
        const uint8_t *data = get_raw(r, PAGE);
        if (r->bad) return false;
        memcpy(instance->slot->base + page, data, PAGE);
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
    *instance->image->stack_pointer(instance->module) = sp;
    instance->rewinding = rewinding;
    if (!get_pages(r, instance)) {
        r->bad = true;
        cpu_instance_free(instance);
        return NULL;
    }
    return instance;
}
