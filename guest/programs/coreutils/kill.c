/*
 * kill.c: sends signals. The shell has its own kill, which also knows jobs.
 *
 * help kill:
 *   Usage: kill [-s SIGNAL | -SIGNAL] PID...
 *     or:  kill -l [SIGNAL]...
 *     or:  kill -t [SIGNAL]...
 *   Send signals to processes, or list signals.
 *
 *     -s, --signal=SIGNAL, -SIGNAL  specify the name or number of the signal to be sent
 *     -l, --list      list signal names, or convert signal names to/from numbers
 *     -t, --table     print a table of signal information
 *         --help      display this help and exit
 *         --version   output version information and exit
 */
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_signal.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static int list(char **names, int count, bool table) {
    int status = 0;
    for (int i = 1; count == 0 && i < 32; i++) {
        if (table) g_outf("%2d %-8s %s\n", i, g_signal_name(i), strsignal(i));
        else g_outf("%s\n", g_signal_name(i));
    }
    for (int i = 0; i < count; i++) {
        int number = g_signal_number(names[i]);
        const char *name = number >= 0 ? g_signal_name(number) : NULL;
        if (number < 0 || !name) {
            g_warn("%s: invalid signal", g_quote(names[i]));
            status = 1;
        } else if (table) {
            g_outf("%2d %-8s %s\n", number, name, strsignal(number));
        } else if (isdigit((unsigned char)*names[i])) {
            g_outf("%s\n", name);
        } else {
            g_outf("%d\n", number);
        }
    }
    return status;
}

int kill_main(int argc, char **argv) {
    int signal_number = SIGTERM, i = 1, status = 0;
    bool listing = false, table = false;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        const char *arg = argv[i];
        if (strcmp(arg, "--") == 0) {
            i++;
            break;
        }
        if (strcmp(arg, "--help") == 0) {
            g_outs(g_help());
            return 0;
        }
        if (strcmp(arg, "--version") == 0) {
            g_print_version();
            return 0;
        }
        const char *name = NULL;
        if (strcmp(arg, "-l") == 0 || strcmp(arg, "-L") == 0 || strcmp(arg, "--list") == 0) {
            listing = true;
        } else if (strcmp(arg, "-t") == 0 || strcmp(arg, "--table") == 0) {
            listing = table = true;
        } else if (strcmp(arg, "-s") == 0 || strcmp(arg, "-n") == 0 ||
                   strcmp(arg, "--signal") == 0) {
            if (i + 1 == argc) g_usage("option requires an argument -- 's'");
            name = argv[++i];
        } else if (strncmp(arg, "--signal=", 9) == 0) {
            name = arg + 9;
        } else if (strncmp(arg, "-s", 2) == 0 && g_signal_number(arg + 1) < 0) {
            name = arg + 2;
        } else {
            name = arg + 1;
        }
        if (name && (signal_number = g_signal_number(name)) < 0)
            g_usage("%s: invalid signal", g_quote(name));
    }
    if (listing) return list(argv + i, argc - i, table);
    if (i == argc) g_usage("no process ID specified");
    for (; i < argc; i++) {
        char *end;
        errno = 0;
        long pid = strtol(argv[i], &end, 10);
        if (errno || *end || end == argv[i]) {
            g_warn("%s: invalid process id", g_quote(argv[i]));
            status = 1;
        } else if (kill((pid_t)pid, signal_number) < 0) {
            g_warn_errno(errno, "%s", g_quote(argv[i]));
            status = 1;
        }
    }
    return status;
}
