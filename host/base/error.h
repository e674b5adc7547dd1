/*
 * host/base/error.h: fills the pf_error that every failing function of the host hands out.
 *
 * Called by everything in host/. A message is UTF-8, is cut at a character when it is too long, and
 * never holds memory. `error` may be NULL everywhere.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "pinfold.h"

/* Fills *error and returns `status`, so that `return base_error(…)` is the way to fail. */
pf_status base_error(pf_error *error, pf_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with a Linux errno of the guest. */
pf_status base_error_errno(pf_error *error, pf_status status, int guest_errno, const char *format,
                           ...) __attribute__((format(printf, 4, 5)));
/* PF_NO_MEMORY, in one text everywhere. */
pf_status base_no_memory(pf_error *error);

#endif
