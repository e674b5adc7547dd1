/*
 * which.c: where in PATH a command lies.
 *
 * help which:
 *   Usage: which [-as] NAME...
 *   Print the full path of each command that would be executed.
 *
 *     -a             print all matching pathnames of each argument
 *     -s             no output; the exit status tells whether all were found
 */
#include "g_file.h"
#include "g_option.h"
#include "g_out.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool executable(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static bool find(const char *name, bool all, bool silent) {
    if (strchr(name, '/')) {
        if (!executable(name)) return false;
        if (!silent) g_outf("%s\n", name);
        return true;
    }
    const char *path = getenv("PATH");
    bool found = false;
    for (const char *p = path ? path : "/usr/bin:/bin"; *name;) {
        size_t len = strcspn(p, ":");
        char *dir = len ? g_copy_bytes(p, len) : g_copy_string(".");
        char *full = g_join(dir, name);
        if (executable(full)) {
            if (!silent) g_outf("%s\n", full);
            found = true;
        }
        free(dir);
        free(full);
        if ((found && !all) || !p[len]) break;
        p += len + 1;
    }
    return found;
}

int which_main(int argc, char **argv) {
    bool all = false, silent = false;
    int missing = 0;
    g_set_failure(2);
    g_options o = g_options_of(argc, argv, "as", NULL);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (option == 'a') all = true;
        else silent = true;
    }
    for (int i = o.at; i < argc; i++) missing += !find(argv[i], all, silent);
    return missing || o.at == argc;
}
