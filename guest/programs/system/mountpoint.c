/*
 * mountpoint.c: tells whether a file system is mounted on a directory.
 *
 * help mountpoint:
 *   Usage:
 *    mountpoint [-qd] /path/to/directory
 *
 *   Check whether a directory or file is a mountpoint.
 *
 *   Options:
 *    -q, --quiet        quiet mode - don't print anything
 *        --nofollow     do not follow symlink
 *    -d, --fs-devno     print maj:min device number of the filesystem
 *    -h, --help         display this help
 *    -V, --version      display version
 */
#include "g_file.h"
#include "g_option.h"
#include "g_out.h"
#include "mount_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

enum { NO_MOUNTPOINT = 32, NO_FOLLOW = 256 };

int mountpoint_main(int argc, char **argv) {
    static const g_long longs[] = {{"quiet", 'q', G_NONE},
                                   {"nofollow", NO_FOLLOW, G_NONE},
                                   {"fs-devno", 'd', G_NONE},
                                   {"devno", 'x', G_NONE},
                                   {"version", 'V', G_NONE},
                                   {"help", 'h', G_NONE},
                                   {0}};
    bool quiet = false, number = false, follow = true;
    g_options o = g_options_of(argc, argv, "dhqVx", longs);
    for (int option; (option = g_option(&o)) >= 0;) switch (option) {
        case 'q': quiet = true; break;
        case 'd': number = true; break;
        case NO_FOLLOW: follow = false; break;
        case 'x': g_die(1, "-x is not supported: there are no block devices here");
        case 'h': g_outs(g_help()); return 0;
        case 'V': g_print_version(); return 0;
        }
    if (argc - o.at != 1) g_usage("bad usage");
    const char *path = argv[o.at];
    struct stat st;
    if ((follow ? stat(path, &st) : lstat(path, &st)) != 0) {
        if (quiet) return 1;
        g_die_errno(1, errno, "%s", path);
    }
    size_t count;
    mount_entry *table = mount_table(&count);
    const mount_entry *in = mount_of_path(table, count, path);
    char *full = g_canonicalize(path, G_ALL_EXIST, false);
    bool is = in && full && strcmp(in->target, full) == 0 && (follow || !S_ISLNK(st.st_mode));
    free(full);
    if (is && number && !quiet)
        g_outf("%u:%u\n", (unsigned)major(st.st_dev), (unsigned)minor(st.st_dev));
    else if (!quiet)
        g_outf("%s is %sa mountpoint\n", path, is ? "" : "not ");
    return is ? 0 : NO_MOUNTPOINT;
}
