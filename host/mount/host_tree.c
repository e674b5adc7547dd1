/*
 * host/mount/host_tree.c: a host directory, read so that nothing leads out of it.
 *
 * Every name is opened relative to its directory's descriptor, beneath it and without following a
 * link, whatever somebody changes meanwhile. What is no regular file, directory or link is left
 * out.
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

#define DEPTH_MAX 64

struct walk {
    const char *root;
    uint64_t left; /* bytes that may still come */
    mount_fn function;
    void *user;
    pf_error *error;
    char path[PF_PATH_MAX];
    size_t path_len;
};

static int open_beneath(int directory, const char *name, int flags) {
    struct open_how how = {
        .flags = (uint64_t)(flags | O_NOFOLLOW | O_CLOEXEC),
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    int fd = (int)syscall(SYS_openat2, directory, name, &how, sizeof how);
    /* Before Linux 5.6. One name without a slash, not followed, cannot lead out either. */
    if (fd < 0 && errno == ENOSYS) fd = openat(directory, name, flags | O_NOFOLLOW | O_CLOEXEC);
    return fd;
}

static pf_status complain(const struct walk *w, const char *what) {
    return base_error(w->error, PF_INVALID, "mount %.300s: %.500s: %s", w->root,
                      w->path_len ? w->path : ".", what);
}

static pf_status give(struct walk *w, char kind, const struct stat *st, const char *data,
                      size_t len) {
    struct mount_file file = {
        .path = w->path,
        .kind = kind,
        .mode = st->st_mode & 07777,
        .mtime_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec,
        .data = data,
        .len = len,
    };
    return w->function(w->user, &file, w->error);
}

static pf_status give_regular(struct walk *w, int fd) {
    struct stat st;
    if (fstat(fd, &st) != 0) return complain(w, strerror(errno));
    if (!S_ISREG(st.st_mode)) return PF_OK; /* it became something else meanwhile */
    if ((uint64_t)st.st_size > w->left) return complain(w, "more than filesystem_bytes lets in");
    size_t size = (size_t)st.st_size, len = 0;
    char *data = malloc(size + 1);
    if (!data) return base_no_memory(w->error);
    while (len < size) { /* what grows meanwhile is taken as it was */
        ssize_t n = read(fd, data + len, size - len);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            int number = errno;
            free(data);
            return complain(w, strerror(number));
        }
        if (n == 0) break;
        len += (size_t)n;
    }
    w->left -= len;
    pf_status status = give(w, 'f', &st, data, len);
    free(data);
    return status;
}

static pf_status give_link(struct walk *w, int directory, const char *name, const struct stat *st) {
    char target[PF_PATH_MAX];
    ssize_t n = readlinkat(directory, name, target, sizeof target - 1);
    if (n < 0) return errno == EINVAL || errno == ENOENT ? PF_OK : complain(w, strerror(errno));
    target[n] = '\0';
    return give(w, 'l', st, target, (size_t)n);
}

static pf_status walk_directory(struct walk *w, int fd, int depth);

static pf_status give_name(struct walk *w, int directory, const char *name, int depth) {
    struct stat st;
    int path = open_beneath(directory, name, O_PATH);
    if (path < 0) return errno == ENOENT ? PF_OK : complain(w, strerror(errno));
    bool known = fstat(path, &st) == 0;
    close(path);
    if (!known) return complain(w, strerror(errno));
    if (S_ISLNK(st.st_mode)) return give_link(w, directory, name, &st);
    bool folder = S_ISDIR(st.st_mode);
    if (!folder && !S_ISREG(st.st_mode)) return PF_OK;
    int fd = open_beneath(directory, name, O_RDONLY | O_NONBLOCK | (folder ? O_DIRECTORY : 0));
    if (fd < 0) return errno == ENOENT ? PF_OK : complain(w, strerror(errno));
    pf_status status = folder ? walk_directory(w, fd, depth + 1) : give_regular(w, fd);
    close(fd);
    return status;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All names of a directory, sorted: one block for each, and the list. */
static char **read_names(int fd, size_t *count) {
    int copy = dup(fd);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    char **names = NULL;
    size_t capacity = 0;
    *count = 0;
    if (!dir) {
        if (copy >= 0) close(copy);
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

static pf_status walk_directory(struct walk *w, int fd, int depth) {
    struct stat st;
    if (depth > DEPTH_MAX) return complain(w, "directories are nested more than 64 deep");
    if (fstat(fd, &st) != 0) return complain(w, strerror(errno));
    pf_status status = give(w, 'd', &st, NULL, 0);
    if (status != PF_OK) return status;
    size_t count, base = w->path_len;
    char **names = read_names(fd, &count);
    if (!names) return base_no_memory(w->error);
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(names[i]);
        if (status == PF_OK && base + len + 2 > sizeof w->path)
            status = complain(w, "the path is too long");
        if (status == PF_OK) {
            if (base) w->path[base] = '/';
            memcpy(w->path + base + (base > 0), names[i], len + 1);
            w->path_len = base + (base > 0) + len;
            status = give_name(w, fd, names[i], depth);
            w->path_len = base;
            w->path[base] = '\0';
        }
        free(names[i]);
    }
    free(names);
    return status == PF_OK ? give(w, 'd', &st, NULL, 1) : status;
}

pf_status mount_walk_host(const char *directory, uint64_t max, mount_fn function, void *user,
                          pf_error *error) {
    struct walk *w = calloc(1, sizeof *w);
    if (!w) return base_no_memory(error);
    *w = (struct walk){
        .root = directory, .left = max, .function = function, .user = user, .error = error};
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    pf_status status = fd < 0 ? complain(w, strerror(errno)) : walk_directory(w, fd, 0);
    if (fd >= 0) close(fd);
    free(w);
    return status;
}
