/*
 * bench/mechanism.c: the four figures on which everything else rests, beside Linux's own, in one
 * run.
 *
 *   a system call, a fork with its child's whole life, a pipe's throughput, and a shell that waits,
 *   is woken with `echo hi` and answers. Then what a fork and a snapshot of a sandbox take, and a
 *   run while other threads run sandboxes of their own.
 *
 * usage: mechanism NATIVE_PFBENCH    (the native twin of bench/guest/pfbench.c)
 *
 * Each figure is the best of several runs, the two sides taking turns, because the machine is
 * shared.
 */
#define _GNU_SOURCE
#include "pinfold.h"

#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 7

extern char **environ;
static _Thread_local pf_error error;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what) {
    fprintf(stderr, "mechanism: %s\n", what);
    exit(1);
}

static void run(pf_sandbox *s, const char *code) {
    pf_run request = {
        .size = sizeof request, .language = "shell", .code = code, .code_len = strlen(code)};
    if (pf_sandbox_start(s, &request, &error) != PF_OK) die(error.message);
    const pf_result *result = pf_sandbox_result(s);
    if (!result || result->exit_code != 0) die(result ? result->stderr_data : "no result");
}

static double time_inside(pf_sandbox *s, const char *act, long n) {
    char code[64];
    snprintf(code, sizeof code, "pfbench %s %ld", act, n);
    double start = now();
    run(s, code);
    return now() - start;
}

static double time_native(char *program, const char *act, long n) {
    char count[32];
    snprintf(count, sizeof count, "%ld", n);
    char *argv[] = {program, (char *)act, count, NULL};
    double start = now();
    pid_t pid;
    int status = 1;
    if (posix_spawn(&pid, program, NULL, NULL, argv, environ) != 0) die("cannot start the twin");
    waitpid(pid, &status, 0);
    if (status != 0) die("the native twin failed");
    return now() - start;
}

static double best(double a, double b) {
    return a == 0 || b < a ? b : a;
}

/* Prints seconds per act scaled by `unit`, without the cost of starting the program. */
static void compare(pf_sandbox *s, char *program, const char *act, long n, const char *name,
                    double unit, const char *unit_name) {
    double inside = 0, native = 0;
    for (int i = 0; i < ROUNDS; i++) {
        inside = best(inside, time_inside(s, act, n) - time_inside(s, act, 0));
        native = best(native, time_native(program, act, n) - time_native(program, act, 0));
    }
    printf("%-34s %9.3f %s   Linux %9.3f %s   %.2f times as fast\n", name, inside / n * unit,
           unit_name, native / n * unit, unit_name, native / inside);
}

static void compare_pipe(pf_sandbox *s, char *program) {
    const long megabytes = 256;
    double inside = 0, native = 0;
    for (int i = 0; i < ROUNDS; i++) {
        inside = best(inside, time_inside(s, "pipe", megabytes));
        native = best(native, time_native(program, "pipe", megabytes));
    }
    printf("%-34s %9.3f GB/s Linux %9.3f GB/s %.2f times as fast\n", "a pipe, 4 KiB writes",
           megabytes * 1.048576e-3 / inside, megabytes * 1.048576e-3 / native, native / inside);
}

