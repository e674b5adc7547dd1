/*
 * host/snapshot/snapshot.c: a sandbox as bytes, and back.
 *
 * A snapshot is what the guest is: the memories of kernel and processes as differences from their
 * templates, the run that is on, the calls that wait. It is data, never authority: tools,
 * capabilities and limits come from the embedder at restore.
 *
 * Layout: head (64 bytes) | body | BLAKE2b-256 of both. The head names the format and the build;
 * docs/snapshot.md is the reference. A snapshot of another build is refused, because its pages mean
 * nothing here.
 */
#include "memory.h"

#include <monocypher.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT 1u

struct head {
    char magic[8];
    uint32_t format, flags;
    uint8_t build[SNAPSHOT_DIGEST];
    uint64_t body_len;
    uint64_t reserved;
};
_Static_assert(sizeof(struct head) == 64, "the head of a snapshot has 64 bytes");
static const char magic[8] = "PINFOLD";

static const char *const limit_names[] = {NULL, "cpu_seconds", "wall_seconds"};

/* ---- writing */

static void put_run(struct writer *w, const pf_sandbox *s) {
    const struct machine_run *run = &s->run;
    uint32_t limit = 0;
    for (uint32_t i = 1; i < 3; i++)
        if (run->limit && strcmp(run->limit, limit_names[i]) == 0) limit = i;
    put_u32(w, run->on | run->foreground_done << 1 | run->shell << 2 | run->stdin_open << 3 |
                   run->truncated[0] << 4 | run->truncated[1] << 5);
    put_u32(w, run->stage);
    put_u32(w, limit);
    put_u32(w, atomic_load(&s->watch.ticks));
    put_u64(w, (uint64_t)run->wall_ns);
    put_u64(w, run->cpu_ns);
    put_u64(w, run->tool_calls);
    put_bytes(w, run->input.data ? run->input.data + run->input_at : "",
              run->input.len - run->input_at);
    put_bytes(w, run->output[0].data, run->output[0].len);
    put_bytes(w, run->output[1].data, run->output[1].len);
    put_bytes(w, run->value.data, run->value.len);
}

static void put_calls(struct writer *w, const pf_sandbox *s) {
    uint32_t count = 0;
    for (const struct machine_call *c = s->calls; c; c = c->next) count++;
    put_u32(w, count);
    for (const struct machine_call *c = s->calls; c; c = c->next) {
        put_u64(w, c->id);
        put_u32(w, c->op);
        put_u32(w, c->handed_out);
        put_u32(w, (uint32_t)c->capability);
        put_bytes(w, c->method, strlen(c->method));
        put_bytes(w, c->name, strlen(c->name));
        put_bytes(w, c->params, c->params_len);
    }
}

static int image_of(const cpu_instance *instance) {
    for (int i = 0; i < machine_image_count(); i++)
        if (machine_image_info(i) == instance->image) return i;
    return -1;
}

static void put_processes(struct writer *w, const pf_sandbox *s) {
    uint32_t count = 0;
    for (uint32_t i = 1; i < PF_PROCESS_TABLE; i++) count += s->procs[i] != NULL;
    put_u32(w, count);
    for (uint32_t i = 1; i < PF_PROCESS_TABLE; i++) {
        if (!s->procs[i]) continue;
        const struct cpu_template *base = machine_image(image_of(s->procs[i]));
        uint8_t digest[SNAPSHOT_DIGEST];
        if (!base) {
            w->failed = true;
            return;
        }
        template_digest(base, digest);
        put_u32(w, i);
        put_bytes(w, s->procs[i]->image->name, strlen(s->procs[i]->image->name));
        put_raw(w, digest, sizeof digest);
        put_instance(w, s->procs[i], base);
    }
}

static pf_status save(pf_sandbox *s, struct writer *w, pf_error *error) {
    const struct machine_boot *boot = machine_boot(error);
    pf_status status = boot ? machine_refuse_parked(s, error) : PF_DEAD;
    if (status != PF_OK) return status;
    struct head head = {.format = FORMAT};
    memcpy(head.magic, magic, sizeof magic);
    template_digest(boot->kernel, head.build);
    put_raw(w, &head, sizeof head);

    put_u32(w, s->clock_fixed);
    put_u64(w, (uint64_t)s->monotonic_ns);
    put_u64(w, (uint64_t)s->realtime_base);
    put_u64(w, (uint64_t)s->deadline_ns);
    put_u32(w, s->session_alive);
    put_u64(w, s->next_call);
    put_run(w, s);
    put_calls(w, s);
    char *counters = NULL;
    size_t len = 0;
    status = cap_gate_counters_save(s->gate, &counters, &len);
    if (status != PF_OK) return base_error(error, status, "out of memory");
    put_bytes(w, counters, len);
    free(counters);
    put_instance(w, s->kernel, boot->kernel);
    put_processes(w, s);
    if (w->failed) return base_error(error, PF_NO_MEMORY, "no memory for the snapshot");

    head.body_len = w->out.len - sizeof head;
    memcpy(w->out.data, &head, sizeof head);
    uint8_t sum[SNAPSHOT_DIGEST];
    crypto_blake2b(sum, sizeof sum, (const uint8_t *)w->out.data, w->out.len);
    put_raw(w, sum, sizeof sum);
    return w->failed ? base_error(error, PF_NO_MEMORY, "no memory for the snapshot") : PF_OK;
}

