/*
 * readlink.c: what a symbolic link holds, or a path without links.
 *
 * help readlink:
 *   Usage: readlink [OPTION]... FILE...
 *   Print value of a symbolic link or canonical file name
 *
 *     -f, --canonicalize            follow every symlink in every component; all but the last
 *                                     component must exist
 *     -e, --canonicalize-existing   the same; all components must exist
 *     -m, --canonicalize-missing    the same, without requirements on components existence
 *     -n, --no-newline              do not output the trailing delimiter
 *     -q, --quiet
 *     -s, --silent                  suppress most error messages (on by default)
 *     -v, --verbose                 report error messages
 *     -z, --zero                    end each output line with NUL, not newline
 *         --help                    display this help and exit
 *         --version                 output version information and exit
 */
#include "g_file.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <errno.h>
#include <stdlib.h>

static const g_long longs[] = {
    {"canonicalize", 'f', G_NONE}, {"canonicalize-existing", 'e', G_NONE},
    {"canonicalize-missing", 'm', G_NONE}, {"no-newline", 'n', G_NONE},
    {"quiet", 'q', G_NONE}, {"silent", 's', G_NONE}, {"verbose", 'v', G_NONE},
    {"zero", 'z', G_NONE}, {0}};

int readlink_main(int argc, char **argv) {
    int mode = -1, status = 0;
    bool newline = true, verbose = getenv("POSIXLY_CORRECT") != NULL;
    char end = '\n';
    g_options o = g_options_of(argc, argv, "efmnqsvz", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'e': mode = G_ALL_EXIST; break;
        case 'f': mode = G_ALL_BUT_LAST; break;
        case 'm': mode = G_ANY_MISSING; break;
        case 'n': newline = false; break;
        case 'q': case 's': verbose = false; break;
        case 'v': verbose = true; break;
        case 'z': end = '\0'; break;
        }
    if (o.at == argc) g_missing_operand(NULL);
    if (argc - o.at > 1 && !newline) {
        g_warn("ignoring --no-newline with multiple arguments");
        newline = true;
    }
    for (int i = o.at; i < argc; i++) {
        char *value = mode < 0 ? g_read_link(argv[i])
                               : g_canonicalize(argv[i], (enum g_canonical)mode, false);
        if (!value) {
            status = 1;
            if (verbose) g_warn_errno(errno, "%s", g_quotef(argv[i]));
            continue;
        }
        g_outs(value);
        if (newline) g_outc(end);
        free(value);
    }
    return status;
}
