/*
 * save.c: a file that is there whole or not at all: what stood there before stays until the new one
 * is on the disk.
 */
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool put(int fd, const char *data, size_t len) {
    while (len) {
        ssize_t count = write(fd, data, len);
        if (count < 0 && errno != EINTR) return false;
        if (count > 0) data += count, len -= (size_t)count;
    }
    return true;
}

static bool close_after(int fd, bool ok) {
    int error = errno;
    if (close(fd) != 0 && ok) return false;
    errno = error;
    return ok;
}

static mode_t mode_of_new_files(void) {
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Where it is to be: what a link points to, as it is written to by others. */
static char *place_of(const char *path) {
    char *real = realpath(path, NULL);
    if (!real && errno == ENOENT) real = strdup(path);
    return real;
}

static bool replace(const char *place, const struct stat *old, const char *data, size_t len) {
    struct text part = {0};
    text_puts(&part, place);
    text_puts(&part, ".XXXXXX");
    int fd = mkostemp(part.data, O_CLOEXEC);
    bool ok = fd >= 0;
    if (ok) {
        ok = put(fd, data, len) &&
             fchmod(fd, old ? old->st_mode & 07777 : mode_of_new_files()) == 0 && fsync(fd) == 0;
        ok = close_after(fd, ok) && rename(part.data, place) == 0;
        int error = errno;
        if (!ok) unlink(part.data);
        errno = error;
    }
    free(part.data);
    return ok;
}

static bool overwrite(const char *place, const char *data, size_t len) {
    int fd = open(place, O_WRONLY | O_TRUNC | O_CLOEXEC);
    return fd >= 0 && close_after(fd, put(fd, data, len));
}

/* A directory that no file can be made in, or a file that is mounted alone. */
static bool takes_no_other(int error) {
    return error == EACCES || error == EPERM || error == EROFS || error == EBUSY;
}

bool text_write_file(const char *path, const char *data, size_t len) {
    struct stat old;
    char *place = place_of(path);
    if (!place) return false;
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN); /* a file that is too large is an error */
    bool exists = stat(place, &old) == 0;
    /* A pipe or a device is not replaced. */
    bool ok = exists && !S_ISREG(old.st_mode) ? overwrite(place, data, len)
                                              : replace(place, exists ? &old : NULL, data, len);
    if (!ok && exists && takes_no_other(errno)) ok = overwrite(place, data, len);
    int error = errno;
    signal(SIGXFSZ, before);
    free(place);
    errno = error;
    return ok;
}
