/*
 * host/machine/run.c: one run, from its text to its result.
 */
#include "machine.h"

#include <stdlib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

struct language {
    const char *name, *program, *flag;
    uint32_t
        session; /* whose runs go to one process, unless they are isolated; PF_SESSIONS: none */
};
static const struct language languages[] = {
    {"shell", "/usr/bin/bash", NULL, PF_SESSION_SHELL},
    {"bash", "/usr/bin/bash", NULL, PF_SESSION_SHELL},
    {"sh", "/usr/bin/bash", NULL, PF_SESSION_SHELL},
    {"javascript", "/usr/bin/js", NULL, PF_SESSIONS},
    {"js", "/usr/bin/js", NULL, PF_SESSIONS},
    {"node", "/usr/bin/js", NULL, PF_SESSIONS},
    {"typescript", "/usr/bin/js", "--typescript", PF_SESSIONS},
    {"ts", "/usr/bin/js", "--typescript", PF_SESSIONS},
    {"python", "/usr/bin/python3", NULL, PF_SESSION_PYTHON},
    {"py", "/usr/bin/python3", NULL, PF_SESSION_PYTHON},
};

static const struct language *find_language(const char *name) {
    for (size_t i = 0; name && i < sizeof languages / sizeof *languages; i++)
        if (strcmp(languages[i].name, name) == 0) return &languages[i];
    return NULL;
}

void machine_run_init(struct machine_run *run) {
    *run = (struct machine_run){.session = PF_SESSIONS};
    base_buf_init(&run->input, SIZE_MAX);
    base_buf_init(&run->output[0], SIZE_MAX);
    base_buf_init(&run->output[1], SIZE_MAX);
    base_buf_init(&run->value, SIZE_MAX);
}

void machine_run_free(struct machine_run *run) {
    base_buf_free(&run->input);
    base_buf_free(&run->output[0]);
    base_buf_free(&run->output[1]);
    base_buf_free(&run->value);
}

/* What of a stream may still be kept; nothing of one that a restore with a smaller limit found
 * full. */
static uint64_t output_room(const pf_sandbox *s, int stream) {
    assert(stream == 1 || stream == 2);
    uint64_t kept = s->run.output[stream - 1].len, limit = s->limits.output_bytes;
    return kept < limit ? limit - kept : 0;
}

/* A stream holds PF_STREAM_SIZE bytes, so few pieces empty both, unless the kernel lies. */
#define OUTPUT_PIECES 128

static void keep_output(pf_sandbox *s, int stream, const char *data, size_t len) {
    struct base_buf *kept = &s->run.output[stream - 1];
    if (len > output_room(s, stream)) {
        len = (size_t)output_room(s, stream);
        s->run.truncated[stream - 1] = true;
    }
    if (len && !base_buf_add(kept, data, len)) {
        s->run.truncated[stream - 1] = true;
        len = 0;
    }
    assert(!len || kept->len <= s->limits.output_bytes);
    if (len) machine_tape_output(s, stream, data, len);
    if (len && s->run.on_output) machine_tell_output(s, stream, data, len);
}

/* Takes what programs have written. */
void machine_drain_output(pf_sandbox *s) {
    char chunk[PF_IO_MAX]; /* thread-local room is scarce in a library that is loaded late */
    for (int piece = 0; piece < OUTPUT_PIECES; piece++) {
        struct k_call call = {
            .call = PF_CALL_HOST_OUTPUT, .out = chunk, .out_cap = sizeof chunk};
        int64_t n = machine_kernel(s, &call);
        if (n <= 0 || call.out_len == 0) return;
        bool first = machine_mailbox(s)->msg.arg[0] == 1,
             again = machine_attention_again(s, PF_ATTENTION_OUTPUT);
        keep_output(s, first ? 1 : 2, chunk, call.out_len);
        if (!again) return;
    }
}

void machine_feed_stdin(pf_sandbox *s) {
    struct machine_run *run = &s->run;
    assert(run->input_at <= run->input.len);
    if (!run->stdin_open) return;
    for (;;) {
        size_t left = run->input.len - run->input_at;
        size_t len = left < PF_IO_MAX ? left : PF_IO_MAX;
        bool last = len == left;
        int64_t n = KERNEL(s, HOST_STDIN, .arg = {last}, .in = run->input.data + run->input_at,
                           .in_len = len);
        if (n < 0 || (uint64_t)n > len) return;
        run->input_at += (size_t)n;
        if (last && (size_t)n == len) {
            run->stdin_open = false;
            return;
        }
        if ((size_t)n < len || n == 0) return;
    }
}

