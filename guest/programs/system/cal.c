/*
 * cal.c: a calendar.
 *
 * Deviation: the columns of the whole year are always three months wide; weeks are not numbered.
 *
 * help cal:
 *   Usage: @NAME@ [-3hjy] [-A number] [-B number] [-d yyyy-mm] [-m month] [[month] year]
 *
 *    -3         display the previous, current and next month
 *    -1         display only one month (the default)
 *    -A number  display this many months after
 *    -B number  display this many months before
 *    -d yyyy-mm take this month for the current one
 *    -h         (accepted: today is not highlighted)
 *    -j         display days of the year
 *    -m month   display this month
 *    -M         weeks begin on Monday
 *    -S         weeks begin on Sunday
 *    -y         display a whole year
 *        --help display this help and exit
 */
#include "g_option.h"
#include "g_out.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

static const char *const months[] = {"January",   "February", "March",    "April",
                                     "May",       "June",     "July",     "August",
                                     "September", "October",  "November", "December"};

typedef struct {
    int year, month; /* month from 0 */
} when;
typedef struct {
    bool days_of_year, monday, whole_year;
    int before, after;
} form;

static bool is_leap(int year) {
    if (year % 4) return false;
    return year < 1753 || year % 100 || year % 400 == 0; /* Julian before the reform of 1752 */
}

static int days_in(when w) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[w.month] + (w.month == 1 && is_leap(w.year));
}

static int day_of_year(when w, int day) {
    for (int m = 0; m < w.month; m++) day += days_in((when){w.year, m});
    if (w.year == 1752 && (w.month > 8 || (w.month == 8 && day >= 258))) day -= 11;
    return day;
}

/* Sunday is 0; what the calendar said on that day in London. */
static int weekday(when w, int day) {
    int64_t y = w.year - (w.month < 2), m = (w.month + 10) % 12;
    bool julian = w.year < 1752 || (w.year == 1752 && (w.month < 8 || (w.month == 8 && day < 14)));
    int64_t n = 365 * y + y / 4 + (153 * m + 2) / 5 + day;
    n += julian ? -2 : y / 400 - y / 100;
    return (int)(((n + 2) % 7 + 7) % 7);
}

static int width(const form *f) {
    return f->days_of_year ? 27 : 20;
}

static void centred(const char *text, int columns) {
    int len = (int)strlen(text), left = (columns - len) / 2;
    if (left < 0) left = 0;
    g_out_fill(' ', (size_t)left);
    g_outs(text);
    if (columns > len + left) g_out_fill(' ', (size_t)(columns - len - left));
}

static void put_names(const form *f) {
    static const char *const names[] = {"Su", "Mo", "Tu", "We", "Th", "Fr", "Sa"};
    for (int i = 0; i < 7; i++)
        g_outf(f->days_of_year ? i ? "  %s" : " %s" : i ? " %s" : "%s", names[(i + f->monday) % 7]);
}

/* One of the six lines of a month. */
static void put_week(const form *f, when w, int week) {
    int first = (weekday(w, 1) - f->monday + 7) % 7, last = days_in(w);
    bool reform = w.year == 1752 && w.month == 8;
    for (int i = 0; i < 7; i++) {
        int day = week * 7 + i - first + 1;
        if (reform && day > 2) day += 11;
        if (i) g_outc(' ');
        if (day < 1 || day > last)
            g_outs(f->days_of_year ? "   " : "  ");
        else
            g_outf(f->days_of_year ? "%3d" : "%2d", f->days_of_year ? day_of_year(w, day) : day);
    }
}

static when shifted(when w, int by) {
    int months_all = w.year * 12 + w.month + by;
    return (when){months_all / 12, months_all % 12};
}

