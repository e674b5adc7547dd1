/*
 * test_replay.c: recorded runs, replayed: without handlers, with the host's clock, interrupts and
 * limits striking where they struck; and traces that are refused.
 */
#include "harness.h"

#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static char path[64];

struct bytes {
    char *data;
    size_t len;
};

static struct bytes trace(void) {
    struct bytes b = {0};
    FILE *file = fopen(path, "r");
    if (!file) abort();
    fseek(file, 0, SEEK_END);
    b.len = (size_t)ftell(file);
    rewind(file);
    b.data = malloc(b.len + 1);
    if (!b.data || fread(b.data, 1, b.len, file) != b.len) abort();
    b.data[b.len] = '\0';
    fclose(file);
    return b;
}

static pf_sandbox *recorded(const char *tools, const char *limit, uint64_t value, bool redact) {
    pf_options *options = make_options(tools);
    pf_sandbox *sandbox = NULL;
    if (limit) MUST(pf_options_limit(options, limit, value, &test_error));
    MUST(pf_options_record(options, path, redact, &test_error));
    MUST(pf_sandbox_new(options, &sandbox, &test_error));
    pf_options_free(options);
    return sandbox;
}

/* Replays to the end; the sandbox as it is then belongs to the replay. */
static pf_replay *replayed(void) {
    struct bytes b = trace();
    pf_replay *replay = NULL;
    MUST(pf_replay_open(b.data, b.len, false, &replay, &test_error));
    pf_status status;
    while ((status = pf_replay_next(replay, &test_error)) == PF_OK) {
    }
    if (status != PF_DONE) printf("%s\n", test_error.message);
    CHECK(status == PF_DONE);
    free(b.data);
    return replay;
}

static void check_same(const pf_result *result, const char *out, int status) {
    CHECK(result != NULL);
    if (!result) return;
    CHECK_TEXT(result->stdout_data, out);
    CHECK(result->exit_code == status);
}

/* Records scripts, then replays them and compares the last one's output and the sandbox's files. */
static void check_replay(const char *limit, uint64_t value, const char *language,
                         const char *const *scripts) {
    pf_sandbox *sandbox = recorded("get", limit, value, false);
    char *out = NULL, *files = NULL;
    int status = 0;
    size_t len;
    for (int i = 0; scripts[i]; i++) {
        start(sandbox, language, scripts[i]);
        pf_call call;
        while (pf_sandbox_pending(sandbox, &call, 1)) {
            char json[32];
            snprintf(json, sizeof json, "{\"n\":%d}", i);
            MUST(pf_sandbox_resume(sandbox, call.id, json, strlen(json), &test_error));
        }
        const pf_result *result = pf_sandbox_result(sandbox);
        free(out);
        out = strdup(result->stdout_data);
        status = result->exit_code;
    }
    pf_sandbox_free(sandbox);
    pf_replay *replay = replayed();
    check_same(pf_sandbox_result(pf_replay_sandbox(replay)), out, status);
    MUST(pf_file_list(pf_replay_sandbox(replay), "/workspace", &files, &len, &test_error));
    pf_free(files);
    pf_replay_free(replay);
    free(out);
}

static void test_time_and_randomness(void) {
    check_replay(
        NULL, 0, "shell",
        (const char *const[]){
            "date +%s%N; echo $RANDOM $SRANDOM; head -c 8 /dev/urandom | od -x; uuidgen || true",
            "for i in 1 2 3; do (sleep 0.0$i; date +%N; echo $i) & done; wait; date +%N",
            "touch a; sleep 0.01; touch b; [ b -nt a ]; stat -c %y a b; tool get | tr n m", NULL});
    check_replay(
        NULL, 0, "javascript",
        (const char *const[]){
            "const t = performance.now(); await new Promise(r => setTimeout(r, 5));"
            "console.log(performance.now() - t, Date.now(), Math.random(), crypto.randomUUID())",
            "console.log(await Promise.all([get({a: 1}), get({a: 2})]), Date.now())", NULL});
}

static void test_limits(void) {
    check_replay(
        "cpu_ms", 60, "shell",
        (const char *const[]){
            "i=0; while :; do i=$((i+1)); done & j=0; while :; do j=$((j+1)); echo $j > j; done",
            "cat j; echo $i", NULL});
    check_replay("cpu_ms", 60, "javascript",
                 (const char *const[]){"let i = 0; while (true) i++", "return 1", NULL});
    check_replay(
        "cpu_ms", 60, "shell",
        (const char *const[]){"trap 'echo caught $n' INT; n=0; while :; do n=$((n+1)); done",
                              "echo $n", NULL});
    check_replay("wall_ms", 60, "shell",
                 (const char *const[]){"echo a; sleep 100; echo b", "echo c; yes | head -5", NULL});
    check_replay("output_bytes", 1000, "shell", (const char *const[]){"yes | head -100000", NULL});
}