void machine_drain_value(pf_sandbox *s) {
    struct base_buf *value = &s->run.value;
    char chunk[4096];
    for (;;) {
        struct k_call call = {
            .call = PF_CALL_HOST_RUN_VALUE, .out = chunk, .out_cap = sizeof chunk};
        int64_t n = machine_kernel(s, &call);
        if (n == 0 || (n > 0 && call.out_len == 0)) return;
        if (n < 0 || value->failed || value->len + call.out_len > s->limits.tool_result_bytes ||
            !base_buf_add(value, chunk, call.out_len)) {
            base_buf_free(value); /* half a value is none */
            value->failed = true;
            return;
        }
        if (!machine_attention_again(s, PF_ATTENTION_VALUE)) return;
    }
}

void machine_point_result(pf_sandbox *s) {
    const struct machine_run *run = &s->run;
    assert(!run->value.failed || run->value.len == 0);
    s->result.stdout_data = run->output[0].data ? run->output[0].data : "";
    s->result.stdout_len = run->output[0].len;
    s->result.stderr_data = run->output[1].data ? run->output[1].data : "";
    s->result.stderr_len = run->output[1].len;
    s->result.value = run->value.len ? run->value.data : NULL;
    s->result.value_len = run->value.len;
}

/* The foreground is done and nothing else can go on: the result is complete. */
void machine_finish(pf_sandbox *s) {
    struct machine_run *run = &s->run;
    assert(run->session <= PF_SESSIONS);
    uint32_t attention = machine_mailbox(s)->attention;
    if (attention & PF_ATTENTION_OUTPUT) machine_drain_output(s);
    if (attention & PF_ATTENTION_VALUE) machine_drain_value(s);
    struct pf_run_state state = {0};
    if (KERNEL(s, HOST_RUN_END, .out = &state, .out_cap = sizeof state) < 0)
        KERNEL(s, HOST_RUN_STATE, .out = &state, .out_cap = sizeof state); /* none had begun */
    bool lost = s->sessions & ~state.session_alive;
    s->sessions = state.session_alive;
    if (!run->limit && run->starved && (state.status & 0xff) == 128 + SIGKILL)
        run->limit = "memory_bytes";
    run->on = false;
    /* An interrupt of the last moment was for this run; it ends a replay as a whole. */
    if (!machine_replays(s)) atomic_store(&s->interrupt, INTERRUPT_IGNORED);
    s->watch.stop_at = s->watch.kill_at = UINT32_MAX;
    s->result = (pf_result){
        .exit_code = run->limit ? 137 : (int)(state.status & 0xff),
        .stdout_truncated = run->truncated[0],
        .stderr_truncated = run->truncated[1],
        .limit = run->limit,
        .session_lost = lost && (run->limit || run->stage == STAGE_KILLED ||
                                 (run->session < PF_SESSIONS && (state.status & 0xff) >= 128)),
        .memory_bytes = s->budget.peak,
        .tool_calls = run->tool_calls,
        .session_ended = lost,
    };
    machine_point_result(s);
    assert(s->result.exit_code >= 0 && s->result.exit_code <= 255);
    s->has_result = true;
    machine_tape_result(s);
}

static pf_status check_request(const pf_sandbox *s, const pf_run *request,
                               const struct language *language, pf_error *error) {
    struct machine_limits limits = machine_run_limits(s, request);
    if (!language)
        return base_error(error, PF_INVALID,
                          "unknown language \"%.64s\"; use \"shell\", \"javascript\", "
                          "\"typescript\" or \"python\"",
                          request->language ? request->language : "(null)");
    if (request->code_len > limits.code_bytes)
        return base_error(error, PF_INVALID,
                          "the code has %zu bytes, more than the limit code_bytes (%llu)",
                          request->code_len, (unsigned long long)limits.code_bytes);
    if (request->stdin_len > limits.stdin_bytes)
        return base_error(error, PF_INVALID,
                          "stdin has %zu bytes, more than the limit stdin_bytes (%llu)",
                          request->stdin_len, (unsigned long long)limits.stdin_bytes);
    if (s->run.on)
        return base_error(error, PF_STATE,
                          "a run is on: answer its calls until it is over before starting "
                          "another");
    return machine_check_place(request, error);
}

void machine_arm_limits(pf_sandbox *s) {
    uint64_t ticks = s->limits.cpu_ms / (CPU_TICK_NS / 1000000);
    bool limited = ticks < UINT32_MAX / 2;
    /* A trace says where the limit struck. If not: late enough for a slow machine. */
    if (limited && machine_replays(s)) {
        ticks = 10 * ticks + 1000000000 / CPU_TICK_NS;
        limited = ticks < UINT32_MAX / 2;
    }
    s->watch.stop_at = limited ? (unsigned)ticks + 1 : UINT32_MAX;
    s->watch.kill_at = limited ? (unsigned)ticks + MACHINE_CUT_TICKS : UINT32_MAX;
    assert(s->watch.stop_at <= s->watch.kill_at);
    s->run.stop_wall_ns =
        s->limits.wall_ms < INT64_MAX / 1000000 ? (int64_t)s->limits.wall_ms * 1000000 : INT64_MAX;
}

