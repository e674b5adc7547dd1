/*
 * host/snapshot/snapshot.c: a sandbox as bytes, and back.
 *
 * A snapshot is what the guest is: the memories of kernel and processes as differences from their
 * templates, the run that is on, the calls that wait. It is data, never authority: tools,
 * capabilities and limits come from the embedder at restore.
 *
 * docs/snapshot.md is the reference of the format. frame.c wraps what is written here: it
 * compresses, authenticates and names the build; nothing reaches the reader below that frame.c has
 * not checked.
 */
#include "filemap.h"
#include "frame.h"
#include "portable.h"

#include <stdlib.h>
#include <string.h>

static const char *const limit_names[] = {NULL, "cpu_seconds", "wall_seconds"};

/* ---- writing */

static void put_run(struct writer *w, const pf_sandbox *s) {
    const struct machine_run *run = &s->run;
    assert(run->input_at <= run->input.len && run->session <= PF_SESSIONS);
    uint32_t limit = 0;
    for (uint32_t i = 1; i < 3; i++)
        if (run->limit && strcmp(run->limit, limit_names[i]) == 0) limit = i;
    put_u32(w, run->on | run->foreground_done << 1 | run->stdin_open << 2 | run->truncated[0] << 3 |
                   run->truncated[1] << 4 | run->session << 5);
    put_u32(w, run->on ? run->stage : STAGE_RUNNING); /* how the last one ended is no state */
    put_u32(w, limit);
    /* What was measured differs from run to run: it would spoil equal snapshots of equal runs, and
     * of replays of one trace. */
    bool measured = run->on && !(s->clock_fixed && s->seed_fixed) && !machine_replays(s);
    put_u32(w, measured ? atomic_load(&s->watch.ticks) : 0);
    put_u64(w, measured ? (uint64_t)run->wall_ns : 0);
    put_u64(w, measured ? run->cpu_ns : 0);
    put_u64(w, run->tool_calls);
    put_u64(w, run->asked);
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
        assert(c->id && c->op && c->params[c->params_len] == '\0');
        put_u64(w, c->id);
        put_u32(w, c->op);
        put_u32(w, c->handed_out);
        put_u32(w, (uint32_t)c->capability);
        put_bytes(w, c->method, strlen(c->method));
        put_bytes(w, c->name, strlen(c->name));
        put_bytes(w, c->params, c->params_len);
    }
}

/* What a process is a difference from: the booted session, if it started as that, or its image. */
enum { BASE_IMAGE, BASE_SESSION };

static int image_of(const cpu_instance *instance) {
    for (int i = 0; i < machine_image_count(); i++)
        if (machine_image_info(i) == instance->image) return i;
    return -1;
}

static pf_status put_processes(struct writer *w, pf_sandbox *s, const struct machine_boot *boot,
                               pf_error *error) {
    uint32_t count = 0;
    for (uint32_t i = 1; i < s->procs_room; i++) count += s->procs[i] != NULL;
    put_u32(w, count);
    for (uint32_t i = 1; i < s->procs_room; i++) {
        const cpu_instance *instance = s->procs[i];
        if (!instance) continue;
        bool session =
            boot->session && instance->slot->file_to && instance->slot->origin == boot->session;
        const struct cpu_template *base =
            session ? boot->session : machine_image(image_of(instance));
        pf_status status = machine_spend(s, 0, error);
        if (status != PF_OK) return status;
        if (!base) {
            w->failed = true;
            return PF_OK;
        }
        put_u32(w, i);
        assert(instance->state == CPU_UNWOUND && instance->proc == i);
        put_u32(w, session ? BASE_SESSION : BASE_IMAGE);
        put_bytes(w, instance->image->name, strlen(instance->image->name));
        put_instance(w, instance, base);
    }
    return PF_OK;
}

