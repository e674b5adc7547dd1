/*
 * utf8.c: characters in the C.UTF-8 locale, where a byte that is no valid UTF-8 counts as a
 * character, and in the C locale, where every byte does.
 */
#include "sh.h"

#include <wchar.h>

static bool bytes_only;

void u8_set_locale(const char *name) {
    bytes_only = strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0;
}

bool u8_is_bytes(void) { return bytes_only; }

uint32_t u8_decode(const char *s, size_t n, int *len) {
    const unsigned char *p = (const unsigned char *)s;
    uint32_t c = n ? p[0] : 0;
    int need = c < 0x80                ? 0
               : c >= 0xc2 && c < 0xe0 ? 1
               : c >= 0xe0 && c < 0xf0 ? 2
               : c >= 0xf0 && c < 0xf5 ? 3
                                       : -1;
    *len = 1;
    if (need == 0) return c;
    if (need < 0 || (size_t)need >= n || bytes_only)
        return 0xdc00u + c; /* a bad byte: no character is that */
    uint32_t value = c & (0x3fu >> need);
    for (int i = 1; i <= need; i++) {
        if ((p[i] & 0xc0) != 0x80) return 0xdc00u + c;
        value = value << 6 | (p[i] & 0x3fu);
    }
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    if (value < least[need] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
        return 0xdc00u + c;
    *len = need + 1;
    return value;
}

int u8_len(const char *s, size_t n) {
    int len;
    u8_decode(s, n, &len);
    return len;
}

int u8_encode(uint32_t c, char out[6]) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : c < 0x200000 ? 3 : c < 0x4000000 ? 4 : 5;
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0, 0xf8, 0xfc};
    for (int i = more; i > 0; i--) {
        out[i] = (char)(0x80 | (c & 0x3f));
        c >>= 6;
    }
    out[0] = (char)(first[more] | c);
    return more + 1;
}

size_t u8_count(const char *s, size_t n) {
    size_t count = 0, i = 0;
    while (i < n) {
        if ((unsigned char)s[i] < 0x80)
            i++;
        else
            i += (size_t)u8_len(s + i, n - i);
        count++;
    }
    return count;
}

size_t u8_offset(const char *s, size_t n, size_t chars) {
    size_t i = 0;
    for (; chars > 0 && i < n; chars--) i += (size_t)u8_len(s + i, n - i);
    return i;
}

int u8_width(const char *s, size_t n) {
    int width = 0;
    for (size_t i = 0; i < n;) {
        int len;
        uint32_t c = u8_decode(s + i, n - i, &len);
        int w = c < 0x80 ? 1 : wcwidth((wchar_t)c);
        width += w > 0 ? w : 0;
        i += (size_t)len;
    }
    return width;
}
