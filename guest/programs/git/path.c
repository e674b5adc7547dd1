/*
 * path.c: paths as the user writes and sees them.
 */
#include "git.h"

#include <limits.h>
#include <unistd.h>

#include "g_file.h"

/* a//b/./c/../d -> a/b/d; false when it climbs out. In place. */
static bool tidy(char *path) {
    char *out = path, *at = path;
    while (*at) {
        size_t len = strcspn(at, "/");
        char *next = at + len + (at[len] == '/');
        if (len == 2 && at[0] == '.' && at[1] == '.') {
            if (out == path) return false;
            out--;
            while (out > path && out[-1] != '/') out--;
        } else if (len && !(len == 1 && *at == '.')) {
            bool slash = at[len] == '/';
            memmove(out, at, len);
            out += len;
            if (slash) *out++ = '/';
        }
        at = next;
    }
    *out = '\0';
    return true;
}

char *repo_path(const char *argument) {
    const char *top = git_repository_workdir(repo);
    g_text text = {0};
    if (argument[0] != '/') {
        g_text_adds(&text, prefix);
        g_text_adds(&text, argument);
    } else {
        if (!top) die("'%s' is outside repository", argument);
        size_t len = strlen(top) - 1;
        char *real = g_canonicalize(argument, G_ANY_MISSING, true);
        const char *path = strncmp(argument, top, len) == 0 ? argument : real ? real : argument;
        if (strncmp(path, top, len) != 0 || (path[len] && path[len] != '/'))
            die("%s: '%s' is outside repository at '%.*s'", argument, argument, (int)len, top);
        g_text_adds(&text, path + len);
        free(real);
    }
    char *clean = text.s ? text.s : g_copy_string("");
    while (*clean == '/') clean++;
    if (!tidy(clean)) {
        if (!top) die("'%s' is outside repository", argument);
        die("%s: '%s' is outside repository at '%.*s'", argument, argument, (int)strlen(top) - 1, top);
    }
    return clean;
}

bool names_path(const char *argument) {
    const char *at = argument;
    if (strncmp(at, ":(", 2) == 0) return true;
    for (const char *p = at; *p; p++) {
        if (*p == '\\' && p[1]) p++;
        else if (strchr("*?[", *p)) return true;
    }
    if (strncmp(at, ":/", 2) == 0) {
        const char *top = repo ? git_repository_workdir(repo) : NULL;
        if (!at[2] || !top) return true;
        g_text whole = {0};
        g_text_addf(&whole, "%s%s", top, at + 2);
        bool there = file_exists(whole.s);
        g_text_free(&whole);
        return there;
    }
    if (strncmp(at, ":!", 2) == 0 || strncmp(at, ":^", 2) == 0) at += 2;
    return !*at || file_exists(at);
}

static bool must_quote(const char *path, bool bytes) {
    for (const unsigned char *p = (const unsigned char *)path; *p; p++)
        if (*p < 32 || *p == '"' || *p == '\\' || *p == 127 || (bytes && *p >= 128)) return true;
    return false;
}

static bool quote_bytes(void) {
    static int known = -1;
    if (known < 0) known = config_bool("core.quotepath", true);
    return known;
}

char *quoted(const char *path, const char *before) {
    g_text out = {0};
    if (!must_quote(path, quote_bytes())) {
        g_text_addf(&out, "%s%s", before, path);
        return out.s;
    }
    g_text_addf(&out, "\"%s", before);
    for (const unsigned char *p = (const unsigned char *)path; *p; p++) {
        static const char plain[] = "\a\b\t\n\v\f\r\"\\", escaped[] = "abtnvfr\"\\";
        const char *at = strchr(plain, *p);
        if (at) g_text_addf(&out, "\\%c", escaped[at - plain]);
        else if (*p < 32 || *p == 127 || (*p >= 128 && quote_bytes())) g_text_addf(&out, "\\%03o", *p);
        else g_text_addc(&out, (char)*p);
    }
    g_text_addc(&out, '"');
    return out.s;
}

void out_quoted(const char *path) {
    char *text = quoted(path, "");
    g_outs(text);
    free(text);
}

void out_path(const char *path, char end) {
    if (end) out_quoted(path);
    else g_outs(path);
    g_outc(end);
}

char *relative(const char *path) {
    g_text out = {0};
    const char *at = prefix;
    g_text_adds(&out, "");
    if (!*prefix) return g_copy_string(path);
    size_t common = 0;
    for (size_t i = 0; at[i] && path[i] && at[i] == path[i]; i++)
        if (at[i] == '/') common = i + 1;
    /* "dir" itself, from within dir/, is "./" */
    for (const char *p = at + common; *p; p++)
        if (*p == '/') g_text_adds(&out, "../");
    g_text_adds(&out, path + common);
    if (!out.len) g_text_adds(&out, "./");
    return out.s;
}
