/*
 * remote.c: tells names of files on other hosts from paths.
 */
#include "remote.h"
#include "g_program.h"

#include <string.h>

bool remote_path(const char *path) {
    if (*path == ':') return false;
    const char *colon = strchr(path, ':'), *slash = strchr(path, '/');
    return colon && (!slash || colon < slash);
}

void remote_refuse(int count, char **paths, int status) {
    for (int i = 0; i < count; i++)
        if (remote_path(paths[i]))
            g_die(status, "%s: there is no network; copy within the sandbox, or use a tool",
                  paths[i]);
}
