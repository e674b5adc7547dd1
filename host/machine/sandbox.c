/*
 * host/machine/sandbox.c: making and ending a sandbox and its instances.
 */
#include "machine.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* Slots of ended processes that a sandbox keeps, and the size above which it does not; what of a
 * long stack is given back has none. */
#define SPARE_MAX        8
#define SPARE_KINDS      4
#define SPARE_BYTES_MAX  (8u << 20)

/* Of a sandbox's memory: what programs leave to the kernel, whose output could be lost else, and
 * what the contents of files leave to both, so that there are programs that can remove them. */
#define RESERVE_MAX      (4u << 20)
#define FILE_RESERVE_MAX (32u << 20)

/* The table of processes begins with so many: a sandbox that waits seldom has more than one. */
#define PROCS_FIRST 16u

static uint64_t share(uint64_t all, unsigned part, uint64_t most) {
    assert(part);
    return all / part < most ? all / part : most;
}

pf_status machine_dead(pf_sandbox *sandbox, pf_error *error) {
    assert(sandbox->dead);
    return base_error(error, PF_DEAD, "this sandbox was given up: %s; free it and make another",
                         sandbox->dead_why ? sandbox->dead_why : "its kernel failed");
}

/* ---- instances */

/* A slot of another size would lose its pages and get new ones, one fault after the other: up to
 * SPARE_KINDS slots it is better to have one more. */
struct cpu_slot *machine_spare_slot(pf_sandbox *sandbox, const struct cpu_template *copied,
                                    size_t size) {
    assert(size > 0);
    struct cpu_slot **at = &sandbox->spare, **other = NULL;
    for (; *at && !((*at)->began_with == size && (*at)->copied == copied); at = &(*at)->next)
        if (!other && (*at)->began_with == size) other = at;
    if (!*at && other) at = other;
    if (!*at && sandbox->spare_count < SPARE_KINDS) return NULL;
    if (!*at) at = &sandbox->spare;
    struct cpu_slot *slot = *at;
    *at = slot->next;
    sandbox->spare_count--;
    slot->next = NULL;
    assert(slot->file_to == 0 && slot->dirty);
    return slot;
}

void machine_drop(pf_sandbox *sandbox, uint32_t proc) {
    cpu_instance *instance = machine_instance(sandbox, proc);
    assert(proc > 0 && proc < PF_PROCESS_TABLE);
    if (!instance) return;
    assert(instance->owner == sandbox && instance->proc == proc);
    sandbox->procs[proc] = NULL;
    cpu_hot_learn(instance);
    size_t most = SPARE_BYTES_MAX + cpu_stack_given_back(instance->image);
    struct cpu_slot *slot = cpu_instance_dismantle(instance);
    if (!sandbox->warm && slot->file_to && cpu_hot_known(slot->origin) &&
        slot->accessible == slot->began_with && cpu_hot_restore(slot)) {
        sandbox->warm = slot;
        return;
    }
    if (slot->file_to || slot->accessible > most ||
        sandbox->spare_count >= SPARE_MAX) {
        cpu_slot_release(slot);
        return;
    }
    slot->next = sandbox->spare;
    sandbox->spare = slot;
    sandbox->spare_count++;
    assert(sandbox->spare_count <= SPARE_MAX);
}

bool machine_adopt(pf_sandbox *sandbox, uint32_t proc, cpu_instance *instance) {
    if (!instance) return false;
    assert(proc > 0 && proc < PF_PROCESS_TABLE && !machine_instance(sandbox, proc));
    assert(instance->charged == instance->memory->size);
    uint32_t room = sandbox->procs_room ? sandbox->procs_room : PROCS_FIRST;
    while (room <= proc) room *= 2;
    if (room > sandbox->procs_room) {
        cpu_instance **more = realloc(sandbox->procs, room * sizeof(*more));
        if (!more) {
            cpu_instance_free(instance);
            errno = ENOMEM;
            return false;
        }
        for (uint32_t i = sandbox->procs_room; i < room; i++) more[i] = NULL;
        sandbox->procs = more;
        sandbox->procs_room = room;
    }
    instance->owner = sandbox;
    instance->proc = proc;
    sandbox->procs[proc] = instance;
    return true;
}

