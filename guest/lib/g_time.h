/*
 * g_time.h: civil time with time zones, and its text.
 *
 * The zone is that of $TZ: a name of the zone database (/usr/share/zoneinfo), a POSIX rule such as
 * EST5EDT,M3.2.0,M11.1.0, or UTC (lib/zone). Years are 64 bits wide, other than struct tm's.
 */
#ifndef G_TIME_H
#define G_TIME_H

#include "g_program.h"

typedef struct {
    int64_t year; /* 2024 */
    int month;    /* 0 .. 11 */
    int day;      /* 1 .. 31 */
    int hour, minute, second;
    int weekday;  /* 0: Sunday */
    int yearday;  /* 0 .. 365 */
    int dst;      /* 1: daylight saving time, 0: not; -1: unknown, for g_time_from */
    int32_t offset;  /* seconds east of UTC */
    char zone[16];
} g_civil;

/* Chooses the zone for what follows; NULL: from the environment again. */
void g_zone_set(const char *tz);

/* The civil time of a moment (seconds since 1970) in UTC. */
void g_civil_utc(int64_t t, g_civil *out);
void g_civil_local(int64_t t, g_civil *out); /* The same in the zone chosen. */
/* Seconds since the epoch of a civil time; fields may be out of range and are carried over.
 * Local: false when there is no such moment (the hour that a change to summer time skips). */
int64_t g_time_from_utc(const g_civil *civil);
/* In the zone chosen; `dst` may be -1. */
bool g_time_from_local(const g_civil *civil, int64_t *out);

/* Days since 1970-01-01 and back. */
int64_t g_days_from(int64_t year, int month, int day);
int g_days_in_month(int64_t year, int month); /* Of `month` 0 .. 11. */

/* In full; January and Sunday are the first. Short names are their first three letters. */
extern const char *const g_month_names[12], *const g_day_names[7];

/*
 * strftime with GNU's extensions (flags _-0^#, widths, %N %:z %::z %s %P %k %l …). Returns fresh
 * memory, NUL-terminated; a conversion that does not exist stays as it is.
 */
char *g_strftime(const char *format, const g_civil *civil, int64_t t, int nanoseconds, size_t *len);

typedef struct {
    int64_t seconds;
    int nanoseconds;
} g_moment;
g_moment g_now(void); /* The time of the clock. */

/* date -d: what GNU's date parser understands. `now` is the base. False when it does not. */
bool g_date_parse(const char *text, g_moment now, g_moment *out);

#endif
