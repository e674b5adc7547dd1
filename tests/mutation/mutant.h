/*
 * tests/mutation/mutant.h: what tools/mutate.py puts into the code that it changes.
 *
 * A file is compiled once, with all of its mutations: each asks here whether it is the one of this
 * process, which the environment names:
 *   MUTANT=N         the number of the mutation that is on
 *   MUTANT_SEEN=FILE one byte for each number is set in it when its place is reached
 *   MUTANT_TEST=NAME of a test program, only the function NAME of its main() runs
 */
#ifndef PF_MUTANT_H
#define PF_MUTANT_H

extern int mutant_number;
extern unsigned char *mutant_seen;

static inline int mutant(int number) {
    if (mutant_seen) mutant_seen[number] = 1;
    return number == mutant_number;
}

/* Whether a test program runs this function. */
int mutant_wants(const char *name);

/* A check of a test failed: the others would only cost time. */
_Noreturn void mutant_noticed(const char *file, int line);

#endif
