/*
 * host/base/clock.c: see clock.h.
 */
#include "clock.h"

#include <time.h>

static int64_t read_clock(clockid_t id) {
    struct timespec now = {0};
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t base_clock_monotonic(void) {
    return read_clock(CLOCK_MONOTONIC);
}
int64_t base_clock_realtime(void) {
    return read_clock(CLOCK_REALTIME);
}
