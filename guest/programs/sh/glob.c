/*
 * glob.c: path names that match a pattern.
 *
 * The pattern is taken component by component; a directory is read only for components that hold
 * special characters. Names of a directory are collected before anything below it is opened.
 */
#include "sh.h"

#include <dirent.h>
#include <pf.h>
#include <sys/stat.h>

struct globber {
    struct shell *sh;
    unsigned flags; /* of pattern_match */
    bool dots;      /* * matches a leading period */
    struct strings *out;
    int depth;
    long steps;
    int special_before; /* components with special characters before the one at hand */
};

/* End of the component that starts at p: its slash, outside of extended groups, or the NUL. */
static const char *component_end(const struct globber *g, const char *p) {
    int depth = 0;
    for (; *p; p++) {
        if (*p == '\\' && p[1]) p++;
        else if (*p == '(' && (g->flags & PAT_EXT)) depth++;
        else if (*p == ')' && depth > 0) depth--;
        else if (*p == '/' && depth == 0) break;
    }
    return p;
}

static void add_result(struct globber *g, const sb *path) {
    strings_add(g->sh, g->out, arena_strndup(&g->sh->tmp, path->s, path->n));
}

static bool exists(sb *path, bool directory) {
    struct stat st;
    const char *s = sb_str(path);
    if (directory) return stat(s, &st) == 0 && S_ISDIR(st.st_mode);
    return lstat(s, &st) == 0;
}

/* The names in the directory `path` ("" is the current one); empty when it cannot be read. */
static struct strings read_names(struct globber *g, sb *path) {
    struct strings names = {0};
    DIR *dir = opendir(path->n ? sb_str(path) : ".");
    if (!dir) return names;
    const struct dirent *e;
    while ((e = readdir(dir))) {
        if ((++g->steps & 255) == 0) pf_yield();
        strings_add(g->sh, &names, arena_strdup(&g->sh->tmp, e->d_name));
    }
    closedir(dir);
    return names;
}

static bool is_dot_or_dotdot(const char *s) {
    return s[0] == '.' && (s[1] == 0 || (s[1] == '.' && s[2] == 0));
}

static bool name_matches(struct globber *g, const char *pattern, const char *name) {
    if (is_dot_or_dotdot(name)) {
        if (g->sh->shopt[SHOPT_GLOBSKIPDOTS] || pattern[0] != '.') return false;
    }
    unsigned flags = g->flags | (g->dots ? 0u : PAT_PERIOD);
    return pattern_match(pattern, name, strlen(name), flags);
}

static void walk(struct globber *g, sb *path, const char *rest);

static void walk_below(struct globber *g, sb *path, const char *name, const char *rest) {
    size_t was = path->n;
    sb_puts(path, name);
    if (*rest == '/') sb_putc(path, '/');
    if (*rest == 0) {
        add_result(g, path);
    } else if (rest[1] == 0) { /* a trailing slash: directories only */
        if (exists(path, true)) add_result(g, path);
    } else {
        walk(g, path, rest + 1);
    }
    path->n = was;
}

static bool is_directory(sb *path, const char *name) {
    size_t was = path->n;
    struct stat st;
    sb_puts(path, name);
    bool yes = lstat(sb_str(path), &st) == 0 && S_ISDIR(st.st_mode);
    path->n = was;
    return yes;
}

/* ** : every directory at and below path, then rest ("" or "/…"). */
static void walk_globstar(struct globber *g, sb *path, const char *rest) {
    if (g->depth >= GLOB_DEPTH_MAX) return;
    g->depth++;
    if (*rest == '/' && rest[1]) walk(g, path, rest + 1);
    else if (*rest == '/' && path->n) add_result(g, path);
    struct strings names = read_names(g, path);
    for (int i = 0; i < names.n; i++) {
        const char *name = names.v[i];
        if (is_dot_or_dotdot(name) || (name[0] == '.' && !g->dots)) continue;
        bool directory = is_directory(path, name);
        size_t was = path->n;
        sb_puts(path, name);
        if (*rest == 0) add_result(g, path);
        if (!directory && rest[0] == '/' && rest[1] == 0 && exists(path, true)) {
            sb_putc(path, '/'); /* a link to a directory is one, but nothing below it is */
            add_result(g, path);
        }
        if (directory) {
            sb_putc(path, '/');
            walk_globstar(g, path, rest);
        }
        path->n = was;
    }
    g->depth--;
}

