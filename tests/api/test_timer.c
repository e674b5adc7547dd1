/*
 * tests/api/test_timer.c: limits of time hold whatever the embedder does with the signal of the tick:
 * blocked before or between runs, in a callback, in a thread; taken by another library; after a
 * fork. When the system refuses the timer nothing runs, and the status says so. The embedder finds
 * its mask as it was.
 */
#include "harness.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TICK (SIGRTMAX - 4) /* CPU_TICK_SIGNAL in host/cpu/cpu.h */

static pf_sandbox *small(void) {
    pf_options *options = make_options("get");
    pf_sandbox *s = NULL;
    MUST(pf_options_limit(options, "cpu_ms", 100, &test_error));
    MUST(pf_options_limit(options, "wall_ms", 20000, &test_error));
    MUST(pf_sandbox_new(options, &s, &test_error));
    pf_options_free(options);
    return s;
}

static void block(int how) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, TICK);
    pthread_sigmask(how, &set, NULL);
}

static bool blocked(void) {
    sigset_t set;
    pthread_sigmask(SIG_SETMASK, NULL, &set);
    return sigismember(&set, TICK);
}

static void check_ends(pf_sandbox *s, const char *language, const char *code) {
    const pf_result *r = run(s, language, code);
    CHECK(r && r->limit && strcmp(r->limit, "cpu_seconds") == 0);
}

/* Blocked before the sandbox is made, and between two runs that follow at once. */
static void test_blocked(void) {
    block(SIG_BLOCK);
    pf_sandbox *s = small();
    check_ends(s, "javascript", "for(;;);");
    CHECK(blocked());
    block(SIG_UNBLOCK);
    CHECK_RUN(s, "shell", "echo on", "on\n", 0);
    block(SIG_BLOCK);
    check_ends(s, "shell", "while :; do :; done");
    CHECK(blocked());
    /* In the middle of a run, while a call waits for its answer. */
    block(SIG_UNBLOCK);
    start(s, "javascript", "await get({}); for(;;);");
    pf_call call;
    MUST(pf_sandbox_step(s, &call, &test_error));
    block(SIG_BLOCK);
    MUST(pf_sandbox_resume(s, call.id, "1", 1, &test_error));
    const pf_result *r = pf_sandbox_result(s);
    CHECK(r && r->limit && blocked());
    block(SIG_UNBLOCK);
    CHECK_RUN(s, "shell", "echo still", "still\n", 0);
    CHECK(!blocked());
    pf_sandbox_free(s);
}

/* A callback finds the embedder's mask, and what it does to it changes no limit. */
static bool callback_blocked;
static void block_in_callback(void *user, int stream, const char *data, size_t len) {
    (void)stream, (void)data, (void)len;
    callback_blocked = blocked();
    if (user) block(SIG_BLOCK);
}

static void test_callback(void) {
    pf_sandbox *s = small();
    static const char code[] = "console.log(1); await 0; for(;;);";
    pf_run request = {.size = sizeof request, .language = "javascript", .code = code, .code_len = sizeof code - 1,
                      .on_output = block_in_callback, .user = &callback_blocked};
    MUST(pf_sandbox_start(s, &request, &test_error));
    const pf_result *r = pf_sandbox_result(s);
    CHECK(r && r->limit && !callback_blocked && blocked());
    request.user = NULL; /* it was blocked before, and is in the callback */
    MUST(pf_sandbox_start(s, &request, &test_error));
    r = pf_sandbox_result(s);
    CHECK(r && r->limit && callback_blocked && blocked());
    block(SIG_UNBLOCK);
    pf_sandbox_free(s);
}

/* A sandbox in the callback of another one. */
static pf_sandbox *inner;
static void run_inner(void *user, int stream, const char *data, size_t len) {
    (void)user, (void)stream, (void)data, (void)len;
    CHECK(blocked());
    check_ends(inner, "javascript", "for(;;);");
    CHECK(blocked());
}

static void test_nested(void) {
    pf_sandbox *s = small();
    inner = small();
    block(SIG_BLOCK);
    static const char code[] = "console.log(1); await 0; for(;;);";
    pf_run request = {.size = sizeof request, .language = "javascript", .code = code, .code_len = sizeof code - 1,
                      .on_output = run_inner};
    MUST(pf_sandbox_start(s, &request, &test_error));
    const pf_result *r = pf_sandbox_result(s);
    CHECK(r && r->limit && blocked());
    block(SIG_UNBLOCK);
    pf_sandbox_free(inner);
    pf_sandbox_free(s);
}

/* ---- others who want the signal */

static volatile sig_atomic_t theirs;
static void their_handler(int number, siginfo_t *info, void *context) {
    (void)number, (void)info, (void)context;
    theirs++;
}

