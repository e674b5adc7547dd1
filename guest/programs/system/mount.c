/*
 * mount.c: lists file systems. Nothing can be mounted from inside: that is for whoever made the
 * sandbox.
 *
 * help mount:
 *   Usage:
 *    mount [-l] [-v] [-t <list>]
 *
 *   List the mounted filesystems. Mounting is not possible within the sandbox.
 *
 *   Options:
 *    -l, --show-labels    show also filesystem labels
 *    -t, --types <list>   limit the set of filesystem types
 *    -v, --verbose        say what is being done
 *    -h, --help           display this help
 *    -V, --version        display version
 *
 * help umount:
 *   Usage:
 *    umount <source> | <directory>
 *
 *   Unmounting is not possible within the sandbox: it fails.
 *
 *   Options:
 *    -h, --help           display this help
 *    -V, --version        display version
 */
#include "g_option.h"
#include "g_out.h"
#include "mount_table.h"

#include <string.h>

enum { USAGE = 1, FAILED = 32 };

/* Whether a type is one of a list with commas; a list that begins with "no" has all others. */
static bool type_matches(const char *type, const char *list) {
    bool negated = strncmp(list, "no", 2) == 0, found = false;
    if (negated) list += 2;
    while (*list && !found) {
        size_t len = strcspn(list, ",");
        found = len == strlen(type) && strncmp(list, type, len) == 0;
        list += len + (list[len] == ',');
    }
    return found != negated;
}

static int list(const char *types) {
    size_t count;
    mount_entry *table = mount_table(&count);
    for (size_t i = 0; i < count; i++)
        if (!types || type_matches(table[i].type, types))
            g_outf("%s on %s type %s (%s)\n", table[i].source, table[i].target, table[i].type,
                   table[i].options);
    return 0;
}

int mount_main(int argc, char **argv) {
    static const g_long longs[] = {{"show-labels", 'l', G_NONE}, {"types", 't', G_REQUIRED},
                                   {"verbose", 'v', G_NONE},     {"options", 'o', G_REQUIRED},
                                   {"all", 'a', G_NONE},         {"bind", 'B', G_NONE},
                                   {"read-only", 'r', G_NONE},   {"version", 'V', G_NONE},
                                   {"help", 'h', G_NONE},        {0}};
    const char *slash = strrchr(g_name(), '/'), *name = slash ? slash + 1 : g_name();
    bool unmounts = strcmp(name, "umount") == 0, changes = unmounts;
    const char *types = NULL;
    g_set_failure(USAGE);
    g_options o =
        g_options_of(argc, argv, unmounts ? "afhlnO:qRrt:vV" : "aBcfFhilL:no:O:rRt:U:vVw", longs);
    for (int option; (option = g_option(&o)) >= 0;) switch (option) {
        case 'h': g_outs(g_help()); return 0;
        case 'V': g_print_version(); return 0;
        case 't': types = o.arg; break;
        case 'l':
        case 'v': break;
        default: changes = true;
        }
    if (unmounts && o.at == argc) g_usage("bad usage");
    if (!changes && o.at == argc) return list(types);
    g_die(FAILED, "%s: file systems are mounted by the program that made the sandbox",
          o.at < argc ? argv[argc - 1] : "/");
}
