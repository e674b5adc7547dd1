/*
 * random.c: the sandbox's random bytes: ChaCha20 (RFC 8439) keyed by what the host seeds.
 *
 * Each request is served from the key stream, and the key is then replaced by stream bytes, so what
 * was given out cannot be recomputed from the state. Without a seed from the host the stream is
 * the same in every sandbox.
 */
#include "kernel.h"

static uint32_t key[8];
static uint64_t counter;
static uint8_t block[64];
static uint32_t block_used;

static uint32_t rotate(uint32_t x, int n) {
    return x << n | x >> (32 - n);
}

static void quarter(uint32_t *s, int a, int b, int c, int d) {
    s[a] += s[b], s[d] = rotate(s[d] ^ s[a], 16);
    s[c] += s[d], s[b] = rotate(s[b] ^ s[c], 12);
    s[a] += s[b], s[d] = rotate(s[d] ^ s[a], 8);
    s[c] += s[d], s[b] = rotate(s[b] ^ s[c], 7);
}

static void next_block(uint8_t *out) {
    uint32_t start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, s[16];
    memcpy(start + 4, key, sizeof key);
    start[12] = (uint32_t)counter;
    start[13] = (uint32_t)(counter >> 32);
    counter++;
    memcpy(s, start, sizeof s);
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 4; i++) quarter(s, i, 4 + i, 8 + i, 12 + i);
        for (int i = 0; i < 4; i++)
            quarter(s, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
    }
    for (int i = 0; i < 16; i++) s[i] += start[i];
    memcpy(out, s, 64);
}

void k_random_boot(void) {
    memset(key, 0, sizeof key);
    counter = 0;
    block_used = sizeof block;
}

/* Mixes the seed into a zero key, 32 bytes at a time. */
void k_random_seed(const uint8_t *bytes, uint32_t len) {
    k_random_boot();
    do {
        uint32_t n = len < sizeof key ? len : (uint32_t)sizeof key;
        uint8_t part[sizeof key] = {0};
        memcpy(part, bytes, n);
        for (uint32_t i = 0; i < 8; i++) {
            uint32_t word;
            memcpy(&word, part + 4 * i, 4);
            key[i] ^= word;
        }
        next_block(block);
        memcpy(key, block, sizeof key);
        bytes += n;
        len -= n;
    } while (len);
}

void k_random(uint8_t *to, uint32_t len) {
    while (len) {
        if (block_used == sizeof block) {
            next_block(block);
            memcpy(key, block, sizeof key);
            block_used = sizeof key;
        }
        uint32_t n = (uint32_t)sizeof block - block_used;
        if (n > len) n = len;
        memcpy(to, block + block_used, n);
        memset(block + block_used, 0, n);
        block_used += n;
        to += n;
        len -= n;
    }
}

int64_t k_do_RANDOM(struct k_call *call) {
    uint32_t len = k_out_cap(call);
    k_random(k_out_area(), len);
    k_out(call, k_out_area(), len);
    return len;
}

int64_t k_do_HOST_SEED(struct k_call *call) {
    k_random_seed(call->in, call->msg->in_len);
    return 0;
}
