/*
 * host/mount/guest_tree.c: a directory of a sandbox as it is now. See mount.h.
 */
#include "mount.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct seen {
    struct pf_stat st;
    char source[PF_PATH_MAX + 32]; /* "": it is here */
    char target[PF_PATH_MAX];      /* of a link */
    size_t target_len;
};

struct walk {
    pf_sandbox *s;
    const struct machine_mount *mount;
    size_t number; /* of the mount */
    bool changed;
    mount_fn function;
    void *user;
    pf_error *error;
    struct mount_inodes directories; /* that were gone into */
    struct seen seen;                /* the file that is looked at */
};

/* About the file itself, not what it links to. Its directory was listed, so nothing comes in. */
static pf_status look(struct walk *w, const char *path) {
    struct seen *seen = &w->seen;
    struct pf_stat *st = &seen->st;
    struct k_call source = {.call = PF_CALL_HOST_SOURCE,
                            .in = path,
                            .in_len = strlen(path),
                            .out = seen->source,
                            .out_cap = sizeof seen->source - 1};
    memset(st, 0, sizeof *st);
    int64_t r = KERNEL(w->s, FSTATAT, .arg = {PF_AT_FDCWD, PF_AT_SYMLINK_NOFOLLOW}, .in = path,
                       .in_len = strlen(path), .out = st, .out_cap = sizeof *st);
    if (r >= 0) r = machine_kernel(w->s, &source);
    seen->source[source.out_len] = '\0';
    seen->target_len = 0;
    if (r >= 0 && (st->mode & 0170000) == 0120000) {
        r = KERNEL(w->s, READLINKAT, .arg = {PF_AT_FDCWD}, .in = path, .in_len = strlen(path),
                   .out = seen->target, .out_cap = PF_PATH_MAX - 1);
        if (r >= 0) seen->target_len = (size_t)r < PF_PATH_MAX ? (size_t)r : PF_PATH_MAX - 1;
    }
    seen->target[seen->target_len] = '\0';
    return r < 0 ? machine_guest_error(w->s, r, path, w->error) : machine_spend(w->s, 0, w->error);
}

/* Is it still with the host, in the place that it came to, and as it came? */
static bool untouched(const struct walk *w, const char *relative) {
    char *path;
    const struct seen *seen = &w->seen;
    if (!w->changed || !*seen->source) return false;
    if (strtoul(seen->source, &path, 10) != w->number || *path != '/') return false;
    if (strcmp(path + 1, relative) != 0) return false;
    const struct machine_mount_entry *entry = mount_entry(w->mount, relative);
    return !*relative || (entry && (entry->mode & 0777) == (seen->st.mode & 0777));
}

/* No honest kernel has a directory in two places. */
static pf_status check_loop(struct walk *w, const char *path) {
    const char *before;
    if (!mount_inodes_meet(&w->directories, w->seen.st.ino, path, &before))
        return base_no_memory(w->error);
    if (!before && w->directories.places.count <= PF_FILES_MAX) return PF_OK;
    return base_error_errno(w->error, PF_GUEST, PF_ELOOP,
                            "%.400s: this directory is also %.400s: the files of this sandbox are "
                            "damaged",
                            path, before ? before : "one of more than there can be");
}

/* A directory on the way to where the walk is. */
struct level {
    struct level *outer;
    struct base_buf names;
    size_t at;       /* of `names`: those that were visited */
    size_t path_len; /* of its path */
};

static pf_status go_into(struct walk *w, const char *path, struct level **level) {
    pf_status status = check_loop(w, path);
    if (status != PF_OK) return status;
    struct level *inner = calloc(1, sizeof *inner);
    if (!inner) return base_no_memory(w->error);
    base_buf_init(&inner->names, SIZE_MAX);
    inner->outer = *level;
    inner->path_len = strlen(path);
    *level = inner;
    machine_tape_act(w->s, "list", path);
    machine_show_time(w->s);
    return machine_list_names(w->s, path, &inner->names, w->error);
}

