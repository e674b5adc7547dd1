/* sys/stat.h: file status, as on Linux. */
#ifndef PF_POSIX_SYS_STAT_H
#define PF_POSIX_SYS_STAT_H

#define __NEED_dev_t
#define __NEED_ino_t
#define __NEED_mode_t
#define __NEED_nlink_t
#define __NEED_uid_t
#define __NEED_gid_t
#define __NEED_off_t
#define __NEED_time_t
#define __NEED_blksize_t
#define __NEED_blkcnt_t
#define __NEED_struct_timespec
#include <bits/alltypes.h>
#include <__mode_t.h>

#ifdef __cplusplus
extern "C" {
#endif

struct stat {
    dev_t st_dev;
    ino_t st_ino;
    nlink_t st_nlink;
    mode_t st_mode;
    uid_t st_uid;
    gid_t st_gid;
    dev_t st_rdev;
    off_t st_size;
    blksize_t st_blksize;
    blkcnt_t st_blocks; /* of 512 bytes */
    struct timespec st_atim, st_mtim, st_ctim, __st_birthtim;
};
#define st_atime st_atim.tv_sec
#define st_mtime st_mtim.tv_sec
#define st_ctime st_ctim.tv_sec

#define UTIME_NOW  0x3fffffff
#define UTIME_OMIT 0x3ffffffe

int stat(const char *__restrict, struct stat *__restrict);
int fstat(int, struct stat *);
int lstat(const char *__restrict, struct stat *__restrict);
int fstatat(int, const char *__restrict, struct stat *__restrict, int);
int chmod(const char *, mode_t);
int fchmod(int, mode_t);
int lchmod(const char *, mode_t);
int fchmodat(int, const char *, mode_t, int);
mode_t umask(mode_t);
int mkdir(const char *, mode_t);
int mkdirat(int, const char *, mode_t);
int mkfifo(const char *, mode_t);
int mkfifoat(int, const char *, mode_t);
int mknod(const char *, mode_t, dev_t);
int mknodat(int, const char *, mode_t, dev_t);
int futimens(int, const struct timespec[2]);
int utimensat(int, const char *, const struct timespec[2], int);

/* As on Linux; only the parts that struct stat has are ever given. */
struct statx_timestamp {
    long long tv_sec;
    unsigned tv_nsec;
    int __pad;
};
struct statx {
    unsigned stx_mask, stx_blksize;
    unsigned long long stx_attributes;
    unsigned stx_nlink, stx_uid, stx_gid;
    unsigned short stx_mode, __pad0;
    unsigned long long stx_ino, stx_size, stx_blocks, stx_attributes_mask;
    struct statx_timestamp stx_atime, stx_btime, stx_ctime, stx_mtime;
    unsigned stx_rdev_major, stx_rdev_minor, stx_dev_major, stx_dev_minor;
};
#define STATX_BASIC_STATS 0x7ffu
#define STATX_BTIME       0x800u
#define STATX_ALL         0xfffu
int statx(int, const char *__restrict, int, unsigned, struct statx *__restrict);

#define stat64    stat
#define fstat64   fstat
#define lstat64   lstat
#define fstatat64 fstatat

#ifdef __cplusplus
}
#endif

#endif
