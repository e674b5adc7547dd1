/* math.h: wasi-libc's, and glibc's old name for lgamma(). */
#ifndef PF_POSIX_MATH_H
#define PF_POSIX_MATH_H

#include_next <math.h>

#ifdef __cplusplus
extern "C" {
#endif

double gamma(double);

#ifdef __cplusplus
}
#endif

#endif
