/*
 * libctest.c: does the guest's libc do what POSIX and Linux do?
 *
 * `libctest SECTION` runs the checks of one section in an empty folder and exits with the number of
 * those that failed. The same program runs as a plain Linux process, where all must pass as well:
 * that is what makes them right.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>
#include <wctype.h>

#include "libctest.h"

static int failures;

#define FAILS(call, number)                                                                        \
    do {                                                                                           \
        errno = 0;                                                                                 \
        if ((call) != -1 || errno != (number)) fail(__LINE__, #call " fails with " #number);       \
    } while (0)

void fail(int line, const char *what) {
    int error = errno;
    dprintf(2, "libctest.c:%d: %s (errno %d: %s)\n", line, what, error, strerror(error));
    failures++;
}

static void put(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && close(fd) == 0);
}

static const char *get(const char *path) {
    static char text[256];
    int fd = open(path, O_RDONLY);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    text[n < 0 ? 0 : n] = 0;
    return n < 0 ? "(unreadable)" : text;
}

/* ---- sections */

static void files(void) {
    struct stat s;
    put("a", "hello world");
    CHECK(!strcmp(get("a"), "hello world"));
    FAILS(open("nothing", O_RDONLY), ENOENT);
    FAILS(open("a/b", O_RDONLY), ENOTDIR);
    FAILS(open("a", O_WRONLY | O_CREAT | O_EXCL, 0600), EEXIST);
    FAILS(open(".", O_WRONLY), EISDIR);
    FAILS(open("a", O_RDONLY | O_DIRECTORY), ENOTDIR);
    FAILS(close(200), EBADF);
    FAILS(read(200, &s, 1), EBADF);

    int fd = open("a", O_RDWR);
    char buf[32];
    CHECK(lseek(fd, 6, SEEK_SET) == 6 && read(fd, buf, 32) == 5 && !memcmp(buf, "world", 5));
    CHECK(read(fd, buf, 32) == 0);
    CHECK(pread(fd, buf, 4, 1) == 4 && !memcmp(buf, "ello", 4));
    CHECK(pwrite(fd, "J", 1, 0) == 1 && lseek(fd, 0, SEEK_CUR) == 11);
    CHECK(lseek(fd, -5, SEEK_END) == 6);
    FAILS(lseek(fd, -1, SEEK_SET), EINVAL);
    struct iovec out[3] = {{(void *)"one ", 4}, {(void *)"", 0}, {(void *)"two", 3}};
    CHECK(writev(fd, out, 3) == 7);
    CHECK(ftruncate(fd, 10) == 0 && fstat(fd, &s) == 0 && s.st_size == 10);
    CHECK(close(fd) == 0 && !strcmp(get("a"), "Jello one "));
    CHECK(truncate("a", 5) == 0 && !strcmp(get("a"), "Jello"));

    fd = open("a", O_WRONLY | O_APPEND);
    CHECK(write(fd, "!", 1) == 1 && (fcntl(fd, F_GETFL) & (O_APPEND | O_ACCMODE)) == (O_APPEND | 1));
    FAILS(read(fd, buf, 1), EBADF);
    CHECK(fcntl(fd, F_GETFD) == 0 && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && fcntl(fd, F_GETFD) == 1);
    int copy = fcntl(fd, F_DUPFD, 20);
    CHECK(copy >= 20 && fcntl(copy, F_GETFD) == 0 && write(copy, "?", 1) == 1 && close(copy) == 0);
    CHECK(dup2(fd, fd) == fd && dup2(fd, 30) == 30 && close(30) == 0);
    FAILS(dup2(200, 31), EBADF);
    FAILS(dup3(fd, fd, 0), EINVAL);
    CHECK(close(fd) == 0 && !strcmp(get("a"), "Jello!?"));

    CHECK(stat("a", &s) == 0 && S_ISREG(s.st_mode) && s.st_size == 7 && s.st_nlink == 1);
    CHECK(s.st_uid == getuid() && s.st_gid == getgid() && s.st_mtime > 1000000000);
    CHECK(chmod("a", 0640) == 0 && stat("a", &s) == 0 && (s.st_mode & 07777) == 0640);
    mode_t old = umask(027);
    fd = open("masked", O_CREAT | O_WRONLY, 0666);
    CHECK(fstat(fd, &s) == 0 && (s.st_mode & 0777) == 0640 && umask(old) == 027);
    close(fd);
    struct timespec times[2] = {{1000, 5}, {2000, 999999999}};
    CHECK(utimensat(AT_FDCWD, "a", times, 0) == 0 && stat("a", &s) == 0 && s.st_atim.tv_nsec == 5 &&
          s.st_mtim.tv_sec == 2000 && s.st_mtim.tv_nsec == 999999999);
    times[0].tv_nsec = UTIME_OMIT;
    times[1].tv_nsec = UTIME_NOW;
    CHECK(utimensat(AT_FDCWD, "a", times, 0) == 0 && stat("a", &s) == 0 && s.st_atime == 1000 &&
          s.st_mtime > 1000000000);
    CHECK(utime("a", &(struct utimbuf){7, 8}) == 0 && stat("a", &s) == 0 && s.st_mtime == 8);
    CHECK(access("a", R_OK | W_OK) == 0 && access("a", F_OK) == 0);
    FAILS(access("a", X_OK), EACCES);

    CHECK(link("a", "b") == 0 && stat("b", &s) == 0 && s.st_nlink == 2);
    CHECK(symlink("a", "c") == 0 && lstat("c", &s) == 0 && S_ISLNK(s.st_mode));
    CHECK(readlink("c", buf, sizeof buf) == 1 && buf[0] == 'a');
    FAILS(readlink("a", buf, sizeof buf), EINVAL);
    CHECK(symlink("loop", "loop") == 0);
    FAILS(open("loop", O_RDONLY), ELOOP);
    CHECK(rename("b", "d") == 0 && access("b", F_OK) == -1 && unlink("d") == 0);
    FAILS(rename("nothing", "x"), ENOENT);
    FAILS(unlink("nothing"), ENOENT);
    CHECK(remove("c") == 0 && remove("loop") == 0);
    struct statvfs v;
    CHECK(statvfs(".", &v) == 0 && v.f_bsize > 0 && v.f_namemax == 255);
}

