/*
 * sm3.h: SM3, the hash of GB/T 32905-2016: 32 bytes, blocks of 64.
 */
#ifndef SM3_H
#define SM3_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t state[8];
    uint64_t total; /* bytes so far */
    uint8_t block[64];
} sm3;

void sm3_init(sm3 *h); /* Begins a hash. */
/* Adds bytes, in pieces of any size. */
void sm3_update(sm3 *h, const uint8_t *bytes, size_t len);
void sm3_final(sm3 *h, uint8_t out[32]); /* The digest; the hash is used up. */

#endif
