/*
 * host/trace/replay.c: a recorded run, again: the tape that reads a trace, and the acts done again.
 *
 * Inputs come from the trace at their moments; what the guest does is compared with what it did.
 * Nothing outside is asked: no clock, no random source, no handler. The first line that differs
 * ends the replay.
 */
#include "replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_MAX ((size_t)4 << 30)
#define SHOWN     380 /* bytes of a line in a message */

enum { NOTHING = -1, TIME = 100, FILL };

/* ---- the end of a replay */

static void differ(struct pf_replay *r, const char *got, size_t len) {
    const struct trace_line *line =
        r->next < r->lines.count ? &r->lines.items[r->next] : &(struct trace_line){"(the end)", 9};
    r->over = r->tape.ended = true;
    base_error(&r->why, PF_DIVERGED,
               "the replay differs from the trace at line %zu:\n  trace:  %.*s%s\n  replay: %.*s%s",
               r->next, line->len < SHOWN ? (int)line->len : SHOWN, line->text,
               line->len < SHOWN ? "" : "…", len < SHOWN ? (int)len : SHOWN, got,
               len < SHOWN ? "" : "…");
}

/* It did not do what stands next in the trace, and went on. */
static void differ_by(struct pf_replay *r, const pf_sandbox *s, const char *what) {
    char got[120];
    snprintf(got, sizeof got, "%s, at moment %" PRIu64, what, s->moment);
    differ(r, got, strlen(got));
}

static bool was_interrupted(const pf_sandbox *s) {
    return atomic_load(&s->interrupt) >= INTERRUPT_CAME;
}

static void interrupted(struct pf_replay *r) {
    if (r->over) return;
    r->over = r->tape.ended = true;
    base_error(&r->why, PF_INTERRUPTED, "the replay was interrupted at line %zu of the trace",
               r->next);
}

/* Is its time over? Then so is the replay. */
static bool out_of_time(struct pf_replay *r) {
    if (r->tape.until_ns == INT64_MAX || base_clock_monotonic() < r->tape.until_ns) return false;
    if (r->over) return true;
    r->over = r->tape.ended = true;
    base_error(
        &r->why, PF_BOUND,
        "the replay was not done after max_seconds, %g, at line %zu of the trace: raise it "
        "(max_seconds= in Python, --max-seconds of pinfold replay, pf_replay_bounds) if that "
        "is meant",
        r->seconds, r->next);
    return true;
}

/* What a recording that was cut short did behind its last line, nobody knows: there is the end. */
static void end_where_cut(struct pf_replay *r) {
    if (r->next >= r->until || (r->next >= r->lines.count && !r->lines.complete))
        r->tape.ended = true;
}

static void advance(struct pf_replay *r) {
    r->next++;
    end_where_cut(r);
}

/* ---- what comes from outside */

/* Every line that the recorder writes begins with its number and its moment. */
static uint64_t moment_of(const struct trace_line *line) {
    static const char at[] = ",\"at\":";
    const char *found = memmem(line->text, line->len < 40 ? line->len : 40, at, sizeof at - 1);
    return found ? strtoull(found + sizeof at - 1, NULL, 10) : 0; /* its sum follows: no digits */
}

static void look_ahead(struct pf_replay *r) {
    if (r->looked_at == r->next + 1) return;
    r->looked_at = r->next + 1;
    r->kind = NOTHING;
    r->moment = 0;
    if (r->next >= r->lines.count || r->next >= r->until) return;
    const struct trace_line *line = &r->lines.items[r->next];
    r->moment = moment_of(line);
    /* Most lines are not, and need no parsing. */
    if (!memmem(line->text, line->len < 80 ? line->len : 80, ",\"in\":\"", 7)) return;
    yyjson_val *value;
    base_arena_reset(&r->ahead_arena);
    if (trace_parse(&r->ahead_arena, line, &value, NULL) != PF_OK) return;
    yyjson_val *name = yyjson_obj_get(value, "in");
    r->ns = trace_int(value, "ns", -1);
    if (base_json_is(name, "time")) r->kind = TIME;
    if (base_json_is(name, "fill")) r->kind = FILL;
    for (int i = 0; i < STRIKE_COUNT; i++)
        if (base_json_is(name, trace_strikes[i])) r->kind = i;
}

static bool due(struct pf_replay *r, const pf_sandbox *s, int kind) {
    if (r->tape.ended) return false;
    look_ahead(r);
    if (r->moment < s->moment) differ_by(r, s, "something else: the guest goes on without that");
    return !r->tape.ended && r->kind == kind && r->moment == s->moment;
}

