/*
 * getent.c: entries of the databases of users, groups and hosts.
 *
 * Deviation: what these files hold is all there is; no network is asked.
 *
 * help getent:
 *   Usage: getent [OPTION...] database [key ...]
 *   Get entries from administrative database.
 *
 *     -A, --no-addrconfig    (ignored)
 *     -i, --no-idn           (ignored)
 *     -s, --service=CONFIG   (ignored)
 *     -?, --help             Give this help list
 *     -V, --version          Print program version
 *
 *   Supported databases:
 *   ahosts ahostsv4 group hosts passwd
 */
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"
#include "g_text.h"

#include <ctype.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOT_FOUND = 2 };

static void put_user(const struct passwd *p) {
    g_outf("%s:%s:%u:%u:%s:%s:%s\n", p->pw_name, p->pw_passwd, (unsigned)p->pw_uid,
           (unsigned)p->pw_gid, p->pw_gecos, p->pw_dir, p->pw_shell);
}

static void put_group(const struct group *g) {
    g_outf("%s:%s:%u:", g->gr_name, g->gr_passwd, (unsigned)g->gr_gid);
    for (char **m = g->gr_mem; m && *m; m++) g_outf("%s%s", m > g->gr_mem ? "," : "", *m);
    g_outc('\n');
}

static bool is_number(const char *s) {
    return *s && !s[strspn(s, "0123456789")];
}

static int users(int count, char **keys) {
    int status = 0;
    if (!count)
        for (struct passwd *p; (p = getpwent());) put_user(p);
    for (int i = 0; i < count; i++) {
        struct passwd *p =
            is_number(keys[i]) ? getpwuid((uid_t)strtoul(keys[i], NULL, 10)) : getpwnam(keys[i]);
        if (p)
            put_user(p);
        else
            status = NOT_FOUND;
    }
    return status;
}

static int groups(int count, char **keys) {
    int status = 0;
    if (!count)
        for (struct group *g; (g = getgrent());) put_group(g);
    for (int i = 0; i < count; i++) {
        struct group *g =
            is_number(keys[i]) ? getgrgid((gid_t)strtoul(keys[i], NULL, 10)) : getgrnam(keys[i]);
        if (g)
            put_group(g);
        else
            status = NOT_FOUND;
    }
    return status;
}

/* Lines of /etc/hosts whose names or address are `key`; all of them without one. */
static int host(const char *key, bool sockets) {
    int fd = open("/etc/hosts", O_RDONLY | O_CLOEXEC), status = key ? NOT_FOUND : 0;
    g_reader in;
    g_line line;
    if (fd < 0) return status;
    g_reader_init(&in, fd, '\n');
    while (g_read_line(&in, &line)) {
        char *text = g_copy_bytes(line.s, line.len), *save, *name;
        text[strcspn(text, "#")] = '\0';
        char *address = strtok_r(text, " \t", &save);
        bool found = address && (!key || strcmp(key, address) == 0);
        g_text names = {0};
        while (address && (name = strtok_r(NULL, " \t", &save))) {
            if (key && strcmp(key, name) == 0) found = true;
            g_text_addf(&names, "%s%s", names.len ? " " : "", name);
        }
        if (found && names.len && sockets && !strchr(address, ':')) {
            g_outf("%-15s STREAM %.*s\n%-15s DGRAM  \n%-15s RAW    \n", address,
                   (int)strcspn(names.s, " "), names.s, address, address);
            status = 0;
        } else if (found && names.len && !sockets) {
            g_outf("%-15s %s\n", address, names.s);
            status = 0;
        }
        g_text_free(&names);
        free(text);
        if (key && !status) break;
    }
    g_reader_free(&in);
    close(fd);
    return status;
}

static int hosts(int count, char **keys, bool sockets) {
    int status = 0;
    if (!count) return host(NULL, sockets);
    for (int i = 0; i < count; i++)
        if (host(keys[i], sockets)) status = NOT_FOUND;
    return status;
}

static _Noreturn void try_help(void) {
    g_outf("Try `%s --help' or `%s --usage' for more information.\n", g_name(), g_name());
    g_exit(1);
}

int getent_main(int argc, char **argv) {
    static const g_long longs[] = {
        {"no-addrconfig", 'A', G_NONE}, {"no-idn", 'i', G_NONE}, {"service", 's', G_REQUIRED}, {0}};
    static const char *const others[] = {"ahostsv6",   "aliases",  "ethers",   "gshadow",
                                         "initgroups", "netgroup", "networks", "protocols",
                                         "rpc",        "services", "shadow",   NULL};
    g_set_failure(1);
    g_options o = g_options_of(argc, argv, "Ais:?V", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (option == '?') {
            g_outs(g_help());
            return 0;
        }
        if (option == 'V') {
            g_print_version();
            return 0;
        }
    }
    if (o.at == argc) {
        g_warn("wrong number of arguments");
        try_help();
    }
    const char *database = argv[o.at];
    int count = argc - o.at - 1;
    char **keys = argv + o.at + 1;
    if (strcmp(database, "passwd") == 0) return users(count, keys);
    if (strcmp(database, "group") == 0) return groups(count, keys);
    if (strcmp(database, "hosts") == 0) return hosts(count, keys, false);
    if (strcmp(database, "ahosts") == 0 || strcmp(database, "ahostsv4") == 0)
        return hosts(count, keys, true);
    for (const char *const *name = others; *name; name++)
        if (strcmp(database, *name) == 0) return count ? NOT_FOUND : 0;
    fprintf(stderr, "Unknown database: %s\n", database);
    try_help();
}
