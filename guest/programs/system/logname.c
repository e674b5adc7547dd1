/*
 * logname.c: logname, users, who: who is logged in. A sandbox has one user and no logins.
 *
 * help logname:
 *   Usage: logname [OPTION]
 *   Print the user's login name.
 *
 *         --help     display this help and exit
 *         --version  output version information and exit
 *
 * help users:
 *   Usage: users [OPTION]... [FILE]
 *   Output who is currently logged in according to FILE. Nobody is.
 *
 *         --help     display this help and exit
 *         --version  output version information and exit
 *
 * help who:
 *   Usage: who [OPTION]... [ FILE | ARG1 ARG2 ]
 *   Print information about users who are currently logged in. Nobody is.
 *
 *         --help     display this help and exit
 *         --version  output version information and exit
 */
#include "g_option.h"
#include "g_out.h"

#include <stdlib.h>
#include <string.h>

int logname_main(int argc, char **argv) {
    const char *slash = strrchr(g_name(), '/'), *name = slash ? slash + 1 : g_name();
    int first = g_no_options(argc, argv);
    int most = strcmp(name, "who") == 0 ? 2 : strcmp(name, "users") == 0;
    if (argc - first > most) g_extra_operand(argv[first + most]);
    if (strcmp(name, "logname") != 0) return 0;
    const char *login = getenv("LOGNAME");
    if (!login || !*login) g_die(1, "no login name");
    g_outs(login);
    g_outc('\n');
    return 0;
}
