/*
 * host/mount/guest_tree.c: a directory of a sandbox as it is now. See mount.h.
 */
#include "mount.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct walk {
    pf_sandbox *s;
    const char *root;
    mount_fn function;
    void *user;
    pf_error *error;
};

/* About the file itself, not what it links to; a link's target into `target`. */
static pf_status look(pf_sandbox *s, const char *path, struct pf_stat *st, char target[PF_PATH_MAX],
                      size_t *target_len, pf_error *error) {
    pf_status status = machine_enter(s, error);
    if (status != PF_OK) return status;
    int64_t r = KERNEL(s, FSTATAT, .arg = {PF_AT_FDCWD, PF_AT_SYMLINK_NOFOLLOW}, .in = path,
                       .in_len = strlen(path), .out = st, .out_cap = sizeof *st);
    *target_len = 0;
    if (r >= 0 && (st->mode & 0170000) == 0120000) {
        r = KERNEL(s, READLINKAT, .arg = {PF_AT_FDCWD}, .in = path, .in_len = strlen(path),
                   .out = target, .out_cap = PF_PATH_MAX - 1);
        if (r >= 0) *target_len = (size_t)r < PF_PATH_MAX ? (size_t)r : PF_PATH_MAX - 1;
    }
    target[*target_len] = '\0';
    if (r < 0) status = machine_guest_error(s, r, path, error);
    machine_leave(s);
    return status;
}

static pf_status walk(struct walk *w, const char *relative, int depth);

static pf_status walk_names(struct walk *w, const char *path, const char *relative, int depth) {
    char *names, inner[2 * PF_PATH_MAX];
    size_t len;
    pf_status status = pf_file_list(w->s, path, &names, &len, w->error);
    for (const char *name = names; status == PF_OK && name < names + len;
         name += strlen(name) + 1) {
        snprintf(inner, sizeof inner, "%s%s%s", relative, *relative ? "/" : "", name);
        if (strlen(inner) >= PF_PATH_MAX || strchr(name, '/')) continue; /* no kernel says that */
        status = walk(w, inner, depth + 1);
    }
    pf_free(names);
    return status;
}

static pf_status walk(struct walk *w, const char *relative, int depth) {
    char path[2 * PF_PATH_MAX], target[PF_PATH_MAX];
    struct pf_stat st = {0};
    size_t target_len;
    if (depth > 256)
        return base_error(w->error, PF_INVALID, "%.500s: directories are nested too deep",
                          relative);
    snprintf(path, sizeof path, "%s%s%s", w->root, *relative ? "/" : "", relative);
    pf_status status = look(w->s, path, &st, target, &target_len, w->error);
    if (status != PF_OK) return status;
    uint32_t type = st.mode & 0170000;
    struct mount_file file = {.path = relative,
                              .kind = type == 0040000   ? 'd'
                                      : type == 0100000 ? 'f'
                                      : type == 0120000 ? 'l'
                                                        : '?',
                              .mode = st.mode & 07777,
                              .mtime_ns = st.mtime_ns,
                              .data = target,
                              .len = target_len};
    char *data = NULL;
    if (file.kind == 'f') {
        status = pf_file_take(w->s, path, &data, &file.len, w->error);
        file.data = data;
    }
    if (status == PF_OK) status = w->function(w->user, &file, w->error);
    pf_free(data);
    return status == PF_OK && file.kind == 'd' ? walk_names(w, path, relative, depth) : status;
}

pf_status mount_walk_guest(pf_sandbox *s, const char *directory, mount_fn function, void *user,
                           pf_error *error) {
    struct walk w = {.s = s, .root = directory, .function = function, .user = user, .error = error};
    return walk(&w, "", 0);
}
