/*
 * g_zone.c: time zones: TZif files of the zone database and POSIX TZ rules.
 *
 * A zone is a list of moments at which its offset changes and a rule for the time after the last of
 * them. It is loaded at the first conversion.
 */
#include "g_time.h"
#include "g_in.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    int32_t offset;
    bool dst;
    char name[16];
} kind;

/* "M3.2.0/2", "J60", "59": a day of each year and a time of it. */
typedef struct {
    char form; /* M, J, or N for a zero-based day */
    int month, week, day;
    int32_t time;
} change_day;

typedef struct {
    kind standard, summer;
    bool has_summer;
    change_day begin, end; /* of summer time */
} rule;

static struct {
    bool loaded;
    char *tz;          /* chosen with g_zone_set, or NULL */
    size_t count;
    int64_t *moments;
    unsigned char *kind_of;
    kind kinds[64];
    size_t kind_count;
    rule rule;
    bool has_rule;
} zone;

void g_zone_set(const char *tz) {
    free(zone.tz);
    free(zone.moments);
    free(zone.kind_of);
    memset(&zone, 0, sizeof zone);
    if (tz) zone.tz = g_copy_string(tz);
}

int64_t g_days_from(int64_t year, int month, int day) {
    /* Counted from March, so that the leap day ends a year; in cycles of 400 years. */
    year += month / 12 - (month % 12 < 0);
    month = (month % 12 + 12) % 12;
    int64_t y = month < 2 ? year - 1 : year;
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t of_era = y - era * 400;
    int64_t of_year = (153 * ((month + 10) % 12) + 2) / 5;
    int64_t day_of_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    return era * 146097 + day_of_era - 719468 + (day - 1);
}

static bool leap(int64_t year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

int g_days_in_month(int64_t year, int month) {
    static const char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 1 && leap(year) ? 29 : days[month];
}

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
    int64_t shifted = days + 719468;
    int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    int64_t of_era = shifted - era * 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * of_year + 2) / 153;
    out->day = (int)(of_year - (153 * month + 2) / 5 + 1);
    out->month = (int)(month < 10 ? month + 2 : month - 10);
    out->year = year + era * 400 + (out->month < 2);
    out->yearday = (int)(days - g_days_from(out->year, 0, 1));
}

void g_civil_utc(int64_t t, g_civil *out) {
    civil_from(t, out);
    out->dst = 0;
    out->offset = 0;
    strcpy(out->zone, "UTC");
}

int64_t g_time_from_utc(const g_civil *c) {
    return g_days_from(c->year, c->month, 1) * 86400 + (int64_t)(c->day - 1) * 86400 +
           (int64_t)c->hour * 3600 + (int64_t)c->minute * 60 + c->second;
}

/* Reading of POSIX rules. Each function moves *at and returns false when it is malformed. */

static bool read_name(const char **at, char out[16]) {
    const char *p = *at;
    size_t len = 0;
    bool quoted = *p == '<';
    p += quoted;
    while (quoted ? *p && *p != '>' : isalpha((unsigned char)*p)) {
        if (len < 15) out[len++] = *p;
        p++;
    }
    out[len] = '\0';
    if (quoted && *p++ != '>') return false;
    *at = p;
    return len >= 3;
}

static bool read_time(const char **at, int32_t *out) {
    const char *p = *at;
    int sign = *p == '-' ? -1 : 1, part = 3600;
    int32_t total = 0;
    if (*p == '-' || *p == '+') p++;
    if (!isdigit((unsigned char)*p)) return false;
    for (; part >= 1; part /= 60) {
        int32_t value = 0;
        while (isdigit((unsigned char)*p) && value < 1000) value = value * 10 + (*p++ - '0');
        total += value * part;
        if (*p != ':' || !isdigit((unsigned char)p[1]) || part == 1) break;
        p++;
    }
    *out = sign * total;
    *at = p;
    return true;
}

static bool read_int(const char **at, int *out) {
    if (!isdigit((unsigned char)**at)) return false;
    *out = 0;
    while (isdigit((unsigned char)**at) && *out < 1000) *out = *out * 10 + (*(*at)++ - '0');
    return true;
}