pf_status pf_sandbox_snapshot(pf_sandbox *s, char **data, size_t *len, pf_error *error) {
    *data = NULL;
    *len = 0;
    pf_status status = machine_enter(s, error);
    if (status != PF_OK) return status;
    struct writer w = {0};
    base_buf_init(&w.out, SIZE_MAX);
    status = save(s, &w, error);
    machine_leave(s);
    if (status != PF_OK) {
        base_buf_free(&w.out);
        return status;
    }
    *data = w.out.data;
    *len = w.out.len;
    return PF_OK;
}

/* ---- reading */

static bool get_into(struct reader *r, struct base_buf *b) {
    size_t len;
    const char *p = get_bytes(r, SIZE_MAX / 2, &len);
    return !r->bad && (len == 0 || base_buf_add(b, p, len));
}

static bool get_run(struct reader *r, pf_sandbox *s) {
    struct machine_run *run = &s->run;
    uint32_t flags = get_u32(r), stage = get_u32(r), limit = get_u32(r);
    run->on = flags & 1;
    run->foreground_done = flags & 2;
    run->shell = flags & 4;
    run->stdin_open = flags & 8;
    run->truncated[0] = flags & 16;
    run->truncated[1] = flags & 32;
    if (stage > STAGE_KILLED || limit > 2) r->bad = true;
    if (r->bad) return false;
    run->stage = (enum machine_stage)stage;
    run->limit = limit_names[limit];
    uint32_t ticks = get_u32(r);
    run->wall_ns = (int64_t)get_u64(r);
    if (run->wall_ns < 0) run->wall_ns = 0;
    run->cpu_ns = get_u64(r);
    run->tool_calls = get_u64(r);
    bool ok = get_into(r, &run->input) && get_into(r, &run->output[0]) &&
              get_into(r, &run->output[1]) && get_into(r, &run->value);
    if (run->on) machine_arm_limits(s);
    atomic_store(&s->watch.ticks, ticks);
    return ok;
}

/* Method, name and parameters, as three strings in one block. */
static bool get_call_strings(struct reader *r, struct machine_call *c) {
    const char *from[3];
    size_t len[3], total = 0;
    for (int i = 0; i < 3; i++) {
        from[i] = get_bytes(r, SIZE_MAX / 8, &len[i]);
        if (r->bad || memchr(from[i], '\0', len[i])) r->bad = true;
        total += len[i] + 1;
    }
    char *to = c->restored = r->bad ? NULL : malloc(total);
    if (!to) return false;
    const char **field[3] = {&c->method, &c->name, &c->params};
    for (int i = 0; i < 3; i++) {
        *field[i] = to;
        memcpy(to, from[i], len[i]);
        to[len[i]] = '\0';
        to += len[i] + 1;
    }
    c->params_len = len[2];
    return true;
}

static bool get_calls(struct reader *r, pf_sandbox *s) {
    struct machine_call **end = &s->calls;
    for (uint32_t count = get_u32(r); count > 0 && !r->bad; count--) {
        struct machine_call *c = calloc(1, sizeof *c);
        if (!c) return false;
        *end = c;
        end = &c->next;
        c->id = get_u64(r);
        c->op = get_u32(r);
        c->handed_out = get_u32(r);
        c->capability = (int)get_u32(r);
        if (!get_call_strings(r, c)) return false;
        if (c->id == 0 || c->id >= s->next_call || c->capability < 0 ||
            (size_t)c->capability >= cap_gate_capability_count(s->gate))
            r->bad = true;
    }
    return !r->bad;
}

static bool get_process(struct reader *r, pf_sandbox *s) {
    uint32_t proc = get_u32(r);
    char *name = get_string(r, 255);
    int image = -1;
    for (int i = 0; name && i < machine_image_count(); i++)
        if (strcmp(machine_image_info(i)->name, name) == 0) image = i;
    free(name);
    const uint8_t *digest = get_raw(r, SNAPSHOT_DIGEST);
    uint8_t ours[SNAPSHOT_DIGEST];
    const struct cpu_template *base = image < 0 ? NULL : machine_image(image);
    if (r->bad || !base || proc == 0 || proc >= PF_PROCESS_TABLE || s->procs[proc]) {
        r->bad = true;
        return false;
    }
    template_digest(base, ours);
    if (memcmp(ours, digest, sizeof ours) != 0) {
        r->bad = true;
        return false;
    }
    cpu_instance *instance = get_instance(r, base, &s->budget);
    if (!instance) return false;
    instance->owner = s;
    instance->proc = proc;
    s->procs[proc] = instance;
    return true;
}

