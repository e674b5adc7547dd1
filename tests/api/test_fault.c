/*
 * tests/api/test_fault.c: every allocation and every call of the system that the host makes fails
 * once, in turn. Whatever an embedder did then has failed with a status and a message, or worked;
 * it can free what it has, and make and use another sandbox. Also: recording to a disk that is
 * full.
 *
 * Linked with --wrap for what is made to fail: see CMakeLists.txt.
 */
#define _GNU_SOURCE
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static long left = -1; /* calls that still succeed; -1: all */
static bool failed;
static int again; /* so many more fail after the first */
static bool short_writes;

static bool fails(void) {
    if (left < 0) return false;
    if (left > 0) {
        left--;
        return false;
    }
    failed = true;
    if (again-- <= 0) left = -1;
    errno = ENOMEM;
    return true;
}

/* name, result, failure, parameters, arguments */
#define WRAPPED(X)                                                                                 \
    X(malloc, void *, NULL, (size_t size), (size))                                                 \
    X(calloc, void *, NULL, (size_t count, size_t size), (count, size))                            \
    X(realloc, void *, NULL, (void *old, size_t size), (old, size))                                \
    X(aligned_alloc, void *, NULL, (size_t to, size_t size), (to, size))                           \
    X(mmap, void *, MAP_FAILED, (void *at, size_t len, int prot, int flags, int fd, off_t offset), \
      (at, len, prot, flags, fd, offset))                                                          \
    X(mprotect, int, -1, (void *at, size_t len, int prot), (at, len, prot))                        \
    X(getrandom, ssize_t, -1, (void *to, size_t len, unsigned flags), (to, len, flags))            \
    X(timer_create, int, -1, (clockid_t clock, struct sigevent *event, timer_t *timer),            \
      (clock, event, timer))                                                                       \
    X(timer_settime, int, -1,                                                                      \
      (timer_t timer, int flags, const struct itimerspec *to, struct itimerspec *old),             \
      (timer, flags, to, old))                                                                     \
    X(sigaction, int, -1, (int number, const struct sigaction *to, struct sigaction *old),         \
      (number, to, old))                                                                           \
    X(pthread_sigmask, int, ENOMEM, (int how, const sigset_t *to, sigset_t *old), (how, to, old))  \
    X(sigaltstack, int, -1, (const stack_t *to, stack_t *old), (to, old))                          \
    X(pthread_create, int, EAGAIN,                                                                 \
      (pthread_t * thread, const pthread_attr_t *how, void *(*begin)(void *), void *argument),     \
      (thread, how, begin, argument))                                                              \
    X(mkdirat, int, -1, (int at, const char *path, mode_t mode), (at, path, mode))                 \
    X(symlinkat, int, -1, (const char *to, int at, const char *path), (to, at, path))              \
    X(linkat, int, -1, (int from, const char *old, int at, const char *path, int flags),           \
      (from, old, at, path, flags))                                                                \
    X(ftruncate, int, -1, (int fd, off_t len), (fd, len))                                          \
    X(pwrite, ssize_t, -1, (int fd, const void *from, size_t len, off_t at),                       \
      (fd, from, short_writes && len > 1000 ? 1000 : len, at))                                     \
    X(fchmod, int, -1, (int fd, mode_t mode), (fd, mode))                                          \
    X(futimens, int, -1, (int fd, const struct timespec *times), (fd, times))                      \
    X(dup, int, -1, (int fd), (fd))
#define X(name, result, failure, parameters, arguments)                                            \
    result __real_##name parameters;                                                               \
    result __wrap_##name parameters;                                                               \
    result __wrap_##name parameters {                                                              \
        return fails() ? failure : __real_##name arguments;                                        \
    }
WRAPPED(X)
#undef X

int __real_openat(int at, const char *path, int flags, ...);
int __wrap_openat(int at, const char *path, int flags, ...);
int __wrap_openat(int at, const char *path, int flags, ...) {
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    return fails() ? -1 : __real_openat(at, path, flags, mode);
}

/* Its descriptor is gone in any case. */
int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd) {
    int r = __real_close(fd);
    return fails() ? -1 : r;
}

/* What an embedder does; false: it stopped because something failed, with a message. */
static bool ok(pf_status status) {
    if (status == PF_OK) return true;
    CHECK(failed);
    CHECK(test_error.message[0]);
    return false;
}

static pf_options *options_of(void) {
    static const char policy[] =
        "{\"capabilities\":[{\"method\":\"get\",\"constraints\":{\"n\":\"<5\"}}]}";
    pf_options *o = pf_options_new();
    if (!o) return NULL;
    pf_options_seed(o, 1);
    if (ok(pf_options_tool(o, "get", "a tool", NULL, 0, &test_error)) &&
        ok(pf_options_policy(o, policy, sizeof policy - 1, &test_error)))
        return o;
    pf_options_free(o);
    return NULL;
}