static void on_time(struct machine_tape *tape, pf_sandbox *s) {
    struct pf_replay *r = (struct pf_replay *)tape;
    if (!due(r, s, TIME)) return;
    if (r->ns < s->monotonic_ns || r->ns > TIME_MAX) {
        differ_by(r, s, "no such time: it comes after the one before");
        return;
    }
    s->monotonic_ns = r->ns;
    advance(r);
}

/* In the recorded run a sleep ended at the next moment, and something from outside ended it. */
static void on_wait(struct machine_tape *tape, pf_sandbox *s) {
    struct pf_replay *r = (struct pf_replay *)tape;
    if (r->tape.ended) return;
    look_ahead(r);
    bool wakes = r->kind == TIME || (r->kind >= STRIKE_INTERRUPT && r->kind <= STRIKE_WALL);
    if (!wakes || r->moment != s->moment + 1) differ_by(r, s, "everything sleeps");
}

static bool on_strike(struct machine_tape *tape, pf_sandbox *s, enum machine_strike what,
                      bool now) {
    struct pf_replay *r = (struct pf_replay *)tape;
    /* These two are asked at each message and in each turn. */
    if (what <= STRIKE_INTERRUPT && !tape->ended) out_of_time(r);
    bool strikes = due(r, s, (int)what);
    if (strikes) advance(r);
    /* What strikes the replay itself; it may take whatever wall time it takes. */
    if (now && what != STRIKE_WALL && !r->tape.ended) {
        if ((what >= STRIKE_INTERRUPT && what <= STRIKE_KILL) || was_interrupted(s))
            interrupted(r);
        else if (!out_of_time(r))
            differ_by(r, s, "ten times the CPU time that cpu_ms allowed, and more");
    }
    /* A program that does not wait leaves the guest by being preempted. */
    return strikes || (what == STRIKE_PREEMPT && r->tape.ended);
}

static bool read_fill_names(struct pf_replay *r, yyjson_val *names, struct machine_fill *fill) {
    yyjson_arr_iter iter = yyjson_arr_iter_with(names);
    for (yyjson_val *entry; (entry = yyjson_arr_iter_next(&iter));) {
        struct machine_fill_name head = {.mode = (uint32_t)trace_uint(entry, "mode"),
                                         .size = trace_int(entry, "size", 0),
                                         .mtime_ns = trace_int(entry, "mtime_ns", 0)};
        const char *name, *target = "";
        size_t len;
        trace_bytes(&r->ahead_arena, entry, "target", &target, &len);
        if (!trace_bytes(&r->ahead_arena, entry, "name", &name, &len)) return false;
        if (!machine_fill_add(&fill->data, &head, name, target)) return false;
    }
    return yyjson_is_arr(names);
}

static void on_fill(struct machine_tape *tape, pf_sandbox *s, const char *source,
                    struct machine_fill *fill) {
    struct pf_replay *r = (struct pf_replay *)tape;
    fill->error = PF_EIO;
    if (tape->ended) return;
    yyjson_val *line = NULL;
    const char *data, *theirs;
    size_t len;
    bool ok = due(r, s, FILL);
    if (ok) {
        base_arena_reset(&r->ahead_arena);
        ok = trace_parse(&r->ahead_arena, &r->lines.items[r->next], &line, NULL) == PF_OK &&
             trace_bytes(&r->ahead_arena, line, "source", &theirs, &len) &&
             strcmp(source, theirs) == 0;
    }
    int error = ok ? (int)trace_int(line, "errno", 0) : 0;
    if (ok && !error && fill->directory)
        ok = read_fill_names(r, yyjson_obj_get(line, "names"), fill);
    else if (ok && !error)
        ok = trace_bytes(&r->ahead_arena, line, "data", &data, &len) &&
             base_buf_add(&fill->data, data, len);
    if (ok) {
        fill->error = error;
        advance(r);
        return;
    }
    struct base_buf got;
    base_buf_init(&got, SIZE_MAX);
    base_buf_addf(&got, "{\"n\":%zu,\"at\":%" PRIu64 ",\"in\":\"fill\"", r->next, s->moment);
    tape_member(&got, "source", source, strlen(source));
    differ(r, got.data ? got.data : "", got.len);
    base_buf_free(&got);
}

/* ---- what the guest does */

