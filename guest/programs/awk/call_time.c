/*
 * call_time.c: systime, strftime, mktime.
 */
#include "code.h"
#include "g_time.h"

#include <stdio.h>
#include <stdlib.h>

static value format_time(value *args, int count) {
    awk_text *format;
    value *procinfo = &awk.globals[V_PROCINFO], *chosen = NULL;
    if (count > 0) {
        format = value_to_text(&args[0], awk.convfmt);
    } else {
        if (procinfo->kind == ARRAY) chosen = array_find_text(procinfo->array, "strftime", 8);
        format = chosen ? value_to_text(chosen, awk.convfmt) : text_ofs("%a %b %e %H:%M:%S %Z %Y");
    }
    double seconds = count > 1 ? value_to_number(&args[1]) : (double)g_now().seconds;
    bool utc = count > 2 && value_is_true(&args[2]);
    if (!(fabs(seconds) < 6e16)) {
        text_drop(format);
        return value_text(text_empty());
    }
    g_civil civil;
    int64_t t = (int64_t)floor(seconds);
    if (utc)
        g_civil_utc(t, &civil);
    else
        g_civil_local(t, &civil);
    size_t len;
    char *text = g_strftime(format->s, &civil, t, 0, &len);
    awk_text *result = text_of(text, len);
    free(text);
    text_drop(format);
    return value_text(result);
}

static double make_time(value *args, int count) {
    awk_text *text = value_to_text(&args[0], awk.convfmt);
    long long year;
    int month, day, hour, minute, second, dst = -1;
    int n = sscanf(text->s, "%lld %d %d %d %d %d %d", &year, &month, &day, &hour, &minute, &second,
                   &dst);
    text_drop(text);
    if (n < 6) return -1;
    g_civil civil = {.year = year,
                     .month = month - 1,
                     .day = day,
                     .hour = hour,
                     .minute = minute,
                     .second = second,
                     .dst = dst < 0 ? -1 : dst > 0};
    if (count > 1 && value_is_true(&args[1])) return (double)g_time_from_utc(&civil);
    int64_t t;
    return g_time_from_local(&civil, &t) ? (double)t : -1;
}

value call_time(enum builtin which, value *args, int count) {
    switch (which) {
    case BUILTIN_STRFTIME: return format_time(args, count);
    case BUILTIN_MKTIME: return value_number(make_time(args, count));
    default: return value_number((double)g_now().seconds);
    }
}
