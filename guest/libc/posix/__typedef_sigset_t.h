/* __typedef_sigset_t.h: bit n-1 for signal n. */
#ifndef PF_POSIX_SIGSET_T_H
#define PF_POSIX_SIGSET_T_H

typedef struct {
    unsigned long long bits;
} sigset_t;

#endif
