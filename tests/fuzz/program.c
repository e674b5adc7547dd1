/*
 * tests/fuzz/program.c: see program.h.
 */
#include "program.h"
#include "guest/lib/g_program.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

_Noreturn void g_exit(int status);

enum { FAULT = 99, PIECE = 7 };
#if defined(__SANITIZE_ADDRESS__) || defined(PF_FUZZ)
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "exitcode=99:detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=1024";
}
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void) {
    return "exitcode=99";
}
#endif

_Noreturn static void child(const struct program *program, int in, int out) {
    struct rlimit seconds = {1, 1}, bytes = {1 << 20, 1 << 20};
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_FSIZE, &bytes);
    alarm(3);
    signal(SIGPIPE, SIG_DFL);
    dup2(in, 0);
    dup2(out, 1);
    close(2);
    int argc = 0;
    while (program->argv[argc]) argc++;
    g_begin(program->argv[0], "");
    g_exit(program->main(argc, (char **)program->argv));
}

#ifdef PF_FUZZ
extern uint8_t __start___sancov_cntrs[], __stop___sancov_cntrs[];

/* The fuzzer is to see what the children reach: the counters of edges, as far as they fill pages of
 * their own, become memory that parent and children share. */
static void share_counters(void) {
    static bool shared;
    if (shared) return;
    shared = true;
    uintptr_t from = ((uintptr_t)__start___sancov_cntrs + 4095) & ~(uintptr_t)4095;
    uintptr_t to = (uintptr_t)__stop___sancov_cntrs & ~(uintptr_t)4095;
    if (from >= to) return;
    void *at = mmap((void *)from, to - from, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    MUST(at != MAP_FAILED);
}
#else
static void share_counters(void) {}
#endif

static void feed(int to, const uint8_t *s, size_t len, size_t piece) {
    while (len > 0) {
        ssize_t n = write(to, s, len < piece ? len : piece);
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

ssize_t program_run(const struct program *program, const uint8_t *input, size_t len, size_t piece,
                    char output[OUTPUT_MAX]) {
    int ends[2] = {-1, -1};
    FILE *out = tmpfile(), *in = piece ? NULL : file_of(input, len);
    if (!out || (piece && pipe(ends) < 0)) abort();
    share_counters();
    signal(SIGPIPE, SIG_IGN);
    pid_t pid = fork();
    if (pid == 0) {
        if (piece) close(ends[1]);
        child(program, piece ? ends[0] : fileno(in), fileno(out));
    }
    if (piece) {
        close(ends[0]);
        feed(ends[1], input, len, piece);
    } else {
        fclose(in);
    }
    int status;
    waitpid(pid, &status, 0);
    MUST(!WIFEXITED(status) || WEXITSTATUS(status) != FAULT);
    bool limit =
        WIFSIGNALED(status) && (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGXCPU ||
                                WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGXFSZ);
    MUST(!WIFSIGNALED(status) || limit);
    rewind(out);
    size_t n = fread(output, 1, OUTPUT_MAX, out);
    fclose(out);
    return limit ? -1 : (ssize_t)n;
}

void program_streams_alike(const struct program *program, const uint8_t *input, size_t len,
                           bool repeatable) {
    static char first[OUTPUT_MAX], second[OUTPUT_MAX];
    ssize_t a = program_run(program, input, len, len + 1, first);
    if (a < 0 || !repeatable) return;
    ssize_t b = program_run(program, input, len, PIECE, second);
    MUST(b < 0 || (a == b && memcmp(first, second, (size_t)a) == 0));
}