static void *interrupt_soon(void *sandbox) {
    nanosleep(&(struct timespec){0, 30000000}, NULL);
    pf_sandbox_interrupt(sandbox);
    return NULL;
}

static void test_interrupt(void) {
    pf_sandbox *sandbox = recorded("", NULL, 0, false);
    pthread_t thread;
    pthread_create(&thread, NULL, interrupt_soon, sandbox);
    run(sandbox, "shell", "trap 'echo got $n; exit 3' INT; n=0; while :; do n=$((n+1)); done");
    pthread_join(thread, NULL);
    char *out = strdup(pf_sandbox_result(sandbox)->stdout_data);
    CHECK(strncmp(out, "got ", 4) == 0);
    pf_sandbox_free(sandbox);
    pf_replay *replay = replayed();
    check_same(pf_sandbox_result(pf_replay_sandbox(replay)), out, 3);
    pf_replay_free(replay);
    free(out);
}

static void *stop_soon(void *sandbox) {
    nanosleep(&(struct timespec){0, 30000000}, NULL);
    pf_sandbox_stop(sandbox);
    return NULL;
}

static void *kill_soon(void *sandbox) {
    nanosleep(&(struct timespec){0, 30000000}, NULL);
    pf_sandbox_kill(sandbox);
    return NULL;
}

static void no_pause(void *user) {
    (void)user;
}

/* What the embedder ends, with the pauses in which it may do so, is replayed to the same end. */
static void test_given_up(void) {
    const char *const texts[][2] = {
        {"shell", "trap 'echo got $n' INT; n=0; while :; do n=$((n+1)); done"},
        {"shell", "trap : INT; n=0; while :; do sleep 0.01; echo $((n++)); done"},
        {"javascript", "process.on('SIGINT', () => {}); for (let i = 0;; i++) globalThis.x = i"},
        {"shell", "trap '' INT; while :; do :; done & yes | cat -n | tail -1"},
    };
    for (size_t i = 0; i < 2 * sizeof texts / sizeof *texts; i++) {
        pf_sandbox *sandbox = recorded("", NULL, 0, false);
        pf_sandbox_on_pause(sandbox, no_pause, NULL);
        pthread_t thread;
        run(sandbox, "shell", "echo before");
        pthread_create(&thread, NULL, i % 2 ? kill_soon : stop_soon, sandbox);
        pf_sandbox_expect_run(sandbox, true);
        run(sandbox, texts[i / 2][0], texts[i / 2][1]);
        pthread_join(thread, NULL);
        int status = pf_sandbox_result(sandbox)->exit_code;
        char *out = strdup(pf_sandbox_result(sandbox)->stdout_data);
        pf_sandbox_free(sandbox);
        pf_replay *replay = replayed();
        check_same(pf_sandbox_result(pf_replay_sandbox(replay)), out, status);
        pf_replay_free(replay);
        free(out);
    }
}

static void test_files_and_failures(void) {
    pf_sandbox *sandbox = recorded("get", NULL, 0, false);
    MUST(pf_file_write(sandbox, "/workspace/in\xc3\xa4", "\xff\x00\x01", 3, &test_error));
    start(sandbox, "shell", "od -An -tx1 in*; stat -c %y in*; tool get; echo $?");
    pf_call call;
    MUST(pf_sandbox_step(sandbox, &call, &test_error));
    MUST(pf_sandbox_fail(sandbox, call.id, PF_FAILURE_TIMEOUT, "too slow", &test_error));
    char *data, *out = strdup(pf_sandbox_result(sandbox)->stdout_data);
    size_t len;
    CHECK(pf_file_remove(sandbox, "/none", &test_error) == PF_NOT_FOUND);
    MUST(pf_file_take(sandbox, "/workspace/in\xc3\xa4", &data, &len, &test_error));
    pf_free(data);
    run(sandbox, "shell", "rm in*; ls");
    pf_sandbox_free(sandbox);
    pf_replay *replay = replayed();
    pf_replay_free(replay);
    free(out);
}