static void put_mounts(struct writer *w, const struct machine_mounts *mounts) {
    put_u32(w, mounts ? (uint32_t)mounts->count : 0);
    for (size_t i = 0; mounts && i < mounts->count; i++) {
        const struct machine_mount *m = &mounts->items[i];
        assert(m->sorted);
        put_bytes(w, m->guest, strlen(m->guest));
        put_u32(w, m->copy);
        put_u32(w, (uint32_t)m->count);
        for (size_t k = 0; k < m->count; k++) {
            const char *path = m->names.data + m->entries[k].name;
            put_bytes(w, path, strlen(path));
            put_u32(w, (uint32_t)m->entries[k].kind);
            put_u32(w, m->entries[k].mode);
            put_u32(w, m->entries[k].has_digest);
            put_raw(w, m->entries[k].digest, MOUNT_DIGEST);
        }
    }
}

static pf_status put_counters(struct writer *w, const pf_sandbox *s, pf_error *error) {
    char *counters = NULL;
    size_t len = 0;
    if (cap_gate_counters_save(s->gate, &counters, &len) != PF_OK) return base_no_memory(error);
    put_bytes(w, counters, len);
    free(counters);
    return PF_OK;
}

/* For who is of another build; then where kernel and list begin, counted from the end. */
static pf_status put_file_list(struct writer *w, pf_sandbox *s, size_t kernel_at, pf_error *error) {
    assert(kernel_at <= w->out.len);
    size_t files_at = w->out.len;
    pf_status status = put_files(w, s, false, error);
    size_t end = w->out.len + SNAPSHOT_TRAILER;
    put_u64(w, end - kernel_at);
    put_u64(w, end - files_at);
    return status;
}

static pf_status save(pf_sandbox *s, struct writer *w, pf_error *error) {
    assert(s->kernel && !s->dead);
    const struct machine_boot *boot = machine_boot(error);
    pf_status status = boot ? machine_refuse_parked(s, error) : PF_DEAD;
    if (status != PF_OK) return status;
    put_u32(w, s->clock_fixed | s->seed_fixed << 1 | s->tool_files << 2);
    put_u64(w, (uint64_t)s->monotonic_ns);
    put_u64(w, (uint64_t)s->realtime_base);
    put_u64(w, (uint64_t)s->deadline_ns);
    put_u32(w, s->sessions);
    put_u64(w, s->next_call);
    put_u64(w, s->forks);
    put_run(w, s);
    put_calls(w, s);
    status = put_counters(w, s, error);
    if (status != PF_OK) return status;
    size_t kernel_at = w->out.len;
    put_instance(w, s->kernel, boot->kernel);
    status = put_processes(w, s, boot, error);
    if (status != PF_OK) return status;
    if (!machine_sort_mounts(s)) return base_no_memory(error);
    put_mounts(w, s->mounts);
    status = put_file_list(w, s, kernel_at, error);
    if (status != PF_OK) return status;
    return w->failed ? base_error(error, PF_NO_MEMORY, "no memory for the snapshot") : PF_OK;
}

pf_status pf_sandbox_snapshot(pf_sandbox *s, char **data, size_t *len, pf_error *error) {
    return pf_sandbox_snapshot_counted(s, 0, data, len, error);
}

pf_status pf_sandbox_snapshot_counted(pf_sandbox *s, uint64_t counter, char **data, size_t *len,
                                      pf_error *error) {
    *data = NULL;
    *len = 0;
    if (counter && !s->keyed)
        return base_error(error, PF_INVALID,
                          "a snapshot with a counter needs a key: without one anybody can write "
                          "another number");
    pf_status status = machine_enter_act(s, "a snapshot of", "the sandbox", false, error);
    if (status != PF_OK) return status;
    struct writer w = {0};
    base_buf_init(&w.out, SIZE_MAX);
    status = save(s, &w, error);
    if (status == PF_OK)
        status = frame_wrap(FRAME_EXACT, w.out.data, w.out.len, s->keyed ? s->key : NULL, counter,
                            data, len, error);
    if (status == PF_OK) status = machine_spend(s, *len, error);
    machine_leave_act(s);
    base_buf_free(&w.out);
    if (status != PF_OK) {
        free(*data);
        *data = NULL;
        *len = 0;
    }
    return status;
}

/* ---- reading */

