/*
 * chroot.c: runs a command with another root directory, of which there is one here: its own.
 *
 * help chroot:
 *   Usage: chroot [OPTION] NEWROOT [COMMAND [ARG]...]
 *   Run COMMAND with root directory set to NEWROOT, which has to be the root directory.
 *
 *         --groups=G_LIST        (ignored)
 *         --userspec=USER:GROUP  (ignored)
 *         --skip-chdir           do not change working directory to '/'
 *         --help        display this help and exit
 *         --version     output version information and exit
 */
#include "g_file.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { IGNORED = 256, SKIP_CHDIR, CANNOT = 125 };

int chroot_main(int argc, char **argv) {
    static const g_long longs[] = {{"groups", IGNORED, G_REQUIRED},
                                   {"userspec", IGNORED, G_REQUIRED},
                                   {"skip-chdir", SKIP_CHDIR, G_NONE},
                                   {0}};
    bool skip = false;
    g_set_failure(CANNOT);
    g_options o = g_options_of(argc, argv, "+", longs);
    for (int option; (option = g_option(&o)) >= 0;) skip |= option == SKIP_CHDIR;
    if (o.at == argc) g_missing_operand(NULL);
    const char *root = argv[o.at++];
    struct stat st;
    int error = stat(root, &st) != 0 ? errno : S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
    char *full = error ? NULL : g_canonicalize(root, G_ALL_EXIST, false);
    bool same = full && strcmp(full, "/") == 0;
    free(full);
    if (!error && !same) error = EPERM;
    if (error) g_die_errno(CANNOT, error, "cannot change root directory to %s", g_quoteaf(root));
    if (skip && !same)
        g_usage("option --skip-chdir only permitted if NEWROOT is old %s", g_quote("/"));
    if (!skip && chdir("/") != 0) g_die_errno(CANNOT, errno, "cannot chdir to root directory");
    char *shell[] = {getenv("SHELL"), (char *)"-i", NULL};
    if (!shell[0]) shell[0] = (char *)"/bin/sh";
    char **command = o.at < argc ? argv + o.at : shell;
    execvp(command[0], command);
    error = errno;
    g_die_errno(error == ENOENT ? 127 : 126, error, "failed to run command %s",
                g_quote(command[0]));
}
