/*
 * js/engine/include/sys/random.h: what wasi-libc's <sys/random.h> lacks of that of Linux.
 */
#ifndef PF_ENGINE_SYS_RANDOM_H
#define PF_ENGINE_SYS_RANDOM_H

#include_next <sys/random.h>
#include <sys/types.h>

/* As Linux's, of at most 256 bytes. lacking.c */
ssize_t getrandom(void *to, size_t len, unsigned flags);

#endif
