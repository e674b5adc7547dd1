/*
 * g_strftime.c: dates as text, with GNU's flags and widths.
 *
 * Used by date, ls, stat, find -printf, awk, touch and jq. English names: the locale is C.UTF-8.
 */
#include "g_time.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *const g_month_names[12] = {"January",   "February", "March",    "April",
                                  "May",       "June",     "July",     "August",
                                  "September", "October",  "November", "December"};
const char *const g_day_names[7] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                               "Thursday", "Friday", "Saturday"};

typedef struct {
    char *s;
    size_t len, cap;
    const g_civil *c;
    int64_t t;
    int nanoseconds;
} out;

/* One conversion: flag (0, '_', '-', '0', '+'), case, width (-1: none), colons before z. */
typedef struct {
    char pad;
    bool upper, swap;
    bool plus; /* the number has a sign */
    int width, colons;
} spec;

static void put(out *o, const char *s, size_t len) {
    if (o->cap - o->len < len + 1) {
        o->cap = (o->cap + len) * 2 + 64;
        o->s = g_realloc(o->s, o->cap);
    }
    memcpy(o->s + o->len, s, len);
    o->len += len;
    o->s[o->len] = '\0';
}

static void put_padding(out *o, char c, int count) {
    while (count-- > 0) put(o, &c, 1);
}

static void put_text(out *o, const spec *s, const char *text) {
    size_t len = strlen(text);
    put_padding(o, s->pad == '0' ? '0' : ' ', s->width - (int)len);
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (s->upper) c = (char)toupper((unsigned char)c);
        put(o, &c, 1);
    }
}

/* A number with its usual number of digits and its usual padding. */
static void put_number(out *o, const spec *s, int64_t value, int digits, char usual) {
    char pad = s->pad ? s->pad : usual;
    char text[24];
    int len = snprintf(text, sizeof text, "%llu",
                       (unsigned long long)(value < 0 ? 0 - (uint64_t)value : (uint64_t)value));
    int width = s->width >= 0 ? s->width : digits;
    bool sign = value < 0;
    if (pad == '-') width = 0;
    bool plus = s->plus && !sign;
    int padding = width - len - sign - plus;
    if (plus) put(o, "+", 1);
    if (pad == '_') put_padding(o, ' ', padding);
    if (sign) put(o, "-", 1);
    if (pad != '_') put_padding(o, '0', padding);
    put(o, text, (size_t)len);
}

/* ISO 8601: the week that has the year's first Thursday is week 1. */
static int iso_week(const g_civil *c, int64_t *year) {
    int monday_based = (c->weekday + 6) % 7;
    int64_t thursday = g_days_from(c->year, 0, 1) + c->yearday - monday_based + 3;
    int64_t y = c->year;
    if (thursday < g_days_from(y, 0, 1)) y--;
    else if (thursday >= g_days_from(y + 1, 0, 1)) y++;
    *year = y;
    return (int)((thursday - g_days_from(y, 0, 1)) / 7) + 1;
}

static void put_zone(out *o, const spec *s) {
    int32_t offset = o->c->offset;
    char sign = offset < 0 ? '-' : '+';
    unsigned seconds = (unsigned)(offset < 0 ? -offset : offset);
    unsigned h = seconds / 3600, m = seconds / 60 % 60, sec = seconds % 60;
    char text[32];
    int colons = s->colons;
    if (colons == 3) colons = sec ? 2 : m ? 1 : 4; /* as short as it can be */
    switch (colons) {
    case 0: snprintf(text, sizeof text, "%02u%02u", h, m); break;
    case 1: snprintf(text, sizeof text, "%02u:%02u", h, m); break;
    case 2: snprintf(text, sizeof text, "%02u:%02u:%02u", h, m, sec); break;
    default: snprintf(text, sizeof text, "%02u", h); break;
    }
    const char *digits = text;
    int len = (int)strlen(digits);
    /* Without colons it is one number, of which all zeros at the front go. */
    bool trims = s->pad == '-' || s->pad == '_';
    for (int most = colons ? 1 : 3; trims && most > 0 && *digits == '0'; most--) {
        digits++;
        len--;
    }
    if (s->pad == '_') {
        int usual = (int)strlen(text) + 1;
        put_padding(o, ' ', (s->width > usual ? s->width : usual) - len - 1);
        put(o, &sign, 1);
    } else {
        put(o, &sign, 1);
        if (s->pad != '-') put_padding(o, '0', s->width - len - 1);
    }
    put(o, digits, (size_t)len);
}

