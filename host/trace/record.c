/*
 * host/trace/record.c: the tape that writes a trace.
 *
 * A reading of the clock is written only if the guest could have noticed it: the kernel counts its
 * readings, so what was shown is known to matter at the earliest when the next time is shown. Lines
 * in between are held back, so that the time stands where it was shown. Everything is in the file
 * whenever the embedder has the sandbox.
 *
 * A trace has a bound, trace_bytes: the line that would go over it is left out, and a last one says
 * so. Then the tape has failed, as when a disk is full: the guest comes to rest, and nothing goes
 * on.
 */
#include "trace.h"

#include "host/base/json_out.h"
#include "host/snapshot/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HELD_MAX ((size_t)2 << 30)

struct recorder {
    struct machine_tape tape;
    int fd;
    bool keeps; /* of a preview: lines stay in `text` */
    uint64_t lines; /* written */
    uint64_t bytes, most; /* of them, and what they may have */
    struct trace_chain chain;
    bool shown; /* a time was shown and not decided about */
    uint64_t shown_at;
    int64_t shown_ns;
    uint32_t reads;       /* the kernel's count when it was shown */
    struct base_buf held; /* members of lines that come after it, each with a NUL */
    struct base_buf text; /* lines on their way to the file */
    char why[160];
};

static void fail(struct recorder *r, const char *what) {
    if (r->tape.failed) return;
    snprintf(r->why, sizeof r->why, "%s: %s", what, strerror(errno));
    r->tape.failed = r->why;
}

/* The last line of a trace, with its sum. */
#define LAST_LINE 128

static void add_line(struct recorder *r, const char *members, size_t len) {
    char sum[TRACE_SUM + 1];
    size_t start = r->text.len;
    base_buf_addf(&r->text, "{\"n\":%" PRIu64, r->lines++);
    base_buf_add(&r->text, members, len);
    if (r->text.failed) {
        r->tape.failed = "a line of the trace does not fit the memory";
        return;
    }
    trace_chain_add(&r->chain, r->text.data + start, r->text.len - start, sum);
    base_buf_addf(&r->text, ",\"sum\":\"%s\"}\n", sum);
    r->bytes += r->text.len - start;
}

static void put(struct recorder *r, const char *members, size_t len) {
    if (r->tape.failed) return;
    if (r->most != PF_UNLIMITED && r->bytes + len + 2 * LAST_LINE > r->most) {
        add_line(r, TRACE_FULL, sizeof TRACE_FULL - 1);
        snprintf(r->why, sizeof r->why,
                 "the trace has come to its bound, trace_bytes (%" PRIu64 ")", r->most);
        r->tape.failed = r->why;
        return;
    }
    add_line(r, members, len);
}

/* Decides about the time that was shown last, and lets what was held back go. */
static void settle(struct recorder *r, const pf_sandbox *s, bool noticed) {
    if (r->shown) {
        r->shown = false;
        if (noticed || machine_mailbox(s)->clock_reads != r->reads) {
            char line[96];
            int len =
                snprintf(line, sizeof line, ",\"at\":%" PRIu64 ",\"in\":\"time\",\"ns\":%" PRId64,
                         r->shown_at, r->shown_ns);
            put(r, line, (size_t)len);
        }
    }
    for (size_t at = 0; at < r->held.len;) {
        size_t len = strlen(r->held.data + at);
        put(r, r->held.data + at, len);
        at += len + 1;
    }
    base_buf_free(&r->held);
    base_buf_init(&r->held, HELD_MAX);
}

static void hold(struct recorder *r, uint64_t moment, const char *members, size_t len) {
    if (r->tape.failed) return;
    base_buf_addf(&r->held, ",\"at\":%" PRIu64, moment);
    base_buf_add(&r->held, members, len);
    base_buf_add(&r->held, "", 1);
    if (r->held.failed) r->tape.failed = "a line of the trace does not fit the memory";
}

static void flush(struct recorder *r) {
    if (r->keeps) return;
    for (size_t at = 0; r->fd >= 0 && at < r->text.len;) {
        ssize_t n = write(r->fd, r->text.data + at, r->text.len - at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            fail(r, "the trace cannot be written");
            break;
        }
        at += (size_t)n;
    }
    r->text.len = 0;
}

/* ---- the tape */

