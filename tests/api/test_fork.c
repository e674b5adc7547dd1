/*
 * test_fork.c: branches of a sandbox: what they take over, that they are independent, what ids
 * their calls have.
 */
#include "harness.h"

#include <time.h>

static pf_sandbox *fork_of(pf_sandbox *sandbox) {
    pf_sandbox *branch = NULL;
    MUST(pf_sandbox_fork(sandbox, &branch, &test_error));
    return branch;
}

static void answer(pf_sandbox *sandbox, uint64_t id, const char *json) {
    MUST(pf_sandbox_resume(sandbox, id, json, strlen(json), &test_error));
}

static void test_state_is_taken_over(void) {
    pf_sandbox *trunk = make_sandbox("");
    run(trunk, "shell", "x=1; cd /tmp; f() { echo f$x; }; echo draft > plan; sleep 1000 & ");
    pf_sandbox *branch = fork_of(trunk);
    CHECK_RUN(branch, "shell",
              "pwd; f; cat plan; jobs -r > j; wc -l < j; x=2; echo bold > plan; kill %1",
              "/tmp\nf1\ndraft\n1\n", 0);
    CHECK_RUN(trunk, "shell", "f; cat plan; jobs -r > j; wc -l < j", "f1\ndraft\n1\n", 0);
    pf_sandbox_free(trunk);
    CHECK_RUN(branch, "shell", "f; cat plan", "f2\nbold\n", 0);
    pf_sandbox_free(branch);
}

/* A hundred from one point, each of its own, and branches of branches. */
static void test_many(void) {
    pf_sandbox *trunk = make_sandbox(""), *branches[100];
    run(trunk, "shell", "n=7; seq 1000 > numbers");
    for (int i = 0; i < 100; i++) {
        branches[i] = fork_of(trunk);
        char code[80];
        snprintf(code, sizeof code, "n=$((n + %d)); seq %d >> numbers", i, i);
        run(branches[i], "shell", code);
    }
    CHECK_RUN(trunk, "shell", "echo $n; wc -l < numbers", "7\n1000\n", 0);
    for (int i = 0; i < 100; i++) {
        char want[80];
        snprintf(want, sizeof want, "%d\n%d\n", 7 + i, 1000 + i);
        pf_sandbox *again = fork_of(branches[i]);
        pf_sandbox_free(branches[i]);
        CHECK_RUN(again, "shell", "echo $n; wc -l < numbers", want, 0);
        pf_sandbox_free(again);
    }
    pf_sandbox_free(trunk);
}

static void test_pending_calls(void) {
    pf_sandbox *trunk = make_sandbox("get");
    start(trunk, "javascript",
          "const r = await Promise.all([get({n: 1}), get({n: 2})]);"
          "console.log(r.join()); console.log(await get({n: 3}))");
    pf_call mine[2], theirs[2], call;
    MUST(pf_sandbox_step(trunk, &call, &test_error));
    pf_sandbox *branch = fork_of(trunk);
    CHECK(pf_sandbox_pending(trunk, mine, 2) == 2 && pf_sandbox_pending(branch, theirs, 2) == 2);
    for (int i = 0; i < 2; i++) {
        CHECK_TEXT(theirs[i].params, mine[i].params);
        CHECK(theirs[i].id != mine[0].id && theirs[i].id != mine[1].id);
    }
    /* An id of the trunk means nothing in the branch. */
    CHECK(pf_sandbox_resume(branch, mine[0].id, "1", 1, &test_error) == PF_NOT_FOUND);
    answer(branch, theirs[1].id, "\"b2\"");
    answer(branch, theirs[0].id, "\"b1\"");
    answer(trunk, mine[0].id, "\"t1\"");
    answer(trunk, mine[1].id, "\"t2\"");
    CHECK(pf_sandbox_pending(trunk, mine, 1) == 1 && pf_sandbox_pending(branch, theirs, 1) == 1);
    CHECK(mine[0].id != theirs[0].id);
    answer(trunk, mine[0].id, "\"t3\"");
    answer(branch, theirs[0].id, "\"b3\"");
    CHECK_TEXT(pf_sandbox_result(trunk)->stdout_data, "t1,t2\nt3\n");
    CHECK_TEXT(pf_sandbox_result(branch)->stdout_data, "b1,b2\nb3\n");
    CHECK(pf_sandbox_resume(branch, theirs[0].id, "1", 1, &test_error) == PF_STATE);
    pf_sandbox_free(trunk);
    pf_sandbox_free(branch);
}

