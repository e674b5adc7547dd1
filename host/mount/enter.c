/*
 * host/mount/enter.c: the files of a mount, into a sandbox that is being made. See mount.h.
 */
#include "mount.h"

#include <monocypher.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USER 1000

pf_status pf_options_mount(pf_options *o, const char *host, const char *guest, pf_mount_mode mode,
                           pf_error *error) {
    size_t len = guest ? strlen(guest) : 0;
    if (len < 2 || guest[0] != '/' || guest[len - 1] == '/' || strstr(guest, "//") ||
        strstr(guest, "/../") || strstr(guest, "/./"))
        return base_error(error, PF_INVALID, "a mount's place \"%.500s\" is no plain absolute path",
                          guest ? guest : "(null)");
    struct machine_mount_request *request = calloc(1, sizeof *request), **end = &o->mounts;
    if (!request || !(request->host = strdup(host)) || !(request->guest = strdup(guest))) {
        machine_forget_requests(request);
        return base_no_memory(error);
    }
    request->copy = mode == PF_MOUNT_COPY;
    while (*end) end = &(*end)->next;
    *end = request;
    return PF_OK;
}

void mount_digest(const struct mount_file *file, uint8_t digest[MOUNT_DIGEST]) {
    crypto_blake2b(digest, MOUNT_DIGEST, (const uint8_t *)file->data, file->len);
}

/* ---- one file, which a trace records and a replay does again */

static int64_t make(pf_sandbox *s, const char *path, const struct mount_file *file, uint32_t owner,
                    pf_error *error) {
    size_t len = strlen(path);
    if (file->kind == 'l') {
        struct base_buf both;
        base_buf_init(&both, 2 * PF_PATH_MAX);
        base_buf_add(&both, file->data, file->len + 1);
        base_buf_add(&both, path, len + 1);
        int64_t r = both.failed ? -PF_ENAMETOOLONG
                                : KERNEL(s, SYMLINKAT, .arg = {PF_AT_FDCWD}, .in = both.data,
                                         .in_len = both.len);
        base_buf_free(&both);
        return r;
    }
    if (file->kind == 'd') {
        int64_t r = KERNEL(s, MKDIRAT, .arg = {PF_AT_FDCWD, file->mode}, .in = path, .in_len = len);
        if (r < 0 && r != -PF_EEXIST) return r;
    } else {
        pf_status status =
            machine_write_file(s, path, file->data, file->len, file->mode, owner, error);
        if (status != PF_OK) return -PF_ENOSPC;
    }
    int64_t r = KERNEL(s, FCHMODAT, .arg = {PF_AT_FDCWD, file->mode, 0}, .in = path, .in_len = len);
    if (r >= 0)
        r = KERNEL(s, FCHOWNAT, .arg = {PF_AT_FDCWD, owner, owner, 0}, .in = path, .in_len = len);
    if (r >= 0)
        r = KERNEL(s, UTIMENSAT, .arg = {PF_AT_FDCWD, 0, file->mtime_ns, file->mtime_ns},
                   .in = path, .in_len = len);
    return r;
}

pf_status machine_mount_file(pf_sandbox *s, const char *path, char kind, uint32_t mode,
                             int64_t mtime_ns, bool copy, const char *data, size_t len,
                             pf_error *error) {
    struct mount_file file = {
        .kind = kind, .mode = mode, .mtime_ns = mtime_ns, .data = data ? data : "", .len = len};
    if (!copy) file.mode = (mode & 0555) | (mode & 0100 ? 0555 : 0444);
    machine_tape_mount(s, path, kind, mode, mtime_ns, copy, file.data, len);
    machine_show_time(s);
    int64_t r = make(s, path, &file, copy ? USER : 0, error);
    if (r == -PF_ENOSPC)
        return base_error(error, PF_INVALID,
                          "%.600s: the mount does not fit filesystem_bytes or files", path);
    return r < 0 ? machine_guest_error(s, r, path, error) : PF_OK;
}

/* ---- a whole mount */

struct entering {
    pf_sandbox *s;
    struct machine_mount *mount;
    size_t capacity;
};

static bool remember(struct entering *e, const struct mount_file *file) {
    struct machine_mount *m = e->mount;
    if (m->count == e->capacity) {
        e->capacity = e->capacity ? e->capacity * 2 : 64;
        struct machine_mount_entry *more = realloc(m->entries, e->capacity * sizeof *more);
        if (!more) return false;
        m->entries = more;
    }
    struct machine_mount_entry *entry = &m->entries[m->count];
    *entry = (struct machine_mount_entry){.kind = file->kind, .mode = file->mode};
    entry->path = strdup(file->path);
    if (file->kind != 'd') mount_digest(file, entry->digest);
    if (!entry->path) return false;
    m->count++;
    return true;
}

