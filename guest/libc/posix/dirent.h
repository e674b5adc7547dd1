/* dirent.h: reading directories. */
#ifndef PF_POSIX_DIRENT_H
#define PF_POSIX_DIRENT_H

#define __NEED_ino_t
#define __NEED_off_t
#define __NEED_size_t
#include <bits/alltypes.h>

#ifdef __cplusplus
extern "C" {
#endif

#define _DIRENT_HAVE_D_TYPE
struct dirent {
    ino_t d_ino;
    unsigned char d_type;
    char d_name[256];
};
#define d_fileno d_ino

#define DT_UNKNOWN 0
#define DT_FIFO    1
#define DT_CHR     2
#define DT_DIR     4
#define DT_BLK     6
#define DT_REG     8
#define DT_LNK     10
#define DT_SOCK    12
#define IFTODT(mode) (((mode)&0170000) >> 12)
#define DTTOIF(type) ((type) << 12)

typedef struct __pf_dir DIR;

DIR *opendir(const char *);
DIR *fdopendir(int);
struct dirent *readdir(DIR *);
int closedir(DIR *);
void rewinddir(DIR *);
int dirfd(DIR *);
int alphasort(const struct dirent **, const struct dirent **);
int scandir(const char *, struct dirent ***, int (*)(const struct dirent *),
            int (*)(const struct dirent **, const struct dirent **));

#define dirent64  dirent
#define readdir64 readdir

#ifdef __cplusplus
}
#endif

#endif