static void put_nanoseconds(out *o, const spec *s) {
    char digits[16];
    snprintf(digits, sizeof digits, "%09d", o->nanoseconds);
    int width = s->width > 0 ? s->width : 9;
    int shown = width < 9 ? width : 9, written = shown;
    bool trims = s->pad == '_' || (s->pad == '-' && s->width > 0);
    while (trims && written > 1 && digits[written - 1] == '0') written--;
    put(o, digits, (size_t)written);
    if (s->pad != '-') put_padding(o, s->pad == '_' ? ' ' : '0', width - written);
}

static void expand(out *o, const char *format);

/* A conversion that stands for others, padded as a whole. */
static void put_composed(out *o, const spec *s, const char *format) {
    out part = {.c = o->c, .t = o->t, .nanoseconds = o->nanoseconds};
    put(&part, "", 0);
    expand(&part, format);
    put_text(o, s, part.s);
    free(part.s);
}

/* With the flag + a year beyond its usual digits has a sign. */
static void put_yearish(out *o, const spec *s, int64_t value, int digits) {
    spec year = *s;
    year.plus = s->pad == '+' && (value > (digits == 2 ? 99 : 9999) || digits < s->width);
    put_number(o, &year, value, digits, '0');
}

/* %F: what is asked of the whole is asked of the year. */
static void put_full_date(out *o, const spec *s) {
    spec year = *s;
    if (!s->pad && s->width < 0) {
        year.pad = '+';
        year.width = 4;
    } else {
        year.width = s->width > 6 ? s->width - 6 : 0;
    }
    put_yearish(o, &year, o->c->year, 4);
    expand(o, "-%m-%d");
}

static bool put_year(out *o, const spec *s, char conversion) {
    const g_civil *c = o->c;
    int64_t iso_year = 0;
    int64_t floor100 = c->year >= 0 ? c->year / 100 : -((99 - c->year) / 100);
    switch (conversion) {
    case 'Y': put_yearish(o, s, c->year, 4); return true;
    case 'C': put_yearish(o, s, floor100, 2); return true;
    case 'y': put_yearish(o, s, c->year - floor100 * 100, 2); return true;
    case 'G':
        iso_week(c, &iso_year);
        put_yearish(o, s, iso_year, 4);
        return true;
    case 'g':
        iso_week(c, &iso_year);
        put_yearish(o, s, (iso_year % 100 + 100) % 100, 2);
        return true;
    case 'V': put_number(o, s, iso_week(c, &iso_year), 2, '0'); return true;
    case 'U': put_number(o, s, (c->yearday + 7 - c->weekday) / 7, 2, '0'); return true;
    case 'W': put_number(o, s, (c->yearday + 7 - (c->weekday + 6) % 7) / 7, 2, '0'); return true;
    case 'j': put_number(o, s, c->yearday + 1, 3, '0'); return true;
    default: return false;
    }
}

