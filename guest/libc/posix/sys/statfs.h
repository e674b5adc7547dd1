/* sys/statfs.h: how full a file system is, as Linux names it. */
#ifndef PF_POSIX_SYS_STATFS_H
#define PF_POSIX_SYS_STATFS_H

#ifdef __cplusplus
extern "C" {
#endif

struct statfs {
    unsigned long f_type, f_bsize;
    unsigned long long f_blocks, f_bfree, f_bavail, f_files, f_ffree;
    struct {
        int __val[2];
    } f_fsid;
    unsigned long f_namelen, f_frsize, f_flags;
};

int statfs(const char *, struct statfs *);
int fstatfs(int, struct statfs *);

#ifdef __cplusplus
}
#endif

#endif
