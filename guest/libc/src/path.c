/* path.c: names: making, linking, moving, removing them, and where we are. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

int __pf_pair_make(struct __pf_pair *pair, const char *first, const char *second) {
    size_t first_len = strlen(first) + 1, second_len = strlen(second) + 1;
    pair->len = first_len + second_len;
    pair->bytes = pair->small;
    if (pair->len > sizeof pair->small && !(pair->bytes = malloc(pair->len))) return -1;
    memcpy(pair->bytes, first, first_len);
    memcpy(pair->bytes + first_len, second, second_len);
    return 0;
}

void __pf_pair_free(struct __pf_pair *pair) {
    if (pair->bytes != pair->small) free(pair->bytes);
}

int faccessat(int dir, const char *path, int mode, int flags) {
    return __pf_result(PF_SEND(FACCESSAT, .arg = {dir, mode, flags}, PF_PATH(path)));
}
int access(const char *path, int mode) { return faccessat(AT_FDCWD, path, mode, 0); }
int eaccess(const char *path, int mode) { return faccessat(AT_FDCWD, path, mode, 0); }
int euidaccess(const char *path, int mode) { return eaccess(path, mode); }

int mkdirat(int dir, const char *path, mode_t mode) {
    return __pf_result(PF_SEND(MKDIRAT, .arg = {dir, mode}, PF_PATH(path)));
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int mknodat(int dir, const char *path, mode_t mode, dev_t device) {
    (void)device;
    return __pf_result(PF_SEND(MKNODAT, .arg = {dir, mode}, PF_PATH(path)));
}
int mknod(const char *path, mode_t mode, dev_t device) {
    return mknodat(AT_FDCWD, path, mode, device);
}
int mkfifoat(int dir, const char *path, mode_t mode) {
    return mknodat(dir, path, (mode & 07777) | S_IFIFO, 0);
}
int mkfifo(const char *path, mode_t mode) { return mkfifoat(AT_FDCWD, path, mode); }

int unlinkat(int dir, const char *path, int flags) {
    return __pf_result(PF_SEND(UNLINKAT, .arg = {dir, flags}, PF_PATH(path)));
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char *path) {
    int64_t result = PF_SEND(UNLINKAT, .arg = {AT_FDCWD, 0}, PF_PATH(path));
    return result == -EISDIR ? rmdir(path) : __pf_result(result);
}

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags) {
    struct __pf_pair pair;
    if (__pf_pair_make(&pair, from, to) < 0) return -1;
    int64_t result =
        PF_SEND(RENAMEAT, .arg = {from_dir, to_dir, flags}, PF_IN(pair.bytes, pair.len));
    __pf_pair_free(&pair);
    return __pf_result(result);
}
int renameat(int from_dir, const char *from, int to_dir, const char *to) {
    return renameat2(from_dir, from, to_dir, to, 0);
}
int rename(const char *from, const char *to) { return renameat(AT_FDCWD, from, AT_FDCWD, to); }

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags) {
    struct __pf_pair pair;
    if (__pf_pair_make(&pair, from, to) < 0) return -1;
    int64_t result =
        PF_SEND(LINKAT, .arg = {from_dir, to_dir, flags}, PF_IN(pair.bytes, pair.len));
    __pf_pair_free(&pair);
    return __pf_result(result);
}
int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int symlinkat(const char *target, int dir, const char *path) {
    struct __pf_pair pair;
    if (__pf_pair_make(&pair, target, path) < 0) return -1;
    int64_t result = PF_SEND(SYMLINKAT, .arg = {dir}, PF_IN(pair.bytes, pair.len));
    __pf_pair_free(&pair);
    return __pf_result(result);
}
int symlink(const char *target, const char *path) { return symlinkat(target, AT_FDCWD, path); }

ssize_t readlinkat(int dir, const char *restrict path, char *restrict buf, size_t size) {
    return __pf_result(PF_SEND(READLINKAT, .arg = {dir}, PF_PATH(path), PF_OUT(buf, size)));
}
ssize_t readlink(const char *restrict path, char *restrict buf, size_t size) {
    return readlinkat(AT_FDCWD, path, buf, size);
}

int truncate(const char *path, off_t length) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    int result = ftruncate(fd, length), error = errno;
    close(fd);
    errno = error;
    return result;
}

int chdir(const char *path) { return __pf_result(PF_SEND(CHDIR, PF_PATH(path))); }
int fchdir(int fd) { return __pf_result(PF_SEND(FCHDIR, .arg = {fd})); }

char *getcwd(char *buf, size_t size) {
    char own[PF_PATH_MAX];
    int64_t len = PF_SEND(GETCWD, PF_OUT(own, sizeof own));
    if (len < 0) {
        __pf_result(len);
        return NULL;
    }
    if (!buf && !size) size = (size_t)len + 1;
    if (size < (size_t)len + 1) {
        errno = size || buf ? ERANGE : EINVAL;
        return NULL;
    }
    if (!buf && !(buf = malloc(size))) return NULL;
    memcpy(buf, own, (size_t)len);
    buf[len] = 0;
    return buf;
}
char *get_current_dir_name(void) { return getcwd(NULL, 0); }
