/*
 * time.c: runs a command and tells how long it took. The shell's own `time` is a keyword; this is
 * the program behind `command time` and `env time`.
 *
 * Deviations: of resources only times are known; other conversions of -f print 0.
 *
 * help time:
 *   Usage: time [-apvV] [-f format] [-o file] [--append] [--verbose] [--portability]
 *               [--format=format] [--output=file] [--version] [--quiet] [--help] command [arg...]
 *
 *     -a, --append         with -o FILE, append instead of overwriting
 *     -f, --format=FORMAT  use the specified FORMAT instead of the default
 *     -o, --output=FILE    write to FILE instead of STDERR
 *     -p, --portability    print POSIX standard 1003.2 conformant string
 *     -q, --quiet          do not print information about abnormal program termination
 *     -v, --verbose        print all resource usage information instead of the default format
 *         --help           display this help and exit
 *     -V, --version        output version information and exit
 */
#include "g_option.h"
#include "g_out.h"
#include "g_spawn.h"
#include "g_text.h"
#include "g_time.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usual[] = "%Uuser %Ssystem %Eelapsed %PCPU (%Xavgtext+%Davgdata %Mmaxresident)k\n"
                            "%Iinputs+%Ooutputs (%Fmajor+%Rminor)pagefaults %Wswaps";
static const char portable[] = "real %e\nuser %U\nsys %S";
static const char all[] =
    "\tCommand being timed: \"%C\"\n\tUser time (seconds): %U\n\tSystem time (seconds): %S\n"
    "\tPercent of CPU this job got: %P\n\tElapsed (wall clock) time (h:mm:ss or m:ss): %E\n"
    "\tMaximum resident set size (kbytes): %M\n\tExit status: %x";

typedef struct {
    double real, user, system;
    int status;
    char **command;
} outcome;

static void add(g_text *out, char conversion, const outcome *r) {
    switch (conversion) {
    case 'e': g_text_addf(out, "%.2f", r->real); break;
    case 'U': g_text_addf(out, "%.2f", r->user); break;
    case 'S': g_text_addf(out, "%.2f", r->system); break;
    case 'E': {
        long seconds = (long)r->real;
        int hundredths = (int)((r->real - (double)seconds) * 100);
        if (seconds >= 3600)
            g_text_addf(out, "%ld:%02ld:%02ld", seconds / 3600, seconds / 60 % 60, seconds % 60);
        else
            g_text_addf(out, "%ld:%02ld.%02d", seconds / 60, seconds % 60, hundredths);
        break;
    }
    case 'P':
        if (r->real > 0)
            g_text_addf(out, "%d%%", (int)((r->user + r->system) * 100 / r->real));
        else
            g_text_adds(out, "?%");
        break;
    case 'x': g_text_addf(out, "%d", r->status); break;
    case 'C':
        for (char **s = r->command; *s; s++)
            g_text_addf(out, "%s%s", s == r->command ? "" : " ", *s);
        break;
    case '%': g_text_addc(out, '%'); break;
    default: g_text_addc(out, '0');
    }
}

static void report(int fd, const char *format, const outcome *r) {
    g_text out = {0};
    for (const char *s = format; *s; s++) {
        if (*s == '%' && s[1]) {
            add(&out, *++s, r);
        } else if (*s == '\\' && s[1]) {
            s++;
            g_text_addc(&out, *s == 'n' ? '\n' : *s == 't' ? '\t' : *s);
        } else {
            g_text_addc(&out, *s);
        }
    }
    g_text_addc(&out, '\n');
    if (write(fd, out.s, out.len) < 0) g_exit(125);
    g_text_free(&out);
}

static const g_long longs[] = {{"append", 'a', G_NONE},
                               {"format", 'f', G_REQUIRED},
                               {"output", 'o', G_REQUIRED},
                               {"portability", 'p', G_NONE},
                               {"quiet", 'q', G_NONE},
                               {"verbose", 'v', G_NONE},
                               {0}};

int time_main(int argc, char **argv) {
    const char *format = usual, *output = NULL;
    bool append = false, quiet = false;
    g_set_failure(125);
    g_options o = g_options_of(argc, argv, "+af:o:pqvV", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'a': append = true; break;
        case 'f': format = o.arg; break;
        case 'o': output = o.arg; break;
        case 'p': format = portable; break;
        case 'q': quiet = true; break;
        case 'v': format = all; break;
        case 'V': g_print_version(); return 0;
        }
    if (o.at == argc) g_usage("missing program to run");
    int fd = STDERR_FILENO;
    if (output && (fd = open(output, O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC),
                             0666)) < 0)
        g_die_errno(125, errno, "%s", output);
    g_moment start = g_now();
    pid_t child = g_spawn(argv + o.at, NULL, G_STDIN_SAME);
    if (child < 0) g_die_errno(errno == ENOENT ? 127 : 126, errno, "cannot run %s", argv[o.at]);
    int status = g_wait(child);
    g_moment end = g_now();
    struct rusage usage = {0};
    getrusage(RUSAGE_CHILDREN, &usage);
    outcome r = {.real = (double)(end.seconds - start.seconds) +
                         (end.nanoseconds - start.nanoseconds) / 1e9,
                 .user = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6,
                 .system = (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6,
                 .status = g_exit_status(status),
                 .command = argv + o.at};
    if (!quiet && format != portable && r.status) {
        g_text note = {0};
        if (WIFSIGNALED(status))
            g_text_addf(&note, "Command terminated by signal %d\n", WTERMSIG(status));
        else
            g_text_addf(&note, "Command exited with non-zero status %d\n", r.status);
        if (write(fd, note.s, note.len) < 0) return 125;
    }
    report(fd, format, &r);
    return r.status;
}
