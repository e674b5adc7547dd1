/*
 * js/engine/lacking.c: what host/ takes from a Linux libc and wasi-libc does not have.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

/* For counters.c: one thread sorts at a time, and no comparison sorts. */
static int (*comparing)(const void *, const void *, void *);
static void *comparing_with;
static int compare(const void *a, const void *b) { return comparing(a, b, comparing_with); }

void qsort_r(void *base, size_t count, size_t size,
             int (*by)(const void *, const void *, void *), void *user) {
    comparing = by;
    comparing_with = user;
    qsort(base, count, size, compare);
}

ssize_t getrandom(void *to, size_t len, unsigned flags) {
    (void)flags;
    return getentropy(to, len) == 0 ? (ssize_t)len : -1;
}

/* compiler-rt was compiled to look at this. */
uintptr_t __stack_chk_guard = 0x00f17bad;
_Noreturn void __stack_chk_fail(void) { __builtin_trap(); }
