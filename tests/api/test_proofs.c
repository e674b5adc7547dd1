/*
 * tests/api/test_proofs.c: the proofs of the architecture.
 *
 * If one of these breaks, the idea that the machine rests on is broken: real processes, real forks,
 * plain bytes across a process's death, independence, number, and a shell that stays in control.
 */
#include "harness.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

/* (a) The stages of a pipeline run at the same time, and a writer without reader dies. */
static void test_pipeline_streams(void) {
    pf_sandbox *s = make_sandbox("");
    CHECK_RUN(s, "shell", "yes | head -1", "y\n", 0);
    CHECK_RUN(s, "shell", "yes | head -1; echo ${PIPESTATUS[0]}", "y\n141\n", 0);
    CHECK_RUN(s, "shell", "echo hello | tr a-z A-Z", "HELLO\n", 0);
    pf_sandbox_free(s);
}

/* (b) Substitutions, subshells and background jobs are forks. */
static void test_forks(void) {
    pf_sandbox *s = make_sandbox("");
    CHECK_RUN(s, "shell", "x=$(for i in 1 2 3; do echo $i; done); echo $x", "1 2 3\n", 0);
    CHECK_RUN(s, "shell", "y=0; (cd /tmp; y=1; pwd); pwd; echo $y", "/tmp\n/workspace\n0\n", 0);
    CHECK_RUN(s, "shell", "(sleep 0.01; echo late) & wait; echo done", "late\ndone\n", 0);
    CHECK_RUN(s, "shell", "f() { [ $1 = 0 ] || echo $1 $(f $(($1 - 1))); }; f 8",
              "8 7 6 5 4 3 2 1\n", 0);
    pf_sandbox_free(s);
}

/* Runs `second` in a child process that restores the bytes, and returns what it printed. */
static void in_another_process(const char *data, size_t len, const char *tools,
                               void (*second)(pf_sandbox *, FILE *), char *text, size_t cap) {
    int fds[2];
    if (pipe(fds) != 0) abort();
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        close(fds[0]);
        FILE *out = fdopen(fds[1], "w");
        pf_sandbox *s = NULL;
        pf_options *options = make_options(tools);
        pf_status status = pf_sandbox_restore(options, data, len, &s, &test_error);
        if (status != PF_OK) fprintf(out, "restore: %s", test_error.message);
        else second(s, out);
        fclose(out);
        _exit(0);
    }
    close(fds[1]);
    size_t at = 0;
    for (ssize_t n; at < cap - 1 && (n = read(fds[0], text + at, cap - 1 - at)) > 0;)
        at += (size_t)n;
    text[at] = '\0';
    close(fds[0]);
    waitpid(pid, NULL, 0);
}

/* Answers every call with the length of its parameters, latest first, and reports the output. */
static void answer_all(pf_sandbox *s, FILE *out) {
    while (pf_sandbox_running(s)) {
        pf_call calls[8];
        size_t n = pf_sandbox_pending(s, calls, 8);
        if (n == 0) {
            fprintf(out, "stuck");
            return;
        }
        char json[64];
        snprintf(json, sizeof json, "{\"got\": %zu}", calls[n - 1].params_len);
        if (pf_sandbox_resume(s, calls[n - 1].id, json, strlen(json), &test_error) != PF_OK) {
            fprintf(out, "resume: %s", test_error.message);
            return;
        }
    }
    const pf_result *r = pf_sandbox_result(s);
    fprintf(out, "%s|%s|%d", r->stdout_data, r->stderr_data, r->exit_code);
}

/* (c) A sandbox with calls pending becomes bytes, and goes on elsewhere with the same output. */
static void check_moves(const char *language, const char *code, size_t pending, const char *want) {
    pf_sandbox *here = make_sandbox("lookup");
    start(here, language, code);
    CHECK(pf_sandbox_running(here));
    CHECK(pf_sandbox_pending(here, NULL, 0) == pending);
    char *data = NULL;
    size_t len = 0;
    MUST(pf_sandbox_snapshot(here, &data, &len, &test_error));
    printf("  a snapshot of %s with %zu calls pending: %zu KiB\n", language, pending, len >> 10);
    char there[4096], stayed[4096];
    in_another_process(data, len, "lookup", answer_all, there, sizeof there);
    FILE *out = fmemopen(stayed, sizeof stayed, "w");
    answer_all(here, out);
    fclose(out);
    CHECK_TEXT(stayed, want);
    CHECK_TEXT(there, want);
    /* Cut short and altered bytes are refused. */
    pf_options *options = make_options("lookup");
    pf_sandbox *none = NULL;
    CHECK(pf_sandbox_restore(options, data, len / 2, &none, &test_error) == PF_FORMAT);
    data[len / 2] ^= 1;
    CHECK(pf_sandbox_restore(options, data, len, &none, &test_error) == PF_FORMAT);
    CHECK(none == NULL);
    pf_options_free(options);
    pf_free(data);
    pf_sandbox_free(here);
}

static void test_moves(void) {
    check_moves("shell",
                "x=kept; for i in 1 2; do lookup --n $i | tr a-z A-Z; done | sort; echo $x $?",
                1, "{\"GOT\": 7}\n{\"GOT\": 7}\nkept 0\n||0");
    check_moves("javascript",
                "const all = await Promise.all([1, 22, 333].map(n => lookup({n})));\n"
                "return all.map(a => a.got).join();",
                3, "7,8,9\n||0");
}

/* (d) Two sandboxes on two threads at once. */
static void *busy_thread(void *argument) {
    (void)argument;
    pf_sandbox *s = make_sandbox("");
    for (int i = 0; i < 50; i++)
        CHECK_RUN(s, "shell", "n=0; for i in $(seq 20); do n=$((n + i)); done; echo $n | cat",
                  "210\n", 0);
    pf_sandbox_free(s);
    return NULL;
}

static void test_threads(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, busy_thread, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}

/* (e) A thousand sandboxes alive at the same time, each its own. */
static void test_thousand(void) {
    enum { COUNT = 1000 };
    static pf_sandbox *all[COUNT];
    char code[64], want[64];
    for (int i = 0; i < COUNT; i++) {
        all[i] = make_sandbox("");
        snprintf(code, sizeof code, "x=%d; echo $x > f", i);
        run(all[i], "shell", code);
    }
    int right = 0;
    for (int i = 0; i < COUNT; i++) {
        const pf_result *r = run(all[i], "shell", "echo $x $(cat f)");
        snprintf(want, sizeof want, "%d %d\n", i, i);
        right += strcmp(r->stdout_data, want) == 0;
    }
    CHECK(right == COUNT);
    for (int i = 0; i < COUNT; i++) pf_sandbox_free(all[i]);
}

/* (f) A busy process neither starves the others nor escapes a signal. */
static void test_control(void) {
    pf_sandbox *s = make_sandbox("");
    CHECK_RUN(s, "shell", "while :; do :; done & echo x; sleep 0.1; kill %1; wait; echo $?",
              "x\n0\n", 0);
    CHECK_RUN(s, "shell", "timeout 1 js -e 'for(;;);'; echo $?", "124\n", 0);
    pf_sandbox_free(s);
}

int main(int argc, char **argv) {
    struct {
        const char *name;
        void (*test)(void);
    } tests[] = {
        {"pipeline_streams", test_pipeline_streams},
        {"forks", test_forks},
        {"moves", test_moves},
        {"threads", test_threads},
        {"thousand", test_thousand},
        {"control", test_control},
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        if (argc > 1 && strcmp(argv[1], tests[i].name) != 0) continue;
        printf("%s\n", tests[i].name);
        tests[i].test();
    }
    return finish_tests();
}
