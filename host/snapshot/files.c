/*
 * host/snapshot/files.c: the files of a snapshot, whatever build made it (filemap.h).
 */
#include "filemap.h"
#include "frame.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_BYTES (1ull << 30)

struct page {
    uint32_t address;
    size_t at; /* of its bytes in the contents */
};
struct pf_snapshot_files {
    char *contents;
    size_t len;
    struct filemap map;
    struct page *pages; /* rising; none of a portable snapshot */
    size_t page_count;
    const char *left; /* in the contents */
    size_t left_len;
};

void pf_snapshot_files_free(pf_snapshot_files *f) {
    if (!f) return;
    filemap_free(&f->map);
    free(f->pages);
    free(f->contents);
    free(f);
}

/* The kernel's pages that the snapshot has, from `r->at` on. */
static bool index_pages(pf_snapshot_files *f, struct reader *r) {
    size_t most = (r->len - r->at) / (4 + CPU_PAGE) + 1;
    f->pages = calloc(most, sizeof *f->pages);
    if (!f->pages) return false;
    get_u32(r), get_u32(r), get_u32(r); /* size, stack pointer, waiting */
    for (uint64_t next = 0; !r->bad;) {
        uint32_t address = get_u32(r);
        if (address == UINT32_MAX) return !r->bad;
        if (address < next || address % CPU_PAGE || f->page_count == most) r->bad = true;
        if (r->bad) break;
        f->pages[f->page_count++] = (struct page){address, r->at};
        get_raw(r, CPU_PAGE);
        next = (uint64_t)address + CPU_PAGE;
    }
    return false;
}

static bool open_exact(pf_snapshot_files *f, struct reader *r) {
    if (r->len < SNAPSHOT_TRAILER) return false;
    r->at = r->len - SNAPSHOT_TRAILER;
    uint64_t kernel = get_u64(r), files = get_u64(r);
    if (kernel > r->len || files > r->len || files < SNAPSHOT_TRAILER || kernel < files)
        return false;
    r->at = r->len - (size_t)kernel;
    if (!index_pages(f, r)) return false;
    r->at = r->len - (size_t)files;
    r->len -= SNAPSHOT_TRAILER;
    return get_files(r, &f->map) && r->at == r->len;
}

/* The parts FILE and LEFT, see portable.c. */
static bool open_portable(pf_snapshot_files *f, struct reader *r) {
    struct reader files = {.bad = true};
    while (r->at < r->len) {
        const uint8_t *name = get_raw(r, 4);
        bool here = !r->bad && memcmp(name, "FILE", 4) == 0;
        bool left = !r->bad && memcmp(name, "LEFT", 4) == 0;
        get_u32(r);
        size_t len;
        const char *part = get_bytes(r, SIZE_MAX / 2, &len);
        if (r->bad || (left && len && part[len - 1])) return false;
        if (here) files = (struct reader){.data = r->data, .at = r->at - len, .len = r->at};
        if (left) f->left = part, f->left_len = len;
    }
    return !files.bad && get_files(&files, &f->map) && files.at == files.len;
}

pf_status pf_snapshot_files_open(const char *data, size_t len, const void *key, size_t key_len,
                                 uint64_t max_bytes, pf_snapshot_files **out, pf_error *error) {
    uint8_t secret[MACHINE_KEY];
    *out = NULL;
    pf_status status = key ? frame_key(key, key_len, secret, error) : PF_OK;
    if (status != PF_OK) return status;
    enum frame_kind kind = frame_kind(data, len);
    if (kind == FRAME_NONE) return base_error(error, PF_FORMAT, "this is not a pinfold snapshot");
    struct frame_terms terms = {.kind = kind,
                                .any_build = true,
                                .key = key ? secret : NULL,
                                .max = max_bytes ? max_bytes : DEFAULT_BYTES};
    if (terms.max > FRAME_CONTENTS_MAX) terms.max = FRAME_CONTENTS_MAX;
    pf_snapshot_files *f = calloc(1, sizeof *f);
    if (!f) return base_no_memory(error);
    status = frame_open(data, len, &terms, &f->contents, &f->len, error);
    if (status == PF_OK) {
        struct reader r = {.data = (const uint8_t *)f->contents, .len = f->len};
        bool read = kind == FRAME_EXACT ? open_exact(f, &r) : open_portable(f, &r);
        if (!read)
            status = base_error(error, PF_FORMAT, "the snapshot's list of files is malformed");
    }
    if (status != PF_OK) {
        pf_snapshot_files_free(f);
        return status;
    }
    *out = f;
    return PF_OK;
}