static bool get_into(struct reader *r, struct base_buf *b) {
    size_t len;
    const char *p = get_bytes(r, SIZE_MAX / 2, &len);
    return !r->bad && (len == 0 || base_buf_add(b, p, len));
}

/* Times and ticks that can be added without overflow; further is as good as for ever. */
#define TIME_MAX  (INT64_MAX / 4)
#define TICKS_MAX (UINT32_MAX / 4)

static bool get_run(struct reader *r, pf_sandbox *s) {
    struct machine_run *run = &s->run;
    assert(!run->input.data && !run->output[0].data && !run->output[1].data);
    uint32_t flags = get_u32(r), stage = get_u32(r), limit = get_u32(r);
    run->on = flags & 1;
    run->foreground_done = flags & 2;
    run->stdin_open = flags & 4;
    run->truncated[0] = flags & 8;
    run->truncated[1] = flags & 16;
    run->session = flags >> 5;
    /* What was killed is over before anybody can take a snapshot. */
    if (run->session > PF_SESSIONS || stage >= STAGE_KILLED || limit > 2) r->bad = true;
    if (r->bad) return false;
    run->stage = (enum machine_stage)stage;
    run->limit = limit_names[limit];
    uint32_t ticks = get_u32(r);
    if (ticks > TICKS_MAX) ticks = TICKS_MAX;
    run->wall_ns = (int64_t)get_u64(r);
    if (run->wall_ns < 0 || run->wall_ns > TIME_MAX) run->wall_ns = TIME_MAX;
    run->cpu_ns = get_u64(r);
    run->tool_calls = get_u64(r);
    run->asked = get_u64(r);
    if (run->tool_calls > run->asked) run->tool_calls = run->asked; /* they are among them */
    bool ok = get_into(r, &run->input) && get_into(r, &run->output[0]) &&
              get_into(r, &run->output[1]) && get_into(r, &run->value);
    atomic_store(&s->watch.ticks, ticks);
    if (run->on && !run->stdin_open && run->input.len) r->bad = true; /* it would be for nobody */
    if (run->on) {
        machine_arm_limits(s);
        if (run->stage != STAGE_RUNNING) machine_arm_grace(s);
        machine_expect_interrupt(s);
    }
    return ok && !r->bad;
}

