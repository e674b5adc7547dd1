/*
 * tests/unit/test_kernel_run.c: sessions, runs and their streams, and host operations.
 */
#include "kernel_machine.h"

static uint32_t sh;
static int64_t pid;

static struct pf_run_state run_state(void) {
    struct pf_run_state state;
    CHECK_EQ(CALL(HOST, HOST_RUN_STATE), 0);
    memcpy(&state, got, sizeof state);
    return state;
}

static int64_t begin(int64_t flags) {
    return CALL_IN(HOST, HOST_RUN_BEGIN, "", 0, PF_RUN_SESSION, flags);
}

static uint32_t spawn_run(int64_t flags) {
    size_t len = exec_block(0, "/bin/cat", (const char *const[]){"cat", NULL});
    int64_t p = CALL_IN(HOST, HOST_RUN_BEGIN, block, len, PF_RUN_SPAWN, flags);
    CHECK(p > 0);
    return k_proc_find((int32_t)p)->index;
}

static void session_waiting(void) {
    sh = boot();
    CALL(sh, RUN_NEXT, -1);
    CHECK_EQ(next(), 0);
}

/* Each leader gets the runs of its own session, and ends alone. */
static void sessions_do_not_meet(void) {
    session_waiting();
    CHECK_EQ(CALL_IN(HOST, HOST_RUN_BEGIN, "", 0, PF_RUN_SESSION, 0, PF_SESSION_PYTHON), -PF_ESRCH);
    size_t len = exec_block(0, "/bin/sh", (const char *const[]){"sh", NULL});
    int64_t second = CALL_IN(HOST, HOST_SESSION, block, len, PF_SESSION_PYTHON);
    CHECK(second > 0);
    uint32_t py = k_proc_find((int32_t)second)->index;
    CHECK_EQ(run_state().session_alive, 3);
    CHECK_EQ(run_state().background, 0);
    CHECK_EQ(next(), py);
    CALL(py, RUN_NEXT, -1);
    CHECK_EQ(next(), 0);
    CHECK_EQ(CALL_IN(HOST, HOST_RUN_BEGIN, "", 0, PF_RUN_SESSION, 0, PF_SESSION_PYTHON), second);
    CALL_PATH(HOST, HOST_RUN_TEXT, "py");
    CHECK_EQ(next(), py);
    CHECK_EQ(CALL(py, RUN_NEXT, -1), 0);
    CHECK_EQ(CALL(py, RUN_TEXT, 0), 2);
    CALL(py, RUN_NEXT, 4);
    CHECK_EQ(run_state().foreground_done, 1);
    CHECK_EQ(run_state().status, 4);
    CALL(HOST, HOST_RUN_END);
    CHECK(begin(0) > 0);
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL(sh, RUN_NEXT, -1), 0);
    CALL(sh, EXIT, 0);
    CHECK_EQ(run_state().session_alive, 2);
    CALL(HOST, HOST_RUN_END);
    k_check();
}

static void runs_follow_each_other(void) {
    session_waiting();
    for (int i = 1; i <= 50; i++) {
        CHECK(begin(0) > 0);
        CHECK_EQ(begin(0), -PF_EBUSY);
        CALL_PATH(HOST, HOST_RUN_TEXT, "te");
        CALL_PATH(HOST, HOST_RUN_TEXT, "xt");
        CHECK_EQ(next(), sh);
        CHECK_EQ(CALL(sh, RUN_NEXT, i - 1), 0);
        struct pf_run_info info;
        memcpy(&info, got, sizeof info);
        CHECK_EQ(info.number, i);
        CHECK_EQ(info.text_len, 4);
        CHECK_EQ(CALL_CAP(sh, RUN_TEXT, 3, 0), 3);
        CHECK_EQ(CALL(sh, RUN_TEXT, 3), 1);
        CHECK_EQ(CALL(sh, RUN_TEXT, 4), 0);
        CHECK_EQ(CALL(sh, READ, 0), 0); /* no stdin: empty */
        CHECK_EQ(CALL_PATH(sh, WRITE, "o", 1), 1);
        CHECK_EQ(CALL_PATH(sh, WRITE, "e", 2), 1);
        CHECK_EQ(run_state().foreground_done, 0);
        CALL(sh, RUN_NEXT, i);
        CHECK_EQ(run_state().foreground_done, 1);
        CHECK_EQ(run_state().status, i);
        CHECK(k_mailbox.attention & PF_ATTENTION_RUN_DONE);
        k_mailbox.attention = 0;
        CHECK_EQ(CALL(HOST, HOST_OUTPUT, 1), 1);
        CHECK_EQ(CALL(HOST, HOST_OUTPUT, 2), 1);
        CHECK_EQ(CALL(HOST, HOST_RUN_END), 0);
        CHECK_EQ(CALL(HOST, HOST_RUN_END), -PF_ESRCH);
        CHECK_EQ(next(), 0);
    }
    k_check();
    CHECK_EQ(CALL_PATH(HOST, HOST_RUN_TEXT, "x"), -PF_ESRCH);
    CHECK_EQ(CALL(HOST, HOST_STDIN, 1), -PF_ESRCH);
}

