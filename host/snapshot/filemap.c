/*
 * host/snapshot/filemap.c: see filemap.h.
 */
#include "filemap.h"

#include "host/base/map.h"

#include <stdlib.h>
#include <string.h>

#define TYPE(mode) ((mode) & 0170000)
#define IS_FILE    0100000
#define IS_DIR     0040000
#define IS_LINK    0120000
#define IS_FIFO    0010000

/* ---- writing */

/* Of a path: no name is shorter than one byte and its slash. */
#define DEPTH_MAX (PF_PATH_MAX / 2)
/* Entries that an honest kernel gives: of each file, and again for each part of a large one. */
#define ENTRIES_MAX (4ull * PF_FILES_MAX)
#define HEAD_BYTES  (8 + 4 + 4 + 4 + 8 + 8 + 4 + 4)
#define PART_BYTES  (8 + 8 + 4)

struct walk {
    struct writer *w;
    pf_sandbox *s;
    bool all; /* contents are written here, and mounts are left out */
    const struct cpu_template *base;
    struct base_map links; /* the first name of a file that has several, by its inode */
    uint32_t count;
    uint64_t entries, bytes; /* that were seen: an honest kernel has no more than fit into it */
    /* The name that was met last. */
    char path[PF_PATH_MAX];
    uint32_t depth;
    uint16_t ends[DEPTH_MAX + 1]; /* of the path of each directory on its way; 0: left out */
    bool listed;                  /* and its contents are written, */
    size_t parts_at;              /* how many, is in the list here, */
    uint32_t parts;
    uint64_t end, size; /* up to this place of the file */
    pf_error *error;
};

/* The files that each sandbox starts with, and that only the embedder writes. */
static const char boots[] = "/bin\0/dev\0/proc\0/tools\0/usr/bin\0/usr/lib\0/usr/share";

/* Below what each sandbox starts with, and the embedder may have written to. */
static bool is_system(const char *path) {
    static const char *const roots[] = {"/etc", "/usr", "/var"};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        if (strncmp(path, roots[i], 4) == 0 && (!path[4] || path[4] == '/')) return true;
    return false;
}

static bool is_mount(const struct walk *k) {
    const struct machine_mounts *mounts = k->s->mounts;
    for (size_t i = 0; mounts && k->all && i < mounts->count; i++)
        if (strcmp(mounts->items[i].guest, k->path) == 0) return true;
    return false;
}

/* The kernel lists those themselves, not what is in them. */
static bool is_boots(const char *path) {
    for (const char *at = boots; at < boots + sizeof boots; at += strlen(at) + 1)
        if (strcmp(at, path) == 0) return true;
    return false;
}

/* Zero in the template, so that what a snapshot says of them is what they are. */
static bool plain_in_base(const struct cpu_template *base, uint64_t from, uint64_t to) {
    size_t low = 0, high = base->run_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (base->runs[middle].to <= from)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < base->run_count && base->runs[low].from < to; low++)
        for (uint64_t at = base->runs[low].from > from ? base->runs[low].from : from;
             at < to && at < base->runs[low].to; at++)
            if (cpu_template_page(base, at / CPU_PAGE * CPU_PAGE)[at % CPU_PAGE]) return false;
    return true;
}

/* Are the bytes at this address of the kernel in the snapshot's pages as they are? */
static bool lies_there(const struct walk *k, uint32_t at, uint32_t len) {
    uint64_t end = (uint64_t)at + len;
    if (k->all || len < 16) return false;
    for (int i = 0; i < 2; i++)
        if (at < k->s->kernel->dead[i].to && end > k->s->kernel->dead[i].from) return false;
    return plain_in_base(k->base, at, end);
}

static uint8_t *le32(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++) *at++ = (uint8_t)(value >> (8 * i));
    return at;
}

static uint8_t *le64(uint8_t *at, uint64_t value) {
    return le32(le32(at, (uint32_t)value), (uint32_t)(value >> 32));
}

static pf_status damaged(const struct walk *k, const char *path) {
    return machine_guest_error(k->s, -PF_EIO, path, k->error);
}

/* The path of an entry, from its directory's. False: it is left out, and all that is in it. */
static bool put_name(struct walk *k, uint32_t depth, const char *name, size_t len) {
    k->depth = depth;
    if (depth > DEPTH_MAX) return false;
    size_t end = k->ends[depth - 1];
    k->ends[depth] = 0;
    if ((depth > 1 && !end) || end + 1 + len >= PF_PATH_MAX) return false;
    k->path[end] = '/';
    memcpy(k->path + end + 1, name, len);
    k->path[end + 1 + len] = '\0';
    if (is_mount(k)) return false;
    k->ends[depth] = (uint16_t)(end + 1 + len);
    return true;
}

