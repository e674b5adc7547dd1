/*
 * tty.c: tells what terminal standard input is.
 *
 * help tty:
 *   Usage: tty [OPTION]...
 *   Print the file name of the terminal connected to standard input.
 *
 *     -s, --silent, --quiet   print nothing, only return an exit status
 *         --help              display this help and exit
 *         --version           output version information and exit
 */
#include "g_option.h"
#include "g_out.h"

#include <unistd.h>

static const g_long longs[] = {{"silent", 's', G_NONE}, {"quiet", 's', G_NONE}, {0}};

int tty_main(int argc, char **argv) {
    bool silent = false;
    enum { WRITE_FAILED = 3, WRONG_USAGE = 2 };
    g_set_failure(WRITE_FAILED);
    g_standard_option(argc, argv);
    g_set_failure(WRONG_USAGE);
    g_options o = g_options_of(argc, argv, "s", longs);
    while (g_option(&o) >= 0) silent = true;
    if (o.at < argc) g_extra_operand(argv[o.at]);
    bool terminal = isatty(STDIN_FILENO);
    if (silent) return !terminal;
    g_set_failure(WRITE_FAILED);
    g_outs(terminal ? "/dev/tty\n" : "not a tty\n");
    return !terminal;
}