/* The text can come with the run, its state with its end, and output without saying of which stream. */
static void few_messages_make_a_run(void) {
    session_waiting();
    CHECK(CALL_IN(HOST, HOST_RUN_BEGIN, "te", 2, PF_RUN_SESSION) > 0);
    CALL_PATH(HOST, HOST_RUN_TEXT, "xt");
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL(sh, RUN_NEXT, -1), 0);
    CHECK_EQ(CALL(sh, RUN_TEXT, 0), 4);
    CHECK(memcmp(got, "text", 4) == 0);
    CHECK_EQ(CALL(HOST, HOST_OUTPUT, 0), 0);
    CALL_PATH(sh, WRITE, "oo", 1);
    CALL_PATH(sh, WRITE, "e", 2);
    CALL(sh, RUN_NEXT, 7);
    k_mailbox.attention = 0;
    CHECK_EQ(CALL(HOST, HOST_OUTPUT, 0), 2);
    CHECK_EQ(reply_arg, 1);
    CHECK(k_mailbox.attention & PF_ATTENTION_OUTPUT);
    k_mailbox.attention = 0;
    CHECK_EQ(CALL(HOST, HOST_OUTPUT, 0), 1);
    CHECK_EQ(reply_arg, 2);
    CHECK_EQ(k_mailbox.attention, 0);
    CHECK_EQ(CALL(HOST, HOST_RUN_END), 0);
    struct pf_run_state state;
    memcpy(&state, got, sizeof state);
    CHECK_EQ(state.status, 7);
    CHECK_EQ(state.foreground_done, 1);
    CHECK_EQ(state.session_alive, 1);
    CHECK_EQ(state.background, 0);
    k_check();
}

/* A program of its own gets what stands behind its arguments as its text. */
static void text_comes_with_a_program(void) {
    session_waiting();
    size_t len = exec_block(0, "/bin/cat", (const char *const[]){"cat", NULL});
    memcpy(block + len, "code", 4);
    CHECK_EQ(CALL_IN(HOST, HOST_RUN_BEGIN, block, len + 4, PF_RUN_SPAWN, 0, 0, len + 5), -PF_EINVAL);
    CHECK_EQ(CALL_IN(HOST, HOST_RUN_BEGIN, block, len + 4, PF_RUN_SPAWN, 0, 0, -1), -PF_EINVAL);
    int64_t p = CALL_IN(HOST, HOST_RUN_BEGIN, block, len + 4, PF_RUN_SPAWN, 0, 0, len);
    CHECK(p > 0);
    uint32_t cat = k_proc_find((int32_t)p)->index;
    CHECK_EQ(next(), cat);
    CHECK_EQ(CALL(cat, RUN_TEXT, 0), 4);
    CHECK(memcmp(got, "code", 4) == 0);
    CALL(cat, EXIT, 0);
    CALL(HOST, HOST_RUN_END);
    k_check();
}

