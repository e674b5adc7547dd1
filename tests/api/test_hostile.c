/*
 * tests/api/test_hostile.c: a program that speaks the kernel's language wrongly.
 *
 * Whatever it sends, the host and the kernel live on: the run ends, the next one works, the
 * neighbour notices nothing and the sandbox stays within its memory. SEEDS and CHILDREN in the
 * environment look further than a test has time for.
 */
#include "harness.h"

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>

enum { MEMORY = 96 << 20 };

static pf_sandbox *small(void) {
    pf_options *options = make_options("lookup");
    MUST(pf_options_limit(options, "memory_bytes", MEMORY, &test_error));
    MUST(pf_options_limit(options, "wall_ms", 20000, &test_error));
    MUST(pf_options_limit(options, "cpu_ms", 20000, &test_error));
    pf_sandbox *s = NULL;
    MUST(pf_sandbox_new(options, &s, &test_error));
    pf_options_free(options);
    return s;
}

static volatile sig_atomic_t others;
static sigjmp_buf recovered;

static void on_fault_of_others(int number) {
    (void)number;
    others++;
    siglongjmp(recovered, 1);
}

/* Somebody takes the fault signals before, or while a call is pending: the guest's faults are not
 * theirs, and the host's own are. */
static void test_faults_and_other_handlers(void) {
    struct sigaction theirs = {.sa_handler = on_fault_of_others}, before;
    sigaction(SIGSEGV, &theirs, &before);
    pf_sandbox *s = small();
    CHECK_RUN(s, "shell", "hostile fault; echo $?", "139\n", 0);
    start(s, "shell", "tool lookup; hostile fault; echo $?");
    sigaction(SIGSEGV, &theirs, NULL);
    pf_call call;
    CHECK(pf_sandbox_pending(s, &call, 1) == 1);
    MUST(pf_sandbox_resume(s, call.id, "1", 1, &test_error));
    CHECK_TEXT(pf_sandbox_result(s)->stdout_data, "1\n139\n");
    CHECK(others == 0);
    void *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 1; i <= 3; i++) {
        if (sigsetjmp(recovered, 1) == 0) *(volatile char *)page = 1;
        CHECK(others == i);
        CHECK_RUN(s, "shell", "hostile fault; echo $?", "139\n", 0);
    }
    sigaction(SIGSEGV, &before, NULL);
    pf_sandbox_free(s);
}

/* Each wrong message ends its sender with SIGSEGV; what is only too long is refused. */
static void test_edges(void) {
    char want[400] = "";
    for (unsigned n = 0; n < 14; n++)
        sprintf(want + strlen(want), n < 11 ? "%u signal 11\n" : "%u status 2\n", n);
    pf_sandbox *s = small();
    CHECK_RUN(s, "shell", "hostile edges", want, 0);
    pf_sandbox_free(s);
}

/* What a process does to its memory is gone with it, also where the next one gets its bytes without
 * a copy. */
static void test_stains(void) {
    pf_sandbox *s = small();
    for (int i = 0; i < 3; i++)
        CHECK_RUN(s, "shell",
                  "for how in not not store not call not fork fork store store call call not; do "
                  "hostile stain not | hostile stain $how || echo $how; done",
                  "", 0);
    pf_sandbox_free(s);
}

/* Each access that ends where memory ends is good, each that goes on by a byte is a fault. */
static void test_reach(void) {
    char want[400] = "";
    for (unsigned n = 0; n < 23; n++) {
        bool over = (n >= 8 && n < 17) || (n >= 17 && n % 2);
        sprintf(want + strlen(want), over ? "%u signal 11\n" : "%u status 2\n", n);
    }
    pf_sandbox *s = small();
    CHECK_RUN(s, "shell", "hostile reach", want, 0);
    pf_sandbox_free(s);
}

/* Native stack without any memory, and native code without any calls: neither is the host's end. */
static void test_native_code(void) {
    static const char *const ways[] = {"hostile endless", "hostile spread", "hostile endless | cat"};
    pf_sandbox *s = small();
    for (int i = 0; i < 3; i++) CHECK_RUN(s, "shell", "hostile deep; echo $?", "139\n", 0);
    pf_sandbox_free(s);
    for (int i = 0; i < 3; i++) {
        pf_options *options = make_options("");
        MUST(pf_options_limit(options, "cpu_ms", 100, &test_error));
        MUST(pf_sandbox_new(options, &s, &test_error));
        pf_options_free(options);
        const pf_result *r = run(s, "shell", ways[i]);
        CHECK(r && r->limit && strcmp(r->limit, "cpu_seconds") == 0 && r->exit_code == 137);
        CHECK_RUN(s, "shell", "hostile deep; echo $?", "139\n", 0);
        pf_sandbox_free(s);
    }
}

static int setting(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

int main(void) {
    int seeds = setting("SEEDS", 6), children = setting("CHILDREN", 40);
    pf_sandbox *neighbour = small();
    CHECK_RUN(neighbour, "shell", "secret=mine; echo $secret > kept", "", 0);
    for (int seed = 1; seed <= seeds; seed++) {
        pf_sandbox *s = small();
        char code[80];
        snprintf(code, sizeof code, "hostile %d %d", seed, children);
        const pf_result *r = run(s, "shell", code);
        CHECK(r != NULL);
        if (!r) printf("  seed %d: %s\n", seed, test_error.message);
        if (r && r->exit_code != 0 && !r->limit)
            printf("  seed %d: status %d, %.*s\n", seed, r->exit_code, (int)r->stderr_len,
                   r->stderr_data);
        CHECK(r && r->memory_bytes <= MEMORY);
        CHECK_RUN(s, "shell", "echo alive | cat", "alive\n", 0);
        pf_sandbox_free(s);
        CHECK_RUN(neighbour, "shell", "echo $secret; cat kept", "mine\nmine\n", 0);
    }
    pf_sandbox_free(neighbour);
    test_edges();
    test_stains();
    test_reach();
    test_native_code();
    test_faults_and_other_handlers();
    return finish_tests();
}
