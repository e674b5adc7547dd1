/*
 * printenv.c: prints all or part of the environment.
 *
 * help printenv:
 *   Usage: printenv [OPTION]... [VARIABLE]...
 *   Print the values of the specified environment VARIABLE(s). If no VARIABLE is specified, print
 *   name and value pairs for them all.
 *
 *     -0, --null     end each output line with NUL, not newline
 *         --help     display this help and exit
 *         --version  output version information and exit
 */
#include "g_option.h"
#include "g_out.h"

#include <stdlib.h>
#include <string.h>

extern char **environ;
static const g_long longs[] = {{"null", '0', G_NONE}, {0}};

int printenv_main(int argc, char **argv) {
    char end = '\n';
    g_set_failure(2);
    g_options o = g_options_of(argc, argv, "+0", longs);
    while (g_option(&o) >= 0) end = '\0';
    int found = 0;
    for (char **e = environ; o.at == argc && e && *e; e++) {
        g_outs(*e);
        g_outc(end);
    }
    for (int i = o.at; i < argc; i++) {
        const char *value = strchr(argv[i], '=') ? NULL : getenv(argv[i]);
        if (!value) continue;
        g_outs(value);
        g_outc(end);
        found++;
    }
    return found == argc - o.at ? 0 : 1;
}
