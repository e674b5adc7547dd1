/*
 * tests/security/soak.c: many sandboxes on several threads, with random limits, random work,
 * attacks among it, interrupts from outside at any moment, and sudden ends: freed in the middle of
 * a run, replaced by a branch or by what a snapshot gives.
 *
 *     soak [RUNS [THREADS [SEED]]]
 *
 * What is not cut short says what it has to say; a sandbox keeps its own file and sees no other's;
 * what was charged stays within its limits; and when the work is done the process is as large as it
 * was after a quarter of it. Under ThreadSanitizer (`make tsan`) it shows that threads share
 * nothing unguarded.
 */
#include "pinfold.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 6, THREADS_MAX = 16, GROWTH_MAX = 32 << 20 };

static const struct work {
    const char *language, *code;
    const char *want; /* stdout; NULL: an attack, of which nothing is expected */
    bool calls;       /* makes tool calls, all answered 7 */
} works[] = {
    {"shell", "echo hello | tr a-z A-Z", "HELLO\n", false},
#ifndef PF_HOSTILE /* there a pipe has no room for a line in one piece */
    {"shell", "for i in 1 2 3; do (echo $i) & done | sort; wait", "1\n2\n3\n", false},
#endif
    {"shell", "seq 2000 | awk '{s += $1} END {print s}'", "2001000\n", false},
    {"shell",
     "x=$(cat /workspace/id | wc -l); echo $x; mkdir -p /tmp/d; : > /tmp/d/f; rm -r /tmp/d", "1\n",
     false},
    {"shell", "tool get --n 1; tool get --n 2 | sed s/7/seven/", "7\nseven\n", true},
    {"shell", "sleep 1000 & sleep 0.001; kill $!; wait $! 2>&1; echo $?", "143\n", false},
    {"javascript", "return [1, 2, 3].map(x => x * 2)", "[2,4,6]\n", false},
    {"javascript", "console.log((await Promise.all([get({}), get({n: 1})])).join())", "7,7\n",
     true},
    {"javascript",
     "const {execSync} = require('child_process');"
     "return execSync('echo inside; tool get').toString().trim()",
     "inside\n7\n", true},
    {"shell", "while :; do :; done", NULL, false},
    {"shell", ":(){ :|:& };:", NULL, false},
    {"shell", "x=x; while :; do x=$x$x; done", NULL, false},
    {"shell", "yes > /tmp/big; rm /tmp/big", NULL, false},
    {"shell", "trap '' INT TERM; while :; do sleep 0.001; done", NULL, false},
    {"shell", "f() { f & f; }; f", NULL, false},
    {"shell", "tool get & tool get | cat; tool get", NULL, true},
    {"javascript", "while (true) {}", NULL, false},
    {"javascript", "const a = []; for (;;) a.push(new Array(1000).fill(1))", NULL, false},
    {"javascript", "for (let i = 0; i < 50; i++) get({i}).catch(() => 0); await get({})", NULL,
     true},
};
enum { WORKS = sizeof works / sizeof *works };

struct slot {
    pthread_mutex_t lock; /* held to change `sandbox`, and to interrupt it */
    pf_sandbox *sandbox;
    uint64_t memory;
    bool full; /* of files that an attack left */
    atomic_bool interrupted;
    char id[40];
};

struct worker {
    pthread_t thread;
    uint64_t state;
    unsigned number;
    struct slot slots[SLOTS];
};

static struct worker workers[THREADS_MAX];
static unsigned thread_count;
static atomic_long runs_left;
static atomic_long finished, cut, failures;
static atomic_bool over;

#define EXPECT(worker, condition)                                                                  \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            atomic_fetch_add(&failures, 1);                                                        \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                         \
        }                                                                                          \
    } while (0)

static uint32_t any(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 20);
}

static pf_options *make_options(struct worker *w, uint64_t *memory) {
    static const char policy[] = "{\"capabilities\":[{\"method\":\"get\"}]}";
    pf_options *o = pf_options_new();
    *memory = (uint64_t)(48 + any(&w->state) % 80) << 20;
    const struct {
        const char *name;
        uint64_t value;
    } limits[] = {
        {"memory_bytes", *memory},
        {"filesystem_bytes", (uint64_t)(1 + any(&w->state) % 8) << 20},
        {"cpu_ms", 20 + any(&w->state) % 200},
        {"wall_ms", 50 + any(&w->state) % 400},
        {"processes", 16 + any(&w->state) % 64},
        {"output_bytes", 1000 + any(&w->state) % 100000},
    };
    bool good = o && pf_options_tool(o, "get", "", NULL, 0, NULL) == PF_OK &&
                pf_options_policy(o, policy, sizeof policy - 1, NULL) == PF_OK;
    for (size_t i = 0; good && i < sizeof limits / sizeof *limits; i++)
        good = pf_options_limit(o, limits[i].name, limits[i].value, NULL) == PF_OK;
    if (!good) abort();
    return o;
}

