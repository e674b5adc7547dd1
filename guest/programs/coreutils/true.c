/*
 * true.c: succeeds. As in GNU, options other than a single --help or --version are ignored.
 *
 * help true:
 *   Usage: true [ignored command line arguments]
 *     or:  true OPTION
 *   Exit with a status code indicating success.
 *
 *         --help        display this help and exit
 *         --version     output version information and exit
 */
#include "fixed.h"

int true_main(int argc, char **argv) { return fixed_status(argc, argv, 0); }
