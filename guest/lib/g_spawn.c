/*
 * g_spawn.c: running other programs.
 *
 * posix_spawn is used rather than fork: nothing of this process need be copied.
 */
#include "g_spawn.h"
#include "g_out.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

pid_t g_spawn(char *const argv[], const char *dir, enum g_spawn_stdin input) {
    posix_spawn_file_actions_t actions;
    pid_t pid = -1;
    g_out_flush();
    int error = posix_spawn_file_actions_init(&actions);
    if (error) {
        errno = error;
        return -1;
    }
    if (dir) error = posix_spawn_file_actions_addchdir_np(&actions, dir);
    if (!error && input == G_STDIN_NULL)
        error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error) error = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (!error) return pid;
    errno = error;
    return -1;
}

int g_wait(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

int g_exit_status(int wait_status) {
    if (WIFSIGNALED(wait_status)) return 128 + WTERMSIG(wait_status);
    return WEXITSTATUS(wait_status);
}