static void cut_output(pf_sandbox *s, int stream) {
    assert(stream == 1 || stream == 2);
    struct base_buf *kept = &s->run.output[stream - 1];
    if (kept->len <= s->limits.output_bytes) return;
    kept->len = (size_t)s->limits.output_bytes;
    kept->data[kept->len] = '\0';
    s->run.truncated[stream - 1] = true;
}

pf_status machine_fit_run(pf_sandbox *s, pf_error *error) {
    struct machine_run *run = &s->run;
    assert(run->input_at <= run->input.len);
    size_t left = run->input.len - run->input_at;
    cut_output(s, 1);
    cut_output(s, 2);
    if (run->value.len > s->limits.tool_result_bytes) {
        base_buf_free(&run->value); /* half a value is none */
        run->value.failed = true;
    }
    if (left <= s->limits.stdin_bytes) return PF_OK;
    return base_error(error, PF_FORMAT,
                      "the run of the snapshot has %zu bytes of stdin left, more than the limit "
                      "stdin_bytes (%llu)",
                      left, (unsigned long long)s->limits.stdin_bytes);
}

static void reset_run(pf_sandbox *s, const pf_run *request, uint32_t session) {
    assert(!s->run.on && session <= PF_SESSIONS);
    struct machine_run *run = &s->run;
    bool brief = run->brief; /* as the last run ended, this one is likely to begin */
    machine_run_free(run);
    machine_run_init(run);
    run->brief = brief;
    run->session = session;
    run->on_output = request->on_output;
    run->user = request->user;
    s->limits = machine_run_limits(s, request);
    s->has_result = false;
    s->budget.peak = s->budget.used;
    atomic_store(&s->watch.ticks, 0);
    atomic_store(&s->watch.stop, 0);
    machine_arm_limits(s);
}

/* Sends bytes of the run's text. */
static int64_t send_text(pf_sandbox *s, const char *text, size_t len) {
    assert(text || !len);
    int64_t r = 0;
    for (size_t at = 0; r >= 0 && at < len;) {
        size_t piece = len - at < PF_MESSAGE_IN_MAX ? len - at : PF_MESSAGE_IN_MAX;
        r = KERNEL(s, HOST_RUN_TEXT, .in = text + at, .in_len = piece);
        if (r == 0) r = -PF_ENOMEM;
        if (r > 0) at += (size_t)r;
    }
    return r;
}

/* What the kernel is given besides the text: a program to start, or for the session its place. */
static bool head_of(pf_sandbox *s, const struct language *language, const pf_run *request,
                    struct base_buf *out) {
    assert(language && s->run.session <= PF_SESSIONS);
    if (s->run.session < PF_SESSIONS)
        return !machine_has_place(request) || machine_place_text(request, out);
    const char *program = language->program;
    const char *const argv[] = {strrchr(program, '/') + 1, "--run", language->flag, NULL};
    const char *cwd = request->cwd ? request->cwd : "/workspace";
    struct base_buf env;
    base_buf_init(&env, SIZE_MAX);
    size_t count;
    bool ok = machine_run_env(s, request, &env, &count) &&
              machine_exec_block(out, program, argv, env.data, env.len, count, cwd);
    base_buf_free(&env);
    return ok;
}

/* Begins the run, with as much of its text as fits in one message; the rest comes after. */
static int64_t begin_with(pf_sandbox *s, int64_t flags, const char *in, size_t in_len,
                          size_t exec_len) {
    assert(exec_len <= in_len);
    int64_t kind = s->run.session < PF_SESSIONS ? PF_RUN_SESSION : PF_RUN_SPAWN;
    size_t first = in_len < PF_MESSAGE_IN_MAX ? in_len : PF_MESSAGE_IN_MAX;
    if (exec_len > first) return -PF_E2BIG;
    int64_t r = KERNEL(s, HOST_RUN_BEGIN, .arg = {kind, flags, s->run.session, (int64_t)exec_len},
                       .in = first ? in : NULL, .in_len = first);
    return r < 0 ? r : send_text(s, in + first, in_len - first);
}

