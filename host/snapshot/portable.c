/*
 * host/snapshot/portable.c: see portable.h. docs/snapshot.md is the reference of the parts.
 */
#include "portable.h"
#include "filemap.h"
#include "frame.h"

#include <monocypher.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PART(a, b, c, d)                                                                           \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
enum part {
    PART_INFO = PART('I', 'N', 'F', 'O'), /* clock, ids */
    PART_FILE = PART('F', 'I', 'L', 'E'),
    PART_SHELL = PART('S', 'H', 'E', 'L'),
    PART_PYTHON = PART('P', 'Y', 'T', 'H'),
    PART_BUDGETS = PART('C', 'N', 'T', 'S'),
    PART_LEFT = PART('L', 'E', 'F', 'T'), /* what the snapshot does not hold */
};
enum { PART_NEEDED = 1 }; /* who does not know it cannot restore the snapshot */

/* What asking and handing over may take, and no more than the sandbox's own limits. */
#define ASK_MS     10000ull
#define ASK_BYTES  (128ull << 20) /* of memory, besides what the sandbox has */
#define LEFT_BYTES (64u << 10)    /* of texts that say what was left out */

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t raised(uint64_t bytes) {
    return bytes > UINT64_MAX - ASK_BYTES ? UINT64_MAX : bytes + ASK_BYTES;
}

/* No tool can be called, and nothing takes long. */
static pf_status set_apart(pf_sandbox *s, pf_error *error) {
    s->own_limits.tool_calls = 0;
    s->own_limits.code_bytes = UINT64_MAX;
    s->own_limits.cpu_ms = least(s->own_limits.cpu_ms, ASK_MS);
    s->own_limits.wall_ms = least(s->own_limits.wall_ms, ASK_MS);
    s->own_limits.tool_result_bytes = s->own_limits.memory_bytes;
    s->limits = s->own_limits;
    return machine_configure_kernel(s, error);
}

/* ---- writing */

static bool add_left(struct base_buf *left, const char *what, const char *more) {
    return base_buf_addz(left, what) && base_buf_add(left, more, strlen(more) + 1);
}

static bool is_left(const uint8_t *data, size_t len) {
    static const uint8_t kind[] = {4, 0, 0, 0, 'l', 'e', 'f', 't'};
    return len >= sizeof kind && memcmp(data, kind, sizeof kind) == 0;
}

/* The records of a session: are they whole? Those that say what was left are texts in `left`. */
static bool read_records(const char *data, size_t len, struct base_buf *left) {
    struct reader r = {.data = (const uint8_t *)data, .len = len};
    while (r.at < r.len && !r.bad) {
        uint32_t count = get_u32(&r);
        bool lefts = count == 2 && !r.bad && is_left(r.data + r.at, r.len - r.at);
        if (count == 0 || count > (r.len - r.at) / 4) r.bad = true;
        for (uint32_t i = 0; i < count && !r.bad; i++) {
            uint32_t n = get_u32(&r);
            const uint8_t *field = get_raw(&r, n);
            bool fits = !r.bad && lefts && i == 1 && n < LEFT_BYTES && left->len + n < LEFT_BYTES;
            if (fits && !memchr(field, 0, n) &&
                !(base_buf_add(left, field, n) && base_buf_add(left, "", 1)))
                return false;
        }
    }
    return !r.bad;
}

static void put_part(struct writer *w, enum part part, uint32_t flags, const char *data,
                     size_t len) {
    put_u32(w, part);
    put_u32(w, flags);
    put_bytes(w, data ? data : "", len);
}

static pf_status put_info(struct writer *w, const pf_sandbox *s, pf_error *error) {
    struct writer info = {0};
    base_buf_init(&info.out, SIZE_MAX);
    put_bytes(&info, pf_version(), strlen(pf_version()));
    put_u32(&info, s->clock_fixed | s->seed_fixed << 1);
    put_u64(&info, (uint64_t)s->monotonic_ns);
    put_u64(&info, (uint64_t)s->realtime_base);
    put_u64(&info, s->next_call);
    put_u64(&info, s->forks);
    put_part(w, PART_INFO, PART_NEEDED, info.out.data, info.out.len);
    base_buf_free(&info.out);
    return info.failed ? base_no_memory(error) : PF_OK;
}

static pf_status put_file_part(struct writer *w, pf_sandbox *twin, pf_error *error) {
    struct writer files = {0};
    base_buf_init(&files.out, SIZE_MAX);
    pf_status status = put_files(&files, twin, true, error);
    if (status == PF_OK && files.failed) status = base_no_memory(error);
    if (status == PF_OK) put_part(w, PART_FILE, PART_NEEDED, files.out.data, files.out.len);
    base_buf_free(&files.out);
    return status;
}

