/* __header_time.h: what time.h takes from the system: clocks by Linux's numbers. */
#ifndef PF_POSIX_HEADER_TIME_H
#define PF_POSIX_HEADER_TIME_H

#define __need_size_t
#define __need_NULL
#include <stddef.h>

#include <__typedef_time_t.h>
#include <__struct_timespec.h>
#include <__struct_tm.h>
#include <__typedef_clockid_t.h>

#define CLOCK_REALTIME           0
#define CLOCK_MONOTONIC          1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID  3
#define CLOCK_MONOTONIC_RAW      4
#define CLOCK_REALTIME_COARSE    5
#define CLOCK_MONOTONIC_COARSE   6
#define CLOCK_BOOTTIME           7

#define TIMER_ABSTIME 1
#define TIME_UTC      1

#define CLOCKS_PER_SEC ((clock_t)1000000)

#endif
