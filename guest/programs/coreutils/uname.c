/*
 * uname.c: names of the system.
 *
 * help uname:
 *   Usage: uname [OPTION]...
 *   Print certain system information. With no OPTION, same as -s.
 *
 *     -a, --all                print all information, in the following order, except omit -p and
 *                                -i if unknown:
 *     -s, --kernel-name        print the kernel name
 *     -n, --nodename           print the network node hostname
 *     -r, --kernel-release     print the kernel release
 *     -v, --kernel-version     print the kernel version
 *     -m, --machine            print the machine hardware name
 *     -p, --processor          print the processor type (non-portable)
 *     -i, --hardware-platform  print the hardware platform (non-portable)
 *     -o, --operating-system   print the operating system
 *         --help               display this help and exit
 *         --version            output version information and exit
 *
 * help arch:
 *   Usage: arch [OPTION]...
 *   Print machine architecture.
 *
 *         --help     display this help and exit
 *         --version  output version information and exit
 *
 * help hostname:
 *   Usage: hostname [-fsid]
 *   Print the system's host name. It cannot be set here.
 */
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

static const g_long longs[] = {
    {"all", 'a', G_NONE}, {"kernel-name", 's', G_NONE}, {"sysname", 's', G_NONE},
    {"nodename", 'n', G_NONE}, {"kernel-release", 'r', G_NONE}, {"release", 'r', G_NONE},
    {"kernel-version", 'v', G_NONE}, {"machine", 'm', G_NONE}, {"processor", 'p', G_NONE},
    {"hardware-platform", 'i', G_NONE}, {"operating-system", 'o', G_NONE}, {0}};

static int hostname(int argc, char **argv, const struct utsname *u) {
    g_set_failure(255);
    g_options o = g_options_of(argc, argv, "fsidAIy", NULL);
    bool domain = false;
    for (int option; (option = g_option(&o)) >= 0;) domain = option == 'd';
    g_set_failure(1);
    if (o.at < argc) g_die(1, "you must be root to change the host name");
    g_outs(domain ? "" : u->nodename);
    g_outc('\n');
    return 0;
}

int uname_main(int argc, char **argv) {
    static const char order[] = "snrvmpio";
    struct utsname u;
    if (uname(&u) < 0) g_die_errno(1, errno, "cannot get system name");
    const char *called = strrchr(g_name(), '/');
    called = called ? called + 1 : g_name();
    if (strcmp(called, "hostname") == 0) return hostname(argc, argv, &u);
    unsigned wanted = 0;
    bool all = false;
    bool is_arch = strcmp(called, "arch") == 0;
    g_options o = g_options_of(argc, argv, is_arch ? "" : "asnrvmpio", is_arch ? NULL : longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (option == 'a') all = true;
        else wanted |= 1u << (strchr(order, option) - order);
    }
    if (o.at < argc) g_extra_operand(argv[o.at]);
    if (is_arch) wanted = 1u << 4;
    if (all) wanted = 0x9f;
    if (!wanted) wanted = 1;
    const char *values[] = {u.sysname,  u.nodename, u.release,  u.version,
                            u.machine, "unknown", "unknown", "GNU/Linux"};
    bool first = true;
    for (int i = 0; i < 8; i++) {
        if (!(wanted & 1u << i)) continue;
        if (!first) g_outc(' ');
        g_outs(values[i]);
        first = false;
    }
    g_outc('\n');
    return 0;
}