static pf_status put_session(struct writer *w, pf_sandbox *twin, bool python, struct base_buf *left,
                             pf_error *error) {
    struct base_buf records;
    const char *why;
    base_buf_init(&records, SIZE_MAX);
    pf_status status = python ? guest_python(twin, NULL, 0, &records, &why, error)
                              : guest_shell(twin, NULL, 0, &records, &why, error);
    if (status == PF_OK && !why && !read_records(records.data, records.len, left))
        why = "what it says is malformed";
    if (status == PF_OK && why) {
        const char *what = python ? "all of Python's names: " : "all of the shell's state: ";
        if (!add_left(left, what, why)) status = base_no_memory(error);
    } else if (status == PF_OK) {
        put_part(w, python ? PART_PYTHON : PART_SHELL, PART_NEEDED, records.data, records.len);
    }
    base_buf_free(&records);
    return status;
}

static pf_status put_budgets(struct writer *w, const pf_sandbox *s, pf_error *error) {
    char *counters = NULL;
    size_t len = 0;
    if (cap_gate_counters_save(s->gate, &counters, &len) != PF_OK) return base_no_memory(error);
    put_part(w, PART_BUDGETS, PART_NEEDED, counters, len);
    free(counters);
    return PF_OK;
}

/* Files that no guest is asked for. */
static bool note_left(pf_sandbox *s, struct base_buf *left) {
    struct pf_run_state state = {0};
    bool ok = true;
    char text[64];
    KERNEL(s, HOST_RUN_STATE, .out = &state, .out_cap = sizeof state);
    if (state.background) {
        snprintf(text, sizeof text, "%u", state.background);
        ok = add_left(left, "processes in the background: ", text);
    }
    for (size_t i = 0; ok && s->mounts && i < s->mounts->count; i++)
        ok = add_left(left,
                      "the mount, which a restore is given anew, and what was changed below it: ",
                      s->mounts->items[i].guest);
    return ok;
}

/* `twin` was entered, and goes when this is over. */
static pf_status save(pf_sandbox *twin, struct writer *w, struct base_buf *left, pf_error *error) {
    if (twin->run.on)
        return base_error(
            error, PF_STATE,
            "a run is on: a portable snapshot is one of a sandbox that is idle; the exact "
            "one (pf_sandbox_snapshot) holds it");
    if (!note_left(twin, left)) return base_no_memory(error);
    pf_status status = put_info(w, twin, error);
    if (status == PF_OK) status = put_file_part(w, twin, error);
    if (status == PF_OK) status = put_budgets(w, twin, error);
    twin->budget.limit = raised(twin->budget.limit);
    twin->budget.each = raised(twin->budget.each);
    uint32_t sessions = twin->sessions;
    if (status == PF_OK) status = set_apart(twin, error);
    if (status == PF_OK && sessions & 1u << PF_SESSION_SHELL)
        status = put_session(w, twin, false, left, error);
    if (status == PF_OK && sessions & 1u << PF_SESSION_PYTHON) {
        if (twin->run.on)
            add_left(left, "all of Python's names: ", "the shell is busy");
        else
            status = put_session(w, twin, true, left, error);
    }
    if (status == PF_OK) put_part(w, PART_LEFT, 0, left->data, left->len);
    if (status == PF_OK && (w->failed || left->failed)) status = base_no_memory(error);
    return status;
}

pf_status pf_sandbox_snapshot_portable(pf_sandbox *s, uint64_t counter, char **data, size_t *len,
                                       char **left_out, size_t *left_len, pf_error *error) {
    *data = NULL;
    *len = 0;
    if (left_out) *left_out = NULL;
    if (left_len) *left_len = 0;
    if (counter && !s->keyed)
        return base_error(error, PF_INVALID,
                          "a snapshot with a counter needs a key: without one anybody can write "
                          "another number");
    pf_sandbox *twin;
    pf_status status = machine_twin(s, &twin, error);
    if (status != PF_OK) return status;
    struct writer w = {0};
    struct base_buf left;
    base_buf_init(&w.out, SIZE_MAX);
    base_buf_init(&left, SIZE_MAX);
    twin->look_only = false;
    status = machine_enter_act(twin, "a portable snapshot of", "the sandbox", false, error);
    if (status == PF_OK) {
        status = save(twin, &w, &left, error);
        if (status == PF_OK)
            status = frame_wrap(FRAME_PORTABLE, w.out.data, w.out.len,
                                twin->keyed ? twin->key : NULL, counter, data, len, error);
        if (status == PF_OK) status = machine_spend(twin, *len, error);
        machine_leave_act(twin);
    }
    pf_sandbox_free(twin);
    base_buf_free(&w.out);
    if (status == PF_OK && left_out && left_len) {
        *left_out = base_buf_take(&left, left_len);
        return PF_OK;
    }
    base_buf_free(&left);
    if (status == PF_OK) return PF_OK;
    free(*data);
    *data = NULL;
    *len = 0;
    return status;
}

