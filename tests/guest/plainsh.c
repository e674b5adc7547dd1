/*
 * plainsh.c: a session leader for tests of the libc: no shell, only words.
 *
 * Each run's text is one command, words separated by spaces, found in PATH. So that what fails is
 * the libc, the kernel or the host, and not the shell.
 */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pf.h"

#define WORDS 64

static int run(char *text) {
    char *argv[WORDS + 1];
    int argc = 0;
    for (char *word; argc < WORDS && (word = strsep(&text, " \n"));)
        if (*word) argv[argc++] = word;
    argv[argc] = NULL;
    if (!argc) return 0;
    pid_t pid;
    int error = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ), status;
    if (error) {
        dprintf(2, "%s: %s\n", argv[0], strerror(error));
        return 127;
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return 126;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(void) {
    int status = -1;
    while (pf_run_next(status) == 0) {
        char *text = pf_run_text(NULL);
        status = text ? run(text) : 125;
        free(text);
    }
    return 1;
}
