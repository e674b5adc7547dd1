/*
 * host/machine/tape.c: turns what happens in a sandbox into lines of a trace. See tape.h;
 * docs/trace.md lists the lines.
 */
#include "machine.h"

#include "host/base/base64.h"
#include "host/base/json_out.h"
#include "host/base/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#define LINE_MAX_BYTES ((size_t)2 << 30)

bool machine_tape_struck(pf_sandbox *s, enum machine_strike what, bool now) {
    bool strikes = s->tape ? s->tape->strike(s->tape, s, what, now) : now;
    if (strikes) s->run.struck = true;
    return strikes;
}

void tape_member(struct base_buf *out, const char *name, const void *data, size_t len) {
    if (base_utf8_valid(data, len)) {
        base_buf_addf(out, ",\"%s\":", name);
        base_json_out_string(out, data, len);
        return;
    }
    base_buf_addf(out, ",\"%s_base64\":\"", name);
    base_base64_write(out, data, len, false);
    base_buf_addz(out, "\"");
}

static void member(struct base_buf *out, const char *name, const char *text) {
    tape_member(out, name, text, strlen(text));
}

/* Hands a line over and frees it. */
static void act(pf_sandbox *s, struct base_buf *line) {
    if (line->failed)
        s->tape->failed = "a line of the trace does not fit the memory";
    else
        s->tape->act(s->tape, s, line->data, line->len);
    base_buf_free(line);
    s->moment++;
}

static void out(pf_sandbox *s, struct base_buf *line) {
    if (line->failed)
        s->tape->failed = "a line of the trace does not fit the memory";
    else
        s->tape->out(s->tape, s, line->data, line->len);
    base_buf_free(line);
}

static struct base_buf begin(const char *kind, const char *name) {
    struct base_buf line;
    base_buf_init(&line, LINE_MAX_BYTES);
    base_buf_addf(&line, ",\"%s\":\"%s\"", kind, name);
    return line;
}

/* ---- the embedder's acts */

void machine_tape_act(pf_sandbox *s, const char *name, const char *path) {
    if (!s->tape || s->look_only) return;
    struct base_buf line = begin("do", name);
    if (path) member(&line, "path", path);
    act(s, &line);
}

void machine_tape_start(pf_sandbox *s, const pf_run *run) {
    if (!s->tape) return;
    struct base_buf line = begin("do", "start");
    member(&line, "language", run->language);
    tape_member(&line, "code", run->code ? run->code : "", run->code_len);
    if (run->stdin_len) tape_member(&line, "stdin", run->stdin_data, run->stdin_len);
    if (run->isolated) base_buf_addz(&line, ",\"isolated\":true");
    if (run->end_options) base_buf_addz(&line, ",\"end_options\":true");
    if (run->cwd) member(&line, "cwd", run->cwd);
    machine_tape_run_env(run, &line);
    machine_tape_run_limits(run, &line);
    act(s, &line);
}

void machine_tape_answer(pf_sandbox *s, uint64_t id, uint32_t outcome, const char *data,
                         size_t len) {
    if (!s->tape) return;
    struct base_buf line = begin("do", outcome == PF_OP_OK ? "resume" : "fail");
    base_buf_addf(&line, ",\"id\":%" PRIu64, id);
    if (outcome != PF_OP_OK) {
        base_buf_addf(&line, ",\"outcome\":%u", outcome);
        tape_member(&line, "message", data, len);
    } else if (s->tape->redact) {
        base_buf_addf(&line, ",\"redacted\":true");
    } else {
        tape_member(&line, "json", data, len);
    }
    act(s, &line);
}

void machine_tape_write(pf_sandbox *s, const char *path, const void *data, size_t len) {
    if (!s->tape) return;
    struct base_buf line = begin("do", "write");
    member(&line, "path", path);
    tape_member(&line, "data", len ? data : "", len);
    act(s, &line);
}

void machine_tape_make(pf_sandbox *s, const char *path, const pf_file_new *file) {
    if (!s->tape) return;
    struct base_buf line = begin("do", "make");
    member(&line, "path", path);
    base_buf_addf(&line, ",\"mode\":%u,\"mtime_ns\":%" PRId64, file->mode, file->mtime_ns);
    if (file->len) tape_member(&line, "data", file->data, file->len);
    act(s, &line);
}

