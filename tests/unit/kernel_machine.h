/*
 * tests/unit/kernel_machine.h: a host for the kernel's unit tests.
 *
 * It plays the part of the machine: boots a kernel, makes calls for processes and as the host, and
 * follows the scheduler's events. A process is nothing but its index here: the test is its program.
 */
#ifndef KERNEL_MACHINE_H
#define KERNEL_MACHINE_H

#include <stdlib.h>

#include "kernel.h"
#include "check.h"

static uint8_t got[1 << 17]; /* the output of the last call */
static uint32_t got_len;
static uint32_t action; /* of the last call */
static uint32_t reply_flags;
static int64_t reply_arg; /* the first argument, which a few answers use */

struct words {
    int64_t arg[PF_MESSAGE_ARGS];
};

static int64_t call_raw(uint32_t proc, uint32_t number, struct words words, const void *in,
                        size_t in_len, size_t cap, uint32_t flags) {
    static uint8_t area[PF_MESSAGE_IN_MAX]; /* exactly what was sent, so that ASan sees overruns */
    struct pf_message msg = {
        .call = number, .flags = flags, .in_len = (uint32_t)in_len, .out_cap = (uint32_t)cap};
    memcpy(msg.arg, words.arg, sizeof msg.arg);
    uint8_t *copy = area;
    if (in_len < 4096) copy = malloc(in_len ? in_len : 1);
    if (in_len) memcpy(copy, in, in_len);
    action = k_call(proc, &msg, copy);
    got_len = msg.out_len;
    if (got_len > cap || got_len > sizeof got - 1) abort();
    if (got_len) memcpy(got, k_answered(), got_len);
    got[got_len] = 0;
    if (copy != area) free(copy);
    reply_flags = msg.flags;
    reply_arg = msg.arg[0];
    return action == PF_ACTION_FORK ? msg.arg[0] : msg.result;
}

/* CALL(proc, NAME, args…), CALL_IN(proc, NAME, bytes, len, args…), CALL_PATH(proc, NAME, path, …)
 */
#define CALL(proc, name, ...)                                                                      \
    call_raw(proc, PF_CALL_##name, (struct words){{__VA_ARGS__}}, NULL, 0, sizeof got - 1,         \
             PF_MSG_UNWIND)
#define CALL_IN(proc, name, in, len, ...)                                                          \
    call_raw(proc, PF_CALL_##name, (struct words){{__VA_ARGS__}}, in, len, sizeof got - 1,         \
             PF_MSG_UNWIND)
#define CALL_PATH(proc, name, path, ...) CALL_IN(proc, name, path, strlen(path), __VA_ARGS__)
#define CALL_CAP(proc, name, cap, ...)                                                             \
    call_raw(proc, PF_CALL_##name, (struct words){{__VA_ARGS__}}, NULL, 0, cap, PF_MSG_UNWIND)
#define HOST 0u
#define CWD  PF_AT_FDCWD

/* A call with two paths. */
static inline int64_t call_two(uint32_t proc, uint32_t number, const char *a, const char *b,
                               struct words words) {
    char both[9000];
    size_t len = (size_t)snprintf(both, sizeof both, "%s%c%s", a, 0, b) + 1;
    return call_raw(proc, number, words, both, len, sizeof got - 1, PF_MSG_UNWIND);
}
#define CALL_TWO(proc, name, a, b, ...)                                                            \
    call_two(proc, PF_CALL_##name, a, b, (struct words){{__VA_ARGS__}})

static struct pf_event event;

/* The next event that is not a FREE; its process index, 0 when idle. */
static inline uint32_t next(void) {
    do k_next(&event);
    while (event.kind == PF_EVENT_FREE);
    return event.kind == PF_EVENT_IDLE ? 0 : event.proc;
}

static inline void host_file(const char *path, const char *text, uint32_t mode) {
    int64_t fd = CALL_PATH(HOST, OPENAT, path, CWD, PF_O_WRONLY | PF_O_CREAT | PF_O_TRUNC, mode);
    if (fd < 0) abort();
    size_t len = strlen(text);
    if (CALL_IN(HOST, WRITE, text, len, fd) != (int64_t)len) abort();
    CALL(HOST, CLOSE, fd);
    CALL_PATH(HOST, FCHMODAT, path, CWD, mode, 0);
}

/* Builds an exec block: path and a NULL-ended argv; returns its length. */
static uint8_t block[1 << 16];
static inline size_t exec_block(uint32_t flags, const char *path, const char *const *argv) {
    struct pf_exec head = {.flags = flags};
    size_t len = sizeof head;
    head.strings_offset = (uint32_t)len;
    len += (size_t)sprintf((char *)block + len, "%s", path) + 1;
    for (; argv[head.argc]; head.argc++)
        len += (size_t)sprintf((char *)block + len, "%s", argv[head.argc]) + 1;
    head.strings_len = (uint32_t)len - head.strings_offset;
    while (len % 8) block[len++] = 0;
    head.actions_offset = (uint32_t)len;
    memcpy(block, &head, sizeof head);
    return len;
}

/* A fresh kernel with a small root, and a session leader that is running; its index. */
static inline uint32_t boot(void) {
    static const char images[] = "sh\0coreutils\0js";
    k_native_reset();
    if (k_boot((const uint8_t *)images, sizeof images)) abort();
    CALL_PATH(HOST, MKDIRAT, "/bin", CWD, 0755);
    CALL_PATH(HOST, MKDIRAT, "/tmp", CWD, 0755);
    CALL_PATH(HOST, FCHMODAT, "/tmp", CWD, 01777, 0);
    CALL_PATH(HOST, MKDIRAT, "/workspace", CWD, 0755);
    CALL_PATH(HOST, FCHOWNAT, "/workspace", CWD, 1000, 1000, 0);
    host_file("/bin/sh", "\x7fPF1 sh bash\n", 0755);
    host_file("/bin/cat", "\x7fPF1 coreutils cat\n", 0755);
    size_t len = exec_block(0, "/bin/sh", (const char *const[]){"sh", "-x", NULL});
    if (CALL_IN(HOST, HOST_SESSION, block, len) < 0) abort();
    uint32_t proc = next();
    if (event.kind != PF_EVENT_LOAD) abort();
    return proc;
}

/* Forks the running process; the child's index. The parent goes on running. */
static inline uint32_t fork_(uint32_t parent, int64_t *pid) {
    uint32_t child = (uint32_t)CALL(parent, FORK);
    if (action != PF_ACTION_FORK) abort();
    if (CALL(HOST, HOST_FORK_DONE, child, 1)) abort();
    if (next() != parent) abort();
    *pid = CALL(parent, FORK);
    return child;
}

/* Runs `proc` instead of the running process, which stays runnable. */
static inline void switch_to(uint32_t proc) {
    for (int i = 0; i < 3000; i++) {
        k_mailbox.preempt = 1;
        struct k_proc *current = k_current();
        if (current && current->index == proc) {
            k_mailbox.preempt = 0;
            return;
        }
        if (current) CALL(current->index, YIELD, 0);
        if (!next()) abort();
    }
    abort();
}

#endif