bool machine_load(pf_sandbox *sandbox, uint32_t proc, int image) {
    machine_drop(sandbox, proc);
    assert(!machine_instance(sandbox, proc));
    const struct cpu_template *template = machine_image(image);
    if (!template) return false;
    struct cpu_slot *slot = NULL;
    if (!template->wide) {
        slot = machine_spare_slot(sandbox, template, cpu_template_size(template));
    } else if (sandbox->warm && sandbox->warm->origin == template) {
        slot = sandbox->warm;
        sandbox->warm = NULL;
    }
    return machine_adopt(sandbox, proc,
                         cpu_template_instance(template, &sandbox->budget, template->wide, slot));
}

/* ---- the whole */

void pf_sandbox_free(pf_sandbox *sandbox) {
    if (!sandbox) return;
    if (sandbox->tape) sandbox->tape->close(sandbox->tape, sandbox);
    sandbox->budget.used += sandbox->clean; /* the kernel was charged for it as well */
    for (uint32_t i = 0; i < sandbox->procs_room; i++) cpu_instance_free(sandbox->procs[i]);
    free(sandbox->procs);
    cpu_instance_free(sandbox->kernel);
    for (struct cpu_slot *slot; (slot = sandbox->spare);) {
        sandbox->spare = slot->next;
        cpu_slot_release(slot);
    }
    cpu_slot_release(sandbox->warm);
    machine_forget_calls(sandbox);
    assert(sandbox->budget.used == 0);
    assert(!sandbox->spare && !sandbox->calls);
    machine_run_free(&sandbox->run);
    machine_forget_mounts(sandbox->mounts);
    cap_gate_free(sandbox->gate);
    free(sandbox->env);
    free(sandbox->left_out);
    free(sandbox);
}

pf_status pf_sandbox_end_record(pf_sandbox *sandbox, pf_error *error) {
    int idle = 0;
    if (!sandbox->tape || !sandbox->tape->end) return PF_OK;
    if (!atomic_compare_exchange_strong(&sandbox->busy, &idle, 1))
        return base_error(error, PF_BUSY, "the sandbox is in use");
    sandbox->tape->end(sandbox->tape, sandbox);
    atomic_store(&sandbox->busy, 0);
    if (sandbox->tape->complete) return PF_OK;
    return base_error(error, PF_STATE, "the recording is incomplete: %s", sandbox->tape->failed);
}

pf_status machine_configure(pf_sandbox *s, const pf_options *options, pf_error *error) {
    assert(!s->kernel && !s->gate && !s->env);
    machine_run_init(&s->run);
    s->limits = s->own_limits = options->limits;
    s->budget.limit = s->limits.memory_bytes;
    s->budget.each = s->limits.process_memory_bytes;
    s->budget.reserve = share(s->budget.limit, 16, RESERVE_MAX);
    assert(s->budget.reserve <= s->budget.limit);
    s->watch.stop_at = s->watch.kill_at = UINT32_MAX;
    s->watch.demand = &s->interrupt;
    s->next_call = 1;
    s->env = malloc(options->env_len ? options->env_len : 1);
    s->gate = cap_gate_clone(options->gate);
    if (!s->env || !s->gate) return base_no_memory(error);
    memcpy(s->env, options->env, options->env_len);
    s->env_len = options->env_len;
    s->env_count = options->env_count;
    s->seed_fixed = options->seed_fixed;
    s->keyed = options->keyed;
    memcpy(s->key, options->key, sizeof s->key);
    s->clock_fixed = options->clock_fixed;
    s->clock_origin = base_clock_monotonic();
    s->realtime_base = options->clock_fixed ? options->clock_ns : base_clock_realtime();
    pf_status status = cap_gate_finish(s->gate, error);
    if (status != PF_OK || !options->tape_open) return status;
    status = machine_draw_seed(s, options->seed_fixed ? &options->seed : NULL, error);
    return status == PF_OK ? (pf_status)options->tape_open(s, options, error) : status;
}

