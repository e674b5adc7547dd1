/*
 * lib/hash/hash.c: MD5, SHA-1 and SHA-2, after RFC 1321 and FIPS 180-4.
 */
#include "lib/hash/hash.h"

#include <string.h>

const struct pf_hash_kind_info pf_hash_kinds[PF_HASH_KINDS] = {
    {"md5", 16, 64},    {"sha1", 20, 64},    {"sha224", 28, 64},
    {"sha256", 32, 64}, {"sha384", 48, 128}, {"sha512", 64, 128},
};

static const uint64_t initial[PF_HASH_KINDS][8] = {
    {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476},
    {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0},
    {0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7,
     0xbefa4fa4},
    {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
     0x5be0cd19},
    {0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
     0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4},
    {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
     0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179},
};

/* SHA-512's constants; SHA-256's are the upper halves of the first 64. */
static const uint64_t sha2_k[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};

/* floor(2^32 * |sin(i + 1)|) */
static const uint32_t md5_k[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

static uint32_t rotl(uint32_t x, int n) {
    return x << n | x >> (32 - n);
}

static uint32_t rotr(uint32_t x, int n) {
    return x >> n | x << (32 - n);
}

static uint64_t rotr64(uint64_t x, int n) {
    return x >> n | x << (64 - n);
}

static uint32_t big(const uint8_t *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/*
 * The rounds are written out for as many steps as bring the words of the state back to their
 * places, so that none has to be moved: two to four times as fast as a loop that moves them.
 */

static void md5_block(uint32_t *state, const uint8_t *p) {
    uint32_t w[16], a = state[0], b = state[1], c = state[2], d = state[3];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)p[i * 4] | (uint32_t)p[i * 4 + 1] << 8 | (uint32_t)p[i * 4 + 2] << 16 |
               (uint32_t)p[i * 4 + 3] << 24;
#define STEP(F, a, b, c, d, i, g, shift)                                                           \
    a = b + rotl(a + F(b, c, d) + md5_k[i] + w[(g) & 15], shift)
#define FOUR(F, i, first, apart, s1, s2, s3, s4)                                                   \
    STEP(F, a, b, c, d, i, first, s1);                                                             \
    STEP(F, d, a, b, c, (i) + 1, (first) + (apart), s2);                                           \
    STEP(F, c, d, a, b, (i) + 2, (first) + 2 * (apart), s3);                                       \
    STEP(F, b, c, d, a, (i) + 3, (first) + 3 * (apart), s4)
#define F1(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define F2(x, y, z) ((y) ^ ((z) & ((x) ^ (y))))
#define F3(x, y, z) ((x) ^ (y) ^ (z))
#define F4(x, y, z) ((y) ^ ((x) | ~(z)))
    for (int i = 0; i < 16; i += 4) {
        FOUR(F1, i, i, 1, 7, 12, 17, 22);
    }
    for (int i = 16; i < 32; i += 4) {
        FOUR(F2, i, 5 * i + 1, 5, 5, 9, 14, 20);
    }
    for (int i = 32; i < 48; i += 4) {
        FOUR(F3, i, 3 * i + 5, 3, 4, 11, 16, 23);
    }
    for (int i = 48; i < 64; i += 4) {
        FOUR(F4, i, 7 * i, 7, 6, 10, 15, 21);
    }
#undef STEP
#undef FOUR
#undef F1
#undef F2
#undef F3
#undef F4
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
}

static void sha1_block(uint32_t *state, const uint8_t *p) {
    uint32_t w[80], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (int i = 0; i < 16; i++) w[i] = big(p + i * 4);
    for (int i = 16; i < 80; i++) w[i] = rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
#define STEP(F, k, a, b, c, d, e, i)                                                               \
    e += rotl(a, 5) + F(b, c, d) + (k) + w[i];                                                     \
    b = rotl(b, 30)
#define TWENTY(F, k, from)                                                                         \
    for (int i = (from); i < (from) + 20; i += 5) {                                                \
        STEP(F, k, a, b, c, d, e, i);                                                              \
        STEP(F, k, e, a, b, c, d, i + 1);                                                          \
        STEP(F, k, d, e, a, b, c, i + 2);                                                          \
        STEP(F, k, c, d, e, a, b, i + 3);                                                          \
        STEP(F, k, b, c, d, e, a, i + 4);                                                          \
    }
#define CHOOSE(x, y, z)   ((z) ^ ((x) & ((y) ^ (z))))
#define PARITY(x, y, z)   ((x) ^ (y) ^ (z))
#define MAJORITY(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))
    TWENTY(CHOOSE, 0x5a827999, 0)
    TWENTY(PARITY, 0x6ed9eba1, 20)
    TWENTY(MAJORITY, 0x8f1bbcdc, 40)
    TWENTY(PARITY, 0xca62c1d6, 60)
#undef STEP
#undef TWENTY
    state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
}

/* One step and eight steps of SHA-2; SUM0 and SUM1 are the sums of three rotations. */
#define SHA2_STEP(SUM0, SUM1, a, b, c, d, e, f, g, h, input)                                       \
    h += SUM1(e) + CHOOSE(e, f, g) + (input);                                                      \
    d += h;                                                                                        \
    h += SUM0(a) + MAJORITY(a, b, c)
#define SHA2_EIGHT(SUM0, SUM1, INPUT, i)                                                           \
    SHA2_STEP(SUM0, SUM1, a, b, c, d, e, f, g, h, INPUT(i));                                       \
    SHA2_STEP(SUM0, SUM1, h, a, b, c, d, e, f, g, INPUT((i) + 1));                                 \
    SHA2_STEP(SUM0, SUM1, g, h, a, b, c, d, e, f, INPUT((i) + 2));                                 \
    SHA2_STEP(SUM0, SUM1, f, g, h, a, b, c, d, e, INPUT((i) + 3));                                 \
    SHA2_STEP(SUM0, SUM1, e, f, g, h, a, b, c, d, INPUT((i) + 4));                                 \
    SHA2_STEP(SUM0, SUM1, d, e, f, g, h, a, b, c, INPUT((i) + 5));                                 \
    SHA2_STEP(SUM0, SUM1, c, d, e, f, g, h, a, b, INPUT((i) + 6));                                 \
    SHA2_STEP(SUM0, SUM1, b, c, d, e, f, g, h, a, INPUT((i) + 7))

static void sha256_block(uint32_t *state, const uint8_t *p) {
    uint32_t w[64], a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 16; i++) w[i] = big(p + i * 4);
    for (int i = 16; i < 64; i++) {
        uint32_t x = w[i - 15], y = w[i - 2];
        w[i] = w[i - 16] + (rotr(x, 7) ^ rotr(x, 18) ^ x >> 3) + w[i - 7] +
               (rotr(y, 17) ^ rotr(y, 19) ^ y >> 10);
    }
#define SUM0(x)  (rotr(x, 2) ^ rotr(x, 13) ^ rotr(x, 22))
#define SUM1(x)  (rotr(x, 6) ^ rotr(x, 11) ^ rotr(x, 25))
#define INPUT(i) ((uint32_t)(sha2_k[i] >> 32) + w[i])
    for (int i = 0; i < 64; i += 8) {
        SHA2_EIGHT(SUM0, SUM1, INPUT, i);
    }
#undef SUM0
#undef SUM1
#undef INPUT
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

static void sha512_block(uint64_t *state, const uint8_t *p) {
    uint64_t w[80], a = state[0], b = state[1], c = state[2], d = state[3];
    uint64_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 16; i++) w[i] = (uint64_t)big(p + i * 8) << 32 | big(p + i * 8 + 4);
    for (int i = 16; i < 80; i++) {
        uint64_t x = w[i - 15], y = w[i - 2];
        w[i] = w[i - 16] + (rotr64(x, 1) ^ rotr64(x, 8) ^ x >> 7) + w[i - 7] +
               (rotr64(y, 19) ^ rotr64(y, 61) ^ y >> 6);
    }
#define SUM0(x)  (rotr64(x, 28) ^ rotr64(x, 34) ^ rotr64(x, 39))
#define SUM1(x)  (rotr64(x, 14) ^ rotr64(x, 18) ^ rotr64(x, 41))
#define INPUT(i) (sha2_k[i] + w[i])
    for (int i = 0; i < 80; i += 8) {
        SHA2_EIGHT(SUM0, SUM1, INPUT, i);
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

static void do_block(pf_hash *h, const uint8_t *p) {
    switch (h->kind) {
    case PF_HASH_MD5: md5_block(h->state.w, p); break;
    case PF_HASH_SHA1: sha1_block(h->state.w, p); break;
    case PF_HASH_SHA224:
    case PF_HASH_SHA256: sha256_block(h->state.w, p); break;
    default: sha512_block(h->state.q, p);
    }
}

void pf_hash_init(pf_hash *h, enum pf_hash_kind kind) {
    memset(h, 0, sizeof *h);
    h->kind = kind;
    for (int i = 0; i < 8; i++) {
        if (pf_hash_kinds[kind].block == 128)
            h->state.q[i] = initial[kind][i];
        else
            h->state.w[i] = (uint32_t)initial[kind][i];
    }
}

void pf_hash_update(pf_hash *h, const void *bytes, size_t len) {
    const uint8_t *data = bytes;
    size_t block = pf_hash_kinds[h->kind].block;
    h->total += len;
    while (len > 0) {
        if (h->used == 0 && len >= block) {
            do_block(h, data);
            data += block;
            len -= block;
            continue;
        }
        size_t room = block - h->used, part = len < room ? len : room;
        memcpy(h->block + h->used, data, part);
        h->used += (uint32_t)part;
        data += part;
        len -= part;
        if (h->used == block) {
            do_block(h, h->block);
            h->used = 0;
        }
    }
}

void pf_hash_final(pf_hash *h, uint8_t *out) {
    static const uint8_t padding[128] = {0x80};
    size_t block = pf_hash_kinds[h->kind].block, length_bytes = block / 8;
    uint64_t bits = h->total * 8;
    uint8_t length[16] = {0};
    size_t used = h->used,
           fill = (used < block - length_bytes ? block : 2 * block) - length_bytes - used;
    pf_hash_update(h, padding, fill);
    for (size_t i = 0; i < 8; i++) {
        size_t at = h->kind == PF_HASH_MD5 ? i : length_bytes - 1 - i;
        length[at] = (uint8_t)(bits >> (8 * i));
    }
    pf_hash_update(h, length, length_bytes);
    for (size_t i = 0; i < pf_hash_kinds[h->kind].size; i++) {
        if (block == 128)
            out[i] = (uint8_t)(h->state.q[i / 8] >> (56 - 8 * (i % 8)));
        else
            out[i] = (uint8_t)(h->state.w[i / 4] >>
                               (h->kind == PF_HASH_MD5 ? 8 * (i % 4) : 24 - 8 * (i % 4)));
    }
}
