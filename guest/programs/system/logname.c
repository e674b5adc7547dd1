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
 *     -a, --all         same as -b -d --login -p -r -t -T -u
 *     -b, --boot        time of last system boot
 *     -d, --dead        print dead processes
 *     -H, --heading     print line of column headings
 *         --ips         print ips instead of hostnames
 *     -l, --login       print system login processes
 *         --lookup      attempt to canonicalize hostnames via DNS
 *     -m                only hostname and user associated with stdin
 *     -p, --process     print active processes spawned by init
 *     -q, --count       all login names and number of users logged on
 *     -r, --runlevel    print current runlevel
 *     -s, --short       print only name, line, and time (default)
 *     -t, --time        print last system clock change
 *     -T, -w, --mesg    add user's message status as +, - or ?
 *     -u, --users       list users logged in
 *         --message     same as -T
 *         --writable    same as -T
 *         --help     display this help and exit
 *         --version  output version information and exit
 */
#include "g_option.h"
#include "g_out.h"

#include <stdlib.h>
#include <string.h>

static const g_long who_longs[] = {
    {"all", 'a', G_NONE},      {"boot", 'b', G_NONE},     {"count", 'q', G_NONE},
    {"dead", 'd', G_NONE},     {"heading", 'H', G_NONE},  {"ips", 'i', G_NONE},
    {"login", 'l', G_NONE},    {"lookup", 'k', G_NONE},   {"message", 'T', G_NONE},
    {"mesg", 'T', G_NONE},     {"process", 'p', G_NONE},  {"runlevel", 'r', G_NONE},
    {"short", 's', G_NONE},    {"time", 't', G_NONE},     {"users", 'u', G_NONE},
    {"writable", 'T', G_NONE}, {0}};

/* There is nobody to list: what is left are the headings and the number of users. */
static int who(int argc, char **argv) {
    bool heading = false, count = false, message = false, idle = false, exits = false;
    g_options o = g_options_of(argc, argv, "abdlmpqrstuwHT", who_longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        heading = heading || option == 'H';
        count = count || option == 'q';
        message = message || option == 'T' || option == 'w' || option == 'a';
        idle = idle || strchr("uald", option) != NULL;
        exits = exits || option == 'a' || option == 'd';
    }
    if (argc - o.at > 2) g_extra_operand(argv[o.at + 2]);
    if (count)
        g_outs("\n# users=0\n");
    else if (heading)
        g_outf("NAME%s     LINE         TIME             %sCOMMENT%s\n", message ? "  " : "",
               idle ? "IDLE          PID " : "", exits ? "  EXIT" : "");
    return 0;
}

int logname_main(int argc, char **argv) {
    const char *slash = strrchr(g_name(), '/'), *name = slash ? slash + 1 : g_name();
    if (strcmp(name, "who") == 0) return who(argc, argv);
    int first = g_no_options(argc, argv), most = strcmp(name, "users") == 0;
    if (argc - first > most) g_extra_operand(argv[first + most]);
    if (strcmp(name, "logname") != 0) return 0;
    const char *login = getenv("LOGNAME");
    if (!login || !*login) g_die(1, "no login name");
    g_outs(login);
    g_outc('\n');
    return 0;
}