static int by_name(const struct dirent **a, const struct dirent **b) { return alphasort(a, b); }
static int no_dots(const struct dirent *d) { return d->d_name[0] != '.'; }

static void directories(void) {
    char path[PATH_MAX], here[PATH_MAX];
    CHECK(mkdir("d", 0755) == 0 && mkdir("d/e", 0700) == 0);
    FAILS(mkdir("d", 0755), EEXIST);
    FAILS(rmdir("d"), ENOTEMPTY);
    FAILS(mkdir("x/y", 0755), ENOENT);
    CHECK(getcwd(here, sizeof here) == here && chdir("d") == 0);
    FAILS(getcwd(path, 1) ? 0 : -1, ERANGE);
    char *now = getcwd(NULL, 0);
    CHECK(now && !strncmp(now, here, strlen(here)) && !strcmp(now + strlen(here), "/d"));
    free(now);
    CHECK(chdir("..") == 0);
    put("d/one", "1");
    put("d/two", "2");
    CHECK(symlink("one", "d/link") == 0 && mkfifo("d/fifo", 0600) == 0);
    DIR *dir = opendir("d");
    int seen = 0, types = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        seen++;
        if (!strcmp(e->d_name, "one")) types += e->d_type == DT_REG;
        if (!strcmp(e->d_name, "e")) types += e->d_type == DT_DIR;
        if (!strcmp(e->d_name, "link")) types += e->d_type == DT_LNK;
        if (!strcmp(e->d_name, "fifo")) types += e->d_type == DT_FIFO;
    }
    CHECK(seen == 7 && types == 4);
    rewinddir(dir);
    CHECK(readdir(dir) != NULL && openat(dirfd(dir), "one", O_RDONLY) >= 0 && closedir(dir) == 0);
    struct dirent **list;
    int count = scandir("d", &list, no_dots, by_name);
    CHECK(count == 5 && !strcmp(list[0]->d_name, "e") && !strcmp(list[4]->d_name, "two"));
    while (count > 0) free(list[--count]);
    free(list);
    CHECK(!opendir("d/one") && errno == ENOTDIR && !opendir("nothing") && errno == ENOENT);

    CHECK(symlink("../d/./e//", "d/up") == 0 && realpath("d/up/../link", path));
    CHECK(!strncmp(path, here, strlen(here)) && !strcmp(path + strlen(here), "/d/one"));
    CHECK(!realpath("d/nothing", path) && errno == ENOENT);
    CHECK(!realpath("d/one/x", path) && errno == ENOTDIR && !realpath("", path) && errno == ENOENT);
    CHECK(!realpath("d/one/", path) && errno == ENOTDIR);
    CHECK(realpath("/", path) && !strcmp(path, "/") && realpath("/..//.", path) && !strcmp(path, "/"));
    CHECK(realpath("d/e/", path) && !strcmp(path + strlen(here), "/d/e"));

    char name[] = "tmp.XXXXXX", folder[] = "dir.XXXXXX";
    struct stat s;
    int fd = mkstemp(name);
    CHECK(fd >= 0 && fstat(fd, &s) == 0 && (s.st_mode & 07777) == 0600 && strcmp(name, "tmp.XXXXXX"));
    CHECK(mkdtemp(folder) == folder && stat(folder, &s) == 0 && (s.st_mode & 07777) == 0700);
    char bad[] = "XXX";
    FAILS(mkstemp(bad), EINVAL);
    /* A folder with many names, read in several messages. */
    CHECK(mkdir("many", 0777) == 0);
    for (int i = 0; i < 500; i++) {
        snprintf(path, sizeof path, "many/a-name-of-some-length-%d", i);
        put(path, "");
    }
    dir = opendir("many");
    seen = 0;
    while (readdir(dir)) seen++;
    closedir(dir);
    CHECK(seen == 502);
}

