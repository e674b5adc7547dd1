/*
 * host/snapshot/put_back.c: the files of a portable snapshot, written into a new sandbox
 * (portable.h).
 *
 * Paths and contents are anybody's: they go through the kernel's own calls, which hold the limits,
 * and touch nothing but the new sandbox.
 */
#include "filemap.h"
#include "portable.h"

#include <string.h>

#define TYPE(mode) ((mode) & 0170000)
#define IS_FILE    0100000
#define IS_DIR     0040000
#define IS_LINK    0120000
#define IS_FIFO    0010000

/* Plain, and not below what belongs to the build or to who restores. */
static bool is_allowed(const char *path) {
    static const char *const theirs[] = {"/bin",     "/dev",     "/proc",     "/tools",
                                         "/usr/bin", "/usr/lib", "/usr/share"};
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++) {
        size_t len = strlen(theirs[i]);
        if (strncmp(path, theirs[i], len) == 0 && (!path[len] || path[len] == '/')) return false;
    }
    for (const char *at = path; *at; at += 1 + strcspn(at + 1, "/")) {
        size_t len = strcspn(at + 1, "/");
        if (len == 0 || (len == 1 && at[1] == '.') || (len == 2 && at[1] == '.' && at[2] == '.'))
            return false;
    }
    return true;
}

static int64_t put_segments(pf_sandbox *s, int64_t fd, const struct filemap_file *f,
                            const struct reader *data) {
    assert(fd >= 0);
    struct reader r = *data;
    r.at = f->at;
    for (uint32_t i = 0; i < f->segments; i++) {
        struct filemap_segment piece;
        if (!filemap_segment(&r, &piece) || !piece.data) return -PF_EINVAL;
        for (uint64_t at = 0; at < piece.len;) {
            uint64_t left = piece.len - at;
            size_t want = left < PF_IO_MAX ? (size_t)left : PF_IO_MAX;
            int64_t n = KERNEL(s, PWRITE, .arg = {fd, (int64_t)(piece.from + at)},
                               .in = piece.data + at, .in_len = want);
            if (n == 0 || n > (int64_t)want) n = -PF_EIO;
            if (n < 0) return n;
            at += (uint64_t)n;
        }
    }
    return KERNEL(s, FTRUNCATE, .arg = {fd, (int64_t)f->size});
}

static int64_t put_file(pf_sandbox *s, const struct filemap_file *f, const struct reader *data) {
    int64_t flags = PF_O_WRONLY | PF_O_CREAT | PF_O_TRUNC | PF_O_NONBLOCK | PF_O_NOFOLLOW;
    int64_t fd = KERNEL(s, OPENAT, .arg = {PF_AT_FDCWD, flags, 0600}, .in = f->path,
                        .in_len = strlen(f->path));
    if (fd < 0) return fd;
    int64_t r = put_segments(s, fd, f, data);
    KERNEL(s, CLOSE, .arg = {fd});
    return r;
}

/* "old NUL new NUL", of which the first has `len` bytes. */
static int64_t put_link(pf_sandbox *s, const char *to, size_t len, const char *path, bool hard) {
    char both[2 * PF_PATH_MAX];
    size_t path_len = strlen(path) + 1;
    if (len + 1 + path_len > sizeof both || memchr(to, 0, len)) return -PF_EINVAL;
    memcpy(both, to, len);
    both[len] = '\0';
    memcpy(both + len + 1, path, path_len);
    KERNEL(s, UNLINKAT, .arg = {PF_AT_FDCWD, 0}, .in = path, .in_len = path_len - 1);
    return hard ? KERNEL(s, LINKAT, .arg = {PF_AT_FDCWD, PF_AT_FDCWD, 0}, .in = both,
                         .in_len = len + 1 + path_len)
                : KERNEL(s, SYMLINKAT, .arg = {PF_AT_FDCWD}, .in = both,
                         .in_len = len + 1 + path_len);
}

