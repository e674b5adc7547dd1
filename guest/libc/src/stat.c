/* stat.c: the attributes of files. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include "internal.h"

static struct timespec time_of(int64_t ns) {
    int64_t seconds = ns / PF_NS_PER_S, rest = ns % PF_NS_PER_S;
    if (rest < 0) seconds--, rest += PF_NS_PER_S;
    return (struct timespec){.tv_sec = seconds, .tv_nsec = (long)rest};
}

static void convert(struct stat *to, const struct pf_stat *from) {
    *to = (struct stat){
        .st_dev = from->dev,
        .st_ino = from->ino,
        .st_nlink = from->nlink,
        .st_mode = from->mode,
        .st_uid = from->uid,
        .st_gid = from->gid,
        .st_rdev = from->rdev,
        .st_size = from->size,
        .st_blksize = (blksize_t)from->blksize,
        .st_blocks = from->blocks,
        .st_atim = time_of(from->atime_ns),
        .st_mtim = time_of(from->mtime_ns),
        .st_ctim = time_of(from->ctime_ns),
        .__st_birthtim = time_of(from->btime_ns),
    };
}

int fstatat(int dir, const char *restrict path, struct stat *restrict out, int flags) {
    struct pf_stat found;
    int64_t result =
        PF_SEND(FSTATAT, .arg = {dir, flags}, PF_PATH(path), PF_OUT(&found, sizeof found));
    if (result < 0) return __pf_result(result);
    convert(out, &found);
    return 0;
}
int stat(const char *restrict path, struct stat *restrict out) {
    return fstatat(AT_FDCWD, path, out, 0);
}
int lstat(const char *restrict path, struct stat *restrict out) {
    return fstatat(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}
int fstat(int fd, struct stat *out) {
    struct pf_stat found;
    int64_t result = PF_SEND(FSTAT, .arg = {fd}, PF_OUT(&found, sizeof found));
    if (result < 0) return __pf_result(result);
    convert(out, &found);
    return 0;
}

static struct statx_timestamp stamp(struct timespec time) {
    return (struct statx_timestamp){.tv_sec = time.tv_sec, .tv_nsec = (unsigned)time.tv_nsec};
}

int statx(int dir, const char *restrict path, int flags, unsigned mask,
          struct statx *restrict out) {
    struct stat found;
    (void)mask;
    flags &= AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH;
    if (fstatat(dir, path, &found, flags) < 0) return -1;
    *out = (struct statx){
        .stx_mask = STATX_BASIC_STATS | STATX_BTIME,
        .stx_blksize = (unsigned)found.st_blksize,
        .stx_nlink = (unsigned)found.st_nlink,
        .stx_uid = found.st_uid,
        .stx_gid = found.st_gid,
        .stx_mode = (unsigned short)found.st_mode,
        .stx_ino = found.st_ino,
        .stx_size = (unsigned long long)found.st_size,
        .stx_blocks = (unsigned long long)found.st_blocks,
        .stx_atime = stamp(found.st_atim),
        .stx_btime = stamp(found.__st_birthtim),
        .stx_ctime = stamp(found.st_ctim),
        .stx_mtime = stamp(found.st_mtim),
        .stx_rdev_major = major(found.st_rdev),
        .stx_rdev_minor = minor(found.st_rdev),
        .stx_dev_major = major(found.st_dev),
        .stx_dev_minor = minor(found.st_dev),
    };
    return 0;
}

/* The sandbox has one file system. */
static int64_t fill(const char *path, struct pf_statfs *found) {
    return PF_SEND(STATFS, PF_PATH(path), PF_OUT(found, sizeof *found));
}

int statvfs(const char *restrict path, struct statvfs *restrict out) {
    struct pf_statfs found;
    int64_t result = fill(path, &found);
    if (result < 0) return __pf_result(result);
    *out = (struct statvfs){
        .f_bsize = (unsigned long)found.block_size,
        .f_frsize = (unsigned long)found.block_size,
        .f_blocks = found.blocks,
        .f_bfree = found.blocks_free,
        .f_bavail = found.blocks_free,
        .f_files = found.files,
        .f_ffree = found.files_free,
        .f_favail = found.files_free,
        .f_namemax = PF_NAME_MAX,
    };
    return 0;
}
int fstatvfs(int fd, struct statvfs *out) {
    return fcntl(fd, F_GETFD) < 0 ? -1 : statvfs("/", out);
}

#define TMPFS_MAGIC 0x01021994
int statfs(const char *path, struct statfs *out) {
    struct pf_statfs found;
    int64_t result = fill(path, &found);
    if (result < 0) return __pf_result(result);
    *out = (struct statfs){
        .f_type = TMPFS_MAGIC,
        .f_bsize = (unsigned long)found.block_size,
        .f_blocks = found.blocks,
        .f_bfree = found.blocks_free,
        .f_bavail = found.blocks_free,
        .f_files = found.files,
        .f_ffree = found.files_free,
        .f_namelen = PF_NAME_MAX,
        .f_frsize = (unsigned long)found.block_size,
    };
    return 0;
}
int fstatfs(int fd, struct statfs *out) { return fcntl(fd, F_GETFD) < 0 ? -1 : statfs("/", out); }
