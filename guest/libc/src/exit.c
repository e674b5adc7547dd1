/* exit.c: ending without clean-up; exit() itself is wasi-libc's. */
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"

_Noreturn void _exit(int status) { __pf_exit(status); }
_Noreturn void _Exit(int status) { __pf_exit(status); }