static void stdio_section(void) {
    FILE *f = fopen("f", "w");
    CHECK(f && fprintf(f, "%d %s %.3f\n", 42, "text", 1.5) == 14 && fclose(f) == 0);
    CHECK(!strcmp(get("f"), "42 text 1.500\n"));
    CHECK(!fopen("nothing", "r") && errno == ENOENT && !fopen("f", "q") && errno == EINVAL);
    f = fopen("f", "a+");
    CHECK(f && fputs("second\n", f) >= 0);
    rewind(f);
    char line[64];
    CHECK(fgets(line, sizeof line, f) && !strcmp(line, "42 text 1.500\n"));
    CHECK(fgets(line, sizeof line, f) && !strcmp(line, "second\n"));
    CHECK(!fgets(line, sizeof line, f) && feof(f) && fclose(f) == 0);
    CHECK(!fopen("f", "wx") && errno == EEXIST);
    f = fopen("f", "r+");
    CHECK(fseek(f, -4, SEEK_END) == 0 && ftell(f) == 17 && fgetc(f) == 'o' && ungetc('O', f) == 'O');
    CHECK(fgetc(f) == 'O' && fseeko(f, 0, SEEK_SET) == 0 && fputc('X', f) == 'X' && fclose(f) == 0);
    CHECK(!strncmp(get("f"), "X2 text", 7));
    f = fopen("big", "w");
    for (int i = 0; i < 20000; i++) fprintf(f, "line %05d\n", i);
    CHECK(fclose(f) == 0);
    f = fopen("big", "r");
    char *text = NULL;
    size_t room = 0;
    int count = 0, wrong = 0, number;
    while (getline(&text, &room, f) > 0)
        wrong += sscanf(text, "line %d", &number) != 1 || number != count++;
    CHECK(count == 20000 && wrong == 0 && fclose(f) == 0);
    free(text);
    int fd = open("f", O_RDWR);
    f = fdopen(fd, "a");
    CHECK(f && fileno(f) == fd && fprintf(f, "end") == 3 && fclose(f) == 0);
    CHECK(strstr(get("f"), "second\nend"));
    f = tmpfile();
    CHECK(f && fputs("t", f) >= 0 && fseek(f, 0, SEEK_SET) == 0 && fgetc(f) == 't' && fclose(f) == 0);
    f = freopen("f", "r", fopen("big", "r"));
    CHECK(f && fgetc(f) == 'X' && fclose(f) == 0);
    char small[8];
    const char *volatile digits = "0123456789";
    CHECK(snprintf(small, sizeof small, "%s", digits) == 10 && !strcmp(small, "0123456"));
    CHECK(asprintf(&text, "%lld|%zu|%jd", 1ll << 40, sizeof small, (intmax_t)-5) > 0);
    CHECK(!strcmp(text, "1099511627776|8|-5"));
    free(text);
    f = open_memstream(&text, &room);
    CHECK(f && fclose(f) == 0);
    free(text);
    /* errno from the C library's own functions is Linux's */
    errno = 0;
    CHECK(strtol("99999999999999999999", NULL, 10) == LONG_MAX && errno == ERANGE && ERANGE == 34);
    errno = 0;
    CHECK(strtoull("12x", &text, 10) == 12 && *text == 'x' && errno == 0);
    CHECK(!strcmp(strerror(ENOENT), "No such file or directory") &&
          !strcmp(strerror(0), "Success") && !strcmp(strerror(9999), "Unknown error 9999"));
    CHECK(!strcmp(strsignal(SIGSEGV), "Segmentation fault") && !strcmp(strsignal(SIGCHLD), "Child exited"));
}