static int64_t put_symlink(pf_sandbox *s, const struct filemap_file *f, const struct reader *data) {
    struct reader r = *data;
    struct filemap_segment target;
    r.at = f->at;
    if (f->segments != 1 || !filemap_segment(&r, &target) || !target.data) return -PF_EINVAL;
    if (target.len >= PF_PATH_MAX) return -PF_ENAMETOOLONG;
    return put_link(s, (const char *)target.data, (size_t)target.len, f->path, false);
}

static int64_t set_times(pf_sandbox *s, const struct filemap_file *f) {
    int64_t flags = TYPE(f->mode) == IS_LINK ? PF_AT_SYMLINK_NOFOLLOW : 0;
    return KERNEL(s, UTIMENSAT, .arg = {PF_AT_FDCWD, flags, f->mtime_ns, f->mtime_ns},
                  .in = f->path, .in_len = strlen(f->path));
}

static int64_t set_owner(pf_sandbox *s, const struct filemap_file *f) {
    size_t len = strlen(f->path);
    bool link = TYPE(f->mode) == IS_LINK;
    int64_t r =
        KERNEL(s, FCHOWNAT, .arg = {PF_AT_FDCWD, f->uid, f->uid, link ? PF_AT_SYMLINK_NOFOLLOW : 0},
               .in = f->path, .in_len = len);
    if (r >= 0 && !link)
        r = KERNEL(s, FCHMODAT, .arg = {PF_AT_FDCWD, f->mode & 07777, 0}, .in = f->path,
                   .in_len = len);
    return r;
}

static int64_t put_one(pf_sandbox *s, const struct filemap *map, const struct filemap_file *f,
                       const struct reader *data) {
    size_t len = strlen(f->path);
    int64_t r = -PF_EINVAL;
    if (f->link) {
        const char *first = map->files[f->link - 1].path;
        return put_link(s, first, strlen(first), f->path, true);
    }
    switch (TYPE(f->mode)) {
    case IS_FILE: r = put_file(s, f, data); break;
    case IS_LINK: r = put_symlink(s, f, data); break;
    case IS_FIFO:
        r = KERNEL(s, MKNODAT, .arg = {PF_AT_FDCWD, f->mode}, .in = f->path, .in_len = len);
        break;
    case IS_DIR:
        r = KERNEL(s, MKDIRAT, .arg = {PF_AT_FDCWD, 0700}, .in = f->path, .in_len = len);
        if (r == -PF_EEXIST) r = 0;
        break;
    default: break;
    }
    if (r >= 0) r = set_owner(s, f);
    return r < 0 || TYPE(f->mode) == IS_DIR ? r : set_times(s, f);
}

static bool add_left(struct base_buf *left, const char *what, const char *path) {
    return base_buf_addz(left, what) && base_buf_add(left, path, strlen(path) + 1);
}

pf_status files_put_back(pf_sandbox *s, const struct filemap *map, const struct reader *data,
                         struct base_buf *left, pf_error *error) {
    for (size_t i = 0; i < map->count; i++) {
        const struct filemap_file *f = &map->files[i];
        if (!is_allowed(f->path))
            return base_error(error, PF_FORMAT,
                              "the snapshot has a file that none may have: %.500s", f->path);
        if (f->flags & FILEMAP_UNREAD) {
            if (!add_left(left, "what was with the host: ", f->path)) return base_no_memory(error);
            continue;
        }
        int64_t r = put_one(s, map, f, data);
        if (s->dead || r < 0) return machine_guest_error(s, r < 0 ? r : -PF_EIO, f->path, error);
    }
    for (size_t i = map->count; i-- > 0;) /* after what is in them */
        if (TYPE(map->files[i].mode) == IS_DIR && !(map->files[i].flags & FILEMAP_UNREAD))
            set_times(s, &map->files[i]);
    return s->dead ? machine_dead(s, error) : PF_OK;
}
