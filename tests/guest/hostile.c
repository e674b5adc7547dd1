/*
 * tests/guest/hostile.c: a program that does not use the C library's idea of the kernel: it sends
 * random messages, true and false lengths, every call number and every range, from children that
 * may destroy themselves. TEST: not part of the product.
 *
 * usage: hostile SEED CHILDREN
 *        hostile fault      reads far outside its memory
 *        hostile stain HOW  looks whether its constants are as compiled, then spoils them: by `store`,
 *                           by a `call` that answers there, in a `fork`, or not at all
 *        hostile reach      one access at, or over, each edge of its memory, each from a child
 *        hostile deep       calls itself for ever, without any memory
 *        hostile endless    a loop that makes no calls
 *        hostile spread     calls without loops or depth, for longer than anybody waits
 *        hostile edges      one message at, or with a range over, each edge, each from a child
 *
 * Prints `done` when it came through; what it does to its own process is its own business.
 */
#include <pf.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "abi/limits.h"
#include "abi/message.h"

enum { MESSAGES = 300 };

static uint64_t state;

#ifdef __wasm__
static uint32_t any(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

__attribute__((import_module("pf"), import_name("call"))) void
__pf_import_call(struct pf_message *message);
uint32_t pf_asyncify(void);

static char buffer[1 << 17];

static uint32_t memory_end(void) {
    return (uint32_t)__builtin_wasm_memory_size(0) << 16;
}

/* Mostly ranges inside: one outside ends the process. */
static uint32_t address(void) {
    switch (any() % 400) {
    case 0: return 0;
    case 1: return memory_end() - any() % 64;
    case 2: return UINT32_MAX - any() % 64;
    case 3: return any();
    case 4: return any() % memory_end();
    default: return (uint32_t)(uintptr_t)buffer + any() % 4096;
    }
}

static uint32_t length(void) {
    static const uint32_t some[] = {0,     1,      8,        48,       64,
                                    255,   4095,   4096,     65535,    65536,
                                    65537, 131072, 1u << 20, 1u << 31, UINT32_MAX};
    uint32_t last = any() % 100 ? 9 : sizeof some / sizeof *some; /* the rest is too long */
    return any() % 3 ? some[any() % last] : any() % 300;
}

static int64_t argument(void) {
    static const int64_t some[] = {0,
                                   1,
                                   2,
                                   3,
                                   -1,
                                   -2,
                                   -100,
                                   63,
                                   64,
                                   255,
                                   256,
                                   4096,
                                   1 << 20,
                                   INT32_MAX,
                                   INT32_MIN,
                                   UINT32_MAX,
                                   INT64_MAX,
                                   INT64_MIN,
                                   (int64_t)1 << 40};
    return any() % 2 ? some[any() % (sizeof some / sizeof *some)] : (int64_t)(any() % 16);
}

/* Paths, vectors of words and plain noise. */
static void fill(void) {
    static const char *const texts[] = {
        "/tmp/x", "x",         "..",        "/proc/self/exe", "/dev/fd/1",
        "",       "a/../../b", "/bin/echo", "/tmp/x\0/tmp/y", "////tmp///"};
    for (int i = 0; i < 64; i++) {
        uint32_t at = any() % (sizeof buffer - 64), word = any() % 3 ? any() % 64 : any();
        if (any() % 2)
            memcpy(buffer + at, &word, 4);
        else
            memcpy(buffer + at, texts[any() % 10], 16);
    }
    memcpy(buffer, texts[any() % 10], 16);
}

/* Lies about where Asyncify keeps the C stack, as a program can whose memory was taken over: the
 * host must not run Asyncify's functions on it as if it were its own. */
static void spoil(void) {
    uint32_t *stack = (uint32_t *)(uintptr_t)pf_asyncify();
    switch (any() % 4) {
    case 0: stack[0] = stack[1] + 8; break;
    case 1: stack[1] = 0; break;
    case 2: stack[0] = memory_end() - 4; break;
    default: stack[any() % 2] = any();
    }
}

static void fault(void) {
    (void)*(volatile char *)(uintptr_t)(memory_end() + 100);
}

/* The n-th access: up to 7 it is at the very end, then over it; false: there are no more. */
static bool reach(unsigned n) {
    uint32_t end = memory_end();
    uint8_t *over = (uint8_t *)(uintptr_t)(end - (n < 8 ? 1u << n % 4 : (1u << n % 4) - 1));
    uint8_t *all = (uint8_t *)(uintptr_t)(end - 4096);
    volatile size_t len = n % 2 ? 4097 : 4096;
    switch (n) {
    case 0:
    case 8: (void)*(volatile uint8_t *)over; break;
    case 1:
    case 9: (void)*(volatile uint16_t *)over; break;
    case 2:
    case 10: (void)*(volatile uint32_t *)over; break;
    case 3:
    case 11: (void)*(volatile uint64_t *)over; break;
    case 4:
    case 12: *(volatile uint8_t *)over = 1; break;
    case 5:
    case 13: *(volatile uint16_t *)over = 1; break;
    case 6:
    case 14: *(volatile uint32_t *)over = 1; break;
    case 7:
    case 15: *(volatile uint64_t *)over = 1; break;
    case 16: (void)*(volatile uint64_t *)(uintptr_t)UINT32_MAX; break;
    case 17: memset(all, 1, len); break;
    case 18: memset(all, 1, len); break;
    case 19: memmove(all, all - 8192, len); break;
    case 20: memmove(all, all - 8192, len); break;
    case 21: memmove(all - 8192, all, len); break;
    case 22: memmove(all - 8192, all, len); break;
    default: return false;
    }
    return true;
}

static volatile bool stop;
static __attribute__((noinline)) unsigned deep(unsigned n) {
    return stop ? n : deep(n + 1) * 3 + (n ^ deep(n + 2));
}
static __attribute__((noinline)) unsigned spread(unsigned n) {
    return stop || n == 0 ? 1 : spread(n - 1) * 3 + spread(n - 1);
}
static void endless(void) {
    while (!stop) {
    }
}

/* The n-th wrong message; false: there are no more. Memory is larger than the kernel's meanwhile.
 */
static bool edge(unsigned n) {
    static const uint32_t before_end[] = {8, 16, sizeof(struct pf_message) - 8};
    struct pf_message m = {.call = 4, .arg = {1}, .in = (uint32_t)(uintptr_t)buffer};
    __builtin_wasm_memory_grow(0, 1024);
    uint32_t end = memory_end();
    if (n < 3) {
        __pf_import_call((struct pf_message *)(uintptr_t)(end - before_end[n]));
    } else if (n < 6) {
        __pf_import_call((struct pf_message *)(uintptr_t)(UINT32_MAX - 7 - 8 * (n - 3)));
    } else if (n == 6) {
        __pf_import_call((struct pf_message *)(uintptr_t)end);
    } else if (n < 11) { /* ranges that end one behind, at 2^32, and behind it */
        uint32_t at = n < 8 ? end - 7 : n < 10 ? UINT32_MAX - 7 : 8;
        uint32_t len = n < 10 ? 8 : UINT32_MAX - 7;
        if (n % 2)
            m.in = at, m.in_len = len;
        else
            m.out = at, m.out_cap = len;
        __pf_import_call(&m);
    } else if (n < 14) { /* lengths that are there, but more than a message holds */
        m.in = 0;
        m.in_len = n == 11 ? PF_MESSAGE_IN_MAX + 1 : end - (n == 12 ? 0 : 65536);
        __pf_import_call(&m);
        return m.result == -7; /* E2BIG: it lives on */
    } else {
        return false;
    }
    _exit(1); /* it should be dead */
}

static void attack(void) {
    if (any() % 4 == 0) spoil();
    for (int i = 0; i < MESSAGES; i++) {
        if (i % 16 == 0) fill();
        struct pf_message m = {
            .call = any() % 8   ? any() % 160
                    : any() % 8 ? 256 + any() % 24
                                : any(),
            .flags = any() % 4 ? 0 : any(),
            .in = address(),
            .in_len = length(),
            .out = address(),
            .out_cap = length(),
            .out_len = any(),
            .reserved = any() % 2 ? 0 : any(),
        };
        for (int k = 0; k < PF_MESSAGE_ARGS; k++) m.arg[k] = argument();
        if (m.call == 68 || m.call == 73) continue; /* EXIT and KILL would only end the fun */
        if (any() % 200 == 0)
            __pf_import_call((struct pf_message *)(uintptr_t)address());
        else
            __pf_import_call(&m);
    }
}
#else
static void attack(void) {}
static void fault(void) {}
static unsigned deep(unsigned n) {
    return n;
}
static unsigned spread(unsigned n) {
    return n;
}
static void endless(void) {}
static bool edge(unsigned n) {
    return n > 0;
}
static bool reach(unsigned n) {
    return n > 0;
}
#endif

/* Both larger than what is worth sealing; one is initialised. */
static unsigned char constants[1 << 17] = {1, 2, 3}, zeros[1 << 18];

static void spoil_bytes(const char *how, unsigned char *at, size_t len) {
    for (size_t i = 0; i < len; i += 4096)
        if (strcmp(how, "call") == 0)
            pf_random(at + i, 4096);
        else
            memset(at + i, 0xee, 4096);
}

static int stain(const char *how) {
    for (size_t i = 0; i < sizeof zeros; i++)
        if (zeros[i] != 0 || (i < sizeof constants && constants[i] != (i < 3 ? i + 1 : 0))) {
            printf("stained at %zu\n", i);
            return 1;
        }
    if (strcmp(how, "not") == 0) return 0;
    pid_t pid = strcmp(how, "fork") == 0 ? fork() : 0;
    if (pid > 0) return waitpid(pid, NULL, 0) == pid ? 0 : 1;
    spoil_bytes(how, constants, sizeof constants);
    spoil_bytes(how, zeros, sizeof zeros);
    return 0;
}

/* Waits a while, then kills: a child may have made itself wait for ever. */
static void reap(pid_t pid) {
    struct timespec moment = {.tv_nsec = 2000000};
    for (int i = 0; i < 5; i++) {
        int status;
        if (waitpid(pid, &status, WNOHANG) == pid) return;
        nanosleep(&moment, NULL);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

int main(int argc, char **argv) {
    const char *what = argc == 2 ? argv[1] : "";
    bool (*each)(unsigned n) = strcmp(what, "edges") == 0   ? edge
                               : strcmp(what, "reach") == 0 ? reach
                                                            : NULL;
    if (each) {
        for (unsigned n = 0;; n++) {
            int status;
            pid_t pid = fork();
            if (pid == 0) _exit(each(n) ? 2 : 3);
            if (waitpid(pid, &status, 0) != pid) return 1;
            if (WIFEXITED(status) && WEXITSTATUS(status) == 3) break;
            if (WIFSIGNALED(status))
                printf("%u signal %d\n", n, WTERMSIG(status));
            else
                printf("%u status %d\n", n, WEXITSTATUS(status));
        }
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "stain") == 0) return stain(argv[2]);
    if (strcmp(what, "fault") == 0) fault();
    if (strcmp(what, "deep") == 0) return (int)deep(1);
    if (strcmp(what, "spread") == 0) return (int)spread(80);
    if (strcmp(what, "endless") == 0) endless();
    if (argc != 3) {
        fprintf(stderr, "usage: hostile SEED CHILDREN\n");
        return 2;
    }
    uint64_t seed = strtoull(argv[1], NULL, 10);
    int children = atoi(argv[2]);
    for (int i = 0; i < children; i++) {
        state = (seed * 1000003 + (uint64_t)i + 1) * 0x9e3779b97f4a7c15u | 1;
        pid_t pid = fork();
        if (pid == 0) {
            setpgid(0, 0); /* kill(0) is for itself */
            attack();
            _exit(0);
        }
        if (pid > 0) reap(pid);
    }
    printf("done\n");
    return 0;
}