/* Gives the kernel the program; then it only has to be driven. */
static int64_t begin(pf_sandbox *s, const struct language *language, const pf_run *request) {
    assert(!s->run.on);
    struct base_buf head;
    base_buf_init(&head, SIZE_MAX);
    bool session = s->run.session < PF_SESSIONS;
    int64_t flags = request->stdin_len ? PF_RUN_STDIN : 0;
    if (session && request->end_options) flags |= PF_RUN_END_OPTIONS;
    if (session && machine_has_place(request)) flags |= PF_RUN_PLACE;
    int64_t r = -PF_ENOMEM;
    if (head_of(s, language, request, &head)) {
        size_t exec_len = session ? 0 : head.len;
        if (head.len == 0)
            r = begin_with(s, flags, request->code, request->code_len, 0);
        else if (base_buf_add(&head, request->code, request->code_len))
            r = begin_with(s, flags, head.data, head.len, exec_len);
    }
    base_buf_free(&head);
    return r;
}

void machine_tell(pf_sandbox *s, const char *text) {
    struct machine_run *run = &s->run;
    size_t len = strlen(text);
    if (len > output_room(s, 2) || !base_buf_add(&run->output[1], text, len)) {
        run->truncated[1] = true;
        return;
    }
    machine_tape_output(s, 2, text, len);
    if (run->on_output) machine_tell_output(s, 2, text, len);
}

/* The sandbox has no room for another process, as when its scripts started too many: that is how
 * the run ends, and no mistake of the embedder's. */
static pf_status not_begun(pf_sandbox *s, const struct language *language, int64_t r) {
    assert(!s->run.on && (r == -PF_EAGAIN || r == -PF_ENOMEM));
    struct machine_run *run = &s->run;
    bool memory = r == -PF_ENOMEM;
    run->limit = memory ? "memory_bytes" : "processes";
    char text[80];
    snprintf(text, sizeof text, "%s: cannot start: %s\n", strrchr(language->program, '/') + 1,
             memory ? "Cannot allocate memory" : "Resource temporarily unavailable");
    machine_tell(s, text);
    machine_finish(s);
    return PF_OK;
}

static uint32_t sessions_alive(pf_sandbox *s) {
    struct pf_run_state state = {0};
    KERNEL(s, HOST_RUN_STATE, .out = &state, .out_cap = sizeof state);
    return state.session_alive;
}

/* Sees to it that the session lives, which is known of one that did when the last run ended:
 * nothing runs in between. *full: there is no room for its process. */
static pf_status wake_session(pf_sandbox *s, uint32_t session, int64_t *full, pf_error *error) {
    *full = 0;
    if (session >= PF_SESSIONS || s->sessions & 1u << session) return PF_OK;
    s->sessions = sessions_alive(s);
    if (s->sessions & 1u << session) return PF_OK;
    pf_error why;
    pf_status status = machine_start_session(s, session, &why);
    if (status == PF_OK) {
        s->sessions |= 1u << session;
    } else if (status == PF_GUEST &&
               (why.guest_errno == PF_EAGAIN || why.guest_errno == PF_ENOMEM)) {
        *full = -why.guest_errno;
        return PF_OK;
    } else if (error) {
        *error = why;
    }
    return status;
}

pf_status machine_start(pf_sandbox *s, const pf_run *request, pf_error *error) {
    const struct language *language = find_language(request->language);
    pf_status status = check_request(s, request, language, error);
    if (status != PF_OK) return status;
    assert(language && !s->run.on);
    uint32_t session = request->isolated ? PF_SESSIONS : language->session;
    int64_t full;
    machine_tape_start(s, request);
    machine_show_time(s);
    status = machine_find_place(s, request, error);
    if (status == PF_OK) status = wake_session(s, session, &full, error);
    if (status != PF_OK) return status;
    reset_run(s, request, session);
    if (full) return not_begun(s, language, full);
    if (request->stdin_len && !base_buf_add(&s->run.input, request->stdin_data, request->stdin_len))
        return base_error(error, PF_NO_MEMORY, "no memory for stdin");
    s->run.stdin_open = request->stdin_len > 0;
    int64_t r = begin(s, language, request);
    if (r == -PF_ESRCH && session < PF_SESSIONS) { /* a snapshot said that it lives */
        s->sessions &= ~(1u << session);
        status = wake_session(s, session, &full, error);
        if (status != PF_OK) return status;
        r = full ? full : begin(s, language, request);
    }
    if (s->dead) return machine_dead(s, error);
    if (r == -PF_EAGAIN || r == -PF_ENOMEM) return not_begun(s, language, r);
    if (r < 0) {
        KERNEL(s, HOST_RUN_END);
        return machine_guest_error(s, r, language->program, error);
    }
    s->run.on = true;
    machine_feed_stdin(s);
    return machine_drive(s, error);
}