/* A sandbox that was restored is recorded from there. */
static void test_from_snapshot(void) {
    pf_options *options = make_options("get");
    pf_sandbox *first = NULL, *second = NULL;
    MUST(pf_options_key(options, "sixteen bytes...", 16, &test_error));
    MUST(pf_sandbox_new(options, &first, &test_error));
    start(first, "shell", "x=5; tool get; echo $x $RANDOM; date +%N");
    char *data, *out;
    size_t len;
    MUST(pf_sandbox_snapshot(first, &data, &len, &test_error));
    MUST(pf_options_record(options, path, false, &test_error));
    MUST(pf_sandbox_restore(options, data, len, &second, &test_error));
    pf_call call;
    MUST(pf_sandbox_step(second, &call, &test_error));
    CHECK(call.id == 1);
    MUST(pf_sandbox_resume(second, call.id, "7", 1, &test_error));
    out = strdup(pf_sandbox_result(second)->stdout_data);
    CHECK(strncmp(out, "7\n5 ", 4) == 0);
    pf_sandbox_free(first);
    pf_sandbox_free(second);
    pf_options_free(options);
    pf_free(data);
    pf_replay *replay = replayed();
    check_same(pf_sandbox_result(pf_replay_sandbox(replay)), out, 0);
    pf_replay_free(replay);
    free(out);
}

static pf_status open_text(const char *text, size_t len, bool partial) {
    pf_replay *replay = NULL;
    pf_status status = pf_replay_open(text, len, partial, &replay, &test_error);
    pf_replay_free(replay);
    return status;
}

static void test_refused(void) {
    pf_sandbox *sandbox = recorded("", NULL, 0, false);
    run(sandbox, "shell", "echo one; sleep 0.01; echo two");
    pf_sandbox_free(sandbox);
    struct bytes b = trace();
    CHECK(open_text(b.data, b.len, false) == PF_OK);
    for (size_t at = 0; at < b.len - 1; at += 7) {
        b.data[at] ^= 1;
        CHECK(open_text(b.data, b.len, true) == PF_FORMAT);
        b.data[at] ^= 1;
    }
    b.data[b.len - 1] ^= 1; /* without its end the last line was cut short, which `partial` allows */
    CHECK(open_text(b.data, b.len, true) == PF_OK && open_text(b.data, b.len, false) == PF_FORMAT);
    b.data[b.len - 1] ^= 1;
    for (size_t len = 0; len < b.len; len += 13) CHECK(open_text(b.data, len, false) == PF_FORMAT);
    CHECK(open_text("{}\n", 3, true) == PF_FORMAT && open_text("hello", 5, true) == PF_FORMAT);
    /* A program that was killed leaves a trace that can be replayed as far as it goes. */
    size_t cut = b.len - 60;
    pf_replay *replay = NULL;
    MUST(pf_replay_open(b.data, cut, true, &replay, &test_error));
    while (pf_replay_next(replay, &test_error) == PF_OK) {
    }
    pf_replay_free(replay);
    free(b.data);
}

/* Wherever a trace ends, its replay does: also where everything slept then, or computed. */
static void test_cuts(void) {
    static const char *const scripts[] = {
        "echo one; sleep 0.01; (sleep 0.02; echo two) & sleep 0.01; wait",
        "i=0; while :; do i=$((i+1)); done",
        "sleep 100",
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        pf_sandbox *sandbox =
            recorded("", i == 1 ? "cpu_ms" : "wall_ms", i == 0 ? 60000 : 60, false);
        run(sandbox, "shell", scripts[i]);
        pf_sandbox_free(sandbox);
        struct bytes b = trace();
        size_t lines = 0, last = 0;
        for (size_t at = 0; at < b.len; at++) lines += b.data[at] == '\n';
        for (size_t at = 0; at < b.len; at++) {
            if (b.data[at] != '\n') continue;
            last++;
            pf_replay *replay = NULL;
            pf_status status;
            MUST(pf_replay_open(b.data, at + 1, true, &replay, &test_error));
            while ((status = pf_replay_next(replay, &test_error)) == PF_OK) {
            }
            CHECK(status == PF_DONE);
            CHECK(pf_replay_line(replay) == (last == lines ? last - 1 : last));
            pf_replay_free(replay);
        }
        free(b.data);
    }
}

/* The replay of what was interrupted is not interrupted by that, but by its own. */
static void test_interrupted_replay(void) {
    pf_sandbox *sandbox = recorded("", NULL, 0, false);
    pf_sandbox_expect_run(sandbox, true);
    pf_sandbox_interrupt(sandbox);
    run(sandbox, "shell", "trap 'echo got' INT; sleep 0.01; echo on");
    run(sandbox, "shell", "echo again");
    pf_sandbox_free(sandbox);
    pf_replay_free(replayed());
    struct bytes b = trace();
    pf_replay *replay = NULL;
    MUST(pf_replay_open(b.data, b.len, false, &replay, &test_error));
    MUST(pf_replay_next(replay, &test_error));
    pf_sandbox_interrupt(pf_replay_sandbox(replay));
    size_t line = pf_replay_line(replay);
    for (int i = 0; i < 2; i++) {
        CHECK(pf_replay_next(replay, &test_error) == PF_INTERRUPTED);
        CHECK(strstr(test_error.message, "interrupted at line") != NULL);
    }
    CHECK(pf_replay_line(replay) == line && pf_replay_results(replay) == 1);
    pf_replay_free(replay);
    free(b.data);
}

