/*
 * host/capability/names.c: see names.h.
 */
#include "names.h"

#include "host/base/utf8.h"

#include <string.h>

static bool is_alnum(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Invisible characters and spaces, with which a name could look like another. */
static bool is_deceptive(uint32_t point) {
    static const uint32_t ranges[][2] = {
        {0x80, 0xA0},     {0xAD, 0xAD},     {0x34F, 0x34F},   {0x61C, 0x61C},      {0x115F, 0x1160},
        {0x1680, 0x1680}, {0x17B4, 0x17B5}, {0x180B, 0x180F}, {0x2000, 0x200F},    {0x2028, 0x202F},
        {0x205F, 0x206F}, {0x3000, 0x3000}, {0x3164, 0x3164}, {0xE000, 0xF8FF},    {0xFE00, 0xFE0F},
        {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFF}, {0xE0000, 0x10FFFF},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (point >= ranges[i][0] && point <= ranges[i][1]) return true;
    return false;
}

static bool allowed(const char *at, size_t len, size_t *bytes) {
    uint32_t point;
    *bytes = base_utf8_decode(at, len, &point);
    if (*bytes == 0) return false;
    if (*bytes == 1) return is_alnum(*at) || (*at && strchr("_-:@+", *at));
    return !is_deceptive(point);
}

static bool is_wildcard(const char *text, size_t len) {
    return (len == 1 && text[0] == '*') || (len == 2 && text[0] == '*' && text[1] == '*');
}

static const char *check_segment(const char *text, size_t len, bool wildcards) {
    if (len == 0) return "has an empty segment";
    if (wildcards && is_wildcard(text, len)) return NULL;
    for (size_t at = 0, n = 1; at < len; at += n, n = 1) {
        if (is_alnum(text[at]) || allowed(text + at, len - at, &n)) continue;
        if (text[at] == '*')
            return wildcards ? "has a * that is not a whole segment: use * or ** between / only"
                             : "has a *, which is for patterns";
        return "has a character that is not a letter, digit or one of _ - : @ +";
    }
    return NULL;
}

bool cap_name_read(struct cap_name *out, const char *name, size_t len, bool wildcards,
                   const char **why) {
    if (len >= 4 && memcmp(name, "mcp:", 4) == 0) {
        name += 4;
        len -= 4;
    }
    *why = len == 0 ? "is empty" : len > CAP_NAME_MAX ? "is longer than 255 bytes" : NULL;
    if (!*why && name[0] == '-') *why = "starts with -";
    if (*why) return false;
    memcpy(out->text, name, len);
    out->text[len] = '\0';
    out->len = len;
    out->count = 0;
    out->hash = 0;
    for (size_t at = 0, start = 0; at <= len; at++) {
        if (at < len && out->text[at] != '.' && out->text[at] != '/') continue;
        if (at < len) out->text[at] = '/';
        if (out->count == CAP_SEGMENTS_MAX) *why = "has more than 63 segments";
        if (!*why) *why = check_segment(out->text + start, at - start, wildcards);
        if (*why) return false;
        out->segments[out->count++] = (struct cap_segment){out->text + start, at - start};
        start = at + 1;
    }
    for (size_t at = 0; at < len; at++)
        out->hash = (out->hash ^ (unsigned char)out->text[at]) * 0x100000001b3u;
    return true;
}

void cap_name_flat(const char *id, char *out) {
    for (; *id; id++) *out++ = is_alnum(*id) || (unsigned char)*id >= 0x80 ? *id : '_';
    *out = '\0';
}

bool cap_name_is_identifier(const char *text, size_t len) {
    for (size_t i = 0; i < len; i++)
        if (!is_alnum(text[i]) && text[i] != '_') return false;
    return len > 0 && !(text[0] >= '0' && text[0] <= '9');
}

static char fold(char c) {
    if (c >= 'A' && c <= 'Z') return (char)(c + 'a' - 'A');
    return c == '.' || c == '/' || c == '-' ? '_' : c;
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

size_t cap_name_distance(const char *a, const char *b, size_t max) {
    size_t n = strlen(a), m = strlen(b);
    if (n > CAP_NAME_MAX || m > CAP_NAME_MAX || (n > m ? n - m : m - n) > max) return max + 1;
    size_t rows[3][CAP_NAME_MAX + 1], *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= m; j++) last[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t best = row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            bool same = fold(a[i - 1]) == fold(b[j - 1]);
            row[j] = least(least(last[j] + 1, row[j - 1] + 1), last[j - 1] + !same);
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
                fold(a[i - 2]) == fold(b[j - 1]))
                row[j] = least(row[j], before[j - 2] + 1);
            best = least(best, row[j]);
        }
        if (best > max) return max + 1;
        size_t *spare = before;
        before = last;
        last = row;
        row = spare;
    }
    return last[m] > max ? max + 1 : last[m];
}
