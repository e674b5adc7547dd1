/*
 * whoami.c: the name of the effective user.
 *
 * help whoami:
 *   Usage: whoami [OPTION]...
 *   Print the user name associated with the current effective user ID. Same as id -un.
 *
 *         --help     display this help and exit
 *         --version  output version information and exit
 */
#include "g_option.h"
#include "g_out.h"

#include <pwd.h>
#include <unistd.h>

int whoami_main(int argc, char **argv) {
    int first = g_no_options(argc, argv);
    if (first < argc) g_extra_operand(argv[first]);
    struct passwd *user = getpwuid(geteuid());
    if (!user) g_die(1, "cannot find name for user ID %lu", (unsigned long)geteuid());
    g_outs(user->pw_name);
    g_outc('\n');
    return 0;
}
