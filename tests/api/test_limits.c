/*
 * tests/api/test_limits.c: what a hostile or unlucky program reaches, and what is left afterwards.
 */
#include "harness.h"

#include <time.h>

static pf_sandbox *limited(const char *name, uint64_t value) {
    pf_options *options = make_options("lookup");
    MUST(pf_options_limit(options, name, value, &test_error));
    pf_sandbox *s = NULL;
    MUST(pf_sandbox_new(options, &s, &test_error));
    pf_options_free(options);
    return s;
}

/* The run ended at that limit, and the next one works on the same files. */
static void check_limit(pf_sandbox *s, const char *language, const char *code, const char *limit) {
    run(s, "shell", "echo precious > kept");
    const pf_result *r = run(s, language, code);
    CHECK(r != NULL);
    if (!r) return;
    if (!r->limit || strcmp(r->limit, limit) != 0)
        printf("  %s: status %d, limit %s\n", code, r->exit_code, r->limit ? r->limit : "none");
    CHECK(r->limit && strcmp(r->limit, limit) == 0);
    CHECK(r->exit_code == 137);
    CHECK_RUN(s, "shell", "cat kept", "precious\n", 0);
}

static void test_cpu(void) {
    pf_sandbox *s = limited("cpu_ms", 200);
    check_limit(s, "shell", "while :; do :; done", "cpu_seconds");
    check_limit(s, "javascript", "for (;;);", "cpu_seconds");
    check_limit(s, "javascript", "/^(a+)+\\1c$/.test('a'.repeat(40))", "cpu_seconds");
    check_limit(s, "shell", "while :; do :; done &", "cpu_seconds");
    check_limit(s, "shell", "trap '' INT; while :; do :; done", "cpu_seconds");
    check_limit(s, "shell", "yes > /dev/null", "cpu_seconds");
    check_limit(s, "shell", "f() { f | f & }; f; while :; do :; done", "cpu_seconds");
    pf_sandbox_free(s);
}

/* After an interrupt the session is the same one, with its variables. */
static void test_session_survives(void) {
    pf_sandbox *s = limited("cpu_ms", 200);
    run(s, "shell", "x=still here");
    run(s, "shell", "x='still here'");
    const pf_result *r = run(s, "shell", "while :; do :; done");
    CHECK(r && r->limit && !r->session_lost);
    CHECK_RUN(s, "shell", "echo $x", "still here\n", 0);
    pf_sandbox_free(s);
}

static void test_wall(void) {
    pf_sandbox *s = limited("wall_ms", 200);
    check_limit(s, "shell", "sleep 100", "wall_seconds");
    check_limit(s, "shell", "mkfifo p; cat p", "wall_seconds"); /* nobody will ever write */
    pf_sandbox_free(s);
}

static int64_t clock_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

struct taken {
    int calls;
    int64_t cpu_ms, wall_ms;
};

/* Takes longer than both limits, of both clocks. */
static void take_long(void *user, int stream, const char *data, size_t len) {
    (void)stream, (void)data, (void)len;
    struct taken *taken = user;
    int64_t cpu = clock_of(CLOCK_THREAD_CPUTIME_ID), wall = clock_of(CLOCK_MONOTONIC);
    while (clock_of(CLOCK_THREAD_CPUTIME_ID) < cpu + 600) {
    }
    nanosleep(&(struct timespec){2, 0}, NULL);
    taken->calls++;
    taken->cpu_ms += clock_of(CLOCK_THREAD_CPUTIME_ID) - cpu;
    taken->wall_ms += clock_of(CLOCK_MONOTONIC) - wall;
}

/* What the embedder does with the output counts for no limit; what the script does, does. */
static void test_output_handlers_do_not_count(void) {
    pf_options *options = make_options("");
    pf_sandbox *s = NULL;
    MUST(pf_options_limit(options, "wall_ms", 2000, &test_error));
    MUST(pf_options_limit(options, "cpu_ms", 500, &test_error));
    MUST(pf_sandbox_new(options, &s, &test_error));
    pf_options_free(options);
    struct taken taken = {0};
    pf_run request = {.size = sizeof request, .language = "shell", .on_output = take_long, .user = &taken};
    request.code = "echo a; sleep 0.01; for i in {1..100}; do :; done; echo b; sleep 0.01";
    request.code_len = strlen(request.code);
    int64_t cpu = clock_of(CLOCK_THREAD_CPUTIME_ID), wall = clock_of(CLOCK_MONOTONIC);
    MUST(pf_sandbox_start(s, &request, &test_error));
    cpu = clock_of(CLOCK_THREAD_CPUTIME_ID) - cpu;
    wall = clock_of(CLOCK_MONOTONIC) - wall;
    const pf_result *r = pf_sandbox_result(s);
    CHECK(r && !r->limit);
    CHECK(taken.calls == 2);
    CHECK_TEXT(r ? r->stdout_data : NULL, "a\nb\n");
    /* Both clocks are read to the millisecond, six times. */
    CHECK(r && (int64_t)r->wall_ns / 1000000 + taken.wall_ms <= wall + 6);
    CHECK(r && (int64_t)r->cpu_ns / 1000000 + taken.cpu_ms <= cpu + 6);
    request.code = "echo a; while :; do :; done";
    request.code_len = strlen(request.code);
    MUST(pf_sandbox_start(s, &request, &test_error));
    r = pf_sandbox_result(s);
    CHECK(r && r->limit); /* on a busy machine that of the wall may come first */
    pf_sandbox_free(s);
}