static void walk_component(struct globber *g, sb *path, const char *pattern, const char *rest) {
    struct strings names = read_names(g, path);
    for (int i = 0; i < names.n; i++)
        if (name_matches(g, pattern, names.v[i])) walk_below(g, path, names.v[i], rest);
}

static void walk(struct globber *g, sb *path, const char *rest) {
    if (g->depth >= GLOB_DEPTH_MAX || sh_deep(g->sh)) return;
    g->depth++;
    size_t was = path->n;
    while (*rest == '/') sb_putc(path, *rest++);
    const char *end = component_end(g, rest);
    char *part = arena_strndup(&g->sh->tmp, rest, (size_t)(end - rest));
    if (strcmp(part, "**") == 0 && g->sh->shopt[SHOPT_GLOBSTAR]) {
        while (strncmp(end, "/**", 3) == 0 && (end[3] == '/' || end[3] == 0)) end += 3;
        if (*end == 0 && path->n && exists(path, true)) {
            sb root = {0};
            sb_put(&root, path->s, g->special_before ? path->n - 1 : path->n);
            add_result(g, &root); /* a/ of a/[**], and a of [*]/[**] */
            sb_free(&root);
        }
        walk_globstar(g, path, end);
    } else if (pattern_special(part, g->flags)) {
        g->special_before++;
        walk_component(g, path, part, end);
        g->special_before--;
    } else {
        pattern_unescape(part);
        sb_puts(path, part);
        if (*end == 0) {
            if (exists(path, false)) add_result(g, path);
        } else {
            sb_putc(path, '/');
            if (exists(path, true)) {
                if (end[1]) walk(g, path, end + 1);
                else add_result(g, path);
            }
        }
    }
    path->n = was;
    g->depth--;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Is the path one that GLOBIGNORE (colon-separated patterns) names? */
static bool ignored(struct shell *sh, const char *ignore, const char *path) {
    for (const char *p = ignore; *p;) {
        const char *end = p;
        int depth = 0;
        for (; *end && !(*end == ':' && depth == 0); end++) {
            if (*end == '\\' && end[1]) end++;
            else if (*end == '[') {
                const char *close = strchr(end + 1, ']');
                if (end[1] == ':' || (close && memchr(end, '[', (size_t)(close - end)) == end)) {
                    /* a set such as [[:alnum:]] holds colons that separate nothing */
                    const char *q = end + 1;
                    while (*q && *q != ']') {
                        if (q[0] == '[' && q[1] == ':') {
                            const char *class_end = strstr(q, ":]");
                            if (class_end) q = class_end + 1;
                        }
                        q++;
                    }
                    if (*q) end = q;
                }
            } else if (*end == '(') depth++;
            else if (*end == ')' && depth > 0) depth--;
        }
        char *one = arena_strndup(&sh->tmp, p, (size_t)(end - p));
        if (*one && pattern_match(one, path, strlen(path), PAT_EXT | PAT_PATH)) return true;
        p = *end ? end + 1 : end;
    }
    return false;
}

int glob_expand(struct shell *sh, const char *pattern, struct strings *out) {
    struct strings found = {0};
    const char *ignore = var_get(sh, "GLOBIGNORE");
    bool ignoring = ignore && *ignore;
    struct globber g = {.sh = sh,
                        .flags = pattern_flags(sh, sh->shopt[SHOPT_NOCASEGLOB]),
                        .dots = sh->shopt[SHOPT_DOTGLOB],
                        .out = &found};
    sb path = {0};
    walk(&g, &path, pattern);
    sb_free(&path);
    if (found.n > 1) qsort(found.v, (size_t)found.n, sizeof(char *), by_name);
    int count = 0;
    for (int i = 0; i < found.n; i++) {
        if (i > 0 && strcmp(found.v[i], found.v[i - 1]) == 0) continue;
        const char *base = strrchr(found.v[i], '/');
        if (ignoring && (ignored(sh, ignore, found.v[i]) || is_dot_or_dotdot(base ? base + 1 : found.v[i])))
            continue;
        strings_add(sh, out, found.v[i]);
        count++;
    }
    return count;
}