static void on_time(struct machine_tape *tape, pf_sandbox *s) {
    struct recorder *r = (struct recorder *)tape;
    settle(r, s, false);
    int64_t now = base_clock_monotonic() - s->clock_origin;
    if (now > s->monotonic_ns) s->monotonic_ns = now;
    r->shown = true;
    r->shown_at = s->moment;
    r->shown_ns = s->monotonic_ns;
    r->reads = machine_mailbox(s)->clock_reads;
}

static bool on_strike(struct machine_tape *tape, pf_sandbox *s, enum machine_strike what,
                      bool now) {
    if (!now) return false;
    char line[64];
    int len = snprintf(line, sizeof line, ",\"in\":\"%s\"", trace_strikes[what]);
    hold((struct recorder *)tape, s->moment, line, (size_t)len);
    return true;
}

static void on_line(struct machine_tape *tape, pf_sandbox *s, const char *members, size_t len) {
    struct recorder *r = (struct recorder *)tape;
    hold(r, s->moment, members, len);
    if (r->held.len > 1 << 20) { /* not for ever in memory */
        settle(r, s, true);
        flush(r);
    }
}

static void on_act(struct machine_tape *tape, pf_sandbox *s, const char *members, size_t len) {
    settle((struct recorder *)tape, s, true);
    on_line(tape, s, members, len);
}

static void on_leave(struct machine_tape *tape, pf_sandbox *s) {
    settle((struct recorder *)tape, s, true);
    flush((struct recorder *)tape);
}

static void on_end(struct machine_tape *tape, pf_sandbox *s) {
    struct recorder *r = (struct recorder *)tape;
    if (r->fd < 0) return;
    if (s->kernel && !s->dead) settle(r, s, true);
    char line[64];
    int len = snprintf(line, sizeof line, ",\"at\":%" PRIu64 ",\"end\":true", s->moment);
    bool was_whole = !r->tape.failed;
    if (was_whole) add_line(r, line, (size_t)len); /* there is room for it: LAST_LINE */
    flush(r);
    if (close(r->fd) < 0) fail(r, "the trace cannot be written");
    r->fd = -1;
    tape->complete = !tape->failed;
    if (!tape->failed) tape->failed = "it was ended";
}

static void on_close(struct machine_tape *tape, pf_sandbox *s) {
    struct recorder *r = (struct recorder *)tape;
    on_end(tape, s);
    base_buf_free(&r->held);
    base_buf_free(&r->text);
    free(r);
    s->tape = NULL;
}

/* ---- previews: between two acts nothing is held back and no time is undecided */

static struct machine_tape *twin(const struct machine_tape *tape) {
    const struct recorder *from = (const struct recorder *)tape;
    struct recorder *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->tape = from->tape;
    r->tape.end = NULL; /* there is no file to end */
    r->fd = -1;
    r->keeps = true;
    r->lines = from->lines;
    r->bytes = from->bytes;
    r->most = from->most;
    r->chain = from->chain;
    base_buf_init(&r->held, HELD_MAX);
    base_buf_init(&r->text, HELD_MAX);
    return &r->tape;
}

static void join(struct machine_tape *tape, struct machine_tape *other) {
    struct recorder *r = (struct recorder *)tape, *from = (struct recorder *)other;
    if (from->text.len && !base_buf_add(&r->text, from->text.data, from->text.len)) {
        r->tape.failed = "the lines of a preview do not fit the memory";
        return;
    }
    r->lines = from->lines;
    r->bytes = from->bytes;
    r->chain = from->chain;
}

/* ---- the head: everything a sandbox starts from */

static void put_tools(struct base_buf *b, const cap_gate *gate) {
    base_buf_addz(b, ",\"tools\":[");
    for (size_t i = 0; i < cap_gate_tool_count(gate); i++) {
        const struct cap_tool *tool = cap_gate_tool(gate, i);
        base_buf_addz(b, i ? ",{\"name\":" : "{\"name\":");
        base_json_out_string(b, tool->name, strlen(tool->name));
        tape_member(b, "description", tool->description, strlen(tool->description));
        tape_member(b, "schema", tool->schema, tool->schema_len);
        base_buf_addz(b, "}");
    }
    base_buf_addz(b, "]");
}

