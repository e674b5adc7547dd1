/* dir.c: reading directories. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

struct __pf_dir {
    int fd;
    uint32_t at, len; /* in `bytes` */
    _Alignas(8) char bytes[4096];
    struct dirent entry;
};

DIR *fdopendir(int fd) {
    struct stat found;
    if (fstat(fd, &found) < 0) return NULL;
    if (!S_ISDIR(found.st_mode)) {
        errno = ENOTDIR;
        return NULL;
    }
    DIR *dir = malloc(sizeof *dir);
    if (!dir) return NULL;
    dir->fd = fd;
    dir->at = dir->len = 0;
    return dir;
}

DIR *opendir(const char *path) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return NULL;
    DIR *dir = malloc(sizeof *dir);
    if (!dir) {
        close(fd);
        errno = ENOMEM;
        return NULL;
    }
    dir->fd = fd;
    dir->at = dir->len = 0;
    return dir;
}

struct dirent *readdir(DIR *dir) {
    if (dir->at >= dir->len) {
        int64_t n = PF_SEND(GETDENTS, .arg = {dir->fd}, PF_OUT(dir->bytes, sizeof dir->bytes));
        if (n < 0) __pf_result(n);
        if (n <= 0) return NULL;
        dir->at = 0;
        dir->len = (uint32_t)n;
    }
    const struct pf_dirent *record = (const void *)(dir->bytes + dir->at);
    dir->at += PF_DIRENT_SIZE(record->name_len);
    dir->entry.d_ino = record->ino;
    dir->entry.d_type = (unsigned char)record->type;
    memcpy(dir->entry.d_name, record + 1, record->name_len);
    dir->entry.d_name[record->name_len] = 0;
    return &dir->entry;
}

int closedir(DIR *dir) {
    int fd = dir->fd;
    free(dir);
    return close(fd);
}

void rewinddir(DIR *dir) {
    lseek(dir->fd, 0, SEEK_SET);
    dir->at = dir->len = 0;
}

int dirfd(DIR *dir) { return dir->fd; }

int alphasort(const struct dirent **a, const struct dirent **b) {
    return strcoll((*a)->d_name, (*b)->d_name);
}

static int take(DIR *dir, struct dirent ***list, int (*wanted)(const struct dirent *)) {
    struct dirent **found = NULL, *entry;
    int count = 0, room = 0;
    for (errno = 0; (entry = readdir(dir)); errno = 0) {
        if (wanted && !wanted(entry)) continue;
        if (count == room) {
            room = room ? room * 2 : 32;
            struct dirent **more = realloc(found, (size_t)room * sizeof *more);
            if (!more) break;
            found = more;
        }
        size_t size = offsetof(struct dirent, d_name) + strlen(entry->d_name) + 1;
        if (!(found[count] = malloc(size))) break;
        memcpy(found[count++], entry, size);
    }
    *list = found;
    if (!errno) return count;
    while (count) free(found[--count]);
    free(found);
    return -1;
}

int scandir(const char *path, struct dirent ***list, int (*wanted)(const struct dirent *),
            int (*compare)(const struct dirent **, const struct dirent **)) {
    DIR *dir = opendir(path);
    if (!dir) return -1;
    int count = take(dir, list, wanted), error = errno;
    closedir(dir);
    errno = error;
    if (count > 1 && compare)
        qsort(*list, (size_t)count, sizeof **list, (int (*)(const void *, const void *))compare);
    return count;
}
