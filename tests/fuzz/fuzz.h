/*
 * tests/fuzz/fuzz.h: what fuzzers share. Each fuzz_NAME.c is one, with an oracle beyond "does not
 * crash"; its seeds are the files in seeds/NAME, which ctest runs through it with every build.
 *
 * To look for new ones: `make fuzz SECONDS=600` (tools/fuzz.py). What that finds becomes a seed.
 * replay.c says how those of the whole machine, which libFuzzer does not reach, look for themselves.
 * words/NAME are words that a fuzzer puts into its inputs, in libFuzzer's format.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* What libFuzzer calls with each input; each target has its own. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The oracle: aborts, so that the fuzzer keeps the input. */
#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