static void test_counters_and_result(void) {
    pf_options *options = make_options("get");
    const char *policy = "{\"capabilities\":[{\"method\":\"get\",\"max_calls\":2}]}";
    MUST(pf_options_policy(options, policy, strlen(policy), &test_error));
    pf_sandbox *trunk = NULL;
    MUST(pf_sandbox_new(options, &trunk, &test_error));
    pf_options_free(options);
    start(trunk, "shell", "tool get; echo done >&2");
    pf_call call;
    MUST(pf_sandbox_step(trunk, &call, &test_error));
    answer(trunk, call.id, "1");
    pf_sandbox *branch = fork_of(trunk);
    CHECK_TEXT(pf_sandbox_result(branch)->stdout_data, "1\n");
    CHECK_TEXT(pf_sandbox_result(branch)->stderr_data, "done\n");
    for (int i = 0; i < 2; i++) {
        pf_sandbox *s = i ? trunk : branch;
        start(s, "shell", "tool get; tool get 2> /dev/null; echo $?");
        MUST(pf_sandbox_step(s, &call, &test_error));
        answer(s, call.id, "2");
        CHECK_TEXT(pf_sandbox_result(s)->stdout_data, "2\n126\n");
    }
    pf_sandbox_free(branch);
    pf_sandbox_free(trunk);
}

static void test_randomness(void) {
    const char *code = "echo $RANDOM $SRANDOM; od -An -tx8 -N16 /dev/urandom";
    for (int fixed = 0; fixed < 2; fixed++) {
        pf_options *options = make_options("");
        if (fixed) pf_options_seed(options, 5);
        pf_sandbox *trunk = NULL;
        MUST(pf_sandbox_new(options, &trunk, &test_error));
        pf_options_free(options);
        pf_sandbox *branch = fork_of(trunk);
        char first[200];
        snprintf(first, sizeof first, "%s", run(trunk, "shell", code)->stdout_data);
        CHECK((strcmp(first, run(branch, "shell", code)->stdout_data) == 0) == fixed);
        pf_sandbox_free(branch);
        pf_sandbox_free(trunk);
    }
}

static void test_parked(void) {
    pf_sandbox *sandbox = make_sandbox("get"), *branch = NULL;
    start(sandbox, "javascript", "require('child_process').execSync('tool get')");
    CHECK(pf_sandbox_fork(sandbox, &branch, &test_error) == PF_STATE && !branch);
    CHECK(strstr(test_error.message, "(js) is parked") != NULL);
    pf_sandbox_free(sandbox);
}

static int by_time(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void show_time_of_fork(void) {
    pf_sandbox *trunk = make_sandbox("");
    run(trunk, "shell", "x=1; seq 1000 > numbers; cat numbers | sort | head -1");
    enum { TIMES = 200 };
    double times[TIMES];
    for (int i = 0; i < TIMES; i++) {
        struct timespec a, b;
        clock_gettime(CLOCK_MONOTONIC, &a);
        pf_sandbox *branch = fork_of(trunk);
        clock_gettime(CLOCK_MONOTONIC, &b);
        times[i] = (double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) / 1e6;
        pf_sandbox_free(branch);
    }
    pf_sandbox_free(trunk);
    qsort(times, TIMES, sizeof *times, by_time);
    printf("fork: %.3f ms (median), %.3f ms (99 %%)\n", times[TIMES / 2], times[TIMES * 99 / 100]);
}

int main(void) {
    test_state_is_taken_over();
    test_many();
    test_pending_calls();
    test_counters_and_result();
    test_randomness();
    test_parked();
    show_time_of_fork();
    return finish_tests();
}