/* ---- reading */

struct view {
    const char *data;
    size_t len;
    bool there;
};
struct parts {
    struct view info, files, shell, python, budgets, left;
};

static struct view *view_of(struct parts *p, uint32_t part) {
    switch (part) {
    case PART_INFO: return &p->info;
    case PART_FILE: return &p->files;
    case PART_SHELL: return &p->shell;
    case PART_PYTHON: return &p->python;
    case PART_BUDGETS: return &p->budgets;
    case PART_LEFT: return &p->left;
    default: return NULL;
    }
}

static pf_status malformed(pf_error *error) {
    return base_error(error, PF_FORMAT, "the portable snapshot is malformed");
}

static pf_status find_parts(const char *contents, size_t len, struct parts *p,
                            struct base_buf *left, pf_error *error) {
    struct reader r = {.data = (const uint8_t *)contents, .len = len};
    while (r.at < r.len) {
        uint32_t part = get_u32(&r), flags = get_u32(&r);
        struct view view = {.there = true};
        view.data = get_bytes(&r, SIZE_MAX / 2, &view.len);
        if (r.bad) return malformed(error);
        struct view *to = view_of(p, part);
        char name[8] = {(char)part, (char)(part >> 8), (char)(part >> 16), (char)(part >> 24)};
        for (int i = 0; i < 4; i++)
            if (name[i] < 'A' || name[i] > 'Z') name[i] = '?';
        if (to && to->there) return malformed(error);
        if (to)
            *to = view;
        else if (flags & PART_NEEDED)
            return base_error(
                error, PF_FORMAT,
                "the portable snapshot has a part %s, which this pinfold (%s) does not "
                "know: it needs a later version",
                name, pf_version());
        else if (!add_left(left, "a part that this version does not know: ", name))
            return base_no_memory(error);
    }
    return p->info.there && p->files.there && p->budgets.there ? PF_OK : malformed(error);
}

struct info {
    bool clock_fixed, seed_fixed;
    int64_t monotonic_ns, realtime_base;
    uint64_t next_call, forks;
};

static bool read_info(const struct view *view, struct info *info) {
    struct reader r = {.data = (const uint8_t *)view->data, .len = view->len};
    size_t len;
    get_bytes(&r, 100, &len); /* the version, for people */
    uint32_t flags = get_u32(&r);
    *info = (struct info){.clock_fixed = flags & 1, .seed_fixed = flags & 2};
    info->monotonic_ns = (int64_t)get_u64(&r);
    info->realtime_base = (int64_t)get_u64(&r);
    info->next_call = get_u64(&r);
    info->forks = get_u64(&r);
    return !r.bad && flags <= 3 && info->monotonic_ns >= 0 && info->monotonic_ns < INT64_MAX / 4 &&
           info->realtime_base > -(INT64_MAX / 4) && info->realtime_base < INT64_MAX / 4 &&
           machine_sound_next_call(info->next_call);
}

static bool read_left(const struct view *view, struct base_buf *left) {
    if (view->len > 2 * LEFT_BYTES || (view->len && view->data[view->len - 1])) return false;
    return base_buf_add(left, view->data, view->len);
}

static pf_status take_files(pf_sandbox *s, const struct view *view, struct base_buf *left,
                            pf_error *error) {
    struct reader r = {.data = (const uint8_t *)view->data, .len = view->len};
    struct filemap map;
    pf_status status = PF_OK;
    bool read = get_files(&r, &map);
    if (!read)
        status = r.bad ? malformed(error) : base_no_memory(error);
    else
        status = files_put_back(s, &map, &r, left, error);
    filemap_free(&map);
    return status;
}

