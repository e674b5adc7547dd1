/*
 * id.c: user and group ids. Supplementary groups are the group itself: there are no others here.
 *
 * help id:
 *   Usage: id [OPTION]... [USER]...
 *   Print user and group information for each specified USER, or for the current process.
 *
 *     -a             (ignored)
 *     -g, --group    print only the effective group ID
 *     -G, --groups   print all group IDs
 *     -n, --name     print a name instead of a number, for -ugG
 *     -r, --real     print the real ID instead of the effective ID, with -ugG
 *     -u, --user     print only the effective user ID
 *     -z, --zero     delimit entries with NUL characters, not whitespace
 *         --help     display this help and exit
 *         --version  output version information and exit
 *
 * help groups:
 *   Usage: groups [OPTION]... [USERNAME]...
 *   Print group memberships for each USERNAME or, if no USERNAME is specified, for the current
 *   process.
 *
 *         --help     display this help and exit
 *         --version  output version information and exit
 */
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

static void put_user(uid_t uid, bool name) {
    struct passwd *user = name ? getpwuid(uid) : NULL;
    if (user) g_outs(user->pw_name);
    else g_out_decimal(uid);
}

static void put_group(gid_t gid, bool name) {
    struct group *group = name ? getgrgid(gid) : NULL;
    if (group) g_outs(group->gr_name);
    else g_out_decimal(gid);
}

static void put_all(uid_t uid, gid_t gid) {
    struct passwd *user = getpwuid(uid);
    struct group *group = getgrgid(gid);
    g_outf("uid=%lu", (unsigned long)uid);
    if (user) g_outf("(%s)", user->pw_name);
    for (int i = 0; i < 2; i++) {
        g_outf(i ? " groups=%lu" : " gid=%lu", (unsigned long)gid);
        if (group) g_outf("(%s)", group->gr_name);
    }
    g_outc('\n');
}

static const g_long longs[] = {{"context", 'Z', G_NONE}, {"group", 'g', G_NONE},
                               {"groups", 'G', G_NONE},  {"name", 'n', G_NONE},
                               {"real", 'r', G_NONE},    {"user", 'u', G_NONE},
                               {"zero", 'z', G_NONE},    {0}};

static int groups(int argc, char **argv, int first) {
    int status = 0;
    if (first == argc) {
        put_group(getgid(), true);
        g_outc('\n');
    }
    for (int i = first; i < argc; i++) {
        struct passwd *user = getpwnam(argv[i]);
        if (!user) {
            g_warn("%s: no such user", g_quote(argv[i]));
            status = 1;
            continue;
        }
        g_outf("%s : ", argv[i]);
        put_group(user->pw_gid, true);
        g_outc('\n');
    }
    return status;
}

int id_main(int argc, char **argv) {
    const char *called = strrchr(g_name(), '/');
    if (strcmp(called ? called + 1 : g_name(), "groups") == 0)
        return groups(argc, argv, g_no_options(argc, argv));
    char what = 0, end = '\n';
    bool name = false, real = false, zero = false;
    g_options o = g_options_of(argc, argv, "agnruzGZ", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'g': case 'G': case 'u':
            if (what && what != option) g_die(1, "cannot print \"only\" of more than one choice");
            what = (char)option;
            break;
        case 'n': name = true; break;
        case 'r': real = true; break;
        case 'z': end = '\0'; zero = true; break;
        case 'Z': g_die(1, "--context (-Z) works only on an SELinux-enabled kernel");
        }
    if (!what && (name || real))
        g_die(1, "cannot print only names or real IDs in default format");
    if (!what && zero) g_die(1, "option --zero not permitted in default format");
    int status = 0;
    for (int i = o.at; i == o.at || i < argc; i++) {
        uid_t uid = real ? getuid() : geteuid();
        gid_t gid = real ? getgid() : getegid();
        if (i < argc) {
            struct passwd *user = getpwnam(argv[i]);
            if (!user) {
                g_warn("%s: no such user", g_quote(argv[i]));
                status = 1;
                continue;
            }
            uid = user->pw_uid;
            gid = user->pw_gid;
        }
        if (!what) {
            put_all(uid, gid);
            continue;
        }
        if (what == 'u') put_user(uid, name);
        else put_group(gid, name);
        g_outc(end);
    }
    return status;
}