/* Up to three months beside each other. */
static void put_row(const form *f, when first, int count, bool with_year) {
    char title[40];
    for (int i = 0; i < count; i++) {
        when w = shifted(first, i);
        if (with_year)
            snprintf(title, sizeof title, "%s %d", months[w.month], w.year);
        else
            snprintf(title, sizeof title, "%s", months[w.month]);
        centred(title, width(f));
        g_outs("  ");
    }
    g_outc('\n');
    for (int i = 0; i < count; i++) {
        put_names(f);
        g_outs("  ");
    }
    g_outc('\n');
    for (int week = 0; week < 6; week++) {
        for (int i = 0; i < count; i++) {
            put_week(f, shifted(first, i), week);
            g_outs("  ");
        }
        g_outc('\n');
    }
}

static int month_of(const char *text) {
    if (isdigit((unsigned char)*text)) {
        char *end;
        long n = strtol(text, &end, 10);
        return *end || n < 1 || n > 12 ? -1 : (int)n - 1;
    }
    for (int m = 0; strlen(text) >= 3 && m < 12; m++)
        if (strncasecmp(months[m], text, strlen(text)) == 0) return m;
    return -1;
}

static int year_of(const char *text) {
    char *end;
    long n = strtol(text, &end, 10);
    if (*end || n < 1 || n > 9999) g_die(64, "year `%s' not in range 1..9999", text);
    return (int)n;
}

static int count_of(const char *text) {
    char *end;
    long n = strtol(text, &end, 10);
    if (*end || end == text || n < 0 || n > 1200) g_die(64, "%s: not a number of months", text);
    return (int)n;
}

static when month_given(const char *text) {
    char *end;
    long year = strtol(text, &end, 10), month = *end == '-' ? strtol(end + 1, &end, 10) : 0;
    if (*end || month < 1 || month > 12 || year < 1 || year > 9999)
        g_die(64, "%s: not a month; yyyy-mm is one", text);
    return (when){(int)year, (int)month - 1};
}

int cal_main(int argc, char **argv) {
    form f = {0};
    bool month_is_given = false;
    time_t now = time(NULL);
    struct tm *today = localtime(&now);
    when w = {today->tm_year + 1900, today->tm_mon};
    g_set_failure(64);
    g_options o = g_options_of(argc, argv, "31A:B:d:hjm:MSybCN", (g_long[]){{0}});
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case '3': f.before = f.after = 1; break;
        case 'A': f.after = count_of(o.arg); break;
        case 'B': f.before = count_of(o.arg); break;
        case 'd': w = month_given(o.arg); break;
        case 'j': f.days_of_year = true; break;
        case 'm':
            w.month = month_of(o.arg);
            month_is_given = true;
            if (w.month < 0) g_die(64, "%s is neither a month number (1..12) nor a name", o.arg);
            break;
        case 'M': f.monday = true; break;
        case 'y': f.whole_year = true; break;
        case 'N': g_die(64, "-N is not supported: weeks are lines");
        }
    int count = argc - o.at;
    if (count > 2) g_usage("too many operands");
    if (count == 2) {
        w.month = month_of(argv[o.at]);
        if (w.month < 0) g_die(64, "%s is neither a month number (1..12) nor a name", argv[o.at]);
    }
    if (count) w.year = year_of(argv[argc - 1]);
    if (count == 1 && !month_is_given) f.whole_year = true;
    int at_once = f.days_of_year ? 2 : 3;
    if (f.whole_year) {
        char title[12];
        snprintf(title, sizeof title, "%d", w.year);
        g_out_fill(' ', (size_t)(width(&f) * at_once - (int)strlen(title)) / 2);
        g_outf("%s\n", title);
        for (int m = 0; m < 12; m += at_once) {
            if (m) g_outc('\n');
            put_row(&f, (when){w.year, m}, at_once, false);
        }
        return 0;
    }
    for (int i = -f.before; i <= f.after; i += at_once) {
        int left = f.after - i + 1;
        if (i > -f.before) g_outc('\n');
        put_row(&f, shifted(w, i), left < at_once ? left : at_once, true);
    }
    return 0;
}
