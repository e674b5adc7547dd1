/*
 * libctest_search.c: the section `search`: functions that look at many bytes at once find what a loop
 * over single bytes finds, in every place, length and neighbourhood.
 */
#include "libctest.h"

#include <stdlib.h>
#include <string.h>

#define MOST  80 /* bytes, beyond what is looked at at once */
#define PLACES 16

static unsigned state = 1;

static unsigned draw(unsigned below) {
    state = state * 1103515245u + 12345u;
    return (state >> 16) % below;
}

static const unsigned char *first(const unsigned char *s, int byte, size_t len) {
    for (size_t i = 0; i < len; i++)
        if (s[i] == (unsigned char)byte) return s + i;
    return NULL;
}

static const unsigned char *last(const unsigned char *s, int byte, size_t len) {
    for (size_t i = len; i > 0; i--)
        if (s[i - 1] == (unsigned char)byte) return s + i - 1;
    return NULL;
}

static int sign(int n) { return (n > 0) - (n < 0); }

static int order(const unsigned char *a, const unsigned char *b, size_t len) {
    for (size_t i = 0; i < len; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* Few values, so that there are repetitions and neighbours that differ by one bit or by one. */
static void fill(unsigned char *s, size_t len) {
    static const unsigned char values[] = {'a', 'b', '`', 'a' | 0x80, 1, 0x80, 0xff, 0x7f};
    unsigned kinds = 1 + draw(sizeof values);
    for (size_t i = 0; i < len; i++) s[i] = values[draw(kinds)];
}

static void bytes(const unsigned char *s, size_t len, int byte) {
    CHECK(memchr(s, byte, len) == first(s, byte, len));
    CHECK(memrchr(s, byte, len) == last(s, byte, len));
}

static void strings(const char *s, size_t len, int byte) {
    const unsigned char *found = first((const unsigned char *)s, byte, len + 1);
    CHECK(strlen(s) == len);
    CHECK(strchr(s, byte) == (const char *)found);
    CHECK(strchrnul(s, byte) == (found ? (const char *)found : s + len));
}

void search(void) {
    unsigned char *room = malloc(MOST + PLACES + 1), *other = malloc(MOST + PLACES);
    CHECK(room && other);
    if (!room || !other) return;
    for (int round = 0; round < 40; round++)
        for (size_t at = 0; at < PLACES; at++)
            for (size_t len = 0; len <= MOST; len++) {
                unsigned char *s = room + at, *t = other + draw(PLACES);
                fill(room, MOST + PLACES + 1);
                int byte = round % 4 ? s[draw(MOST)] : (int)draw(256);
                if (round % 5 == 0) byte -= 256; /* only its low bits count */
                bytes(s, len, byte);
                memcpy(t, s, len);
                if (len && round % 3) t[draw((unsigned)len)] ^= (unsigned char)(1u << draw(8));
                CHECK(sign(memcmp(s, t, len)) == order(s, t, len));
                s[len] = 0;
                strings((const char *)s, len, byte);
                strings((const char *)s, len, 0);
            }
    free(room);
    free(other);
}
