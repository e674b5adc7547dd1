/*
 * host/trace/replay.c: a recorded run, again: the tape that reads a trace, and the acts done again.
 *
 * Inputs come from the trace at their moments; what the guest does is compared with what it did.
 * Nothing outside is asked: no clock, no random source, no handler. The first line that differs
 * ends the replay.
 */
#include "trace.h"

#include "host/snapshot/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_MAX ((size_t)4 << 30)
#define SHOWN     380             /* bytes of a line in a message */
#define TIME_MAX  (INT64_MAX / 2) /* the sum of two is a time as well */

struct answer {
    struct answer *next;
    uint64_t id;
    char *json;
    size_t len;
};

struct pf_replay {
    struct machine_tape tape;
    char *text;
    struct trace_lines lines;
    size_t results;     /* lines of that kind, so far */
    size_t next, until; /* lines: to be done or compared next; where to stop */
    struct base_arena head_arena, act_arena, ahead_arena; /* for the line that each holds */
    yyjson_val *head;
    struct answer *answers;
    pf_sandbox *sandbox;
    /* The next line that came from outside, read ahead; kind -1: the next line is none. */
    size_t looked_at;
    int kind;        /* enum machine_strike, or TIME */
    uint64_t moment; /* of the next line, whatever it is; 0: it says none */
    int64_t ns;
    bool over; /* it goes no further, and `why` says why */
    pf_error why;
};

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
    base_error(&r->why, PF_STATE, "the replay was interrupted at line %zu of the trace", r->next);
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
    bool strikes = due(r, s, (int)what);
    if (strikes) advance(r);
    /* What strikes the replay itself; it may take whatever wall time it takes. */
    if (now && what != STRIKE_WALL && !r->tape.ended) {
        if ((what >= STRIKE_INTERRUPT && what <= STRIKE_KILL) || was_interrupted(s))
            interrupted(r);
        else
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

/* ---- the head */

static bool unhex(const char *text, uint8_t *out, size_t len) {
    if (!text || strlen(text) != 2 * len) return false;
    for (size_t i = 0; i < len; i++) {
        unsigned byte;
        if (sscanf(text + 2 * i, "%2x", &byte) != 1) return false;
        out[i] = (uint8_t)byte;
    }
    return true;
}

static int attach(pf_sandbox *s, const pf_options *options, pf_error *error) {
    (void)error;
    struct pf_replay *r = options->tape_user;
    s->realtime_base = trace_int(r->head, "start_ns", 0);
    unhex(yyjson_get_str(yyjson_obj_get(r->head, "seed")), s->seed, sizeof s->seed);
    s->seeded = true;
    s->tape = &r->tape;
    return PF_OK;
}

static bool flag(yyjson_val *object, const char *name) {
    return yyjson_is_true(yyjson_obj_get(object, name));
}

static pf_status read_limits(struct pf_replay *r, pf_options *o, pf_error *error) {
    yyjson_val *limits = yyjson_obj_get(r->head, "limits"), *key;
    yyjson_obj_iter iter = yyjson_obj_iter_with(limits);
    while ((key = yyjson_obj_iter_next(&iter))) {
        const char *name = yyjson_get_str(key);
        pf_status status = pf_options_limit(o, name, trace_uint(limits, name), error);
        if (status != PF_OK) return status;
    }
    return PF_OK;
}

static pf_status read_env(struct pf_replay *r, pf_options *o, pf_error *error) {
    if (!flag(r->head, "env_changed")) return PF_OK;
    yyjson_arr_iter iter = yyjson_arr_iter_with(yyjson_obj_get(r->head, "env"));
    pf_status status = PF_OK;
    for (yyjson_val *entry; status == PF_OK && (entry = yyjson_arr_iter_next(&iter));) {
        const char *text = yyjson_get_str(entry);
        char *name = text ? strdup(text) : NULL, *equals = name ? strchr(name, '=') : NULL;
        if (!equals)
            status = base_error(error, PF_FORMAT, "the environment of the trace is malformed");
        else {
            *equals = '\0';
            status = pf_options_env(o, name, equals + 1, error);
        }
        free(name);
    }
    return status;
}

static pf_status read_tools(struct pf_replay *r, pf_options *o, pf_error *error) {
    yyjson_arr_iter iter = yyjson_arr_iter_with(yyjson_obj_get(r->head, "tools"));
    pf_status status = PF_OK;
    for (yyjson_val *tool; status == PF_OK && (tool = yyjson_arr_iter_next(&iter));) {
        const char *name = yyjson_get_str(yyjson_obj_get(tool, "name")), *description = "",
                   *schema = "";
        size_t unused, len = 0;
        trace_bytes(&r->head_arena, tool, "description", &description, &unused);
        trace_bytes(&r->head_arena, tool, "schema", &schema, &len);
        status = name ? pf_options_tool(o, name, description, schema, len, error)
                      : base_error(error, PF_FORMAT, "the tools of the trace are malformed");
    }
    return status;
}

static pf_status read_options(struct pf_replay *r, pf_options *o, pf_error *error) {
    const char *data;
    size_t len;
    pf_status status = read_limits(r, o, error);
    if (status == PF_OK) status = read_env(r, o, error);
    if (status == PF_OK) status = read_tools(r, o, error);
    if (status == PF_OK && trace_bytes(&r->head_arena, r->head, "policy", &data, &len))
        status = pf_options_policy(o, data, len, error);
    if (status == PF_OK && trace_bytes(&r->head_arena, r->head, "prelude", &data, &len))
        status = pf_options_js_prelude(o, data, len, error);
    pf_options_catch_all(o, flag(r->head, "catch_all"));
    if (flag(r->head, "clock_fixed")) pf_options_clock(o, trace_int(r->head, "start_ns", 0));
    if (flag(r->head, "seed_fixed")) pf_options_seed(o, 0); /* attach() knows the bytes */
    o->tape_open = attach;
    o->tape_user = r;
    o->trusted = true; /* the snapshot in a trace is the trace's: its key is not known */
    return status;
}

static pf_status check_head(struct pf_replay *r, pf_error *error) {
    const struct machine_boot *boot = machine_boot(error);
    uint8_t build[SNAPSHOT_DIGEST], theirs[SNAPSHOT_DIGEST], seed[32];
    if (!boot) return PF_DEAD;
    snapshot_build(boot, build);
    int64_t format = trace_int(r->head, "pinfold_trace", 0);
    if (format != TRACE_FORMAT)
        return base_error(error, PF_FORMAT,
                          "the trace has format %lld; this pinfold (%s) reads format %d",
                          (long long)format, pf_version(), TRACE_FORMAT);
    if (!unhex(yyjson_get_str(yyjson_obj_get(r->head, "build")), theirs, sizeof theirs) ||
        memcmp(theirs, build, sizeof build) != 0)
        return base_error(error, PF_FORMAT,
                          "the trace comes from another build of pinfold; replay it with the one "
                          "that recorded it");
    int64_t start = trace_int(r->head, "start_ns", INT64_MIN);
    if (start < -TIME_MAX || start > TIME_MAX)
        return base_error(error, PF_FORMAT, "the trace does not say when it was recorded");
    if (!unhex(yyjson_get_str(yyjson_obj_get(r->head, "seed")), seed, sizeof seed))
        return base_error(error, PF_FORMAT, "the trace has no seed");
    return PF_OK;
}

static pf_status make_sandbox(struct pf_replay *r, pf_error *error) {
    pf_options *o = pf_options_new();
    if (!o) return base_no_memory(error);
    const char *data;
    size_t len;
    pf_status status = read_options(r, o, error);
    if (status != PF_OK) {
    } else if (trace_bytes(&r->head_arena, r->head, "snapshot", &data, &len)) {
        status = pf_sandbox_restore(o, data, len, &r->sandbox, error);
    } else {
        status = pf_sandbox_new(o, &r->sandbox, error);
    }
    pf_options_free(o);
    if (status == PF_OK) {
        r->sandbox->look_only = true;
        machine_expect_interrupt(r->sandbox);
    }
    return status;
}

pf_status pf_trace_check(const char *trace, size_t len, bool partial, pf_error *error) {
    struct trace_lines lines;
    pf_status status = trace_split(trace, len, &lines, error);
    if (status == PF_OK && !partial) status = trace_whole(&lines, error);
    free(lines.items);
    return status;
}

pf_status pf_replay_open(const char *trace, size_t len, bool partial, pf_replay **out,
                         pf_error *error) {
    *out = NULL;
    struct pf_replay *r = calloc(1, sizeof *r);
    if (!r) return base_no_memory(error);
    base_arena_init(&r->head_arena, ARENA_MAX);
    base_arena_init(&r->act_arena, ARENA_MAX);
    base_arena_init(&r->ahead_arena, ARENA_MAX);
    r->until = SIZE_MAX;
    r->tape = (struct machine_tape){.replays = true,
                                    .time = on_time,
                                    .strike = on_strike,
                                    .wait = on_wait,
                                    .act = on_act,
                                    .out = on_out,
                                    .fill = on_fill,
                                    .leave = on_leave,
                                    .close = on_close};
    r->text = malloc(len ? len : 1);
    pf_status status = r->text ? PF_OK : base_no_memory(error);
    if (status == PF_OK) {
        memcpy(r->text, trace, len);
        status = trace_split(r->text, len, &r->lines, error);
    }
    if (status == PF_OK && !partial) status = trace_whole(&r->lines, error);
    if (status == PF_OK) status = trace_parse(&r->head_arena, &r->lines.items[0], &r->head, error);
    if (status == PF_OK) status = check_head(r, error);
    r->next = 1;
    end_where_cut(r);
    if (status == PF_OK) status = make_sandbox(r, error);
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
    free(r->lines.items);
    free(r->text);
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

pf_status pf_replay_answer(pf_replay *r, uint64_t id, const char *json, size_t len,
                           pf_error *error) {
    pf_status status = cap_json_check(json, len, error);
    if (status != PF_OK) return status;
    struct answer *a = calloc(1, sizeof *a);
    char *copy = malloc(len + 1);
    if (!a || !copy) {
        free(a);
        free(copy);
        return base_no_memory(error);
    }
    memcpy(copy, json, len);
    *a = (struct answer){.next = r->answers, .id = id, .json = copy, .len = len};
    r->answers = a;
    return PF_OK;
}

/* ---- the acts */

static pf_status malformed(const struct pf_replay *r, pf_error *error) {
    return base_error(error, PF_FORMAT, "line %zu of the trace is no act that this pinfold knows",
                      r->next);
}

static pf_status do_start(struct pf_replay *r, yyjson_val *act, pf_error *error) {
    pf_run run = {.language = yyjson_get_str(yyjson_obj_get(act, "language")),
                  .isolated = flag(act, "isolated")};
    if (!trace_bytes(&r->act_arena, act, "code", &run.code, &run.code_len))
        return malformed(r, error);
    trace_bytes(&r->act_arena, act, "stdin", &run.stdin_data, &run.stdin_len);
    return pf_sandbox_start(r->sandbox, &run, error);
}

static pf_status do_resume(struct pf_replay *r, yyjson_val *act, pf_error *error) {
    uint64_t id = trace_uint(act, "id");
    const char *json;
    size_t len;
    if (!flag(act, "redacted"))
        return trace_bytes(&r->act_arena, act, "json", &json, &len)
                   ? pf_sandbox_resume(r->sandbox, id, json, len, error)
                   : malformed(r, error);
    for (const struct answer *a = r->answers; a; a = a->next)
        if (a->id == id) return pf_sandbox_resume(r->sandbox, id, a->json, a->len, error);
    return base_error(error, PF_NOT_FOUND,
                      "the result of call %" PRIu64 " was left out of the trace: supply it", id);
}

static pf_status do_fail(struct pf_replay *r, yyjson_val *act, pf_error *error) {
    const char *message;
    size_t len;
    if (!trace_bytes(&r->act_arena, act, "message", &message, &len)) return malformed(r, error);
    return machine_reply(r->sandbox, trace_uint(act, "id"), (uint32_t)trace_uint(act, "outcome"),
                         message, len, error);
}

static pf_status do_file(struct pf_replay *r, const char *name, yyjson_val *act, pf_error *error) {
    const char *path = yyjson_get_str(yyjson_obj_get(act, "path")), *data = NULL;
    size_t len = 0;
    char *taken = NULL;
    pf_status status;
    if (!path) return malformed(r, error);
    if (strcmp(name, "write") == 0) {
        if (!trace_bytes(&r->act_arena, act, "data", &data, &len)) return malformed(r, error);
        status = pf_file_write(r->sandbox, path, data, len, error);
    } else if (strcmp(name, "remove") == 0) {
        status = pf_file_remove(r->sandbox, path, error);
    } else if (strcmp(name, "lstat") == 0) {
        status = pf_file_lstat(r->sandbox, path, &(pf_file_info){0}, error);
    } else if (strcmp(name, "stat") == 0) {
        status = pf_file_stat(r->sandbox, path, &(pf_file_info){0}, error);
    } else if (strcmp(name, "read") == 0) {
        status = pf_file_take(r->sandbox, path, &taken, &len, error);
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
        return malformed(r, error);
    return machine_mount_at(r->sandbox, path, source, (uint32_t)trace_uint(act, "mode"),
                            trace_int(act, "mtime_ns", 0), flag(act, "copy"), error);
}

static pf_status do_act(struct pf_replay *r, yyjson_val *act, pf_error *error) {
    const char *name = yyjson_get_str(yyjson_obj_get(act, "do"));
    if (!name) return malformed(r, error);
    if (strcmp(name, "start") == 0) return do_start(r, act, error);
    if (strcmp(name, "resume") == 0) return do_resume(r, act, error);
    if (strcmp(name, "fail") == 0) return do_fail(r, act, error);
    if (strcmp(name, "mount") == 0) return do_mount(r, act, error);
    if (strcmp(name, "advance") == 0) return pf_sandbox_advance(r->sandbox, error);
    static const char *const files[] = {"write", "remove", "read", "list", "stat", "lstat"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(name, files[i]) == 0) return do_file(r, name, act, error);
    return malformed(r, error);
}

/* The guest did less than it did then, or came to this act at another moment. */
static pf_status differ_from_act(struct pf_replay *r, const char *got, pf_error *error) {
    differ(r, got, strlen(got));
    *error = r->why;
    return error->status;
}

pf_status pf_replay_next(pf_replay *r, pf_error *error) {
    pf_error local;
    if (!error) error = &local;
    if (was_interrupted(r->sandbox)) interrupted(r);
    if (r->over) {
        *error = r->why;
        return error->status;
    }
    if (r->next >= r->lines.count - (r->lines.complete ? 1 : 0) || r->next >= r->until)
        return PF_DONE;
    yyjson_val *act;
    base_arena_reset(&r->act_arena);
    pf_status status = trace_parse(&r->act_arena, &r->lines.items[r->next], &act, error);
    if (status != PF_OK) return status;
    if (!yyjson_obj_get(act, "do"))
        return differ_from_act(r, "nothing: the guest has come to rest", error);
    if (trace_uint(act, "at") != r->sandbox->moment)
        return differ_from_act(r, "the guest came to rest at another moment", error);
    r->sandbox->look_only = false;
    advance(r);
    status = do_act(r, act, error);
    r->sandbox->look_only = true;
    machine_expect_interrupt(r->sandbox); /* between two acts as well */
    if (!r->over && status == PF_STATE) {
        pf_error why = *error;
        return base_error(error, PF_FORMAT, "line %zu of the trace cannot be done again: %.800s",
                          r->next - 1, why.message);
    }
    if (!r->over) return status;
    *error = r->why;
    return error->status;
}
