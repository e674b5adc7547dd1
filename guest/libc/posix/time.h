/* time.h: wasi-libc's, and what POSIX has besides. */
#ifndef PF_POSIX_TIME_H
#define PF_POSIX_TIME_H

#define _WASI_EMULATED_PROCESS_CLOCKS
#include_next <time.h>

#ifdef __cplusplus
extern "C" {
#endif

extern char *tzname[2];
extern long timezone;
extern int daylight;
void tzset(void);
int clock_settime(clockid_t clock, const struct timespec *time);

#ifdef __cplusplus
}
#endif

#endif