static bool put_head(struct walk *k, const struct pf_tree_entry *e, uint32_t link) {
    size_t len = k->ends[k->depth];
    bool absent = e->flags & PF_TREE_ABSENT && !link;
    uint8_t head[HEAD_BYTES], *at = le32(head, absent ? FILEMAP_UNREAD : 0);
    at = le32(at, e->mode);
    at = le32(at, e->uid);
    at = le64(at, k->size);
    at = le64(at, (uint64_t)e->mtime_ns);
    at = le32(at, link);
    at = le32(at, 0);
    put_bytes(k->w, k->path, len);
    put_raw(k->w, head, (size_t)(at - head));
    k->parts_at = k->w->out.len - 4;
    k->count++;
    return !k->w->failed;
}

/* Where the contents are, from the file's byte k->end on. */
static pf_status put_parts(struct walk *k, const struct pf_tree_piece *pieces, uint32_t count) {
    const cpu_instance *kernel = k->s->kernel;
    uint8_t part[PART_BYTES];
    for (uint32_t i = 0; i < count; i++) {
        struct pf_tree_piece p;
        memcpy(&p, pieces + i, sizeof p);
        bool inside = (uint64_t)p.at + p.len <= kernel->memory->size;
        k->bytes += p.len;
        if (!p.len || !inside || p.offset < k->end || p.len > k->size ||
            p.offset > k->size - p.len || k->bytes > 2ull * kernel->memory->size)
            return damaged(k, k->path);
        bool there = lies_there(k, p.at, p.len);
        le32(le64(le64(part, p.offset), p.len), there ? p.at : FILEMAP_INLINE);
        put_raw(k->w, part, sizeof part);
        if (!there) put_raw(k->w, kernel->slot->base + p.at, p.len);
        k->end = p.offset + p.len;
        k->parts++;
    }
    if (k->w->failed) return base_no_memory(k->error);
    le32((uint8_t *)k->w->out.data + k->parts_at, k->parts);
    return PF_OK;
}

/* A name that was not met yet. */
static pf_status meet(struct walk *k, const struct pf_tree_entry *e, const char *name) {
    uint32_t type = TYPE(e->mode), link = 0;
    k->listed = put_name(k, e->depth, name, e->name_len);
    bool known = type == IS_FILE || type == IS_LINK || type == IS_DIR || type == IS_FIFO;
    bool system = is_system(k->path) && e->ctime_ns == MACHINE_ROOT_TIME_NS;
    if (!known || system || is_boots(k->path)) k->listed = false;
    if (!k->listed) return PF_OK;
    k->size = type == IS_FILE || type == IS_LINK ? e->size : 0;
    if (k->size > PF_FILE_SIZE_MAX) return damaged(k, k->path);
    if (type == IS_FILE && e->nlink > 1) {
        uint64_t *first = base_map_at(&k->links, e->ino);
        if (!first) return base_no_memory(k->error);
        link = (uint32_t)*first;
        if (!link) *first = k->count + 1;
    }
    k->end = k->parts = 0;
    if (!put_head(k, e, link)) return base_no_memory(k->error);
    k->listed = !link && (type == IS_FILE || type == IS_LINK);
    return PF_OK;
}

static pf_status put_entry(struct walk *k, const struct pf_tree_entry *e, const char *name,
                           const struct pf_tree_piece *pieces) {
    bool again = e->flags & PF_TREE_CONTINUED;
    bool sound = e->depth > 0 && e->depth <= k->depth + 1 && e->name_len > 0 &&
                 e->name_len <= PF_NAME_MAX && !memchr(name, '/', e->name_len) &&
                 !memchr(name, '\0', e->name_len) && ++k->entries <= ENTRIES_MAX;
    if (!sound || (again && e->depth != k->depth)) return damaged(k, "/");
    pf_status status = again ? PF_OK : meet(k, e, name);
    return status == PF_OK && k->listed ? put_parts(k, pieces, e->pieces) : status;
}

/* What one call gave. */
static pf_status put_entries(struct walk *k, const char *data, size_t len) {
    pf_status status = machine_spend(k->s, 0, k->error);
    for (size_t at = 0; at < len && status == PF_OK;) {
        struct pf_tree_entry e;
        if (len - at < sizeof e) return damaged(k, "/");
        memcpy(&e, data + at, sizeof e);
        at += sizeof e;
        if (e.name_len > PF_NAME_MAX || e.pieces > PF_IO_MAX) return damaged(k, "/");
        size_t names = (e.name_len + 7u) & ~7u, parts = e.pieces * sizeof(struct pf_tree_piece);
        if (len - at < names + parts) return damaged(k, "/");
        status = put_entry(k, &e, data + at, (const void *)(data + at + names));
        at += names + parts;
    }
    return status;
}