/* What a run keeps does not grow: after many runs the kernel is as small as after a few. */
static void runs_stay_flat(void) {
    session_waiting();
    uint64_t after[2] = {0, 1};
    for (int i = 0; i < 3000; i++) {
        begin(PF_RUN_STDIN);
        CALL_PATH(HOST, HOST_RUN_TEXT, "some text");
        next();
        CALL(sh, RUN_NEXT, 0);
        CALL(HOST, HOST_STDIN, 1);
        uint32_t c = fork_(sh, &pid);
        CALL(sh, WAIT, -1, 0);
        CHECK_EQ(next(), c);
        CALL(c, FORK);
        CALL_PATH(c, WRITE, "out", 1);
        CALL(c, EXIT, 0);
        next();
        CALL(sh, WAIT, -1, 0);
        CALL(sh, RUN_NEXT, 0);
        while (CALL(HOST, HOST_OUTPUT, 1) > 0) {
        }
        CALL(HOST, HOST_RUN_END);
        CHECK_EQ(next(), 0);
        if (i == 10) after[0] = k_alloc_used();
        if (i == 2999) after[1] = k_alloc_used();
        if (check_failed) return;
    }
    CHECK_EQ((int64_t)after[1], (int64_t)after[0]);
}

static void stdin_streams(void) {
    session_waiting();
    begin(PF_RUN_STDIN);
    next();
    CALL(sh, RUN_NEXT, -1);
    k_mailbox.attention = 0;
    CALL(sh, READ, 0);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK(k_mailbox.attention & PF_ATTENTION_STDIN);
    static char bulk[100000];
    CHECK_EQ(CALL_IN(HOST, HOST_STDIN, bulk, sizeof bulk, 1), 65536); /* so it is not the last */
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL_CAP(sh, READ, 1000, 0), 1000);
    CHECK_EQ(CALL_PATH(sh, OPENAT, "/dev/stdin", CWD, 0, 0), 3); /* the same stream */
    CHECK_EQ(CALL(sh, READ, 3), 64536);
    CHECK_EQ(CALL_IN(HOST, HOST_STDIN, bulk, 5, 1), 5);
    CHECK_EQ(CALL_IN(HOST, HOST_STDIN, bulk, 5, 1), -PF_EPIPE);
    CHECK_EQ(CALL(sh, READ, 0), 5);
    CHECK_EQ(CALL(sh, READ, 0), 0);
    CHECK_EQ(CALL_PATH(sh, WRITE, "x", 0), -PF_EBADF);
    CHECK_EQ(CALL_PATH(sh, OPENAT, "/dev/stdin", CWD, PF_O_WRONLY, 0), -PF_EACCES);
    CHECK_EQ(CALL(sh, IOCTL, 1, 0x5413), -PF_ENOTTY);
    CHECK_EQ(CALL_PATH(sh, OPENAT, "/dev/tty", CWD, PF_O_RDWR, 0), -PF_ENXIO);
    k_check();
}

static void background_reads_end_of_old_stdin(void) {
    session_waiting();
    begin(PF_RUN_STDIN);
    next();
    CALL(sh, RUN_NEXT, -1);
    uint32_t c = fork_(sh, &pid);
    CALL(sh, RUN_NEXT, 0);
    CHECK_EQ(next(), c);
    CALL(c, FORK);
    CALL(c, READ, 0);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK_EQ(run_state().background, 1);
    CALL(HOST, HOST_RUN_END);
    CHECK_EQ(next(), c);
    CHECK_EQ(CALL(c, READ, 0), 0);
    /* its output reaches whichever run is on */
    begin(0);
    CHECK_EQ(CALL_PATH(c, WRITE, "late", 1), 4);
    CHECK_EQ(CALL(HOST, HOST_OUTPUT, 1), 4);
    k_check();
}

static void output_waits_for_the_host(void) {
    session_waiting();
    begin(0);
    next();
    CALL(sh, RUN_NEXT, -1);
    static char bulk[65536];
    CHECK_EQ(CALL_IN(sh, WRITE, bulk, 65536, 1), 65536);
    CALL_PATH(sh, WRITE, "more", 1);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK_EQ(next(), 0);
    CHECK_EQ(CALL(HOST, HOST_OUTPUT, 1), 65536);
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL_PATH(sh, WRITE, "more", 1), 4);
    CHECK_EQ(CALL_PATH(sh, OPENAT, "/dev/stdout", CWD, PF_O_WRONLY | PF_O_CREAT | PF_O_TRUNC, 0644),
             3);
    CHECK_EQ(CALL_PATH(sh, WRITE, "!", 3), 1);
    CHECK_EQ(CALL(HOST, HOST_OUTPUT, 1), 5);
    CHECK_EQ(CALL(HOST, HOST_OUTPUT, 7), -PF_EINVAL);
    CHECK_EQ(CALL(sh, FSTAT, 1), 0);
    CHECK_EQ(((struct pf_stat *)got)->mode & K_IFMT, K_IFCHR);
}