static void on_out(struct machine_tape *tape, pf_sandbox *s, const char *members, size_t len) {
    struct pf_replay *r = (struct pf_replay *)tape;
    if (tape->ended) return;
    struct base_buf got;
    base_buf_init(&got, SIZE_MAX);
    base_buf_addf(&got, "{\"n\":%zu,\"at\":%" PRIu64, r->next, s->moment);
    base_buf_add(&got, members, len);
    const struct trace_line *line = r->next < r->lines.count ? &r->lines.items[r->next] : NULL;
    if (got.failed)
        base_no_memory(&r->why);
    else if (line && line->len == got.len && memcmp(line->text, got.data, got.len) == 0) {
        r->results += len > 16 && memcmp(members, ",\"out\":\"result\"", 15) == 0;
        advance(r);
    } else
        differ(r, got.data, got.len);
    base_buf_free(&got);
}

static void on_act(struct machine_tape *tape, pf_sandbox *s, const char *members, size_t len) {
    (void)tape, (void)s, (void)members, (void)len; /* the replay does it itself */
}

static void on_leave(struct machine_tape *tape, pf_sandbox *s) {
    (void)tape, (void)s;
}
static void on_close(struct machine_tape *tape, pf_sandbox *s) {
    (void)tape;
    s->tape = NULL;
}

void replay_set_tape(struct pf_replay *r) {
    base_arena_init(&r->head_arena, ARENA_MAX);
    base_arena_init(&r->act_arena, ARENA_MAX);
    base_arena_init(&r->ahead_arena, ARENA_MAX);
    r->until = SIZE_MAX;
    r->rest_after_ns = INT64_MAX;
    r->tape = (struct machine_tape){.replays = true,
                                    .time = on_time,
                                    .strike = on_strike,
                                    .wait = on_wait,
                                    .act = on_act,
                                    .out = on_out,
                                    .fill = on_fill,
                                    .leave = on_leave,
                                    .close = on_close};
}

pf_status pf_trace_check(const char *trace, size_t len, bool partial, pf_error *error) {
    struct trace_lines lines;
    pf_status status = trace_split(trace, len, &lines, error);
    if (status == PF_OK && !partial) status = trace_whole(&lines, error);
    free(lines.items);
    return status;
}

/* What a replay may take by default. Memory and the like: what a sandbox gets by default. */
#define DEFAULT_SECONDS 300.0
/* More is for ever. */
#define SECONDS_MAX 1e9

static void set_bounds(struct pf_replay *r, const pf_replay_bounds *bounds) {
    r->most = machine_default_limits;
    r->most.cpu_ms = r->most.wall_ms = PF_UNLIMITED; /* the replay as a whole has a bound of time */
    if (bounds && bounds->limits) r->most = bounds->limits->limits;
    r->seconds = bounds && bounds->max_seconds > 0 ? bounds->max_seconds : DEFAULT_SECONDS;
    r->left_ns = r->seconds < SECONDS_MAX ? (int64_t)(r->seconds * 1e9) : INT64_MAX;
}

/* Its time runs while the embedder waits for it. */
static void run_time(struct pf_replay *r) {
    int64_t now = base_clock_monotonic();
    r->tape.until_ns = r->left_ns == INT64_MAX ? INT64_MAX : now + r->left_ns;
    r->tape.rest_ns = r->rest_after_ns == INT64_MAX ? INT64_MAX : now + r->rest_after_ns;
}

static void stop_time(struct pf_replay *r) {
    if (r->left_ns == INT64_MAX) return;
    r->left_ns = r->tape.until_ns - base_clock_monotonic();
    if (r->left_ns < 0) r->left_ns = 0;
}

pf_status pf_replay_open(const char *trace, size_t len, bool partial, pf_replay **out,
                         pf_error *error) {
    return pf_replay_open_within(trace, len, partial, NULL, out, error);
}

pf_status pf_replay_open_within(const char *trace, size_t len, bool partial,
                                const pf_replay_bounds *given, pf_replay **out, pf_error *error) {
    pf_replay_bounds all, *bounds = given ? &all : NULL;
    *out = NULL;
    if (given) {
        pf_status status =
            base_take_sized(&all, sizeof all, given,
                            BASE_SIZE_TO(pf_replay_bounds, max_seconds), "pf_replay_bounds", error);
        if (status != PF_OK) return status;
    }
    struct pf_replay *r = calloc(1, sizeof *r);
    if (!r) return base_no_memory(error);
    replay_set_tape(r);
    set_bounds(r, bounds);
    run_time(r);
    r->text = malloc(sizeof *r->text + len);
    pf_status status = r->text ? PF_OK : base_no_memory(error);
    if (status == PF_OK) {
        *r->text = (struct replay_text){.references = 1};
        memcpy(r->text->text, trace, len);
        status = trace_split(r->text->text, len, &r->lines, error);
        r->text->items = r->lines.items;
    }
    if (status == PF_OK && !partial) status = trace_whole(&r->lines, error);
    if (status == PF_OK) status = trace_parse(&r->head_arena, &r->lines.items[0], &r->head, error);
    r->next = 1;
    end_where_cut(r);
    if (status == PF_OK) status = replay_make_sandbox(r, error);
    stop_time(r);
    if (status != PF_OK) {
        pf_replay_free(r);
        return status;
    }
    *out = r;
    return PF_OK;
}

