/*
 * js/engine/system.c: what wasi-libc asks of its system, for modules that have none.
 */
#include <stdint.h>

/* What cannot be goes no further: a trap, which the caller takes as a refusal. */
_Noreturn void __assert_fail(const char *what, const char *file, int line, const char *function) {
    (void)what, (void)file, (void)line, (void)function;
    __builtin_trap();
}

/* Nothing here writes to a stream. */
#define WASI(name, parameters)                                                                     \
    int32_t __imported_wasi_snapshot_preview1_##name parameters { __builtin_trap(); }
WASI(fd_close, (int32_t a))
WASI(fd_seek, (int32_t a, int64_t b, int32_t c, int32_t d))
WASI(fd_write, (int32_t a, int32_t b, int32_t c, int32_t d))