static bool read_change(const char **at, change_day *out) {
    out->time = 7200;
    if (**at == 'M') {
        out->form = 'M';
        (*at)++;
        if (!read_int(at, &out->month) || *(*at)++ != '.' || !read_int(at, &out->week) ||
            *(*at)++ != '.' || !read_int(at, &out->day)) {
            return false;
        }
        if (out->month < 1 || out->month > 12 || out->week < 1 || out->week > 5 || out->day > 6)
            return false;
    } else {
        out->form = **at == 'J' ? 'J' : 'N';
        *at += **at == 'J';
        if (!read_int(at, &out->day)) return false;
    }
    if (**at != '/') return true;
    (*at)++;
    return read_time(at, &out->time);
}

static bool read_rule(const char *text, rule *r) {
    memset(r, 0, sizeof *r);
    const char *at = text;
    if (!read_name(&at, r->standard.name) || !read_time(&at, &r->standard.offset)) return false;
    r->standard.offset = -r->standard.offset;
    if (*at == '\0') return true;
    if (!read_name(&at, r->summer.name)) return false;
    r->has_summer = r->summer.dst = true;
    r->summer.offset = r->standard.offset + 3600;
    if (*at && *at != ',') {
        if (!read_time(&at, &r->summer.offset)) return false;
        r->summer.offset = -r->summer.offset;
    }
    if (*at == '\0') at = ",M3.2.0,M11.1.0";
    return *at++ == ',' && read_change(&at, &r->begin) && *at++ == ',' &&
           read_change(&at, &r->end) && *at == '\0';
}

/* When a change happens in a year, in local time of before the change, since the epoch. */
static int64_t change_moment(const change_day *c, int64_t year) {
    int64_t days = g_days_from(year, 0, 1);
    if (c->form == 'N') return (days + c->day) * 86400 + c->time;
    if (c->form == 'J')
        return (days + c->day - 1 + (leap(year) && c->day >= 60)) * 86400 + c->time;
    int64_t first = g_days_from(year, c->month - 1, 1);
    int weekday = (int)(((first + 4) % 7 + 7) % 7);
    int day = (c->day - weekday + 7) % 7 + (c->week - 1) * 7;
    while (day >= g_days_in_month(year, c->month - 1)) day -= 7;
    return (first + day) * 86400 + c->time;
}

static const kind *by_rule(const rule *r, int64_t t) {
    if (!r->has_summer) return &r->standard;
    g_civil c;
    civil_from(t + r->standard.offset, &c);
    int64_t begin = change_moment(&r->begin, c.year) - r->standard.offset;
    int64_t end = change_moment(&r->end, c.year) - r->summer.offset;
    bool summer = begin < end ? t >= begin && t < end : t >= begin || t < end;
    return summer ? &r->summer : &r->standard;
}

static int64_t big_endian(const unsigned char *p, int bytes) {
    uint64_t value = p[0] & 0x80 ? UINT64_MAX : 0;
    for (int i = 0; i < bytes; i++) value = value << 8 | p[i];
    return (int64_t)value;
}

/* Reads the 64-bit half of a TZif file (RFC 8536); false when it is not one. */
static bool read_tzif(const unsigned char *p, size_t len) {
    enum { HEADER = 44 };
    if (len < HEADER || memcmp(p, "TZif", 4) != 0 || p[4] < '2') return false;
    uint32_t n[6];
    const unsigned char *end = p + len;
    for (int pass = 0; pass < 2; pass++) {
        if ((size_t)(end - p) < HEADER || memcmp(p, "TZif", 4) != 0) return false;
        for (int i = 0; i < 6; i++) n[i] = (uint32_t)big_endian(p + 20 + 4 * i, 4);
        for (int i = 0; i < 6; i++)
            if (n[i] > 100000) return false;
        p += HEADER;
        if (pass == 1) break;
        size_t skip = (size_t)n[3] * 5 + (size_t)n[4] * 6 + n[5] + (size_t)n[2] * 8 + n[1] + n[0];
        if ((size_t)(end - p) < skip) return false;
        p += skip;
    }
    /* n: isutcnt, isstdcnt, leapcnt, timecnt, typecnt, charcnt */
    size_t times = n[3], types = n[4], chars = n[5];
    size_t body = times * 9 + types * 6 + chars + (size_t)n[2] * 12 + n[1] + n[0];
    if ((size_t)(end - p) < body || types == 0 || types > 64) return false;
    zone.moments = g_resize(NULL, times, sizeof *zone.moments);
    zone.kind_of = g_alloc(times);
    for (size_t i = 0; i < times; i++) {
        zone.moments[i] = big_endian(p + 8 * i, 8);
        zone.kind_of[i] = p[8 * times + i];
        if (zone.kind_of[i] >= types) return false;
    }
    const unsigned char *info = p + 9 * times, *names = info + 6 * types;
    for (size_t i = 0; i < types; i++) {
        zone.kinds[i].offset = (int32_t)big_endian(info + 6 * i, 4);
        zone.kinds[i].dst = info[6 * i + 4];
        size_t from = info[6 * i + 5], at = 0;
        while (from + at < chars && names[from + at] && at < 15) {
            zone.kinds[i].name[at] = (char)names[from + at];
            at++;
        }
        zone.kinds[i].name[at] = '\0';
    }
    zone.count = times;
    zone.kind_count = types;
    p += body;
    char footer[64];
    size_t used = 0;
    if (p < end && *p == '\n')
        for (p++; p < end && *p != '\n' && used < sizeof footer - 1; p++) footer[used++] = (char)*p;
    footer[used] = '\0';
    zone.has_rule = used > 0 && read_rule(footer, &zone.rule);
    return true;
}

