/* fuzz_sh.h: for fuzzers of the shell's parts. */
#ifndef PF_FUZZ_SH_H
#define PF_FUZZ_SH_H

#include "guest/programs/sh/sh.h"

/* A shell that has started up, made at the first call; it stays for the life of the process. Its
 * messages go nowhere. */
struct shell *the_shell(void);

#endif
