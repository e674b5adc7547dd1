/* paths.h: where things are. */
#ifndef PF_POSIX_PATHS_H
#define PF_POSIX_PATHS_H

#define _PATH_DEFPATH "/usr/bin:/bin:/tools/bin"
#define _PATH_STDPATH _PATH_DEFPATH
#define _PATH_BSHELL  "/bin/sh"
#define _PATH_DEVNULL "/dev/null"
#define _PATH_TTY     "/dev/tty"
#define _PATH_TMP     "/tmp/"

#endif
