/*
 * date.c: dates as git writes them; they are read by libgit2's approxidate.
 */
#include "git.h"

#include <ctype.h>
#include <time.h>

extern int git_date_offset_parse(git_time_t *out, int *offset, const char *date);

bool parse_date(const char *text, git_time *when) {
    int offset = 0;
    git_time_t time_;
    if (*text == '@') text++;
    char *end;
    long long seconds = strtoll(text, &end, 10);
    /* seconds, with or without a zone; libgit2 wants at least nine digits */
    if (end != text && (*end == '\0' || *end == ' ') && (*end || end - text >= 5 || text[-1] == '@')) {
        int zone = 0;
        while (*end == ' ') end++;
        if (*end == '+' || *end == '-') zone = atoi(end + 1), zone = zone / 100 * 60 + zone % 100;
        when->offset = *end == '-' ? -zone : zone;
        when->sign = *end == '-' ? '-' : '+';
        when->time = seconds;
        if (!*end || *end == '+' || *end == '-') return true;
    }
    if (git_date_offset_parse(&time_, &offset, text) < 0) return false;
    when->time = time_;
    when->offset = offset;
    when->sign = offset < 0 ? '-' : '+';
    return true;
}

git_time_t approxidate(const char *text) {
    git_time when;
    if (strcmp(text, "now") == 0 || strcmp(text, "all") == 0) return time(NULL);
    if (strcmp(text, "never") == 0) return 0;
    return parse_date(text, &when) ? when.time : time(NULL);
}

date_style date_style_named(const char *name) {
    static const struct { const char *name; enum date_mode mode; } names[] = {
        {"default", DATE_DEFAULT}, {"iso", DATE_ISO}, {"iso8601", DATE_ISO},
        {"iso-strict", DATE_ISO_STRICT}, {"iso8601-strict", DATE_ISO_STRICT}, {"rfc", DATE_RFC},
        {"rfc2822", DATE_RFC}, {"short", DATE_SHORT}, {"relative", DATE_RELATIVE},
        {"raw", DATE_RAW}, {"unix", DATE_UNIX}, {"human", DATE_HUMAN},
    };
    date_style style = {DATE_DEFAULT, false, NULL};
    size_t len = strcspn(name, ":");
    const char *local = strstr(name, "-local");
    if (strncmp(name, "format", 6) == 0 && name[len]) {
        style.mode = DATE_FORMAT;
        style.local = strncmp(name, "format-local", 12) == 0;
        style.format = g_copy_string(name + len + 1);
        return style;
    }
    if (strcmp(name, "local") == 0) return (date_style){DATE_DEFAULT, true, NULL};
    if (local && !local[6]) {
        style.local = true;
        len = (size_t)(local - name);
    } else {
        len = strlen(name);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(names[i].name, name, len) != 0 || names[i].name[len]) continue;
        style.mode = names[i].mode;
        return style;
    }
    die("unknown date format %s", name);
}

static void plural(g_text *out, long n, const char *unit) {
    g_text_addf(out, "%ld %s%s ago", n, unit, n == 1 ? "" : "s");
}

static void add_relative(g_text *out, git_time_t when) {
    long diff = (long)(time(NULL) - when);
    if (diff < 0) {
        g_text_adds(out, "in the future");
        return;
    }
    if (diff < 90) { plural(out, diff, "second"); return; }
    diff = (diff + 30) / 60;
    if (diff < 90) { plural(out, diff, "minute"); return; }
    diff = (diff + 30) / 60;
    if (diff < 36) { plural(out, diff, "hour"); return; }
    diff = (diff + 12) / 24;
    if (diff < 14) { plural(out, diff, "day"); return; }
    if (diff < 70) { plural(out, (diff + 3) / 7, "week"); return; }
    if (diff < 365) { plural(out, (diff + 15) / 30, "month"); return; }
    if (diff < 1825) {
        long months = (diff * 12 * 2 + 365) / (365 * 2), years = months / 12;
        months %= 12;
        if (months)
            g_text_addf(out, "%ld year%s, %ld month%s ago", years, years == 1 ? "" : "s", months,
                        months == 1 ? "" : "s");
        else plural(out, years, "year");
        return;
    }
    plural(out, (diff + 183) / 365, "year");
}

static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

static void add_human(g_text *out, const git_time *when, const struct tm *tm, int zone) {
    time_t now_ = time(NULL);
    struct tm now;
    localtime_r(&now_, &now);
    if (now_ - when->time >= 0 && tm->tm_year == now.tm_year && tm->tm_yday == now.tm_yday) {
        add_relative(out, when->time);
        return;
    }
    bool same_year = tm->tm_year == now.tm_year;
    long age = (now.tm_yday - tm->tm_yday);
    if (same_year && age >= 0 && age < 7) {
        g_text_addf(out, "%s %02d:%02d", days[tm->tm_wday], tm->tm_hour, tm->tm_min);
    } else {
        if (same_year) g_text_addf(out, "%s ", days[tm->tm_wday]);
        g_text_addf(out, "%s %d", months[tm->tm_mon], tm->tm_mday);
        if (same_year) g_text_addf(out, " %02d:%02d", tm->tm_hour, tm->tm_min);
        else g_text_addf(out, " %d", tm->tm_year + 1900);
    }
    (void)zone;
}

void add_date(g_text *out, const git_time *when, const date_style *style) {
    int offset = when->offset, zone;
    struct tm tm;
    time_t local = (time_t)when->time;
    if (style->local) {
        localtime_r(&local, &tm);
        offset = (int)(tm.tm_gmtoff / 60);
    }
    local = (time_t)when->time + offset * 60;
    gmtime_r(&local, &tm);
    zone = abs(offset) / 60 * 100 + abs(offset) % 60;
    char sign = offset < 0 || (when->sign == '-' && !style->local) ? '-' : '+';
    switch (style->mode) {
    case DATE_ISO:
        g_text_addf(out, "%04d-%02d-%02d %02d:%02d:%02d %c%04d", tm.tm_year + 1900, tm.tm_mon + 1,
                    tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, sign, zone);
        break;
    case DATE_ISO_STRICT:
        g_text_addf(out, "%04d-%02d-%02dT%02d:%02d:%02d", tm.tm_year + 1900, tm.tm_mon + 1,
                    tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
        g_text_addf(out, "%c%02d:%02d", sign, zone / 100, zone % 100);
        break;
    case DATE_RFC:
        g_text_addf(out, "%s, %d %s %d %02d:%02d:%02d %c%04d", days[tm.tm_wday], tm.tm_mday,
                    months[tm.tm_mon], tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec, sign, zone);
        break;
    case DATE_SHORT:
        g_text_addf(out, "%04d-%02d-%02d", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
        break;
    case DATE_RELATIVE: add_relative(out, when->time); break;
    case DATE_RAW: g_text_addf(out, "%lld %c%04d", (long long)when->time, sign, zone); break;
    case DATE_UNIX: g_text_addf(out, "%lld", (long long)when->time); break;
    case DATE_HUMAN: add_human(out, when, &tm, zone); break;
    case DATE_FORMAT: {
        char text[500];
        size_t len = strftime(text, sizeof text, style->format, &tm);
        g_text_add(out, text, len);
        break;
    }
    default:
        g_text_addf(out, "%s %s %d %02d:%02d:%02d %d", days[tm.tm_wday], months[tm.tm_mon], tm.tm_mday,
                    tm.tm_hour, tm.tm_min, tm.tm_sec, tm.tm_year + 1900);
        if (!style->local) g_text_addf(out, " %c%04d", sign, zone);
    }
}
