/*
 * make_line.c: the logical lines of a makefile.
 *
 * A backslash in front of a newline continues a line, which then has one blank in the place of all
 * that is around it; in recipes both stay, and only the tab of the next line goes.
 */
#include "make.h"

#include <ctype.h>
#include <stdlib.h>

/* How many backslashes stand before s[at]. */
static size_t backslashes_before(const char *s, size_t at) {
    size_t n = 0;
    while (n < at && s[at - 1 - n] == '\\') n++;
    return n;
}

char *read_logical_line(line_reader *in, bool recipe_allowed) {
    if (in->s >= in->end) return NULL;
    g_text line = {0};
    bool is_recipe = recipe_allowed && *in->s == recipe_prefix;
    in->where.line = in->next_line;
    g_text_adds(&line, "");
    while (in->s < in->end) {
        const char *newline = memchr(in->s, '\n', (size_t)(in->end - in->s));
        size_t len = (size_t)((newline ? newline : in->end) - in->s);
        const char *s = in->s;
        in->s += len + (newline != NULL);
        in->next_line++;
        if (len && s[len - 1] == '\r' && newline) len--;
        g_text_add(&line, s, len);
        if (!newline || backslashes_before(line.s, line.len) % 2 == 0) break;
        if (is_recipe) {
            g_text_addc(&line, '\n');
            if (in->s < in->end && *in->s == recipe_prefix) in->s++;
            continue;
        }
        line.len -= (backslashes_before(line.s, line.len) + 1) / 2; /* half of them stay */
        while (line.len && isblank((unsigned char)line.s[line.len - 1])) line.len--;
        while (in->s < in->end && isblank((unsigned char)*in->s)) in->s++;
        g_text_addc(&line, ' ');
    }
    line.s[line.len] = '\0';
    return line.s;
}

void remove_comment(char *line) {
    for (char *at = line; (at = find_outside(at, "#"));) {
        size_t slashes = backslashes_before(line, (size_t)(at - line));
        if (slashes % 2 == 0) {
            memmove(at - slashes / 2, at, strlen(at) + 1);
            at[-(ptrdiff_t)(slashes / 2)] = '\0';
            return;
        }
        size_t drop = slashes / 2 + 1;
        memmove(at - drop, at, strlen(at) + 1);
        at = at - drop + 1;
    }
}
