/* popen.c: commands through the shell. */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <errno.h>

/* Streams that popen() opened, and whom pclose() waits for. */
struct opened {
    struct opened *next;
    FILE *file;
    pid_t pid;
};
static struct opened *all;

static int run_shell(pid_t *pid, const char *command, const posix_spawn_file_actions_t *actions,
                     const posix_spawnattr_t *how) {
    char *argv[] = {(char *)"sh", (char *)"-c", (char *)"--", (char *)command, NULL};
    return posix_spawn(pid, "/bin/sh", actions, how, argv, environ);
}

FILE *popen(const char *command, const char *mode) {
    int reads = *mode == 'r', cloexec = strchr(mode, 'e') ? O_CLOEXEC : 0;
    if (!reads && *mode != 'w') {
        errno = EINVAL;
        return NULL;
    }
    int ends[2];
    struct opened *record = malloc(sizeof *record);
    if (!record || pipe2(ends, O_CLOEXEC) < 0) {
        free(record);
        return NULL;
    }
    int ours = ends[!reads], theirs = ends[reads];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    int error = 0;
    for (struct opened *at = all; at && !error; at = at->next)
        error = posix_spawn_file_actions_addclose(&actions, fileno(at->file));
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, theirs, reads ? 1 : 0);
    record->file = fdopen(ours, reads ? "r" : "w");
    if (!record->file) error = ENOMEM;
    if (!error) error = run_shell(&record->pid, command, &actions, NULL);
    posix_spawn_file_actions_destroy(&actions);
    close(theirs);
    if (error) {
        if (record->file) fclose(record->file);
        else close(ours);
        free(record);
        errno = error;
        return NULL;
    }
    if (!cloexec) fcntl(ours, F_SETFD, 0);
    record->next = all;
    all = record;
    return record->file;
}

int pclose(FILE *file) {
    struct opened **link = &all;
    while (*link && (*link)->file != file) link = &(*link)->next;
    struct opened *record = *link;
    if (!record) {
        errno = EINVAL;
        return -1;
    }
    *link = record->next;
    fclose(file);
    pid_t pid = record->pid;
    free(record);
    int status, result;
    do result = waitpid(pid, &status, 0);
    while (result < 0 && errno == EINTR);
    return result < 0 ? -1 : status;
}

int system(const char *command) {
    if (!command) return access("/bin/sh", X_OK) == 0;
    struct sigaction ignore = {0}, interrupt, quit;
    ignore.sa_handler = SIG_IGN;
    sigset_t child, mask, reset;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &mask);
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    sigemptyset(&reset);
    if (interrupt.sa_handler != SIG_IGN) sigaddset(&reset, SIGINT);
    if (quit.sa_handler != SIG_IGN) sigaddset(&reset, SIGQUIT);
    posix_spawnattr_t how;
    posix_spawnattr_init(&how);
    posix_spawnattr_setsigmask(&how, &mask);
    posix_spawnattr_setsigdefault(&how, &reset);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    pid_t pid;
    int status = -1, error = run_shell(&pid, command, NULL, &how);
    if (!error) {
        pid_t result;
        do result = waitpid(pid, &status, 0);
        while (result < 0 && errno == EINTR);
        if (result < 0) status = -1, error = errno;
    }
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (error) errno = error;
    return status;
}
