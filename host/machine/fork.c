/*
 * host/machine/fork.c: a branch: an independent copy of a whole sandbox in this process.
 *
 * Between two calls of the embedder a sandbox is plain bytes and a few counters, so a branch is
 * those, copied. Nothing is shared but what never changes: images, templates, policy, schemas. And
 * what was spent of capabilities, if it is asked for: such a branch spends for its pending calls,
 * too. A twin is a branch that does not know it is one: it has the same ids, moment and random
 * numbers.
 */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

/*
 * The ids of a branch: 31 bits that follow from those of its parent and from how many branches that
 * has had (splitmix64's finalizer), then a count from 1. The first sandbox is branch 0.
 */
static uint64_t first_id(pf_sandbox *parent) {
    assert(machine_sound_next_call(parent->next_call));
    uint64_t x = (parent->next_call >> 32 << 32 | (uint32_t)++parent->forks) + 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    x = (x ^ x >> 31) >> 33;
    return (x ? x : 1) << 32 | 1;
}

static struct machine_call *copy_call(const struct machine_call *from) {
    assert(from->method && from->name && from->params[from->params_len] == '\0');
    size_t method = strlen(from->method) + 1, name = strlen(from->name) + 1;
    struct machine_call *call = calloc(1, sizeof *call);
    char *strings = call ? malloc(method + name + from->params_len + 1) : NULL;
    if (!strings) {
        free(call);
        return NULL;
    }
    *call = (struct machine_call){
        .op = from->op,
        .handed_out = from->handed_out,
        .method = memcpy(strings, from->method, method),
        .name = memcpy(strings + method, from->name, name),
        .params = memcpy(strings + method + name, from->params, from->params_len + 1),
        .params_len = from->params_len,
        .capability = from->capability,
        .restored = strings,
    };
    return call;
}

enum kind { BRANCH, SHARED, TWIN };

static bool copy_calls(const pf_sandbox *from, pf_sandbox *to, enum kind kind) {
    assert(!to->calls && to->budget.used == 0);
    struct machine_call **end = &to->calls;
    for (const struct machine_call *call = from->calls; call; call = call->next) {
        *end = copy_call(call);
        if (!*end) return false;
        if (kind == TWIN) {
            (*end)->id = call->id;
            (*end)->charged = call->charged;
            to->budget.used += call->charged;
        } else {
            if (!machine_charge_call(to, *end, call->params_len)) return false;
            (*end)->id = to->next_call++;
        }
        end = &(*end)->next;
    }
    return true;
}

static bool copy_buf(const struct base_buf *from, struct base_buf *to) {
    assert(to->len == 0);
    return !from->data || base_buf_add(to, from->data, from->len);
}

static bool copy_run(const pf_sandbox *from, pf_sandbox *to) {
    assert(!to->run.output[0].data && !to->run.output[1].data);
    const struct machine_run *run = &from->run;
    struct machine_run fresh;
    machine_run_init(&fresh);
    bool ok = copy_buf(&run->input, &fresh.input) && copy_buf(&run->output[0], &fresh.output[0]) &&
              copy_buf(&run->output[1], &fresh.output[1]) && copy_buf(&run->value, &fresh.value);
    to->run = *run;
    to->run.input = fresh.input;
    to->run.output[0] = fresh.output[0];
    to->run.output[1] = fresh.output[1];
    to->run.value = fresh.value;
    to->run.on_output = NULL;
    to->run.user = NULL;
    to->has_result = from->has_result;
    if (from->has_result) {
        to->result = from->result;
        machine_point_result(to);
    }
    return ok;
}

static bool copy_instances(const pf_sandbox *from, pf_sandbox *to) {
    assert(!to->kernel && from->kernel);
    to->kernel = cpu_instance_clone(from->kernel, &to->budget);
    if (!to->kernel) return false;
    for (uint32_t i = 1; i < from->procs_room; i++)
        if (from->procs[i] &&
            !machine_adopt(to, i, cpu_instance_clone(from->procs[i], &to->budget)))
            return false;
    return true;
}

