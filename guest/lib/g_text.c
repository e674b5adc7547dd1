/*
 * g_text.c: growing byte strings, and how wide text is on a terminal.
 */
#include "g_text.h"
#include "lib/utf8/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void g_text_reserve(g_text *text, size_t more) {
    if (text->cap - text->len > more) return;
    if (more > SIZE_MAX / 2 - text->cap) g_die(g_failure(), "memory exhausted");
    text->cap = text->cap + text->cap / 2 + more + 32;
    text->s = g_realloc(text->s, text->cap);
}

void g_text_add(g_text *text, const void *bytes, size_t len) {
    g_text_reserve(text, len);
    if (len) memcpy(text->s + text->len, bytes, len);
    text->len += len;
    text->s[text->len] = '\0';
}

void g_text_adds(g_text *text, const char *s) { g_text_add(text, s, strlen(s)); }

void g_text_addf(g_text *text, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (len < 0) return;
    g_text_reserve(text, (size_t)len);
    va_start(args, format);
    vsnprintf(text->s + text->len, (size_t)len + 1, format, args);
    va_end(args);
    text->len += (size_t)len;
}

void g_text_free(g_text *text) {
    free(text->s);
    text->s = NULL;
    text->len = text->cap = 0;
}

size_t g_text_width(const char *s, size_t len) {
    size_t width = 0;
    bool utf8 = g_utf8_locale();
    for (size_t i = 0; i < len;) {
        unsigned char byte = (unsigned char)s[i];
        if (byte < 0x80 || !utf8) {
            width += byte >= 0x20 && byte < 0x7f;
            i++;
            continue;
        }
        uint32_t c;
        int n = pf_utf8_decode(s + i, len - i, &c);
        if (n == 0) {
            i++;
            continue;
        }
        int w = pf_uni_width(c);
        if (w > 0) width += (size_t)w;
        i += (size_t)n;
    }
    return width;
}
