/*
 * sm3.c: SM3, after GB/T 32905-2016.
 */
#include "sm3.h"

#include <string.h>

static uint32_t rotl(uint32_t x, unsigned n) {
    n &= 31;
    return n ? x << n | x >> (32 - n) : x;
}

static uint32_t p0(uint32_t x) {
    return x ^ rotl(x, 9) ^ rotl(x, 17);
}

static uint32_t p1(uint32_t x) {
    return x ^ rotl(x, 15) ^ rotl(x, 23);
}

static void do_block(sm3 *h, const uint8_t *p) {
    uint32_t w[68], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 |
               (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
    for (int i = 16; i < 68; i++)
        w[i] = p1(w[i - 16] ^ w[i - 9] ^ rotl(w[i - 3], 15)) ^ rotl(w[i - 13], 7) ^ w[i - 6];
    memcpy(s, h->state, sizeof s);
    for (unsigned i = 0; i < 64; i++) {
        uint32_t t = i < 16 ? 0x79cc4519 : 0x7a879d8a;
        uint32_t a12 = rotl(s[0], 12), ss1 = rotl(a12 + s[4] + rotl(t, i), 7), ss2 = ss1 ^ a12;
        uint32_t ff = i < 16 ? s[0] ^ s[1] ^ s[2] : (s[0] & s[1]) | (s[0] & s[2]) | (s[1] & s[2]);
        uint32_t gg = i < 16 ? s[4] ^ s[5] ^ s[6] : (s[4] & s[5]) | (~s[4] & s[6]);
        uint32_t tt1 = ff + s[3] + ss2 + (w[i] ^ w[i + 4]), tt2 = gg + s[7] + ss1 + w[i];
        s[3] = s[2], s[2] = rotl(s[1], 9), s[1] = s[0], s[0] = tt1;
        s[7] = s[6], s[6] = rotl(s[5], 19), s[5] = s[4], s[4] = p0(tt2);
    }
    for (int i = 0; i < 8; i++) h->state[i] ^= s[i];
}

void sm3_init(sm3 *h) {
    static const uint32_t initial[8] = {0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600,
                                        0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e};
    memcpy(h->state, initial, sizeof initial);
    h->total = 0;
}

void sm3_update(sm3 *h, const uint8_t *bytes, size_t len) {
    while (len > 0) {
        size_t used = h->total % 64, part = 64 - used < len ? 64 - used : len;
        memcpy(h->block + used, bytes, part);
        h->total += part;
        bytes += part;
        len -= part;
        if (used + part == 64) do_block(h, h->block);
    }
}

void sm3_final(sm3 *h, uint8_t out[32]) {
    static const uint8_t padding[64] = {0x80};
    uint8_t length[8];
    for (int i = 0; i < 8; i++) length[i] = (uint8_t)(h->total * 8 >> (56 - 8 * i));
    size_t used = h->total % 64;
    sm3_update(h, padding, (used < 56 ? 56 : 120) - used);
    sm3_update(h, length, sizeof length);
    for (int i = 0; i < 32; i++) out[i] = (uint8_t)(h->state[i / 4] >> (24 - 8 * (i % 4)));
}
