/* sys/mman.h: memory of its own, and files as copies: src/mman.c says what is not shared. */
#ifndef PF_POSIX_SYS_MMAN_H
#define PF_POSIX_SYS_MMAN_H

#define __NEED_off_t
#define __NEED_size_t
#include <bits/alltypes.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PROT_NONE  0
#define PROT_READ  1
#define PROT_WRITE 2
#define PROT_EXEC  4

#define MAP_SHARED    0x01
#define MAP_PRIVATE   0x02
#define MAP_FIXED     0x10
#define MAP_ANON      0x20
#define MAP_ANONYMOUS MAP_ANON
#define MAP_NORESERVE 0x4000
#define MAP_POPULATE  0x8000
#define MAP_STACK     0x20000
#define MAP_FAILED    ((void *)-1)

#define MS_ASYNC      1
#define MS_INVALIDATE 2
#define MS_SYNC       4

#define MADV_NORMAL     0
#define MADV_RANDOM     1
#define MADV_SEQUENTIAL 2
#define MADV_WILLNEED   3
#define MADV_DONTNEED   4

#define MREMAP_MAYMOVE 1

void *mmap(void *, size_t, int, int, int, off_t);
void *mremap(void *, size_t, size_t, int, ...);
int munmap(void *, size_t);
int msync(void *, size_t, int);
int madvise(void *, size_t, int);

#ifdef __cplusplus
}
#endif

#endif
