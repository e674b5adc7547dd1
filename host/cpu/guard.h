/*
 * host/cpu/guard.h: the limits that generated code checks in a build without signal handlers
 * (PF_SIGNALS=OFF).
 *
 * At each function's entry and each loop's head it compares its stack pointer with a limit: one
 * comparison for both the end of the stack and the end of its time, because whoever wants it to
 * stop (host/cpu/ticker.c) raises the limit above every stack. So it stops between two of its own
 * instructions, never inside the host's. cmake/checked_image.py puts the checks there.
 *
 * The limit belongs to the thread that runs the instance, and is reached through the instance: a
 * program that was parked may go on on another thread, where its compiler still holds an address
 * of thread-local storage for valid.
 */
#ifndef PF_CPU_GUARD_H
#define PF_CPU_GUARD_H

#include <stdint.h>

struct cpu_guard {
    volatile uintptr_t limit; /* the lowest stack pointer to go on with; others write it, whole */
};

/* The caller's stack pointer is below the limit: returns if there was no reason for it, otherwise
 * ends the program or gives the kernel up. */
void cpu_struck(struct cpu_guard *guard) __attribute__((cold));

#if defined(__x86_64__)
#define CPU_BELOW(guard, below)                                                                    \
    __asm__ volatile("cmpq %1, %%rsp" : "=@ccb"(below) : "m"((guard)->limit))
#elif defined(__aarch64__)
#define CPU_BELOW(guard, below)                                                                    \
    __asm__ volatile("cmp sp, %1" : "=@cclo"(below) : "r"((guard)->limit))
#else
#error "host/cpu/guard.h needs the comparison with this machine's stack pointer"
#endif

#define CPU_CHECK(guard)                                                                           \
    do {                                                                                           \
        int below_limit;                                                                           \
        CPU_BELOW(guard, below_limit);                                                             \
        if (__builtin_expect(below_limit, 0)) cpu_struck(guard);                                   \
    } while (0)

#endif
