/*
 * host/mount/host_dir.c: a host directory, read so that nothing leads out of it.
 *
 * Every path is opened beneath the mount's descriptor and through no link, whatever somebody
 * changes meanwhile; where the system has no openat2(), name by name. Only regular files,
 * directories and links are listed; a file that has become something else since is EIO.
 */
#include "mount.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int mount_open_root(const char *directory) {
    return open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Before Linux 5.6. One name without a slash, not followed, cannot lead out either. */
static int open_by_names(int root, const char *path, int flags) {
    int at = dup(root);
    for (const char *slash; at >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
        char name[PF_NAME_MAX + 1];
        size_t len = (size_t)(slash - path);
        int inner = -1;
        if (len <= PF_NAME_MAX) {
            memcpy(name, path, len);
            name[len] = '\0';
            if (strcmp(name, "..") != 0)
                inner = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        }
        close(at);
        at = inner;
    }
    if (at < 0 || strcmp(path, "..") == 0) {
        if (at >= 0) close(at);
        errno = ENOENT;
        return -1;
    }
    int fd = openat(at, path, flags | O_NOFOLLOW | O_CLOEXEC);
    int number = errno;
    close(at);
    errno = number;
    return fd;
}

static int open_beneath(int root, const char *path, int flags) {
    struct open_how how = {
        .flags = (uint64_t)(flags | O_NOFOLLOW | O_CLOEXEC),
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    if (!*path) path = ".";
    for (int tries = 0;; tries++) {
        int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof how);
        if (fd >= 0) return fd;
        if (errno == ENOSYS) return open_by_names(root, path, flags);
        /* EAGAIN: something was renamed meanwhile, and the kernel will not guess. */
        if ((errno != EAGAIN && errno != EINTR) || tries == 100) return -1;
    }
}

static int guest_errno(int number) {
    switch (number) {
    case ENOENT: return PF_ENOENT;
    case EACCES:
    case EPERM: return PF_EACCES;
    case ENOMEM: return PF_ENOMEM;
    case ENAMETOOLONG: return PF_ENAMETOOLONG;
    default: return PF_EIO; /* also a link or a device in a place where there was none */
    }
}

/* Opens what must be of this type. Looked at before it is opened: opening a device may do things.
 */
static int open_checked(int root, const char *path, mode_t type, struct stat *st, int *fd) {
    int look = open_beneath(root, path, O_PATH);
    if (look < 0) return guest_errno(errno);
    bool good = fstat(look, st) == 0 && (st->st_mode & S_IFMT) == type;
    close(look);
    if (!good) return PF_EIO;
    *fd = open_beneath(root, path, O_RDONLY | O_NONBLOCK | (type == S_IFDIR ? O_DIRECTORY : 0));
    if (*fd < 0) return guest_errno(errno);
    if (fstat(*fd, st) == 0 && (st->st_mode & S_IFMT) == type) return 0;
    close(*fd);
    return PF_EIO;
}

int mount_read_file(int root, const char *path, uint64_t max, struct base_buf *out) {
    struct stat st;
    int fd, error = open_checked(root, path, S_IFREG, &st, &fd);
    if (error) return error;
    if ((uint64_t)st.st_size > max) error = PF_ENOSPC;
    size_t size = error ? 0 : (size_t)st.st_size, len = 0;
    char *data = base_buf_room(out, size ? size : 1);
    if (!data) error = PF_ENOMEM;
    while (!error && len < size) { /* what grows meanwhile is taken as it was */
        ssize_t n = read(fd, data + len, size - len);
        if (n < 0 && errno != EINTR) error = guest_errno(errno);
        if (n == 0) break;
        if (n > 0) len += (size_t)n;
    }
    out->len += len;
    close(fd);
    return error;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All names of a directory, sorted: one block for each, and the list. Takes the descriptor. */
static char **read_names(int fd, size_t *count) {
    DIR *dir = fdopendir(fd);
    char **names = NULL;
    size_t capacity = 0;
    *count = 0;
    if (!dir) {
        close(fd);
        return NULL;
    }
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        if (*count == capacity) {
            capacity = capacity ? 2 * capacity : 32;
            char **more = realloc(names, capacity * sizeof *names);
            if (!more) break;
            names = more;
        }
        names[*count] = strdup(entry->d_name);
        if (!names[*count]) break;
        ++*count;
    }
    closedir(dir);
    if (!names) names = malloc(sizeof *names);
    if (names) qsort(names, *count, sizeof *names, by_name);
    return names;
}

static bool add_name(int directory, const char *name, struct base_buf *out) {
    char target[PF_PATH_MAX] = "";
    struct stat st;
    if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) != 0) return true; /* gone meanwhile */
    if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && !S_ISLNK(st.st_mode)) return true;
    if (S_ISLNK(st.st_mode)) {
        ssize_t n = readlinkat(directory, name, target, sizeof target - 1);
        if (n <= 0) return true;
        target[n] = '\0';
    }
    struct machine_fill_name head = {
        .size = S_ISREG(st.st_mode) ? st.st_size : 0,
        .mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec,
        .mode = st.st_mode & (S_IFMT | 0777),
    };
    return machine_fill_add(out, &head, name, target);
}

int mount_read_names(int root, const char *path, struct base_buf *out) {
    struct stat st;
    size_t count;
    int fd, error = open_checked(root, path, S_IFDIR, &st, &fd);
    if (error) return error;
    int copy = dup(fd);
    char **names = copy < 0 ? NULL : read_names(copy, &count);
    if (!names) {
        close(fd);
        return PF_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        if (!error && strlen(path) + strlen(names[i]) + 2 > PF_PATH_MAX) error = PF_ENAMETOOLONG;
        if (!error && !add_name(fd, names[i], out)) error = PF_ENOMEM;
        free(names[i]);
    }
    free(names);
    close(fd);
    return error;
}