void pf_replay_free(pf_replay *r) {
    if (!r) return;
    pf_sandbox_free(r->sandbox);
    while (r->answers) {
        struct answer *a = r->answers;
        r->answers = a->next;
        free(a->json);
        free(a);
    }
    base_arena_free(&r->act_arena);
    base_arena_free(&r->ahead_arena);
    base_arena_free(&r->head_arena);
    if (r->text && atomic_fetch_sub(&r->text->references, 1) == 1) {
        free(r->text->items);
        free(r->text);
    }
    free(r);
}

pf_sandbox *pf_replay_sandbox(pf_replay *r) {
    return r->sandbox;
}
size_t pf_replay_results(const pf_replay *r) {
    return r->results;
}
size_t pf_replay_line(const pf_replay *r) {
    return r->next;
}
void pf_replay_until(pf_replay *r, size_t line) {
    r->until = line;
}
void pf_replay_rest(pf_replay *r, double seconds) {
    bool never = !(seconds >= 0 && seconds < SECONDS_MAX);
    r->rest_after_ns = never ? INT64_MAX : (int64_t)(seconds * 1e9);
}
bool pf_replay_resting(const pf_replay *r) {
    return r->resting;
}

/* ---- the acts */

pf_status replay_malformed(const struct pf_replay *r, pf_error *error) {
    return base_error(error, PF_FORMAT, "line %zu of the trace is no act that this pinfold knows",
                      r->next);
}

static pf_status do_resume(struct pf_replay *r, yyjson_val *act, pf_error *error) {
    uint64_t id = trace_uint(act, "id");
    const char *json;
    size_t len;
    if (!replay_flag(act, "redacted"))
        return trace_bytes(&r->act_arena, act, "json", &json, &len)
                   ? pf_sandbox_resume(r->sandbox, id, json, len, error)
                   : replay_malformed(r, error);
    for (const struct answer *a = r->answers; a; a = a->next)
        if (a->id == id) return pf_sandbox_resume(r->sandbox, id, a->json, a->len, error);
    return base_error(error, PF_NOT_FOUND,
                      "the result of call %" PRIu64 " was left out of the trace: supply it", id);
}

static pf_status do_fail(struct pf_replay *r, yyjson_val *act, pf_error *error) {
    const char *message;
    size_t len;
    if (!trace_bytes(&r->act_arena, act, "message", &message, &len))
        return replay_malformed(r, error);
    return machine_reply(r->sandbox, trace_uint(act, "id"), (uint32_t)trace_uint(act, "outcome"),
                         message, len, error);
}

static pf_status do_file(struct pf_replay *r, const char *name, yyjson_val *act, pf_error *error) {
    const char *path = yyjson_get_str(yyjson_obj_get(act, "path")), *data = NULL;
    size_t len = 0;
    char *taken = NULL;
    pf_status status;
    if (!path) return replay_malformed(r, error);
    if (strcmp(name, "write") == 0) {
        if (!trace_bytes(&r->act_arena, act, "data", &data, &len))
            return replay_malformed(r, error);
        status = pf_file_write(r->sandbox, path, data, len, error);
    } else if (strcmp(name, "make") == 0) {
        pf_file_new file = {.size = sizeof file,
                            .mode = (uint32_t)trace_uint(act, "mode"),
                            .mtime_ns = trace_int(act, "mtime_ns", 0)};
        trace_bytes(&r->act_arena, act, "data", &file.data, &file.len);
        status = pf_file_make(r->sandbox, path, &file, error);
    } else if (strcmp(name, "remove") == 0) {
        status = pf_file_remove(r->sandbox, path, error);
    } else if (strcmp(name, "lstat") == 0) {
        status = pf_file_lstat(r->sandbox, path, &(pf_file_info){0}, error);
    } else if (strcmp(name, "stat") == 0) {
        status = pf_file_stat(r->sandbox, path, &(pf_file_info){0}, error);
    } else if (strcmp(name, "read") == 0) {
        status = machine_touch_file(r->sandbox, path, error);
    } else {
        status = pf_file_list(r->sandbox, path, &taken, &len, error);
    }
    free(taken);
    /* What failed inside failed then, too. */
    return status == PF_GUEST || status == PF_NOT_FOUND ? PF_OK : status;
}

