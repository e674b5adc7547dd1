/*
 * random.h: rand() and srand(): the numbers that gawk gives for the same seed.
 */
#ifndef AWK_RANDOM_H
#define AWK_RANDOM_H

#include <stdbool.h>

double random_next(void); /* 0 <= n < 1 */
/* A new seed, or the time; the one before. */
double random_seed(bool given, double seed);

#endif