/* Tells a kernel its limits; again after a restore, where they may be others. */
pf_status machine_configure_kernel(pf_sandbox *s, pf_error *error) {
    assert(s->kernel && s->mailbox);
    struct pf_kernel_limits limits = {
        .filesystem_bytes = s->limits.filesystem_bytes,
        .files = s->limits.files,
        .processes = s->limits.processes,
        .open_files = s->limits.open_files,
        .op_argument_bytes = s->limits.tool_argument_bytes,
        .op_result_bytes = s->limits.tool_result_bytes,
        .file_reserve = share(s->limits.memory_bytes, 4, FILE_RESERVE_MAX),
    };
    int64_t r = KERNEL(s, HOST_CONFIGURE, .in = &limits, .in_len = sizeof limits);
    if (r < 0) return s->dead ? machine_dead(s, error)
                              : base_error(error, PF_INVALID, "the kernel refuses these limits");
    return PF_OK;
}

pf_status machine_draw_seed(pf_sandbox *s, const uint64_t *seed, pf_error *error) {
    if (s->seeded) return PF_OK;
    if (seed)
        for (int i = 0; i < 8; i++) s->seed[i] = (uint8_t)(*seed >> (8 * i));
    else if (getrandom(s->seed, sizeof s->seed, 0) != (ssize_t)sizeof s->seed)
        return base_error(error, PF_NO_MEMORY, "the system gives no random bytes");
    s->seeded = true;
    return PF_OK;
}

pf_status machine_seed(pf_sandbox *s, const uint64_t *seed, pf_error *error) {
    assert(s->kernel);
    pf_status status = machine_draw_seed(s, seed, error);
    if (status == PF_OK) KERNEL(s, HOST_SEED, .in = s->seed, .in_len = sizeof s->seed);
    return status;
}

pf_status machine_populate(pf_sandbox *s, const pf_options *options, pf_error *error) {
    assert(!s->kernel && s->gate);
    const struct machine_boot *boot = machine_boot(error);
    if (!boot) return error ? error->status : PF_DEAD;
    s->mailbox = boot->mailbox;
    s->kernel = cpu_template_instance(boot->kernel, &s->budget, true, NULL);
    bool ok = s->kernel != NULL;
    if (ok && !options->env_changed && boot->session)
        ok = machine_adopt(s, boot->session_proc,
                           cpu_template_instance(boot->session, &s->budget, true, NULL));
    if (!ok)
        return base_error(error, PF_NO_MEMORY,
                             "memory_bytes (%llu), process_memory_bytes (%llu) or the host's "
                             "address space is too small for another sandbox",
                             (unsigned long long)s->limits.memory_bytes,
                             (unsigned long long)s->limits.process_memory_bytes);
    if (!machine_kernel_attach(s)) return machine_dead(s, error);
    machine_show_time(s);
    pf_status status = machine_configure_kernel(s, error);
    if (status == PF_OK)
        status = machine_seed(s, options->seed_fixed ? &options->seed : NULL, error);
    if (status == PF_OK) status = machine_write_tools(s, options, error);
    /* With another environment the booted session is no use: its successor starts with the first
     * run. */
    if (status == PF_OK && options->env_changed) KERNEL(s, HOST_KILL, .arg = {1});
    return status;
}

pf_status pf_sandbox_new(const pf_options *options, pf_sandbox **out, pf_error *error) {
    *out = NULL;
    pf_sandbox *s = calloc(1, sizeof *s);
    if (!s) return base_no_memory(error);
    pf_error local;
    if (!error) error = &local;
    pf_status status = machine_enter(s, error);
    if (status == PF_OK) {
        status = machine_configure(s, options, error);
        if (status == PF_OK) status = machine_populate(s, options, error);
        if (status == PF_OK) status = machine_enter_mounts(s, options, error);
        if (status != PF_OK) s->dead = true; /* half of it is there, to be freed */
        machine_leave(s);
    }
    if (status != PF_OK) {
        pf_sandbox_free(s);
        return status;
    }
    *out = s;
    return PF_OK;
}
