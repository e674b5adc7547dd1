/*
 * sleep.c: waits.
 *
 * help sleep:
 *   Usage: sleep NUMBER[SUFFIX]...
 *     or:  sleep OPTION
 *   Pause for NUMBER seconds, where NUMBER is an integer or floating-point. SUFFIX may be 's', 'm',
 *   'h', or 'd', for seconds, minutes, hours, days. With multiple arguments, pause for their sum.
 *
 *         --help     display this help and exit
 *         --version  output version information and exit
 */
#include "g_interval.h"
#include "g_option.h"
#include "g_quote.h"

#include <stdio.h>

int sleep_main(int argc, char **argv) {
    int first = g_no_options(argc, argv);
    if (first == argc) g_missing_operand(NULL);
    double total = 0;
    bool good = true;
    for (int i = first; i < argc; i++) {
        double seconds;
        if (g_interval(argv[i], &seconds)) {
            total += seconds;
        } else {
            g_warn("invalid time interval %s", g_quote(argv[i]));
            good = false;
        }
    }
    if (!good) g_usage(NULL);
    g_sleep(total);
    return 0;
}
