/*
 * mkdir.c: makes directories.
 *
 * Deviation: -Z (security contexts) is accepted and has no effect; there are none here.
 *
 * help mkdir:
 *   Usage: mkdir [OPTION]... DIRECTORY...
 *   Create the DIRECTORY(ies), if they do not already exist.
 *
 *     -m, --mode=MODE   set file mode (as in chmod), not a=rwx - umask
 *     -p, --parents     no error if existing, make parent directories as needed,
 *                         with their file modes unaffected by any -m option
 *     -v, --verbose     print a message for each created directory
 *         --help        display this help and exit
 *         --version     output version information and exit
 */
#include "g_file.h"
#include "g_mode.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <errno.h>
#include <stdlib.h>

typedef struct {
    bool parents, verbose;
    const g_mode_change *change; /* NULL: as the umask says */
    mode_t mask;
} maker;

static void report(const maker *m, const char *path) {
    if (m->verbose) g_outf("%s: created directory %s\n", g_name(), g_quoteaf(path));
}

/* Makes the directories above the last part; false (with a message) when one cannot be made. */
static bool make_parents(const maker *m, char *path) {
    struct stat st;
    for (char *p = path + strspn(path, "/"); (p = strchr(p, '/')); p += strspn(p, "/")) {
        if (p[strspn(p, "/")] == '\0') break;
        *p = '\0';
        /* The owner can always go on below what is made here. */
        mode_t mode = 0777;
        umask(m->mask & ~(mode_t)0300);
        int result = mkdir(path, mode), error = errno;
        umask(m->mask);
        if (result == 0) {
            report(m, path);
        } else if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode)) {
            if (error == EEXIST) error = ENOTDIR;
            g_warn_errno(error, "cannot create directory %s", g_quote(path));
            return false;
        }
        *p = '/';
    }
    return true;
}

static int make(const maker *m, char *path) {
    struct stat st;
    if (m->parents && !make_parents(m, path)) return 1;
    mode_t mode = 0777;
    if (m->change) mode = g_mode_apply(m->change, 0777, true, m->mask);
    /* As GNU: not writable by others before its special bits are set, and set right only when a bit
     * that the change names is another one. */
    mode_t named = m->change ? ~(g_mode_apply(m->change, 0, true, m->mask) ^
                                 g_mode_apply(m->change, 07777, true, m->mask))
                             : 0;
    mode_t first = mode & 01777;
    if ((named & 06000) || (mode & 01000)) first &= ~(mode_t)022;
    if (!((first ^ mode) & named)) mode = first;
    if (m->change) umask(0);
    int result = mkdir(path, first & 0777), error = errno;
    umask(m->mask);
    if (result < 0) {
        if (m->parents && stat(path, &st) == 0 && S_ISDIR(st.st_mode)) return 0;
        g_warn_errno(error, "cannot create directory %s", g_quote(path));
        return 1;
    }
    report(m, path);
    if (m->change && chmod(path, mode) < 0) {
        g_warn_errno(errno, "cannot set permissions of %s", g_quoteaf(path));
        return 1;
    }
    return 0;
}

static const g_long longs[] = {{"mode", 'm', G_REQUIRED},
                               {"parents", 'p', G_NONE},
                               {"verbose", 'v', G_NONE},
                               {"context", 'Z', G_OPTIONAL},
                               {0}};

int mkdir_main(int argc, char **argv) {
    maker m = {0};
    const char *mode = NULL;
    g_options o = g_options_of(argc, argv, "pm:vZ", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (option == 'p') m.parents = true;
        if (option == 'm') mode = o.arg;
        if (option == 'v') m.verbose = true;
        if (option == 'Z' && o.arg)
            g_warn("warning: ignoring --context; it requires an SELinux/SMACK-enabled kernel");
    }
    if (o.at == argc) g_missing_operand(NULL);
    m.mask = umask(0);
    umask(m.mask);
    if (mode && !(m.change = g_mode_parse(mode))) g_die(1, "invalid mode %s", g_quote(mode));
    int status = 0;
    for (int i = o.at; i < argc; i++) status |= make(&m, argv[i]);
    return status;
}
