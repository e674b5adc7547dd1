/* __seek.h: as everywhere. */
#ifndef PF_POSIX_SEEK_H
#define PF_POSIX_SEEK_H

#undef SEEK_SET
#undef SEEK_CUR
#undef SEEK_END
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2

#endif