static pf_status walk(struct walk *k, char *area) {
    struct pf_mailbox *mailbox = machine_mailbox(k->s);
    uint64_t room = mailbox->room; /* of the call before: a list leaves nothing behind */
    pf_status status = PF_OK;
    int64_t next = 0;
    do {
        struct k_call call = {.call = PF_CALL_HOST_TREE,
                              .arg = {next},
                              .in = boots,
                              .in_len = sizeof boots,
                              .out = area,
                              .out_cap = PF_IO_MAX};
        next = machine_kernel(k->s, &call);
        if (next > 0 && call.out_len == 0) next = -PF_EIO; /* it would never end */
        if (next < 0) break;
        status = put_entries(k, area, call.out_len);
    } while (next > 0 && status == PF_OK);
    if (next < 0) return k->s->dead ? machine_dead(k->s, k->error) : damaged(k, "/");
    if (status != PF_OK) KERNEL(k->s, HOST_TREE, .arg = {-1});
    mailbox->room = room;
    return status;
}

pf_status put_files(struct writer *w, pf_sandbox *s, bool all, pf_error *error) {
    const struct machine_boot *boot = machine_boot(error);
    if (!boot) return PF_DEAD;
    struct walk k = {.w = w, .s = s, .all = all, .base = boot->kernel, .error = error};
    size_t count_at = w->out.len;
    put_u32(w, 0);
    char *area = malloc(PF_IO_MAX);
    pf_status status = area ? walk(&k, area) : base_no_memory(error);
    if (status == PF_OK && w->failed) status = base_no_memory(error);
    if (status == PF_OK) le32((uint8_t *)w->out.data + count_at, k.count);
    base_map_free(&k.links);
    free(area);
    return status;
}

/* ---- reading */

#define FILE_MIN (8 + 4 + 4 + 4 + 8 + 8 + 4 + 4)

bool filemap_segment(struct reader *r, struct filemap_segment *s) {
    s->from = get_u64(r);
    s->len = get_u64(r);
    s->address = get_u32(r);
    s->data = NULL;
    if (s->len > PF_FILE_SIZE_MAX || s->from > PF_FILE_SIZE_MAX) r->bad = true;
    if (!r->bad && s->address == FILEMAP_INLINE) s->data = get_raw(r, (size_t)s->len);
    return !r->bad;
}

static bool get_file(struct reader *r, struct filemap *map) {
    struct filemap_file *f = &map->files[map->count];
    f->path = get_string(r, PF_PATH_MAX - 1);
    if (!f->path) return false;
    map->count++;
    f->flags = get_u32(r);
    f->mode = get_u32(r);
    f->uid = get_u32(r);
    f->size = get_u64(r);
    f->mtime_ns = (int64_t)get_u64(r);
    f->link = get_u32(r);
    f->segments = get_u32(r);
    f->at = r->at;
    if (f->path[0] != '/' || f->link >= map->count || f->size > PF_FILE_SIZE_MAX) r->bad = true;
    if (!r->bad && f->link && map->files[f->link - 1].link) r->bad = true;
    uint64_t end = 0;
    for (uint32_t i = 0; i < f->segments && !r->bad; i++) {
        struct filemap_segment s;
        if (!filemap_segment(r, &s)) break;
        if (s.len == 0 || s.from < end || s.len > f->size || s.from > f->size - s.len)
            r->bad = true;
        end = s.from + s.len;
    }
    return !r->bad;
}

bool get_files(struct reader *r, struct filemap *map) {
    *map = (struct filemap){0};
    uint32_t count = get_u32(r);
    if (r->bad || count > (r->len - r->at) / FILE_MIN) r->bad = true;
    if (r->bad) return false;
    map->files = calloc((size_t)count + 1, sizeof *map->files);
    if (!map->files) return false;
    while (map->count < count)
        if (!get_file(r, map)) return false;
    return true;
}

void filemap_free(struct filemap *map) {
    for (size_t i = 0; i < map->count; i++) free((char *)map->files[i].path);
    free(map->files);
    *map = (struct filemap){0};
}

const struct filemap_file *filemap_find(const struct filemap *map, const char *path) {
    for (size_t i = 0; i < map->count; i++)
        if (strcmp(map->files[i].path, path) == 0)
            return map->files[i].link ? &map->files[map->files[i].link - 1] : &map->files[i];
    return NULL;
}