static void session_ends(void) {
    session_waiting();
    begin(0);
    next();
    CALL(sh, RUN_NEXT, -1);
    uint32_t c = fork_(sh, &pid);
    CALL(sh, EXIT, 9);
    CHECK_EQ(run_state().foreground_done, 1);
    CHECK_EQ(run_state().status, 9);
    CHECK_EQ(run_state().session_alive, 0);
    CHECK_EQ(run_state().background, 1);
    CALL(HOST, HOST_RUN_END);
    CHECK_EQ(begin(0), -PF_ESRCH);
    CHECK_EQ(next(), c);
    CHECK_EQ(CALL(c, FORK), 0);
    CHECK_EQ(CALL(c, RUN_NEXT, 0), -PF_EPERM);
    CHECK_EQ(CALL(c, RUN_TEXT, 0), -PF_ENODATA);
    size_t len = exec_block(0, "/bin/sh", (const char *const[]){"sh", NULL});
    CHECK(CALL_IN(HOST, HOST_SESSION, block, len) > 0);
    CHECK_EQ(CALL_IN(HOST, HOST_SESSION, block, len), -PF_EBUSY);
    CHECK_EQ(run_state().session_alive, 1);
    CHECK_EQ(CALL_IN(HOST, HOST_SESSION, block, len, PF_SESSIONS), -PF_EINVAL);
    CHECK_EQ(CALL_IN(HOST, HOST_SESSION, block, len, -1), -PF_EINVAL);
    k_check();
}

static void spawned_runs(void) {
    session_waiting();
    CALL_IN(HOST, HOST_ENV, "A=1\0B=2", 8);
    uint32_t proc = spawn_run(PF_RUN_STDIN);
    CALL_PATH(HOST, HOST_RUN_TEXT, "code");
    CHECK_EQ(next(), proc);
    CHECK_EQ(event.kind, PF_EVENT_LOAD);
    CALL(proc, ARGS, 0);
    CHECK(memcmp(got + sizeof(struct pf_start_block), "cat\0/bin/cat\0cat\0A=1\0B=2", 25) == 0);
    CHECK_EQ(CALL(proc, GETCWD), 10);
    CHECK_EQ(CALL(proc, RUN_TEXT, 0), 4);
    CHECK_EQ(CALL(proc, GETPID, 3), k_proc_at(proc)->pid); /* a session of its own */
    CHECK_EQ(CALL_PATH(proc, RUN_VALUE, "{\"a\":1}"), 7);
    CHECK(k_mailbox.attention & PF_ATTENTION_VALUE);
    CHECK_EQ(CALL(HOST, HOST_RUN_VALUE), 7);
    static char bulk[65536];
    CHECK_EQ(CALL_IN(proc, RUN_VALUE, bulk, 65536), 65536);
    CALL_IN(proc, RUN_VALUE, bulk, 1);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK_EQ(CALL(HOST, HOST_RUN_VALUE), 65536);
    CHECK_EQ(next(), proc);
    CHECK_EQ(CALL_IN(proc, RUN_VALUE, bulk, 1), 1);
    uint64_t limit = k_limits.op_result_bytes;
    k_limits.op_result_bytes = 7 + 65536 + 2; /* more than that is no value, also what was taken */
    CHECK_EQ(CALL_IN(proc, RUN_VALUE, bulk, 2), -PF_EFBIG);
    CHECK_EQ(CALL_IN(proc, RUN_VALUE, bulk, 1), -PF_EFBIG);
    CHECK_EQ(CALL(HOST, HOST_RUN_VALUE), -PF_EFBIG);
    k_limits.op_result_bytes = limit;
    CALL(proc, KILL, 0, 15);
    CHECK_EQ(action, PF_ACTION_GONE);
    CHECK_EQ(run_state().foreground_done, 1);
    CHECK_EQ(run_state().status, 128 + 15);
    CHECK_EQ(run_state().session_alive, 1);
    CALL(HOST, HOST_RUN_END);
    /* the session is as it was */
    begin(0);
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL(sh, RUN_NEXT, -1), 0);
    CHECK_EQ(CALL(HOST, HOST_RUN_VALUE), 0); /* the old value is gone */
    size_t len = exec_block(0, "/bin/none", (const char *const[]){"x", NULL});
    CALL(HOST, HOST_RUN_END);
    CHECK_EQ(CALL_IN(HOST, HOST_RUN_BEGIN, block, len, PF_RUN_SPAWN, 0), -PF_ENOENT);
    CHECK(begin(0) > 0);
    k_check();
}

