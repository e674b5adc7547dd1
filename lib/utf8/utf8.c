/*
 * lib/utf8/utf8.c: reading and writing UTF-8 (RFC 3629: no surrogates, nothing overlong).
 */
#include "utf8.h"

static bool is_trail(char byte) {
    return ((unsigned char)byte & 0xc0) == 0x80;
}

int pf_utf8_decode(const char *text, size_t len, uint32_t *code) {
    const unsigned char *s = (const unsigned char *)text;
    uint32_t lead = s[0];
    if (lead < 0x80) {
        *code = lead;
        return 1;
    }
    if (lead < 0xc2 || lead > 0xf4 || len < 2 || !is_trail(text[1])) return 0;
    if (lead < 0xe0) {
        *code = (lead & 0x1f) << 6 | (s[1] & 0x3f);
        return 2;
    }
    if (len < 3 || !is_trail(text[2])) return 0;
    if (lead < 0xf0) {
        uint32_t c = (lead & 0x0f) << 12 | (uint32_t)(s[1] & 0x3f) << 6 | (s[2] & 0x3f);
        if (c < 0x800 || (c >= 0xd800 && c < 0xe000)) return 0;
        *code = c;
        return 3;
    }
    if (len < 4 || !is_trail(text[3])) return 0;
    uint32_t c = (lead & 0x07) << 18 | (uint32_t)(s[1] & 0x3f) << 12 |
                 (uint32_t)(s[2] & 0x3f) << 6 | (s[3] & 0x3f);
    if (c < 0x10000 || c > PF_UNI_MAX) return 0;
    *code = c;
    return 4;
}

int pf_utf8_decode_last(const char *text, size_t len, uint32_t *code) {
    for (size_t back = 1; back <= PF_UTF8_MAX && back <= len; back++) {
        const char *start = text + len - back;
        if (is_trail(*start)) continue;
        return pf_utf8_decode(start, back, code) == (int)back ? (int)back : 0;
    }
    return 0;
}

int pf_utf8_encode(uint32_t code, char out[PF_UTF8_MAX]) {
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        if (code >= 0xd800 && code < 0xe000) return 0;
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    if (code > PF_UNI_MAX) return 0;
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

size_t pf_utf8_valid_len(const char *text, size_t len) {
    size_t at = 0;
    uint32_t code;
    while (at < len) {
        if ((unsigned char)text[at] < 0x80) {
            at++;
            continue;
        }
        int n = pf_utf8_decode(text + at, len - at, &code);
        if (n == 0) break;
        at += (size_t)n;
    }
    return at;
}

size_t pf_utf8_count(const char *text, size_t len) {
    size_t at = 0, count = 0;
    uint32_t code;
    for (; at < len; count++) {
        int n = (unsigned char)text[at] < 0x80 ? 1 : pf_utf8_decode(text + at, len - at, &code);
        at += n == 0 ? 1 : (size_t)n;
    }
    return count;
}

bool pf_utf8_is_cut(const char *text, size_t len) {
    if (len == 0 || len >= PF_UTF8_MAX) return false;
    unsigned char lead = (unsigned char)text[0];
    size_t need = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || len >= need) return false;
    /* Whatever is missing, the smallest and largest completions bracket the valid ones. */
    char low[PF_UTF8_MAX], high[PF_UTF8_MAX];
    for (size_t i = 0; i < need; i++) {
        low[i] = i < len ? text[i] : (char)0x80;
        high[i] = i < len ? text[i] : (char)0xbf;
    }
    uint32_t code;
    return pf_utf8_decode(low, need, &code) != 0 || pf_utf8_decode(high, need, &code) != 0;
}