/* What is neither memory nor a buffer of its own. */
static bool copy_settings(const pf_sandbox *from, pf_sandbox *to, enum kind kind) {
    assert(!to->gate && !to->env && !to->mounts);
    to->limits = from->limits;
    to->own_limits = from->own_limits;
    to->budget.limit = UINT64_MAX; /* until all of it is there */
    to->budget.each = from->budget.each;
    to->budget.reserve = from->budget.reserve;
    atomic_store(&to->watch.ticks, atomic_load(&from->watch.ticks));
    to->watch.stop_at = from->watch.stop_at;
    to->watch.kill_at = from->watch.kill_at;
    to->watch.demand = &to->interrupt;
    to->mailbox = from->mailbox;
    to->in_area = from->in_area;
    to->in_cap = from->in_cap;
    to->clock_fixed = from->clock_fixed;
    to->seed_fixed = from->seed_fixed;
    to->keyed = from->keyed;
    to->bounds = from->bounds;
    memcpy(to->key, from->key, sizeof to->key);
    to->look_only = from->look_only;
    to->mounts = from->mounts;
    if (to->mounts) atomic_fetch_add(&to->mounts->references, 1);
    to->monotonic_ns = from->monotonic_ns;
    to->clock_origin = from->clock_origin;
    to->realtime_base = from->realtime_base;
    to->deadline_ns = from->deadline_ns;
    to->sessions = from->sessions;
    to->tool_files = from->tool_files;
    if (from->left_out && (to->left_out = malloc(from->left_out_len))) {
        memcpy(to->left_out, from->left_out, from->left_out_len);
        to->left_out_len = from->left_out_len;
    }
    to->stirred = from->stirred;
    atomic_store(&to->interrupt, from->run.on ? atomic_load(&from->interrupt) : INTERRUPT_IGNORED);
    to->env = malloc(from->env_len ? from->env_len : 1);
    to->gate = kind == SHARED ? cap_gate_share(from->gate) : cap_gate_clone(from->gate);
    if (!to->env || !to->gate) return false;
    if (from->env_len) memcpy(to->env, from->env, from->env_len);
    to->env_len = from->env_len;
    to->env_count = from->env_count;
    return true;
}

static void copy_identity(const pf_sandbox *from, pf_sandbox *to) {
    assert(!to->seeded);
    to->next_call = from->next_call;
    to->forks = from->forks;
    to->moment = from->moment;
    to->seeded = from->seeded;
    memcpy(to->seed, from->seed, sizeof to->seed);
}

static pf_status copy(pf_sandbox *from, pf_sandbox *to, enum kind kind, pf_error *error) {
    machine_run_init(&to->run);
    if (!copy_settings(from, to, kind)) return base_no_memory(error);
    if (kind == TWIN) copy_identity(from, to);
    else to->next_call = first_id(from);
    if (!copy_run(from, to) || !copy_calls(from, to, kind)) return base_no_memory(error);
    if (!copy_instances(from, to))
        return base_error(error, PF_NO_MEMORY, "no memory or address space for a branch");
    machine_settle_memory(to, machine_mailbox(to));
    to->budget.limit = from->budget.limit;
    to->budget.peak = from->budget.peak;
    assert(to->clean == from->clean);
    pf_status status = from->seed_fixed || kind == TWIN ? PF_OK : machine_seed(to, NULL, error);
    return status == PF_OK && kind == SHARED ? machine_judge_again(to, false, error) : status;
}

static pf_status make(pf_sandbox *s, enum kind kind, pf_sandbox **out, pf_error *error) {
    *out = NULL;
    pf_status status = machine_enter(s, error);
    if (status != PF_OK) return status;
    pf_sandbox *branch = calloc(1, sizeof *branch);
    status = branch ? machine_refuse_parked(s, error) : base_no_memory(error);
    if (status == PF_OK) status = copy(s, branch, kind, error);
    machine_leave(s);
    if (status != PF_OK) {
        pf_sandbox_free(branch);
        return status;
    }
    *out = branch;
    return PF_OK;
}

pf_status pf_sandbox_fork(pf_sandbox *s, pf_sandbox **out, pf_error *error) {
    *out = NULL;
    if (s->tape && !machine_replays(s))
        return base_error(error, PF_STATE,
                          "the sandbox is recorded, and its branch would not be: "
                          "pf_sandbox_fork_with() gives it a trace of its own, or none");
    return machine_fork(s, out, error);
}

pf_status pf_sandbox_fork_shared(pf_sandbox *s, pf_sandbox **out, pf_error *error) {
    *out = NULL;
    if (s->tape)
        return base_error(error, PF_STATE,
                          "the sandbox is recorded, and what a branch spends of a shared budget "
                          "would not be in its trace");
    return make(s, SHARED, out, error);
}

pf_status machine_fork(pf_sandbox *s, pf_sandbox **out, pf_error *error) {
    return make(s, BRANCH, out, error);
}

pf_status machine_twin(pf_sandbox *s, pf_sandbox **out, pf_error *error) {
    return make(s, TWIN, out, error);
}
