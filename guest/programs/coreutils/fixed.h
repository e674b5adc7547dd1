/*
 * fixed.h: what true and false have in common.
 */
#ifndef FIXED_H
#define FIXED_H

#include "g_option.h"
#include "g_out.h"

#include <string.h>

static inline int fixed_status(int argc, char **argv, int status) {
    if (argc == 2 && strcmp(argv[1], "--help") == 0) g_outs(g_help());
    if (argc == 2 && strcmp(argv[1], "--version") == 0) g_print_version();
    return status;
}

#endif
