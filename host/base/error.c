/*
 * host/base/error.c: see error.h.
 */
#include "error.h"

#include "utf8.h"

#include <stdarg.h>
#include <stdio.h>

static void fill(pf_error *error, pf_status status, int guest_errno, const char *format,
                 va_list args) {
    if (!error) return;
    error->status = status;
    error->guest_errno = guest_errno;
    int n = vsnprintf(error->message, sizeof error->message, format, args);
    if (n < 0)
        error->message[0] = '\0';
    else if ((size_t)n >= sizeof error->message)
        error->message[base_utf8_cut(error->message, sizeof error->message - 1)] = '\0';
}

pf_status base_error(pf_error *error, pf_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fill(error, status, 0, format, args);
    va_end(args);
    return status;
}

pf_status base_error_errno(pf_error *error, pf_status status, int guest_errno, const char *format,
                           ...) {
    va_list args;
    va_start(args, format);
    fill(error, status, guest_errno, format, args);
    va_end(args);
    return status;
}

pf_status base_no_memory(pf_error *error) {
    return base_error(error, PF_NO_MEMORY, "the host has no memory left");
}