static void interrupts(void) {
    session_waiting();
    CHECK_EQ(CALL(HOST, HOST_INTERRUPT, 2), 0);
    begin(0);
    next();
    CALL(sh, RUN_NEXT, -1);
    CALL(sh, SIGACTION, 2, 2, 0);
    uint32_t c = fork_(sh, &pid);
    int64_t job;
    uint32_t d = fork_(sh, &job);
    CALL(sh, SETPGID, job, job); /* a job of its own is not hit */
    CALL(sh, WAIT, -1, 0);
    CHECK_EQ(next(), c);
    CALL(c, FORK);
    CALL(c, SIGACTION, 2, 0, 0);
    CHECK_EQ(CALL(HOST, HOST_INTERRUPT, 2), 2);
    call_raw(c, PF_CALL_YIELD, (struct words){{0}}, NULL, 0, 0, PF_MSG_UNWIND);
    CHECK_EQ(action, PF_ACTION_GONE); /* it was ended between two of its calls */
    switch_to(sh);
    CHECK_EQ(CALL(sh, WAIT, -1, 0), pid);
    CHECK(reply_flags & PF_MSG_SIGNAL);
    CHECK_EQ(CALL(sh, SIGTAKE), 2);
    CHECK_EQ(k_proc_at(d)->state, K_READY);
    k_check();
}

static void kills(void) {
    session_waiting();
    begin(0);
    next();
    CALL(sh, RUN_NEXT, -1);
    uint32_t c = fork_(sh, &pid);
    CALL(sh, RUN_NEXT, 0);
    CHECK_EQ(next(), c);
    CALL(c, FORK);
    CALL(c, SLEEP, 1, 1000000, 0); /* goes on in the background */
    CALL(HOST, HOST_RUN_END);
    uint32_t proc = spawn_run(0);
    CHECK_EQ(next(), proc);
    CHECK_EQ(CALL(HOST, HOST_KILL, 0), 1); /* only what ran in this run */
    CHECK_EQ(run_state().status, 137);
    CHECK_EQ(run_state().session_alive, 1);
    CHECK_EQ(run_state().background, 1);
    CHECK_EQ(CALL(HOST, HOST_KILL, 1), 2);
    CHECK_EQ(run_state().session_alive, 0);
    k_check();
    CHECK_EQ(next(), 0);
    CHECK_EQ(k_proc_count(), 0);
}

static struct pf_op_request request;
static int64_t take(void) {
    int64_t r = CALL(HOST, HOST_OP_TAKE);
    if (r >= 0) memcpy(&request, got, sizeof request);
    return r;
}

