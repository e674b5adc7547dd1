/*
 * memory.c: where malloc gets its memory, and how a program dies of a bug.
 *
 * Neither reaches the kernel, so that the many functions that call malloc() need no Asyncify.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define PAGE 65536u

void *sbrk(intptr_t more) {
    uint32_t size = (uint32_t)__builtin_wasm_memory_size(0) * PAGE;
    if (more == 0) return (void *)(uintptr_t)size;
    size_t pages = ((uint32_t)more + PAGE - 1) / PAGE;
    if (more < 0 || __builtin_wasm_memory_grow(0, pages) == SIZE_MAX) {
        errno = ENOMEM;
        return (void *)-1;
    }
    return (void *)(uintptr_t)size;
}

/* The host takes an unreachable instruction for SIGABRT. */
_Noreturn void abort(void) { __builtin_trap(); }
