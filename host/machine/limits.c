/*
 * host/machine/limits.c: the limits of SPEC section 6 by name.
 */
#include "machine.h"

#include <string.h>

const struct machine_limits machine_default_limits = {
#define X(name, value) .name = value,
    MACHINE_LIMITS(X)
#undef X
};

uint64_t *machine_limit(struct machine_limits *limits, const char *name) {
#define X(field, value)                                                                            \
    if (strcmp(name, #field) == 0) return &limits->field;
    MACHINE_LIMITS(X)
#undef X
    return NULL;
}

const char *machine_limit_names(void) {
    static const char names[] =
#define X(field, value) ", " #field
        MACHINE_LIMITS(X)
#undef X
        ;
    return names + 2;
}
