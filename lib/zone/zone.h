/*
 * lib/zone/zone.h: time zones: files of the zone database (TZif, RFC 8536) and POSIX TZ rules
 * (XBD 8.3). For the guest's C library and, since natively that is another one, its commands.
 *
 * Moments are seconds since 1970-01-01 00:00 UTC; a civil time is the same count for a clock that
 * shows local time. No state of its own: a zone may be used by several threads.
 */
#ifndef PF_ZONE_H
#define PF_ZONE_H

#include <stdbool.h>
#include <stdint.h>

struct pf_zone_kind {
    int32_t offset; /* seconds east of UTC */
    bool dst;       /* daylight saving time */
    char name[16];  /* "CEST" */
};

/*
 * The zone that TZ=`tz` means: a name below /usr/share/zoneinfo, a path, or a rule such as
 * EST5EDT,M3.2.0,M11.1.0; NULL: /etc/localtime. What is none of them is UTC under its own name, as
 * with glibc. pf_zone_free() it. NULL: no memory.
 */
struct pf_zone *pf_zone_new(const char *tz);
void pf_zone_free(struct pf_zone *zone); /* NULL is allowed */

/* What is in force at a moment; it belongs to the zone. */
const struct pf_zone_kind *pf_zone_at(const struct pf_zone *zone, int64_t moment);
/*
 * The moment of a civil time, as mktime() chooses it: `dst` 1 or 0 says which of two kinds of time
 * is meant, -1 that it is not known. False: there is none, in the hour that a change skips; *out is
 * then what the clock would have shown without the change.
 */
bool pf_zone_moment(const struct pf_zone *zone, int64_t civil, int dst, int64_t *out);

/* Days since 1970-01-01 in the proleptic Gregorian calendar. `month` 0 is January; may be any. */
int64_t pf_days_from(int64_t year, int month, int day);
int pf_days_in_month(int64_t year, int month); /* 0 .. 11 */
int64_t pf_year_of(int64_t days); /* The year of a day since 1970-01-01. */

#endif
