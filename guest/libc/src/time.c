/* time.c: clocks, sleeping, alarms. */
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

extern int64_t __pf_alarm_interval_ns __attribute__((weak)); /* signal.c */

/* The kernel's number for a clock: 0 realtime, 1 monotonic, 2 processor time; -1: unknown. */
static int kernel_clock(clockid_t clock) {
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE: return 0;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME: return 1;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID: return 2;
    default: return -1;
    }
}

static int64_t read_clock(int number) { return PF_SEND(CLOCK, .arg = {number}); }

static struct timespec time_of(int64_t ns) {
    int64_t seconds = ns / PF_NS_PER_S, rest = ns % PF_NS_PER_S;
    if (rest < 0) seconds--, rest += PF_NS_PER_S;
    return (struct timespec){.tv_sec = seconds, .tv_nsec = (long)rest};
}

static int fail(int error) {
    errno = error;
    return -1;
}

int clock_gettime(clockid_t clock, struct timespec *out) {
    int number = kernel_clock(clock);
    if (number < 0) return fail(EINVAL);
    int64_t ns = read_clock(number);
    if (ns < 0) return __pf_result(ns);
    *out = time_of(ns);
    return 0;
}
int clock_getres(clockid_t clock, struct timespec *out) {
    if (kernel_clock(clock) < 0) return fail(EINVAL);
    if (out) *out = (struct timespec){.tv_nsec = 1};
    return 0;
}
int clock_settime(clockid_t clock, const struct timespec *time) {
    (void)time;
    return fail(kernel_clock(clock) < 0 ? EINVAL : EPERM);
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
    (void)zone;
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) < 0) return -1;
    *out = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}
time_t time(time_t *out) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) < 0) return -1;
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}
clock_t clock(void) {
    int64_t ns = read_clock(2);
    return ns < 0 ? -1 : ns / 1000;
}
int timespec_get(struct timespec *out, int base) {
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, out) == 0 ? base : 0;
}

/* A positive errno, as clock_nanosleep() has it. */
static int sleep_for(int number, int64_t ns, int absolute, struct timespec *left) {
    int64_t end = 0;
    if (left && !absolute && __builtin_add_overflow(read_clock(number), ns, &end)) end = INT64_MAX;
    int64_t result = PF_SEND(SLEEP, .arg = {number, ns, absolute});
    if (result == -EINTR && left && !absolute) {
        int64_t rest = end - read_clock(number);
        *left = time_of(rest > 0 ? rest : 0);
    }
    return result < 0 ? (int)-result : 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                    struct timespec *left) {
    int number = kernel_clock(clock);
    if (number < 0 || time->tv_nsec < 0 || time->tv_nsec >= PF_NS_PER_S) return EINVAL;
    if (number == 2) return EOPNOTSUPP;
    int64_t ns = __pf_ns(time->tv_sec, time->tv_nsec);
    if (ns < 0 && !(flags & TIMER_ABSTIME)) return EINVAL;
    return sleep_for(number, ns, (flags & TIMER_ABSTIME) != 0, left);
}
int nanosleep(const struct timespec *time, struct timespec *left) {
    int error = clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
    return error ? fail(error) : 0;
}
unsigned sleep(unsigned seconds) {
    struct timespec left = {0};
    if (nanosleep(&(struct timespec){.tv_sec = seconds}, &left) == 0) return 0;
    return (unsigned)left.tv_sec + (left.tv_nsec > 0);
}
int usleep(unsigned us) {
    return nanosleep(&(struct timespec){us / 1000000, (long)(us % 1000000) * 1000}, NULL);
}

/* Nanoseconds that an earlier alarm had left. */
static int64_t set_alarm(int64_t ns, int64_t interval_ns) {
    if (&__pf_alarm_interval_ns) __pf_alarm_interval_ns = interval_ns;
    return PF_SEND(ALARM, .arg = {ns});
}
unsigned alarm(unsigned seconds) {
    int64_t left = set_alarm(seconds * PF_NS_PER_S, 0);
    if (left <= 0) return 0;
    return (unsigned)((left + PF_NS_PER_S - 1) / PF_NS_PER_S);
}

static struct timeval us_of(int64_t ns) {
    return (struct timeval){.tv_sec = ns / PF_NS_PER_S, .tv_usec = ns % PF_NS_PER_S / 1000};
}
int setitimer(int which, const struct itimerval *restrict new, struct itimerval *restrict old) {
    if (which != ITIMER_REAL) return fail(EINVAL); /* processor time has no timers here */
    int64_t was = &__pf_alarm_interval_ns ? __pf_alarm_interval_ns : 0;
    int64_t left = set_alarm(__pf_ns(new->it_value.tv_sec, new->it_value.tv_usec * 1000),
                             __pf_ns(new->it_interval.tv_sec, new->it_interval.tv_usec * 1000));
    if (left < 0) return __pf_result(left);
    if (old) *old = (struct itimerval){us_of(was), us_of(left)};
    return 0;
}
int getitimer(int which, struct itimerval *out) {
    if (which != ITIMER_REAL) return fail(EINVAL);
    int64_t left = PF_SEND(ALARM, .arg = {0}); /* the only way to look is to cancel */
    if (left < 0) return __pf_result(left);
    if (left > 0) PF_SEND(ALARM, .arg = {left});
    *out = (struct itimerval){us_of(&__pf_alarm_interval_ns ? __pf_alarm_interval_ns : 0),
                              us_of(left)};
    return 0;
}
