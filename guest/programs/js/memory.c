/*
 * memory.c: malloc for QuickJS, with a reserve; see memory.h.
 */
#include "memory.h"

#include <malloc.h>
#include <stdlib.h>

#include "quickjs_open.h"

#define RESERVE_BYTES (512u << 10)
/* A program that never allocated so much at once needs no reserve: limits are far away. */
#define LARGE_BYTES (8u << 20)

static void *reserve;
static size_t allocated; /* bytes asked for since the start, frees not counted */

/* An allocation failed: later ones have what the reserve held. */
static void *give_up(void) {
    free(reserve);
    reserve = NULL;
    quickjs_memory_failed = true;
    return NULL;
}

static void *memory_calloc(void *opaque, size_t count, size_t size) {
    (void)opaque;
    void *block = calloc(count, size);
    allocated += count * size;
    return block ? block : give_up();
}

static void *memory_malloc(void *opaque, size_t size) {
    (void)opaque;
    void *block = malloc(size);
    allocated += size;
    return block ? block : give_up();
}

static void memory_free(void *opaque, void *block) {
    (void)opaque;
    free(block);
}

static void *memory_realloc(void *opaque, void *old, size_t size) {
    (void)opaque;
    void *block = realloc(old, size);
    allocated += size;
    return block || size == 0 ? block : give_up();
}

static size_t usable_size(const void *block) {
    return malloc_usable_size((void *)block);
}

const JSMallocFunctions memory_functions = {memory_calloc, memory_malloc, memory_free,
                                            memory_realloc, usable_size};

void memory_restock(void) {
    if (reserve || allocated <= LARGE_BYTES) return;
    reserve = malloc(RESERVE_BYTES);
    if (reserve) quickjs_memory_failed = false; /* what failed was done without, long ago */
}
