/*
 * tee.c: copies standard input to files and to standard output.
 *
 * help tee:
 *   Usage: tee [OPTION]... [FILE]...
 *   Copy standard input to each FILE, and also to standard output.
 *
 *     -a, --append               append to the given FILEs, do not overwrite
 *     -i, --ignore-interrupts    ignore interrupt signals
 *     -p                         diagnose errors writing to non pipes
 *         --output-error[=MODE]  set behavior on write error: warn, warn-nopipe, exit, exit-nopipe
 *         --help                 display this help and exit
 *         --version              output version information and exit
 */
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define BLOCK (64u << 10)

enum on_error { SIGPIPE_ENDS, WARN, WARN_NO_PIPE, EXIT, EXIT_NO_PIPE };
enum { OUTPUT_ERROR = 256 };
static const g_long longs[] = {{"append", 'a', G_NONE},
                               {"ignore-interrupts", 'i', G_NONE},
                               {"output-error", OUTPUT_ERROR, G_OPTIONAL},
                               {0}};
static const g_word modes[] = {{"warn", WARN},
                               {"warn-nopipe", WARN_NO_PIPE},
                               {"exit", EXIT},
                               {"exit-nopipe", EXIT_NO_PIPE},
                               {0}};

typedef struct {
    const char *name;
    int fd; /* -1: given up */
} output;

/* 0, or the errno of a failed write. */
static int write_all(int fd, const char *s, size_t len) {
    while (len > 0) {
        ssize_t n = write(fd, s, len);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        s += n;
        len -= (size_t)n;
    }
    return 0;
}

int tee_main(int argc, char **argv) {
    int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
    enum on_error mode = SIGPIPE_ENDS;
    g_options o = g_options_of(argc, argv, "aip", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (option == 'a') flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
        if (option == 'i') signal(SIGINT, SIG_IGN);
        if (option == 'p') mode = WARN_NO_PIPE;
        if (option == OUTPUT_ERROR)
            mode = o.arg ? (enum on_error)g_match_word("--output-error", o.arg, modes)
                         : WARN_NO_PIPE;
    }
    if (mode != SIGPIPE_ENDS) signal(SIGPIPE, SIG_IGN);
    int count = argc - o.at + 1, status = 0, alive = 1;
    output *outs = g_zalloc((size_t)count * sizeof *outs);
    outs[0] = (output){"standard output", STDOUT_FILENO};
    for (int i = 1; i < count; i++) {
        outs[i].name = argv[o.at + i - 1];
        outs[i].fd = open(outs[i].name, flags, 0666);
        if (outs[i].fd >= 0) {
            alive++;
            continue;
        }
        g_warn_errno(errno, "%s", g_quotef(outs[i].name));
        status = 1;
        if (mode == EXIT || mode == EXIT_NO_PIPE) return 1;
    }
    char *block = g_alloc(BLOCK);
    while (alive > 0) {
        ssize_t n = g_read(STDIN_FILENO, block, BLOCK);
        if (n < 0) {
            g_warn_errno(errno, "read error");
            return 1;
        }
        if (n == 0) break;
        for (int i = 0; i < count; i++) {
            if (outs[i].fd < 0) continue;
            int error = write_all(outs[i].fd, block, (size_t)n);
            if (!error) continue;
            bool quiet = error == EPIPE && (mode == WARN_NO_PIPE || mode == EXIT_NO_PIPE);
            if (!quiet) {
                g_warn_errno(error, "%s", g_quotef(outs[i].name));
                status = 1;
                if (mode == EXIT || mode == EXIT_NO_PIPE) return 1;
            }
            outs[i].fd = -1;
            alive--;
        }
    }
    return status;
}
