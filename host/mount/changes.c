/*
 * host/mount/changes.c: what became of a mount. See mount.h.
 */
#include "mount.h"

#include <stdlib.h>
#include <string.h>

char mount_compare(const struct machine_mount *mount, const struct mount_file *file) {
    if (file->untouched) return '=';
    const struct machine_mount_entry *entry = mount_entry(mount, file->path);
    if (!entry) return 'A';
    if (entry->kind != file->kind) return 'M';
    if (mount->copy && file->kind != 'l' && (entry->mode & 0777) != (file->mode & 0777)) return 'M';
    if (file->kind == 'd') return '=';
    uint8_t digest[MOUNT_DIGEST];
    mount_digest(file->data, file->len, digest);
    bool same = entry->has_digest && memcmp(digest, entry->digest, sizeof digest) == 0;
    return same ? '=' : 'M';
}

struct comparing {
    const struct machine_mount *mount;
    bool *seen; /* by entry */
    struct base_buf out;
};

static void say(struct comparing *c, char what, const char *path) {
    base_buf_add(&c->out, &what, 1);
    base_buf_addz(&c->out, c->mount->guest);
    base_buf_addz(&c->out, "/");
    base_buf_add(&c->out, path, strlen(path) + 1);
}

static pf_status compare(void *user, const struct mount_file *file, pf_error *error) {
    struct comparing *c = user;
    /* Nothing more comes in from the first call on: the entries do not change. */
    if (!c->seen) c->seen = calloc(c->mount->count + 1, sizeof *c->seen);
    if (!c->seen) return base_no_memory(error);
    if (!*file->path) return PF_OK;
    const struct machine_mount_entry *entry = mount_entry(c->mount, file->path);
    if (entry) c->seen[entry - c->mount->entries] = true;
    char what = mount_compare(c->mount, file);
    if (what != '=') say(c, what, file->path);
    return c->out.failed ? base_no_memory(error) : PF_OK;
}

pf_status pf_mount_changes(pf_sandbox *s, const char *guest, char **out, size_t *len,
                           pf_error *error) {
    *out = NULL;
    *len = 0;
    struct comparing c = {.mount = mount_find(s, guest, error)};
    if (!c.mount) return PF_NOT_FOUND;
    base_buf_init(&c.out, SIZE_MAX);
    base_buf_add(&c.out, "", 0);
    pf_status status = mount_walk(s, c.mount, true, compare, &c, error);
    for (size_t i = 0; status == PF_OK && i < c.mount->count; i++)
        if (!c.seen[i]) say(&c, 'D', c.mount->names.data + c.mount->entries[i].name);
    free(c.seen);
    if (status == PF_OK && c.out.failed) status = base_no_memory(error);
    if (status == PF_OK) *out = base_buf_take(&c.out, len);
    base_buf_free(&c.out);
    return status;
}
