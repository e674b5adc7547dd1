/*
 * false.c: fails. As in GNU, also with --help and --version.
 *
 * help false:
 *   Usage: false [ignored command line arguments]
 *     or:  false OPTION
 *   Exit with a status code indicating failure.
 *
 *         --help        display this help and exit
 *         --version     output version information and exit
 */
#include "fixed.h"

int false_main(int argc, char **argv) { return fixed_status(argc, argv, 1); }
