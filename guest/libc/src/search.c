/*
 * search.c: the functions of <string.h> that look at many bytes, eight at a time.
 *
 * What is known to belong to the caller is read where it lies: an instruction of the host does that
 * for nothing. A string, whose length is not known, is read by aligned words, which never reach
 * into another page.
 */
#include <stdint.h>
#include <string.h>

#define ONES  0x0101010101010101ull
#define HIGHS 0x8080808080808080ull

typedef uint64_t word __attribute__((may_alias));
typedef uint64_t loose __attribute__((may_alias, aligned(1)));

static inline uint64_t load(const unsigned char *p) { return *(const loose *)p; }

/* The high bit of each byte that is 0, up to the first of them; what is above may be wrong. */
static inline uint64_t first_zero(uint64_t w) { return (w - ONES) & ~w & HIGHS; }
/* The same, right everywhere. */
static inline uint64_t zeros(uint64_t w) { return ~(((w & ~HIGHS) + ~HIGHS) | w | ~HIGHS); }
/* Which byte of a word the lowest bit, or the highest, stands in. */
static inline int lowest(uint64_t bits) { return __builtin_ctzll(bits) >> 3; }
static inline int highest(uint64_t bits) { return 7 - (__builtin_clzll(bits) >> 3); }

/* clang would make a call of the function itself of some of these loops. */
#define PLAIN(name) __attribute__((no_builtin(name)))

/* Aligned, since callers give a length beyond what they have and count on the first match to end
 * it. */
PLAIN("memchr") void *memchr(const void *from, int byte, size_t len) {
    const unsigned char *p = from;
    unsigned char c = (unsigned char)byte;
    uint64_t pattern = ONES * c, found;
    for (; len && (uintptr_t)p % 8; p++, len--)
        if (*p == c) return (void *)p;
    for (; len >= 8 && (uintptr_t)p % 32; p += 8, len -= 8)
        if ((found = first_zero(*(const word *)p ^ pattern))) return (void *)(p + lowest(found));
    for (; len >= 32; p += 32, len -= 32) {
        const word *w = (const word *)p;
        uint64_t any = 0, of[4];
        for (int i = 0; i < 4; i++) any |= of[i] = first_zero(w[i] ^ pattern);
        for (int i = 0; any && i < 4; i++)
            if (of[i]) return (void *)(p + 8 * i + lowest(of[i]));
    }
    for (; len >= 8; p += 8, len -= 8)
        if ((found = first_zero(*(const word *)p ^ pattern))) return (void *)(p + lowest(found));
    for (; len; p++, len--)
        if (*p == c) return (void *)p;
    return NULL;
}

void *memrchr(const void *from, int byte, size_t len) {
    const unsigned char *start = from, *p = start + len;
    unsigned char c = (unsigned char)byte;
    uint64_t pattern = ONES * c, found;
    while ((size_t)(p - start) >= 8) {
        p -= 8;
        if ((found = zeros(load(p) ^ pattern))) return (void *)(p + highest(found));
    }
    while (p > start)
        if (*--p == c) return (void *)p;
    return NULL;
}

static inline int order(uint64_t a, uint64_t b) {
    a = __builtin_bswap64(a);
    b = __builtin_bswap64(b);
    return a < b ? -1 : 1;
}

PLAIN("memcmp") int memcmp(const void *left, const void *right, size_t len) {
    const unsigned char *a = left, *b = right;
    if (len < 8) {
        for (; len > 0; len--, a++, b++)
            if (*a != *b) return *a - *b;
        return 0;
    }
    for (; len >= 8; a += 8, b += 8, len -= 8)
        if (load(a) != load(b)) return order(load(a), load(b));
    if (len == 0) return 0;
    a -= 8 - len;
    b -= 8 - len;
    return load(a) == load(b) ? 0 : order(load(a), load(b));
}

PLAIN("strlen") size_t strlen(const char *string) {
    const char *p = string;
    for (; (uintptr_t)p % 8; p++)
        if (!*p) return (size_t)(p - string);
    uint64_t found;
    while (!(found = first_zero(*(const word *)p))) p += 8;
    return (size_t)(p - string) + (size_t)lowest(found);
}

char *strchrnul(const char *string, int byte) {
    unsigned char c = (unsigned char)byte;
    const char *p = string;
    for (; (uintptr_t)p % 8; p++)
        if (!*p || (unsigned char)*p == c) return (char *)p;
    uint64_t pattern = ONES * c, w, found;
    do {
        w = *(const word *)p;
        found = first_zero(w) | first_zero(w ^ pattern);
        p += 8;
    } while (!found);
    return (char *)p - 8 + lowest(found);
}

PLAIN("strchr") char *strchr(const char *string, int byte) {
    char *found = strchrnul(string, byte);
    return (unsigned char)*found == (unsigned char)byte ? found : NULL;
}