/* Tells of the file at `path`. A directory that has to be gone through becomes `*level`. */
static pf_status visit(struct walk *w, const char *path, struct level **level) {
    size_t root = strlen(w->mount->guest);
    const char *relative = path[root] == '/' ? path + root + 1 : path + root;
    pf_status status = look(w, path);
    if (status != PF_OK) return status;
    const struct pf_stat *st = &w->seen.st;
    uint32_t type = st->mode & 0170000;
    struct mount_file file = {.path = relative,
                              .full = path,
                              .kind = type == 0040000   ? 'd'
                                      : type == 0100000 ? 'f'
                                      : type == 0120000 ? 'l'
                                                        : '?',
                              .untouched = untouched(w, relative),
                              .absent = *w->seen.source,
                              .mode = st->mode & 07777,
                              .mtime_ns = st->mtime_ns,
                              .number = st->ino,
                              .names = st->nlink,
                              .size = st->size,
                              .target = w->seen.target};
    status = w->function(w->user, &file, w->error);
    if (status != PF_OK || file.kind != 'd' || file.untouched) return status;
    return go_into(w, path, level);
}

static void leave(struct level **level) {
    struct level *inner = *level;
    *level = inner->outer;
    base_buf_free(&inner->names);
    free(inner);
}

/* Names whose path would be too long cannot be asked for: what they lie in is told. */
static pf_status walk(struct walk *w) {
    char path[2 * PF_PATH_MAX];
    struct level *level = NULL;
    mount_inodes_init(&w->directories);
    snprintf(path, sizeof path, "%s", w->mount->guest);
    pf_status status = visit(w, path, &level);
    while (status == PF_OK && level) {
        if (level->at >= level->names.len) {
            leave(&level);
            continue;
        }
        const char *name = level->names.data + level->at;
        size_t len = strlen(name);
        level->at += len + 1;
        if (level->path_len + 1 + len >= PF_PATH_MAX || strchr(name, '/')) continue;
        path[level->path_len] = '/';
        memcpy(path + level->path_len + 1, name, len + 1);
        status = visit(w, path, &level);
    }
    while (level) leave(&level);
    mount_inodes_free(&w->directories);
    return status;
}

pf_status mount_open(pf_sandbox *s, const struct mount_file *file, struct machine_reading *r,
                     pf_error *error) {
    machine_tape_act(s, "read", file->full); /* it may come in, and was looked at now */
    machine_show_time(s);
    int64_t result = machine_open_file(s, file->full, r);
    return result < 0 ? machine_guest_error(s, result, file->full, error) : PF_OK;
}

/* Opening it brings the contents of a file. */
static pf_status bring(void *user, const struct mount_file *file, pf_error *error) {
    struct walk *w = user;
    struct machine_reading r;
    if (file->kind != 'f' || !file->absent || file->untouched) return PF_OK;
    pf_status status = mount_open(w->s, file, &r, error);
    if (status == PF_OK) machine_close_file(w->s, &r);
    return status;
}

pf_status mount_any(pf_sandbox *s, const char *path, char guest[PF_PATH_MAX], pf_error *error) {
    pf_status status = machine_check_path(path, error);
    if (status != PF_OK) return status;
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/') len--;
    if (path[0] != '/' || len == 1)
        return base_error(error, PF_INVALID,
                          "\"%.500s\": a tree is asked for by an absolute path that is not /",
                          path);
    memcpy(guest, path, len);
    guest[len] = '\0';
    struct pf_stat st = {0};
    machine_tape_act(s, "stat", guest);
    machine_show_time(s);
    int64_t r = KERNEL(s, FSTATAT, .arg = {PF_AT_FDCWD, 0}, .in = guest, .in_len = len, .out = &st,
                       .out_cap = sizeof st);
    if (r >= 0 && (st.mode & 0170000) != 0040000) r = -PF_ENOTDIR;
    return r < 0 ? machine_guest_error(s, r, guest, error) : PF_OK;
}

pf_status mount_walk(pf_sandbox *s, const struct machine_mount *mount, bool changed,
                     mount_fn function, void *user, pf_error *error) {
    struct walk *w = calloc(1, sizeof *w);
    if (!w) return base_no_memory(error);
    *w = (struct walk){.s = s, .mount = mount, .changed = changed, .error = error};
    w->number = changed ? (size_t)(mount - s->mounts->items) : 0;
    /* First everything comes in that is going to, so that the entries are at rest. */
    w->function = bring;
    w->user = w;
    pf_status status = walk(w);
    if (status == PF_OK && !machine_sort_mounts(s)) status = base_no_memory(error);
    w->function = function;
    w->user = user;
    if (status == PF_OK) status = walk(w);
    free(w);
    return status;
}
