/*
 * A program, a NUL, and its input. Whatever it is, awk ends by itself or at a limit of time and
 * memory, never by a fault; and what it prints does not depend on how the input arrives: at once,
 * or a few bytes at a time. A process of its own runs each, for awk ends with the process.
 */
#include "fuzz.h"
#include "guest/lib/g_program.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int awk_main(int argc, char **argv);
_Noreturn void g_exit(int status);

enum { FAULT = 99, OUTPUT_MAX = 1 << 16, PIECE = 7 };
#if defined(__SANITIZE_ADDRESS__) || defined(PF_FUZZ)
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "exitcode=99:detect_leaks=0";
}
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void) {
    return "exitcode=99";
}
#endif

_Noreturn static void child(char *program, int in, int out) {
    struct rlimit seconds = {1, 1}, bytes = {1 << 20, 1 << 20};
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_FSIZE, &bytes);
    alarm(3);
    signal(SIGPIPE, SIG_DFL);
    dup2(in, 0);
    dup2(out, 1);
    close(2);
    char *argv[] = {"awk", "--sandbox", "--", program, NULL};
    g_begin("awk", "");
    g_exit(awk_main(4, argv));
}

static void feed(int to, const uint8_t *s, size_t len, size_t piece) {
    while (len > 0) {
        ssize_t n = write(to, s, len < piece ? len : piece);
        if (n <= 0) break;
        s += n;
        len -= (size_t)n;
    }
    close(to);
}

/* Its output; -1: it met a limit. */
static ssize_t run(char *program, const uint8_t *s, size_t len, size_t piece, char *output) {
    int in[2];
    FILE *out = tmpfile();
    if (!out || pipe(in) < 0) abort();
    pid_t pid = fork();
    if (pid == 0) {
        close(in[1]);
        child(program, in[0], fileno(out));
    }
    close(in[0]);
    feed(in[1], s, len, piece);
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

/* Words whose results differ from run to run. */
static bool is_repeatable(const char *program) {
    static const char *const words[] = {"systime",  "strftime", "srand",
                                        "PROCINFO", "ENVIRON",  "/dev"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(program, words[i])) return false;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char first[OUTPUT_MAX], second[OUTPUT_MAX];
    const uint8_t *end = memchr(data, '\0', size);
    if (!end || size > 8192) return 0;
    signal(SIGPIPE, SIG_IGN);
    char *program = strndup((const char *)data, (size_t)(end - data));
    size_t len = size - (size_t)(end - data) - 1;
    ssize_t a = run(program, end + 1, len, size, first), b = 0;
    if (a >= 0 && is_repeatable(program)) {
        b = run(program, end + 1, len, PIECE, second);
        MUST(b < 0 || (a == b && memcmp(first, second, (size_t)a) == 0));
    }
    free(program);
    return 0;
}
