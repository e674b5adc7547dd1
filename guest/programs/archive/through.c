/*
 * through.c: runs the command that takes compression away in front of another one.
 */
#include "through.h"
#include "g_out.h"
#include "g_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

pid_t through_start(char *const argv[], int in, int out, int extra) {
    posix_spawn_file_actions_t actions;
    pid_t pid;
    g_out_flush();
    int error = posix_spawn_file_actions_init(&actions);
    if (!error && in >= 0) error = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    if (!error && out >= 0) error = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (!error && extra >= 0) error = posix_spawn_file_actions_adddup2(&actions, extra, THROUGH_FD);
    if (!error) error = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    if (error) g_die_errno(2, error, "%s", argv[0]);
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

static bool ends_in(const char *file, const char *const *endings) {
    size_t n = strlen(file);
    for (; *endings; endings++) {
        size_t len = strlen(*endings);
        if (n > len && strcmp(file + n - len, *endings) == 0) return true;
    }
    return false;
}

bool through_packed(const char *file) {
    static const char *const endings[] = {".gz",   "-gz",  ".z",   "-z",    ".Z",  ".tgz",
                                          ".bz2",  ".bz",  ".tbz", ".tbz2", ".xz", ".txz",
                                          ".lzma", ".tlz", ".zst", ".tzst", NULL};
    return strcmp(file, "-") == 0 || ends_in(file, endings);
}

const char *through_codec(const char *file) {
    static const char *const gzips[] = {".gz", "-gz", ".z", "-z", ".Z", ".tgz", NULL};
    static const char *const bzips[] = {".bz2", ".bz", ".tbz", ".tbz2", NULL};
    static const char *const zstds[] = {".zst", ".tzst", NULL};
    static const char *const lzmas[] = {".lzma", ".tlz", NULL};
    const char *name = g_name();
    if (strncmp(name, "zstd", 4) == 0) return "zstd";
    if (strncmp(name, "bz", 2) == 0) return "bzip2";
    if (name[0] == 'z') return "gzip";
    if (ends_in(file, gzips)) return "gzip";
    if (ends_in(file, bzips)) return "bzip2";
    if (ends_in(file, zstds)) return "zstd";
    return ends_in(file, lzmas) || (name[0] == 'l' && strcmp(file, "-") == 0) ? "lzma" : "xz";
}

pid_t through_open(const char *file, int *from) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) g_die_errno(2, errno, "pipe");
    bool standard = strcmp(file, "-") == 0;
    char *argv[] = {(char *)through_codec(file), (char *)"-cdfq", standard ? NULL : (char *)"--",
                    (char *)file, NULL};
    pid_t pid = through_start(argv, -1, ends[1], -1);
    close(ends[1]);
    *from = ends[0];
    return pid;
}

bool through_ended(pid_t pid) {
    int status = g_wait(pid);
    if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGPIPE;
    return WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2;
}
