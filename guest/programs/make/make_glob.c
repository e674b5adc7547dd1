/*
 * make_glob.c: the files that a name with * ? and [ stands for, in byte order.
 */
#include "make.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef struct {
    char **names;
    size_t count, cap;
} found;

static void keep(found *f, const char *name) {
    if (f->count == f->cap) f->names = g_more(f->names, &f->cap, sizeof *f->names);
    f->names[f->count++] = g_copy_string(name);
}

static void match(found *f, const char *before, const char *pattern);

/* One part of the pattern, and a name for it: the rest follows. */
static void go_on(found *f, const char *before, const char *name, size_t len, const char *rest) {
    g_text path = {0};
    struct stat st;
    size_t slashes = strspn(rest, "/");
    g_text_adds(&path, before);
    g_text_add(&path, name, len);
    g_text_add(&path, rest, slashes);
    if (rest[slashes])
        match(f, path.s, rest + slashes);
    else if (slashes ? stat(path.s, &st) == 0 : lstat(path.s, &st) == 0)
        keep(f, path.s);
    g_text_free(&path);
}

static void match(found *f, const char *before, const char *pattern) {
    size_t len = strcspn(pattern, "/");
    if (!has_wildcard(pattern, len)) {
        go_on(f, before, pattern, len, pattern + len);
        return;
    }
    char *part = g_copy_bytes(pattern, len);
    DIR *folder = opendir(*before ? before : ".");
    for (struct dirent *e; folder && (e = readdir(folder));)
        if (fnmatch(part, e->d_name, FNM_PERIOD) == 0)
            go_on(f, before, e->d_name, strlen(e->d_name), pattern + len);
    if (folder) closedir(folder);
    free(part);
}

static int by_bytes(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void glob_words(g_text *out, bool *any, const char *pattern) {
    found f = {0};
    size_t slashes = strspn(pattern, "/");
    char *root = g_copy_bytes(pattern, slashes);
    match(&f, root, pattern + slashes);
    free(root);
    if (f.count) qsort(f.names, f.count, sizeof *f.names, by_bytes);
    for (size_t i = 0; i < f.count; i++) {
        add_word(out, any, f.names[i], strlen(f.names[i]));
        free(f.names[i]);
    }
    free(f.names);
}