/* Method, name and parameters, as three strings in one block. */
static bool get_call_strings(struct reader *r, struct machine_call *c) {
    assert(!c->restored);
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

/* An id belongs to this branch, is one that was given, and means one call; so does an operation. */
static bool is_new_call(const pf_sandbox *s, const struct machine_call *call) {
    if ((uint32_t)call->id == 0 || call->op == 0) return false;
    if (call->id >> 32 != s->next_call >> 32 || call->id >= s->next_call) return false;
    for (const struct machine_call *c = s->calls; c != call; c = c->next)
        if (c->id >= call->id || c->op == call->op) return false;
    return true;
}

static bool get_calls(struct reader *r, pf_sandbox *s) {
    assert(!s->calls);
    struct machine_call **end = &s->calls;
    uint32_t count = get_u32(r);
    if (count > PF_OPS_MAX) r->bad = true; /* the kernel has no more */
    for (; count > 0 && !r->bad; count--) {
        struct machine_call *c = calloc(1, sizeof *c);
        if (!c) return false;
        *end = c;
        end = &c->next;
        c->id = get_u64(r);
        c->op = get_u32(r);
        c->handed_out = get_u32(r);
        c->capability = (int)get_u32(r);
        if (!get_call_strings(r, c) || !machine_charge_call(s, c, c->params_len)) return false;
        if (!is_new_call(s, c) || c->capability < 0) r->bad = true;
    }
    return !r->bad;
}

static const struct cpu_template *find_base(const struct machine_boot *boot, uint32_t base,
                                            const char *name) {
    if (!name || base > BASE_SESSION) return NULL;
    if (base == BASE_SESSION)
        return boot->session && strcmp(boot->session->image->name, name) == 0 ? boot->session
                                                                              : NULL;
    for (int i = 0; i < machine_image_count(); i++)
        if (strcmp(machine_image_info(i)->name, name) == 0) return machine_image(i);
    return NULL;
}

static bool get_process(struct reader *r, pf_sandbox *s, const struct machine_boot *boot) {
    uint32_t proc = get_u32(r), kind = get_u32(r);
    char *name = get_string(r, 255);
    const struct cpu_template *base = r->bad ? NULL : find_base(boot, kind, name);
    free(name);
    if (!base || proc == 0 || proc >= PF_PROCESS_TABLE || machine_instance(s, proc)) {
        r->bad = true;
        return false;
    }
    return machine_adopt(s, proc, get_instance(r, base, &s->budget));
}

static pf_status bad(const struct reader *r, pf_error *error) {
    if (r->bad)
        return base_error(error, PF_FORMAT,
                          "the snapshot is malformed near byte %zu of its contents", r->at);
    return base_error(error, PF_NO_MEMORY,
                      "the snapshot does not fit memory_bytes, or the host has no memory");
}

/* At least so many bytes of the input are one entry, or one mount. */
#define ENTRY_MIN (8 + 4 + 4 + 4 + MOUNT_DIGEST)
#define MOUNT_MIN (8 + 4 + 4)

static bool get_mount(struct reader *r, struct machine_mount *m) {
    assert(m->count == 0);
    m->guest = get_string(r, PF_PATH_MAX);
    m->copy = get_u32(r);
    uint32_t count = get_u32(r);
    if (r->bad || count > (r->len - r->at) / ENTRY_MIN) return false;
    while (m->count < count && !r->bad) {
        char *path = get_string(r, PF_PATH_MAX);
        struct machine_mount_entry e = {.kind = (char)get_u32(r)};
        e.mode = get_u32(r);
        uint32_t has_digest = get_u32(r);
        const uint8_t *digest = get_raw(r, MOUNT_DIGEST);
        e.has_digest = has_digest;
        if (digest) memcpy(e.digest, digest, MOUNT_DIGEST);
        /* They are looked up by halving. */
        const char *last = m->count ? m->names.data + m->entries[m->count - 1].name : NULL;
        bool ok = !r->bad && has_digest <= 1 && (!last || strcmp(last, path) < 0) &&
                  machine_mount_add(m, path, &e);
        free(path);
        if (!ok) return false;
    }
    m->sorted = true;
    return !r->bad;
}

static bool get_mounts(struct reader *r, pf_sandbox *s) {
    assert(!s->mounts);
    uint32_t count = get_u32(r);
    if (r->bad || count > (r->len - r->at) / MOUNT_MIN) r->bad = true;
    if (count == 0 || r->bad) return !r->bad;
    s->mounts = machine_mounts_new(count);
    if (!s->mounts) return false;
    for (size_t i = 0; i < count; i++)
        if (!get_mount(r, &s->mounts->items[i])) {
            r->bad = true;
            return false;
        }
    return true;
}

/* Clock, session and ids. */
static bool get_state(struct reader *r, pf_sandbox *s) {
    uint32_t flags = get_u32(r);
    s->monotonic_ns = (int64_t)get_u64(r);
    int64_t realtime_base = (int64_t)get_u64(r);
    s->deadline_ns = (int64_t)get_u64(r);
    s->sessions = get_u32(r);
    s->next_call = get_u64(r);
    s->forks = get_u64(r);
    if (flags > 7 || s->sessions >> PF_SESSIONS || !machine_sound_next_call(s->next_call))
        r->bad = true;
    if (s->monotonic_ns < 0 || s->monotonic_ns > 2 * TIME_MAX || s->deadline_ns < 0) r->bad = true;
    s->seed_fixed = flags & 2;
    s->tool_files = flags & 4;
    if (flags & 1) { /* a fixed clock goes on where it stood */
        s->clock_fixed = true;
        s->realtime_base = realtime_base;
    } else if (!r->bad) {
        s->realtime_base -= s->monotonic_ns;
        s->clock_origin -= s->monotonic_ns;
    }
    return !r->bad;
}

/* What was spent, and of which capabilities the pending calls have spent it: -1 for what is
 * gone. */
static pf_status load_counters(pf_sandbox *s, const char *counters, size_t len, pf_error *error) {
    int *map = NULL;
    size_t count = 0;
    pf_status status = cap_gate_counters_load(s->gate, counters, len, &map, &count, error);
    for (struct machine_call *c = s->calls; c && status == PF_OK; c = c->next)
        c->capability = (size_t)c->capability < count ? map[c->capability] : -1;
    free(map);
    return status;
}

/* It is for other builds. */
static bool skip_file_list(const struct reader *r) {
    size_t left = r->len - r->at;
    struct reader trailer = {.data = r->data, .len = r->len, .at = r->len - 8};
    return left >= SNAPSHOT_TRAILER && get_u64(&trailer) == left;
}

/* `look`: the counters are passed over, because there is no policy to hold them. */
static pf_status load(pf_sandbox *s, const struct machine_boot *boot, struct reader *r, bool look,
                      pf_error *error) {
    assert(!s->kernel && s->gate);
    if (!get_state(r, s) || !get_run(r, s) || !get_calls(r, s)) return bad(r, error);
    size_t len;
    const char *counters = get_bytes(r, SIZE_MAX / 2, &len);
    if (r->bad) return bad(r, error);
    pf_status status = machine_fit_run(s, error);
    if (status == PF_OK && !look) status = load_counters(s, counters, len, error);
    if (status != PF_OK) return status;
    s->mailbox = boot->mailbox;
    uint64_t limit = s->budget.limit; /* is for what the kernel uses, which it has to say first */
    s->budget.limit = UINT64_MAX;
    s->kernel = r->bad ? NULL : get_instance(r, boot->kernel, &s->budget);
    s->budget.limit = limit;
    if (s->kernel && !machine_kernel_attach(s)) r->bad = true;
    if (!s->kernel || r->bad) return bad(r, error);
    machine_settle_memory(s, machine_mailbox(s));
    if (s->dead) r->bad = true;
    if (r->bad || s->budget.used > limit) return bad(r, error);
    for (uint32_t count = get_u32(r); count > 0; count--)
        if (!get_process(r, s, boot)) return bad(r, error);
    if (!get_mounts(r, s)) return bad(r, error);
    if (!skip_file_list(r)) r->bad = true;
    if (r->bad) return bad(r, error);
    machine_show_time(s);
    return PF_OK;
}

/* More than the contents of any snapshot that these limits would let live. */
static uint64_t snapshot_most(const struct machine_limits *limits) {
    uint64_t sum = 64u << 20;
    const uint64_t parts[] = {limits->memory_bytes, limits->stdin_bytes, limits->output_bytes,
                              limits->output_bytes, limits->tool_result_bytes};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i] > FRAME_CONTENTS_MAX - sum) return FRAME_CONTENTS_MAX;
        sum += parts[i];
    }
    return sum;
}

