/*
 * pathspec.c: the paths that a command is limited to: names, directories, patterns, and git's magic
 * (`:/`, `:!`, `:(exclude,icase,literal,glob,top)`).
 */
#include "git.h"

#include <strings.h>

enum { WM_CASEFOLD = 1, WM_PATHNAME = 2 };
extern int wildmatch(const char *pattern, const char *text, unsigned int flags); /* libgit2's */

static bool long_magic(pathspec_item *item, const char *text, size_t len, bool *top) {
    if (len == 3 && strncmp(text, "top", 3) == 0) *top = true;
    else if (len == 7 && strncmp(text, "exclude", 7) == 0) item->exclude = true;
    else if (len == 5 && strncmp(text, "icase", 5) == 0) item->icase = true;
    else if (len == 7 && strncmp(text, "literal", 7) == 0) item->literal = true;
    else if (len == 4 && strncmp(text, "glob", 4) == 0) item->glob = true;
    else return len == 0;
    return true;
}

static const char *magic(pathspec_item *item, const char *text, bool *top) {
    if (text[0] != ':') return text;
    const char *at = text + 1;
    if (*at == '(') {
        at++;
        while (*at && *at != ')') {
            size_t len = strcspn(at, ",)");
            if (!long_magic(item, at, len, top))
                die("Invalid pathspec magic '%.*s' in '%s'", (int)len, at, text);
            at += len + (at[len] == ',');
        }
        if (!*at) die("Missing ')' at the end of pathspec magic in '%s'", text);
        return at + 1;
    }
    for (; *at == '/' || *at == '!' || *at == '^'; at++) {
        if (*at == '/') *top = true;
        else item->exclude = true;
    }
    return *at == ':' ? at + 1 : at;
}

void pathspec_parse(pathspec *spec, int argc, char **argv) {
    memset(spec, 0, sizeof *spec);
    if (argc <= 0) return;
    spec->items = g_zalloc((size_t)(argc + 1) * sizeof *spec->items);
    spec->only_exclude = true;
    for (int i = 0; i < argc; i++) {
        pathspec_item *item = &spec->items[spec->count++];
        bool top = false;
        if (!*argv[i]) die("empty string is not a valid pathspec. please use . instead if you meant to match all paths");
        const char *rest = magic(item, argv[i], &top);
        const char *saved = prefix;
        if (top) prefix = "";
        item->pattern = repo_path(rest);
        prefix = saved;
        item->original = argv[i];
        item->plain = item->literal ? strlen(item->pattern) : strcspn(item->pattern, "*?[\\");
        if (!item->exclude) spec->only_exclude = false;
    }
}

static bool item_match(const pathspec_item *item, const char *path) {
    size_t len = strlen(item->pattern);
    int (*compare)(const char *, const char *, size_t) = item->icase ? strncasecmp : strncmp;
    if (!len) return true;
    if (compare(item->pattern, path, len) == 0 &&
        (!path[len] || path[len] == '/' || item->pattern[len - 1] == '/'))
        return true;
    /* dir/ names the entry of a submodule or a link as well, without the slash */
    if (!item->pattern[item->plain]) return false;
    return wildmatch(item->pattern, path,
                     (item->icase ? WM_CASEFOLD : 0) | (item->glob ? WM_PATHNAME : 0)) == 0;
}

bool pathspec_match(pathspec *spec, const char *path) {
    bool found = !spec->count || spec->only_exclude;
    for (size_t i = 0; i < spec->count; i++) {
        if (spec->items[i].exclude || !item_match(&spec->items[i], path)) continue;
        spec->items[i].matched = 1;
        found = true;
    }
    if (!found) return false;
    for (size_t i = 0; i < spec->count; i++)
        if (spec->items[i].exclude && item_match(&spec->items[i], path)) return false;
    return true;
}

bool pathspec_below(pathspec *spec, const char *dir) {
    size_t len = strlen(dir);
    if (!spec->count || spec->only_exclude) return true;
    for (size_t i = 0; i < spec->count; i++) {
        const pathspec_item *item = &spec->items[i];
        if (item->exclude) continue;
        size_t common = item->plain < len ? item->plain : len;
        if (strncmp(item->pattern, dir, common) == 0) return true;
    }
    return false;
}

bool pathspec_exact_dir(const pathspec *spec, const char *dir) {
    size_t len = strlen(dir);
    while (len && dir[len - 1] == '/') len--;
    for (size_t i = 0; i < spec->count; i++) {
        size_t have = strlen(spec->items[i].pattern);
        while (have && spec->items[i].pattern[have - 1] == '/') have--;
        if (have == len && strncmp(spec->items[i].pattern, dir, len) == 0) return true;
    }
    return false;
}

int pathspec_unmatched(const pathspec *spec) {
    int count = 0;
    for (size_t i = 0; i < spec->count; i++) {
        if (spec->items[i].matched || spec->items[i].exclude) continue;
        error("pathspec '%s' did not match any file(s) known to git", spec->items[i].original);
        count++;
    }
    return count;
}
