/* attributes.c: permissions, owners and times of files. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#include "internal.h"

int fchmodat(int dir, const char *path, mode_t mode, int flags) {
    return __pf_result(PF_SEND(FCHMODAT, .arg = {dir, mode, flags}, PF_PATH(path)));
}
int chmod(const char *path, mode_t mode) { return fchmodat(AT_FDCWD, path, mode, 0); }
int lchmod(const char *path, mode_t mode) {
    return fchmodat(AT_FDCWD, path, mode, AT_SYMLINK_NOFOLLOW);
}
int fchmod(int fd, mode_t mode) { return fchmodat(fd, "", mode, AT_EMPTY_PATH); }

mode_t umask(mode_t mask) { return (mode_t)PF_SEND(UMASK, .arg = {mask}); }

int fchownat(int dir, const char *path, uid_t uid, gid_t gid, int flags) {
    return __pf_result(
        PF_SEND(FCHOWNAT, .arg = {dir, (int32_t)uid, (int32_t)gid, flags}, PF_PATH(path)));
}
int chown(const char *path, uid_t uid, gid_t gid) { return fchownat(AT_FDCWD, path, uid, gid, 0); }
int lchown(const char *path, uid_t uid, gid_t gid) {
    return fchownat(AT_FDCWD, path, uid, gid, AT_SYMLINK_NOFOLLOW);
}
int fchown(int fd, uid_t uid, gid_t gid) { return fchownat(fd, "", uid, gid, AT_EMPTY_PATH); }

static int64_t stamp(const struct timespec *time) {
    if (time->tv_nsec == UTIME_NOW) return PF_UTIME_NOW;
    if (time->tv_nsec == UTIME_OMIT) return PF_UTIME_OMIT;
    int64_t ns = __pf_ns(time->tv_sec, time->tv_nsec);
    return ns == PF_UTIME_NOW || ns == PF_UTIME_OMIT ? 0 : ns; /* 1969: rather 2 ns wrong */
}

int utimensat(int dir, const char *path, const struct timespec times[2], int flags) {
    int64_t stamps[2] = {PF_UTIME_NOW, PF_UTIME_NOW};
    for (int i = 0; times && i < 2; i++) {
        long ns = times[i].tv_nsec;
        if ((ns < 0 || ns >= PF_NS_PER_S) && ns != UTIME_NOW && ns != UTIME_OMIT) {
            errno = EINVAL;
            return -1;
        }
        stamps[i] = stamp(&times[i]);
    }
    return __pf_result(
        PF_SEND(UTIMENSAT, .arg = {dir, flags, stamps[0], stamps[1]}, PF_PATH(path)));
}
int futimens(int fd, const struct timespec times[2]) {
    return utimensat(fd, "", times, AT_EMPTY_PATH);
}

static int set_us(int dir, const char *path, const struct timeval times[2], int flags) {
    struct timespec fine[2];
    for (int i = 0; times && i < 2; i++)
        fine[i] = (struct timespec){times[i].tv_sec, (long)times[i].tv_usec * 1000};
    return utimensat(dir, path, times ? fine : NULL, flags);
}
int utimes(const char *path, const struct timeval times[2]) {
    return set_us(AT_FDCWD, path, times, 0);
}
int lutimes(const char *path, const struct timeval times[2]) {
    return set_us(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW);
}
int futimes(int fd, const struct timeval times[2]) { return set_us(fd, "", times, AT_EMPTY_PATH); }

int utime(const char *path, const struct utimbuf *times) {
    struct timespec fine[2];
    if (times) {
        fine[0] = (struct timespec){.tv_sec = times->actime};
        fine[1] = (struct timespec){.tv_sec = times->modtime};
    }
    return utimensat(AT_FDCWD, path, times ? fine : NULL, 0);
}