pf_status snapshot_open(pf_sandbox *s, const pf_options *options, enum frame_kind kind,
                        const char *data, size_t len, char **contents, size_t *contents_len,
                        pf_error *error) {
    assert(!s->made_from && kind < FRAME_NONE);
    struct frame_terms terms = {.kind = kind,
                                .key = options->keyed ? options->key : NULL,
                                .trusted = options->trusted,
                                .min_counter = options->min_counter,
                                .max = snapshot_most(&options->limits)};
    if (options->min_counter && !options->keyed)
        return base_error(
            error, PF_INVALID,
            "a counter that a snapshot must have needs a key: without one anybody can "
            "write another number");
    s->made_from = data;
    s->made_from_len = len;
    pf_status status = machine_configure(s, options, error);
    s->made_from = NULL;
    return status == PF_OK ? frame_open(data, len, &terms, contents, contents_len, error) : status;
}

static pf_status restore(pf_sandbox *s, const pf_options *options, const char *data, size_t len,
                         bool look, pf_error *error) {
    assert(!s->kernel && atomic_load(&s->busy) == 1);
    const struct machine_boot *boot = machine_boot(error);
    if (!boot) return error->status;
    char *contents = NULL;
    size_t contents_len = 0;
    pf_status status =
        snapshot_open(s, options, FRAME_EXACT, data, len, &contents, &contents_len, error);
    if (status != PF_OK) return status;
    struct reader r = {.data = (const uint8_t *)contents, .len = contents_len};
    status = load(s, boot, &r, look, error);
    free(contents);
    if (status != PF_OK || look) return status;
    status = machine_configure_kernel(s, error);
    if (status == PF_OK) status = machine_attach_mounts(s, options, error);
    /* Two copies of one snapshot must not draw the same secrets, unless they were asked to. */
    if (status == PF_OK && !s->seed_fixed && !options->same_random)
        status = machine_seed(s, NULL, error);
    if (status == PF_OK) status = machine_forget_tools(s, error); /* they are who restores's */
    if (status == PF_OK) status = machine_write_tools(s, options, error);
    if (status == PF_OK) status = machine_judge_again(s, true, error);
    return status;
}

