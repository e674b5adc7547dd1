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
/* The size that a structure had while `last` was its last member. */
#define BASE_SIZE_TO(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))
/*
 * Copies a structure that the embedder filled, and whose first member is its size, to `out`, which
 * has `size` bytes; what the embedder's does not have becomes zero. `first` is the size that it had
 * when it was new, `name` its name in messages. PF_INVALID, PF_UNSUPPORTED: see SIZES in pinfold.h.
 */
pf_status base_take_sized(void *out, size_t size, const void *given, size_t first, const char *name,
                          pf_error *error);
/* PF_NO_MEMORY, in one text everywhere. */
pf_status base_no_memory(pf_error *error);

#endif
