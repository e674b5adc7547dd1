/*
 * tests/api/test_no_signals.c: a build with PF_SIGNALS=OFF takes no signal from its process.
 *
 * After faults, endless recursion and endless loops, in runs and in threads, every disposition,
 * mask and alternate stack is what it was; and signals of the embedder's own, on whatever stack
 * they come, disturb no guest.
 */
#include "harness.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/time.h>
#include <unistd.h>

static pf_sandbox *small(void) {
    pf_options *options = make_options("");
    pf_sandbox *s = NULL;
    MUST(pf_options_limit(options, "cpu_ms", 100, &test_error));
    MUST(pf_sandbox_new(options, &s, &test_error));
    pf_options_free(options);
    return s;
}

/* Everything that takes a signal elsewhere. */
static void *use(void *unused) {
    static const char *const loops[] = {"hostile endless", "hostile spread"};
    pf_sandbox *s = small();
    CHECK_RUN(s, "shell", "hostile fault; echo $?; hostile deep; echo $?", "139\n139\n", 0);
    for (int i = 0; i < 2; i++) {
        const pf_result *r = run(s, "shell", loops[i]);
        CHECK(r && r->limit && strcmp(r->limit, "cpu_seconds") == 0);
    }
    const pf_result *r = run(s, "javascript", "for (;;) {}");
    CHECK(r && r->limit && strcmp(r->limit, "cpu_seconds") == 0);
    CHECK(pf_file_write(s, "/workspace/f", "text", 4, &test_error) == PF_OK);
    CHECK_RUN(s, "shell", "cat f", "text", 0);
    pf_sandbox_free(s);
    stack_t now;
    CHECK(sigaltstack(NULL, &now) == 0 && now.ss_flags & SS_DISABLE);
    return unused;
}

/* A line of a /proc/.../status: a set of signals. */
static uint64_t set_of(const char *task, const char *name) {
    char path[300], line[256];
    unsigned long long set = 0;
    bool found = false;
    snprintf(path, sizeof path, "/proc/self/task/%s/status", task);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, name, strlen(name)) == 0)
            found = sscanf(line + strlen(name), ": %llx", &set) == 1;
    if (f) fclose(f);
    CHECK(found);
    return set;
}

static void test_dispositions(void) {
    int seen = 0;
    for (int n = 1; n <= SIGRTMAX; n++) {
        struct sigaction now;
        if (sigaction(n, NULL, &now) != 0) continue; /* glibc's own two */
        seen++;
        CHECK(!(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL);
    }
    CHECK(seen > 60);
    char own[32];
    snprintf(own, sizeof own, "%d", (int)getpid());
    /* glibc takes the two before SIGRTMIN for every process that makes threads. */
    CHECK((set_of(own, "SigCgt") & ~(3ull << 31)) == 0);
}

/* Each thread but this one is the library's: it blocks what an embedder may want to receive. */
static void test_threads(void) {
    DIR *tasks = opendir("/proc/self/task");
    char own[32];
    int others = 0;
    snprintf(own, sizeof own, "%d", (int)getpid());
    for (struct dirent *e; (e = readdir(tasks));) {
        if (e->d_name[0] == '.' || strcmp(e->d_name, own) == 0) continue;
        uint64_t blocked = set_of(e->d_name, "SigBlk");
        static const int theirs[] = {SIGINT, SIGTERM, SIGPROF, SIGURG, SIGCHLD, SIGALRM, SIGUSR1};
        for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
            CHECK(blocked >> (theirs[i] - 1) & 1);
        others++;
    }
    closedir(tasks);
    CHECK(others == 1);
    CHECK(set_of(own, "SigBlk") == 0);
}

/* On the stack of whoever runs, which a guest fills to its end meanwhile. */
static volatile sig_atomic_t came;
static void on_signal(int number) {
    volatile char room[16384];
    room[0] = room[sizeof room - 1] = (char)number;
    came++;
}

static void test_signals_of_the_embedder(void) {
    struct sigaction theirs = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 500}, {0, 500}}, off = {{0, 0}, {0, 0}};
    sigaction(SIGPROF, &theirs, NULL);
    pf_sandbox *s = NULL;
    pf_options *options = make_options("");
    MUST(pf_sandbox_new(options, &s, &test_error));
    pf_options_free(options);
    setitimer(ITIMER_PROF, &often, NULL);
    for (int i = 0; i < 200 || came < 20; i++)
        CHECK_RUN(s, "shell", "hostile deep; echo $?", "139\n", 0);
    setitimer(ITIMER_PROF, &off, NULL);
    pf_sandbox_free(s);
}

int main(void) {
    use(NULL);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, use, NULL) == 0);
    pthread_join(thread, NULL);
    test_dispositions();
    test_threads();
    test_signals_of_the_embedder();
    return finish_tests();
}
