/*
 * g_spawn.h: running other programs.
 */
#ifndef G_SPAWN_H
#define G_SPAWN_H

#include "g_program.h"

#include <sys/types.h>

enum g_spawn_stdin { G_STDIN_SAME, G_STDIN_NULL };

/*
 * Starts argv[0], looked up in PATH, in the directory `dir` (NULL: here). Buffered output is sent
 * first. The pid, or -1 with errno.
 */
pid_t g_spawn(char *const argv[], const char *dir, enum g_spawn_stdin input);
/* Waits for that child: its wait status. */
int g_wait(pid_t pid);
/* Exit status as a shell would say: 128 + n for a signal. */
int g_exit_status(int wait_status);

#endif
