/*
 * host/mount/export.c: a directory of a sandbox, as a directory of the host.
 *
 * The names are a guest's: everything is made new below one fresh directory, name by name, never
 * through a link, and a link that would lead out of it is left out. Names of one file become hard
 * links, and holes stay holes: what a guest has for nothing takes no room on the host either.
 */
#include "mount.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a name takes on the host's disk, about. */
#define NAME_BYTES 512

struct exporting {
    pf_sandbox *s;
    int root;
    const char *where;
    struct mount_inodes files; /* that have several names, by the first that was made */
};

static pf_status complain(const struct exporting *e, const char *path, pf_error *error) {
    return base_error(error, PF_INVALID, "export to %.300s: %.500s: %s", e->where,
                      *path ? path : ".", strerror(errno));
}

/* The directory that holds `path`, and its last name. */
static int open_parent(const struct exporting *e, const char *path, const char **name) {
    int fd = dup(e->root);
    for (const char *slash; fd >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
        char part[PF_NAME_MAX + 1];
        size_t len = (size_t)(slash - path);
        if (len > PF_NAME_MAX) {
            errno = ENAMETOOLONG;
            close(fd);
            return -1;
        }
        memcpy(part, path, len);
        part[len] = '\0';
        int inner = openat(fd, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        int number = errno;
        close(fd);
        errno = number;
        fd = inner;
    }
    *name = path;
    return fd;
}

static bool write_at(int fd, const char *data, size_t len, off_t offset) {
    for (size_t at = 0; at < len;) {
        ssize_t n = pwrite(fd, data + at, len - at, offset + (off_t)at);
        if (n == 0) errno = ENOSPC;
        if (n == 0 || (n < 0 && errno != EINTR)) return false;
        if (n > 0) at += (size_t)n;
    }
    return true;
}

static pf_status write_segment(const struct exporting *e, int fd, const struct mount_file *file,
                               const struct machine_reading *r,
                               const struct machine_segment *segment, pf_error *error) {
    char chunk[PF_IO_MAX];
    pf_status status = machine_spend(e->s, (uint64_t)segment->len, error);
    for (int64_t at = 0; status == PF_OK && at < segment->len; at += (int64_t)sizeof chunk) {
        size_t left = (size_t)(segment->len - at);
        size_t len = left < sizeof chunk ? left : sizeof chunk;
        int64_t offset = segment->from + at;
        status = machine_read_piece(e->s, file->full, r, offset, chunk, len, error);
        if (status == PF_OK && !write_at(fd, chunk, len, offset))
            status = complain(e, file->path, error);
    }
    return status;
}

static pf_status write_file(const struct exporting *e, int fd, const struct mount_file *file,
                            pf_error *error) {
    struct machine_reading r;
    pf_status status = mount_open(e->s, file, &r, error);
    if (status != PF_OK) return status;
    status = machine_find_segments(e->s, file->full, &r, error);
    if (status == PF_OK && r.data < r.size && ftruncate(fd, r.size) != 0)
        status = complain(e, file->path, error);
    for (size_t i = 0; status == PF_OK && i < r.count; i++)
        status = write_segment(e, fd, file, &r, &r.segments[i], error);
    machine_close_file(e->s, &r);
    struct timespec time = {file->mtime_ns / 1000000000, file->mtime_ns % 1000000000};
    const struct timespec times[2] = {time, time};
    if (status == PF_OK && (fchmod(fd, file->mode & 0777) != 0 || futimens(fd, times) != 0))
        status = complain(e, file->path, error);
    return status;
}

static pf_status make_file(const struct exporting *e, int parent, const char *name,
                           const struct mount_file *file, pf_error *error) {
    int fd = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return complain(e, file->path, error);
    pf_status status = write_file(e, fd, file, error);
    if (close(fd) != 0 && status == PF_OK) status = complain(e, file->path, error);
    return status;
}

/* Where a file system has no hard links, or no more for this file. */
static bool no_link(int number) {
    return number == EPERM || number == EMLINK || number == EXDEV || number == EOPNOTSUPP ||
           number == ENOSYS;
}

/* Another name of a file that was made as `first`. */
static pf_status make_link(const struct exporting *e, const char *first, int parent,
                           const char *name, const struct mount_file *file, pf_error *error) {
    const char *first_name;
    int first_parent = open_parent(e, first, &first_name);
    if (first_parent < 0) return complain(e, first, error);
    int r = linkat(first_parent, first_name, parent, name, 0);
    int number = errno;
    close(first_parent);
    if (r == 0) return PF_OK;
    if (no_link(number)) return make_file(e, parent, name, file, error);
    errno = number;
    return complain(e, file->path, error);
}

static pf_status make_regular(struct exporting *e, int parent, const char *name,
                              const struct mount_file *file, pf_error *error) {
    const char *first = NULL;
    if (file->names > 1 && !mount_inodes_meet(&e->files, file->number, file->path, &first))
        return base_no_memory(error);
    return first ? make_link(e, first, parent, name, file, error)
                 : make_file(e, parent, name, file, error);
}

static bool leads_out(const char *target) {
    return target[0] == '/' || strcmp(target, "..") == 0 || strncmp(target, "../", 3) == 0 ||
           strstr(target, "/../") ||
           (strlen(target) > 3 && strcmp(target + strlen(target) - 3, "/..") == 0);
}

static pf_status make(void *user, const struct mount_file *file, pf_error *error) {
    struct exporting *e = user;
    const char *name;
    if (!*file->path || file->kind == '?') return PF_OK;
    if (file->kind == 'l' && leads_out(file->target)) return PF_OK;
    pf_status status = machine_spend(e->s, NAME_BYTES, error);
    if (status != PF_OK) return status;
    int parent = open_parent(e, file->path, &name);
    if (parent < 0) return complain(e, file->path, error);
    if (file->kind == 'f')
        status = make_regular(e, parent, name, file, error);
    else if ((file->kind == 'd' ? mkdirat(parent, name, (file->mode & 0777) | 0700)
                                : symlinkat(file->target, parent, name)) != 0)
        status = complain(e, file->path, error);
    close(parent);
    return status;
}

/* A fresh directory, or one that is there and empty. */
static int open_fresh(const char *path) {
    if (mkdir(path, 0777) != 0 && errno != EEXIST) return -1;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int copy = fd < 0 ? -1 : dup(fd);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    size_t count = 0;
    while (dir && count <= 2 && readdir(dir)) count++;
    int number = count > 2 ? ENOTEMPTY : errno;
    if (dir)
        closedir(dir);
    else if (copy >= 0)
        close(copy);
    if (fd >= 0 && (!dir || count > 2)) {
        close(fd);
        fd = -1;
    }
    errno = number;
    return fd;
}

/* `path` is a mount's, or of any directory. */
static pf_status export(pf_sandbox *s, const char *path, bool any, const char *directory,
                        pf_error *error) {
    struct exporting e = {.s = s, .where = directory, .root = -1};
    pf_status status = machine_enter_act(s, "export of", path ? path : "", false, error);
    if (status != PF_OK) return status;
    char guest[PF_PATH_MAX];
    struct machine_mount tree = {.guest = guest, .root = -1};
    mount_inodes_init(&e.files);
    const struct machine_mount *mount = any ? &tree : mount_find(s, path, error);
    if (!mount) status = PF_NOT_FOUND;
    if (status == PF_OK && any) status = mount_any(s, path, guest, error);
    if (status == PF_OK && (e.root = open_fresh(directory)) < 0) status = complain(&e, "", error);
    if (status == PF_OK) status = mount_walk(s, mount, false, make, &e, error);
    if (e.root >= 0) close(e.root);
    mount_inodes_free(&e.files);
    machine_leave_act(s);
    return status;
}

pf_status pf_mount_export(pf_sandbox *s, const char *guest, const char *directory,
                          pf_error *error) {
    return export(s, guest, false, directory, error);
}

pf_status pf_file_export(pf_sandbox *s, const char *path, const char *directory, pf_error *error) {
    return export(s, path, true, directory, error);
}
