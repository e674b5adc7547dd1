/* sys/sysmacros.h: the two halves of a device number, as Linux packs them. */
#ifndef PF_POSIX_SYS_SYSMACROS_H
#define PF_POSIX_SYS_SYSMACROS_H

#define major(dev) \
    ((unsigned)(((dev) >> 31 >> 1 & 0xfffff000) | ((dev) >> 8 & 0x00000fff)))
#define minor(dev) ((unsigned)(((dev) >> 12 & 0xffffff00) | ((dev)&0x000000ff)))
#define makedev(x, y)                                                                      \
    (((x)&0xfffff000ULL) << 32 | ((x)&0x00000fffULL) << 8 | ((y)&0xffffff00ULL) << 12 | \
     ((y)&0x000000ffULL))

#endif
