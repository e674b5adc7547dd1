/* unistd.h: the system interface of POSIX, and what Linux programs expect beside it. */
#ifndef PF_POSIX_UNISTD_H
#define PF_POSIX_UNISTD_H

#define __need_NULL
#include <stddef.h>

#define __NEED_size_t
#define __NEED_ssize_t
#define __NEED_uid_t
#define __NEED_gid_t
#define __NEED_off_t
#define __NEED_pid_t
#define __NEED_intptr_t
#define __NEED_useconds_t
#include <bits/alltypes.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STDIN_FILENO  0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2

#ifndef SEEK_SET
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#endif

#define F_OK 0
#define X_OK 1
#define W_OK 2
#define R_OK 4

int pipe(int[2]);
int pipe2(int[2], int);
int close(int);
int close_range(unsigned, unsigned, int);
void closefrom(int);
int dup(int);
int dup2(int, int);
int dup3(int, int, int);
off_t lseek(int, off_t, int);
int fsync(int);
int fdatasync(int);
void sync(void);
int syncfs(int);
ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);
ssize_t pread(int, void *, size_t, off_t);
ssize_t pwrite(int, const void *, size_t, off_t);
ssize_t copy_file_range(int, off_t *, int, off_t *, size_t, unsigned);

int chown(const char *, uid_t, gid_t);
int fchown(int, uid_t, gid_t);
int lchown(const char *, uid_t, gid_t);
int fchownat(int, const char *, uid_t, gid_t, int);
int link(const char *, const char *);
int linkat(int, const char *, int, const char *, int);
int symlink(const char *, const char *);
int symlinkat(const char *, int, const char *);
ssize_t readlink(const char *__restrict, char *__restrict, size_t);
ssize_t readlinkat(int, const char *__restrict, char *__restrict, size_t);
int unlink(const char *);
int unlinkat(int, const char *, int);
int rmdir(const char *);
int truncate(const char *, off_t);
int ftruncate(int, off_t);
int access(const char *, int);
int faccessat(int, const char *, int, int);
int eaccess(const char *, int);
int euidaccess(const char *, int);
int chdir(const char *);
int fchdir(int);
char *getcwd(char *, size_t);
char *get_current_dir_name(void);

unsigned alarm(unsigned);
unsigned sleep(unsigned);
int usleep(unsigned);
int pause(void);

pid_t fork(void);
pid_t vfork(void); /* is fork() */
int execve(const char *, char *const[], char *const[]);
int execv(const char *, char *const[]);
int execle(const char *, const char *, ...);
int execl(const char *, const char *, ...);
int execvp(const char *, char *const[]);
int execvpe(const char *, char *const[], char *const[]);
int execlp(const char *, const char *, ...);
_Noreturn void _exit(int);

pid_t getpid(void);
pid_t getppid(void);
pid_t getpgrp(void);
pid_t getpgid(pid_t);
int setpgid(pid_t, pid_t);
pid_t setpgrp(void);
pid_t setsid(void);
pid_t getsid(pid_t);
pid_t gettid(void);
char *ttyname(int);
int ttyname_r(int, char *, size_t);
int isatty(int);
pid_t tcgetpgrp(int);
int tcsetpgrp(int, pid_t);

uid_t getuid(void);
uid_t geteuid(void);
gid_t getgid(void);
gid_t getegid(void);
int getgroups(int, gid_t[]);
int setgroups(size_t, const gid_t *);
int setuid(uid_t);
int seteuid(uid_t);
int setgid(gid_t);
int setegid(gid_t);
int setreuid(uid_t, uid_t);
int setregid(gid_t, gid_t);
int getresuid(uid_t *, uid_t *, uid_t *);
int getresgid(gid_t *, gid_t *, gid_t *);
char *getlogin(void);
int getlogin_r(char *, size_t);
int gethostname(char *, size_t);
int nice(int);

int getopt(int, char *const[], const char *);
extern char *optarg;
extern int optind, opterr, optopt;

long pathconf(const char *, int);
long fpathconf(int, int);
long sysconf(int);
size_t confstr(int, char *, size_t);
#define F_ULOCK 0
#define F_LOCK  1
#define F_TLOCK 2
#define F_TEST  3
int lockf(int, int, off_t);
int getpagesize(void);
int getdtablesize(void);
void *sbrk(intptr_t);
int getentropy(void *, size_t);
void swab(const void *__restrict, void *__restrict, ssize_t);

extern char **environ;

#define lseek64     lseek
#define pread64     pread
#define pwrite64    pwrite
#define truncate64  truncate
#define ftruncate64 ftruncate

#define _POSIX_VERSION        200809L
#define _POSIX2_VERSION       200809L
#define _XOPEN_VERSION        700
#define _POSIX_JOB_CONTROL    1
#define _POSIX_SAVED_IDS      1
#define _POSIX_SPAWN          200809L
#define _POSIX_TIMERS         200809L
#define _POSIX_MONOTONIC_CLOCK 200809L
#define _POSIX_FSYNC          200809L
#define _POSIX_NO_TRUNC       1
#define _POSIX_VDISABLE       0
#define _POSIX_CHOWN_RESTRICTED 1

enum {
    _PC_LINK_MAX, _PC_MAX_CANON, _PC_MAX_INPUT, _PC_NAME_MAX, _PC_PATH_MAX, _PC_PIPE_BUF,
    _PC_CHOWN_RESTRICTED, _PC_NO_TRUNC, _PC_VDISABLE, _PC_FILESIZEBITS = 13, _PC_SYMLINK_MAX = 19,
    _PC_2_SYMLINKS = 20,
};
enum {
    _SC_ARG_MAX, _SC_CHILD_MAX, _SC_CLK_TCK, _SC_NGROUPS_MAX, _SC_OPEN_MAX, _SC_STREAM_MAX,
    _SC_TZNAME_MAX, _SC_JOB_CONTROL, _SC_SAVED_IDS, _SC_VERSION = 29, _SC_PAGESIZE = 30,
    _SC_LINE_MAX = 43, _SC_RE_DUP_MAX = 44, _SC_2_VERSION = 46, _SC_IOV_MAX = 60,
    _SC_GETGR_R_SIZE_MAX = 69, _SC_GETPW_R_SIZE_MAX = 70, _SC_LOGIN_NAME_MAX = 71,
    _SC_TTY_NAME_MAX = 72, _SC_NPROCESSORS_CONF = 83, _SC_NPROCESSORS_ONLN = 84,
    _SC_PHYS_PAGES = 85, _SC_AVPHYS_PAGES = 86, _SC_MONOTONIC_CLOCK = 149, _SC_SYMLOOP_MAX = 173,
    _SC_HOST_NAME_MAX = 180,
};
#define _SC_PAGESIZE   _SC_PAGESIZE /* asked for by #if */
#define _SC_PAGE_SIZE  _SC_PAGESIZE
#define _SC_UIO_MAXIOV _SC_IOV_MAX
#define _CS_PATH       0

#ifdef __cplusplus
}
#endif

#endif