static pf_status enter_file(void *user, const struct mount_file *file, pf_error *error) {
    struct entering *e = user;
    char path[2 * PF_PATH_MAX];
    int n =
        snprintf(path, sizeof path, "%s%s%s", e->mount->guest, *file->path ? "/" : "", file->path);
    if (n < 0 || n >= (int)PF_PATH_MAX)
        return base_error(error, PF_INVALID, "mount: the path %.600s is too long", file->path);
    bool again = file->kind == 'd' && file->len;
    if (!again && *file->path && !remember(e, file)) return base_no_memory(error);
    return machine_mount_file(e->s, path, file->kind, file->mode, file->mtime_ns, e->mount->copy,
                              file->data, again ? 0 : file->len, error);
}

static int by_path(const void *a, const void *b) {
    return strcmp(((const struct machine_mount_entry *)a)->path,
                  ((const struct machine_mount_entry *)b)->path);
}

/* There must be nothing at the place, or an empty directory. */
static pf_status check_place(pf_sandbox *s, const char *guest, pf_error *error) {
    char records[1024];
    int64_t fd = KERNEL(s, OPENAT, .arg = {PF_AT_FDCWD, PF_O_RDONLY | PF_O_DIRECTORY}, .in = guest,
                        .in_len = strlen(guest));
    if (fd == -PF_ENOENT) return PF_OK;
    if (fd < 0) return machine_guest_error(s, fd, guest, error);
    int64_t n = KERNEL(s, GETDENTS, .arg = {fd}, .out = records, .out_cap = sizeof records);
    KERNEL(s, CLOSE, .arg = {fd});
    if (n <= (int64_t)(PF_DIRENT_SIZE(1) + PF_DIRENT_SIZE(2))) return PF_OK;
    return base_error(error, PF_INVALID, "mount at %.500s: there are files already", guest);
}

/* Makes the directories above the place that are missing. */
static pf_status make_way(pf_sandbox *s, const char *guest, pf_error *error) {
    char path[PF_PATH_MAX];
    pf_status status = strlen(guest) < sizeof path
                           ? PF_OK
                           : base_error(error, PF_INVALID, "the path of a mount is too long");
    for (size_t i = 1; status == PF_OK && guest[i]; i++) {
        struct pf_stat st;
        path[0] = '/';
        path[i] = '\0';
        if (guest[i] == '/' && KERNEL(s, FSTATAT, .arg = {PF_AT_FDCWD, 0}, .in = path, .in_len = i,
                                      .out = &st, .out_cap = sizeof st) == -PF_ENOENT)
            status = machine_mount_file(s, path, 'd', 0755, s->realtime_base, false, "", 0, error);
        path[i] = guest[i];
    }
    return status;
}

static pf_status enter_one(pf_sandbox *s, const struct machine_mount_request *request,
                           struct machine_mount *mount, pf_error *error) {
    struct entering e = {.s = s, .mount = mount};
    mount->copy = request->copy;
    mount->guest = strdup(request->guest);
    if (!mount->guest) return base_no_memory(error);
    pf_status status = check_place(s, mount->guest, error);
    if (status == PF_OK) status = make_way(s, mount->guest, error);
    if (status == PF_OK)
        status = mount_walk_host(request->host, s->limits.filesystem_bytes, enter_file, &e, error);
    if (mount->count) qsort(mount->entries, mount->count, sizeof *mount->entries, by_path);
    return status;
}

pf_status machine_enter_mounts(pf_sandbox *s, const pf_options *options, pf_error *error) {
    size_t count = 0;
    for (const struct machine_mount_request *r = options->mounts; r; r = r->next) count++;
    if (count == 0) return PF_OK;
    s->mounts = calloc(1, sizeof *s->mounts + count * sizeof *s->mounts->items);
    if (!s->mounts) return base_no_memory(error);
    atomic_init(&s->mounts->references, 1);
    for (const struct machine_mount_request *r = options->mounts; r; r = r->next) {
        pf_status status = enter_one(s, r, &s->mounts->items[s->mounts->count++], error);
        if (status != PF_OK) return status;
    }
    return PF_OK;
}

void machine_forget_mounts(struct machine_mounts *mounts) {
    if (!mounts || atomic_fetch_sub(&mounts->references, 1) > 1) return;
    for (size_t i = 0; i < mounts->count; i++) {
        for (size_t k = 0; k < mounts->items[i].count; k++) free(mounts->items[i].entries[k].path);
        free(mounts->items[i].entries);
        free(mounts->items[i].guest);
    }
    free(mounts);
}

void machine_forget_requests(struct machine_mount_request *request) {
    while (request) {
        struct machine_mount_request *next = request->next;
        free(request->host);
        free(request->guest);
        free(request);
        request = next;
    }
}
