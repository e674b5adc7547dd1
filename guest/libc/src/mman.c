/*
 * mman.c: mmap() without an MMU.
 *
 * A mapping is memory of the process. Of a file it is a copy, made when it is mapped: what others
 * write to the file later is not seen in it. With MAP_SHARED, pages that were changed are written
 * to the file by msync() and munmap(), and when the process ends. After fork() both have a copy.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

#define PAGE 4096u

struct mapping {
    struct mapping *next;
    char *at;
    size_t len;
    int fd; /* of MAP_SHARED that can be written: our own; else -1 */
    off_t offset;
    uint64_t *sums; /* of each page as the file has it */
};

static struct mapping *mappings;

static uint64_t sum(const char *at, size_t len) {
    uint64_t hash = 0xcbf29ce484222325ull + len, word;
    for (; len >= sizeof word; at += sizeof word, len -= sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 29;
    }
    for (; len; at++, len--) hash = (hash ^ (unsigned char)*at) * 0x100000001b3ull;
    return hash;
}

static size_t page_len(const struct mapping *map, size_t page) {
    return map->len - page * PAGE < PAGE ? map->len - page * PAGE : PAGE;
}

static size_t pages(size_t len) { return (len + PAGE - 1) / PAGE; }

/* Fills what the file has; behind its end are zeros. */
static int fill(char *at, size_t len, int fd, off_t offset) {
    while (len) {
        ssize_t count = pread(fd, at, len, offset);
        if (count < 0) return -1;
        if (count == 0) break;
        at += count;
        offset += count;
        len -= (size_t)count;
    }
    memset(at, 0, len);
    return 0;
}

/* Writes pages that changed, as far as the file goes. */
static int write_back(struct mapping *map, size_t from, size_t len) {
    struct stat status;
    if (map->fd < 0) return 0;
    if (fstat(map->fd, &status) < 0) return -1;
    for (size_t page = from / PAGE; page < pages(map->len) && page * PAGE < from + len; page++) {
        size_t count = page_len(map, page);
        uint64_t now = sum(map->at + page * PAGE, count);
        off_t place = map->offset + (off_t)page * PAGE;
        if (now == map->sums[page] || place >= status.st_size) continue;
        if ((off_t)count > status.st_size - place) count = (size_t)(status.st_size - place);
        if (pwrite(map->fd, map->at + page * PAGE, count, place) != (ssize_t)count) return -1;
        map->sums[page] = now;
    }
    return 0;
}

/* By _exit(), too. */
void __pf_write_mappings(void) {
    for (struct mapping *map = mappings; map; map = map->next) write_back(map, 0, map->len);
}

static struct mapping **find(const void *at) {
    struct mapping **map = &mappings;
    while (*map && !((const char *)at >= (*map)->at && (const char *)at < (*map)->at + (*map)->len))
        map = &(*map)->next;
    return map;
}

static void drop(struct mapping **place) {
    struct mapping *map = *place;
    *place = map->next;
    if (map->fd >= 0) close(map->fd);
    free(map->sums);
    free(map->at);
    free(map);
}

/* Makes it one that is written back. */
static int follow(struct mapping *map, int fd) {
    map->sums = malloc((pages(map->len) + 1) * sizeof *map->sums);
    map->fd = map->sums ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
    if (map->fd < 0) return -1;
    for (size_t page = 0; page < pages(map->len); page++)
        map->sums[page] = sum(map->at + page * PAGE, page_len(map, page));
    return 0;
}

static int access_of(int fd, int prot, int flags) {
    int mode = fcntl(fd, F_GETFL);
    if (mode < 0) return -1;
    bool may_write = (mode & O_ACCMODE) == O_RDWR;
    struct stat status;
    if (fstat(fd, &status) < 0) return -1;
    errno = S_ISREG(status.st_mode) ? EACCES : ENODEV;
    if (!S_ISREG(status.st_mode) || (mode & O_ACCMODE) == O_WRONLY) return -1;
    return flags & MAP_SHARED && prot & PROT_WRITE && !may_write ? -1 : 0;
}

void *mmap(void *wanted, size_t len, int prot, int flags, int fd, off_t offset) {
    (void)wanted;
    bool anonymous = flags & MAP_ANON;
    if (!len || offset < 0 || offset % PAGE || flags & MAP_FIXED || !(flags & 3)) {
        errno = EINVAL;
        return MAP_FAILED;
    }
    if (!anonymous && access_of(fd, prot, flags) < 0) return MAP_FAILED;
    struct mapping *map = calloc(1, sizeof *map);
    if (map && len <= SIZE_MAX - PAGE) map->at = aligned_alloc(PAGE, pages(len) * PAGE);
    if (!map || !map->at) {
        free(map);
        errno = ENOMEM;
        return MAP_FAILED;
    }
    map->len = len;
    map->fd = -1;
    map->offset = offset;
    map->next = mappings;
    mappings = map;
    int error = 0;
    if (anonymous) memset(map->at, 0, len);
    else error = fill(map->at, len, fd, offset);
    if (!error && !anonymous && flags & MAP_SHARED && prot & PROT_WRITE) error = follow(map, fd);
    if (!error) return map->at;
    error = errno;
    drop(&mappings);
    errno = error;
    return MAP_FAILED;
}

int munmap(void *at, size_t len) {
    struct mapping **place = find(at);
    (void)len; /* all of it: nobody here unmaps a part */
    if (!*place) {
        errno = EINVAL;
        return -1;
    }
    int result = write_back(*place, 0, (*place)->len);
    drop(place);
    return result;
}

int msync(void *at, size_t len, int flags) {
    struct mapping *map = *find(at);
    if ((uintptr_t)at % PAGE || (flags & MS_SYNC && flags & MS_ASYNC)) {
        errno = EINVAL;
        return -1;
    }
    if (map) return write_back(map, (size_t)((char *)at - map->at), len);
    errno = len ? ENOMEM : 0;
    return len ? -1 : 0;
}

int madvise(void *at, size_t len, int advice) {
    (void)at, (void)len;
    if (advice >= MADV_NORMAL && advice <= MADV_DONTNEED) return 0;
    errno = EINVAL;
    return -1;
}

void *mremap(void *at, size_t old_len, size_t len, int flags, ...) {
    struct mapping *map = *find(at);
    if (!map || map->at != at || !len || !(flags & MREMAP_MAYMOVE)) {
        errno = EINVAL;
        return MAP_FAILED;
    }
    if (write_back(map, 0, old_len) < 0) return MAP_FAILED;
    char *moved = aligned_alloc(PAGE, pages(len) * PAGE);
    uint64_t *sums = moved && map->fd >= 0 ? malloc((pages(len) + 1) * sizeof *sums) : NULL;
    if (!moved || (map->fd >= 0 && !sums)) {
        free(moved);
        errno = ENOMEM;
        return MAP_FAILED;
    }
    size_t kept = map->len < len ? map->len : len;
    memcpy(moved, map->at, kept);
    memset(moved + kept, 0, len - kept);
    if (map->fd >= 0 && len > kept)
        fill(moved + kept, len - kept, map->fd, map->offset + (off_t)kept);
    free(map->at);
    map->at = moved;
    map->len = len;
    if (map->fd < 0) return moved;
    free(map->sums);
    map->sums = sums;
    for (size_t page = 0; page < pages(len); page++)
        sums[page] = sum(moved + page * PAGE, page_len(map, page));
    return moved;
}
