/*
 * zone.c: local time, by the zone of $TZ. wasi-libc's localtime(), mktime() and strftime() ask the
 * three functions that are named as musl names them; its own know UTC only.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "internal.h"
#include "lib/zone/zone.h"

const char __utc[] = "UTC";
char *tzname[2] = {(char *)__utc, (char *)__utc};
long timezone;
int daylight;

/* Names of zones that were handed out: struct tm keeps a pointer to one, whatever $TZ is later. */
static struct name {
    struct name *next;
    char text[sizeof((struct pf_zone_kind *)0)->name];
} *names;

static const char *keep(const char *text) {
    for (struct name *name = names; name; name = name->next)
        if (strcmp(name->text, text) == 0) return name->text;
    struct name *name = malloc(sizeof *name);
    if (!name) return __utc;
    strcpy(name->text, text);
    name->next = names;
    names = name;
    return name->text;
}

/* The zone of $TZ as it is now; NULL: no memory. */
static const struct pf_zone *current(void) {
    static struct pf_zone *zone;
    static char *known; /* $TZ that it was loaded for; NULL: none */
    const char *tz = getenv("TZ");
    bool same = tz ? known && strcmp(tz, known) == 0 : !known;
    if (zone && same) return zone;
    pf_zone_free(zone);
    free(known);
    known = tz ? strdup(tz) : NULL;
    return zone = pf_zone_new(tz);
}

/* What is in force 30 days after one another, for a year: the other kind of time, if there is
 * one. */
static const struct pf_zone_kind *other_kind(const struct pf_zone *zone, int64_t t, bool dst) {
    for (int month = 1; month <= 12; month++) {
        const struct pf_zone_kind *kind = pf_zone_at(zone, t + month * 30ll * 86400);
        if (kind->dst != dst) return kind;
    }
    return NULL;
}

void __secs_to_zone(long long t, int local, int *isdst, int *offset, long *other,
                    const char **name);
void __secs_to_zone(long long t, int local, int *isdst, int *offset, long *other,
                    const char **name) {
    const struct pf_zone *zone = current();
    int64_t moment = t;
    *isdst = *offset = 0;
    *name = __utc;
    if (other) *other = 0;
    if (!zone) return;
    if (local) pf_zone_moment(zone, t, -1, &moment);
    const struct pf_zone_kind *kind = pf_zone_at(zone, moment);
    *isdst = kind->dst;
    *offset = kind->offset;
    *name = keep(kind->name);
    if (!other) return;
    const struct pf_zone_kind *opposite = other_kind(zone, moment, kind->dst);
    *other = opposite ? opposite->offset : kind->offset;
}

const char *__tm_to_tzname(const struct tm *tm);
const char *__tm_to_tzname(const struct tm *tm) {
    const char *zone = tm->tm_zone; /* a program may leave anything there */
    if (zone == __utc) return zone;
    for (struct name *name = names; name; name = name->next)
        if (zone == name->text) return zone;
    return "";
}

void tzset(void) {
    const struct pf_zone *zone = current();
    if (!zone) return;
    const int64_t some = 1767225600; /* the rules of 2026 */
    const struct pf_zone_kind *kind = pf_zone_at(zone, some),
                              *other = other_kind(zone, some, kind->dst);
    const struct pf_zone_kind *standard = kind->dst && other ? other : kind;
    tzname[0] = (char *)keep(standard->name);
    tzname[1] = other ? (char *)keep((kind->dst ? kind : other)->name) : tzname[0];
    timezone = -standard->offset;
    daylight = other != NULL;
}
