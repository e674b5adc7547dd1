/* limits.h: wasi-libc's, with the sandbox's values (abi/limits.h). */
#ifndef PF_POSIX_LIMITS_H
#define PF_POSIX_LIMITS_H

#include_next <limits.h>

#undef ARG_MAX
#define ARG_MAX 2097152
#undef PIPE_BUF
#define PIPE_BUF 4096
#undef HOST_NAME_MAX
#define HOST_NAME_MAX 64
#ifndef LOGIN_NAME_MAX
#define LOGIN_NAME_MAX 256
#endif
#ifndef LINE_MAX
#define LINE_MAX 2048
#endif

#endif
