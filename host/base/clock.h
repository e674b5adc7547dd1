/*
 * host/base/clock.h: the host's clocks, in nanoseconds. The only place that reads them.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

int64_t base_clock_monotonic(void); /* never goes back; from an arbitrary start */
int64_t base_clock_realtime(void);  /* since the Unix epoch */

#endif
