/*
 * io.c: reading and writing descriptors.
 *
 * One message moves at most PF_IO_MAX bytes. A larger read or write is one message too where POSIX
 * allows a part (reads), and several where callers expect the whole (writes to files).
 */
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "internal.h"

static uint32_t part(size_t len) { return len < PF_IO_MAX ? (uint32_t)len : PF_IO_MAX; }

ssize_t read(int fd, void *buf, size_t len) {
    return __pf_result(PF_SEND(READ, .arg = {fd}, PF_OUT(buf, part(len))));
}

/* On success the whole, or what was written before an error or a full non-blocking pipe. */
ssize_t write(int fd, const void *buf, size_t len) {
    size_t done = 0;
    do {
        uint32_t now = part(len - done);
        int64_t n = PF_SEND(WRITE, .arg = {fd}, PF_IN((const char *)buf + done, now));
        if (n < 0) return done ? (ssize_t)done : __pf_result(n);
        done += (size_t)n;
        if (n < now) break;
    } while (done < len);
    return (ssize_t)done;
}

ssize_t pread(int fd, void *buf, size_t len, off_t offset) {
    return __pf_result(PF_SEND(PREAD, .arg = {fd, offset}, PF_OUT(buf, part(len))));
}

ssize_t pwrite(int fd, const void *buf, size_t len, off_t offset) {
    size_t done = 0;
    do {
        uint32_t now = part(len - done);
        int64_t n = PF_SEND(PWRITE, .arg = {fd, offset + (off_t)done},
                            PF_IN((const char *)buf + done, now));
        if (n < 0) return done ? (ssize_t)done : __pf_result(n);
        done += (size_t)n;
        if (n < now) break;
    } while (done < len);
    return (ssize_t)done;
}

/* A vector that fits goes out in one message, so that small writes to a pipe stay whole. */
#define GATHER_MAX PF_PIPE_BUF

static size_t vector_len(const struct iovec *vec, int count) {
    size_t total = 0;
    for (int i = 0; i < count; i++)
        if (__builtin_add_overflow(total, vec[i].iov_len, &total)) return SIZE_MAX;
    return total;
}

static ssize_t write_gathered(int fd, const struct iovec *vec, int count, size_t total) {
    char bytes[GATHER_MAX];
    size_t at = 0;
    for (int i = 0; i < count; i++) {
        if (vec[i].iov_len) memcpy(bytes + at, vec[i].iov_base, vec[i].iov_len);
        at += vec[i].iov_len;
    }
    return write(fd, bytes, total);
}

ssize_t writev(int fd, const struct iovec *vec, int count) {
    if (count < 0 || count > UIO_MAXIOV) {
        errno = EINVAL;
        return -1;
    }
    while (count > 1 && vec[0].iov_len == 0) vec++, count--;
    if (count == 1) return write(fd, vec[0].iov_base, vec[0].iov_len);
    size_t total = vector_len(vec, count);
    if (total <= GATHER_MAX) return write_gathered(fd, vec, count, total);
    ssize_t done = 0;
    for (int i = 0; i < count; i++) {
        if (!vec[i].iov_len) continue;
        ssize_t n = write(fd, vec[i].iov_base, vec[i].iov_len);
        if (n < 0) return done ? done : -1;
        done += n;
        if ((size_t)n < vec[i].iov_len) break;
    }
    return done;
}

/* stdio reads into the caller's bytes and its own buffer at once; the second part must not wait
 * when the first came back short. */
ssize_t readv(int fd, const struct iovec *vec, int count) {
    if (count < 0 || count > UIO_MAXIOV) {
        errno = EINVAL;
        return -1;
    }
    ssize_t done = 0;
    for (int i = 0; i < count; i++) {
        if (!vec[i].iov_len) continue;
        ssize_t n = read(fd, vec[i].iov_base, vec[i].iov_len);
        if (n < 0) return done ? done : -1;
        done += n;
        if ((size_t)n < vec[i].iov_len) break;
        if (i + 1 < count && lseek(fd, 0, SEEK_CUR) < 0) break; /* a stream: more may never come */
    }
    return done;
}

/* One after the other, until one comes short; at `offset`. */
static ssize_t each(int fd, const struct iovec *vec, int count, off_t offset, bool reads) {
    ssize_t done = 0;
    if (count < 0 || count > UIO_MAXIOV) {
        errno = EINVAL;
        return -1;
    }
    for (int i = 0; i < count; i++) {
        ssize_t n = reads ? pread(fd, vec[i].iov_base, vec[i].iov_len, offset + done)
                          : pwrite(fd, vec[i].iov_base, vec[i].iov_len, offset + done);
        if (n < 0) return done ? done : -1;
        done += n;
        if ((size_t)n < vec[i].iov_len) break;
    }
    return done;
}

ssize_t preadv(int fd, const struct iovec *vec, int count, off_t offset) {
    return each(fd, vec, count, offset, true);
}
ssize_t pwritev(int fd, const struct iovec *vec, int count, off_t offset) {
    return each(fd, vec, count, offset, false);
}

off_t lseek(int fd, off_t offset, int whence) {
    return __pf_result64(PF_SEND(LSEEK, .arg = {fd, offset, whence}));
}
off_t __lseek(int fd, off_t offset, int whence) { return lseek(fd, offset, whence); }

int ftruncate(int fd, off_t length) {
    return __pf_result(PF_SEND(FTRUNCATE, .arg = {fd, length}));
}

int fsync(int fd) { return fcntl(fd, F_GETFD) < 0 ? -1 : 0; } /* everything is in memory */
int fdatasync(int fd) { return fsync(fd); }
int syncfs(int fd) { return fsync(fd); }
void sync(void) {}

int posix_fadvise(int fd, off_t offset, off_t len, int advice) {
    (void)offset;
    (void)len;
    (void)advice;
    return fcntl(fd, F_GETFD) < 0 ? errno : 0;
}

/* Inside the kernel when both are regular files at their own offsets; else the caller copies. */
ssize_t copy_file_range(int in, off_t *in_offset, int out, off_t *out_offset, size_t len,
                        unsigned flags) {
    if (flags || in_offset || out_offset) {
        errno = flags ? EINVAL : EOPNOTSUPP;
        return -1;
    }
    return __pf_result(PF_SEND(COPY, .arg = {in, out, part(len)}));
}

/* The error, as its result. Room is taken when it is written. */
int posix_fallocate(int fd, off_t offset, off_t len) {
    struct stat status;
    if (offset < 0 || len <= 0) return EINVAL;
    if (fstat(fd, &status) < 0) return errno;
    if (!S_ISREG(status.st_mode)) return S_ISFIFO(status.st_mode) ? ESPIPE : ENODEV;
    if (offset > PF_FILE_SIZE_MAX - len) return EFBIG;
    if ((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY) return EBADF;
    return status.st_size >= offset + len || ftruncate(fd, offset + len) == 0 ? 0 : errno;
}
