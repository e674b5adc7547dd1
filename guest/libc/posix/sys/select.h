/* sys/select.h: select, with the bit sets of other systems. */
#ifndef PF_POSIX_SYS_SELECT_H
#define PF_POSIX_SYS_SELECT_H

#define __NEED_size_t
#define __NEED_time_t
#define __NEED_suseconds_t
#define __NEED_struct_timeval
#define __NEED_struct_timespec
#define __NEED_sigset_t
#include <bits/alltypes.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FD_SETSIZE 1024
typedef struct {
    unsigned fds_bits[FD_SETSIZE / 32];
} fd_set;

#define FD_ZERO(set)      ((void)__builtin_memset((set), 0, sizeof(fd_set)))
#define FD_SET(fd, set)   ((void)((set)->fds_bits[(fd) / 32] |= 1u << ((fd) % 32)))
#define FD_CLR(fd, set)   ((void)((set)->fds_bits[(fd) / 32] &= ~(1u << ((fd) % 32))))
#define FD_ISSET(fd, set) (!!((set)->fds_bits[(fd) / 32] & 1u << ((fd) % 32)))

int select(int, fd_set *__restrict, fd_set *__restrict, fd_set *__restrict,
           struct timeval *__restrict);
int pselect(int, fd_set *__restrict, fd_set *__restrict, fd_set *__restrict,
            const struct timespec *__restrict, const sigset_t *__restrict);

#ifdef __cplusplus
}
#endif

#endif
