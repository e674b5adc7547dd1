/*
 * host/machine/trampoline.c: a program's only way out.
 *
 * Copies one message between two memories and calls the kernel; interprets nothing. It runs on the
 * program's native stack, so everything it needs is in the instance.
 */
#include "machine.h"

#include <string.h>

void Z_pfZ_call(cpu_instance *instance, uint32_t address);

/* Programs make most of their calls with nothing unusual in the way: what is, stands behind
 * this. */
#define UNUSUAL(condition) __builtin_expect(!!(condition), 0)

/* An image being booted has no machine yet: it is frozen where it asks for its arguments. Until
 * then calls fail; only clocks answer, with zero, unless the image is one that is not to boot. */
static __attribute__((noinline)) void freeze(struct cpu_thread *self, cpu_instance *instance,
                                             struct pf_message *caller) {
    assert(!instance->owner);
    cpu_note_asyncify_stack(instance);
    if (caller->call != PF_CALL_ARGS) {
        bool clock = caller->call == PF_CALL_CLOCK && !instance->image->bare;
        caller->result = clock ? 0 : -PF_ENOENT;
        caller->out_len = 0;
        self->mode = CPU_PROGRAM;
        return;
    }
    if (!(caller->flags & PF_MSG_UNWIND) || !cpu_asyncify_sound(instance)) cpu_trap(self, SIGSYS);
    instance->image->start_unwind(instance->module, instance->asyncify);
    self->mode = CPU_PROGRAM;
}

static __attribute__((noinline)) void end_rewind(struct cpu_thread *self, cpu_instance *instance) {
    assert(instance->rewinding);
    if (!cpu_asyncify_sound(instance)) cpu_trap(self, SIGSEGV);
    instance->image->stop_rewind(instance->module);
    instance->rewinding = false;
}

/* A processor hands over what was just written only in the pieces in which it was written; the
 * compiler would read and write larger ones. */
static inline uint32_t apart(uint32_t word) {
    __asm__("" : "+r"(word));
    return word;
}

static inline void copy_arguments(struct pf_message *to, const struct pf_message *from) {
#pragma GCC unroll 6
    for (int i = 0; i < PF_MESSAGE_ARGS; i++) {
        int64_t argument = from->arg[i];
        __asm__("" : "+r"(argument));
        to->arg[i] = argument;
    }
}

/* The kernel's answer, back into the caller's memory. False: the answer is nonsense. */
static inline bool deliver(const cpu_instance *kernel, const struct pf_message *k, uint8_t *base,
                           struct pf_message *caller, uint32_t flags, uint32_t out,
                           uint32_t out_cap) {
    uint32_t out_len = k->out_len;
    if (out_len) {
        uint64_t end = (uint64_t)k->out + out_len;
        if (out_len > out_cap || end > kernel->memory->size) return false;
        memcpy(base + out, kernel->memory->data + k->out, out_len);
    }
    caller->out_len = out_len;
    caller->flags = (flags & 0xffu) | (k->flags & PF_MSG_SIGNAL);
    caller->result = k->result;
    return true;
}

/* What becomes of a caller that is not just answered. True: it was parked, and asks again. */
static __attribute__((noinline)) bool not_answered(cpu_instance *instance, uint32_t action,
                                                   uint32_t flags) {
    assert(action != PF_ACTION_RETURN && instance->owner);
    struct cpu_thread *self = instance->thread;
    pf_sandbox *sandbox = instance->owner;
    switch (action) {
    case PF_ACTION_BLOCK:
        sandbox->action = PF_ACTION_BLOCK;
        if (flags & PF_MSG_UNWIND) break;
        cpu_park(self, instance);
        return true;
    case PF_ACTION_FORK:
        if (!(flags & PF_MSG_UNWIND)) cpu_leave(self, CPU_EXIT_KERNEL);
        sandbox->action = PF_ACTION_FORK;
        sandbox->fork_child = (uint32_t)machine_mailbox(sandbox)->msg.arg[0];
        break;
    case PF_ACTION_GONE: cpu_leave(self, CPU_EXIT_GONE);
    default: cpu_leave(self, CPU_EXIT_KERNEL);
    }
    if (!cpu_asyncify_sound(instance)) cpu_trap(self, SIGSEGV);
    instance->image->start_unwind(instance->module, instance->asyncify);
    self->mode = CPU_PROGRAM;
    return false;
}