static void put(struct slot *slot, pf_sandbox *sandbox) {
    pthread_mutex_lock(&slot->lock);
    pf_sandbox *old = slot->sandbox;
    slot->sandbox = sandbox;
    pthread_mutex_unlock(&slot->lock);
    pf_sandbox_free(old);
}

static void renew(struct worker *w, struct slot *slot) {
    pf_sandbox *sandbox = NULL;
    pf_error error;
    pf_options *options = make_options(w, &slot->memory);
    put(slot, NULL); /* before: one at a time in a slot */
    pf_status status = pf_sandbox_new(options, &sandbox, &error);
    pf_options_free(options);
    if (status != PF_OK) printf("  %s\n", error.message);
    EXPECT(w, status == PF_OK);
    snprintf(slot->id, sizeof slot->id, "%u-%08x\n", w->number, any(&w->state));
    slot->full = false;
    if (sandbox)
        EXPECT(w, pf_file_write(sandbox, "/workspace/id", slot->id, strlen(slot->id), &error) ==
                      PF_OK);
    put(slot, sandbox);
}

/* A branch, or what a snapshot of it gives, takes its place. */
static void go_on_as_another(struct worker *w, struct slot *slot) {
    pf_sandbox *next = NULL;
    char *data = NULL;
    size_t len = 0;
    pf_error error;
    if (any(&w->state) % 2) {
        if (pf_sandbox_fork(slot->sandbox, &next, &error) != PF_OK) return;
    } else {
        if (pf_sandbox_snapshot(slot->sandbox, &data, &len, &error) != PF_OK) return;
        uint64_t memory;
        pf_options *options = make_options(w, &memory);
        pf_status status = pf_sandbox_restore(options, data, len, &next, &error);
        pf_options_free(options);
        pf_free(data);
        if (status != PF_OK) return; /* its new memory_bytes may be too small */
        slot->memory = memory;
    }
    put(slot, next);
}

static void look(struct worker *w, struct slot *slot, const struct work *work, bool usable) {
    const pf_result *r = pf_sandbox_result(slot->sandbox);
    EXPECT(w, r != NULL);
    if (!r) return;
    pthread_mutex_lock(&slot->lock); /* as in run() */
    bool interrupted = atomic_exchange(&slot->interrupted, false);
    pthread_mutex_unlock(&slot->lock);
    atomic_fetch_add(r->limit ? &cut : &finished, 1);
    EXPECT(w, r->memory_bytes <= slot->memory);
    if (!work->want || r->limit || interrupted || !usable || r->session_lost) return;
    bool same = strcmp(r->stdout_data, work->want) == 0;
    if (!same)
        printf("  thread %u: %s\n  status %d «%s» «%s»\n", w->number, work->code, r->exit_code,
               r->stdout_data, r->stderr_data);
    EXPECT(w, same);
}

static void run(struct worker *w, struct slot *slot) {
    const struct work *work = &works[any(&w->state) % WORKS];
    pf_error error;
    pf_run request = {
        .size = sizeof request,
        .language = work->language,
        .code = work->code,
        .code_len = strlen(work->code),
        .isolated = any(&w->state) % 4 == 0,
    };
    pthread_mutex_lock(&slot->lock); /* not between the mark of an interrupt and the interrupt */
    atomic_store(&slot->interrupted, false);
    pthread_mutex_unlock(&slot->lock);
    pf_status status = pf_sandbox_start(slot->sandbox, &request, &error);
    if (status != PF_OK) { /* no room for another process among what attacks left running */
        if (!slot->full) printf("  %s\n", error.message);
        EXPECT(w, slot->full && status == PF_GUEST);
        renew(w, slot);
        return;
    }
    for (int i = 0; i < 200 && pf_sandbox_running(slot->sandbox); i++) {
        pf_call calls[4];
        size_t n = pf_sandbox_pending(slot->sandbox, calls, 4);
        if (any(&w->state) % 50 == 0) go_on_as_another(w, slot);
        if (any(&w->state) % 100 == 0) { /* the embedder has enough of it */
            renew(w, slot);
            return;
        }
        n = pf_sandbox_pending(slot->sandbox, calls, 4);
        if (n)
            pf_sandbox_resume(slot->sandbox, calls[any(&w->state) % (n < 4 ? n : 4)].id, "7", 1,
                              &error);
        else
            pf_sandbox_advance(slot->sandbox, &error);
    }
    if (pf_sandbox_running(slot->sandbox))
        renew(w, slot);
    else
        look(w, slot, work, !slot->full);
    if (!work->want) slot->full = true; /* what it left may be in the way of the next */
}