static void operations(void) {
    sh = boot();
    CHECK_EQ(CALL_PATH(sh, OP_START, "x", 77), -PF_EINVAL);
    CHECK_EQ(take(), -PF_EAGAIN);
    int64_t a = CALL_PATH(sh, OP_START, "first", PF_OP_TOOL);
    int64_t b = CALL_PATH(sh, OP_START, "second", PF_OP_TOOL);
    CHECK(b > a && a > 0);
    CHECK(k_mailbox.attention & PF_ATTENTION_OP);
    CHECK_EQ(take(), 5);
    CHECK_EQ(request.id, a);
    CHECK(memcmp(got + sizeof request, "first", 5) == 0);
    CHECK_EQ(take(), 6);
    CHECK_EQ(take(), -PF_EAGAIN);
    CHECK_EQ(CALL(sh, OP_STATUS, a, 0), -PF_EAGAIN);
    CHECK_EQ(CALL(sh, OP_NEXT), -PF_EAGAIN);
    CHECK_EQ(run_state().ops_pending, 2);
    /* answered in the other order, one in pieces */
    struct pf_pollfd p = {.fd = PF_POLL_OPS, .events = PF_POLLIN};
    CALL_IN(sh, POLL, &p, sizeof p, -1);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK_EQ(CALL_PATH(HOST, HOST_OP_REPLY, "an", b, PF_OP_OK, 0), 2);
    CHECK_EQ(next(), 0);
    CHECK_EQ(CALL_PATH(HOST, HOST_OP_REPLY, "swer", b, PF_OP_OK, 1), 4);
    CHECK_EQ(CALL_PATH(HOST, HOST_OP_REPLY, "x", b, PF_OP_OK, 1), -PF_ENOENT);
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL_IN(sh, POLL, &p, sizeof p, -1), 1);
    CHECK_EQ(CALL(sh, OP_NEXT), b);
    CHECK_EQ(CALL(sh, OP_NEXT), -PF_EAGAIN);
    CHECK_EQ(CALL(sh, OP_READ, b, 0), 6);
    CHECK(memcmp(got, "answer", 6) == 0);
    CHECK_EQ(CALL(sh, OP_READ, b, 6), 0);
    CHECK_EQ(CALL(sh, OP_READ, a, 0), -PF_EAGAIN);
    /* others cannot touch it, and fork does not copy it */
    uint32_t c = fork_(sh, &pid);
    switch_to(c);
    CALL(c, FORK);
    CHECK_EQ(CALL(c, OP_READ, b, 0), -PF_EINVAL);
    CHECK_EQ(CALL(c, OP_CLOSE, a), -PF_EINVAL);
    /* closing one that is with the host tells the host */
    switch_to(sh);
    k_mailbox.attention = 0;
    CHECK_EQ(CALL(sh, OP_CLOSE, a), 0);
    CHECK(k_mailbox.attention & PF_ATTENTION_OP);
    CHECK_EQ(CALL_PATH(HOST, HOST_OP_REPLY, "x", a, PF_OP_OK, 1), -PF_ENOENT);
    CHECK_EQ(take(), 0);
    CHECK_EQ(request.id, a);
    CHECK_EQ(request.cancelled, 1);
    CHECK_EQ(CALL(sh, OP_CLOSE, b), 0);
    CHECK_EQ(take(), -PF_EAGAIN);
    /* one that was not taken is simply forgotten; so are those of a process that ends */
    a = CALL_PATH(sh, OP_START, "x", PF_OP_TOOL);
    CALL(sh, OP_CLOSE, a);
    CHECK_EQ(take(), -PF_EAGAIN);
    switch_to(c);
    CALL_PATH(c, OP_START, "x", PF_OP_TOOL);
    b = CALL_PATH(c, OP_START, "y", PF_OP_TOOL);
    CHECK_EQ(take(), 1);
    CALL(c, EXIT, 0);
    CHECK_EQ(run_state().ops_pending, 0);
    CHECK_EQ(take(), 0);
    CHECK_EQ(request.cancelled, 1);
    CHECK_EQ(take(), -PF_EAGAIN);
    k_check();
}

static void large_operations(void) {
    sh = boot();
    struct pf_kernel_limits limits = {1 << 30, 1000, 100, 100, 200000, 500000, 0};
    CALL_IN(HOST, HOST_CONFIGURE, &limits, sizeof limits);
    static char bulk[200001];
    for (size_t i = 0; i < sizeof bulk; i++) bulk[i] = (char)(i % 251);
    int64_t op = CALL_IN(sh, OP_START, bulk, 200000, PF_OP_TOOL);
    uint64_t at = 0;
    for (int pieces = 0; at < 200000 && pieces < 10; pieces++) {
        CHECK_EQ(take(), 200000);
        CHECK_EQ(request.id, op);
        CHECK_EQ((int64_t)request.offset, (int64_t)at);
        CHECK(memcmp(got + sizeof request, bulk + at, got_len - sizeof request) == 0);
        at += got_len - sizeof request;
    }
    CHECK_EQ(take(), -PF_EAGAIN);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(CALL_IN(HOST, HOST_OP_REPLY, bulk, 100000, op, PF_OP_OK, 0), 100000);
    CHECK_EQ(CALL_IN(HOST, HOST_OP_REPLY, bulk, 100001, op, PF_OP_OK, 1), -PF_EFBIG);
    CHECK_EQ(CALL_IN(HOST, HOST_OP_REPLY, bulk, 100000, op, PF_OP_OK, 1), 100000);
    CHECK_EQ(CALL(sh, OP_STATUS, op, 0), 0);
    CHECK_EQ(((struct pf_op_status *)got)->reply_len, 500000);
    int64_t offset = 0, n;
    bool same = true;
    while ((n = CALL(sh, OP_READ, op, offset)) > 0) {
        for (int64_t i = 0; i < n; i++) same &= got[i] == (uint8_t)((offset + i) % 100000 % 251);
        offset += n;
    }
    CHECK(same);
    CHECK_EQ(offset, 500000);
    /* arguments over the limit never leave */
    op = CALL_IN(sh, OP_START, bulk, 200001, PF_OP_TOOL);
    CHECK(op > 0);
    CHECK_EQ(take(), -PF_EAGAIN);
    CHECK_EQ(CALL(sh, OP_STATUS, op, 1), 0);
    CHECK_EQ(((struct pf_op_status *)got)->outcome, PF_OP_INVALID);
    CALL(sh, OP_READ, op, 0);
    CHECK(strcmp((char *)got, "the arguments have 200001 bytes, the limit is 200000") == 0);
    /* and not more than so many at once */
    int64_t last = 0;
    for (int i = 0; i < 5000 && last >= 0; i++) {
        last = CALL_PATH(sh, OP_START, "x", PF_OP_TOOL);
        if (action == PF_ACTION_BLOCK) last = next();
    }
    CHECK_EQ(last, -PF_EAGAIN);
    k_check();
}

