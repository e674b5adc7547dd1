/*
 * rmdir.c: removes empty directories.
 *
 * help rmdir:
 *   Usage: rmdir [OPTION]... DIRECTORY...
 *   Remove the DIRECTORY(ies), if they are empty.
 *
 *         --ignore-fail-on-non-empty
 *                     ignore each failure that is solely because a directory is non-empty
 *     -p, --parents   remove DIRECTORY and its ancestors; e.g. 'rmdir -p a/b/c' is similar
 *                       to 'rmdir a/b/c a/b a'
 *     -v, --verbose   output a diagnostic for every directory processed
 *         --help      display this help and exit
 *         --version   output version information and exit
 */
#include "g_file.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    bool parents, verbose, ignore_full;
} remover;

/* 0: removed, 1: failed, 2: left alone because it is not empty and that is to be ignored. */
static int remove_one(const remover *r, const char *path) {
    if (r->verbose) g_outf("%s: removing directory, %s\n", g_name(), g_quoteaf(path));
    if (rmdir(path) == 0) return 0;
    if (r->ignore_full && (errno == ENOTEMPTY || errno == EEXIST)) return 2;
    return 1;
}

static int remove_parents(const remover *r, char *path) {
    g_strip_slashes(path);
    for (char *slash; (slash = strrchr(path, '/'));) {
        while (slash > path && *slash == '/') *slash-- = '\0';
        if (*path == '\0' || (slash == path && *path == '/')) break;
        int result = remove_one(r, path);
        if (result == 2) return 0;
        if (result == 1) {
            g_warn_errno(errno, "failed to remove directory %s", g_quoteaf(path));
            return 1;
        }
    }
    return 0;
}

enum { IGNORE_FULL = 256 };
static const g_long longs[] = {{"ignore-fail-on-non-empty", IGNORE_FULL, G_NONE},
                               {"parents", 'p', G_NONE},
                               {"path", 'p', G_NONE},
                               {"verbose", 'v', G_NONE},
                               {0}};

int rmdir_main(int argc, char **argv) {
    remover r = {0};
    int status = 0;
    g_options o = g_options_of(argc, argv, "pv", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (option == 'p') r.parents = true;
        if (option == 'v') r.verbose = true;
        if (option == IGNORE_FULL) r.ignore_full = true;
    }
    if (o.at == argc) g_missing_operand(NULL);
    for (int i = o.at; i < argc; i++) {
        int result = remove_one(&r, argv[i]);
        if (result == 1) {
            g_warn_errno(errno, "failed to remove %s", g_quoteaf(argv[i]));
            status = 1;
        } else if (result == 0 && r.parents) {
            status |= remove_parents(&r, argv[i]);
        }
    }
    return status;
}
