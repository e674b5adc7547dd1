/*
 * host/mount/tar.c: a mount as a tar archive (POSIX.1-2001: ustar, with pax headers for long
 * names).
 *
 * Names of one file are links to the first of them in the archive. A file with holes is sparse, in
 * the format that GNU tar calls 1.0: pax headers give its name and size, and before its data stands
 * a list of where these belong.
 *
 * An archive of changes has what was added or modified, and for each file that was deleted an empty
 * file `.wh.NAME` beside where it was, as the layers of container images have.
 */
#include "mount.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 512

struct archiving {
    pf_sandbox *s;
    const struct machine_mount *mount;
    bool changed_only;
    struct base_buf out;
    size_t spent;              /* of `out`: what counts for the act already */
    struct mount_inodes files; /* that have several names, by the first that is in the archive */
};

struct header {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100];
    char magic[6], version[2], user[32], group[32], major[8], minor[8], prefix[155], pad[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a header is one block");

/* What came into the archive since the last call, and what is about to. */
static pf_status spend(struct archiving *a, uint64_t more, pf_error *error) {
    if (a->out.failed) return base_no_memory(error);
    uint64_t bytes = a->out.len - a->spent;
    a->spent = a->out.len;
    return machine_spend(a->s, bytes + more, error);
}

static void pad(struct base_buf *out) {
    static const char zero[BLOCK];
    size_t over = out->len % BLOCK;
    if (over) base_buf_add(out, zero, BLOCK - over);
}

static void put_header(struct archiving *a, const char *name, char type, uint32_t mode, size_t size,
                       int64_t seconds, const char *link) {
    struct header h = {.type = type, .magic = "ustar", .version = {'0', '0'}};
    snprintf(h.name, sizeof h.name, "%s", name);
    snprintf(h.link, sizeof h.link, "%s", link);
    snprintf(h.mode, sizeof h.mode, "%07o", mode & 07777);
    snprintf(h.uid, sizeof h.uid, "%07o", 1000);
    snprintf(h.gid, sizeof h.gid, "%07o", 1000);
    snprintf(h.size, sizeof h.size, "%011llo", (unsigned long long)size);
    uint64_t time = seconds > 0 ? (uint64_t)seconds & 077777777777 : 0; /* 11 digits, till 2242 */
    snprintf(h.mtime, sizeof h.mtime, "%011llo", (unsigned long long)time);
    snprintf(h.user, sizeof h.user, "user");
    snprintf(h.group, sizeof h.group, "user");
    memset(h.sum, ' ', sizeof h.sum);
    unsigned sum = 0;
    for (size_t i = 0; i < sizeof h; i++) sum += ((unsigned char *)&h)[i];
    snprintf(h.sum, sizeof h.sum, "%06o", sum);
    h.sum[7] = ' ';
    base_buf_add(&a->out, &h, sizeof h);
}

/* "LENGTH KEY=VALUE\n", where LENGTH counts itself. */
static void put_record(struct base_buf *out, const char *key, const char *value) {
    size_t rest = strlen(key) + strlen(value) + 3, len = rest + 1;
    while (rest + (size_t)snprintf(NULL, 0, "%zu", len) != len) len++;
    base_buf_addf(out, "%zu %s=%s\n", len, key, value);
}

/* The records of the entry that follows, if it has any. */
static void put_records(struct archiving *a, const struct base_buf *pax) {
    if (pax->failed) a->out.failed = true;
    if (!pax->len) return;
    put_header(a, "././@PaxHeader", 'x', 0644, pax->len, 0, "");
    base_buf_add(&a->out, pax->data, pax->len);
    pad(&a->out);
}

/* The head of an entry, with `size` bytes that follow. */
static void put(struct archiving *a, const char *name, char type, const struct mount_file *file,
                const char *link, size_t size) {
    struct base_buf pax;
    base_buf_init(&pax, 4 * PF_PATH_MAX);
    if (strlen(name) > 99) put_record(&pax, "path", name);
    if (strlen(link) > 99) put_record(&pax, "linkpath", link);
    put_records(a, &pax);
    base_buf_free(&pax);
    put_header(a, name, type, file->mode, size, file->mtime_ns / 1000000000, link);
}

/* Where the data of a sparse file belong: how many pieces, then place and length of each, then, for
 * a hole at the end, the size. */
static void list_segments(const struct machine_reading *r, struct base_buf *map) {
    const struct machine_segment *last = r->count ? &r->segments[r->count - 1] : NULL;
    bool hole = !last || last->from + last->len < r->size;
    base_buf_addf(map, "%zu\n", r->count + hole);
    for (size_t i = 0; i < r->count; i++)
        base_buf_addf(map, "%lld\n%lld\n", (long long)r->segments[i].from,
                      (long long)r->segments[i].len);
    if (hole) base_buf_addf(map, "%lld\n0\n", (long long)r->size);
    pad(map);
}

static pf_status put_sparse(struct archiving *a, const struct mount_file *file,
                            const struct machine_reading *r, pf_error *error) {
    char number[32], name[PF_PATH_MAX + 40];
    struct base_buf map, pax;
    base_buf_init(&map, SIZE_MAX);
    base_buf_init(&pax, 4 * PF_PATH_MAX);
    list_segments(r, &map);
    snprintf(number, sizeof number, "%lld", (long long)r->size);
    put_record(&pax, "GNU.sparse.major", "1");
    put_record(&pax, "GNU.sparse.minor", "0");
    put_record(&pax, "GNU.sparse.name", file->path);
    put_record(&pax, "GNU.sparse.realsize", number);
    put_records(a, &pax);
    const char *slash = strrchr(file->path, '/'), *base = slash ? slash + 1 : file->path;
    snprintf(name, sizeof name, "%.*sGNUSparseFile.0/%s", (int)(base - file->path), file->path,
             base);
    put_header(a, name, '0', file->mode, map.len + (size_t)r->data, file->mtime_ns / 1000000000,
               "");
    if (map.len) base_buf_add(&a->out, map.data, map.len);
    if (map.failed) a->out.failed = true;
    base_buf_free(&map);
    base_buf_free(&pax);
    return spend(a, 0, error);
}

static pf_status put_data(struct archiving *a, const struct mount_file *file,
                          const struct machine_reading *r, pf_error *error) {
    pf_status status = spend(a, (uint64_t)r->data, error);
    for (size_t i = 0; status == PF_OK && i < r->count; i++) {
        size_t len = (size_t)r->segments[i].len;
        char *to = base_buf_room(&a->out, len);
        status = to ? machine_read_piece(a->s, file->full, r, r->segments[i].from, to, len, error)
                    : base_no_memory(error);
        if (status == PF_OK) a->out.len += len;
    }
    a->spent = a->out.len;
    pad(&a->out);
    return status;
}

static pf_status add_contents(struct archiving *a, const struct mount_file *file, pf_error *error) {
    struct machine_reading r;
    pf_status status = mount_open(a->s, file, &r, error);
    if (status != PF_OK) return status;
    status = machine_find_segments(a->s, file->full, &r, error);
    if (status == PF_OK && r.data < r.size)
        status = put_sparse(a, file, &r, error);
    else if (status == PF_OK)
        put(a, file->path, '0', file, "", (size_t)r.size);
    if (status == PF_OK) status = put_data(a, file, &r, error);
    machine_close_file(a->s, &r);
    return status;
}

static pf_status add_file(struct archiving *a, const struct mount_file *file, pf_error *error) {
    const char *first = NULL;
    if (file->names > 1 && !mount_inodes_meet(&a->files, file->number, file->path, &first))
        return base_no_memory(error);
    if (!first) return add_contents(a, file, error);
    put(a, file->path, '1', file, first, 0);
    return PF_OK;
}

static pf_status add(void *user, const struct mount_file *file, pf_error *error) {
    struct archiving *a = user;
    char folder[PF_PATH_MAX + 2], what = 'A';
    pf_status status = PF_OK;
    if (!*file->path || file->kind == '?') return PF_OK;
    if (a->changed_only) status = mount_compare(a->s, a->mount, file, &what, error);
    if (status != PF_OK || what == '=') return status;
    snprintf(folder, sizeof folder, "%s/", file->path);
    if (file->kind == 'd')
        put(a, folder, '5', file, "", 0);
    else if (file->kind == 'l')
        put(a, file->path, '2', file, file->target, 0);
    else
        status = add_file(a, file, error);
    return status == PF_OK ? spend(a, 0, error) : status;
}

static pf_status add_deleted(struct archiving *a, pf_error *error) {
    size_t root = strlen(a->mount->guest) + 1;
    struct base_buf changes;
    base_buf_init(&changes, SIZE_MAX);
    pf_status status = mount_changes(a->s, a->mount, &changes, error);
    for (size_t i = 0; status == PF_OK && i < changes.len; i += strlen(changes.data + i) + 1) {
        char name[PF_PATH_MAX + 8];
        if (changes.data[i] != 'D') continue;
        const char *path = changes.data + i + 1 + root, *slash = strrchr(path, '/');
        int folder = slash ? (int)(slash - path) + 1 : 0;
        snprintf(name, sizeof name, "%.*s.wh.%s", folder, path, path + folder);
        put(a, name, '0', &(struct mount_file){.mode = 0644}, "", 0);
        status = spend(a, 0, error);
    }
    base_buf_free(&changes);
    return status;
}

static pf_status archive(struct archiving *a, pf_error *error) {
    static const char end[2 * BLOCK];
    pf_status status = mount_walk(a->s, a->mount, a->changed_only, add, a, error);
    if (status == PF_OK && a->changed_only) status = add_deleted(a, error);
    base_buf_add(&a->out, end, sizeof end);
    return status == PF_OK ? spend(a, 0, error) : status;
}

/* `path` is a mount's, or of any directory. */
static pf_status tar(struct archiving *a, const char *path, bool any, char **data, size_t *len,
                     pf_error *error) {
    *data = NULL;
    *len = 0;
    pf_status status = machine_enter_act(a->s, "tar of", path ? path : "", false, error);
    if (status != PF_OK) return status;
    char guest[PF_PATH_MAX];
    struct machine_mount tree = {.guest = guest, .root = -1};
    base_buf_init(&a->out, SIZE_MAX);
    mount_inodes_init(&a->files);
    a->mount = any ? &tree : mount_find(a->s, path, error);
    if (!a->mount) status = PF_NOT_FOUND;
    if (status == PF_OK && any) status = mount_any(a->s, path, guest, error);
    if (status == PF_OK) status = archive(a, error);
    machine_leave_act(a->s);
    if (status == PF_OK) *data = base_buf_take(&a->out, len);
    base_buf_free(&a->out);
    mount_inodes_free(&a->files);
    return status;
}

pf_status pf_mount_tar(pf_sandbox *s, const char *guest, bool changed_only, char **data,
                       size_t *len, pf_error *error) {
    struct archiving a = {.s = s, .changed_only = changed_only};
    return tar(&a, guest, false, data, len, error);
}

pf_status pf_file_tar(pf_sandbox *s, const char *path, char **data, size_t *len, pf_error *error) {
    struct archiving a = {.s = s};
    return tar(&a, path, true, data, len, error);
}