static void put_settings(struct base_buf *b, const pf_options *o) {
    base_buf_addz(b, ",\"limits\":{");
    bool first = true;
#define X(name, value)                                                                             \
    base_buf_addf(b, "%s\"" #name "\":%" PRIu64, first ? "" : ",", o->limits.name);                \
    first = false;
    MACHINE_LIMITS(X)
#undef X
    base_buf_addf(b, "},\"env_changed\":%s,\"env\":[", o->env_changed ? "true" : "false");
    const char *at = o->env;
    for (size_t i = 0; i < o->env_count; i++, at += strlen(at) + 1) {
        if (i) base_buf_addz(b, ",");
        base_json_out_string(b, at, strlen(at));
    }
    base_buf_addz(b, "]");
    if (o->policy) tape_member(b, "policy", o->policy, o->policy_len);
    if (o->prelude) tape_member(b, "prelude", o->prelude, o->prelude_len);
}

static void put_hex(struct base_buf *b, const char *name, const uint8_t *bytes, size_t len) {
    base_buf_addf(b, ",\"%s\":\"", name);
    base_buf_add_hex(b, bytes, len);
    base_buf_addz(b, "\"");
}

static pf_status put_head(struct recorder *r, const pf_sandbox *s, const pf_options *o,
                          pf_error *error) {
    const struct machine_boot *boot = machine_boot(error);
    uint8_t build[SNAPSHOT_DIGEST];
    struct base_buf b;
    if (!boot) return PF_DEAD;
    snapshot_build(boot, build);
    base_buf_init(&b, HELD_MAX);
    base_buf_addf(&b, ",\"pinfold_trace\":%d,\"version\":\"%s\"", TRACE_FORMAT, pf_version());
    put_hex(&b, "build", build, sizeof build);
    base_buf_addf(&b, ",\"clock_fixed\":%s,\"start_ns\":%" PRId64 ",\"seed_fixed\":%s",
                  s->clock_fixed ? "true" : "false", s->realtime_base,
                  s->seed_fixed ? "true" : "false");
    put_hex(&b, "seed", s->seed, sizeof s->seed);
    base_buf_addf(&b, ",\"catch_all\":%s,\"redacted\":%s",
                  cap_gate_catches_all(s->gate) ? "true" : "false",
                  o->record_redacted ? "true" : "false");
    put_settings(&b, o);
    put_tools(&b, s->gate);
    if (s->made_from) tape_member(&b, "snapshot", s->made_from, s->made_from_len);
    bool ok = !b.failed;
    if (ok) put(r, b.data, b.len);
    base_buf_free(&b);
    return ok ? PF_OK : base_no_memory(error);
}

static int open_recorder(pf_sandbox *s, const pf_options *o, pf_error *error) {
    struct recorder *r = calloc(1, sizeof *r);
    if (!r) return base_no_memory(error);
    base_buf_init(&r->held, HELD_MAX);
    base_buf_init(&r->text, HELD_MAX);
    r->most = o->limits.trace_bytes;
    const char *path = o->record_path;
    r->fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)
                 : fcntl(o->record_fd, F_DUPFD_CLOEXEC, 0);
    pf_status status = PF_OK;
    if (r->fd < 0)
        status = base_error(error, PF_INVALID, "the trace %.800s cannot be made: %s",
                            path ? path : "of this descriptor", strerror(errno));
    else
        status = put_head(r, s, o, error);
    if (status == PF_OK) {
        flush(r);
        if (r->tape.failed) status = base_error(error, PF_INVALID, "%s", r->tape.failed);
    }
    if (status != PF_OK) {
        if (r->fd >= 0) close(r->fd);
        base_buf_free(&r->text);
        free(r);
        return status;
    }
    r->tape = (struct machine_tape){.time = on_time,
                                    .strike = on_strike,
                                    .act = on_act,
                                    .out = on_line,
                                    .filled = on_line,
                                    .leave = on_leave,
                                    .end = on_end,
                                    .twin = twin,
                                    .join = join,
                                    .close = on_close,
                                    .redact = o->record_redacted};
    s->tape = &r->tape;
    return PF_OK;
}

pf_status pf_options_record(pf_options *o, const char *path, bool redact, pf_error *error) {
    char *copy = strdup(path);
    if (!copy) return base_no_memory(error);
    free(o->record_path);
    o->record_path = copy;
    o->record_redacted = redact;
    o->tape_open = open_recorder;
    return PF_OK;
}

void pf_options_record_to(pf_options *o, int descriptor, bool redact) {
    free(o->record_path);
    o->record_path = NULL;
    o->record_fd = descriptor;
    o->record_redacted = redact;
    o->tape_open = open_recorder;
}
