/*
 * timeout.c: runs a command and ends it after a time.
 *
 * help timeout:
 *   Usage: timeout [OPTION] DURATION COMMAND [ARG]...
 *     or:  timeout [OPTION]
 *   Start COMMAND, and kill it if still running after DURATION.
 *
 *         --preserve-status      exit with the same status as COMMAND, even when it times out
 *         --foreground           when not running timeout directly from a shell prompt, allow
 *                                  COMMAND to read from the TTY; children are not timed out
 *     -k, --kill-after=DURATION  also send a KILL signal if COMMAND is still running this long
 *                                  after the initial signal was sent
 *     -s, --signal=SIGNAL        specify the signal to be sent on timeout (default TERM)
 *     -v, --verbose              diagnose to stderr any signal sent upon timeout
 *         --help                 display this help and exit
 *         --version              output version information and exit
 *
 *   DURATION is a number with an optional suffix: 's', 'm', 'h' or 'd'. 0 disables the timeout.
 *   Exit status: 124 timed out, 125 timeout itself fails, 126 COMMAND cannot be invoked, 127 it
 *   cannot be found, 137 it (or timeout) is sent the KILL signal, otherwise that of COMMAND.
 */
#include "g_interval.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_signal.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the signal handler needs to know. */
static volatile sig_atomic_t received; /* the last signal that came */

static void on_signal(int number) { received = number; }

enum { PRESERVE = 256, FOREGROUND };
static const g_long longs[] = {{"kill-after", 'k', G_REQUIRED},
                               {"signal", 's', G_REQUIRED},
                               {"verbose", 'v', G_NONE},
                               {"foreground", FOREGROUND, G_NONE},
                               {"preserve-status", PRESERVE, G_NONE},
                               {0}};

static void set_alarm(double seconds) {
    if (seconds <= 0) return;
    struct itimerval timer = {0};
    timer.it_value.tv_sec = (time_t)(seconds < 1e9 ? seconds : 1e9);
    timer.it_value.tv_usec = (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6);
    if (timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0) timer.it_value.tv_usec = 1;
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void send(pid_t child, int number, bool foreground) {
    kill(child, number);
    if (foreground) return;
    signal(number, SIG_IGN); /* the group includes this process */
    kill(0, number);
    if (number != SIGKILL && number != SIGCONT) {
        kill(child, SIGCONT);
        kill(0, SIGCONT);
    }
}

static double duration(const char *text) {
    double seconds;
    if (!g_interval(text, &seconds)) g_usage("invalid time interval %s", g_quote(text));
    return seconds;
}

int timeout_main(int argc, char **argv) {
    bool preserve = false, foreground = false, verbose = false, timed_out = false;
    int term = SIGTERM;
    double kill_after = 0;
    g_set_failure(125);
    g_options o = g_options_of(argc, argv, "+k:s:v", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'k': kill_after = duration(o.arg); break;
        case 's':
            term = g_signal_number(o.arg);
            if (term < 0) g_usage("%s: invalid signal", g_quote(o.arg));
            break;
        case 'v': verbose = true; break;
        case PRESERVE: preserve = true; break;
        case FOREGROUND: foreground = true; break;
        }
    if (argc - o.at < 2) g_usage(NULL);
    double limit = duration(argv[o.at]);
    char **command = argv + o.at + 1;
    if (!foreground) setpgid(0, 0);
    struct sigaction action = {.sa_handler = on_signal};
    const int caught[] = {SIGALRM, SIGINT, SIGQUIT, SIGHUP, SIGTERM, term};
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        sigaction(caught[i], &action, NULL);
    signal(SIGTTIN, SIG_IGN);
    signal(SIGTTOU, SIG_IGN);
    pid_t child = fork();
    if (child < 0) g_die_errno(125, errno, "fork system call failed");
    if (child == 0) {
        signal(SIGTTIN, SIG_DFL);
        signal(SIGTTOU, SIG_DFL);
        for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) signal(caught[i], SIG_DFL);
        execvp(command[0], command);
        int error = errno;
        g_warn_errno(error, "failed to run command %s", g_quote(command[0]));
        _exit(error == ENOENT ? 127 : 126);
    }
    set_alarm(limit);
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) g_die_errno(125, errno, "error waiting for command");
        int number = received;
        received = 0;
        if (!number) continue;
        if (number == SIGALRM) {
            timed_out = true;
            number = term;
        }
        if (verbose) {
            const char *name = g_signal_name(number);
            g_warn("sending signal %s to command %s", name ? name : "?", g_quote(command[0]));
        }
        if (kill_after > 0) {
            int next = SIGKILL;
            send(child, number, foreground);
            term = next;
            set_alarm(kill_after);
            kill_after = 0;
        } else {
            send(child, number, foreground);
        }
    }
    if (WIFSIGNALED(status)) {
        int number = WTERMSIG(status);
        if (timed_out && number == SIGKILL) return 128 + SIGKILL;
        if (!timed_out || preserve) return 128 + number;
        return 124;
    }
    return timed_out && !preserve ? 124 : WEXITSTATUS(status);
}