/* The descriptor that the recorder writes to. */
static int recorder_fd(void) {
    for (int fd = 3; fd < 256; fd++) {
        char link[32], name[sizeof path];
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t n = readlink(link, name, sizeof name - 1);
        if (n < 0) continue;
        name[n] = '\0';
        if (strcmp(name, path) == 0) return fd;
    }
    abort();
}

/* What cannot be recorded does not run; what was recorded by then can be replayed. */
static void test_full_disk(void) {
    pf_options *options = make_options("");
    pf_sandbox *sandbox = NULL;
    MUST(pf_options_record(options, "/dev/full", false, &test_error));
    CHECK(pf_sandbox_new(options, &sandbox, &test_error) == PF_INVALID && !sandbox);
    CHECK(strstr(test_error.message, "No space left"));
    pf_options_free(options);

    sandbox = recorded("", NULL, 0, false);
    CHECK_RUN(sandbox, "shell", "echo one > f; cat f", "one\n", 0);
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    if (full < 0 || dup2(full, recorder_fd()) < 0) abort();
    close(full);
    CHECK_RUN(sandbox, "shell", "echo two > f; cat f", "two\n", 0); /* nobody knew yet */
    pf_run again = {.size = sizeof again, .language = "shell", .code = "echo three > f", .code_len = 14};
    CHECK(pf_sandbox_start(sandbox, &again, &test_error) == PF_STATE);
    CHECK(strstr(test_error.message, "No space left"));
    char *data;
    size_t len;
    MUST(pf_file_take(sandbox, "/workspace/f", &data, &len, &test_error));
    CHECK_TEXT(data, "two\n");
    pf_free(data);
    for (int i = 0; i < 2; i++) {
        CHECK(pf_sandbox_end_record(sandbox, &test_error) == PF_STATE);
        CHECK(strstr(test_error.message, "incomplete: the trace cannot be written: No space left"));
    }
    pf_sandbox_free(sandbox);

    struct bytes b = trace();
    CHECK(open_text(b.data, b.len, false) == PF_FORMAT);
    CHECK(strstr(test_error.message, "cut short"));
    pf_replay *replay = NULL;
    MUST(pf_replay_open(b.data, b.len, true, &replay, &test_error));
    while (pf_replay_next(replay, &test_error) == PF_OK) {
    }
    check_same(pf_sandbox_result(pf_replay_sandbox(replay)), "one\n", 0);
    pf_replay_free(replay);
    free(b.data);
}

/* A process that may open no files is given one. */
static void test_descriptor(void) {
    pf_options *options = make_options("");
    pf_sandbox *sandbox = NULL;
    pf_options_record_to(options, -1, false);
    CHECK(pf_sandbox_new(options, &sandbox, &test_error) == PF_INVALID && !sandbox);
    CHECK(strstr(test_error.message, "Bad file descriptor"));
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    pf_options_record_to(options, fd, false);
    MUST(pf_sandbox_new(options, &sandbox, &test_error));
    pf_options_free(options);
    close(fd); /* the sandbox has its own */
    CHECK_RUN(sandbox, "shell", "echo one", "one\n", 0);
    MUST(pf_sandbox_end_record(sandbox, &test_error));
    pf_sandbox_free(sandbox);
    pf_replay *replay = replayed();
    check_same(pf_sandbox_result(pf_replay_sandbox(replay)), "one\n", 0);
    pf_replay_free(replay);
}

/* An ended recording is complete, and its sandbox can be looked at only. */
static void test_end(void) {
    pf_sandbox *sandbox = recorded("", NULL, 0, false);
    CHECK_RUN(sandbox, "shell", "echo one > f; cat f", "one\n", 0);
    MUST(pf_sandbox_end_record(sandbox, &test_error));
    MUST(pf_sandbox_end_record(sandbox, &test_error));
    struct bytes b = trace();
    MUST(open_text(b.data, b.len, false));
    free(b.data);
    pf_run again = {.size = sizeof again, .language = "shell", .code = "echo two > f", .code_len = 12};
    CHECK(pf_sandbox_start(sandbox, &again, &test_error) == PF_STATE);
    CHECK(strstr(test_error.message, "ended"));
    char *data;
    size_t len;
    MUST(pf_file_take(sandbox, "/workspace/f", &data, &len, &test_error));
    CHECK_TEXT(data, "one\n");
    pf_free(data);
    pf_sandbox_free(sandbox);

    pf_options *options = make_options("");
    MUST(pf_sandbox_new(options, &sandbox, &test_error));
    pf_options_free(options);
    MUST(pf_sandbox_end_record(sandbox, &test_error));
    CHECK_RUN(sandbox, "shell", "echo on", "on\n", 0);
    pf_sandbox_free(sandbox);
}