static void use(pf_sandbox *s) {
    static const char code[] = "echo a > f; (tool get --n 1; echo b) | cat; tool get --n 9; cat f";
    pf_run run = {.size = sizeof run, .language = "shell", .code = code, .code_len = sizeof code - 1};
    run.stdin_data = "input\n";
    run.stdin_len = 6;
    char *data = NULL;
    size_t len = 0;
    if (ok(pf_file_write(s, "/workspace/d/e", "bytes", 5, &test_error)) &&
        ok(pf_file_take(s, "/workspace/d/e", &data, &len, &test_error))) {
        CHECK_TEXT(data, "bytes");
        pf_free(data);
    }
    if (ok(pf_file_list(s, "/workspace", &data, &len, &test_error))) pf_free(data);
    if (!ok(pf_sandbox_start(s, &run, &test_error))) return;
    pf_call calls[2];
    if (pf_sandbox_pending(s, calls, 2)) {
        CHECK_TEXT(calls[0].params, "{\"n\":1}");
        ok(pf_sandbox_resume(s, calls[0].id, "{\"r\":1}", 7, &test_error));
    }
    const pf_result *r = pf_sandbox_result(s);
    if (!failed) CHECK(r && strcmp(r->stdout_data, "{\"r\":1}\nb\na\n") == 0);
}

static void copy(pf_sandbox *s) {
    pf_sandbox *branch = NULL, *restored = NULL;
    char *data = NULL;
    size_t len = 0;
    if (ok(pf_sandbox_fork(s, &branch, &test_error))) use(branch);
    pf_sandbox_free(branch);
    if (!ok(pf_sandbox_snapshot(s, &data, &len, &test_error))) return;
    pf_options *options = options_of();
    if (options && ok(pf_sandbox_restore(options, data, len, &restored, &test_error)))
        use(restored);
    pf_sandbox_free(restored);
    pf_options_free(options);
    pf_free(data);
}

/* Its calls that wait are refused by who restores it: by limits, by the policy, since the tool is
 * gone. */
static void restore_refused(pf_sandbox *s) {
    static const char none[] = "{\"capabilities\":[]}";
    char *data = NULL;
    size_t len = 0;
    if (!ok(pf_sandbox_snapshot(s, &data, &len, &test_error))) return;
    for (int i = 0; i < 3; i++) {
        pf_sandbox *restored = NULL;
        pf_options *options = i < 2 ? options_of() : pf_options_new();
        bool set = options != NULL;
        if (set && i == 0) set = ok(pf_options_limit(options, "tool_calls", 0, &test_error));
        if (set && i == 1) set = ok(pf_options_policy(options, none, sizeof none - 1, &test_error));
        if (set && ok(pf_sandbox_restore(options, data, len, &restored, &test_error)))
            CHECK(pf_sandbox_pending(restored, NULL, 0) == 0);
        pf_sandbox_free(restored);
        pf_options_free(options);
    }
    pf_free(data);
}

static void all(void) {
    pf_options *options = options_of();
    pf_sandbox *s = NULL;
    if (options && ok(pf_sandbox_new(options, &s, &test_error))) {
        use(s);
        copy(s);
        static const char code[] = "tool get --n 2 | cat & tool get --n 3";
        pf_run last = {.size = sizeof last, .language = "shell", .code = code, .code_len = sizeof code - 1};
        ok(pf_sandbox_start(s, &last, &test_error)); /* freed in the middle */
        if (pf_sandbox_pending(s, NULL, 0)) restore_refused(s);
    }
    pf_sandbox_free(s);
    pf_options_free(options);
}

static void use_gate(void) {
    static const char call[] = "{\"tool\":\"get\",\"params\":{\"n\":1}}";
    pf_options *options = options_of();
    pf_gate *gate = NULL, *branch = NULL;
    pf_call got = {0};
    pf_decision d = {0};
    if (options && ok(pf_gate_new(options, &gate, &test_error))) {
        branch = pf_gate_clone(gate);
        CHECK(branch || failed);
        if (ok(pf_gate_check(gate, call, sizeof call - 1, &got, &test_error)))
            CHECK_TEXT(got.method, "get");
        else
            CHECK(!got.method && test_error.status == PF_NO_MEMORY);
        if (ok(pf_gate_decide(gate, call, sizeof call - 1, &d, &test_error)))
            CHECK_TEXT(d.method, "get");
        else
            CHECK(!d.outcome && test_error.status == PF_NO_MEMORY);
    }
    CHECK(gate || failed);
    pf_gate_free(branch);
    pf_gate_free(gate);
    pf_options_free(options);
}

/* ---- a mount, and what comes out of it */

static char host[64];

static int remove_one(const char *path, const struct stat *st, int what, struct FTW *walk) {
    (void)st, (void)what, (void)walk;
    return remove(path);
}

