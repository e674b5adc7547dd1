/*
 * host/mount/guest_tree.c: a directory of a sandbox as it is now. See mount.h.
 */
#include "mount.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct walk {
    pf_sandbox *s;
    const struct machine_mount *mount;
    size_t number; /* of the mount */
    bool changed;
    mount_fn function;
    void *user;
    pf_error *error;
};

struct seen {
    struct pf_stat st;
    char source[PF_PATH_MAX + 32]; /* "": it is here */
    char target[PF_PATH_MAX];      /* of a link */
    size_t target_len;
};

/* About the file itself, not what it links to. Its directory was listed, so nothing comes in. */
static pf_status look(pf_sandbox *s, const char *path, struct seen *seen, pf_error *error) {
    struct pf_stat *st = &seen->st;
    struct k_call source = {.call = PF_CALL_HOST_SOURCE,
                            .in = path,
                            .in_len = strlen(path),
                            .out = seen->source,
                            .out_cap = sizeof seen->source - 1};
    pf_status status = machine_enter(s, error);
    if (status != PF_OK) return status;
    int64_t r = KERNEL(s, FSTATAT, .arg = {PF_AT_FDCWD, PF_AT_SYMLINK_NOFOLLOW}, .in = path,
                       .in_len = strlen(path), .out = st, .out_cap = sizeof *st);
    if (r >= 0) r = machine_kernel(s, &source);
    seen->source[source.out_len] = '\0';
    seen->target_len = 0;
    if (r >= 0 && (st->mode & 0170000) == 0120000) {
        r = KERNEL(s, READLINKAT, .arg = {PF_AT_FDCWD}, .in = path, .in_len = strlen(path),
                   .out = seen->target, .out_cap = PF_PATH_MAX - 1);
        if (r >= 0) seen->target_len = (size_t)r < PF_PATH_MAX ? (size_t)r : PF_PATH_MAX - 1;
    }
    seen->target[seen->target_len] = '\0';
    if (r < 0) status = machine_guest_error(s, r, path, error);
    machine_leave(s);
    return status;
}

/* Is it still with the host, in the place that it came to, and as it came? */
static bool untouched(const struct walk *w, const char *relative, const struct seen *seen) {
    char *path;
    if (!w->changed || !*seen->source) return false;
    if (strtoul(seen->source, &path, 10) != w->number || *path != '/') return false;
    if (strcmp(path + 1, relative) != 0) return false;
    const struct machine_mount_entry *entry = mount_entry(w->mount, relative);
    return !*relative || (entry && (entry->mode & 0777) == (seen->st.mode & 0777));
}

/* A directory on the way to where the walk is. */
struct level {
    struct level *outer;
    char *names;
    size_t len, at;  /* of `names`: all, and those that were visited */
    size_t path_len; /* of its path */
};

/* Tells of the file at `path`. A directory that has to be gone through becomes `*level`. */
static pf_status visit(struct walk *w, const char *path, struct level **level) {
    size_t root = strlen(w->mount->guest);
    const char *relative = path[root] == '/' ? path + root + 1 : path + root;
    struct seen *seen = calloc(1, sizeof *seen);
    if (!seen) return base_no_memory(w->error);
    pf_status status = look(w->s, path, seen, w->error);
    uint32_t type = seen->st.mode & 0170000;
    struct mount_file file = {.path = relative,
                              .kind = type == 0040000   ? 'd'
                                      : type == 0100000 ? 'f'
                                      : type == 0120000 ? 'l'
                                                        : '?',
                              .mode = seen->st.mode & 07777,
                              .mtime_ns = seen->st.mtime_ns,
                              .data = seen->target,
                              .len = seen->target_len};
    char *data = NULL;
    file.untouched = status == PF_OK && untouched(w, relative, seen);
    if (status == PF_OK && file.kind == 'f' && !file.untouched) {
        status = pf_file_take(w->s, path, &data, &file.len, w->error);
        file.data = data;
    }
    if (status == PF_OK) status = w->function(w->user, &file, w->error);
    bool enter = status == PF_OK && file.kind == 'd' && !file.untouched;
    pf_free(data);
    free(seen);
    if (!enter) return status;
    struct level *inner = calloc(1, sizeof *inner);
    if (!inner) return base_no_memory(w->error);
    inner->outer = *level;
    inner->path_len = strlen(path);
    *level = inner;
    return pf_file_list(w->s, path, &inner->names, &inner->len, w->error);
}

static void leave(struct level **level) {
    struct level *inner = *level;
    *level = inner->outer;
    pf_free(inner->names);
    free(inner);
}

/* Names whose path would be too long cannot be asked for: what they lie in is told. */
static pf_status walk(struct walk *w) {
    char path[2 * PF_PATH_MAX];
    struct level *level = NULL;
    snprintf(path, sizeof path, "%s", w->mount->guest);
    pf_status status = visit(w, path, &level);
    while (status == PF_OK && level) {
        if (level->at >= level->len) {
            leave(&level);
            continue;
        }
        const char *name = level->names + level->at;
        size_t len = strlen(name);
        level->at += len + 1;
        if (level->path_len + 1 + len >= PF_PATH_MAX || strchr(name, '/')) continue;
        path[level->path_len] = '/';
        memcpy(path + level->path_len + 1, name, len + 1);
        status = visit(w, path, &level);
    }
    while (level) leave(&level);
    return status;
}

static pf_status no_function(void *user, const struct mount_file *file, pf_error *error) {
    (void)user, (void)file, (void)error;
    return PF_OK;
}

pf_status mount_walk(pf_sandbox *s, const struct machine_mount *mount, bool changed,
                     mount_fn function, void *user, pf_error *error) {
    struct walk w = {.s = s, .mount = mount, .changed = changed, .user = user, .error = error};
    w.number = (size_t)(mount - s->mounts->items);
    /* First everything comes in that is going to, so that the entries are at rest. */
    w.function = no_function;
    pf_status status = walk(&w);
    if (status == PF_OK && !machine_sort_mounts(s)) status = base_no_memory(error);
    w.function = function;
    return status == PF_OK ? walk(&w) : status;
}
