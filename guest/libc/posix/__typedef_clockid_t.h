/* __typedef_clockid_t.h: Linux's numbers in place of WASI's addresses. */
#ifndef PF_POSIX_CLOCKID_T_H
#define PF_POSIX_CLOCKID_T_H

typedef int clockid_t;

#endif
