/*
 * host/mount/place.c: the mounts of a sandbox that is being made or restored. See mount.h.
 */
#include "mount.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define USER 1000

pf_status pf_options_mount(pf_options *o, const char *host, const char *guest, pf_mount_mode mode,
                           pf_error *error) {
    size_t len = guest ? strlen(guest) : 0;
    if (len < 2 || guest[0] != '/' || guest[len - 1] == '/' || strstr(guest, "//") ||
        strstr(guest, "/../") || strstr(guest, "/./") || len >= PF_PATH_MAX)
        return base_error(error, PF_INVALID, "a mount's place \"%.500s\" is no plain absolute path",
                          guest ? guest : "(null)");
    struct machine_mount_request *request = calloc(1, sizeof *request), **end = &o->mounts;
    if (!request || (host && !(request->host = strdup(host))) ||
        !(request->guest = strdup(guest))) {
        machine_forget_requests(request);
        return base_no_memory(error);
    }
    request->copy = mode == PF_MOUNT_COPY;
    while (*end) end = &(*end)->next;
    *end = request;
    return PF_OK;
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

/* ---- in a sandbox, which a trace records and a replay does again */

static int64_t make_directory(pf_sandbox *s, const char *path, size_t len, uint32_t mode,
                              uint32_t owner, int64_t mtime_ns) {
    int64_t r = KERNEL(s, MKDIRAT, .arg = {PF_AT_FDCWD, mode}, .in = path, .in_len = len);
    if (r < 0 && r != -PF_EEXIST) return r;
    r = KERNEL(s, FCHMODAT, .arg = {PF_AT_FDCWD, mode, 0}, .in = path, .in_len = len);
    if (r >= 0)
        r = KERNEL(s, FCHOWNAT, .arg = {PF_AT_FDCWD, owner, owner, 0}, .in = path, .in_len = len);
    if (r >= 0)
        r = KERNEL(s, UTIMENSAT, .arg = {PF_AT_FDCWD, 0, mtime_ns, mtime_ns}, .in = path,
                   .in_len = len);
    return r;
}

/* Makes the directories above the place that are missing. */
static int64_t make_way(pf_sandbox *s, const char *guest) {
    for (size_t i = 1; guest[i]; i++) {
        struct pf_stat st;
        if (guest[i] != '/') continue;
        int64_t r = KERNEL(s, FSTATAT, .arg = {PF_AT_FDCWD, 0}, .in = guest, .in_len = i,
                           .out = &st, .out_cap = sizeof st);
        if (r == -PF_ENOENT) r = make_directory(s, guest, i, 0755, 0, s->realtime_base);
        if (r < 0) return r;
    }
    return 0;
}

/* There must be nothing at the place, or an empty directory. */
static int64_t check_place(pf_sandbox *s, const char *guest) {
    char records[1024];
    int64_t fd = KERNEL(s, OPENAT, .arg = {PF_AT_FDCWD, PF_O_RDONLY | PF_O_DIRECTORY}, .in = guest,
                        .in_len = strlen(guest));
    if (fd == -PF_ENOENT) return 0;
    if (fd < 0) return fd;
    int64_t n = KERNEL(s, GETDENTS, .arg = {fd}, .out = records, .out_cap = sizeof records);
    KERNEL(s, CLOSE, .arg = {fd});
    return n <= (int64_t)(PF_DIRENT_SIZE(1) + PF_DIRENT_SIZE(2)) ? 0 : -PF_ENOTEMPTY;
}

static int64_t mount_at(pf_sandbox *s, const char *guest, const char *source, uint32_t mode,
                        int64_t mtime_ns, bool copy) {
    char both[2 * PF_PATH_MAX];
    size_t len = strlen(guest);
    if (!copy) mode = 0555;
    int64_t r = check_place(s, guest);
    if (r == 0) r = make_way(s, guest);
    if (r == 0) r = make_directory(s, guest, len, mode & 0777, copy ? USER : 0, mtime_ns);
    if (r < 0) return r;
    int n = snprintf(both, sizeof both, "%s%c%s", guest, 0, source);
    return n < 0 || n >= (int)sizeof both
               ? -PF_ENAMETOOLONG
               : KERNEL(s, HOST_MOUNT, .in = both, .in_len = (size_t)n + 1);
}

pf_status machine_mount_at(pf_sandbox *s, const char *guest, const char *source, uint32_t mode,
                           int64_t mtime_ns, bool copy, pf_error *error) {
    machine_tape_mount(s, guest, source, mode, mtime_ns, copy);
    machine_show_time(s);
    int64_t r = mount_at(s, guest, source, mode, mtime_ns, copy);
    if (r == -PF_ENOTEMPTY)
        return base_error(error, PF_INVALID, "mount at %.500s: there are files already", guest);
    return r < 0 ? machine_guest_error(s, r, guest, error) : PF_OK;
}

/* ---- a new sandbox */

static pf_status open_root(struct machine_mount *mount, const struct machine_mount_request *request,
                           struct stat *st, pf_error *error) {
    if (!request->host)
        return base_error(error, PF_INVALID, "mount at %.500s: no directory is given",
                          request->guest);
    mount->copy = request->copy;
    mount->root = mount_open_root(request->host);
    if (mount->root < 0 || fstat(mount->root, st) != 0)
        return base_error(error, PF_INVALID, "mount %.300s: %s", request->host, strerror(errno));
    return PF_OK;
}

pf_status machine_enter_mounts(pf_sandbox *s, const pf_options *options, pf_error *error) {
    size_t count = 0;
    for (const struct machine_mount_request *r = options->mounts; r; r = r->next) count++;
    if (count == 0) return PF_OK;
    s->mounts = machine_mounts_new(count);
    if (!s->mounts) return base_no_memory(error);
    pf_status status = PF_OK;
    size_t i = 0;
    for (const struct machine_mount_request *r = options->mounts; r && status == PF_OK;
         r = r->next, i++) {
        struct machine_mount *mount = &s->mounts->items[i];
        struct stat st;
        char source[32];
        mount->guest = strdup(r->guest);
        if (!mount->guest) return base_no_memory(error);
        status = open_root(mount, r, &st, error);
        if (status != PF_OK) break;
        snprintf(source, sizeof source, "%zu/", i);
        int64_t mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
        status = machine_mount_at(s, r->guest, source, st.st_mode & 0777, mtime_ns, r->copy, error);
    }
    return status;
}

pf_status machine_replay_mount(pf_sandbox *s, const char *guest, bool copy, pf_error *error) {
    size_t count = s->mounts ? s->mounts->count : 0;
    struct machine_mounts *more = mount_own(s) ? machine_mounts_new(count + 1) : NULL;
    char *name = strdup(guest);
    if (!more || !name) {
        machine_forget_mounts(more);
        free(name);
        return base_no_memory(error);
    }
    if (count) memcpy(more->items, s->mounts->items, count * sizeof *more->items);
    more->items[count].guest = name;
    more->items[count].copy = copy;
    free(s->mounts);
    s->mounts = more;
    return PF_OK;
}

/* ---- a restored one */

static struct machine_mount *mount_of(const pf_sandbox *s,
                                      const struct machine_mount_request *request) {
    for (size_t i = 0; s->mounts && i < s->mounts->count; i++)
        if (strcmp(s->mounts->items[i].guest, request->guest) == 0) return &s->mounts->items[i];
    return NULL;
}

pf_status machine_attach_mounts(pf_sandbox *s, const pf_options *options, pf_error *error) {
    bool replays = machine_replays(s);
    if (options->branch_mounts) {
        machine_forget_mounts(s->mounts);
        s->mounts = options->branch_mounts;
        atomic_fetch_add(&s->mounts->references, 1);
        return PF_OK;
    }
    for (size_t i = 0; s->mounts && !replays && i < s->mounts->count; i++)
        s->mounts->items[i].given = false;
    for (const struct machine_mount_request *r = options->mounts; r; r = r->next) {
        struct machine_mount *mount = mount_of(s, r);
        struct stat st;
        if (!mount)
            return base_error(error, PF_INVALID, "the snapshot has no mount at %.500s", r->guest);
        mount->given = true;
        if (!r->host) continue; /* it goes on without */
        if (mount->copy != r->copy)
            return base_error(error, PF_INVALID, "the snapshot's mount at %.500s is %s", r->guest,
                              mount->copy ? "copy-on-write" : "read-only");
        pf_status status = open_root(mount, r, &st, error);
        if (status != PF_OK) return status;
    }
    if (replays || !s->mounts || KERNEL(s, HOST_SOURCE) == 0) return PF_OK;
    for (size_t i = 0; i < s->mounts->count; i++)
        if (!s->mounts->items[i].given)
            return base_error(error, PF_INVALID,
                              "the snapshot has not read all of the host directory mounted at "
                              "%.500s: name that directory again",
                              s->mounts->items[i].guest);
    return PF_OK;
}
