/*
 * g_zone.c: civil time in the zone of the environment; zones themselves are lib/zone.
 */
#include "g_time.h"
#include "lib/zone/zone.h"

#include <stdlib.h>
#include <string.h>

static struct pf_zone *zone; /* NULL: not loaded yet */

static void load(const char *tz) {
    pf_zone_free(zone);
    zone = pf_zone_new(tz);
    if (!zone) g_die(1, "memory exhausted");
}

void g_zone_set(const char *tz) {
    if (tz) {
        load(tz);
    } else {
        pf_zone_free(zone);
        zone = NULL;
    }
}

static const struct pf_zone *current(void) {
    if (!zone) load(getenv("TZ"));
    return zone;
}

int64_t g_days_from(int64_t year, int month, int day) { return pf_days_from(year, month, day); }
int g_days_in_month(int64_t year, int month) { return pf_days_in_month(year, month); }

static void civil_from(int64_t t, g_civil *out) {
    int64_t days = t / 86400, rest = t % 86400;
    if (rest < 0) {
        rest += 86400;
        days--;
    }
    out->hour = (int)(rest / 3600);
    out->minute = (int)(rest / 60 % 60);
    out->second = (int)(rest % 60);
    out->weekday = (int)(((days + 4) % 7 + 7) % 7);
    out->year = pf_year_of(days);
    out->yearday = (int)(days - pf_days_from(out->year, 0, 1));
    out->day = out->yearday + 1;
    for (out->month = 0; out->day > pf_days_in_month(out->year, out->month); out->month++)
        out->day -= pf_days_in_month(out->year, out->month);
}

void g_civil_utc(int64_t t, g_civil *out) {
    civil_from(t, out);
    out->dst = 0;
    out->offset = 0;
    strcpy(out->zone, "UTC");
}

int64_t g_time_from_utc(const g_civil *c) {
    return pf_days_from(c->year, c->month, 1) * 86400 + (int64_t)(c->day - 1) * 86400 +
           (int64_t)c->hour * 3600 + (int64_t)c->minute * 60 + c->second;
}

void g_civil_local(int64_t t, g_civil *out) {
    const struct pf_zone_kind *kind = pf_zone_at(current(), t);
    civil_from(t + kind->offset, out);
    out->dst = kind->dst;
    out->offset = kind->offset;
    strcpy(out->zone, kind->name);
}

bool g_time_from_local(const g_civil *civil, int64_t *out) {
    return pf_zone_moment(current(), g_time_from_utc(civil), civil->dst, out);
}
