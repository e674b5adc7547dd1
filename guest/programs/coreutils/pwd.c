/*
 * pwd.c: prints the working directory.
 *
 * help pwd:
 *   Usage: pwd [OPTION]...
 *   Print the full filename of the current working directory.
 *
 *     -L, --logical    use PWD from environment, even if it contains symlinks
 *     -P, --physical   avoid all symlinks (default)
 *         --help       display this help and exit
 *         --version    output version information and exit
 */
#include "g_file.h"
#include "g_option.h"
#include "g_out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* PWD when it is absolute, without . and .. parts, and really names this directory. */
static const char *logical(void) {
    const char *pwd = getenv("PWD");
    if (!pwd || *pwd != '/') return NULL;
    for (const char *p = pwd; (p = strstr(p, "/.")); p++) {
        size_t dots = strspn(p + 1, ".");
        if (dots <= 2 && (p[1 + dots] == '/' || p[1 + dots] == '\0')) return NULL;
    }
    struct stat a, b;
    if (stat(pwd, &a) < 0 || stat(".", &b) < 0) return NULL;
    return a.st_ino == b.st_ino && a.st_dev == b.st_dev ? pwd : NULL;
}

static const g_long longs[] = {{"logical", 'L', G_NONE}, {"physical", 'P', G_NONE}, {0}};

int pwd_main(int argc, char **argv) {
    bool use_logical = getenv("POSIXLY_CORRECT") != NULL;
    g_options o = g_options_of(argc, argv, "LP", longs);
    for (int option; (option = g_option(&o)) >= 0;) use_logical = option == 'L';
    if (o.at < argc) g_warn("ignoring non-option arguments");
    const char *path = use_logical ? logical() : NULL;
    if (!path) path = g_working_directory();
    if (!path) g_die_errno(1, errno, "couldn't find directory entry in '..' with matching i-node");
    g_outs(path);
    g_outc('\n');
    return 0;
}