const char *pf_snapshot_files_left_out(const pf_snapshot_files *f, size_t *len) {
    *len = f->left ? f->left_len : 0;
    return f->left ? f->left : "";
}

size_t pf_snapshot_files_count(const pf_snapshot_files *f) {
    return f->map.count;
}

bool pf_snapshot_files_at(const pf_snapshot_files *f, size_t i, pf_snapshot_file *out) {
    if (i >= f->map.count) return false;
    const struct filemap_file *at = &f->map.files[i];
    const struct filemap_file *first = at->link ? &f->map.files[at->link - 1] : at;
    *out = (pf_snapshot_file){.path = at->path,
                              .mode = at->mode,
                              .uid = at->uid,
                              .size = first->size,
                              .mtime_ns = at->mtime_ns,
                              .unread = first->flags & FILEMAP_UNREAD};
    return true;
}

/* What lies in the kernel's memory; pages that the snapshot has not are zero where files are. */
static void copy_memory(const pf_snapshot_files *f, uint64_t from, char *to, size_t len) {
    size_t low = 0, high = f->page_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if ((uint64_t)f->pages[middle].address + CPU_PAGE <= from)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < f->page_count && f->pages[low].address < from + len; low++) {
        uint64_t page = f->pages[low].address;
        uint64_t begin = page > from ? page : from;
        uint64_t end = page + CPU_PAGE < from + len ? page + CPU_PAGE : from + len;
        memcpy(to + (begin - from), f->contents + f->pages[low].at + (begin - page),
               (size_t)(end - begin));
    }
}

pf_status pf_snapshot_files_take(const pf_snapshot_files *f, size_t i, uint64_t max_bytes,
                                 char **data, size_t *len, pf_error *error) {
    *data = NULL;
    *len = 0;
    if (i >= f->map.count) return base_error(error, PF_NOT_FOUND, "there is no file %zu", i);
    const struct filemap_file *file = &f->map.files[i];
    if (file->link) file = &f->map.files[file->link - 1];
    uint32_t type = file->mode & 0170000;
    if (type != 0100000 && type != 0120000)
        return base_error(error, PF_INVALID, "%.500s: it is no regular file", file->path);
    if (file->flags & FILEMAP_UNREAD)
        return base_error(error, PF_NOT_FOUND,
                          "%.500s: its contents are not in the snapshot: nobody "
                          "had read it from the directory that was mounted",
                          file->path);
    if (file->size > (max_bytes ? max_bytes : DEFAULT_BYTES))
        return base_error(error, PF_BOUND, "%.500s: more than max_bytes: it has %llu", file->path,
                          (unsigned long long)file->size);
    *data = calloc((size_t)file->size + 1, 1);
    if (!*data) return base_no_memory(error);
    struct reader r = {.data = (const uint8_t *)f->contents, .len = f->len};
    r.at = file->at;
    for (uint32_t k = 0; k < file->segments; k++) {
        struct filemap_segment s;
        if (!filemap_segment(&r, &s)) break;
        if (s.data)
            memcpy(*data + s.from, s.data, (size_t)s.len);
        else
            copy_memory(f, s.address, *data + s.from, (size_t)s.len);
    }
    *len = (size_t)file->size;
    return PF_OK;
}