static pf_status take_session(pf_sandbox *s, const struct view *view, bool python,
                              struct base_buf *left, pf_error *error) {
    struct base_buf answer, old;
    const char *why;
    if (!view->there) return PF_OK;
    base_buf_init(&old, SIZE_MAX);
    bool whole = read_records(view->data, view->len, &old);
    base_buf_free(&old); /* the snapshot's own list has them */
    if (!whole) return malformed(error);
    base_buf_init(&answer, SIZE_MAX);
    pf_status status = python ? guest_python(s, view->data, view->len, &answer, &why, error)
                              : guest_shell(s, view->data, view->len, &answer, &why, error);
    if (status == PF_OK && s->run.on)
        status = base_error(error, PF_FORMAT, "the snapshot's %s does not come to rest",
                            python ? "Python" : "shell");
    else if (status == PF_OK && !why && !read_records(answer.data, answer.len, left))
        status = malformed(error);
    else if (status == PF_OK && why &&
             !add_left(left,
                       python ? "all of Python's names: " : "all of the shell's state: ", why))
        status = base_no_memory(error);
    base_buf_free(&answer);
    return status;
}

/* As one is that was just made, with what it was told. */
static pf_status settle(pf_sandbox *s, const pf_options *options, const struct info *info,
                        pf_error *error) {
    machine_run_free(&s->run);
    machine_run_init(&s->run);
    s->has_result = false;
    s->limits = s->own_limits = options->limits;
    s->watch.stop_at = s->watch.kill_at = UINT32_MAX;
    atomic_store(&s->watch.ticks, 0);
    s->budget.peak = s->budget.used;
    s->next_call = info->next_call;
    s->forks = info->forks;
    return machine_configure_kernel(s, error);
}

/* A fixed seed goes on as one that follows from the snapshot. */
static pf_status seed(pf_sandbox *s, const char *data, size_t len, pf_error *error) {
    crypto_blake2b(s->seed, sizeof s->seed, (const uint8_t *)data, len);
    s->seed_fixed = s->seeded = true;
    return machine_seed(s, NULL, error);
}

/* With the time of the snapshot, which stands still, so that the same data makes the same sandbox.
 */
static pf_status take_over(pf_sandbox *s, const struct parts *p, const struct info *info,
                           struct base_buf *left, pf_error *error) {
    int64_t realtime_base = s->realtime_base, origin = s->clock_origin;
    struct machine_tape *tape = s->tape;
    s->tape = NULL;
    s->clock_fixed = true;
    s->realtime_base = info->realtime_base;
    s->monotonic_ns = info->monotonic_ns;
    machine_show_time(s);
    pf_status status = set_apart(s, error);
    if (status == PF_OK) status = take_files(s, &p->files, left, error);
    if (status == PF_OK) status = take_session(s, &p->shell, false, left, error);
    if (status == PF_OK) status = take_session(s, &p->python, true, left, error);
    s->tape = tape;
    if (info->clock_fixed) return status;
    s->clock_fixed = false;
    s->realtime_base = realtime_base - s->monotonic_ns;
    s->clock_origin = origin - s->monotonic_ns;
    return status;
}

static pf_status load(pf_sandbox *s, const pf_options *options, const struct parts *p,
                      struct base_buf *left, pf_error *error) {
    struct info info;
    if (!read_info(&p->info, &info)) return malformed(error);
    if (p->left.there && !read_left(&p->left, left)) return malformed(error);
    pf_status status = machine_populate(s, options, error);
    if (status == PF_OK) status = machine_enter_mounts(s, options, error);
    if (status == PF_OK) status = take_over(s, p, &info, left, error);
    if (status == PF_OK)
        status =
            cap_gate_counters_load(s->gate, p->budgets.data, p->budgets.len, NULL, NULL, error);
    if (status == PF_OK) status = settle(s, options, &info, error);
    if (status == PF_OK && info.seed_fixed) status = seed(s, p->files.data, p->files.len, error);
    if (status == PF_OK) machine_show_time(s);
    return status;
}

pf_status portable_restore(pf_sandbox *s, const pf_options *options, const char *data, size_t len,
                           pf_error *error) {
    char *contents = NULL;
    size_t contents_len = 0;
    struct parts parts = {0};
    struct base_buf left;
    pf_status status =
        snapshot_open(s, options, FRAME_PORTABLE, data, len, &contents, &contents_len, error);
    if (status != PF_OK) return status;
    base_buf_init(&left, SIZE_MAX);
    status = find_parts(contents, contents_len, &parts, &left, error);
    if (status == PF_OK) status = load(s, options, &parts, &left, error);
    if (status == PF_OK && left.len) s->left_out = base_buf_take(&left, &s->left_out_len);
    base_buf_free(&left);
    free(contents);
    return status;
}

const char *pf_sandbox_left_out(const pf_sandbox *s, size_t *len) {
    *len = s->left_out ? s->left_out_len : 0;
    return s->left_out ? s->left_out : "";
}
