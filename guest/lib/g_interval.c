/*
 * g_interval.c: spans of time as sleep and timeout read them.
 */
#include "g_interval.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

bool g_interval(const char *text, double *seconds) {
    char *end;
    if (!*text) return false;
    double value = strtod(text, &end);
    if (end == text || !(value >= 0)) return false;
    if (*end) {
        switch (*end) {
        case 's': break;
        case 'm': value *= 60; break;
        case 'h': value *= 3600; break;
        case 'd': value *= 86400; break;
        default: return false;
        }
        if (end[1]) return false;
    }
    *seconds = value;
    return true;
}

void g_sleep(double seconds) {
    const double most = 1e9; /* 31 years; time_t and the clock hold it */
    do {
        double part = seconds < most ? seconds : most;
        struct timespec left = {(time_t)part, (long)((part - (double)(time_t)part) * 1e9)};
        while (nanosleep(&left, &left) < 0 && errno == EINTR) {
        }
        seconds -= part;
    } while (seconds > 0);
}
