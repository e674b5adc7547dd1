/*
 * lib/zone/zone.c: see zone.h. A zone is a list of moments at which its offset changes (TZif, RFC
 * 8536) and a rule for the time after the last of them.
 */
#include "lib/zone/zone.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER         "/usr/share/zoneinfo/"
#define FILE_BYTES_MAX (256u << 10)
#define KINDS_MAX      64

typedef struct pf_zone_kind kind;

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

struct pf_zone {
    size_t count;
    int64_t *moments;
    unsigned char *kind_of;
    kind kinds[KINDS_MAX];
    size_t kind_count;
    rule rule;
    bool has_rule;
};

int64_t pf_days_from(int64_t year, int month, int day) {
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

int pf_days_in_month(int64_t year, int month) {
    static const char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 1 && leap(year) ? 29 : days[month];
}

int64_t pf_year_of(int64_t days) {
    int64_t shifted = days + 719468;
    int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    int64_t of_era = shifted - era * 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    return year + era * 400 + (of_year >= 306); /* January begins 306 days after March */
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
    int64_t days = pf_days_from(year, 0, 1);
    if (c->form == 'N') return (days + c->day) * 86400 + c->time;
    if (c->form == 'J')
        return (days + c->day - 1 + (leap(year) && c->day >= 60)) * 86400 + c->time;
    int64_t first = pf_days_from(year, c->month - 1, 1);
    int weekday = (int)(((first + 4) % 7 + 7) % 7);
    int day = (c->day - weekday + 7) % 7 + (c->week - 1) * 7;
    while (day >= pf_days_in_month(year, c->month - 1)) day -= 7;
    return (first + day) * 86400 + c->time;
}

static const kind *by_rule(const rule *r, int64_t t) {
    if (!r->has_summer) return &r->standard;
    int64_t local = t + r->standard.offset;
    int64_t year = pf_year_of(local / 86400 - (local % 86400 < 0));
    int64_t begin = change_moment(&r->begin, year) - r->standard.offset;
    int64_t end = change_moment(&r->end, year) - r->summer.offset;
    bool summer = begin < end ? t >= begin && t < end : t >= begin || t < end;
    return summer ? &r->summer : &r->standard;
}

static int64_t big_endian(const unsigned char *p, int bytes) {
    uint64_t value = p[0] & 0x80 ? UINT64_MAX : 0;
    for (int i = 0; i < bytes; i++) value = value << 8 | p[i];
    return (int64_t)value;
}

/* Reads the 64-bit half of a TZif file (RFC 8536); false when it is not one. */
static bool read_tzif(struct pf_zone *zone, const unsigned char *p, size_t len) {
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
    if ((size_t)(end - p) < body || types == 0 || types > KINDS_MAX) return false;
    zone->moments = calloc(times + 1, sizeof *zone->moments);
    zone->kind_of = malloc(times + 1);
    if (!zone->moments || !zone->kind_of) return false;
    for (size_t i = 0; i < times; i++) {
        zone->moments[i] = big_endian(p + 8 * i, 8);
        zone->kind_of[i] = p[8 * times + i];
        if (zone->kind_of[i] >= types) return false;
    }
    const unsigned char *info = p + 9 * times, *names = info + 6 * types;
    for (size_t i = 0; i < types; i++) {
        zone->kinds[i].offset = (int32_t)big_endian(info + 6 * i, 4);
        zone->kinds[i].dst = info[6 * i + 4];
        size_t from = info[6 * i + 5], at = 0;
        while (from + at < chars && names[from + at] && at < 15) {
            zone->kinds[i].name[at] = (char)names[from + at];
            at++;
        }
        zone->kinds[i].name[at] = '\0';
    }
    zone->count = times;
    zone->kind_count = types;
    p += body;
    char footer[64];
    size_t used = 0;
    if (p < end && *p == '\n')
        for (p++; p < end && *p != '\n' && used < sizeof footer - 1; p++) footer[used++] = (char)*p;
    footer[used] = '\0';
    zone->has_rule = used > 0 && read_rule(footer, &zone->rule);
    return true;
}

/* The file's bytes, for free(); NULL when it cannot be read or is no zone's size. What is allocated
 * stays in a guest's memory, and is copied with each fork(): no more than the file needs. */
static unsigned char *read_file(const char *path, size_t *len) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    unsigned char *bytes = NULL;
    ssize_t n = -1;
    *len = 0;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
        st.st_size <= FILE_BYTES_MAX)
        bytes = malloc((size_t)st.st_size);
    while (bytes && *len < (size_t)st.st_size) {
        n = read(fd, bytes + *len, (size_t)st.st_size - *len);
        if (n <= 0) break;
        *len += (size_t)n;
    }
    if (fd >= 0) close(fd);
    if (n > 0) return bytes;
    free(bytes);
    return NULL;
}

