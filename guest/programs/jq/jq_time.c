/*
 * guest/programs/jq/jq_time.c: dates as text and back.
 */
#include "jq_time.h"
#include "g_time.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What was read so far, besides the fields themselves. */
typedef struct {
    struct tm *tm;
    const char *s;
    bool month, day, weekday, yearday; /* were given */
    bool date;                         /* something was that says a day */
    bool hour12, pm, year_in_century;
    int century;     /* -1: not given */
    int week, first; /* %U (0) or %W (1); week -1: not given */
} reader;

static void skip_spaces(reader *r) {
    while (isspace((unsigned char)*r->s)) r->s++;
}

static bool number(reader *r, int from, int to, int digits, int *value) {
    while (*r->s == ' ') r->s++;
    if (!isdigit((unsigned char)*r->s)) return false;
    *value = 0;
    do *value = *value * 10 + (*r->s++ - '0');
    while (--digits > 0 && *value * 10 <= to && isdigit((unsigned char)*r->s));
    return *value >= from && *value <= to;
}

/* A whole name or its first three letters. */
static bool name(reader *r, const char *const *names, int count, int *index) {
    for (*index = 0; *index < count; ++*index) {
        size_t len = strlen(names[*index]);
        if (strncasecmp(r->s, names[*index], len) != 0) {
            len = 3;
            if (strncasecmp(r->s, names[*index], len) != 0) continue;
        }
        r->s += len;
        return true;
    }
    return false;
}

static bool offset(reader *r) {
    int value = 0, digits = 0;
    skip_spaces(r);
    if (*r->s == 'Z') {
        r->s++;
        r->tm->tm_gmtoff = 0;
        return true;
    }
    if (*r->s != '+' && *r->s != '-') return false;
    int sign = *r->s++ == '-' ? -1 : 1;
    for (; digits < 4 && isdigit((unsigned char)*r->s); digits++) {
        value = value * 10 + (*r->s++ - '0');
        if (*r->s == ':' && digits == 1 && isdigit((unsigned char)r->s[1])) r->s++;
    }
    if (digits == 2) value *= 100;
    if ((digits != 2 && digits != 4) || value % 100 >= 60) return false;
    r->tm->tm_gmtoff = sign * (value / 100 * 3600 + value % 100 * 60);
    return true;
}

static bool seconds(reader *r) {
    time_t t = 0;
    if (!isdigit((unsigned char)*r->s)) return false;
    for (; isdigit((unsigned char)*r->s); r->s++)
        if (__builtin_mul_overflow(t, 10, &t) || __builtin_add_overflow(t, *r->s - '0', &t))
            return false;
    return gmtime_r(&t, r->tm) != NULL;
}

static bool read_all(reader *r, const char *format);

static bool conversion(reader *r, char kind) {
    struct tm *tm = r->tm;
    int n;
    switch (kind) {
    case '%': return *r->s++ == '%';
    case 'a':
    case 'A': return r->weekday = name(r, g_day_names, 7, &tm->tm_wday);
    case 'b':
    case 'B':
    case 'h': return r->month = r->date = name(r, g_month_names, 12, &tm->tm_mon);
    case 'c': return read_all(r, "%a %b %e %H:%M:%S %Y");
    case 'C': return r->date = number(r, 0, 99, 2, &r->century);
    case 'd':
    case 'e': return r->day = r->date = number(r, 1, 31, 2, &tm->tm_mday);
    case 'D':
    case 'x': return read_all(r, "%m/%d/%y");
    case 'F': return read_all(r, "%Y-%m-%d");
    case 'g': return number(r, 0, 99, 2, &n);
    case 'G':
        for (n = 0; isdigit((unsigned char)*r->s); n++) r->s++;
        return n > 0;
    case 'H':
    case 'k': r->hour12 = false; return number(r, 0, 23, 2, &tm->tm_hour);
    case 'I':
    case 'l':
        r->hour12 = number(r, 1, 12, 2, &n);
        if (r->hour12) tm->tm_hour = n % 12;
        return r->hour12;
    case 'j':
        r->yearday = number(r, 1, 366, 3, &n);
        if (r->yearday) tm->tm_yday = n - 1;
        return r->yearday;
    case 'm':
        r->month = r->date = number(r, 1, 12, 2, &n);
        if (r->month) tm->tm_mon = n - 1;
        return r->month;
    case 'M': return number(r, 0, 59, 2, &tm->tm_min);
    case 'n':
    case 't': skip_spaces(r); return true;
    case 'p':
    case 'P':
        r->pm = strncasecmp(r->s, "pm", 2) == 0;
        if (!r->pm && strncasecmp(r->s, "am", 2) != 0) return false;
        r->s += 2;
        return true;
    case 'r': return read_all(r, "%I:%M:%S %p");
    case 'R': return read_all(r, "%H:%M");
    case 's': return seconds(r);
    case 'S': return number(r, 0, 61, 2, &tm->tm_sec);
    case 'T':
    case 'X': return read_all(r, "%H:%M:%S");
    case 'u':
    case 'w':
        r->weekday = number(r, kind == 'u', 6 + (kind == 'u'), 1, &n);
        if (r->weekday) tm->tm_wday = n % 7;
        return r->weekday;
    case 'U':
    case 'W': r->first = kind == 'W'; return number(r, 0, 53, 2, &r->week);
    case 'V': return number(r, 0, 53, 2, &n);
    case 'y':
        if (!number(r, 0, 99, 2, &n)) return false;
        tm->tm_year = n >= 69 ? n : n + 100;
        return r->year_in_century = r->date = true;
    case 'Y':
        if (!number(r, 0, 9999, 4, &n)) return false;
        tm->tm_year = n - 1900;
        r->century = -1;
        return r->date = true;
    case 'z': return offset(r);
    case 'Z':
        skip_spaces(r);
        while (*r->s && !isspace((unsigned char)*r->s)) r->s++;
        return true;
    default: return false;
    }
}

