/*
 * uptime.c: uptime, w: how long the system runs, and who is there. Nobody has logged in.
 *
 * help uptime:
 *   Usage:
 *    uptime [options]
 *
 *   Options:
 *    -p, --pretty   show uptime in pretty format
 *    -h, --help     display this help and exit
 *    -s, --since    system up since
 *    -V, --version  output version information and exit
 *
 * help w:
 *   Usage:
 *    w [options] [user]
 *
 *   Options:
 *    -h, --no-header     do not print header
 *    -s, --short         short format
 *    -f, --from          show remote hostname field
 *    -u, --no-current, -o, --old-style, -i, --ip-addr  (ignored)
 *        --help     display this help and exit
 *    -V, --version  output version information and exit
 */
#include "g_file.h"
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"
#include "proc.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void loads(double out[3]) {
    int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    size_t len;
    char *text = fd < 0 ? NULL : g_read_all(fd, &len), *s = text;
    for (int i = 0; i < 3; i++) out[i] = s ? strtod(s, &s) : 0;
    if (fd >= 0) close(fd);
    free(text);
}

static void put_line(void) {
    time_t now = time(NULL);
    struct tm *t = localtime(&now);
    long minutes = (long)proc_uptime() / 60, days = minutes / 1440, hours = minutes / 60 % 24;
    double load[3];
    loads(load);
    g_outf(" %02d:%02d:%02d up ", t->tm_hour, t->tm_min, t->tm_sec);
    if (days) g_outf("%ld day%s, ", days, days > 1 ? "s" : "");
    if (hours)
        g_outf("%2ld:%02ld", hours, minutes % 60);
    else
        g_outf("%ld min", minutes % 60);
    g_outf(",  0 users,  load average: %.2f, %.2f, %.2f\n", load[0], load[1], load[2]);
}

static void put_pretty(void) {
    static const struct {
        const char *name;
        long minutes;
    } units[] = {{"week", 10080}, {"day", 1440}, {"hour", 60}, {"minute", 1}};
    long left = (long)proc_uptime() / 60;
    bool any = false;
    g_outs("up");
    for (size_t i = 0; i < 4; i++) {
        long count = left / units[i].minutes;
        left %= units[i].minutes;
        if (!count && !(i == 3 && !any)) continue;
        g_outf("%s %ld %s%s", any ? "," : "", count, units[i].name, count == 1 ? "" : "s");
        any = true;
    }
    g_outc('\n');
}

static void put_since(void) {
    time_t start = time(NULL) - (time_t)proc_uptime();
    char text[32];
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S\n", localtime(&start));
    g_outs(text);
}

static int uptime(int argc, char **argv) {
    static const g_long longs[] = {{"pretty", 'p', G_NONE}, {"since", 's', G_NONE}, {0}};
    g_options o = g_options_of(argc, argv, "phsV", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (option == 'p') put_pretty();
        if (option == 's') put_since();
        if (option == 'h') g_outs(g_help());
        if (option == 'V') g_print_version();
        return 0;
    }
    if (o.at < argc) g_extra_operand(argv[o.at]);
    put_line();
    return 0;
}

static int who(int argc, char **argv) {
    static const g_long longs[] = {{"no-header", 'h', G_NONE},
                                   {"short", 's', G_NONE},
                                   {"from", 'f', G_NONE},
                                   {"no-current", 'u', G_NONE},
                                   {"old-style", 'o', G_NONE},
                                   {"ip-addr", 'i', G_NONE},
                                   {0}};
    bool header = true, brief = false, from = true;
    g_options o = g_options_of(argc, argv, "hsfuoiV", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (option == 'h') header = false;
        if (option == 's') brief = true;
        if (option == 'f') from = !from;
        if (option == 'V') {
            g_print_version();
            return 0;
        }
    }
    if (!header) return 0;
    put_line();
    g_outf("USER     TTY      %s%s\n",
           from    ? "FROM             "
           : brief ? ""
                   : "  ",
           brief ? " IDLE WHAT" : "LOGIN@   IDLE   JCPU   PCPU WHAT");
    return 0;
}

int uptime_main(int argc, char **argv) {
    return strcmp(g_last_part(g_name()), "w") == 0 ? who(argc, argv) : uptime(argc, argv);
}