/* Turns that a process which never waits gets until the kernel is idle; -1: it is not, ever. */
static int turns_of(uint32_t busy) {
    for (int turns = 0; turns < 5000; turns++) {
        uint32_t proc = next();
        if (!proc) return turns;
        CHECK_EQ(proc, busy);
        for (action = PF_ACTION_RETURN; action == PF_ACTION_RETURN;) CALL(busy, YIELD, 64);
    }
    return -1;
}

/* A busy daemon holds neither a run whose foreground has ended nor a call that the host is to answer;
 * a busy process of the session holds both. */
static void daemons_hold_nobody(void) {
    session_waiting();
    CHECK(begin(0) > 0);
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL(sh, RUN_NEXT, -1), 0);
    uint32_t busy = fork_(sh, &pid);
    switch_to(busy);
    CHECK_EQ(CALL(busy, FORK), 0);
    CHECK_EQ(CALL(busy, SETSID), pid);
    switch_to(sh);
    int64_t op = CALL_PATH(sh, OP_START, "x", PF_OP_TOOL);
    CALL(sh, OP_STATUS, op, 1);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK(turns_of(busy) >= 0);
    CHECK_EQ(CALL(HOST, HOST_OP_TAKE), 1);
    CHECK_EQ(CALL_PATH(HOST, HOST_OP_REPLY, "y", op, PF_OP_OK, 1), 1);
    switch_to(sh);
    CHECK_EQ(CALL(sh, OP_STATUS, op, 1), 0);
    CALL(sh, RUN_NEXT, 0);
    CHECK_EQ(run_state().foreground_done, 1);
    CHECK(turns_of(busy) > 0);
    CHECK_EQ(next(), 0);
    CALL(HOST, HOST_RUN_END);
    k_check();
    /* In the next run it goes on, beside the foreground. */
    CHECK(begin(0) > 0);
    switch_to(busy);
    switch_to(sh);
    CHECK_EQ(CALL(sh, RUN_NEXT, 0), 0);
    uint32_t job = fork_(sh, &pid);
    CALL(sh, RUN_NEXT, 0);
    CHECK_EQ(run_state().foreground_done, 1);
    uint32_t ran = 0;
    for (int i = 0; i < 1000; i++) {
        ran = next();
        if (!ran) break;
        for (action = PF_ACTION_RETURN; action == PF_ACTION_RETURN;) CALL(ran, YIELD, 64);
    }
    CHECK_EQ(ran, job);
    k_check();
}

int main(void) {
    daemons_hold_nobody();
    runs_follow_each_other();
    few_messages_make_a_run();
    text_comes_with_a_program();
    sessions_do_not_meet();
    runs_stay_flat();
    stdin_streams();
    background_reads_end_of_old_stdin();
    output_waits_for_the_host();
    session_ends();
    spawned_runs();
    interrupts();
    kills();
    operations();
    large_operations();
    return check_report();
}
