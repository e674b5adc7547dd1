/*
 * strftime.c: time.strftime() with what GNU's has and guest/libc has not: %k, %l, %P, and any name of a zone for %Z
 * (CPython's struct_time brings its own).
 */
#include <Python.h>

#include <stdlib.h>
#include <time.h>
#include <wchar.h>

#include "strftime.h"

#define SHORT 8 /* characters of a number or of am */

/* An hour in two places, as the flag says: with a blank, a zero or nothing. */
static void hour(wchar_t *out, int value, wchar_t flag) {
    swprintf(out, SHORT, flag == '-' ? L"%d" : flag == '0' ? L"%02d" : L"%2d", value);
}

/* What stands for one conversion, or NULL: it is guest/libc's. */
static const wchar_t *own(wchar_t kind, wchar_t flag, const struct tm *tm, const wchar_t *zone, wchar_t *small) {
    switch (kind) {
    case 'k': hour(small, tm->tm_hour, flag); return small;
    case 'l': hour(small, (tm->tm_hour + 11) % 12 + 1, flag); return small;
    case 'P': return tm->tm_hour < 12 ? L"am" : L"pm";
    case 'Z': return zone;
    default: return NULL;
    }
}

size_t python_strftime(wchar_t *out, size_t room, const wchar_t *format, const struct tm *tm) {
    wchar_t *zone = tm->tm_zone ? Py_DecodeLocale(tm->tm_zone, NULL) : NULL;
    size_t zone_len = zone ? wcslen(zone) : 0, len = wcslen(format);
    wchar_t *mine = malloc((len + 1) * (2 * zone_len + SHORT) * sizeof *mine), *to = mine, small[SHORT];
    if (!mine) {
        PyMem_RawFree(zone);
        return 0;
    }
    while (*format) {
        if (*format != '%') {
            *to++ = *format++;
            continue;
        }
        wchar_t flag = format[1] && wcschr(L"-_0^#", format[1]) ? format[1] : 0;
        wchar_t kind = format[flag ? 2 : 1];
        const wchar_t *text = own(kind, flag, tm, zone, small);
        if (!text) {
            *to++ = *format++;
            if (*format) *to++ = *format++;
            continue;
        }
        format += flag ? 3 : 2;
        for (; *text; text++) {
            if (*text == '%') *to++ = '%';
            *to++ = *text;
        }
    }
    *to = 0;
    size_t result = wcsftime(out, room, mine, tm);
    free(mine);
    PyMem_RawFree(zone);
    return result;
}
