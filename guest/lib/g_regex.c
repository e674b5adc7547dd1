/*
 * g_regex.c: what lib/regex asks of its host.
 */
#include "g_regex.h"
#include "pf.h"

#include <stdlib.h>

static void *reallocate(void *user, void *old, size_t size) {
    (void)user;
    if (size > 0) return realloc(old, size);
    free(old);
    return NULL;
}

const pf_regex_host g_regex_host = {reallocate, NULL, pf_yield};