/* The file of this sandbox is there, and its own. An interrupt ends the embedder's act, and only that. */
static void look_at_file(struct slot *slot) {
    pf_status status = PF_INTERRUPTED;
    while (status == PF_INTERRUPTED) {
        char *data = NULL;
        size_t len = 0;
        status = pf_file_take(slot->sandbox, "/workspace/id", &data, &len, NULL);
        if (status == PF_INTERRUPTED)
            EXPECT(w, !data && atomic_exchange(&slot->interrupted, false));
        else
            EXPECT(w, status == PF_OK && data && strcmp(data, slot->id) == 0);
        pf_free(data);
    }
}

static void *work_on(void *argument) {
    struct worker *w = argument;
    while (atomic_fetch_sub(&runs_left, 1) > 0) {
        struct slot *slot = &w->slots[any(&w->state) % SLOTS];
        if (!slot->sandbox || any(&w->state) % 20 == 0) renew(w, slot);
        if (!slot->sandbox) break;
        run(w, slot);
        if (slot->sandbox) look_at_file(slot);
    }
    for (int i = 0; i < SLOTS; i++) put(&w->slots[i], NULL);
    return NULL;
}

/* Ctrl-C for whoever it hits. */
static void *interrupt_some(void *argument) {
    uint64_t state = *(uint64_t *)argument;
    while (!atomic_load(&over)) {
        struct slot *slot = &workers[any(&state) % thread_count].slots[any(&state) % SLOTS];
        pthread_mutex_lock(&slot->lock);
        if (slot->sandbox) {
            atomic_store(&slot->interrupted, true);
            pf_sandbox_interrupt(slot->sandbox);
        }
        pthread_mutex_unlock(&slot->lock);
        struct timespec moment = {.tv_nsec = 1000000 + any(&state) % 20000000};
        nanosleep(&moment, NULL);
    }
    return NULL;
}

static long resident_bytes(void) {
    long all = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &all, &resident) != 2) resident = 0;
    if (f) fclose(f);
    return resident * sysconf(_SC_PAGESIZE);
}

static void do_runs(long count) {
    pthread_t killer;
    uint64_t seed = workers[0].state ^ 0x55aa;
    atomic_store(&runs_left, count);
    atomic_store(&over, false);
    if (pthread_create(&killer, NULL, interrupt_some, &seed) != 0) abort();
    for (unsigned i = 0; i < thread_count; i++)
        if (pthread_create(&workers[i].thread, NULL, work_on, &workers[i]) != 0) abort();
    for (unsigned i = 0; i < thread_count; i++) pthread_join(workers[i].thread, NULL);
    atomic_store(&over, true);
    pthread_join(killer, NULL);
}

int main(int argc, char **argv) {
    long runs = argc > 1 ? atol(argv[1]) : 200;
    thread_count = argc > 2 ? (unsigned)atoi(argv[2]) : 2;
    uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : (uint64_t)time(NULL);
    if (runs < 4 || thread_count < 1 || thread_count > THREADS_MAX) {
        fprintf(stderr, "usage: soak [RUNS [THREADS [SEED]]]\n");
        return 2;
    }
    for (unsigned i = 0; i < thread_count; i++) {
        workers[i].number = i;
        workers[i].state = (seed + i + 1) * 0x9e3779b97f4a7c15u | 1;
        for (int k = 0; k < SLOTS; k++) pthread_mutex_init(&workers[i].slots[k].lock, NULL);
    }
    do_runs(runs / 4);
    long before = resident_bytes();
    do_runs(runs - runs / 4);
    long after = resident_bytes();
    printf("seed %llu: %ld runs finished, %ld cut at a limit; resident %ld MiB, then %ld MiB\n",
           (unsigned long long)seed, atomic_load(&finished), atomic_load(&cut), before >> 20,
           after >> 20);
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__) /* they keep what is freed */
    EXPECT(NULL, after - before < GROWTH_MAX);
#endif
    printf("%ld failed\n", atomic_load(&failures));
    return atomic_load(&failures) != 0;
}
