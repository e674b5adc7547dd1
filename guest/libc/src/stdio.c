/* stdio.c: opening streams; all that streams do afterwards is wasi-libc's. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <errno.h>

FILE *__fdopen(int fd, const char *mode); /* wasi-libc's; knows WASI's flags only */

static int flags_of(const char *mode) {
    int flags = *mode == 'r' ? O_RDONLY : O_WRONLY | O_CREAT;
    if (!*mode || !strchr("rwa", *mode)) return -1;
    if (strchr(mode, '+')) flags = (flags & ~O_ACCMODE) | O_RDWR;
    if (strchr(mode, 'x')) flags |= O_EXCL;
    if (strchr(mode, 'e')) flags |= O_CLOEXEC;
    if (*mode == 'w') flags |= O_TRUNC;
    if (*mode == 'a') flags |= O_APPEND;
    return flags;
}

/* The letters that __fdopen() understands and that need no flags. */
static FILE *stream(int fd, const char *mode) {
    char plain[3] = {*mode, 0, 0};
    if (strchr(mode, '+')) plain[1] = '+';
    return __fdopen(fd, plain);
}

FILE *fopen(const char *restrict path, const char *restrict mode) {
    int flags = flags_of(mode);
    if (flags < 0) {
        errno = EINVAL;
        return NULL;
    }
    int fd = open(path, flags, 0666);
    if (fd < 0) return NULL;
    FILE *file = stream(fd, mode);
    if (!file) {
        int error = errno;
        close(fd);
        errno = error;
    }
    return file;
}

FILE *fdopen(int fd, const char *mode) {
    int flags = flags_of(mode), now = fcntl(fd, F_GETFL);
    if (flags < 0 || now < 0) {
        if (flags < 0) errno = EINVAL;
        return NULL;
    }
    if (flags & O_APPEND && !(now & O_APPEND)) fcntl(fd, F_SETFL, now | O_APPEND);
    if (flags & O_CLOEXEC) fcntl(fd, F_SETFD, FD_CLOEXEC);
    return stream(fd, mode);
}