static bool put_clock(out *o, const spec *s, char conversion) {
    const g_civil *c = o->c;
    int hour12 = c->hour % 12 ? c->hour % 12 : 12;
    switch (conversion) {
    case 'H': put_number(o, s, c->hour, 2, '0'); return true;
    case 'I': put_number(o, s, hour12, 2, '0'); return true;
    case 'k': put_number(o, s, c->hour, 2, '_'); return true;
    case 'l': put_number(o, s, hour12, 2, '_'); return true;
    case 'M': put_number(o, s, c->minute, 2, '0'); return true;
    case 'S': put_number(o, s, c->second, 2, '0'); return true;
    case 's': put_number(o, s, o->t, 1, '0'); return true;
    case 'N': put_nanoseconds(o, s); return true;
    case 'p': put_text(o, s, s->swap ? (c->hour < 12 ? "am" : "pm") : c->hour < 12 ? "AM" : "PM");
        return true;
    case 'P': put_text(o, s, c->hour < 12 ? "am" : "pm"); return true;
    case 'z': put_zone(o, s); return true;
    case 'Z': {
        char lower[16];
        size_t i = 0;
        for (; c->zone[i]; i++) lower[i] = (char)tolower((unsigned char)c->zone[i]);
        lower[i] = '\0';
        put_text(o, s, s->swap ? lower : c->zone);
        return true;
    }
    default: return false;
    }
}

static bool put_conversion(out *o, spec *s, char conversion) {
    const g_civil *c = o->c;
    char abbreviated[4] = "";
    if (put_year(o, s, conversion) || put_clock(o, s, conversion)) return true;
    if (s->swap) s->upper = true;
    switch (conversion) {
    case 'a': memcpy(abbreviated, g_day_names[c->weekday], 3); put_text(o, s, abbreviated); break;
    case 'A': put_text(o, s, g_day_names[c->weekday]); break;
    case 'b': case 'h':
        memcpy(abbreviated, g_month_names[c->month], 3);
        put_text(o, s, abbreviated);
        break;
    case 'B': put_text(o, s, g_month_names[c->month]); break;
    case 'c': put_composed(o, s, "%a %b %e %H:%M:%S %Y"); break;
    case 'D': case 'x': put_composed(o, s, "%m/%d/%y"); break;
    case 'd': put_number(o, s, c->day, 2, '0'); break;
    case 'e': put_number(o, s, c->day, 2, '_'); break;
    case 'F': put_full_date(o, s); break;
    case 'm': put_number(o, s, c->month + 1, 2, '0'); break;
    case 'n': put_text(o, s, "\n"); break;
    case 'q': put_number(o, s, c->month / 3 + 1, 1, '0'); break;
    case 'R': put_composed(o, s, "%H:%M"); break;
    case 'r': put_composed(o, s, "%I:%M:%S %p"); break;
    case 'T': case 'X': put_composed(o, s, "%H:%M:%S"); break;
    case 't': put_text(o, s, "\t"); break;
    case 'u': put_number(o, s, c->weekday ? c->weekday : 7, 1, '0'); break;
    case 'w': put_number(o, s, c->weekday, 1, '0'); break;
    case '%': put_text(o, s, "%"); break;
    default: return false;
    }
    return true;
}

static void expand(out *o, const char *format) {
    while (*format) {
        size_t plain = strcspn(format, "%");
        put(o, format, plain);
        format += plain;
        if (!*format) return;
        const char *start = format++;
        spec s = {.width = -1};
        for (;; format++) {
            if (*format == '_' || *format == '-' || *format == '0' || *format == '+')
                s.pad = *format;
            else if (*format == '^') s.upper = true;
            else if (*format == '#') s.swap = true;
            else break;
        }
        if (isdigit((unsigned char)*format)) {
            s.width = 0;
            while (isdigit((unsigned char)*format) && s.width < 10000)
                s.width = s.width * 10 + (*format++ - '0');
        }
        if (*format == 'E' || *format == 'O') format++;
        while (*format == ':' && s.colons < 3) {
            s.colons++;
            format++;
        }
        if (!*format || (s.colons && *format != 'z') || !put_conversion(o, &s, *format)) {
            size_t len = (size_t)(format - start) + (*format != '\0');
            put(o, start, len);
        }
        if (*format) format++;
    }
}

char *g_strftime(const char *format, const g_civil *civil, int64_t t, int nanoseconds,
                 size_t *len) {
    out o = {.c = civil, .t = t, .nanoseconds = nanoseconds};
    put(&o, "", 0);
    expand(&o, format);
    if (len) *len = o.len;
    return o.s;
}

g_moment g_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (g_moment){now.tv_sec, (int)now.tv_nsec};
}
