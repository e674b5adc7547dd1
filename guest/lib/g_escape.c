/*
 * g_escape.c: backslash escapes in texts.
 */
#include "g_escape.h"
#include "lib/utf8/utf8.h"

#include <stdio.h>

static int digit_of(char c, int base) {
    int value = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : 99;
    return value < base ? value : -1;
}

/* Reads up to `most` digits; returns how many there were. */
static size_t digits(const char *s, size_t len, int base, size_t most, uint32_t *value) {
    size_t n = 0;
    *value = 0;
    while (n < most && n < len && digit_of(s[n], base) >= 0)
        *value = *value * (uint32_t)base + (uint32_t)digit_of(s[n++], base);
    return n;
}

static size_t unicode(const char *s, size_t len, size_t count, g_text *out, const char **bad) {
    uint32_t code;
    if (digits(s + 1, len - 1, 16, count, &code) < count) {
        *bad = "missing hexadecimal number in escape";
        return 1;
    }
    /* As in C: what has a character of its own is no universal one, nor is half of a pair. */
    static char text[64];
    if ((code < 0xa0 && code != '$' && code != '@' && code != '`') ||
        (code >= 0xd800 && code <= 0xdfff)) {
        snprintf(text, sizeof text, "invalid universal character name \\%c%0*x", *s, (int)count,
                 (unsigned)code);
        *bad = text;
        return 1 + count;
    }
    if (g_utf8_locale()) {
        char bytes[PF_UTF8_MAX];
        int n = pf_utf8_encode(code, bytes);
        g_text_add(out, bytes, (size_t)n);
    } else if (code < 0x80) {
        g_text_addc(out, (char)code);
    } else {
        g_text_addf(out, count == 4 ? "\\u%04X" : "\\U%08X", (unsigned)code);
    }
    return 1 + count;
}

size_t g_escape(const char *s, size_t len, enum g_escape_style style, g_text *out, bool *stop,
                const char **bad) {
    static const char letters[] = "abefnrtv\\";
    static const char bytes[] = "\a\b\033\f\n\r\t\v\\";
    if (len == 0) return 0;
    const char *known = *s ? strchr(letters, *s) : NULL;
    if (known) {
        g_text_addc(out, bytes[known - letters]);
        return 1;
    }
    uint32_t value;
    size_t n;
    switch (*s) {
    case 'c': *stop = true; return 1;
    case '"':
        if (style == G_ESCAPE_ECHO) return 0;
        g_text_addc(out, '"');
        return 1;
    case 'x':
        n = digits(s + 1, len - 1, 16, 2, &value);
        if (n == 0) {
            *bad = "missing hexadecimal number in escape";
            return style == G_ESCAPE_ECHO ? 0 : 1;
        }
        g_text_addc(out, (char)value);
        return n + 1;
    case '0':
        if (style != G_ESCAPE_FORMAT) {
            n = digits(s + 1, len - 1, 8, 3, &value);
            g_text_addc(out, (char)value);
            return n + 1;
        }
        break;
    case 'u': return style == G_ESCAPE_ECHO ? 0 : unicode(s, len, 4, out, bad);
    case 'U': return style == G_ESCAPE_ECHO ? 0 : unicode(s, len, 8, out, bad);
    }
    n = digits(s, len, 8, 3, &value);
    if (n == 0) return 0;
    g_text_addc(out, (char)value);
    return n;
}
