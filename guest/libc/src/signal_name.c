/* signal_name.c: what signals are called, in glibc's words. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *text;
} known[] = {
    [SIGHUP] = {"HUP", "Hangup"},
    [SIGINT] = {"INT", "Interrupt"},
    [SIGQUIT] = {"QUIT", "Quit"},
    [SIGILL] = {"ILL", "Illegal instruction"},
    [SIGTRAP] = {"TRAP", "Trace/breakpoint trap"},
    [SIGABRT] = {"ABRT", "Aborted"},
    [SIGBUS] = {"BUS", "Bus error"},
    [SIGFPE] = {"FPE", "Floating point exception"},
    [SIGKILL] = {"KILL", "Killed"},
    [SIGUSR1] = {"USR1", "User defined signal 1"},
    [SIGSEGV] = {"SEGV", "Segmentation fault"},
    [SIGUSR2] = {"USR2", "User defined signal 2"},
    [SIGPIPE] = {"PIPE", "Broken pipe"},
    [SIGALRM] = {"ALRM", "Alarm clock"},
    [SIGTERM] = {"TERM", "Terminated"},
    [SIGSTKFLT] = {"STKFLT", "Stack fault"},
    [SIGCHLD] = {"CHLD", "Child exited"},
    [SIGCONT] = {"CONT", "Continued"},
    [SIGSTOP] = {"STOP", "Stopped (signal)"},
    [SIGTSTP] = {"TSTP", "Stopped"},
    [SIGTTIN] = {"TTIN", "Stopped (tty input)"},
    [SIGTTOU] = {"TTOU", "Stopped (tty output)"},
    [SIGURG] = {"URG", "Urgent I/O condition"},
    [SIGXCPU] = {"XCPU", "CPU time limit exceeded"},
    [SIGXFSZ] = {"XFSZ", "File size limit exceeded"},
    [SIGVTALRM] = {"VTALRM", "Virtual timer expired"},
    [SIGPROF] = {"PROF", "Profiling timer expired"},
    [SIGWINCH] = {"WINCH", "Window changed"},
    [SIGIO] = {"POLL", "I/O possible"},
    [SIGPWR] = {"PWR", "Power failure"},
    [SIGSYS] = {"SYS", "Bad system call"},
};
#define KNOWN (int)(sizeof known / sizeof known[0])

const char *sigabbrev_np(int signal) {
    return signal > 0 && signal < KNOWN ? known[signal].name : NULL;
}
const char *sigdescr_np(int signal) {
    return signal > 0 && signal < KNOWN ? known[signal].text : NULL;
}

char *strsignal(int signal) {
    static char other[40];
    const char *text = sigdescr_np(signal);
    if (text) return (char *)text;
    if (signal >= SIGRTMIN && signal <= SIGRTMAX)
        snprintf(other, sizeof other, "Real-time signal %d", signal - SIGRTMIN);
    else snprintf(other, sizeof other, "Unknown signal %d", signal);
    return other;
}

void psignal(int signal, const char *what) {
    if (what && *what) fprintf(stderr, "%s: %s\n", what, strsignal(signal));
    else fprintf(stderr, "%s\n", strsignal(signal));
}
