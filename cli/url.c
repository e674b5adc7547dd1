/* url.c: see url.h. */
#include "url.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char scheme[] = "pinfold:";

static bool is_url(const char *text) {
    return strncmp(text, scheme, sizeof scheme - 1) == 0;
}

const char *snapshot_name(const char *name) {
    return is_url(name) ? "pinfold:…" : name;
}

static int digit(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '-' ? 62 : c == '_' ? 63 : -1;
}

/* Blanks and line ends of a mailer are passed over. */
static void decode(struct text *out, const char *name, const char *text) {
    uint32_t bits = 0;
    size_t count = 0;
    for (const char *at = text + sizeof scheme - 1; *at; at++) {
        if (strchr(" \t\r\n\v\f", *at)) continue;
        int value = digit(*at);
        if (value < 0)
            die("%s: the text is damaged: '%c' is no character of base64url", snapshot_name(name),
                *at);
        bits = bits << 6 | (uint32_t)value;
        if (++count % 4 == 1) continue;
        int left = count % 4 == 2 ? 4 : count % 4 == 3 ? 2 : 0;
        text_add(out, (char[]){(char)(bits >> left)}, 1);
    }
    if (count % 4 == 1)
        die("%s: the text was cut short, or something was added to it", snapshot_name(name));
}

bool snapshot_read(struct text *out, const char *name) {
    struct text file = {0};
    const char *text = name;
    if (!is_url(name)) {
        if (!text_read_file(&file, name)) die("%s: %s", name, strerror(errno));
        text = file.data ? file.data + strspn(file.data, " \t\r\n") : "";
        if (!is_url(text)) {
            *out = file;
            return false;
        }
    }
    decode(out, name, text);
    free(file.data);
    return true;
}