static void test_memory(void) {
    pf_sandbox *s = limited("memory_bytes", 64 << 20);
    const pf_result *r = run(s, "javascript", "let a = []; for (;;) a.push(new Array(100000).fill(1));");
    CHECK(r && r->exit_code != 0 && r->memory_bytes <= 64 << 20);
    CHECK_RUN(s, "shell", "echo still works", "still works\n", 0);
    r = run(s, "shell", "x=x; while :; do x=$x$x; done");
    CHECK(r && r->exit_code != 0 && r->memory_bytes <= 64 << 20);
    CHECK_RUN(s, "shell", "echo still works | cat", "still works\n", 0);
    pf_sandbox_free(s);
}

static void test_recursion(void) {
    pf_sandbox *s = make_sandbox("");
    const pf_result *r = run(s, "shell", "f() { f; }; f");
    CHECK(r && r->exit_code != 0);
    CHECK_RUN(s, "shell", "echo alive", "alive\n", 0);
    r = run(s, "javascript", "function f() { f(); } try { f() } catch (e) { return e.name }");
    CHECK(r && (strcmp(r->stdout_data, "RangeError\n") == 0 ||
                strcmp(r->stdout_data, "InternalError\n") == 0));
    pf_sandbox_free(s);
}

static void test_output(void) {
    pf_sandbox *s = limited("output_bytes", 100000);
    const pf_result *r = run(s, "shell", "seq 1000000; echo done >&2");
    CHECK(r && r->stdout_len == 100000 && r->stdout_truncated && !r->stderr_truncated);
    CHECK(r && r->exit_code == 0); /* the program ran on */
    CHECK(r && strcmp(r->stderr_data, "done\n") == 0);
    pf_sandbox_free(s);
}

static void test_files(void) {
    pf_sandbox *s = limited("filesystem_bytes", 1 << 20);
    const pf_result *r = run(s, "shell", "yes > f");
    CHECK(r && r->exit_code != 0 && strstr(r->stderr_data, "No space left on device"));
    CHECK_RUN(s, "shell", "rm f; echo ok > g; cat g", "ok\n", 0);
    pf_sandbox_free(s);
}

static void test_processes(void) {
    pf_sandbox *s = limited("processes", 10);
    const pf_result *r = run(s, "shell", "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 0.05 & done; wait");
    CHECK(r && strstr(r->stderr_data, "Resource temporarily unavailable"));
    CHECK_RUN(s, "shell", "echo ok | cat", "ok\n", 0);
    pf_sandbox_free(s);
}

static void test_tool_calls(void) {
    pf_sandbox *s = limited("tool_calls", 2);
    start(s, "javascript",
          "const seen = [];\n"
          "for (let i = 0; i < 3; i++)\n"
          "  try { seen.push(await lookup({i})) } catch (e) { seen.push(e.name, e.code) }\n"
          "return seen.join();");
    pf_call call;
    while (pf_sandbox_step(s, &call, &test_error) == PF_OK)
        MUST(pf_sandbox_resume(s, call.id, "1", 1, &test_error));
    const pf_result *r = pf_sandbox_result(s);
    CHECK_TEXT(r ? r->stdout_data : NULL, "1,1,CapabilityError,limit\n");
    pf_sandbox_free(s);
}

/* The value of a run is whole or it is not there, and the run says so. */
static void test_values(void) {
    pf_sandbox *s = limited("tool_result_bytes", 100000);
    const pf_result *r = run(s, "javascript", "return 'x'.repeat(99998)");
    CHECK(r && r->exit_code == 0 && r->value_len == 100000);
    r = run(s, "javascript", "return 'x'.repeat(99999)");
    CHECK(r && r->exit_code == 1 && !r->value && r->value_len == 0);
    CHECK(r && strstr(r->stderr_data, "more than tool_result_bytes allows"));
    r = run(s, "javascript", "return [1, 2]");
    CHECK_TEXT(r ? r->value : NULL, "[1,2]");
    pf_sandbox_free(s);
    s = limited("tool_result_bytes", 5);
    r = run(s, "javascript", "return 123456");
    CHECK(r && r->exit_code == 1 && !r->value);
    pf_sandbox_free(s);
}

/* A result over its limit reaches the guest as an error, and 10 MiB arrive whole. */
static void test_tool_results(void) {
    pf_sandbox *s = make_sandbox("lookup");
    size_t len = (10u << 20);
    char *json = malloc(len + 3);
    memset(json, 'x', len + 2);
    for (int over = 0; over <= 1; over++) {
        start(s, "javascript",
              "try { return (await lookup({})).length } catch (e) { return e.name + e.code }");
        pf_call call;
        CHECK(pf_sandbox_step(s, &call, &test_error) == PF_OK);
        size_t total = len + (size_t)over;
        json[0] = json[total - 1] = '"';
        MUST(pf_sandbox_resume(s, call.id, json, total, &test_error));
        json[total - 1] = 'x';
        const pf_result *r = pf_sandbox_result(s);
        CHECK_TEXT(r ? r->stdout_data : NULL, over ? "ToolErrorinvalid\n" : "10485758\n");
    }
    free(json);
    pf_sandbox_free(s);
}

int main(int argc, char **argv) {
    struct {
        const char *name;
        void (*test)(void);
    } tests[] = {
        {"cpu", test_cpu},
        {"session_survives", test_session_survives},
        {"wall", test_wall},
        {"output_handlers", test_output_handlers_do_not_count},
        {"memory", test_memory},
        {"recursion", test_recursion},
        {"output", test_output},
        {"files", test_files},
        {"processes", test_processes},
        {"tool_calls", test_tool_calls},
        {"tool_results", test_tool_results},
        {"values", test_values},
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        if (argc > 1 && strcmp(argv[1], tests[i].name) != 0) continue;
        printf("%s\n", tests[i].name);
        tests[i].test();
    }
    return finish_tests();
}