static bool read_all(reader *r, const char *format) {
    for (; *format; format++) {
        if (isspace((unsigned char)*format)) {
            skip_spaces(r);
        } else if (*format != '%') {
            if (*r->s++ != *format) return false;
        } else {
            do format++;
            while (*format && strchr("-_0^#", *format));
            if (*format == 'E' || *format == 'O') format++;
            if (!conversion(r, *format)) return false;
        }
    }
    return true;
}

/* The days before the tm's month begins, in its year. */
static int days_before(const struct tm *tm, int month) {
    int64_t year = tm->tm_year + 1900;
    return (int)(g_days_from(year, month, 1) - g_days_from(year, 0, 1));
}

static int weekday_of(const struct tm *tm, int yearday) {
    int64_t day = g_days_from(tm->tm_year + 1900, 0, 1) + yearday;
    return (int)(((day + 4) % 7 + 7) % 7);
}

static void month_of(struct tm *tm, bool keep_month, bool keep_day) {
    int month = 11;
    while (month > 0 && days_before(tm, month) > tm->tm_yday) month--;
    if (!keep_month) tm->tm_mon = month;
    if (!keep_day) tm->tm_mday = tm->tm_yday - days_before(tm, month) + 1;
}

/* What follows from what was given. */
static void complete(reader *r) {
    struct tm *tm = r->tm;
    if (r->hour12 && r->pm) tm->tm_hour += 12;
    if (r->century >= 0)
        tm->tm_year = (r->century - 19) * 100 + (r->year_in_century ? tm->tm_year % 100 : 0);
    if (r->date && !r->weekday) {
        if (!(r->month && r->day) && r->yearday) {
            month_of(tm, r->month, r->day);
            r->month = r->day = true;
        }
        tm->tm_wday = weekday_of(tm, days_before(tm, tm->tm_mon) + tm->tm_mday - 1);
    }
    if (r->date && !r->yearday) tm->tm_yday = days_before(tm, tm->tm_mon) + tm->tm_mday - 1;
    if (r->week >= 0 && r->weekday && !(r->month && r->day)) {
        int january = weekday_of(tm, 0);
        tm->tm_yday =
            (7 - january + r->first) % 7 + (r->week - 1) * 7 + (tm->tm_wday - r->first + 7) % 7;
        month_of(tm, r->month, r->day);
    }
}

const char *pf_jq_strptime(const char *text, const char *format, struct tm *tm) {
    reader r = {.tm = tm, .s = text, .century = -1, .week = -1};
    if (!read_all(&r, format)) return NULL;
    complete(&r);
    return r.s;
}

char *pf_jq_strftime(const char *format, const struct tm *tm, bool local) {
    int month = tm->tm_mon % 12, weekday = tm->tm_wday % 7; /* a program may have made them up */
    month += month < 0 ? 12 : 0;
    weekday += weekday < 0 ? 7 : 0;
    g_civil civil = {.year = tm->tm_year + 1900ll + (tm->tm_mon - month) / 12,
                     .month = month,
                     .day = tm->tm_mday,
                     .hour = tm->tm_hour,
                     .minute = tm->tm_min,
                     .second = tm->tm_sec,
                     .weekday = weekday,
                     .yearday = tm->tm_yday,
                     .dst = -1,
                     .zone = "UTC"};
    int64_t t = g_time_from_utc(&civil);
    if (local && g_time_from_local(&civil, &t)) {
        g_civil there;
        g_civil_local(t, &there);
        civil.dst = there.dst;
        civil.offset = there.offset;
        memcpy(civil.zone, there.zone, sizeof civil.zone);
    }
    size_t len;
    return g_strftime(format, &civil, t, 0, &len);
}
