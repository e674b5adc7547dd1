/* string.h: wasi-libc's, with GNU's strerror_r and the texts of signals. */
#ifndef PF_POSIX_STRING_H
#define PF_POSIX_STRING_H

#define strerror_r __pf_wasi_strerror_r
#include_next <string.h>
#undef strerror_r

#ifdef __cplusplus
extern "C" {
#endif

char *strerror_r(int, char *, size_t);
char *strsignal(int);
const char *strerrorname_np(int);
const char *strerrordesc_np(int);

#ifdef __cplusplus
}
#endif

#endif
