/*
 * host/snapshot/filemap.c: see filemap.h.
 */
#include "filemap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPE(mode) ((mode) & 0170000)
#define IS_FILE    0100000
#define IS_DIR     0040000
#define IS_LINK    0120000
#define IS_FIFO    0010000

/* ---- writing */

/* The first name of a file that has several, by its inode; number 0: the place is free. */
struct inode_place {
    uint64_t ino;
    uint32_t number;
};

struct walk {
    struct writer body;
    pf_sandbox *look, *origin, *bounded;
    const struct cpu_template *base;
    struct inode_place *seen; /* a hash table */
    size_t seen_count, seen_room;
    struct base_buf
        todo; /* paths of directories, each ended by a NUL: parents before what is in them */
    uint32_t count;
    uint64_t bytes, names; /* that were seen: an honest kernel has no more than fit into it */
    char *piece;           /* PF_IO_MAX bytes */
    pf_error *error;
};

/* What each sandbox starts with, and nobody but the embedder writes to. */
static bool is_boots(const char *path) {
    static const char *const paths[] = {"/bin",     "/dev",     "/proc",     "/tools",
                                        "/usr/bin", "/usr/lib", "/usr/share"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (strcmp(paths[i], path) == 0) return true;
    return false;
}

/* Below what each sandbox starts with, and the embedder may have written to. */
static bool is_system(const char *path) {
    static const char *const roots[] = {"/etc", "/usr", "/var"};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        if (strncmp(path, roots[i], 4) == 0 && (!path[4] || path[4] == '/')) return true;
    return false;
}

static bool is_mount(const struct walk *k, const char *path) {
    const struct machine_mounts *mounts = k->bounded->mounts;
    for (size_t i = 0; mounts && !k->origin && i < mounts->count; i++)
        if (strcmp(mounts->items[i].guest, path) == 0) return true;
    return false;
}

/* Zero in the template, so that what a snapshot says of them is what they are. */
static bool plain_in_base(const struct cpu_template *base, uint64_t from, uint64_t to) {
    for (uint64_t at = from; at < to && at < base->size;) {
        uint64_t page = at / CPU_PAGE * CPU_PAGE,
                 stop = page + CPU_PAGE < to ? page + CPU_PAGE : to;
        const uint8_t *bytes = cpu_template_page(base, (size_t)page);
        for (; at < stop; at++)
            if (bytes[at - page]) return false;
    }
    return true;
}

/* Do the bytes that the copy read lie at the same address in the kernel whose pages are written? */
static bool lies_there(const struct walk *k, const char *data, uint32_t at, size_t len) {
    const cpu_instance *kernel = k->origin ? k->origin->kernel : NULL;
    uint64_t end = (uint64_t)at + len;
    if (!kernel || len < 16 || end > kernel->memory->size) return false;
    for (int i = 0; i < 2; i++)
        if (at < kernel->dead[i].to && end > kernel->dead[i].from) return false;
    return memcmp(kernel->slot->base + at, data, len) == 0 && plain_in_base(k->base, at, end);
}

static void put_segment(struct walk *k, uint64_t from, const char *data, uint32_t at, size_t len) {
    bool there = lies_there(k, data, at, len);
    put_u64(&k->body, from);
    put_u64(&k->body, len);
    put_u32(&k->body, there ? at : FILEMAP_INLINE);
    if (!there) put_raw(&k->body, data, len);
}

/* The parts of a file that are no holes. PF_NOT_FOUND: they are with a mount's directory. */
static pf_status put_contents(struct walk *k, const char *path, struct machine_reading *r,
                              uint32_t *segments) {
    for (size_t i = 0; i < r->count; i++)
        for (int64_t at = 0; at < r->segments[i].len;) {
            int64_t left = r->segments[i].len - at, from = r->segments[i].from + at;
            struct k_call call = {.call = PF_CALL_PREAD,
                                  .arg = {r->fd, from},
                                  .out = k->piece,
                                  .out_cap = left < PF_IO_MAX ? (size_t)left : PF_IO_MAX};
            int64_t n = machine_kernel(k->look, &call);
            if (n >= 0 && call.out_len == 0) n = -PF_EIO;
            if (n == -PF_EIO && *segments == 0 && !k->look->dead) return PF_NOT_FOUND;
            if (n < 0) return machine_guest_error(k->look, n, path, k->error);
            k->bytes += call.out_len;
            if (k->bytes > k->look->kernel->memory->size)
                return machine_guest_error(k->look, -PF_EIO, path, k->error);
            put_segment(k, (uint64_t)from, k->piece, call.out_at, call.out_len);
            at += (int64_t)call.out_len;
            ++*segments;
            pf_status status = machine_spend(k->bounded, 0, k->error);
            if (status != PF_OK) return status;
        }
    return PF_OK;
}

/* Of a file without holes, which is most: in one call instead of five. */
static int64_t open_dense(struct walk *k, const char *path, uint64_t size,
                          struct machine_reading *r) {
    *r = (struct machine_reading){.fd = -1, .size = (int64_t)size};
    r->segments = malloc(sizeof *r->segments);
    if (!r->segments) return -PF_ENOMEM;
    r->segments[0] = (struct machine_segment){0, r->size};
    r->count = size > 0;
    int64_t fd = KERNEL(k->look, OPENAT, .arg = {PF_AT_FDCWD, PF_O_RDONLY | PF_O_NONBLOCK},
                        .in = path, .in_len = strlen(path));
    if (fd < 0)
        machine_close_file(k->look, r);
    else
        r->fd = fd;
    return fd;
}

static pf_status put_file(struct walk *k, const char *path, const struct filemap_file *f,
                          bool dense, const char *target, size_t target_len) {
    struct machine_reading r = {.fd = -1};
    uint32_t segments = 0;
    size_t flags_at, count_at;
    pf_status status = PF_OK;
    struct filemap_file file = *f;
    bool open = TYPE(file.mode) == IS_FILE && !file.link;
    if (open) {
        int64_t result =
            dense ? open_dense(k, path, file.size, &r) : machine_open_file(k->look, path, &r);
        if (k->look->dead) return machine_dead(k->look, k->error);
        if (result < 0) file.flags |= FILEMAP_UNREAD;
    }
    put_bytes(&k->body, path, strlen(path));
    flags_at = k->body.out.len;
    put_u32(&k->body, file.flags);
    put_u32(&k->body, file.mode);
    put_u32(&k->body, file.uid);
    put_u64(&k->body, file.size);
    put_u64(&k->body, (uint64_t)file.mtime_ns);
    put_u32(&k->body, file.link);
    count_at = k->body.out.len;
    put_u32(&k->body, 0);
    if (r.fd >= 0 && !dense) status = machine_find_segments(k->look, path, &r, k->error);
    if (status == PF_OK && r.fd >= 0) status = put_contents(k, path, &r, &segments);
    machine_close_file(k->look, &r);
    bool unread = status == PF_NOT_FOUND;
    if (unread) status = PF_OK;
    if (TYPE(file.mode) == IS_LINK) {
        put_segment(k, 0, target, 0, target_len);
        segments = 1;
    }
    if (status == PF_OK && !k->body.failed && !k->body.out.failed) {
        uint8_t *at = (uint8_t *)k->body.out.data + count_at;
        for (int i = 0; i < 4; i++) at[i] = (uint8_t)(segments >> (8 * i));
        if (unread) k->body.out.data[flags_at] |= FILEMAP_UNREAD;
    }
    k->count++;
    return status;
}

static struct inode_place *place_of(struct inode_place *table, size_t room, uint64_t ino) {
    size_t i = (size_t)(ino * 0x9e3779b97f4a7c15 >> 32) & (room - 1);
    while (table[i].number && table[i].ino != ino) i = (i + 1) & (room - 1);
    return &table[i];
}

/* The number of the name that this is another one of; 0: it is the first. Without memory they are
 * two. */
static uint32_t link_of(struct walk *k, uint64_t ino) {
    if (2 * k->seen_count >= k->seen_room) {
        size_t room = k->seen_room ? 2 * k->seen_room : 64;
        struct inode_place *table = calloc(room, sizeof *table);
        if (!table) return 0;
        for (size_t i = 0; i < k->seen_room; i++)
            if (k->seen[i].number) *place_of(table, room, k->seen[i].ino) = k->seen[i];
        free(k->seen);
        k->seen = table;
        k->seen_room = room;
    }
    struct inode_place *place = place_of(k->seen, k->seen_room, ino);
    if (place->number) return place->number;
    *place = (struct inode_place){ino, k->count + 1};
    k->seen_count++;
    return 0;
}

static pf_status walk_one(struct walk *k, const char *path) {
    struct pf_stat st = {0};
    char target[PF_PATH_MAX];
    size_t len = strlen(path), target_len = 0;
    int64_t r = KERNEL(k->look, FSTATAT, .arg = {PF_AT_FDCWD, PF_AT_SYMLINK_NOFOLLOW}, .in = path,
                       .in_len = len, .out = &st, .out_cap = sizeof st);
    if (k->look->dead) return machine_dead(k->look, k->error);
    if (++k->names > 2 * PF_FILES_MAX || st.size > PF_FILE_SIZE_MAX)
        return machine_guest_error(k->look, -PF_EIO, path, k->error);
    if (r < 0) return PF_OK; /* the path is too long, or a mount's that cannot be asked */
    uint32_t type = TYPE(st.mode);
    struct filemap_file file = {.mode = st.mode, .uid = st.uid, .mtime_ns = st.mtime_ns};
    if (type == IS_DIR && !base_buf_add(&k->todo, path, len + 1)) return base_no_memory(k->error);
    if (is_system(path) && st.ctime_ns == MACHINE_ROOT_TIME_NS) return PF_OK;
    if (type == IS_FILE) file.size = st.size < 0 ? 0 : (uint64_t)st.size;
    if (type == IS_FILE && st.nlink > 1) file.link = link_of(k, st.ino);
    if (type == IS_LINK) {
        struct k_call call = {.call = PF_CALL_READLINKAT,
                              .arg = {PF_AT_FDCWD},
                              .in = path,
                              .in_len = len,
                              .out = target,
                              .out_cap = sizeof target};
        if (machine_kernel(k->look, &call) < 0) return PF_OK;
        file.size = target_len = call.out_len;
    }
    bool listed = type == IS_FILE || type == IS_LINK || type == IS_DIR || type == IS_FIFO;
    bool dense = st.blocks >= 0 && (uint64_t)st.blocks * 512 >= file.size;
    return listed ? put_file(k, path, &file, dense, target, target_len) : PF_OK;
}

static pf_status walk_names(struct walk *k, const char *path) {
    struct base_buf names;
    char inner[PF_PATH_MAX];
    base_buf_init(&names, SIZE_MAX);
    pf_status status = machine_spend(k->bounded, 0, k->error);
    if (status != PF_OK) return status;
    status = machine_list_names(k->look, path, &names, NULL);
    bool there = status == PF_OK; /* else its names are with a mount's directory */
    status = k->look->dead ? machine_dead(k->look, k->error) : PF_OK;
    for (const char *name = names.data; there && status == PF_OK && name < names.data + names.len;
         name += strlen(name) + 1) {
        int n = snprintf(inner, sizeof inner, "%s/%s", path[1] ? path : "", name);
        if (n < 0 || n >= (int)sizeof inner || is_boots(inner) || is_mount(k, inner)) continue;
        status = walk_one(k, inner);
    }
    base_buf_free(&names);
    return status;
}

/* No honest kernel has more; one that makes up directories for ever meets a bound of the act. */
static pf_status walk(struct walk *k) {
    char path[PF_PATH_MAX];
    if (!base_buf_add(&k->todo, "/", 2)) return base_no_memory(k->error);
    pf_status status = PF_OK;
    for (size_t at = 0; status == PF_OK && at < k->todo.len;) {
        size_t len = strlen(k->todo.data + at) + 1;
        memcpy(path, k->todo.data + at, len);
        at += len;
        status = walk_names(k, path);
    }
    return status;
}

pf_status put_files(struct writer *w, pf_sandbox *look, pf_sandbox *origin, pf_error *error) {
    const struct machine_boot *boot = machine_boot(error);
    if (!boot) return PF_DEAD;
    struct walk k = {.look = look,
                     .origin = origin,
                     .bounded = origin ? origin : look,
                     .base = boot->kernel,
                     .error = error};
    base_buf_init(&k.body.out, SIZE_MAX);
    base_buf_init(&k.todo, SIZE_MAX);
    k.piece = malloc(PF_IO_MAX);
    pf_status status = k.piece ? walk(&k) : base_no_memory(error);
    if (status == PF_OK && k.body.failed) status = base_no_memory(error);
    if (status == PF_OK) {
        put_u32(w, k.count);
        put_raw(w, k.body.out.data ? k.body.out.data : "", k.body.out.len);
    }
    base_buf_free(&k.body.out);
    base_buf_free(&k.todo);
    free(k.piece);
    free(k.seen);
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
