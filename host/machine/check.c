/*
 * host/machine/check.c: checks what always holds of a sandbox between two acts of its embedder.
 *
 * The twin of the kernel's k_check(). Tests of the C interface call it whenever a thread leaves a
 * sandbox (tests/api/check_on_leave.c); others do not, since it looks at everything.
 * A sandbox that was given up promises nothing but that it can be freed.
 */
#include "machine.h"

#include <assert.h>
#include <string.h>

/* An instance between two runs: its memory is its slot's, and paid for to the byte. */
static uint64_t check_instance(const cpu_instance *instance, const pf_sandbox *s) {
    const struct cpu_slot *slot = instance->slot;
    const wasm_rt_memory_t *memory = instance->memory;
    assert(instance->budget == &s->budget);
    assert(slot && slot->next == NULL);
    assert(memory->data == slot->base);
    assert(memory->size == (uint64_t)memory->pages << 16);
    assert(memory->size == slot->accessible);
    assert(instance->charged == memory->size);
    assert(slot->file_from <= slot->file_to && slot->file_to <= slot->accessible);
    assert(!slot->file_to || slot->origin);
    assert(slot->sealed_from <= slot->sealed_to && slot->sealed_to <= slot->accessible);
    assert(!slot->sealed || slot->copied);
    assert((slot->sealed != 0) == (slot->sealed_to != 0));
    return instance->charged;
}

static uint64_t check_processes(const pf_sandbox *s) {
    uint64_t charged = 0;
    assert(!machine_instance(s, 0)); /* the host's own number */
    for (uint32_t i = 1; i < s->procs_room; i++) {
        const cpu_instance *instance = s->procs[i];
        if (!instance) continue;
        assert(instance->proc == i);
        assert(instance->owner == s);
        assert(instance->image->start); /* a program, not a kernel */
        assert((instance->state == CPU_PARKED) == (instance->stack != NULL));
        charged += check_instance(instance, s);
    }
    return charged;
}

/* Slots of ended processes: this sandbox's alone, without a template's pages below them. */
static void check_spare_slots(const pf_sandbox *s) {
    unsigned count = 0;
    for (const struct cpu_slot *slot = s->spare; slot; slot = slot->next) {
        assert(++count <= s->spare_count);
        assert(slot->file_to == 0);
        assert(slot->dirty);
    }
    assert(count == s->spare_count);
}

/* Calls that wait: of one machine, each known once to the kernel and once to the embedder. */
static uint64_t check_calls(const pf_sandbox *s) {
    uint64_t charged = 0;
    for (const struct machine_call *call = s->calls; call; call = call->next) {
        assert(call->id != 0 && call->method && call->name && call->params);
        assert(call->params[call->params_len] == '\0');
        assert(call->op != 0);
        assert(call->capability >= 0);
        assert(!call->aside); /* only while it is judged */
        for (const struct machine_call *other = call->next; other; other = other->next)
            assert(other->id != call->id && other->op != call->op);
        charged += call->charged;
    }
    /* Of a restored sandbox, until it has run: those that nobody will answer. */
    for (const struct machine_call *call = s->refused; call; call = call->next) {
        for (const struct machine_call *other = s->calls; other; other = other->next)
            assert(other->id != call->id);
        charged += call->charged;
    }
    return charged;
}

static void check_run(const pf_sandbox *s) {
    const struct machine_run *run = &s->run;
    assert(run->input_at <= run->input.len);
    for (int i = 0; i < 2; i++)
        assert(run->output[i].len <= s->limits.output_bytes || run->output[i].len == 0);
    assert(run->stage == STAGE_RUNNING || run->stage == STAGE_INTERRUPTED ||
           run->stage == STAGE_KILLED);
    assert(run->wall_ns >= 0 && run->slept_ns >= 0);
    assert(run->tool_calls <= run->asked);
    assert(run->stdin_open || run->input_at == run->input.len || !run->on);
    assert(!s->has_result || !run->on);
}

void machine_check(const pf_sandbox *s) {
    if (s->dead || !s->kernel) return;
    assert(!s->kernel->image->start);
    assert(s->clean <= s->kernel->charged);
    uint64_t charged = check_instance(s->kernel, s) - s->clean;
    charged += check_processes(s) + check_calls(s);
    assert(s->budget.used == charged);
    assert(s->budget.used <= s->budget.peak || s->budget.peak == 0);
    assert(s->budget.reserve <= s->budget.limit);
    assert((uint64_t)s->mailbox + sizeof(struct pf_mailbox) <= s->kernel->memory->size);
    assert((uint64_t)s->in_area + s->in_cap <= s->kernel->memory->size);
    check_spare_slots(s);
    check_run(s);
    assert(!s->preview_of || s->preview_of != s->serial); /* of another one */
}
