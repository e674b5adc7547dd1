/*
 * host/mount/export.c: a directory of a sandbox, as a directory of the host.
 *
 * The names are a guest's: everything is made new below one fresh directory, name by name, never
 * through a link, and a link that would lead out of it is left out.
 */
#include "mount.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct exporting {
    int root;
    const char *where;
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
        close(fd);
        fd = inner;
    }
    *name = path;
    return fd;
}

static bool write_file(int fd, const struct mount_file *file) {
    for (size_t at = 0; at < file->len;) {
        ssize_t n = write(fd, file->data + at, file->len - at);
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) at += (size_t)n;
    }
    struct timespec time = {file->mtime_ns / 1000000000, file->mtime_ns % 1000000000};
    const struct timespec times[2] = {time, time};
    return fchmod(fd, file->mode & 0777) == 0 && futimens(fd, times) == 0;
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
    if (file->kind == 'l' && leads_out(file->data)) return PF_OK;
    int parent = open_parent(e, file->path, &name);
    if (parent < 0) return complain(e, file->path, error);
    bool ok;
    if (file->kind == 'd')
        ok = mkdirat(parent, name, (file->mode & 0777) | 0700) == 0;
    else if (file->kind == 'l')
        ok = symlinkat(file->data, parent, name) == 0;
    else {
        int fd = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        ok = fd >= 0 && write_file(fd, file);
        if (fd >= 0 && close(fd) != 0) ok = false;
    }
    pf_status status = ok ? PF_OK : complain(e, file->path, error);
    close(parent);
    return status;
}

/* A fresh directory, or one that is there and empty. */
static int open_fresh(const char *path) {
    if (mkdir(path, 0777) != 0 && errno != EEXIST) return -1;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(dup(fd));
    size_t count = 0;
    while (dir && readdir(dir)) count++;
    if (dir) closedir(dir);
    if (fd >= 0 && count > 2) {
        close(fd);
        errno = ENOTEMPTY;
        return -1;
    }
    return fd;
}

pf_status pf_mount_export(pf_sandbox *s, const char *guest, const char *directory,
                          pf_error *error) {
    struct exporting e = {.where = directory};
    const struct machine_mount *mount = mount_find(s, guest, error);
    if (!mount) return PF_NOT_FOUND;
    e.root = open_fresh(directory);
    if (e.root < 0) return complain(&e, "", error);
    pf_status status = mount_walk(s, mount, false, make, &e, error);
    close(e.root);
    return status;
}