static pf_status do_mount(struct pf_replay *r, yyjson_val *act, pf_error *error) {
    const char *path = yyjson_get_str(yyjson_obj_get(act, "path"));
    const char *source = yyjson_get_str(yyjson_obj_get(act, "source"));
    if (!path || path[0] != '/' || strlen(path) >= PF_PATH_MAX || !source)
        return replay_malformed(r, error);
    pf_status status = machine_enter(r->sandbox, error);
    if (status != PF_OK) return status;
    status = machine_mount_at(r->sandbox, path, source, (uint32_t)trace_uint(act, "mode"),
                              trace_int(act, "mtime_ns", 0), replay_flag(act, "copy"), error);
    if (status == PF_OK)
        status = machine_replay_mount(r->sandbox, path, replay_flag(act, "copy"), error);
    machine_leave(r->sandbox);
    return status;
}

static pf_status do_act(struct pf_replay *r, yyjson_val *act, pf_error *error) {
    const char *name = yyjson_get_str(yyjson_obj_get(act, "do"));
    if (!name) return replay_malformed(r, error);
    if (strcmp(name, "start") == 0) return replay_start(r, act, error);
    if (strcmp(name, "resume") == 0) return do_resume(r, act, error);
    if (strcmp(name, "fail") == 0) return do_fail(r, act, error);
    if (strcmp(name, "mount") == 0) return do_mount(r, act, error);
    if (strcmp(name, "advance") == 0) return pf_sandbox_advance(r->sandbox, error);
    static const char *const files[] = {"write", "make", "remove", "read", "list", "stat", "lstat"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(name, files[i]) == 0) return do_file(r, name, act, error);
    return replay_malformed(r, error);
}

/* The guest did less than it did then, or came to this act at another moment. */
static pf_status differ_from_act(struct pf_replay *r, const char *got, pf_error *error) {
    differ(r, got, strlen(got));
    *error = r->why;
    return error->status;
}

/* The act that is next, to which the guest came as the trace says. */
static pf_status take_act(struct pf_replay *r, yyjson_val **act, pf_error *error) {
    base_arena_reset(&r->act_arena);
    pf_status status = trace_parse(&r->act_arena, &r->lines.items[r->next], act, error);
    if (status != PF_OK) return status;
    if (!yyjson_obj_get(*act, "do"))
        return differ_from_act(r, "nothing: the guest has come to rest", error);
    if (trace_uint(*act, "at") != r->sandbox->moment)
        return differ_from_act(r, "the guest came to rest at another moment", error);
    return PF_OK;
}

/* The rest of an act in whose middle it was left. */
static pf_status go_on(struct pf_replay *r, pf_error *error) {
    pf_status status = machine_enter(r->sandbox, error);
    if (status != PF_OK) return status;
    status = machine_drive(r->sandbox, error);
    machine_leave(r->sandbox);
    return status;
}

static pf_status next_act(struct pf_replay *r, pf_error *error) {
    yyjson_val *act;
    pf_status status = r->resting ? PF_OK : take_act(r, &act, error);
    if (status != PF_OK) return status;
    r->sandbox->look_only = r->tape.rests = false;
    if (r->resting) {
        status = go_on(r, error);
    } else {
        advance(r);
        status = do_act(r, act, error);
    }
    r->resting = r->tape.rests && !r->tape.ended;
    r->sandbox->look_only = true;
    machine_expect_interrupt(r->sandbox); /* between two acts as well */
    if (status == PF_INTERRUPTED) interrupted(r);
    if (!r->over && status == PF_STATE) {
        pf_error why = *error;
        return base_error(error, PF_FORMAT, "line %zu of the trace cannot be done again: %.800s",
                          r->next - 1, why.message);
    }
    if (!r->over) return status;
    *error = r->why;
    return error->status;
}

pf_status pf_replay_next(pf_replay *r, pf_error *error) {
    pf_error local;
    if (!error) error = &local;
    run_time(r);
    if (was_interrupted(r->sandbox)) interrupted(r);
    bool last = r->next >= r->lines.count - (r->lines.complete ? 1 : 0) && !r->resting;
    bool done = last || r->next >= r->until;
    if (!done) out_of_time(r);
    pf_status status = PF_DONE;
    if (r->over) {
        *error = r->why;
        status = error->status;
    } else if (!done) {
        status = next_act(r, error);
    }
    stop_time(r);
    return status;
}
