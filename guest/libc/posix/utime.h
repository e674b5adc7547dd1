/* utime.h: file times in seconds. */
#ifndef PF_POSIX_UTIME_H
#define PF_POSIX_UTIME_H

#define __NEED_time_t
#include <bits/alltypes.h>

#ifdef __cplusplus
extern "C" {
#endif

struct utimbuf {
    time_t actime, modtime;
};
int utime(const char *, const struct utimbuf *);

#ifdef __cplusplus
}
#endif

#endif
