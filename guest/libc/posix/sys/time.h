/* sys/time.h: time of day, interval timer, file times. */
#ifndef PF_POSIX_SYS_TIME_H
#define PF_POSIX_SYS_TIME_H

#include <sys/select.h>

#ifdef __cplusplus
extern "C" {
#endif

struct timezone {
    int tz_minuteswest, tz_dsttime;
};
struct itimerval {
    struct timeval it_interval, it_value;
};
#define ITIMER_REAL    0
#define ITIMER_VIRTUAL 1
#define ITIMER_PROF    2

int gettimeofday(struct timeval *__restrict, void *__restrict);
int getitimer(int, struct itimerval *);
int setitimer(int, const struct itimerval *__restrict, struct itimerval *__restrict);
int utimes(const char *, const struct timeval[2]);
int lutimes(const char *, const struct timeval[2]);
int futimes(int, const struct timeval[2]);

#define timerisset(t) ((t)->tv_sec || (t)->tv_usec)
#define timerclear(t) ((t)->tv_sec = (t)->tv_usec = 0)
#define timercmp(a, b, op) \
    ((a)->tv_sec == (b)->tv_sec ? (a)->tv_usec op(b)->tv_usec : (a)->tv_sec op(b)->tv_sec)
#define timeradd(a, b, sum)                          \
    do {                                             \
        (sum)->tv_sec = (a)->tv_sec + (b)->tv_sec;   \
        (sum)->tv_usec = (a)->tv_usec + (b)->tv_usec; \
        if ((sum)->tv_usec >= 1000000) {             \
            (sum)->tv_sec++;                         \
            (sum)->tv_usec -= 1000000;               \
        }                                            \
    } while (0)
#define timersub(a, b, difference)                          \
    do {                                                    \
        (difference)->tv_sec = (a)->tv_sec - (b)->tv_sec;   \
        (difference)->tv_usec = (a)->tv_usec - (b)->tv_usec; \
        if ((difference)->tv_usec < 0) {                    \
            (difference)->tv_sec--;                         \
            (difference)->tv_usec += 1000000;               \
        }                                                   \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif
