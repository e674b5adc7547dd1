/*
 * scp.c: copies files between hosts, of which there is one. What names another is refused.
 *
 * help scp:
 *   Usage: scp [OPTION]... SOURCE... TARGET
 *   Copy files, by cp: there is no network, so that both sides have to be paths.
 *
 *     -p          preserve modes and times
 *     -r          copy directories recursively
 *     -q          quiet
 *     -v          print the commands that copy
 *     -3 -4 -6 -A -B -C -O -R -s -T, -c -D -F -i -J -l -o -P -S -X VALUE   (ignored)
 */
#include "g_file.h"
#include "g_option.h"
#include "g_out.h"
#include "g_spawn.h"
#include "remote.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int copy(const char *from, const char *to, bool recursive, bool preserve, bool verbose) {
    char *argv[7];
    int n = 0;
    argv[n++] = (char *)"cp";
    if (recursive) argv[n++] = (char *)"-r";
    if (preserve) argv[n++] = (char *)"-p";
    argv[n++] = (char *)"--";
    argv[n++] = (char *)from;
    argv[n++] = (char *)to;
    argv[n] = NULL;
    if (verbose) {
        fputs("Executing:", stderr);
        for (int i = 0; i < n; i++) fprintf(stderr, " %s", argv[i]);
        fputc('\n', stderr);
    }
    pid_t pid = g_spawn(argv, NULL, G_STDIN_SAME);
    if (pid < 0) g_die_errno(1, errno, "cp");
    return g_exit_status(g_wait(pid)) != 0;
}

int scp_main(int argc, char **argv) {
    bool recursive = false, preserve = false, verbose = false;
    int failed = 0;
    g_options o = g_options_of(argc, argv, "+346ABCORTpqrsvc:D:F:i:J:l:o:P:S:X:", NULL);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (option == 'r') recursive = true;
        if (option == 'p') preserve = true;
        if (option == 'v') verbose = true;
    }
    int count = argc - o.at;
    if (count < 2) {
        fputs("usage: scp [-346ABCOpqRrsTv] [-c cipher] [-D sftp_server_path] [-F ssh_config]\n"
              "           [-i identity_file] [-J destination] [-l limit]\n"
              "           [-o ssh_option] [-P port] [-S program] source ... target\n",
              stderr);
        return 1;
    }
    remote_refuse(count, argv + o.at, 1);
    const char *to = argv[argc - 1];
    struct stat st;
    if (count > 2 && (stat(to, &st) < 0 || !S_ISDIR(st.st_mode)))
        g_die_errno(1, stat(to, &st) < 0 ? errno : ENOTDIR, "%s", to);
    for (int i = o.at; i < argc - 1; i++) failed += copy(argv[i], to, recursive, preserve, verbose);
    return failed != 0;
}
