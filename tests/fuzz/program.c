/*
 * tests/fuzz/program.c: see program.h.
 */
#include "program.h"
#include "guest/lib/g_program.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef PF_FUZZ
#include <sanitizer/common_interface_defs.h>
#endif

_Noreturn void g_exit(int status);

enum { FAULT = 99, PIECE = 7, WALL_MS = 3000 };
#if defined(__SANITIZE_ADDRESS__) || defined(PF_FUZZ)
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    /* A fork takes longer the larger the process is, and most of it would be quarantine. */
    return "exitcode=99:detect_leaks=0:handle_abort=1:allocator_may_return_null=1:"
           "max_allocation_size_mb=1024:quarantine_size_mb=8";
}
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void) {
    return "exitcode=99";
}
#endif

#ifdef PF_FUZZ
extern uint8_t __start___sancov_cntrs[], __stop___sancov_cntrs[];
enum { PAGE = 4096 };

/* What a child and its children leave behind, in memory that all have. */
static struct {
    uint8_t *pages; /* the first of those in which the counters of edges lie, with other things */
    uint8_t *copy;  /* on which the child works, so that the fuzzer sees what it reached */
    size_t size;
    volatile bool *fault; /* has a sanitizer spoken? */
    int file;
} shared;

static void shared_open(void) {
    if (shared.copy) return;
    shared.pages = __start___sancov_cntrs - (uintptr_t)__start___sancov_cntrs % PAGE;
    shared.size = ((size_t)(__stop___sancov_cntrs - shared.pages) + PAGE - 1) / PAGE * PAGE;
    shared.file = memfd_create("counters", MFD_CLOEXEC);
    size_t all = shared.size + PAGE;
    MUST(shared.file >= 0 && ftruncate(shared.file, (off_t)all) == 0);
    shared.copy = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED, shared.file, 0);
    MUST(shared.copy != MAP_FAILED);
    shared.fault = (volatile bool *)shared.copy + shared.size;
}

static void on_death(void) {
    *shared.fault = true;
}

/* Word by word: memcpy() would be told that these pages hold more than one object. */
__attribute__((no_sanitize("address"))) static void shared_enter(void) {
    volatile uint64_t *to = (uint64_t *)(void *)shared.copy;
    const uint64_t *from = (const uint64_t *)(void *)shared.pages;
    for (size_t i = 0; i < shared.size / sizeof *to; i++) to[i] = from[i];
    void *at = mmap(shared.pages, shared.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                    shared.file, 0);
    if (at == MAP_FAILED) _exit(FAULT);
    __sanitizer_set_death_callback(on_death);
}

static void shared_take(void) {
    memcpy(__start___sancov_cntrs, shared.copy + (__start___sancov_cntrs - shared.pages),
           (size_t)(__stop___sancov_cntrs - __start___sancov_cntrs));
    MUST(!*shared.fault);
}
#else
static void shared_open(void) {}
static void shared_enter(void) {}
static void shared_take(void) {}
#endif

_Noreturn static void child(const struct program *program, int in, int out) {
    shared_enter();
    struct rlimit seconds = {1, 1}, bytes = {1 << 20, 1 << 20};
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_FSIZE, &bytes);
    setpgid(0, 0);
    /* libFuzzer has handlers of its own. */
    static const int usual[] = {SIGPIPE, SIGTERM, SIGINT, SIGALRM, SIGUSR1, SIGUSR2, SIGXFSZ};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) signal(usual[i], SIG_DFL);
    dup2(in, 0);
    dup2(out, 1);
    int argc = 0;
    while (program->argv[argc]) argc++;
    g_begin(program->argv[0], "");
    g_exit(program->main(argc, (char **)program->argv));
}

/* In a child: what libFuzzer would do at the end of its process is not wanted. The linker puts this
 * in the place of exit(). */
_Noreturn void __wrap_exit(int status);
_Noreturn void __wrap_exit(int status) {
    fflush(NULL);
    _exit(status);
}

/* How the child ended; it and what it left behind are gone. */
static int wait_for(pid_t pid) {
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    MUST(end.fd >= 0);
    while (poll(&end, 1, WALL_MS) < 0 && errno == EINTR) {
    }
    close(end.fd);
    kill(-pid, SIGKILL);
    int status;
    pid_t got;
    while ((got = waitpid(pid, &status, 0)) < 0 && errno == EINTR) { /* libFuzzer's alarm */
    }
    MUST(got == pid);
    while (waitpid(-pid, NULL, 0) > 0 || errno == EINTR) {
    }
    return status;
}

/* Did it end by a signal that stands for a fault? */
static bool is_fault(int status) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
    if (WIFEXITED(status)) return WEXITSTATUS(status) == FAULT;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (WTERMSIG(status) == faults[i]) return true;
    return false;
}

static void feed(int to, const uint8_t *s, size_t len, size_t piece) {
    while (len > 0) {
        ssize_t n = write(to, s, len < piece ? len : piece);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        s += n;
        len -= (size_t)n;
    }
    close(to);
}

static FILE *file_of(const uint8_t *s, size_t len) {
    FILE *file = tmpfile();
    if (!file || fwrite(s, 1, len, file) != len) abort();
    rewind(file);
    return file;
}

static bool last_failed; /* did the last one end with a status that is not 0? */

ssize_t program_run(const struct program *program, const uint8_t *input, size_t len, size_t piece,
                    char output[OUTPUT_MAX]) {
    int ends[2] = {-1, -1};
    FILE *out = tmpfile(), *in = piece ? NULL : file_of(input, len);
    if (!out || (piece && pipe(ends) < 0)) abort();
    shared_open();
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t pid = _Fork(); /* fork() visits all of ASan's tables, which takes longer than the rest */
    if (pid == 0) {
        if (piece) close(ends[1]);
        child(program, piece ? ends[0] : fileno(in), fileno(out));
    }
    MUST(pid > 0);
    setpgid(pid, pid);
    if (piece) {
        close(ends[0]);
        feed(ends[1], input, len, piece);
    } else {
        fclose(in);
    }
    int status = wait_for(pid);
    shared_take();
    MUST(!is_fault(status));
    last_failed = status != 0;
    rewind(out);
    size_t n = fread(output, 1, OUTPUT_MAX, out);
    fclose(out);
    return WIFSIGNALED(status) ? -1 : (ssize_t)n;
}

/* A run more for each input would be half of all time: a fuzzer compares one in four. */
static bool is_compared(const uint8_t *input, size_t len) {
#ifdef PF_FUZZ
    unsigned sum = (unsigned)len;
    for (size_t i = 0; i < len; i++) sum = sum * 31 + input[i];
    return (sum ^ sum >> 7) % 4 == 0;
#else
    (void)input, (void)len;
    return true;
#endif
}

void program_streams_alike(const struct program *program, const uint8_t *input, size_t len,
                           bool repeatable) {
    static char first[OUTPUT_MAX], second[OUTPUT_MAX];
    ssize_t a = program_run(program, input, len, len + 1, first);
    if (a < 0 || !repeatable || !is_compared(input, len)) return;
    bool failed = last_failed;
    ssize_t b = program_run(program, input, len, PIECE, second);
    if (b < 0) return;
    MUST(failed == last_failed);
    /* How much was out before what is wrong was reached may depend on where a piece ended. */
    MUST(failed || a == b);
    MUST(memcmp(first, second, (size_t)(a < b ? a : b)) == 0);
}
