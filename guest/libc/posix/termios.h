/* termios.h: terminals. A sandbox has none whose line discipline can be set: ENOTTY. */
#ifndef PF_POSIX_TERMIOS_H
#define PF_POSIX_TERMIOS_H

#define __NEED_pid_t
#include <bits/alltypes.h>
#include <sys/ioctl.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned char cc_t;
typedef unsigned speed_t;
typedef unsigned tcflag_t;
#define NCCS 32
struct termios {
    tcflag_t c_iflag, c_oflag, c_cflag, c_lflag;
    cc_t c_line;
    cc_t c_cc[NCCS];
    speed_t __c_ispeed, __c_ospeed;
};

#define VINTR  0
#define VQUIT  1
#define VERASE 2
#define VKILL  3
#define VEOF   4
#define VTIME  5
#define VMIN   6
#define VSTART 8
#define VSTOP  9
#define VSUSP  10
#define VEOL   11

#define BRKINT 0000002
#define IGNPAR 0000004
#define INPCK  0000020
#define ISTRIP 0000040
#define INLCR  0000100
#define IGNCR  0000200
#define ICRNL  0000400
#define IXON   0002000
#define OPOST  0000001
#define ONLCR  0000004
#define CSIZE  0000060
#define CS8    0000060
#define ISIG   0000001
#define ICANON 0000002
#define ECHO   0000010
#define ECHOE  0000020
#define ECHOK  0000040
#define ECHONL 0000100
#define NOFLSH 0000200
#define TOSTOP 0000400
#define IEXTEN 0100000

#define TCSANOW   0
#define TCSADRAIN 1
#define TCSAFLUSH 2

int tcgetattr(int, struct termios *);
int tcsetattr(int, int, const struct termios *);
pid_t tcgetsid(int);

#ifdef __cplusplus
}
#endif

#endif