static pf_status bad(const struct reader *r, pf_error *error) {
    if (r->bad)
        return base_error(error, PF_FORMAT, "the snapshot is malformed near byte %zu",
                             sizeof(struct head) + r->at);
    return base_error(error, PF_NO_MEMORY,
                         "the snapshot does not fit memory_bytes, or the host has no memory");
}

static pf_status load(pf_sandbox *s, const pf_options *options, const struct machine_boot *boot,
                      struct reader *r, pf_error *error) {
    bool fixed = get_u32(r);
    s->monotonic_ns = (int64_t)get_u64(r);
    int64_t realtime_base = (int64_t)get_u64(r);
    s->deadline_ns = (int64_t)get_u64(r);
    s->session_alive = get_u32(r);
    s->next_call = get_u64(r);
    if (s->monotonic_ns < 0 || s->next_call == 0) r->bad = true;
    if (fixed) { /* a fixed clock goes on where it stood */
        s->clock_fixed = true;
        s->realtime_base = realtime_base;
    } else {
        s->realtime_base -= s->monotonic_ns;
        s->clock_origin -= s->monotonic_ns;
    }
    if (!get_run(r, s) || !get_calls(r, s)) return bad(r, error);
    size_t len;
    const char *counters = get_bytes(r, SIZE_MAX / 2, &len);
    if (r->bad) return bad(r, error);
    pf_status status = cap_gate_counters_load(s->gate, counters, len, error);
    if (status != PF_OK) return status;
    s->mailbox = boot->mailbox;
    s->kernel = get_instance(r, boot->kernel, &s->budget);
    if (!s->kernel) return bad(r, error);
    for (uint32_t count = get_u32(r); count > 0; count--)
        if (!get_process(r, s)) return bad(r, error);
    if (r->bad || r->at != r->len || !machine_kernel_attach(s)) {
        r->bad = true;
        return bad(r, error);
    }
    machine_show_time(s);
    status = machine_configure_kernel(s, error);
    return status == PF_OK ? machine_write_tools(s, options, error) : status;
}

/* Everything that can be refused before a byte of the body is looked at. */
static pf_status check_frame(const struct machine_boot *boot, const char *data, size_t len,
                             pf_error *error) {
    struct head head;
    if (len < sizeof head || memcmp(data, magic, sizeof magic) != 0)
        return base_error(error, PF_FORMAT, "this is not a pinfold snapshot");
    memcpy(&head, data, sizeof head);
    if (head.format != FORMAT)
        return base_error(error, PF_FORMAT,
                             "the snapshot has format %u; this pinfold (%s) reads format %u",
                             head.format, pf_version(), FORMAT);
    if (head.body_len != len - sizeof head - SNAPSHOT_DIGEST || len < sizeof head + SNAPSHOT_DIGEST)
        return base_error(error, PF_FORMAT,
                             "the snapshot is cut short or has something behind it: it has %zu "
                             "bytes and says %llu",
                             len, (unsigned long long)(head.body_len + sizeof head +
                                                       SNAPSHOT_DIGEST));
    uint8_t sum[SNAPSHOT_DIGEST], build[SNAPSHOT_DIGEST];
    crypto_blake2b(sum, sizeof sum, (const uint8_t *)data, len - sizeof sum);
    if (crypto_verify32(sum, (const uint8_t *)data + len - sizeof sum) != 0)
        return base_error(error, PF_FORMAT, "the snapshot was altered: its checksum is wrong");
    template_digest(boot->kernel, build);
    if (memcmp(build, head.build, sizeof build) != 0)
        return base_error(error, PF_FORMAT,
                             "the snapshot comes from another build of pinfold; restore it with "
                             "the version that made it");
    return PF_OK;
}

pf_status pf_sandbox_restore(const pf_options *options, const char *data, size_t len,
                             pf_sandbox **out, pf_error *error) {
    *out = NULL;
    pf_error local;
    if (!error) error = &local;
    cpu_traps_install();
    const struct machine_boot *boot = machine_boot(error);
    if (!boot) return error->status;
    pf_status status = check_frame(boot, data, len, error);
    if (status != PF_OK) return status;
    pf_sandbox *s = calloc(1, sizeof *s);
    if (!s) return base_no_memory(error);
    struct reader r = {.data = (const uint8_t *)data + sizeof(struct head),
                       .len = len - sizeof(struct head) - SNAPSHOT_DIGEST};
    status = machine_configure(s, options, error);
    if (status == PF_OK) status = load(s, options, boot, &r, error);
    if (status != PF_OK) {
        pf_sandbox_free(s);
        return status;
    }
    *out = s;
    return PF_OK;
}