/* A file with several names, one with holes, a link and a directory. */
static void fill_mount(pf_sandbox *s) {
    static const char code[] = "cd /m; mkdir d; seq 20000 > d/a; ln d/a b; ln -s d/a c;"
                               "truncate -s 1M h; echo end >> h; rm gone";
    pf_run run = {.size = sizeof run, .language = "shell", .code = code, .code_len = sizeof code - 1};
    ok(pf_sandbox_start(s, &run, &test_error));
}

static void check_export(const char *out) {
    char path[128], text[8] = "";
    struct stat st;
    snprintf(path, sizeof path, "%s/b", out);
    CHECK(stat(path, &st) == 0 && st.st_size == 108894);
    snprintf(path, sizeof path, "%s/h", out);
    int fd = open(path, O_RDONLY);
    CHECK(fd >= 0 && pread(fd, text, 7, (1 << 20) - 3) == 7 && !memcmp(text, "\0\0\0end\n", 7));
    if (fd >= 0) __real_close(fd);
}

static void use_mount(void) {
    char in[80], out[80], *data = NULL;
    size_t len = 0;
    pf_sandbox *s = NULL;
    pf_options *options = options_of();
    snprintf(in, sizeof in, "%s/in", host);
    snprintf(out, sizeof out, "%s/out", host);
    if (options && ok(pf_options_mount(options, in, "/m", PF_MOUNT_COPY, &test_error)) &&
        ok(pf_sandbox_new(options, &s, &test_error))) {
        fill_mount(s);
        if (ok(pf_mount_changes(s, "/m", &data, &len, &test_error))) pf_free(data);
        if (ok(pf_mount_tar(s, "/m", true, &data, &len, &test_error))) pf_free(data);
        bool done = ok(pf_mount_export(s, "/m", out, &test_error));
        if (done && !failed) check_export(out);
        nftw(out, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    }
    pf_sandbox_free(s);
    pf_options_free(options);
}

static void make_host(void) {
    char path[128];
    snprintf(host, sizeof host, "/tmp/fault_XXXXXX");
    CHECK(mkdtemp(host) != NULL);
    snprintf(path, sizeof path, "%s/in", host);
    CHECK(mkdir(path, 0755) == 0);
    snprintf(path, sizeof path, "%s/in/gone", host);
    FILE *f = fopen(path, "w");
    CHECK(f && fputs("text\n", f) >= 0 && fclose(f) == 0);
}

static void test_short_writes(void) {
    short_writes = true;
    failed = false;
    use_mount();
    short_writes = false;
}

/* ---- */

/* In a thread of its own, which has to get its stacks, its timer and its signals first. */
static void *in_thread(void *scenario) {
    (*(void (**)(void))scenario)();
    return NULL;
}

static void test_each_once(void (*scenario)(void), int more) {
    int n = 0;
    for (;; n++) {
        int before = checks_failed;
        pthread_t thread;
        failed = false;
        again = more;
        left = n;
        CHECK(__real_pthread_create(&thread, NULL, in_thread, &scenario) == 0);
        pthread_join(thread, NULL);
        left = -1;
        if (checks_failed != before) printf("  with call %d of the system failing\n", n);
        if (!failed || n > 20000) break;
        /* Afterwards all is as it was. */
        if (n % 10 == 0) {
            pf_sandbox *s = make_sandbox("get");
            CHECK_RUN(s, "shell", "echo fine | cat", "fine\n", 0);
            pf_sandbox_free(s);
        }
    }
    CHECK(n > 20);
}

/* Nothing of a run is lost silently: who records is told. */
static void test_disk_full(void) {
    pf_options *options = make_options("get");
    pf_sandbox *s = NULL;
    MUST(pf_options_record(options, "/dev/full", false, &test_error));
    pf_status status = pf_sandbox_new(options, &s, &test_error);
    pf_run run = {.size = sizeof run, .language = "shell", .code = "seq 100000", .code_len = 10};
    for (int i = 0; status == PF_OK && i < 20; i++) status = pf_sandbox_start(s, &run, &test_error);
    CHECK(status != PF_OK);
    if (status != PF_OK) CHECK(strstr(test_error.message, "No space left") != NULL);
    pf_sandbox_free(s);
    pf_options_free(options);
}

int main(void) {
    pf_sandbox *first = make_sandbox("get"); /* what is made once for all, without faults */
    CHECK_RUN(first, "shell", "echo 1; cat /dev/null | sed p; js -e 1", "1\n", 0);
    test_each_once(all, 0);
    test_each_once(all, 3);
    test_each_once(use_gate, 0);
    make_host();
    test_short_writes();
    test_each_once(use_mount, 0);
    nftw(host, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    test_disk_full();
    CHECK_RUN(first, "shell", "echo 2", "2\n", 0);
    pf_sandbox_free(first);
    return finish_tests();
}
