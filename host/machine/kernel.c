/*
 * host/machine/kernel.c: the host's own messages to the kernel, as process 0.
 *
 * The kernel runs on a stack of its own here, one for each thread. If it faults or hangs, the
 * sandbox is lost and says so; the host goes on.
 */
#include "machine.h"

#include <stddef.h>
#include <string.h>

static void lost(pf_sandbox *sandbox) {
    sandbox->dead = true;
    if (!sandbox->dead_why) sandbox->dead_why = "its kernel faulted or did not come back";
}

/* The kernel's errors are -1 to this. */
#define ERROR_MAX 4095

/* Time is the sum of this and of when it began: 146 years are for ever, and never overflow. */
#define DEADLINE_MAX (INT64_MAX / 2)

void machine_memory_changed(pf_sandbox *s, uint64_t clean) {
    if (clean > s->kernel->charged) {
        lost(s);
        return;
    }
    assert(s->clean <= s->kernel->charged);
    s->budget.used += s->clean;
    assert(s->budget.used >= clean);
    s->budget.used -= clean;
    s->clean = clean;
    if (s->budget.used > s->budget.peak) s->budget.peak = s->budget.used;
}

/* A kernel has so many free ranges only if it makes them up. */
#define DROPS_MAX 65536

void machine_drop_free_memory(pf_sandbox *s) {
    for (int i = 0; i < DROPS_MAX; i++) {
        struct pf_kernel_stats stats = {0};
        if (KERNEL(s, HOST_STATS, .out = &stats, .out_cap = sizeof stats) < 0) return;
        if (stats.trim_len == 0) return;
        uint64_t end = stats.trim_offset + stats.trim_len;
        if (end < stats.trim_len || end > s->kernel->memory->size || stats.trim_offset % 4096 ||
            stats.trim_len % 4096) {
            lost(s);
            return;
        }
        cpu_slot_discard(s->kernel->slot, stats.trim_offset, end);
    }
}

struct guarded {
    pf_sandbox *sandbox;
    struct cpu_thread *self;
    uint32_t action;
};

static intptr_t guarded_call(void *argument) {
    struct guarded *g = argument;
    DEBUG_ASSERT(g->self->mode == CPU_HOST && !g->sandbox->dead);
    cpu_instance *kernel = g->sandbox->kernel;
    cpu_enter_kernel(g->self, kernel);
    g->action = kernel->image->k_call(kernel->module, 0);
    g->self->mode = CPU_HOST;
    return 0;
}

static intptr_t guarded_next(void *argument) {
    struct guarded *g = argument;
    DEBUG_ASSERT(g->self->mode == CPU_HOST && !g->sandbox->dead);
    cpu_instance *kernel = g->sandbox->kernel;
    cpu_enter_kernel(g->self, kernel);
    kernel->image->k_next(kernel->module);
    g->self->mode = CPU_HOST;
    return 0;
}

static intptr_t guarded_mailbox(void *argument) {
    struct guarded *g = argument;
    DEBUG_ASSERT(g->self->mode == CPU_HOST && g->sandbox->mailbox == 0);
    cpu_instance *kernel = g->sandbox->kernel;
    cpu_enter_kernel(g->self, kernel);
    g->action = kernel->image->k_mailbox(kernel->module);
    g->self->mode = CPU_HOST;
    return 0;
}

static intptr_t guarded_boot(void *argument) {
    struct guarded *g = argument;
    DEBUG_ASSERT(g->self->mode == CPU_HOST && g->sandbox->mailbox != 0);
    cpu_instance *kernel = g->sandbox->kernel;
    cpu_enter_kernel(g->self, kernel);
    g->action = (uint32_t)kernel->image->k_boot(kernel->module);
    g->self->mode = CPU_HOST;
    return 0;
}

static bool guard(struct guarded *g, intptr_t (*function)(void *)) {
    DEBUG_ASSERT(g->sandbox->kernel && !g->sandbox->kernel->image->start);
    if (g->sandbox->dead) return false;
    g->self = cpu_thread();
    bool known = g->sandbox->mailbox != 0;
    if (known) machine_show_room(g->sandbox, machine_mailbox(g->sandbox));
    if (!g->self || cpu_guard_kernel(g->self, g->sandbox->kernel, function, g) != 0) {
        lost(g->sandbox);
        return false;
    }
    if (known) machine_settle_memory(g->sandbox, machine_mailbox(g->sandbox));
    return !g->sandbox->dead;
}

/* One path needs at most two fills for each of its names, and for each link on it. */
#define FILLS_MAX 65536

