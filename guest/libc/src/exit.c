/* exit.c: ending without clean-up; exit() itself is wasi-libc's. */
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"

/* mman.c: absent in programs that map nothing. */
__attribute__((weak)) void __pf_write_mappings(void);

_Noreturn void _exit(int status) {
    if (__pf_write_mappings) __pf_write_mappings();
    __pf_exit(status);
}
_Noreturn void _Exit(int status) { _exit(status); }
