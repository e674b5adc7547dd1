/*
 * host/base/text.c: see text.h.
 */
#include "text.h"

#include "utf8.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DOTS     "…"
#define DOTS_LEN (sizeof DOTS - 1)

void base_text_init(struct base_text *text, char *buffer, size_t size) {
    assert(size > DOTS_LEN + 1);
    *text = (struct base_text){.data = buffer, .size = size};
    buffer[0] = '\0';
}

void base_text_add(struct base_text *text, const char *data, size_t len) {
    if (text->full) return;
    assert(text->len + DOTS_LEN < text->size); /* there is always room for the dots */
    size_t room = text->size - 1 - DOTS_LEN - text->len;
    if (len > room) {
        text->full = true;
        len = base_utf8_cut(data, room);
    }
    memcpy(text->data + text->len, data, len);
    text->len += len;
    if (text->full) {
        memcpy(text->data + text->len, DOTS, DOTS_LEN);
        text->len += DOTS_LEN;
    }
    text->data[text->len] = '\0';
}

void base_text_addz(struct base_text *text, const char *string) {
    base_text_add(text, string, strlen(string));
}

void base_text_addf(struct base_text *text, const char *format, ...) {
    char part[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(part, sizeof part, format, args);
    va_end(args);
    if (n < 0) return;
    size_t len = (size_t)n;
    if (len >= sizeof part) len = base_utf8_cut(part, sizeof part - 1);
    base_text_add(text, part, len);
}

void base_text_rewind(struct base_text *text, size_t len) {
    assert(len <= text->len);
    if (len == text->len) return; /* it may have been full before what was dropped */
    assert(len + DOTS_LEN < text->size);
    text->len = len;
    text->full = false;
    text->data[len] = '\0';
}
