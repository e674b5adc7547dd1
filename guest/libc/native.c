/*
 * native.c: pf.h for a plain Linux process, for tests, sanitizers and fuzzing.
 *
 * Honest where Linux has an equivalent; tools and runs do not exist here and say so.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "abi/types.h"
#include "pf.h"

extern char **environ;

void pf_yield(void) {}

const char *pf_applet(void) { return program_invocation_short_name; }

void pf_set_unwindable(int whole_stack) { (void)whole_stack; }

int pf_wait_unwound(struct pollfd *fds, int count, int64_t timeout_ns) {
    struct timespec limit = {timeout_ns / 1000000000, timeout_ns % 1000000000};
    return ppoll(fds, (nfds_t)count, timeout_ns < 0 ? NULL : &limit, NULL);
}

static int no_tools(void) {
    errno = ENOSYS;
    return -1;
}

int pf_tool_start(const char *json, size_t len) {
    (void)json;
    (void)len;
    return no_tools();
}
int pf_tool_next(void) { return no_tools(); }
int pf_tool_wait(int id) {
    (void)id;
    return no_tools();
}
char *pf_tool_take(int id, int *outcome, size_t *len) {
    (void)id;
    (void)outcome;
    (void)len;
    no_tools();
    return NULL;
}
int pf_tool_close(int id) {
    (void)id;
    return no_tools();
}

int pf_run_next(int status) {
    (void)status;
    return no_tools();
}
char *pf_run_text(size_t *len) {
    (void)len;
    errno = ENODATA;
    return NULL;
}
int pf_run_value(const char *json, size_t len) {
    (void)json;
    (void)len;
    return no_tools();
}

void pf_random(void *buf, size_t len) {
    for (char *at = buf; len;) {
        ssize_t n = getrandom(at, len, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) abort();
        at += n;
        len -= (size_t)n;
    }
}

/* The loader of the executable saves them: glibc passes them to every constructor. */
static int started_argc;
static char **started_argv;
__attribute__((constructor)) static void save_arguments(int argc, char **argv) {
    started_argc = argc;
    started_argv = argv;
}

void pf_booted(int *argc, char ***argv) {
    *argc = started_argc;
    *argv = started_argv;
}