void machine_tape_mount(pf_sandbox *s, const char *path, const char *source, uint32_t mode,
                        int64_t mtime_ns, bool copy) {
    if (!s->tape) return;
    struct base_buf line = begin("do", "mount");
    member(&line, "path", path);
    member(&line, "source", source);
    base_buf_addf(&line, ",\"mode\":%u,\"mtime_ns\":%" PRId64 ",\"copy\":%s", mode, mtime_ns,
                  copy ? "true" : "false");
    act(s, &line);
}

static void put_fill_names(struct base_buf *line, const struct base_buf *data) {
    struct machine_fill_name head;
    const char *name;
    base_buf_addz(line, ",\"names\":[");
    for (size_t at = 0; (name = machine_fill_next(data, &at, &head));) {
        base_buf_addf(line, "%s{\"mode\":%u,\"size\":%" PRId64 ",\"mtime_ns\":%" PRId64,
                      at > sizeof head + head.name_len + head.target_len ? "," : "", head.mode,
                      head.size, head.mtime_ns);
        member(line, "name", name);
        if (head.target_len > 1) member(line, "target", name + head.name_len);
        base_buf_addz(line, "}");
    }
    base_buf_addz(line, "]");
}

void machine_tape_fill(pf_sandbox *s, const char *source, const struct machine_fill *fill) {
    if (!s->tape) return;
    struct base_buf line = begin("in", "fill");
    member(&line, "source", source);
    if (fill->error)
        base_buf_addf(&line, ",\"errno\":%d", fill->error);
    else if (fill->directory)
        put_fill_names(&line, &fill->data);
    else
        tape_member(&line, "data", fill->data.data ? fill->data.data : "", fill->data.len);
    if (line.failed)
        s->tape->failed = "a line of the trace does not fit the memory";
    else
        s->tape->filled(s->tape, s, line.data, line.len);
    base_buf_free(&line);
}

/* ---- what the guest does */

void machine_tape_output(pf_sandbox *s, int stream, const char *data, size_t len) {
    if (!s->tape) return;
    struct base_buf line = begin("out", stream == 1 ? "stdout" : "stderr");
    tape_member(&line, "text", data, len);
    out(s, &line);
}

void machine_tape_decision(pf_sandbox *s, const pf_decision *d) {
    if (!s->tape) return;
    struct base_buf line = begin("out", "call");
    if (d->id) base_buf_addf(&line, ",\"id\":%" PRIu64, d->id);
    member(&line, "decision", d->outcome);
    tape_member(&line, "method", d->method, strlen(d->method));
    if (d->params) tape_member(&line, "params", d->params, strlen(d->params));
    if (d->message) member(&line, "message", d->message);
    out(s, &line);
}

void machine_tape_cancel(pf_sandbox *s, uint64_t id) {
    if (!s->tape) return;
    struct base_buf line = begin("out", "cancel");
    base_buf_addf(&line, ",\"id\":%" PRIu64, id);
    out(s, &line);
}

void machine_tape_process(pf_sandbox *s, const char *what, uint32_t proc, int32_t pid) {
    if (!s->tape) return;
    struct pf_process_info info = {0};
    char name[MACHINE_PROCESS_NAME] = "";
    bool known = machine_process_info(s, proc, &info, name) && info.pid > 0;
    struct base_buf line = begin("out", what);
    base_buf_addf(&line, ",\"pid\":%d", known ? info.pid : pid);
    if (known) {
        base_buf_addf(&line, ",\"parent\":%d", info.ppid);
        member(&line, "name", name);
    }
    out(s, &line);
}

void machine_tape_result(pf_sandbox *s) {
    if (!s->tape) return;
    const pf_result *r = &s->result;
    struct base_buf line = begin("out", "result");
    base_buf_addf(&line, ",\"exit_code\":%d", r->exit_code);
    if (r->limit) member(&line, "limit", r->limit);
    if (r->value) tape_member(&line, "value", r->value, r->value_len);
    if (r->session_lost) base_buf_addz(&line, ",\"session_lost\":true");
    if (r->stdout_truncated) base_buf_addz(&line, ",\"stdout_truncated\":true");
    if (r->stderr_truncated) base_buf_addz(&line, ",\"stderr_truncated\":true");
    base_buf_addf(&line, ",\"tool_calls\":%" PRIu64, r->tool_calls);
    out(s, &line);
}