static void test_other_handler(void) {
    pf_sandbox *s = small();
    struct sigaction other = {.sa_sigaction = their_handler, .sa_flags = SA_SIGINFO}, before, now;
    sigemptyset(&other.sa_mask);
    CHECK_RUN(s, "shell", "echo first", "first\n", 0);
    sigaction(TICK, &other, &before);
    check_ends(s, "javascript", "for(;;);");
    theirs = 0;
    raise(TICK); /* one that is no tick goes to them */
    CHECK(theirs == 1);
    sigaction(TICK, &before, &now);
    check_ends(s, "shell", "while :; do :; done");
    sigaction(TICK, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
    check_ends(s, "javascript", "for(;;);");
    pf_sandbox_free(s);
}

/* Who had the signal puts it back to what ends a process, as Python does when it ends. */
static void test_given_back(void) {
    pid_t child = fork();
    if (child == 0) {
        struct sigaction other = {.sa_sigaction = their_handler, .sa_flags = SA_SIGINFO};
        sigemptyset(&other.sa_mask);
        sigaction(TICK, &other, NULL);
        pf_sandbox *s = small();
        check_ends(s, "shell", "while :; do :; done");
        signal(TICK, SIG_DFL);
        for (clock_t until = clock() + CLOCKS_PER_SEC / 10; clock() < until;) {
        }
        _exit(checks_failed ? 1 : 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
}

/* Signals that are no ticks end no run early. */
static void *send_many(void *thread) {
    for (int i = 0; i < 2000; i++) {
        pthread_kill(*(pthread_t *)thread, TICK);
        usleep(50);
    }
    return NULL;
}

static void test_foreign_signals(void) {
    pf_sandbox *s = make_sandbox("");
    pthread_t self = pthread_self(), sender;
    pthread_create(&sender, NULL, send_many, &self);
    const pf_result *r =
        run(s, "javascript", "let n = 0; for (let i = 0; i < 3e6; i++) n += i; return n");
    CHECK(r && !r->limit && r->value && strcmp(r->value, "4499998500000") == 0);
    pthread_join(sender, NULL);
    pf_sandbox_free(s);
}

/* ---- threads and children */

static void *in_thread(void *sandbox) {
    block(SIG_BLOCK);
    check_ends(sandbox, "javascript", "for(;;);");
    CHECK(blocked());
    return NULL;
}

static void test_thread_and_fork(void) {
    pf_sandbox *s = small();
    pthread_t thread;
    pthread_create(&thread, NULL, in_thread, s);
    pthread_join(thread, NULL);
    CHECK(!blocked());
    pid_t child = fork();
    if (child == 0) {
        block(SIG_BLOCK);
        check_ends(s, "javascript", "for(;;);");
        _exit(checks_failed ? 1 : 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
    pf_sandbox_free(s);
}

#ifndef PF_NO_SIGNALS
/* ---- a system that has no timer left. Without signals it is a thread: test_fault.c */

static void *without_timer(void *sandbox) {
    pf_sandbox *s = sandbox, *other = NULL;
    pf_options *options = make_options("get");
    pf_run request = {.size = sizeof request, .language = "javascript", .code = "for(;;);", .code_len = 8};
    char *data = NULL;
    size_t len = 0;
    CHECK(pf_sandbox_start(s, &request, &test_error) == PF_NO_TIMER);
    CHECK(strstr(test_error.message, "timer_create") && strstr(test_error.message, "ulimit -i"));
    CHECK(pf_file_take(s, "/etc/hosts", &data, &len, &test_error) == PF_NO_TIMER && !data);
    CHECK(pf_file_write(s, "/tmp/x", "x", 1, &test_error) == PF_NO_TIMER);
    CHECK(pf_file_list(s, "/", &data, &len, &test_error) == PF_NO_TIMER);
    CHECK(pf_sandbox_new(options, &other, &test_error) == PF_NO_TIMER && !other);
    CHECK(pf_sandbox_fork(s, &other, &test_error) == PF_NO_TIMER && !other);
    CHECK(pf_sandbox_snapshot(s, &data, &len, &test_error) == PF_NO_TIMER);
    CHECK(pf_sandbox_processes(s, NULL, 0) == 0);
    pf_options_free(options);
    return NULL;
}

static void test_refused(void) {
    struct rlimit before, none;
    pf_sandbox *s = small();
    getrlimit(RLIMIT_SIGPENDING, &before);
    none = before;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_SIGPENDING, &none);
    pthread_t thread;
    pthread_create(&thread, NULL, without_timer, s);
    pthread_join(thread, NULL);
    setrlimit(RLIMIT_SIGPENDING, &before);
    /* The thread that has its timer goes on, and nothing was lost. */
    check_ends(s, "javascript", "for(;;);");
    CHECK_RUN(s, "shell", "echo fine", "fine\n", 0);
    pf_sandbox_free(s);
}
#endif

int main(void) {
    test_blocked();
    test_callback();
    test_nested();
    test_other_handler();
    test_given_back();
    test_foreign_signals();
    test_thread_and_fork();
#ifndef PF_NO_SIGNALS
    test_refused();
#endif
    return finish_tests();
}
