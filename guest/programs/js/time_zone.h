/*
 * time_zone.h: zones by name, and what people call them.
 */
#ifndef JS_TIME_ZONE_H
#define JS_TIME_ZONE_H

#include "lib/zone/zone.h"

/* As pf_zone_new() has it; the last few are kept. Valid until the next call. NULL: no memory. */
const struct pf_zone *time_zone(const char *name);

/* "Central European Summer Time"; "GMT+04:00" where no name is known. In `room`, or constant. */
#define TIME_ZONE_NAME_BYTES 32
const char *time_zone_long_name(const char *zone, const struct pf_zone_kind *kind,
                                char room[TIME_ZONE_NAME_BYTES]);

#endif