/* A bash process that waits for lines on a pipe. */
static double native_echo(long n) {
    int to[2], from[2];
    if (pipe(to) != 0 || pipe(from) != 0) die("pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], 0);
    posix_spawn_file_actions_adddup2(&actions, from[1], 1);
    posix_spawn_file_actions_addclose(&actions, to[1]);
    posix_spawn_file_actions_addclose(&actions, from[0]);
    char *argv[] = {"bash", NULL};
    pid_t pid;
    if (posix_spawnp(&pid, "bash", &actions, NULL, argv, environ) != 0) die("cannot start bash");
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    char reply[16];
    double start = 0;
    for (long i = -10; i < n; i++) {
        if (i == 0) start = now();
        if (write(to[1], "echo hi\n", 8) != 8 || read(from[0], reply, sizeof reply) != 3)
            die("bash does not answer");
    }
    double spent = now() - start;
    close(to[1]);
    close(from[0]);
    waitpid(pid, NULL, 0);
    return spent / n;
}

static double inside_echo(pf_sandbox *s, long n) {
    run(s, "echo hi");
    double start = now();
    for (long i = 0; i < n; i++) run(s, "echo hi");
    return (now() - start) / n;
}

static double new_sandbox(const pf_options *options, long n) {
    double start = now();
    for (long i = 0; i < n; i++) {
        pf_sandbox *s = NULL;
        if (pf_sandbox_new(options, &s, &error) != PF_OK) die(error.message);
        run(s, "echo hi");
        pf_sandbox_free(s);
    }
    return (now() - start) / n;
}

/* A sandbox as somebody works with it, not a fresh one. */
static pf_sandbox *used_sandbox(const pf_options *options) {
    pf_sandbox *s = NULL;
    if (pf_sandbox_new(options, &s, &error) != PF_OK) die(error.message);
    run(s, "x=1; seq 1000 > numbers; sort -r numbers | head -3 > top; f() { echo $x; }");
    return s;
}

static double fork_sandbox(const pf_options *options, long n) {
    pf_sandbox *s = used_sandbox(options), *branch = NULL;
    double spent = 0;
    for (long i = 0; i < n; i++) {
        double start = now();
        if (pf_sandbox_fork(s, &branch, &error) != PF_OK) die(error.message);
        spent += now() - start;
        pf_sandbox_free(branch);
    }
    pf_sandbox_free(s);
    return spent / n;
}

/* ---- sandboxes side by side: what they share would cost each of them more, the more there are */

#define SIDE_MAX 8

struct side {
    const pf_options *options;
    pthread_barrier_t *ready;
    long n;
    double cpu;
};

static void *work_beside(void *argument) {
    struct side *side = argument;
    pf_sandbox *s = NULL;
    if (pf_sandbox_new(side->options, &s, &error) != PF_OK) die(error.message);
    for (int i = 0; i < 10; i++) run(s, "echo hello | tr a-z A-Z");
    pthread_barrier_wait(side->ready);
    struct timespec from, to;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    for (long i = 0; i < side->n; i++) run(s, "echo hello | tr a-z A-Z");
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    side->cpu = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
    pf_sandbox_free(s);
    return NULL;
}

/* Processor time of a run, where so many threads run one sandbox each: a count that a busy machine
 * changes little. */
static double beside(const pf_options *options, int threads, long n) {
    pthread_t thread[SIDE_MAX];
    struct side side[SIDE_MAX];
    pthread_barrier_t ready;
    double cpu = 0;
    pthread_barrier_init(&ready, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++) {
        side[i] = (struct side){.options = options, .ready = &ready, .n = n};
        if (pthread_create(&thread[i], NULL, work_beside, &side[i]) != 0) die("no thread");
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(thread[i], NULL);
        cpu += side[i].cpu;
    }
    pthread_barrier_destroy(&ready);
    return cpu / (double)(n * threads);
}

static void show_threads(const pf_options *options) {
    double best_of[SIDE_MAX + 1] = {0};
    for (int round = 0; round < ROUNDS; round++)
        for (int threads = 1; threads <= SIDE_MAX; threads *= 2)
            best_of[threads] = best(best_of[threads], beside(options, threads, 500));
    printf("%-34s", "processor time of echo | tr");
    for (int threads = 1; threads <= SIDE_MAX; threads *= 2)
        printf(" %.2f us on %d thread%s%s", best_of[threads] * 1e6, threads, threads > 1 ? "s" : "",
               threads < SIDE_MAX ? "," : "\n");
}

/* Seconds for both; *size is that of the snapshot. */
static double save_and_restore(const pf_options *options, long n, size_t *size) {
    pf_sandbox *s = used_sandbox(options), *again = NULL;
    double spent = 0;
    for (long i = 0; i < n; i++) {
        char *data;
        double start = now();
        if (pf_sandbox_snapshot(s, &data, size, &error) != PF_OK ||
            pf_sandbox_restore(options, data, *size, &again, &error) != PF_OK)
            die(error.message);
        spent += now() - start;
        pf_sandbox_free(again);
        pf_free(data);
    }
    pf_sandbox_free(s);
    return spent / n;
}

static void show_durability(const pf_options *options) {
    double branch = 0, saved = 0;
    size_t size = 0;
    for (int i = 0; i < ROUNDS; i++) {
        branch = best(branch, fork_sandbox(options, 50));
        saved = best(saved, save_and_restore(options, 20, &size));
    }
    printf("%-34s %9.3f us\n", "fork of a sandbox", branch * 1e6);
    printf("%-34s %9.3f us   (%zu bytes)\n", "snapshot and restore", saved * 1e6, size);
}

int main(int argc, char **argv) {
    if (argc != 2) die("usage: mechanism NATIVE_PFBENCH");
    pf_options *options = pf_options_new();
    pf_sandbox *s = NULL;
    if (pf_sandbox_new(options, &s, &error) != PF_OK) die(error.message);
    compare(s, argv[1], "calls", 1000000, "a system call (getppid)", 1e9, "ns");
    compare(s, argv[1], "fork", 2000, "fork, child's exit, wait", 1e6, "us");
    compare_pipe(s, argv[1]);
    double inside = 0, native = 0, fresh = 0;
    for (int i = 0; i < ROUNDS; i++) {
        inside = best(inside, inside_echo(s, 2000));
        native = best(native, native_echo(500));
        fresh = best(fresh, new_sandbox(options, 50));
    }
    printf("%-34s %9.3f us   Linux %9.3f us   %.2f times as fast\n", "echo hi to a waiting shell",
           inside * 1e6, native * 1e6, native / inside);
    printf("%-34s %9.3f us\n", "new sandbox, echo hi, free", fresh * 1e6);
    show_durability(options);
    show_threads(options);
    pf_sandbox_free(s);
    pf_options_free(options);
    return 0;
}
