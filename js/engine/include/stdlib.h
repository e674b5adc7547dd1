/*
 * js/engine/include/stdlib.h: what wasi-libc's <stdlib.h> lacks of those of Linux.
 */
#ifndef PF_ENGINE_STDLIB_H
#define PF_ENGINE_STDLIB_H

#include_next <stdlib.h>

/* As glibc's. lacking.c */
void qsort_r(void *base, size_t count, size_t size,
             int (*compare)(const void *, const void *, void *), void *user);

#endif
