/*
 * host/cpu/instance.c: making, copying and freeing instances, and what they cost.
 */
#include "cpu.h"

#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 64

/* The instance and wasm2c's structure behind it, in one block. */
static cpu_instance *allocate(const struct pf_image *image) {
    assert(image && image->instance_size);
    size_t head = (sizeof(cpu_instance) + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    size_t size = (head + image->instance_size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    cpu_instance *instance = aligned_alloc(ALIGNMENT, size);
    if (!instance) return NULL;
    memset(instance, 0, sizeof *instance);
    instance->image = image;
    instance->module = (char *)instance + head;
    return instance;
}

bool cpu_charge(cpu_instance *instance, uint64_t bytes) {
    struct cpu_budget *budget = instance->budget;
    if (!budget) return true;
    bool program = instance->image->start != NULL;
    if (program && bytes > budget->each - (instance->charged < budget->each ? instance->charged
                                                                            : budget->each))
        return false;
    uint64_t limit = budget->limit - (program ? budget->reserve : 0);
    if (budget->used > limit || bytes > limit - budget->used) return false;
    assert(bytes <= budget->limit && budget->reserve <= budget->limit);
    budget->used += bytes;
    if (budget->used > budget->peak) budget->peak = budget->used;
    instance->charged += bytes;
    return true;
}

static cpu_instance *give_up(cpu_instance *instance, struct cpu_slot *slot, int error) {
    assert(!instance || !instance->budget || instance->budget->used >= instance->charged);
    if (slot) cpu_slot_release(slot);
    if (instance) {
        if (instance->budget) instance->budget->used -= instance->charged;
        free(instance);
    }
    errno = error;
    return NULL;
}

/* The instance that wasm_rt_allocate_memory() is called for, and the way out when it cannot have
 * one: generated code would go on and copy its data into it. */
static _Thread_local cpu_instance *making;
static _Thread_local jmp_buf no_memory;

/* Not inlined: nothing of the caller's may change between the two returns of setjmp(). */
__attribute__((noinline)) static bool instantiate(cpu_instance *instance) {
    assert(!making && instance);
    making = instance;
    bool ok = setjmp(no_memory) == 0;
    if (ok) {
        instance->image->init_module();
        instance->image->instantiate(instance->module, instance);
    }
    making = NULL;
    return ok;
}

cpu_instance *cpu_instance_new(const struct pf_image *image, struct cpu_budget *budget) {
    cpu_instance *instance = allocate(image);
    if (!instance) return give_up(NULL, NULL, ENOMEM);
    instance->budget = budget;
    memset(instance->module, 0, image->instance_size);
    if (!instantiate(instance)) return give_up(instance, instance->slot, ENOMEM);
#ifdef PF_NO_SIGNALS
    cpu_guard_by(instance, &cpu_unguarded);
#endif
    if (!instance->slot || !instance->memory)
        return give_up(instance, instance->slot, ENOMEM);
    if (image->asyncify) instance->asyncify = image->asyncify(instance->module);
    /* It is read from here on without another look: memories do not shrink. */
    if ((uint64_t)instance->asyncify + 2 * sizeof(uint32_t) > instance->memory->size)
        return give_up(instance, instance->slot, ENOEXEC);
    return instance;
}

void cpu_allocate_memory(wasm_rt_memory_t *memory, uint32_t pages, uint32_t max_pages) {
    cpu_instance *instance = making;
    assert(instance && !instance->slot);
    size_t size = (size_t)pages << 16;
    struct cpu_slot *slot = instance->slot = cpu_slot_acquire();
    if (!slot || !cpu_charge(instance, size) || !cpu_slot_resize(slot, size))
        longjmp(no_memory, 1);
    instance->memory = memory;
    memory->data = slot->base;
    memory->pages = pages;
    memory->max_pages = max_pages > CPU_PAGES_MAX ? CPU_PAGES_MAX : max_pages;
    memory->size = pages << 16;
}

size_t cpu_stack_given_back(const struct pf_image *image) {
    if (image->stack_size <= CPU_STACK_LONG) return 0;
    return (image->stack_size - CPU_STACK_TOUCHED) / CPU_PAGE * CPU_PAGE;
}

struct cpu_slot *cpu_instance_dismantle(cpu_instance *instance) {
    assert(!instance->budget || instance->budget->used >= instance->charged);
    struct cpu_slot *slot = instance->slot;
    size_t stack = cpu_stack_given_back(instance->image);
    if (slot) slot->dirty = true;
    if (slot && stack && slot->accessible >= instance->image->stack_size &&
        cpu_stack_touched(slot->base + stack))
        cpu_slot_discard(slot, 0, stack);
    if (instance->stack) cpu_stack_discard(instance->stack);
    if (instance->budget) instance->budget->used -= instance->charged;
    free(instance);
    return slot;
}

void cpu_instance_free(cpu_instance *instance) {
    if (instance) cpu_slot_release(cpu_instance_dismantle(instance));
}

uint32_t cpu_stack_pointer(const cpu_instance *instance) {
    return *instance->image->stack_pointer(instance->module);
}

void cpu_note_asyncify_stack(cpu_instance *instance) {
    uint32_t at[2], size = instance->memory->size;
    if (!instance->asyncify) return;
    memcpy(at, instance->slot->base + instance->asyncify, sizeof at);
    if (at[0] >= instance->image->stack_size && at[0] <= at[1] && at[1] <= size)
        instance->asyncify_stack = (struct cpu_range){at[0], at[1]};
}

bool cpu_asyncify_sound(const cpu_instance *instance) {
    DEBUG_ASSERT((uint64_t)instance->asyncify + 2 * sizeof(uint32_t) <= instance->memory->size);
    uint32_t at[2];
    memcpy(at, instance->slot->base + instance->asyncify, sizeof at);
    return at[0] <= at[1];
}

int cpu_live_ranges(const cpu_instance *instance, struct cpu_range ranges[CPU_LIVE_MAX]) {
    assert(instance->slot && instance->memory->size == instance->slot->accessible);
    uint32_t size = instance->memory->size, stack = instance->image->stack_size;
    int n = 0;
    if (!instance->asyncify) {
        uint32_t at = cpu_stack_pointer(instance) & ~15u; /* between two calls it is empty */
        if (at > stack || stack > size) at = 0;
        for (int i = 0; i < 2; i++) {
            struct cpu_range dead = instance->dead[i];
            if (dead.from >= dead.to || dead.from < at || dead.to > size) continue;
            ranges[n++] = (struct cpu_range){at, dead.from};
            at = dead.to;
        }
        ranges[n++] = (struct cpu_range){at, size};
        return n;
    }
    uint32_t sp = cpu_stack_pointer(instance) & ~15u;
    if (stack > size) stack = size;
    if (sp > stack) sp = 0; /* a wild pointer: everything counts */
    struct cpu_range frames = instance->asyncify_stack;
    uint32_t current = 0;
    memcpy(&current, instance->slot->base + instance->asyncify, sizeof current);
    if (frames.to == 0 || current < frames.from || current > frames.to) {
        ranges[n++] = (struct cpu_range){sp, size};
        return n;
    }
    ranges[n++] = (struct cpu_range){sp, current};
    ranges[n++] = (struct cpu_range){frames.to, size};
    return n;
}

cpu_instance *cpu_instance_model(const cpu_instance *from) {
    assert(from->state == CPU_UNWOUND);
    cpu_instance *model = allocate(from->image);
    if (!model) return NULL;
    memcpy(model->module, from->module, from->image->instance_size);
    model->memory = model->image->memory(model->module);
    model->memory->data = NULL;
#ifdef PF_NO_SIGNALS
    cpu_guard_by(model, &cpu_unguarded); /* it may live longer than the thread */
#endif
    model->rewinding = from->rewinding;
    model->asyncify = from->asyncify;
    model->asyncify_stack = from->asyncify_stack;
    memcpy(model->dead, from->dead, sizeof model->dead);
    return model;
}

cpu_instance *cpu_instance_wake(const struct pf_image *image, const void *globals, size_t size) {
    assert(size % (64u << 10) == 0 && size >> 16 <= CPU_PAGES_MAX);
    cpu_instance *model = allocate(image);
    if (!model) return NULL;
    memset(model->module, 0, image->instance_size);
    image->init_module();
    image->wake(model->module, NULL);
    memcpy((char *)model->module + image->globals_at, globals, image->globals_len);
    model->memory = image->memory(model->module);
    model->memory->size = (uint32_t)size;
    model->memory->pages = (uint32_t)(size >> 16);
    model->memory->max_pages = CPU_PAGES_MAX;
#ifdef PF_NO_SIGNALS
    cpu_guard_by(model, &cpu_unguarded);
#endif
    return model;
}

cpu_instance *cpu_instance_like(const cpu_instance *model, struct cpu_budget *budget,
                                struct cpu_slot *slot) {
    assert(!slot || !slot->next);
    cpu_instance *instance = allocate(model->image);
    if (!slot) slot = cpu_slot_acquire();
    if (!instance || !slot) return give_up(instance, slot, ENOMEM);
    memcpy(instance->module, model->module, model->image->instance_size);
    model->image->rebind(instance->module, instance);
    instance->memory = model->image->memory(instance->module);
    instance->memory->data = slot->base;
    instance->budget = budget;
    instance->rewinding = model->rewinding;
    instance->asyncify = model->asyncify;
    instance->asyncify_stack = model->asyncify_stack;
    memcpy(instance->dead, model->dead, sizeof instance->dead);
    if (!cpu_charge(instance, instance->memory->size)) return give_up(instance, slot, ENOMEM);
    instance->slot = slot;
    assert(!budget || instance->charged == instance->memory->size);
    return instance;
}

cpu_instance *cpu_instance_copy(const cpu_instance *from, struct cpu_slot *slot) {
    assert(from->state == CPU_UNWOUND && (!slot || slot->file_to == 0));
    cpu_instance *copy = cpu_instance_like(from, from->budget, slot);
    if (!copy) return NULL;
    copy->slot->copied = NULL;
    if (!cpu_slot_unseal(copy->slot, 0, CPU_SLOT_BYTES) ||
        !cpu_slot_resize(copy->slot, from->memory->size)) {
        cpu_instance_free(copy);
        errno = ENOMEM;
        return NULL;
    }
    struct cpu_range live[CPU_LIVE_MAX];
    int n = cpu_live_ranges(from, live);
    for (int i = 0; i < n; i++)
        memcpy(copy->slot->base + live[i].from, from->slot->base + live[i].from,
               live[i].to - live[i].from);
    copy->slot->dirty = true;
    copy->slot->began_with = from->memory->size;
    return copy;
}