static volatile sig_atomic_t caught, last, nested;
static void handler(int signal) {
    caught++;
    last = signal;
}

static pid_t spawn_self(const char *section, int in, int out) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (in >= 0) posix_spawn_file_actions_adddup2(&actions, in, 0);
    if (out >= 0) posix_spawn_file_actions_adddup2(&actions, out, 1);
    char *argv[] = {(char *)"libctest", (char *)section, NULL};
    pid_t pid = -1;
    const char *self = getenv("LIBCTEST");
    CHECK(posix_spawnp(&pid, self ? self : "libctest", &actions, NULL, argv, environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

static void forks(void) {
    int status, ends[2];
    char buf[64];
    pid_t me = getpid();
    /* 0 is Linux's answer for a parent or session leader outside the PID namespace (a container). */
    CHECK(me > 0 && getppid() >= 0 && getpgrp() == getpgid(0) && getsid(0) == getsid(me));
    int before = 1;
    pid_t pid = fork();
    if (pid == 0) {
        before = 2;
        _exit(getpid() != me && getppid() == me && before == 2 ? 7 : 1);
    }
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    CHECK(before == 1);
    FAILS(wait(&status), ECHILD);
    FAILS(waitpid(99999, &status, 0), ECHILD);

    /* stdio's buffer is copied */
    int saved = dup(1), out = open("out", O_RDWR | O_CREAT | O_TRUNC, 0666);
    fflush(stdout);
    dup2(out, 1);
    printf("twice\n");
    pid = fork();
    if (pid == 0) exit(0);
    waitpid(pid, &status, 0);
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    close(out);
    CHECK(!strcmp(get("out"), "twice\ntwice\n"));

    /* pipes between processes */
    CHECK(pipe(ends) == 0);
    pid = fork();
    if (pid == 0) {
        close(ends[0]);
        static char block[100000];
        memset(block, 'x', sizeof block);
        _exit(write(ends[1], block, sizeof block) == sizeof block ? 0 : 1);
    }
    close(ends[1]);
    size_t total = 0;
    ssize_t n;
    while ((n = read(ends[0], buf, sizeof buf)) > 0) total += (size_t)n;
    close(ends[0]);
    CHECK(total == 100000 && waitpid(pid, &status, 0) == pid && status == 0);

    /* deep recursion survives a fork */
    CHECK(pipe2(ends, O_CLOEXEC) == 0 && fcntl(ends[0], F_GETFD) == FD_CLOEXEC);
    for (int i = 0; i < 3; i++) {
        pid = fork();
        if (pid == 0) {
            dprintf(ends[1], "%d", i);
            _exit(i);
        }
        CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == i);
    }
    CHECK(read(ends[0], buf, 3) == 3 && !memcmp(buf, "012", 3));
    close(ends[0]);
    close(ends[1]);
}

static void programs(void) {
    int status, ends[2];
    char buf[64];
    CHECK(pipe(ends) == 0);
    pid_t pid = spawn_self("child-echo", -1, ends[1]);
    close(ends[1]);
    ssize_t n = read(ends[0], buf, sizeof buf);
    CHECK(n == 6 && !memcmp(buf, "child\n", 6) && waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 5);
    close(ends[0]);
    char *none[] = {(char *)"nothing", NULL};
    CHECK(posix_spawnp(&pid, "no-such-command", NULL, NULL, none, environ) == ENOENT);
    CHECK(posix_spawn(&pid, "/no/such", NULL, NULL, none, environ) == ENOENT);
    put("plain", "text");
    CHECK(posix_spawn(&pid, "./plain", NULL, NULL, none, environ) == EACCES);
    pid = fork();
    if (pid == 0) {
        execlp("no-such-command", "x", (char *)NULL);
        _exit(errno == ENOENT ? 3 : 4);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 3);
    pid = fork();
    if (pid == 0) {
        setenv("LIBCTEST_VALUE", "from fork", 1);
        const char *self = getenv("LIBCTEST");
        execlp(self ? self : "libctest", "libctest", "child-env", (char *)NULL);
        _exit(9);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Death by signal, groups, stops and limits. */
static void endings(void) {
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        for (;;) pause();
    }
    setpgid(pid, pid);
    CHECK(getpgid(pid) == pid && waitpid(pid, &status, WNOHANG) == 0 && killpg(pid, SIGTERM) == 0);
    CHECK(waitpid(-pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    pid = fork();
    if (pid == 0) abort();
    CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    pid = fork();
    if (pid == 0) {
        signal(SIGPIPE, SIG_DFL);
        int p[2];
        _exit(pipe(p) + close(p[0]) + (int)write(p[1], "x", 1));
    }
    CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
    int go_on[2]; /* or it may have ended before anybody sees that it was continued */
    CHECK(pipe(go_on) == 0);
    pid = fork();
    if (pid == 0) {
        char byte;
        raise(SIGSTOP);
        _exit(read(go_on[0], &byte, 1) == 1 ? 6 : 7);
    }
    CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
    CHECK(kill(pid, SIGCONT) == 0 && waitpid(pid, &status, WCONTINUED) == pid && WIFCONTINUED(status));
    CHECK(write(go_on[1], "x", 1) == 1 && close(go_on[0]) == 0 && close(go_on[1]) == 0);
    CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 6);
    FAILS(kill(99999, 0), ESRCH);
    struct rusage usage;
    struct tms tms;
    CHECK(getrusage(RUSAGE_SELF, &usage) == 0 && times(&tms) != (clock_t)-1);
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > 0 && limit.rlim_cur <= limit.rlim_max);
    limit.rlim_cur = 40;
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0 && sysconf(_SC_OPEN_MAX) == 40);
    FAILS(dup2(1, 40), EBADF);
}

static void processes(void) {
    forks();
    programs();
    endings();
}

static void info_handler(int signal, siginfo_t *info, void *context) {
    (void)context;
    caught += info->si_signo == signal;
}

static void nesting_handler(int signal) {
    nested++;
    if (nested == 1) {
        sigset_t pending;
        raise(signal); /* blocked while it runs */
        CHECK(nested == 1 && sigpending(&pending) == 0 && sigismember(&pending, signal) == 1);
    }
}

static void signals(void) {
    struct sigaction action = {0}, old;
    sigset_t set, pending;
    action.sa_handler = handler;
    CHECK(sigaction(SIGUSR1, &action, &old) == 0 && old.sa_handler == SIG_DFL);
    caught = 0;
    CHECK(raise(SIGUSR1) == 0 && caught == 1 && last == SIGUSR1);
    CHECK(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == handler);
    CHECK(signal(SIGUSR2, SIG_IGN) == SIG_DFL && raise(SIGUSR2) == 0 &&
          signal(SIGUSR2, handler) == SIG_IGN);
    FAILS(sigaction(SIGKILL, &action, NULL), EINVAL);
    FAILS(sigaction(100, &action, NULL), EINVAL);

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0 && raise(SIGUSR1) == 0 && caught == 1);
    CHECK(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1) == 1);
    CHECK(sigprocmask(SIG_UNBLOCK, &set, NULL) == 0 && caught == 2);

    /* EINTR and SA_RESTART */
    int ends[2], status;
    char c;
    CHECK(pipe(ends) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        usleep(20000);
        kill(getppid(), SIGUSR1);
        _exit(0);
    }
    FAILS(read(ends[0], &c, 1), EINTR);
    CHECK(caught == 3 && waitpid(pid, &status, 0) == pid);
    action.sa_flags = SA_RESTART;
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    pid = fork();
    if (pid == 0) {
        usleep(20000);
        kill(getppid(), SIGUSR1);
        usleep(20000);
        _exit(write(ends[1], "z", 1) != 1);
    }
    CHECK(read(ends[0], &c, 1) == 1 && c == 'z' && caught == 4 && waitpid(pid, &status, 0) == pid);

    /* sigsuspend lets in what is blocked, and puts the mask back */
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGUSR1);
    sigset_t none;
    sigemptyset(&none);
    CHECK(caught == 4);
    FAILS(sigsuspend(&none), EINTR);
    CHECK(caught == 5 && sigprocmask(SIG_BLOCK, NULL, &pending) == 0 && sigismember(&pending, SIGUSR1));
    raise(SIGUSR1);
    FAILS(ppoll(NULL, 0, NULL, &none), EINTR);
    CHECK(caught == 6);
    sigprocmask(SIG_UNBLOCK, &set, NULL);

    action.sa_handler = nesting_handler;
    action.sa_flags = 0;
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    CHECK(nested == 2);
    action.sa_sigaction = info_handler;
    action.sa_flags = SA_SIGINFO | SA_RESETHAND;
    caught = 0;
    sigaction(SIGUSR1, &action, NULL);
    CHECK(raise(SIGUSR1) == 0 && caught == 1 && sigaction(SIGUSR1, NULL, &old) == 0 &&
          old.sa_handler == SIG_DFL);

    /* SIGCHLD, SIGALRM */
    signal(SIGCHLD, handler);
    caught = 0;
    pid = fork();
    if (pid == 0) _exit(0);
    CHECK(waitpid(pid, &status, 0) == pid && caught == 1 && last == SIGCHLD);
    action = (struct sigaction){0};
    action.sa_handler = handler;
    sigaction(SIGALRM, &action, NULL);
    CHECK(alarm(100) == 0 && alarm(0) == 100);
    struct itimerval timer = {{0, 0}, {0, 30000}};
    CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0);
    FAILS(pause(), EINTR);
    CHECK(last == SIGALRM);
    timer.it_interval.tv_usec = 10000;
    caught = 0;
    setitimer(ITIMER_REAL, &timer, NULL);
    while (caught < 3) pause();
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    /* inherited: ignored stays ignored over exec, caught becomes default; the mask stays */
    signal(SIGHUP, SIG_IGN);
    signal(SIGTERM, handler);
    sigprocmask(SIG_BLOCK, &set, NULL);
    pid = spawn_self("child-signals", -1, -1);
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void times_section(void) {
    struct timespec a, b;
    struct timeval tv;
    CHECK(clock_gettime(CLOCK_REALTIME, &a) == 0 && a.tv_sec > 1000000000 && time(NULL) >= a.tv_sec);
    CHECK(gettimeofday(&tv, NULL) == 0 && tv.tv_sec >= a.tv_sec);
    CHECK(clock_gettime(CLOCK_MONOTONIC, &a) == 0);
    CHECK(nanosleep(&(struct timespec){0, 20000000}, NULL) == 0);
    clock_gettime(CLOCK_MONOTONIC, &b);
    CHECK((b.tv_sec - a.tv_sec) * 1000000000ll + b.tv_nsec - a.tv_nsec >= 20000000);
    CHECK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &(struct timespec){1, 0}, NULL) == 0);
    CHECK(sleep(0) == 0 && usleep(1) == 0 && clock() != (clock_t)-1);
    FAILS(nanosleep(&(struct timespec){0, 2000000000}, NULL), EINVAL);
    FAILS(clock_gettime(77, &a), EINVAL);
    time_t when = 1700000000;
    struct tm *tm = gmtime(&when);
    char text[64];
    CHECK(strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %a %j", tm) && !strcmp(text, "2023-11-14 22:13:20 Tue 318"));
    CHECK(timegm(tm) == when);
    setenv("TZ", "EST5EDT,M3.2.0,M11.1.0", 1);
    tzset();
    CHECK(!strcmp(tzname[0], "EST") && !strcmp(tzname[1], "EDT") && timezone == 18000 && daylight);
    tm = localtime(&when);
    CHECK(tm->tm_hour == 17 && tm->tm_isdst == 0 && tm->tm_gmtoff == -18000);
    CHECK(strftime(text, sizeof text, "%H %z %Z", tm) && !strcmp(text, "17 -0500 EST") && mktime(tm) == when);
    tm = localtime(&(time_t){1720000000});
    CHECK(tm->tm_hour == 5 && tm->tm_isdst == 1 && !strcmp(tm->tm_zone, "EDT"));
    struct tm skipped = {.tm_year = 124, .tm_mon = 2, .tm_mday = 10, .tm_hour = 12, .tm_isdst = -1};
    CHECK(mktime(&skipped) == 1710086400 && skipped.tm_isdst == 1 && skipped.tm_wday == 0);
    setenv("TZ", "UTC", 1);
    tzset();
    tm = localtime(&when);
    CHECK(tm->tm_hour == 22 && !strcmp(tm->tm_zone, "UTC") && timezone == 0);
    CHECK(strptime("2024-02-29", "%Y-%m-%d", tm) && tm->tm_mon == 1 && tm->tm_mday == 29);
    /* poll and select */
    int ends[2];
    CHECK(pipe(ends) == 0);
    struct pollfd fds[3] = {{.fd = ends[0], .events = POLLIN}, {.fd = ends[1], .events = POLLOUT}, {.fd = -1}};
    CHECK(poll(fds, 3, 1000) == 1 && fds[0].revents == 0 && fds[1].revents == POLLOUT);
    CHECK(poll(fds, 1, 0) == 0 && poll(fds, 1, 10) == 0);
    CHECK(write(ends[1], "x", 1) == 1 && poll(fds, 1, -1) == 1 && fds[0].revents == POLLIN);
    fd_set in, out;
    FD_ZERO(&in);
    FD_SET(ends[0], &in);
    FD_ZERO(&out);
    int empty[2]; /* the other one may be full */
    CHECK(pipe(empty) == 0);
    FD_SET(empty[1], &out);
    CHECK(select(empty[1] + 1, &in, &out, NULL, NULL) == 2 && FD_ISSET(ends[0], &in) && FD_ISSET(empty[1], &out));
    close(empty[0]);
    close(empty[1]);
    int waiting;
    CHECK(ioctl(ends[0], FIONREAD, &waiting) == 0 && waiting == 1);
    close(ends[1]);
    char c;
    CHECK(read(ends[0], &c, 1) == 1 && poll(fds, 1, -1) == 1 && fds[0].revents == POLLHUP);
    close(ends[0]);
    CHECK(poll(fds, 1, 0) == 1 && fds[0].revents == POLLNVAL);
    /* a pipe that would wait */
    CHECK(pipe2(ends, O_NONBLOCK) == 0);
    FAILS(read(ends[0], &c, 1), EAGAIN);
    static char block[70000];
    ssize_t n = write(ends[1], block, sizeof block);
    CHECK(n > 0 && n <= 65536);
    FAILS(write(ends[1], block, 1), EAGAIN);
    FAILS(lseek(ends[0], 0, SEEK_CUR), ESPIPE);
    FAILS(tcgetpgrp(ends[0]), ENOTTY);
    CHECK(!isatty(ends[0]) && errno == ENOTTY && !isatty(200) && errno == EBADF);
}

