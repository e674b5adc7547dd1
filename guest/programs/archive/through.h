/*
 * through.h: zgrep, zdiff and zmore: another command sees files without their compression.
 */
#ifndef THROUGH_H
#define THROUGH_H

#include "g_program.h"

#include <sys/types.h>

enum { THROUGH_FD = 5 }; /* where a command finds a second input: /dev/fd/5 */

/* Starts argv[0] with these as standard input and output (-1: as here), and `extra` (-1: nothing)
 * as THROUGH_FD. The pid; failure ends the command. */
pid_t through_start(char *const argv[], int in, int out, int extra);
/* What this command's kind (gzip, bzip2, xz, zstd) is called, by the command's own name; for xz
 * the file's ending decides. */
const char *through_codec(const char *file);
/* Starts what writes the contents of a file ("-": standard input); *from is where they are read. */
pid_t through_open(const char *file, int *from);
/* Waits: whether it went well. That nobody read to the end is no failure. */
bool through_ended(pid_t pid);
/* Whether the name ends as those of compressed files do. */
bool through_packed(const char *file);

#endif