static bool read_zone_file(struct pf_zone *zone, const char *name) {
    char path[512];
    size_t len;
    if (strstr(name, "..")) return false;
    int n = snprintf(path, sizeof path, "%s%s", *name == '/' ? "" : FOLDER, name);
    if (n < 0 || (size_t)n >= sizeof path) return false;
    unsigned char *bytes = read_file(path, &len);
    bool good = bytes && read_tzif(zone, bytes, len);
    free(bytes);
    return good;
}

struct pf_zone *pf_zone_new(const char *tz) {
    struct pf_zone *zone = calloc(1, sizeof *zone);
    if (!zone) return NULL;
    if (!tz) tz = "/etc/localtime";
    if (*tz == ':') tz++;
    if (*tz && read_zone_file(zone, tz)) return zone;
    free(zone->moments);
    free(zone->kind_of);
    memset(zone, 0, sizeof *zone);
    zone->has_rule = true;
    if (*tz && read_rule(tz, &zone->rule)) return zone;
    /* What is neither counts as UTC; its own name is shown when it begins with letters. */
    memset(&zone->rule, 0, sizeof zone->rule);
    strcpy(zone->rule.standard.name, "UTC");
    const char *at = tz;
    char name[sizeof zone->rule.standard.name];
    if (isalpha((unsigned char)*tz) && read_name(&at, name))
        strcpy(zone->rule.standard.name, name);
    return zone;
}

void pf_zone_free(struct pf_zone *zone) {
    if (!zone) return;
    free(zone->moments);
    free(zone->kind_of);
    free(zone);
}

const struct pf_zone_kind *pf_zone_at(const struct pf_zone *zone, int64_t t) {
    if (zone->count == 0 || t >= zone->moments[zone->count - 1]) {
        if (zone->has_rule) return by_rule(&zone->rule, t);
        return &zone->kinds[zone->count ? zone->kind_of[zone->count - 1] : 0];
    }
    if (t < zone->moments[0]) return &zone->kinds[0];
    size_t low = 0, high = zone->count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (zone->moments[middle] <= t) low = middle;
        else high = middle;
    }
    return &zone->kinds[zone->kind_of[low]];
}

bool pf_zone_moment(const struct pf_zone *zone, int64_t civil, int dst, int64_t *out) {
    /* The offsets in force around that moment are the candidates. */
    int32_t before = pf_zone_at(zone, civil - 86400)->offset;
    int32_t after = pf_zone_at(zone, civil + 86400)->offset;
    int64_t first = civil - before, second = civil - after;
    bool first_fits = pf_zone_at(zone, first)->offset == before;
    bool second_fits = pf_zone_at(zone, second)->offset == after;
    bool summer = dst > 0;
    if (first_fits && second_fits && first != second && dst >= 0) {
        *out = pf_zone_at(zone, second)->dst == summer ? second : first;
        return true;
    }
    *out = first_fits ? first : second_fits ? second : first;
    if (dst >= 0 && first_fits + second_fits > 0 && pf_zone_at(zone, *out)->dst != summer) {
        /* As mktime: the fields are meant in the other kind of time, where there is one. */
        for (int month = 1; month <= 12; month++) {
            const kind *other = pf_zone_at(zone, civil + month * 30ll * 86400);
            if (other->dst != summer) continue;
            *out = civil - other->offset;
            break;
        }
    }
    return first_fits || second_fits;
}
