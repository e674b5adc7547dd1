/*
 * watch.c: runs a command again and again.
 *
 * There is no screen here to draw on: every round is printed below the one before. Where no
 * terminal is described (TERM is not set) it ends at once with what ncurses says, as the original
 * does.
 *
 * help watch:
 *   Usage: watch [options] command
 *   Run a command repeatedly and show its output.
 *
 *     -b, --beep             beep if command has a non-zero exit
 *     -c, --color            interpret ANSI color and style sequences
 *     -d, --differences[=<permanent>]  highlight changes between updates (here: ignored)
 *     -e, --errexit          exit if command has a non-zero exit
 *     -g, --chgexit          exit when output from command changes
 *     -n, --interval <secs>  seconds to wait between updates
 *     -p, --precise          attempt run command in precise intervals
 *     -t, --no-title         turn off header
 *     -x, --exec             pass command to exec instead of "sh -c"
 *     -w, --no-wrap          turn off line wrapping
 *         --help             display this help and exit
 *         --version          output version information and exit
 */
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_spawn.h"
#include "g_text.h"
#include "g_time.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    double interval;
    bool beep, stop_on_error, stop_on_change, title, direct;
    char *const *argv;
    char *command;
} watcher;

static void put_title(const watcher *w) {
    char host[65] = "";
    struct timespec now;
    g_civil c;
    gethostname(host, sizeof host - 1);
    clock_gettime(CLOCK_REALTIME, &now);
    g_civil_local(now.tv_sec, &c);
    char *date = g_strftime("%c", &c, now.tv_sec, (int)now.tv_nsec, NULL);
    g_outf("Every %.1fs: %s    %s: %s\n\n", w->interval, w->command, host, date);
    free(date);
}

/* The command's output; its status in *status. */
static char *run_once(const watcher *w, size_t *len, int *status) {
    static char shell[] = "sh", option[] = "-c";
    char *const by_shell[] = {shell, option, w->command, NULL};
    int ends[2], own = dup(STDOUT_FILENO);
    g_out_flush();
    if (own < 0 || pipe(ends) < 0) g_die_errno(1, errno, "cannot make a pipe");
    dup2(ends[1], STDOUT_FILENO);
    close(ends[1]);
    pid_t pid = g_spawn(w->direct ? w->argv : by_shell, NULL, G_STDIN_NULL);
    int error = errno;
    dup2(own, STDOUT_FILENO);
    close(own);
    if (pid < 0) g_die_errno(1, error, "cannot run %s", w->direct ? w->argv[0] : "sh");
    char *output = g_read_all(ends[0], len);
    close(ends[0]);
    *status = g_exit_status(g_wait(pid));
    if (!output) g_die_errno(1, errno, "cannot read the command's output");
    return output;
}

static int watch(const watcher *w) {
    char *last = NULL;
    size_t last_len = 0;
    for (;;) {
        int status;
        size_t len;
        if (w->title) put_title(w);
        char *output = run_once(w, &len, &status);
        g_out(output, len);
        if (w->title) g_outc('\n');
        if (status && w->beep) g_outc('\a');
        g_out_flush();
        if (status && w->stop_on_error) return 8;
        if (w->stop_on_change && last && (len != last_len || memcmp(output, last, len) != 0))
            return 0;
        free(last);
        last = output;
        last_len = len;
        struct timespec pause = {(time_t)w->interval,
                                 (long)((w->interval - (double)(time_t)w->interval) * 1e9)};
        nanosleep(&pause, NULL);
    }
}

static const g_long longs[] = {{"beep", 'b', G_NONE},
                               {"color", 'c', G_NONE},
                               {"differences", 'd', G_OPTIONAL},
                               {"errexit", 'e', G_NONE},
                               {"chgexit", 'g', G_NONE},
                               {"interval", 'n', G_REQUIRED},
                               {"precise", 'p', G_NONE},
                               {"no-title", 't', G_NONE},
                               {"exec", 'x', G_NONE},
                               {"no-wrap", 'w', G_NONE},
                               {0}};

int watch_main(int argc, char **argv) {
    watcher w = {.interval = 2, .title = true};
    g_options o = g_options_of(argc, argv, "+bcd::egn:ptxw", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'b': w.beep = true; break;
        case 'e': w.stop_on_error = true; break;
        case 'g': w.stop_on_change = true; break;
        case 'n':
            if (!g_parse_real(o.arg, &w.interval))
                g_die(1, "failed to parse argument: '%s'", o.arg);
            if (!(w.interval >= 0.1)) w.interval = 0.1;
            if (w.interval > 2678400) w.interval = 2678400;
            break;
        case 't': w.title = false; break;
        case 'x': w.direct = true; break;
        }
    if (o.at == argc) {
        fprintf(stderr, "%s", g_help());
        return 1;
    }
    const char *terminal = getenv("TERM");
    if (!terminal || !*terminal) {
        fputs("Error opening terminal: unknown.\n"
              "watch: there is no terminal; `while sleep 2; do COMMAND; done` repeats a command\n",
              stderr);
        return 1;
    }
    g_text command = {0};
    for (int i = o.at; i < argc; i++) {
        if (i > o.at) g_text_addc(&command, ' ');
        g_text_adds(&command, argv[i]);
    }
    w.argv = argv + o.at;
    w.command = command.s;
    return watch(&w);
}
