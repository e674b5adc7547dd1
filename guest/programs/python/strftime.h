/* strftime.h: what CPython's time module calls in place of wcsftime(). */
#ifndef PYTHON_STRFTIME_H
#define PYTHON_STRFTIME_H

#include <time.h>
#include <wchar.h>

/* As wcsftime(), with GNU's %k, %l and %P, and tm->tm_zone for %Z. */
size_t python_strftime(wchar_t *out, size_t room, const wchar_t *format, const struct tm *tm);

#endif
