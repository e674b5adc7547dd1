/*
 * sync.c: writes what is cached to storage. Files here are in memory, so only names are checked.
 *
 * help sync:
 *   Usage: sync [OPTION] [FILE]...
 *   Synchronize cached writes to persistent storage. If one or more files are specified, sync only
 *   them, or their containing file systems.
 *
 *     -d, --data             sync only file data, no unneeded metadata
 *     -f, --file-system      sync the file systems that contain the files
 *         --help             display this help and exit
 *         --version          output version information and exit
 */
#include "g_option.h"
#include "g_quote.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static const g_long longs[] = {{"data", 'd', G_NONE}, {"file-system", 'f', G_NONE}, {0}};

int sync_main(int argc, char **argv) {
    bool data = false, system = false;
    g_options o = g_options_of(argc, argv, "df", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        data |= option == 'd';
        system |= option == 'f';
    }
    if (data && system) g_die(1, "cannot specify both --data and --file-system");
    if (data && o.at == argc) g_die(1, "--data needs at least one argument");
    int status = 0;
    for (int i = o.at; i < argc; i++) {
        int fd = open(argv[i], O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0) {
            g_warn_errno(errno, "error opening %s", g_quoteaf(argv[i]));
            status = 1;
            continue;
        }
        close(fd);
    }
    return status;
}
