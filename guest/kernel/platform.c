/*
 * platform.c: where the kernel ends: the exports of the wasm module and its memory, and for tests
 * on the native system a region that stands for that memory.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* MAP_ANONYMOUS, for the native half */
#endif
#include "kernel.h"

struct pf_mailbox k_mailbox = {.room = UINT64_MAX};

#ifdef __wasm__

#define EXPORT(name) __attribute__((export_name(name)))
#define WASM_PAGE    65536u

_Static_assert(K_TREE_IN + PF_IO_MAX <= PF_MESSAGE_IN_MAX, "a list and its input must fit");

uint8_t *k_tree_area(void) {
    return k_platform_in + K_TREE_IN;
}

_Noreturn void k_panic(const char *file, int line) {
    (void)file;
    (void)line;
    __builtin_trap();
}

void *k_memory_more(size_t alignment, size_t bytes) {
    size_t end = __builtin_wasm_memory_size(0) * WASM_PAGE;
    size_t start = (end + alignment - 1) & ~(alignment - 1);
    if (start < end || start + bytes < start) return NULL;
    size_t pages = (start + bytes - end) / WASM_PAGE;
    if (__builtin_wasm_memory_grow(0, pages) == (size_t)-1) return NULL;
    return (void *)start;
}

EXPORT("pf_kernel_mailbox") uint32_t pf_kernel_mailbox(void) {
    k_mailbox.in_area = (uint32_t)(uintptr_t)k_platform_in;
    k_mailbox.in_cap = sizeof k_platform_in;
    return (uint32_t)(uintptr_t)&k_mailbox;
}

EXPORT("pf_kernel_boot") int32_t pf_kernel_boot(void) {
    pf_kernel_mailbox();
    return k_boot(k_platform_in, k_mailbox.msg.in_len);
}

EXPORT("pf_kernel_call") uint32_t pf_kernel_call(uint32_t proc) {
    uint32_t action = k_call(proc, &k_mailbox.msg, k_platform_in);
    k_mailbox.msg.out = (uint32_t)(uintptr_t)k_answered();
    return action;
}

EXPORT("pf_kernel_next") void pf_kernel_next(void) {
    k_next(&k_mailbox.event);
}

#else

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define REGION ((size_t)1 << 30)

static char *region;
static size_t region_used;

uint8_t *k_tree_area(void) {
    static uint8_t area[PF_IO_MAX] __attribute__((aligned(16)));
    return area;
}

_Noreturn void k_panic(const char *file, int line) {
    fprintf(stderr, "%s:%d: kernel invariant does not hold\n", file, line);
    abort();
}

void *k_memory_more(size_t alignment, size_t bytes) {
    if (!region) {
        region = mmap(NULL, REGION, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (region == MAP_FAILED) k_panic(__FILE_NAME__, __LINE__);
    }
    uintptr_t start = ((uintptr_t)region + region_used + alignment - 1) & ~(alignment - 1);
    if (start + bytes > (uintptr_t)region + REGION) return NULL;
    region_used = start + bytes - (uintptr_t)region;
    return (void *)start;
}

void k_native_reset(void) {
    if (region) munmap(region, REGION);
    region = NULL;
    region_used = 0;
    memset(&k_mailbox, 0, sizeof k_mailbox);
    k_mailbox.room = UINT64_MAX;
}

#endif

#ifdef PF_BUILD_NOTE
__attribute__((used, retain)) static char note[PF_BUILD_NOTE * 4096] = {1};
#endif
