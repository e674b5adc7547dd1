/* bulk.c: memory by wasm's bulk instructions, which the host turns into its own memcpy. */
#include <string.h>

/* clang makes one instruction of each of these; it would be a call of itself without
 * -mbulk-memory. */
#ifndef __wasm_bulk_memory__
#error "compile this with -mbulk-memory"
#endif

void *memcpy(void *restrict to, const void *restrict from, size_t len) {
    return __builtin_memcpy(to, from, len);
}
void *memmove(void *to, const void *from, size_t len) { return __builtin_memmove(to, from, len); }
void *memset(void *to, int byte, size_t len) { return __builtin_memset(to, byte, len); }
