/*
 * factor_big.h: factors of integers beyond 64 bits.
 */
#ifndef FACTOR_BIG_H
#define FACTOR_BIG_H

#include "g_program.h"

/* 2048 bits: 616 digits. */
enum { BIG_LIMBS = 64 };

typedef struct {
    uint32_t limb[BIG_LIMBS]; /* the lowest first */
    size_t count;             /* without zeroes on top */
} big;

/* Reads decimal digits; false when the number is too large. */
bool big_read(big *n, const char *digits);
/* Prints it in decimal. */
void big_put(const big *n);
/* Calls `use` for each prime factor, in no order, with those of n that fit 64 bits as one number
 * that `small` takes apart. */
void big_factor(const big *n, void (*use)(const big *prime), void (*small)(uint64_t n));

#endif
