/*
 * host/mount/tar.c: a mount as a tar archive (POSIX.1-2001: ustar, with pax headers for long
 * names).
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
    const struct machine_mount *mount;
    bool changed_only;
    struct base_buf out;
};

struct header {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100];
    char magic[6], version[2], user[32], group[32], major[8], minor[8], prefix[155], pad[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a header is one block");

static void pad(struct archiving *a) {
    static const char zero[BLOCK];
    size_t over = a->out.len % BLOCK;
    if (over) base_buf_add(&a->out, zero, BLOCK - over);
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

static void put(struct archiving *a, const char *name, char type, const struct mount_file *file,
                const char *link) {
    if (strlen(name) > 99 || strlen(link) > 99) {
        struct base_buf pax;
        base_buf_init(&pax, 4 * PF_PATH_MAX);
        if (strlen(name) > 99) put_record(&pax, "path", name);
        if (strlen(link) > 99) put_record(&pax, "linkpath", link);
        put_header(a, "././@PaxHeader", 'x', 0644, pax.len, 0, "");
        base_buf_add(&a->out, pax.data, pax.len);
        pad(a);
        base_buf_free(&pax);
    }
    size_t size = type == '0' ? file->len : 0;
    put_header(a, name, type, file->mode, size, file->mtime_ns / 1000000000, link);
    if (size) base_buf_add(&a->out, file->data, size);
    pad(a);
}

static pf_status add(void *user, const struct mount_file *file, pf_error *error) {
    struct archiving *a = user;
    char folder[PF_PATH_MAX + 2];
    if (!*file->path || file->kind == '?') return PF_OK;
    if (a->changed_only && mount_compare(a->mount, file) == '=') return PF_OK;
    snprintf(folder, sizeof folder, "%s/", file->path);
    if (file->kind == 'd')
        put(a, folder, '5', file, "");
    else if (file->kind == 'l')
        put(a, file->path, '2', file, file->data);
    else
        put(a, file->path, '0', file, "");
    return a->out.failed ? base_no_memory(error) : PF_OK;
}

static void add_deleted(struct archiving *a, const char *changes, size_t len) {
    size_t root = strlen(a->mount->guest) + 1;
    for (const char *at = changes; at < changes + len; at += strlen(at) + 1) {
        char name[PF_PATH_MAX + 8];
        if (at[0] != 'D') continue;
        const char *path = at + 1 + root, *slash = strrchr(path, '/');
        int folder = slash ? (int)(slash - path) + 1 : 0;
        snprintf(name, sizeof name, "%.*s.wh.%s", folder, path, path + folder);
        put(a, name, '0', &(struct mount_file){.mode = 0644}, "");
    }
}

pf_status pf_mount_tar(pf_sandbox *s, const char *guest, bool changed_only, char **data,
                       size_t *len, pf_error *error) {
    static const char end[2 * BLOCK];
    struct archiving a = {.mount = mount_find(s, guest, error), .changed_only = changed_only};
    *data = NULL;
    *len = 0;
    if (!a.mount) return PF_NOT_FOUND;
    base_buf_init(&a.out, SIZE_MAX);
    pf_status status = mount_walk(s, a.mount, changed_only, add, &a, error);
    char *changes = NULL;
    size_t changes_len = 0;
    if (status == PF_OK && changed_only)
        status = pf_mount_changes(s, guest, &changes, &changes_len, error);
    if (status == PF_OK) add_deleted(&a, changes, changes_len);
    pf_free(changes);
    base_buf_add(&a.out, end, sizeof end);
    if (status == PF_OK && a.out.failed) status = base_no_memory(error);
    if (status == PF_OK) *data = base_buf_take(&a.out, len);
    base_buf_free(&a.out);
    return status;
}
