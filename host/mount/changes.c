/*
 * host/mount/changes.c: lists how a mount was changed. See mount.h.
 */
#include "mount.h"

#include <stdlib.h>
#include <string.h>

/* Are the contents as they came? What came has the same size, so it costs no more than that did. */
static pf_status compare_contents(pf_sandbox *s, const struct machine_mount_entry *entry,
                                  const struct mount_file *file, char *what, pf_error *error) {
    uint8_t digest[MOUNT_DIGEST];
    struct machine_reading r;
    *what = 'M';
    if (!entry->has_digest || !mount_digest_size(entry->digest, file->size)) return PF_OK;
    pf_status status = mount_open(s, file, &r, error);
    if (status != PF_OK) return status;
    status = mount_digest_file(s, file->full, &r, digest, error);
    machine_close_file(s, &r);
    if (memcmp(digest, entry->digest, sizeof digest) == 0) *what = '=';
    return status;
}

pf_status mount_compare(pf_sandbox *s, const struct machine_mount *mount,
                        const struct mount_file *file, char *what, pf_error *error) {
    *what = '=';
    if (file->untouched) return PF_OK;
    const struct machine_mount_entry *entry = mount_entry(mount, file->path);
    *what = entry ? 'M' : 'A';
    if (!entry || entry->kind != file->kind) return PF_OK;
    bool has_mode = mount->copy && file->kind != 'l';
    if (has_mode && (entry->mode & 0777) != (file->mode & 0777)) return PF_OK;
    if (file->kind == 'f') return compare_contents(s, entry, file, what, error);
    uint8_t digest[MOUNT_DIGEST];
    mount_digest(file->target, strlen(file->target), digest);
    bool same = file->kind == 'd' ||
                (entry->has_digest && memcmp(digest, entry->digest, sizeof digest) == 0);
    if (same) *what = '=';
    return PF_OK;
}

struct comparing {
    pf_sandbox *s;
    const struct machine_mount *mount;
    bool *seen; /* by entry */
    struct base_buf *out;
};

static pf_status say(struct comparing *c, char what, const char *path, pf_error *error) {
    size_t before = c->out->len;
    base_buf_add(c->out, &what, 1);
    base_buf_addz(c->out, c->mount->guest);
    base_buf_addz(c->out, "/");
    base_buf_add(c->out, path, strlen(path) + 1);
    return c->out->failed ? base_no_memory(error)
                          : machine_spend(c->s, c->out->len - before, error);
}

static pf_status compare(void *user, const struct mount_file *file, pf_error *error) {
    struct comparing *c = user;
    char what;
    /* Nothing more comes in from the first call on: the entries do not change. */
    if (!c->seen) c->seen = calloc(c->mount->count + 1, sizeof *c->seen);
    if (!c->seen) return base_no_memory(error);
    if (!*file->path) return PF_OK;
    const struct machine_mount_entry *entry = mount_entry(c->mount, file->path);
    if (entry) c->seen[entry - c->mount->entries] = true;
    pf_status status = mount_compare(c->s, c->mount, file, &what, error);
    return status == PF_OK && what != '=' ? say(c, what, file->path, error) : status;
}

pf_status mount_changes(pf_sandbox *s, const struct machine_mount *mount, struct base_buf *out,
                        pf_error *error) {
    struct comparing c = {.s = s, .mount = mount, .out = out};
    if (!base_buf_add(out, "", 0)) return base_no_memory(error);
    pf_status status = mount_walk(s, mount, true, compare, &c, error);
    for (size_t i = 0; status == PF_OK && i < mount->count; i++)
        if (!c.seen[i]) status = say(&c, 'D', mount->names.data + mount->entries[i].name, error);
    free(c.seen);
    return status;
}

pf_status pf_mount_changes(pf_sandbox *s, const char *guest, char **data, size_t *len,
                           pf_error *error) {
    *data = NULL;
    *len = 0;
    pf_status status = machine_enter_act(s, "changes of", guest ? guest : "", false, error);
    if (status != PF_OK) return status;
    struct base_buf out;
    base_buf_init(&out, SIZE_MAX);
    const struct machine_mount *mount = mount_find(s, guest, error);
    status = mount ? mount_changes(s, mount, &out, error) : PF_NOT_FOUND;
    machine_leave_act(s);
    if (status == PF_OK)
        *data = base_buf_take(&out, len);
    else
        base_buf_free(&out);
    return status;
}