static void test_until(void) {
    pf_sandbox *sandbox = recorded("get", NULL, 0, false);
    run(sandbox, "shell", "echo 1 > a; sleep 0.001; cat a; sleep 0.001; echo 2 > a; cat a");
    pf_sandbox_free(sandbox);
    struct bytes b = trace();
    char *first = strstr(b.data, "\"out\":\"stdout\"");
    size_t line = 0;
    for (char *p = b.data; first && p < first; p++) line += *p == '\n';
    pf_replay *replay = NULL;
    MUST(pf_replay_open(b.data, b.len, false, &replay, &test_error));
    pf_replay_until(replay, line + 1);
    while (pf_replay_next(replay, &test_error) == PF_OK) {
    }
    CHECK(pf_replay_line(replay) == line + 1);
    char *data;
    size_t len;
    MUST(pf_file_take(pf_replay_sandbox(replay), "/workspace/a", &data, &len, &test_error));
    CHECK_TEXT(data, "1\n");
    CHECK(pf_file_write(pf_replay_sandbox(replay), "/x", "", 0, &test_error) == PF_STATE);
    pf_free(data);
    pf_replay_free(replay);
    free(b.data);
}

static void test_redacted(void) {
    pf_sandbox *sandbox = recorded("get", NULL, 0, true);
    start(sandbox, "shell", "tool get > /dev/null; echo done");
    pf_call call;
    MUST(pf_sandbox_step(sandbox, &call, &test_error));
    MUST(pf_sandbox_resume(sandbox, call.id, "\"top secret\"", 12, &test_error));
    pf_sandbox_free(sandbox);
    struct bytes b = trace();
    CHECK(strstr(b.data, "top secret") == NULL);
    for (int supplied = 0; supplied < 3; supplied++) {
        pf_replay *replay = NULL;
        MUST(pf_replay_open(b.data, b.len, false, &replay, &test_error));
        if (supplied)
            MUST(pf_replay_answer(replay, 1, supplied == 1 ? "\"top secret\"" : "[]",
                                  supplied == 1 ? 12 : 2, &test_error));
        pf_status status;
        while ((status = pf_replay_next(replay, &test_error)) == PF_OK) {
        }
        CHECK(status == (supplied == 0 ? PF_NOT_FOUND : PF_DONE) ||
              (supplied == 2 && status == PF_DIVERGED));
        pf_replay_free(replay);
    }
    free(b.data);
}

/* Another result makes another run: the first difference is shown with both sides. */
static void test_difference(void) {
    pf_sandbox *sandbox = recorded("get", NULL, 0, true);
    start(sandbox, "shell", "tool get");
    pf_call call;
    MUST(pf_sandbox_step(sandbox, &call, &test_error));
    MUST(pf_sandbox_resume(sandbox, call.id, "\"then\"", 6, &test_error));
    pf_sandbox_free(sandbox);
    struct bytes b = trace();
    pf_replay *replay = NULL;
    MUST(pf_replay_open(b.data, b.len, false, &replay, &test_error));
    MUST(pf_replay_answer(replay, call.id, "\"this\"", 6, &test_error));
    pf_status status;
    while ((status = pf_replay_next(replay, &test_error)) == PF_OK) {
    }
    CHECK(status == PF_DIVERGED);
    CHECK(strstr(test_error.message, "\"then\\\"") || strstr(test_error.message, "then"));
    CHECK(strstr(test_error.message, "this") != NULL);
    CHECK(pf_replay_next(replay, &test_error) == PF_DIVERGED);
    pf_replay_free(replay);
    free(b.data);
}

int main(void) {
    snprintf(path, sizeof path, "/tmp/pinfold-trace-%d", (int)getpid());
    test_time_and_randomness();
    test_limits();
    test_interrupt();
    test_given_up();
    test_files_and_failures();
    test_from_snapshot();
    test_refused();
    test_cuts();
    test_interrupted_replay();
    test_full_disk();
    test_descriptor();
    test_end();
    test_until();
    test_redacted();
    test_difference();
    unlink(path);
    return finish_tests();
}
