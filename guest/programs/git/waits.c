/*
 * waits.c: the waits that are plain bytes, see waits.h.
 */
#include "waits.h"

#include "g_out.h"
#include "g_program.h"
#include "pf.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define HELD (1u << 20)  /* as much output lies here before it is written wherever the program is */
#define MUCH (64u << 10)

/* A call that may wait, and all its callers are on the list. */
#define UNWOUND(call)                      \
    ({                                     \
        pf_set_unwindable(1);              \
        __typeof__(call) result_ = (call); \
        pf_set_unwindable(0);              \
        result_;                           \
    })

__attribute__((noinline)) int wait_child(pid_t pid) {
    int status = 0;
    while (UNWOUND(waitpid(pid, &status, 0)) < 0 && errno == EINTR) {
    }
    return status;
}

__attribute__((noinline)) int wait_tool(int call) {
    int result;
    while ((result = UNWOUND(pf_tool_wait(call))) < 0 && errno == EINTR) {
    }
    return result;
}

__attribute__((noinline)) void read_stdin(g_text *text) {
    char buf[4096];
    ssize_t n;
    g_text_adds(text, "");
    while ((n = UNWOUND(read(STDIN_FILENO, buf, sizeof buf))) != 0) {
        if (n > 0) g_text_add(text, buf, (size_t)n);
        else if (errno != EINTR) break;
    }
}

char *stdin_text(size_t *len) {
    g_text text = {0};
    read_stdin(&text);
    *len = text.len;
    return text.s;
}

void out_begin(void) {
    if (getenv("_STDBUF_O") || isatty(STDOUT_FILENO)) return; /* g_out.c decides */
    g_stdout.buf = g_alloc(HELD);
    g_stdout.cap = HELD;
}

__attribute__((noinline)) void out_wait(bool all) {
    size_t done = 0;
    if (g_stdout.error || (!all && g_stdout.len < MUCH)) return;
    while (done < g_stdout.len) {
        ssize_t n = UNWOUND(write(STDOUT_FILENO, g_stdout.buf + done, g_stdout.len - done));
        if (n > 0) done += (size_t)n;
        else if (n == 0 || errno != EINTR) break; /* the flush below meets the same, and tells of it */
    }
    memmove(g_stdout.buf, g_stdout.buf + done, g_stdout.len - done);
    g_stdout.len -= done;
    if (g_stdout.len) g_out_flush();
}
