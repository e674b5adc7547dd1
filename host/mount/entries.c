/*
 * host/mount/entries.c: keeps what came in with a mount, and from where. See mount.h.
 *
 * Entries are added as things come in and are put into order when somebody looks. Branches share
 * them until one of them has more to add.
 */
#include "mount.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct machine_mounts *machine_mounts_new(size_t count) {
    struct machine_mounts *mounts = calloc(1, sizeof *mounts + count * sizeof *mounts->items);
    if (!mounts) return NULL;
    atomic_init(&mounts->references, 1);
    mounts->count = count;
    for (size_t i = 0; i < count; i++) {
        mounts->items[i].root = -1;
        base_buf_init(&mounts->items[i].names, (size_t)1 << 31);
    }
    return mounts;
}

void machine_forget_mounts(struct machine_mounts *mounts) {
    if (!mounts || atomic_fetch_sub(&mounts->references, 1) > 1) return;
    for (size_t i = 0; i < mounts->count; i++) {
        struct machine_mount *m = &mounts->items[i];
        if (m->root >= 0) close(m->root);
        base_buf_free(&m->names);
        free(m->entries);
        free(m->guest);
    }
    free(mounts);
}

size_t pf_sandbox_mounts(const pf_sandbox *s, pf_mount_info *mounts, size_t count) {
    size_t n = s->mounts ? s->mounts->count : 0;
    for (size_t i = 0; i < n && i < count; i++)
        mounts[i] = (pf_mount_info){
            .guest = s->mounts->items[i].guest,
            .mode = s->mounts->items[i].copy ? PF_MOUNT_COPY : PF_MOUNT_READ_ONLY,
        };
    return n;
}

static bool copy_mount(const struct machine_mount *from, struct machine_mount *to) {
    to->copy = from->copy;
    to->sorted = from->sorted;
    to->guest = strdup(from->guest);
    if (from->root >= 0) to->root = fcntl(from->root, F_DUPFD_CLOEXEC, 0);
    to->entries = malloc((from->count + 1) * sizeof *to->entries);
    if (!to->guest || !to->entries || (from->root >= 0 && to->root < 0)) return false;
    if (from->count) memcpy(to->entries, from->entries, from->count * sizeof *to->entries);
    to->count = from->count;
    to->capacity = from->count + 1;
    return base_buf_add(&to->names, from->names.data ? from->names.data : "", from->names.len);
}

bool mount_own(pf_sandbox *s) {
    if (!s->mounts || atomic_load(&s->mounts->references) == 1) return true;
    struct machine_mounts *copy = machine_mounts_new(s->mounts->count);
    bool ok = copy;
    for (size_t i = 0; ok && i < copy->count; i++)
        ok = copy_mount(&s->mounts->items[i], &copy->items[i]);
    machine_forget_mounts(ok ? s->mounts : copy);
    if (ok) s->mounts = copy;
    return ok;
}

bool machine_mount_add(struct machine_mount *m, const char *path,
                       const struct machine_mount_entry *entry) {
    if (m->count == m->capacity) {
        size_t capacity = m->capacity ? m->capacity * 2 : 64;
        struct machine_mount_entry *more = realloc(m->entries, capacity * sizeof *more);
        if (!more) return false;
        m->entries = more;
        m->capacity = capacity;
    }
    size_t at = m->names.len;
    if (!base_buf_add(&m->names, path, strlen(path) + 1)) return false;
    m->entries[m->count] = *entry;
    m->entries[m->count++].name = (uint32_t)at;
    m->sorted = false;
    return true;
}

bool mount_remember(struct machine_mount *m, const char *path, char kind, uint32_t mode) {
    return machine_mount_add(m, path,
                             &(struct machine_mount_entry){.kind = kind, .mode = mode & 0777});
}

bool mount_remember_contents(struct machine_mount *m, const char *path, const void *data,
                             size_t len) {
    struct machine_mount_entry entry = {.has_digest = true};
    mount_digest(data, len, entry.digest);
    return machine_mount_add(m, path, &entry);
}

/* ---- in order */

static int compare_entries(const void *a, const void *b, void *names) {
    const struct machine_mount_entry *x = a, *y = b;
    int order = strcmp((char *)names + x->name, (char *)names + y->name);
    if (order) return order;
    return x->name < y->name ? -1 : x->name > y->name; /* as they came */
}

/* What came for the same path is one entry: its name first, its contents later. */
static void merge(struct machine_mount *m) {
    size_t kept = 0;
    for (size_t i = 0; i < m->count; i++) {
        struct machine_mount_entry *e = &m->entries[i], *last = &m->entries[kept - (kept > 0)];
        bool same = kept && strcmp(m->names.data + last->name, m->names.data + e->name) == 0;
        if (same && e->has_digest) {
            last->has_digest = true;
            memcpy(last->digest, e->digest, MOUNT_DIGEST);
        } else if (!same) {
            m->entries[kept++] = *e;
        }
    }
    m->count = kept;
}

static void sort(struct machine_mount *m) {
    m->sorted = true;
    if (m->count == 0) return;
    qsort_r(m->entries, m->count, sizeof *m->entries, compare_entries, m->names.data);
    merge(m);
}

bool machine_sort_mounts(pf_sandbox *s) {
    bool sorted = true;
    for (size_t i = 0; s->mounts && i < s->mounts->count; i++)
        if (!s->mounts->items[i].sorted) sorted = false;
    if (sorted) return true;
    if (!mount_own(s)) return false;
    for (size_t i = 0; i < s->mounts->count; i++) sort(&s->mounts->items[i]);
    return true;
}

const struct machine_mount *mount_find(pf_sandbox *s, const char *guest, pf_error *error) {
    for (size_t i = 0; s->mounts && guest && i < s->mounts->count; i++) {
        if (strcmp(s->mounts->items[i].guest, guest) != 0) continue;
        if (!mount_own(s) || !machine_sort_mounts(s)) {
            base_no_memory(error);
            return NULL;
        }
        return &s->mounts->items[i];
    }
    base_error(error, PF_NOT_FOUND, "nothing is mounted at %.500s", guest ? guest : "(null)");
    return NULL;
}

const struct machine_mount_entry *mount_entry(const struct machine_mount *m, const char *path) {
    size_t from = 0, to = m->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = strcmp(path, m->names.data + m->entries[middle].name);
        if (order == 0) return &m->entries[middle];
        if (order < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return NULL;
}
