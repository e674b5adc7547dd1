/*
 * flock.c: holds a lock on a file while a command runs.
 *
 * help flock:
 *   Usage:
 *    flock [options] <file>|<directory> <command> [<argument>...]
 *    flock [options] <file>|<directory> -c <command>
 *    flock [options] <file descriptor number>
 *
 *   Manage file locks from shell scripts.
 *
 *   Options:
 *    -s, --shared             get a shared lock
 *    -x, --exclusive          get an exclusive lock (default)
 *    -u, --unlock             remove a lock
 *    -n, --nonblock           fail rather than wait
 *    -w, --timeout <secs>     wait for a limited amount of time
 *    -E, --conflict-exit-code <number>  exit code after conflict or timeout
 *    -o, --close              close file descriptor before running command
 *    -c, --command <command>  run a single command string through the shell
 *    -F, --no-fork            execute command without forking
 *        --verbose            increase verbosity
 *    -h, --help               display this help
 *    -V, --version            display version
 */
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_spawn.h"
#include "g_time.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* The statuses of sysexits.h. */
enum { EX_USAGE = 64, EX_DATAERR, EX_NOINPUT, EX_UNAVAILABLE = 69, EX_OSERR = 71 };
enum { VERBOSE = 256 };

typedef struct {
    int kind; /* LOCK_SH, LOCK_EX or LOCK_UN */
    bool nonblock, close_first, no_fork, verbose;
    double timeout; /* below 0: none */
    int conflict;
    const char *command;
} locker;

static double now(void) {
    g_moment t = g_now();
    return (double)t.seconds + t.nanoseconds / 1e9;
}

/* Takes the lock; false when somebody else has it and waiting is over. */
static bool take(const locker *l, int fd, const char *name) {
    double start = now();
    bool timed = l->timeout >= 0, blocks = !l->nonblock && !timed;
    while (flock(fd, l->kind | (blocks ? 0 : LOCK_NB)) != 0) {
        if (errno == EINTR) continue;
        if (errno != EWOULDBLOCK) g_die_errno(EX_DATAERR, errno, "%s", name);
        if (l->nonblock || now() - start >= l->timeout) {
            if (l->verbose)
                g_warn(l->nonblock ? "failed to get lock" : "timeout while waiting to get lock");
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    if (l->verbose) g_outf("%s: getting lock took %.6f seconds\n", g_name(), now() - start);
    return true;
}

static int open_file(const char *name) {
    int fd = open(name, O_RDONLY | O_NOCTTY | O_CREAT, 0666);
    if (fd < 0 && (errno == EISDIR || errno == EACCES || errno == EROFS))
        fd = open(name, O_RDONLY | O_NOCTTY);
    if (fd < 0)
        g_die_errno(errno == ENOMEM || errno == ENOSPC ? EX_OSERR : EX_NOINPUT, errno,
                    "cannot open lock file %s", name);
    return fd;
}

static int run(const locker *l, int fd, char **argv) {
    if (l->verbose) g_outf("%s: executing %s\n", g_name(), argv[0]);
    g_out_flush();
    pid_t pid = l->no_fork ? 0 : fork();
    if (pid < 0) g_die_errno(EX_OSERR, errno, "fork failed");
    if (pid > 0) return g_exit_status(g_wait(pid));
    if (l->close_first) close(fd);
    execvp(argv[0], argv);
    g_die_errno(errno == ENOMEM ? EX_OSERR : EX_UNAVAILABLE, errno, "failed to execute %s",
                argv[0]);
}

static void read_option(locker *l, int option, const char *value) {
    uint64_t number;
    switch (option) {
    case 's': l->kind = LOCK_SH; break;
    case 'x':
    case 'e': l->kind = LOCK_EX; break;
    case 'u': l->kind = LOCK_UN; break;
    case 'n': l->nonblock = true; break;
    case 'o': l->close_first = true; break;
    case 'F': l->no_fork = true; break;
    case VERBOSE: l->verbose = true; break;
    case 'w':
        if (!g_parse_real(value, &l->timeout) || l->timeout < 0)
            g_die(EX_USAGE, "invalid timeout value: '%s'", value);
        if (l->timeout == 0) l->nonblock = true;
        break;
    case 'E':
        if (g_parse_unsigned(value, "", &number, NULL) != G_NUMBER_OK || number > 255)
            g_die(EX_USAGE, "exit code out of range (expected 0 to 255)");
        l->conflict = (int)number;
        break;
    case 'h': g_outs(g_help()); g_exit(0);
    case 'V': g_print_version(); g_exit(0);
    }
}

int flock_main(int argc, char **argv) {
    static const g_long longs[] = {
        {"shared", 's', G_NONE},      {"exclusive", 'x', G_NONE},
        {"unlock", 'u', G_NONE},      {"nonblocking", 'n', G_NONE},
        {"nb", 'n', G_NONE},          {"timeout", 'w', G_REQUIRED},
        {"wait", 'w', G_REQUIRED},    {"conflict-exit-code", 'E', G_REQUIRED},
        {"close", 'o', G_NONE},       {"no-fork", 'F', G_NONE},
        {"verbose", VERBOSE, G_NONE}, {"version", 'V', G_NONE},
        {"help", 'h', G_NONE},        {0}};
    locker l = {.kind = LOCK_EX, .timeout = -1, .conflict = 1};
    g_set_failure(EX_USAGE);
    if (argc < 2) g_usage("not enough arguments");
    g_options o = g_options_of(argc, argv, "+sexnoFuw:E:hV", longs);
    for (int option; (option = g_option(&o)) >= 0;) read_option(&l, option, o.arg);
    if (l.no_fork && l.close_first)
        g_die(EX_USAGE, "the --no-fork and --close options are incompatible");
    int left = argc - o.at;
    if (left == 0) g_die(EX_USAGE, "requires file descriptor, file or directory");
    const char *name = argv[o.at];
    if (left == 1) {
        char *end;
        long fd = strtol(name, &end, 10);
        if (!*name || *end || fd < 0) g_die(EX_USAGE, "bad file descriptor: '%s'", name);
        return take(&l, (int)fd, name) ? 0 : l.conflict;
    }
    char **command = argv + o.at + 1;
    char *shell[] = {getenv("SHELL"), (char *)"-c", NULL, NULL};
    if (strcmp(command[0], "-c") == 0 || strcmp(command[0], "--command") == 0) {
        if (left != 3) g_die(EX_USAGE, "%s requires exactly one command argument", command[0]);
        if (!shell[0] || !*shell[0]) shell[0] = (char *)"/bin/sh";
        shell[2] = command[1];
        command = shell;
    }
    int fd = open_file(name);
    if (!take(&l, fd, name)) return l.conflict;
    return run(&l, fd, command);
}