static bool read_zone_file(const char *name) {
    char path[512];
    if (strstr(name, "..")) return false;
    int n = snprintf(path, sizeof path, "%s%s", *name == '/' ? "" : "/usr/share/zoneinfo/", name);
    if (n < 0 || (size_t)n >= sizeof path) return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    size_t len = 0;
    char *bytes = g_read_all(fd, &len);
    close(fd);
    bool good = bytes && read_tzif((const unsigned char *)bytes, len);
    free(bytes);
    return good;
}

static void load(void) {
    zone.loaded = true;
    const char *tz = zone.tz ? zone.tz : getenv("TZ");
    if (!tz) tz = "/etc/localtime";
    if (*tz == ':') tz++;
    if (*tz && read_zone_file(tz)) return;
    free(zone.moments);
    free(zone.kind_of);
    zone.moments = NULL;
    zone.kind_of = NULL;
    zone.count = zone.kind_count = 0;
    zone.has_rule = true;
    if (*tz && read_rule(tz, &zone.rule)) return;
    /* What is neither counts as UTC; its own name is shown when it begins with letters. */
    memset(&zone.rule, 0, sizeof zone.rule);
    strcpy(zone.rule.standard.name, "UTC");
    const char *at = tz;
    char name[16];
    if (isalpha((unsigned char)*tz) && read_name(&at, name)) strcpy(zone.rule.standard.name, name);
}

static const kind *kind_at(int64_t t) {
    if (!zone.loaded) load();
    if (zone.count == 0 || t >= zone.moments[zone.count - 1]) {
        if (zone.has_rule) return by_rule(&zone.rule, t);
        return &zone.kinds[zone.count ? zone.kind_of[zone.count - 1] : 0];
    }
    if (t < zone.moments[0]) return &zone.kinds[0];
    size_t low = 0, high = zone.count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (zone.moments[middle] <= t) low = middle;
        else high = middle;
    }
    return &zone.kinds[zone.kind_of[low]];
}

void g_civil_local(int64_t t, g_civil *out) {
    const kind *k = kind_at(t);
    civil_from(t + k->offset, out);
    out->dst = k->dst;
    out->offset = k->offset;
    strcpy(out->zone, k->name);
}

bool g_time_from_local(const g_civil *civil, int64_t *out) {
    int64_t naive = g_time_from_utc(civil);
    /* The offsets in force around that moment are the candidates. */
    int32_t before = kind_at(naive - 86400)->offset, after = kind_at(naive + 86400)->offset;
    int64_t first = naive - before, second = naive - after;
    bool first_fits = kind_at(first)->offset == before;
    bool second_fits = kind_at(second)->offset == after;
    if (first_fits && second_fits && first != second && civil->dst >= 0) {
        *out = kind_at(second)->dst == (civil->dst != 0) ? second : first;
        return true;
    }
    *out = first_fits ? first : second_fits ? second : first;
    if (civil->dst >= 0 && first_fits + second_fits > 0 && kind_at(*out)->dst != (civil->dst != 0)) {
        /* As mktime: the fields are meant in the other kind of time, where there is one. */
        for (int month = 1; month <= 12; month++) {
            const kind *other = kind_at(naive + month * 30ll * 86400);
            if (other->dst != (civil->dst != 0)) continue;
            *out = naive - other->offset;
            break;
        }
    }
    return first_fits || second_fits;
}