/* The kernel uses another part of its own memory than before. False: more than there is. */
static __attribute__((noinline)) bool memory_changed(pf_sandbox *sandbox, uint64_t clean) {
    assert(clean != sandbox->clean);
    machine_memory_changed(sandbox, clean);
    return !sandbox->dead;
}

/*
 * A program has one thread, so its message stays as it is until this has written to it; it is
 * checked again when it is sent again. The kernel gets the whole of it but the result, which it
 * writes, and where input lies, which is always the same; where its output lies and how much that
 * is, it says in any case. True: the message is to be sent again.
 */
static inline __attribute__((always_inline)) bool carry(cpu_instance *instance, uint32_t address) {
    pf_sandbox *sandbox = instance->owner;
    struct cpu_thread *self = instance->thread;
    self->mode = CPU_HOST;
    if (UNUSUAL(instance->rewinding)) end_rewind(self, instance);
    DEBUG_ASSERT(self->running == instance && instance->state == CPU_UNWOUND);
    uint64_t size = instance->memory->size;
    uint8_t *base = instance->memory->data;
    if ((uint64_t)address + sizeof(struct pf_message) > size ||
        address % _Alignof(struct pf_message) != 0)
        cpu_trap(self, SIGSEGV);
    struct pf_message *caller = (struct pf_message *)(base + address);
    if (UNUSUAL(!sandbox)) {
        freeze(self, instance, caller);
        return false;
    }
    uint32_t flags = apart(caller->flags), in = caller->in, in_len = apart(caller->in_len);
    uint32_t out = caller->out, out_cap = apart(caller->out_cap);
    if (UNUSUAL(in_len > PF_MESSAGE_IN_MAX)) {
        if (!cpu_will_write(instance, address, sizeof *caller)) cpu_trap(self, SIGSEGV);
        caller->result = -PF_E2BIG;
        caller->out_len = 0;
        self->mode = CPU_PROGRAM;
        return false;
    }
    /* The kernel runs on top of this stack: an overflow there must still be the program's. */
    if ((uint64_t)in + in_len > size || (uint64_t)out + out_cap > size ||
        !cpu_stack_left(instance) || !cpu_will_write(instance, address, sizeof *caller) ||
        !cpu_will_write(instance, out, out_cap))
        cpu_trap(self, SIGSEGV);

    cpu_instance *kernel = sandbox->kernel;
    DEBUG_ASSERT(in_len <= sandbox->in_cap && !kernel->image->start);
    DEBUG_ASSERT(sandbox->procs[instance->proc] == instance);
    uint8_t *kernel_base = kernel->memory->data;
    struct pf_mailbox *mailbox = (struct pf_mailbox *)(kernel_base + sandbox->mailbox);
    uint32_t call = apart(caller->call);
    mailbox->msg.call = call;
    mailbox->msg.flags = flags;
    copy_arguments(&mailbox->msg, caller);
    mailbox->msg.in_len = in_len;
    mailbox->msg.out_cap = out_cap;
    if (in_len) memcpy(kernel_base + sandbox->in_area, base + in, in_len);
    sandbox->moment++;
    bool stop = atomic_load_explicit(&sandbox->watch.stop, memory_order_relaxed);
    if (UNUSUAL(stop || sandbox->tape) && machine_struck(sandbox, STRIKE_PREEMPT, stop))
        mailbox->preempt = 1;
    /* A program that measures its own work makes no other calls meanwhile. */
    if (UNUSUAL(call == PF_CALL_CLOCK)) machine_show_time(sandbox);
    machine_show_room(sandbox, mailbox);
    cpu_enter_kernel(self, kernel);
    uint32_t action = kernel->image->k_call(kernel->module, instance->proc);
    self->mode = CPU_HOST;
    uint64_t clean = mailbox->clean;
    if (UNUSUAL(clean != sandbox->clean) && !memory_changed(sandbox, clean))
        cpu_leave(self, CPU_EXIT_KERNEL);
    if (UNUSUAL(action != PF_ACTION_RETURN)) return not_answered(instance, action, flags);
    if (!deliver(kernel, &mailbox->msg, base, caller, flags, out, out_cap))
        cpu_leave(self, CPU_EXIT_KERNEL);
    if (UNUSUAL(sandbox->tape) && machine_struck(sandbox, STRIKE_CUT, false))
        cpu_leave(self, CPU_EXIT_STOPPED);
    self->mode = CPU_PROGRAM;
    return false;
}