static void environment(void) {
    CHECK(setenv("A", "1", 1) == 0 && !strcmp(getenv("A"), "1"));
    CHECK(setenv("A", "2", 0) == 0 && !strcmp(getenv("A"), "1"));
    CHECK(setenv("A", "3", 1) == 0 && !strcmp(getenv("A"), "3"));
    FAILS(setenv("", "x", 1), EINVAL);
    FAILS(setenv("A=B", "x", 1), EINVAL);
    char own[] = "OWN=mine";
    CHECK(putenv(own) == 0 && getenv("OWN") == own + 4);
    own[4] = 'M';
    CHECK(!strcmp(getenv("OWN"), "Mine") && unsetenv("OWN") == 0 && !getenv("OWN"));
    for (int i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "VAR%d", i % 30);
        CHECK(setenv(name, name, 1) == 0);
    }
    CHECK(!strcmp(getenv("VAR29"), "VAR29") && unsetenv("A") == 0 && !getenv("A"));
    CHECK(getenv("PATH") != NULL && clearenv() == 0 && !getenv("PATH"));
    CHECK(setenv("X", "y", 1) == 0 && !strcmp(environ[0], "X=y") && !environ[1]);
    struct utsname name;
    char host[65];
    CHECK(uname(&name) == 0 && !strcmp(name.sysname, "Linux") && gethostname(host, sizeof host) == 0 &&
          !strcmp(host, name.nodename));
    struct passwd *user = getpwuid(getuid());
    CHECK(user && user->pw_uid == getuid() && user->pw_dir[0] == '/');
    char *copy = user ? strdup(user->pw_name) : NULL;
    CHECK(copy && getpwnam(copy) && getpwnam(copy)->pw_uid == getuid() && !getpwnam("no such"));
    free(copy);
    struct group *group = getgrgid(getgid());
    CHECK(group && group->gr_gid == getgid() && getgrnam("root") && getgrnam("root")->gr_gid == 0);
    CHECK(sysconf(_SC_PAGESIZE) == 4096 && sysconf(_SC_NPROCESSORS_ONLN) >= 1 && pathconf("/", _PC_NAME_MAX) == 255);
    unsigned char random[16] = {0}, zero[16] = {0};
    CHECK(getentropy(random, sizeof random) == 0 && memcmp(random, zero, sizeof zero));
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void text(void) {
    CHECK(setlocale(LC_ALL, "C.UTF-8") != NULL && MB_CUR_MAX >= 4);
    wchar_t wide[8];
    CHECK(mbstowcs(wide, "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 8) == 4 && wide[1] == 0xe4 &&
          wide[2] == 0x20ac && wide[3] == 0x1f600);
    CHECK(mbstowcs(wide, "\xff", 8) == (size_t)-1 && errno == EILSEQ && EILSEQ == 84);
    CHECK(towupper(0xe4) == 0xc4 && iswalpha(0xe4) && wcwidth(0x4e00) == 2 && wcwidth(0x300) == 0);
    char bytes[8];
    CHECK(wctomb(bytes, 0x20ac) == 3 && !memcmp(bytes, "\xe2\x82\xac", 3));
    CHECK(strtod("1e400", NULL) == HUGE_VAL && errno == ERANGE);
    CHECK(strtod("0x1.8p1", NULL) == 3.0 && atof("2.5") == 2.5 && fabs(sin(1) - 0.8414709848078965) < 1e-15);
    char number[80];
    snprintf(number, sizeof number, "%.17g %a %g", 0.1, 1.0, 1e100);
    CHECK(!strcmp(number, "0.10000000000000001 0x1p+0 1e+100"));
    int values[] = {5, 3, 9, 1};
    qsort(values, 4, sizeof *values, compare);
    CHECK(values[0] == 1 && values[3] == 9);
    void *big = malloc(8 << 20);
    CHECK(big != NULL);
    if (big) memset(big, 1, 8 << 20);
    free(big);
    void *volatile huge = malloc((size_t)PTRDIFF_MAX - 4096);
    CHECK(!huge);
}

static void shell(void) {
    FILE *f = popen("echo from the shell", "r");
    char line[64];
    CHECK(f && fgets(line, sizeof line, f) && !strcmp(line, "from the shell\n") && pclose(f) == 0);
    CHECK(WEXITSTATUS(system("exit 3")) == 3 && system(NULL) == 1);
    f = popen("cat > made", "w");
    CHECK(f && fputs("written", f) >= 0 && pclose(f) == 0 && !strcmp(get("made"), "written"));
    put("script", "echo script $1\nexit 4\n");
    CHECK(chmod("script", 0755) == 0);
    pid_t pid = fork();
    int status;
    if (pid == 0) {
        execlp("./script", "script", "arg", (char *)NULL);
        _exit(9);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 4);
}

/* ---- what sections start */

static void child_signals(void) {
    struct sigaction old;
    sigset_t mask;
    CHECK(sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler == SIG_IGN);
    CHECK(sigaction(SIGTERM, NULL, &old) == 0 && old.sa_handler == SIG_DFL);
    CHECK(sigprocmask(SIG_BLOCK, NULL, &mask) == 0 && sigismember(&mask, SIGUSR1) == 1);
}

static void child_env(void) {
    const char *value = getenv("LIBCTEST_VALUE");
    CHECK(value && !strcmp(value, "from fork"));
}

static void child_echo(void) {
    printf("child\n");
    failures = 5;
}

static const struct {
    const char *name;
    void (*run)(void);
} sections[] = {
    {"files", files},           {"directories", directories},
    {"stdio", stdio_section},   {"processes", processes},
    {"signals", signals},       {"times", times_section},
    {"environment", environment}, {"text", text},
    {"shell", shell},           {"child-signals", child_signals},
    {"child-env", child_env},   {"child-echo", child_echo},
    {"search", search},
};

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    int child = !strncmp(name, "child-", 6);
    char folder[] = "/tmp/libctest.XXXXXX";
    if (!child && (!mkdtemp(folder) || chdir(folder) < 0)) {
        perror(folder);
        return 99;
    }
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (strcmp(sections[i].name, name)) continue;
        sections[i].run();
        return failures;
    }
    fprintf(stderr, "libctest: no section `%s`\n", name);
    return 98;
}
