/*
 * tests/fuzz/program.h: a command of the guest, run natively on an input, in a process of its own.
 *
 * Whatever it is given, a command ends by itself or at a limit of time, memory or output, never by
 * a fault; and what it prints does not depend on how its input arrives.
 */
#ifndef FUZZ_PROGRAM_H
#define FUZZ_PROGRAM_H

#include "fuzz.h"

#include <stdbool.h>
#include <sys/types.h>

enum { OUTPUT_MAX = 1 << 16 };

/* Commands end with the process, so each run is a child. */
struct program {
    int (*main)(int argc, char **argv);
    char *const *argv;
};

/* Gives it `len` bytes, `piece` at a time, through a pipe, or, with piece 0, as a file. Its output,
 * cut to OUTPUT_MAX; -1: it met a limit. Aborts when it died of a fault. */
ssize_t program_run(const struct program *program, const uint8_t *input, size_t len, size_t piece,
                    char output[OUTPUT_MAX]);
/* Runs it twice, all at once and a few bytes at a time: both end alike and print the same, when
 * they end well, or the beginning of the same. */
void program_streams_alike(const struct program *program, const uint8_t *input, size_t len,
                           bool repeatable);

#endif