/* Apart, since a loop around the usual way would keep more of it in memory. */
static __attribute__((noinline)) void carry_again(cpu_instance *instance, uint32_t address) {
    while (carry(instance, address)) {
    }
}

void Z_pfZ_call(cpu_instance *instance, uint32_t address) {
    if (UNUSUAL(carry(instance, address))) carry_again(instance, address);
}

static void died(pf_sandbox *sandbox, uint32_t proc, int signal_number) {
    assert(proc > 0 && proc < PF_PROCESS_TABLE);
    /* It did not come as far as to be copied. */
    if (sandbox->action == PF_ACTION_FORK)
        KERNEL(sandbox, HOST_FORK_DONE, .arg = {sandbox->fork_child, 0});
    KERNEL(sandbox, HOST_TRAP, .arg = {proc, signal_number});
}

/* Copies the process that asked for it; both go on when the kernel says so. */
static void fork_process(pf_sandbox *sandbox, cpu_instance *parent) {
    assert(parent->state == CPU_UNWOUND && parent->owner == sandbox && !parent->stack);
    uint32_t child = sandbox->fork_child;
    cpu_instance *copy = NULL;
    const struct cpu_slot *slot = parent->slot;
    if (child == 0 || child >= PF_PROCESS_TABLE || machine_instance(sandbox, child))
        copy = NULL;
    else if (slot->file_to && slot->origin->wide)
        copy = cpu_instance_clone(parent, &sandbox->budget);
    else
        copy = cpu_instance_copy(parent,
                                 machine_spare_slot(sandbox, NULL, parent->memory->size));
    bool made = machine_adopt(sandbox, child, copy);
    KERNEL(sandbox, HOST_FORK_DONE, .arg = {child, made});
    machine_tape_process(sandbox, "fork", child, 0);
}

void machine_run_process(pf_sandbox *sandbox, struct cpu_thread *self, uint32_t proc) {
    cpu_instance *instance = machine_instance(sandbox, proc);
    assert(proc > 0 && proc < PF_PROCESS_TABLE && !self->running);
    if (!instance) {
        sandbox->dead = true;
        sandbox->dead_why = "its kernel wanted to run a process that does not exist";
        return;
    }
    sandbox->action = PF_ACTION_RETURN;
    enum cpu_exit how = machine_struck(sandbox, STRIKE_CUT, false) ? CPU_EXIT_STOPPED
                                                                   : cpu_run(self, instance);
    /* It ran into something that is still in a mount, and is about to ask again. */
    if (machine_mailbox(sandbox)->attention & PF_ATTENTION_FILL) machine_fill(sandbox);
    /* In a replay it was cut while it unwound its stack, after its last call. */
    if (how == CPU_EXIT_RETURNED && machine_struck(sandbox, STRIKE_CUT, false))
        how = CPU_EXIT_STOPPED;
    switch (how) {
    case CPU_EXIT_RETURNED:
        if (sandbox->action == PF_ACTION_FORK) fork_process(sandbox, instance);
        /* pf_start() came back without waiting: it has no caller to return to. */
        else if (sandbox->action != PF_ACTION_BLOCK) died(sandbox, proc, SIGABRT);
        break;
    case CPU_EXIT_PARKED:
    case CPU_EXIT_GONE: break;
    case CPU_EXIT_TRAP: died(sandbox, proc, self->trap_signal); break;
    case CPU_EXIT_STOPPED:
        /* In a replay the trace's cut, which has struck already, or one from outside. */
        if (!machine_replays(sandbox) ||
            cpu_watch_cuts(&sandbox->watch, atomic_load(&sandbox->watch.ticks)))
            machine_struck(sandbox, STRIKE_CUT, true);
        died(sandbox, proc, SIGKILL);
        break;
    case CPU_EXIT_KERNEL:
        sandbox->dead = true;
        sandbox->dead_why = "its kernel faulted or did not come back";
        break;
    }
}
