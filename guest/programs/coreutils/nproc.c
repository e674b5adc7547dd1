/*
 * nproc.c: the number of processors that this process may use.
 *
 * help nproc:
 *   Usage: nproc [OPTION]...
 *   Print the number of processing units available to the current process.
 *
 *         --all       print the number of installed processors
 *         --ignore=N  if possible, exclude N processing units
 *         --help      display this help and exit
 *         --version   output version information and exit
 */
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"

#include <stdlib.h>
#include <unistd.h>

enum { ALL = 256, IGNORE };
static const g_long longs[] = {{"all", ALL, G_NONE}, {"ignore", IGNORE, G_REQUIRED}, {0}};

int nproc_main(int argc, char **argv) {
    uint64_t ignore = 0, limit = UINT64_MAX;
    bool all = false;
    g_options o = g_options_of(argc, argv, "", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (option == IGNORE) ignore = g_number(o.arg, "", 0, UINT64_MAX, "invalid number");
        else all = true;
    }
    if (o.at < argc) g_extra_operand(argv[o.at]);
    long have = sysconf(all ? _SC_NPROCESSORS_CONF : _SC_NPROCESSORS_ONLN);
    uint64_t count = have > 0 ? (uint64_t)have : 1;
    const char *threads = getenv("OMP_NUM_THREADS"), *most = getenv("OMP_THREAD_LIMIT");
    if (!all && most) g_parse_unsigned(most, NULL, &limit, NULL);
    if (!all && threads && atoi(threads) > 0) count = (uint64_t)atoi(threads);
    if (!all && limit && count > limit) count = limit;
    g_out_decimal(count > ignore ? count - ignore : 1);
    g_outc('\n');
    return 0;
}
