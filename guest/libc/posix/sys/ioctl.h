/* sys/ioctl.h: the few requests that terminals and pipes answer. */
#ifndef PF_POSIX_SYS_IOCTL_H
#define PF_POSIX_SYS_IOCTL_H

#ifdef __cplusplus
extern "C" {
#endif

#define TIOCGPGRP  0x540F
#define TIOCSPGRP  0x5410
#define TIOCGWINSZ 0x5413
#define TIOCSWINSZ 0x5414
#define FIONREAD   0x541B
#define TIOCINQ    FIONREAD

struct winsize {
    unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel;
};

int ioctl(int, int, ...);

#ifdef __cplusplus
}
#endif

#endif