static bool say(pf_sandbox *sandbox, const struct k_call *call, struct guarded *g) {
    DEBUG_ASSERT(call->in_len <= sandbox->in_cap);
    struct pf_mailbox *mailbox = machine_mailbox(sandbox);
    struct pf_message *m = &mailbox->msg;
    memset(m, 0, sizeof *m);
    m->call = call->call;
    memcpy(m->arg, call->arg, sizeof m->arg);
    m->in = sandbox->in_area;
    m->in_len = (uint32_t)call->in_len;
    m->out_cap = call->out_cap > UINT32_MAX ? UINT32_MAX : (uint32_t)call->out_cap;
    if (call->in_len)
        memcpy(sandbox->kernel->slot->base + sandbox->in_area, call->in, call->in_len);
    return guard(g, guarded_call);
}

int64_t machine_kernel(pf_sandbox *sandbox, struct k_call *call) {
    DEBUG_ASSERT(call->call && (call->out || !call->out_cap));
    struct guarded g = {.sandbox = sandbox};
    call->out_len = 0;
    if (sandbox->dead) return -PF_EIO;
    if (call->in_len > sandbox->in_cap) return -PF_E2BIG;
    for (int fills = 0;; fills++) {
        if (!say(sandbox, call, &g)) return -PF_EIO;
        bool wants = machine_mailbox(sandbox)->attention & PF_ATTENTION_FILL;
        if (g.action == PF_ACTION_RETURN) break;
        /* The host waits for nothing else. */
        if (g.action != PF_ACTION_BLOCK || !wants || fills == FILLS_MAX || sandbox->filling)
            return -PF_EAGAIN;
        machine_fill(sandbox);
    }
    const struct pf_message *m = &machine_mailbox(sandbox)->msg;
    uint64_t end = (uint64_t)m->out + m->out_len;
    if (m->out_len > call->out_cap || end > sandbox->kernel->memory->size) {
        lost(sandbox);
        return -PF_EIO;
    }
    if (m->out_len) memcpy(call->out, sandbox->kernel->slot->base + m->out, m->out_len);
    call->out_len = m->out_len;
    /* No error has such a number: whoever makes it positive can do so. */
    return m->result < -ERROR_MAX ? -PF_EIO : m->result;
}

bool machine_next(pf_sandbox *sandbox, struct pf_event *event) {
    struct guarded g = {.sandbox = sandbox};
    if (!guard(&g, guarded_next)) return false;
    *event = machine_mailbox(sandbox)->event;
    if (event->kind != PF_EVENT_IDLE && (event->proc == 0 || event->proc >= PF_PROCESS_TABLE)) {
        lost(sandbox);
        return false;
    }
    if (event->deadline_ns > DEADLINE_MAX) event->deadline_ns = INT64_MAX;
    if (event->deadline_ns < 0) event->deadline_ns = 0;
    DEBUG_ASSERT(event->deadline_ns >= 0);
    return true;
}

bool machine_kernel_attach(pf_sandbox *sandbox) {
    uint64_t size = sandbox->kernel->memory->size;
    if ((uint64_t)sandbox->mailbox + sizeof(struct pf_mailbox) > size || sandbox->mailbox % 8 != 0)
        return false;
    struct pf_mailbox *mailbox = machine_mailbox(sandbox);
    sandbox->in_area = mailbox->in_area;
    sandbox->in_cap = mailbox->in_cap;
    uint64_t in_end = (uint64_t)sandbox->in_area + sandbox->in_cap;
    if (in_end > size || sandbox->in_cap < PF_MESSAGE_IN_MAX) return false;
    /* A copy leaves out what was input: it has to have the mailbox. */
    if (sandbox->in_area < sandbox->mailbox + sizeof *mailbox && sandbox->mailbox < in_end)
        return false;
    /* A message that was answered means nothing any more, nor does its input. */
    uint32_t said = sandbox->mailbox + (uint32_t)offsetof(struct pf_mailbox, msg);
    struct cpu_range message = {said, said + (uint32_t)sizeof mailbox->msg};
    struct cpu_range input = {sandbox->in_area, sandbox->in_area + sandbox->in_cap};
    bool rising = message.from < input.from;
    sandbox->kernel->dead[0] = rising ? message : input;
    sandbox->kernel->dead[1] = rising ? input : message;
    return true;
}

bool machine_kernel_boot(pf_sandbox *sandbox) {
    cpu_instance *kernel = sandbox->kernel;
    assert(kernel && sandbox->mailbox == 0);
    struct guarded g = {.sandbox = sandbox};
    if (!guard(&g, guarded_mailbox)) return false;
    sandbox->mailbox = g.action;
    if (!machine_kernel_attach(sandbox)) return false;
    size_t used = 0;
    for (int i = 0; i < machine_image_count(); i++) {
        const char *name = machine_image_info(i)->name;
        size_t len = strlen(name) + 1;
        if (used + len > sandbox->in_cap) return false;
        memcpy(kernel->slot->base + sandbox->in_area + used, name, len);
        used += len;
    }
    machine_mailbox(sandbox)->msg.in = sandbox->in_area;
    machine_mailbox(sandbox)->msg.in_len = (uint32_t)used;
    return guard(&g, guarded_boot) && (int32_t)g.action == 0;
}
