/*
 * path.c: finding commands along PATH, and remembering where they were (`hash`).
 */
#include "sh.h"

#include <sys/stat.h>
#include <unistd.h>

bool path_is_executable(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* The nth (0 first) executable of that name along `path`; NULL: *error says why. */
const char *path_search(struct shell *sh, const char *path, const char *name, int *error, int nth) {
    const char *fallback = NULL;
    *error = ENOENT;
    for (const char *p = path;; p++) {
        const char *end = p + strcspn(p, ":");
        char *full = end == p ? arena_printf(&sh->tmp, "./%s", name)
                              : arena_printf(&sh->tmp, "%.*s/%s", (int)(end - p), p, name);
        struct stat st;
        if (stat(full, &st) == 0) {
            bool file = S_ISREG(st.st_mode);
            if (file && access(full, X_OK) == 0) {
                if (nth-- == 0) {
                    *error = 0;
                    return full;
                }
            } else if (file && !fallback) {
                fallback = full; /* there, but not to be executed */
            }
        }
        if (!*end) break;
        p = end;
    }
    if (fallback && nth == 0) {
        *error = EACCES;
        return fallback;
    }
    return NULL;
}

void path_hash_forget(struct shell *sh, struct hashed *h) {
    table_swap(sh->hash, &h->entry, NULL);
    free(h->entry.key);
    free(h->path);
    free(h);
}

void path_hash_clear(struct shell *sh) {
    if (!sh->hash || table_count(sh->hash) == 0) return;
    arena_mark mark = arena_here(&sh->tmp);
    int count;
    struct entry **list = table_sorted(sh->hash, &sh->tmp, &count);
    for (int i = 0; i < count; i++) path_hash_forget(sh, (struct hashed *)list[i]);
    arena_release(&sh->tmp, mark);
}

struct hashed *path_hashed(struct shell *sh, const char *name) {
    struct hashed *h = (struct hashed *)table_find(sh->hash, name, strlen(name));
    return h && h->hits >= 0 ? h : NULL;
}

void path_hash_keep(struct shell *sh, const char *name, const char *path, int hits) {
    struct hashed *h = table_entry(sh->hash, name, strlen(name), sizeof *h);
    char *copy = xstrdup(path);
    free(h->path);
    h->path = copy;
    h->hits = hits;
}

const char *path_find(struct shell *sh, const char *name, int *error) {
    *error = 0;
    if (strchr(name, '/')) return name;
    struct hashed *h = (struct hashed *)table_find(sh->hash, name, strlen(name));
    if (h) {
        bool there = !sh->shopt[SHOPT_CHECKHASH] && !sh->posix ? true : path_is_executable(h->path);
        if (there && (strchr(h->path, '/') == h->path || path_is_executable(h->path))) {
            if (!sh->hash_kept) h->hits = h->hits < 0 ? 1 : h->hits + 1;
            return h->path;
        }
    }
    const char *path = var_get(sh, "PATH");
    if (!path) path = "";
    const char *found = path_search(sh, path, name, error, 0);
    if (!found || *error) return found;
    if (sh->opt[OPT_HASHALL] && strncmp(found, "./", 2) != 0)
        path_hash_keep(sh, name, found, sh->hash_kept ? -1 : 1);
    return found;
}