static pf_status open_sandbox(const pf_options *options, const char *data, size_t len, bool look,
                              pf_sandbox **out, pf_error *error) {
    *out = NULL;
    pf_error local;
    if (!error) error = &local;
    pf_sandbox *s = calloc(1, sizeof *s);
    if (!s) return base_no_memory(error);
    pf_status status = machine_enter(s, error);
    if (status == PF_OK) {
        bool portable = frame_kind(data, len) == FRAME_PORTABLE;
        if (portable && look)
            status =
                base_error(error, PF_FORMAT,
                           "the snapshot is portable: there are no processes in it to look at, "
                           "only files (pf_snapshot_files_open)");
        else
            status = portable ? portable_restore(s, options, data, len, error)
                              : restore(s, options, data, len, look, error);
        if (status != PF_OK) s->dead = true; /* half of it is there, to be freed */
        machine_leave(s);
    }
    if (status != PF_OK) {
        pf_sandbox_free(s);
        return status;
    }
    s->look_only = look;
    *out = s;
    return PF_OK;
}

pf_status pf_sandbox_restore(const pf_options *options, const char *data, size_t len,
                             pf_sandbox **out, pf_error *error) {
    return open_sandbox(options, data, len, false, out, error);
}

/* Through bytes, so that a trace can begin with them. */
pf_status pf_sandbox_fork_with(pf_sandbox *s, const pf_options *options, pf_sandbox **out,
                               pf_error *error) {
    *out = NULL;
    pf_sandbox *branch;
    char *data;
    size_t len;
    pf_status status = machine_fork(s, &branch, error);
    if (status != PF_OK) return status;
    pf_options how = *options;
    how.trusted = true;
    how.min_counter = 0;
    how.mounts = NULL;
    how.branch_mounts = branch->mounts;
    status = pf_sandbox_snapshot(branch, &data, &len, error);
    if (status == PF_OK) status = pf_sandbox_restore(&how, data, len, out, error);
    if (status == PF_OK && branch->has_result) {
        (*out)->has_result = true;
        (*out)->result = branch->result;
        machine_point_result(*out);
    }
    pf_free(data);
    pf_sandbox_free(branch);
    return status;
}

pf_status pf_snapshot_look(const char *data, size_t len, const void *key, size_t key_len,
                           pf_sandbox **out, pf_error *error) {
    *out = NULL;
    pf_options *options = pf_options_new();
    if (!options) return base_no_memory(error);
    const char *const lifted[] = {"memory_bytes", "process_memory_bytes", "stdin_bytes",
                                  "output_bytes", "tool_result_bytes"};
    pf_status status = PF_OK;
    for (size_t i = 0; i < sizeof lifted / sizeof *lifted && status == PF_OK; i++)
        status = pf_options_limit(options, lifted[i], PF_UNLIMITED, error);
    if (status == PF_OK && key) status = pf_options_key(options, key, key_len, error);
    if (status == PF_OK) status = open_sandbox(options, data, len, true, out, error);
    pf_options_free(options);
    return status;
}
