/* tty.c: terminals and ioctl. The only terminal requests are those of abi/call.def. */
#include <stdarg.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "internal.h"

int ioctl(int fd, int request, ...) {
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    switch (request) {
    case TIOCGWINSZ:
        return __pf_result(PF_SEND(IOCTL, .arg = {fd, request},
                                   PF_OUT(argument, sizeof(struct winsize))));
    case TIOCGPGRP:
    case FIONREAD:
        return __pf_result(PF_SEND(IOCTL, .arg = {fd, request}, PF_OUT(argument, sizeof(int))));
    case TIOCSPGRP:
        return __pf_result(PF_SEND(IOCTL, .arg = {fd, request, *(int *)argument},
                                   PF_IN(argument, sizeof(int))));
    default: return __pf_result(PF_SEND(IOCTL, .arg = {fd, request}));
    }
}

int isatty(int fd) {
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0) return 1;
    return 0; /* errno is ENOTTY or EBADF */
}
int __isatty(int fd) { return isatty(fd); } /* stdio's */

pid_t tcgetpgrp(int fd) {
    int group;
    return ioctl(fd, TIOCGPGRP, &group) < 0 ? -1 : group;
}
int tcsetpgrp(int fd, pid_t group) { return ioctl(fd, TIOCSPGRP, &group); }

static int no_terminal(int fd) {
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0) errno = ENOTTY;
    return -1;
}
int tcgetattr(int fd, struct termios *settings) {
    (void)settings;
    return no_terminal(fd);
}
int tcsetattr(int fd, int when, const struct termios *settings) {
    (void)when;
    (void)settings;
    return no_terminal(fd);
}
int tcdrain(int fd) { return no_terminal(fd); }
int tcflow(int fd, int action) { return (void)action, no_terminal(fd); }
int tcflush(int fd, int queue) { return (void)queue, no_terminal(fd); }
int tcsendbreak(int fd, int duration) { return (void)duration, no_terminal(fd); }
speed_t cfgetispeed(const struct termios *settings) { return settings->__c_ispeed; }
speed_t cfgetospeed(const struct termios *settings) { return settings->__c_ospeed; }
int cfsetispeed(struct termios *settings, speed_t speed) {
    settings->__c_ispeed = speed;
    return 0;
}
int cfsetospeed(struct termios *settings, speed_t speed) {
    settings->__c_ospeed = speed;
    return 0;
}
pid_t tcgetsid(int fd) { return tcgetpgrp(fd) < 0 ? -1 : getsid(0); }

int ttyname_r(int fd, char *name, size_t size) {
    if (!isatty(fd)) return errno;
    if (size < sizeof "/dev/tty") return ERANGE;
    memcpy(name, "/dev/tty", sizeof "/dev/tty");
    return 0;
}
char *ttyname(int fd) {
    static char name[sizeof "/dev/tty"];
    int error = ttyname_r(fd, name, sizeof name);
    if (!error) return name;
    errno = error;
    return NULL;
}
char *ctermid(char *name) {
    static char own[sizeof "/dev/tty"];
    return memcpy(name ? name : own, "/dev/tty", sizeof own);
}
