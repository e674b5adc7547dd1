/*
 * host/machine/reading.c: the contents of a guest's file, in pieces and without its holes.
 *
 * A file may say that it has two gigabytes and hold nothing: a reader asks first where there is
 * data, and pays for that alone. Everything that the kernel answers is checked.
 */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

enum { SEEK_TO_DATA = 3, SEEK_TO_HOLE = 4 }; /* LSEEK */

/* More than an honest kernel's extents of the largest file can be. */
#define SEGMENTS_MAX (PF_FILE_SIZE_MAX / 4096)

int64_t machine_open_file(pf_sandbox *s, const char *path, struct machine_reading *r) {
    char first;
    struct pf_stat st;
    size_t len = strlen(path);
    *r = (struct machine_reading){.fd = -1};
    /* Looked at first: a process that waits for the other end of a FIFO must not wake. */
    int64_t result = KERNEL(s, FSTATAT, .arg = {PF_AT_FDCWD, 0}, .in = path, .in_len = len,
                            .out = &st, .out_cap = sizeof st);
    if (result == 0 && (st.mode & 0170000) == 0040000) result = -PF_EISDIR;
    if (result == 0 && (st.mode & 0170000) != 0100000) result = -PF_EINVAL;
    if (result == 0)
        result = KERNEL(s, OPENAT, .arg = {PF_AT_FDCWD, PF_O_RDONLY | PF_O_NONBLOCK}, .in = path,
                        .in_len = len);
    if (result < 0) return result;
    r->fd = result;
    result = KERNEL(s, FSTAT, .arg = {r->fd}, .out = &st, .out_cap = sizeof st);
    r->size = st.size;
    /* A byte of it, so that the time of its last access does not depend on where its holes are. */
    if (result == 0)
        result = KERNEL(s, PREAD, .arg = {r->fd, 0}, .out = &first, .out_cap = sizeof first);
    if (result >= 0) result = r->size < 0 || r->size > PF_FILE_SIZE_MAX ? -PF_EIO : 0;
    if (result < 0) machine_close_file(s, r);
    return result;
}

void machine_close_file(pf_sandbox *s, struct machine_reading *r) {
    if (r->fd >= 0) KERNEL(s, CLOSE, .arg = {r->fd});
    free(r->segments);
    *r = (struct machine_reading){.fd = -1};
}

static bool add_segment(struct machine_reading *r, int64_t from, int64_t to, size_t *capacity) {
    if (r->count == *capacity) {
        size_t more = *capacity ? 2 * *capacity : 8;
        struct machine_segment *segments = realloc(r->segments, more * sizeof *segments);
        if (!segments) return false;
        r->segments = segments;
        *capacity = more;
    }
    r->segments[r->count++] = (struct machine_segment){from, to - from};
    r->data += to - from;
    return true;
}

pf_status machine_find_segments(pf_sandbox *s, const char *path, struct machine_reading *r,
                                pf_error *error) {
    size_t capacity = 0;
    for (int64_t at = 0; at < r->size;) {
        int64_t from = KERNEL(s, LSEEK, .arg = {r->fd, at, SEEK_TO_DATA});
        if (from == -PF_ENXIO) break;
        int64_t to = from < 0 ? from : KERNEL(s, LSEEK, .arg = {r->fd, from, SEEK_TO_HOLE});
        if (to < 0) return machine_guest_error(s, to, path, error);
        if (from < at || to <= from || to > r->size || r->count >= SEGMENTS_MAX)
            return machine_guest_error(s, -PF_EIO, path, error);
        if (!add_segment(r, from, to, &capacity)) return base_no_memory(error);
        pf_status status = machine_spend(s, 0, error);
        if (status != PF_OK) return status;
        at = to;
    }
    return PF_OK;
}

pf_status machine_read_piece(pf_sandbox *s, const char *path, const struct machine_reading *r,
                             int64_t offset, void *to, size_t len, pf_error *error) {
    for (size_t at = 0; at < len;) {
        size_t want = len - at < PF_IO_MAX ? len - at : PF_IO_MAX;
        struct k_call call = {.call = PF_CALL_PREAD,
                              .arg = {r->fd, offset + (int64_t)at},
                              .out = (char *)to + at,
                              .out_cap = want};
        int64_t n = machine_kernel(s, &call);
        if (n >= 0 && call.out_len == 0) n = -PF_EIO;
        if (n < 0) return machine_guest_error(s, n, path, error);
        at += call.out_len;
        pf_status status = machine_spend(s, 0, error);
        if (status != PF_OK) return status;
    }
    return PF_OK;
}
