/*
 * tests/api/test_interrupt.c: an interrupt counts from the moment in which a run is entered until
 * it is over, wherever between the two it comes; at other times it is nothing.
 */
#include "harness.h"

#include <pthread.h>
#include <time.h>

#define FOREVER "while :; do :; done"

static void *interrupt(void *sandbox) {
    pf_sandbox_interrupt(sandbox);
    return NULL;
}

/* Between the two the embedder's program does what it likes: the interrupt waits. */
static void test_before_the_start(void) {
    pf_sandbox *s = make_sandbox("");
    CHECK_RUN(s, "shell", "x=5", "", 0);
    const char *const texts[][2] = {{"shell", FOREVER},
                                    {"shell", "sleep 100"},
                                    {"javascript", "for (;;);"},
                                    {"javascript", "await new Promise(r => setTimeout(r, 1e5))"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        pf_sandbox_expect_run(s, true);
        pf_sandbox_interrupt(s);
        CHECK_RUN(s, texts[i][0], texts[i][1], "", 130);
        CHECK(pf_sandbox_result(s)->limit == NULL);
    }
    CHECK_RUN(s, "shell", "echo $x", "5\n", 0);
    pf_sandbox_free(s);
}

/* One interrupt, from another thread, at whatever moment it comes: before the start, while the
 * guest is given its text, while it runs. */
static void test_at_any_moment(void) {
    pf_sandbox *s = make_sandbox("");
    for (int i = 0; i < 200; i++) {
        pthread_t thread;
        pf_sandbox_expect_run(s, true);
        pthread_create(&thread, NULL, interrupt, s);
        if (i % 2)
            CHECK_RUN(s, "shell", FOREVER, "", 130);
        else
            CHECK_RUN(s, "javascript", "for (;;);", "", 130);
        pthread_join(thread, NULL);
    }
    CHECK_RUN(s, "shell", "echo fine", "fine\n", 0);
    pf_sandbox_free(s);
}

static void test_between_runs(void) {
    pf_sandbox *s = make_sandbox("");
    pf_sandbox_interrupt(s);
    CHECK_RUN(s, "shell", "echo one", "one\n", 0);
    pf_sandbox_interrupt(s);
    CHECK_RUN(s, "javascript", "return 2", "2\n", 0);
    /* A run that does not come to be takes what was meant for it along. */
    pf_sandbox_expect_run(s, true);
    pf_sandbox_interrupt(s);
    pf_run bad = {.size = sizeof bad, .language = "cobol", .code = "", .code_len = 0};
    CHECK(pf_sandbox_start(s, &bad, &test_error) == PF_INVALID);
    CHECK_RUN(s, "shell", "echo three", "three\n", 0);
    pf_sandbox_expect_run(s, true);
    pf_sandbox_interrupt(s);
    pf_sandbox_expect_run(s, false);
    CHECK_RUN(s, "shell", "echo four", "four\n", 0);
    pf_sandbox_free(s);
}

/* A run that waits for the embedder is on: the interrupt strikes when it goes on, in a branch, too.
 */
static void test_while_it_waits(void) {
    pf_sandbox *s = make_sandbox("lookup"), *branch = NULL;
    start(s, "shell", "lookup; " FOREVER);
    pf_call call;
    MUST(pf_sandbox_step(s, &call, &test_error));
    pf_sandbox_interrupt(s);
    pf_sandbox_expect_run(s, false); /* says nothing about a run that is on */
    MUST(pf_sandbox_fork(s, &branch, &test_error));
    MUST(pf_sandbox_resume(s, call.id, "1", 1, &test_error));
    const pf_result *result = pf_sandbox_result(s);
    CHECK(result && result->exit_code == 130 && !result->limit);
    MUST(pf_sandbox_advance(branch, &test_error));
    result = pf_sandbox_result(branch);
    CHECK(result && result->exit_code == 130 && !result->limit);
    pf_sandbox_free(branch);
    pf_sandbox_free(s);
}

/* An embedder that never answers: no limit of time strikes, for a handler is not the script's
 * fault, but an interrupt ends the run, and the sandbox goes at any time. */
static void test_while_nobody_answers(void) {
    pf_options *options = make_options("lookup");
    pf_sandbox *s = NULL;
    MUST(pf_options_limit(options, "wall_ms", 20, &test_error));
    MUST(pf_sandbox_new(options, &s, &test_error));
    pf_options_free(options);
    const char *const texts[][2] = {{"shell", "x=5; lookup"},
                                    {"shell", "lookup & wait"},
                                    {"javascript", "await tools.lookup({})"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        start(s, texts[i][0], texts[i][1]);
        pf_call call;
        MUST(pf_sandbox_step(s, &call, &test_error));
        nanosleep(&(struct timespec){.tv_nsec = 50 * 1000000}, NULL);
        MUST(pf_sandbox_advance(s, &test_error));
        CHECK(pf_sandbox_result(s) == NULL);
        pf_sandbox_interrupt(s);
        MUST(pf_sandbox_advance(s, &test_error));
        const pf_result *result = pf_sandbox_result(s);
        CHECK(result && result->exit_code == 130 && !result->limit);
        bool goes_on = strchr(texts[i][1], '&') != NULL; /* what is in the background */
        CHECK((pf_sandbox_resume(s, call.id, "1", 1, &test_error) == PF_OK) == goes_on);
    }
    CHECK_RUN(s, "shell", "echo $x", "5\n", 0);
    start(s, "shell", "lookup & lookup & wait");
    pf_sandbox_free(s);
}

/* What goes on in spite of an interrupt is killed: after the grace, or at once. */
static const char *const stubborn[][2] = {
    {"shell", "trap : INT; while :; do sleep 1; done"},
    {"shell", "trap '' INT; while :; do :; done"},
    {"shell", "while :; do :; done & wait"},
    {"javascript", "process.on('SIGINT', () => {}); for (;;);"},
    {"shell", "trap '' INT; yes | cat >/dev/null"},
};

static void *stop(void *sandbox) {
    pf_sandbox_stop(sandbox);
    return NULL;
}

static void *kill_run(void *sandbox) {
    pf_sandbox_kill(sandbox);
    return NULL;
}

static void test_what_does_not_stop(void) {
    pf_options *options = make_options("lookup");
    pf_sandbox *s = NULL;
    MUST(pf_options_limit(options, "cpu_ms", PF_UNLIMITED, &test_error));
    MUST(pf_options_limit(options, "wall_ms", PF_UNLIMITED, &test_error));
    MUST(pf_sandbox_new(options, &s, &test_error));
    pf_options_free(options);
    for (size_t i = 0; i < sizeof stubborn / sizeof *stubborn; i++)
        for (int way = 0; way < 2; way++) {
            pthread_t thread;
            CHECK_RUN(s, "shell", "x=5; echo kept > /tmp/file", "", 0);
            pf_sandbox_expect_run(s, true);
            pthread_create(&thread, NULL, way ? kill_run : stop, s);
            start(s, stubborn[i][0], stubborn[i][1]);
            pthread_join(thread, NULL);
            const pf_result *result = pf_sandbox_result(s);
            CHECK(result && result->exit_code >= 128 && !result->limit);
            CHECK_RUN(s, "shell", "cat /tmp/file", "kept\n", 0);
        }
    /* Who stops when asked keeps the session. */
    CHECK_RUN(s, "shell", "x=5", "", 0);
    pf_sandbox_expect_run(s, true);
    pf_sandbox_stop(s);
    CHECK_RUN(s, "shell", FOREVER, "", 130);
    CHECK(!pf_sandbox_result(s)->session_lost);
    CHECK_RUN(s, "shell", "echo $x", "5\n", 0);
    /* While it waits for an answer. */
    start(s, "shell", "trap '' INT; lookup; " FOREVER);
    pf_call call;
    MUST(pf_sandbox_step(s, &call, &test_error));
    pf_sandbox_kill(s);
    MUST(pf_sandbox_advance(s, &test_error));
    const pf_result *result = pf_sandbox_result(s);
    CHECK(result && result->exit_code == 137 && result->session_lost && !result->limit);
    pf_sandbox_kill(s); /* between runs it is nothing */
    pf_sandbox_stop(s);
    CHECK_RUN(s, "shell", "echo fine", "fine\n", 0);
    pf_sandbox_free(s);
}

struct pauses {
    pf_sandbox *sandbox;
    int left;
};

static void on_pause(void *user) {
    struct pauses *pauses = user;
    if (--pauses->left == 0) pf_sandbox_interrupt(pauses->sandbox);
}

/* The embedder has a look now and then, whatever the guest does. */
static void test_pauses(void) {
    pf_sandbox *s = make_sandbox("");
    struct pauses pauses = {.sandbox = s};
    pf_sandbox_on_pause(s, on_pause, &pauses);
    const char *const texts[][2] = {{"shell", FOREVER},
                                    {"shell", "sleep 100"},
                                    {"javascript", "for (;;);"},
                                    {"javascript", "await new Promise(r => setTimeout(r, 1e5))"},
                                    {"shell", "yes > /dev/null"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        pauses.left = 3;
        CHECK_RUN(s, texts[i][0], texts[i][1], "", 130);
        CHECK(pauses.left <= 0);
    }
    pf_sandbox_on_pause(s, NULL, NULL);
    pauses.left = 1;
    CHECK_RUN(s, "shell", "sleep 0.2", "", 0);
    CHECK(pauses.left == 1);
    pf_sandbox_free(s);
}

int main(void) {
    test_what_does_not_stop();
    test_pauses();
    test_before_the_start();
    test_at_any_moment();
    test_between_runs();
    test_while_it_waits();
    test_while_nobody_answers();
    return finish_tests();
}
