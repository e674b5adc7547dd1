/*
 * setsid.c: runs a program in a new session.
 *
 * help setsid:
 *   Usage:
 *    setsid [options] <program> [arguments ...]
 *
 *   Run a program in a new session.
 *
 *   Options:
 *    -c, --ctty     set the controlling terminal to the current one
 *    -f, --fork     always fork
 *    -w, --wait     wait program to exit, and use the same return
 *    -h, --help     display this help
 *    -V, --version  display version
 */
#include "g_option.h"
#include "g_out.h"
#include "g_spawn.h"

#include <errno.h>
#include <unistd.h>

static const g_long longs[] = {
    {"ctty", 'c', G_NONE}, {"fork", 'f', G_NONE}, {"wait", 'w', G_NONE}, {0}};

int setsid_main(int argc, char **argv) {
    bool fork_always = false, waits = false;
    g_options o = g_options_of(argc, argv, "+cfwhV", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (option == 'c')
            g_die(1, "failed to set the controlling terminal: there are no terminals here");
        if (option == 'f') fork_always = true;
        if (option == 'w') waits = true;
        if (option == 'h') {
            g_outs(g_help());
            return 0;
        }
        if (option == 'V') {
            g_print_version();
            return 0;
        }
    }
    if (o.at == argc) g_usage("no command specified");
    if (fork_always || getpgrp() == getpid()) {
        pid_t child = fork();
        if (child < 0) g_die_errno(1, errno, "fork");
        if (child > 0) return waits ? g_exit_status(g_wait(child)) : 0;
    }
    if (setsid() < 0) g_die_errno(1, errno, "setsid failed");
    execvp(argv[o.at], argv + o.at);
    g_die_errno(errno == ENOENT ? 127 : 126, errno, "failed to execute %s", argv[o.at]);
}
