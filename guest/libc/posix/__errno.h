/*
 * __errno.h: errno, as a Linux number.
 *
 * The upper half of wasi-libc stores WASI's numbers in a variable of its own; reading errno takes
 * over what it left there and translates it.
 */
#ifndef PF_POSIX_ERRNO_H
#define PF_POSIX_ERRNO_H

#ifdef __cplusplus
extern "C" {
#endif

int *__pf_errno(void);
#define errno (*__pf_errno())

#ifdef __cplusplus
}
#endif

#endif
