/*
 * trap.c: signals and the commands that `trap` gave them; EXIT DEBUG ERR RETURN.
 *
 * A handler only notes its signal. Traps run between commands, in signal_check().
 */
#include "sh.h"

#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t pending[65];
static volatile sig_atomic_t any_pending;
static volatile sig_atomic_t interrupted;
static bool interrupt_trapped; /* a trap for SIGINT: what it interrupts goes on */

static const char *const names[65] = {
    [0] = "EXIT", [SIGHUP] = "HUP", [SIGINT] = "INT", [SIGQUIT] = "QUIT", [SIGILL] = "ILL",
    [SIGTRAP] = "TRAP", [SIGABRT] = "ABRT", [SIGBUS] = "BUS", [SIGFPE] = "FPE", [SIGKILL] = "KILL",
    [SIGUSR1] = "USR1", [SIGSEGV] = "SEGV", [SIGUSR2] = "USR2", [SIGPIPE] = "PIPE",
    [SIGALRM] = "ALRM", [SIGTERM] = "TERM", [16] = "STKFLT", [SIGCHLD] = "CHLD",
    [SIGCONT] = "CONT", [SIGSTOP] = "STOP", [SIGTSTP] = "TSTP", [SIGTTIN] = "TTIN",
    [SIGTTOU] = "TTOU", [SIGURG] = "URG", [SIGXCPU] = "XCPU", [SIGXFSZ] = "XFSZ",
    [SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF", [28] = "WINCH", [29] = "IO", [30] = "PWR",
    [31] = "SYS", [34] = "RTMIN", [35] = "RTMIN+1", [36] = "RTMIN+2", [37] = "RTMIN+3",
    [38] = "RTMIN+4", [39] = "RTMIN+5", [40] = "RTMIN+6", [41] = "RTMIN+7", [42] = "RTMIN+8",
    [43] = "RTMIN+9", [44] = "RTMIN+10", [45] = "RTMIN+11", [46] = "RTMIN+12", [47] = "RTMIN+13",
    [48] = "RTMIN+14", [49] = "RTMIN+15", [50] = "RTMAX-14", [51] = "RTMAX-13", [52] = "RTMAX-12",
    [53] = "RTMAX-11", [54] = "RTMAX-10", [55] = "RTMAX-9", [56] = "RTMAX-8", [57] = "RTMAX-7",
    [58] = "RTMAX-6", [59] = "RTMAX-5", [60] = "RTMAX-4", [61] = "RTMAX-3", [62] = "RTMAX-2",
    [63] = "RTMAX-1", [64] = "RTMAX",
};

static const char *const texts[32] = {
    [SIGHUP] = "Hangup", [SIGINT] = "Interrupt", [SIGQUIT] = "Quit",
    [SIGILL] = "Illegal instruction", [SIGTRAP] = "Trace/breakpoint trap", [SIGABRT] = "Aborted",
    [SIGBUS] = "Bus error", [SIGFPE] = "Floating point exception", [SIGKILL] = "Killed",
    [SIGUSR1] = "User defined signal 1", [SIGSEGV] = "Segmentation fault",
    [SIGUSR2] = "User defined signal 2", [SIGPIPE] = "Broken pipe", [SIGALRM] = "Alarm clock",
    [SIGTERM] = "Terminated", [16] = "Stack fault", [SIGCHLD] = "Child exited",
    [SIGCONT] = "Continued", [SIGSTOP] = "Stopped (signal)", [SIGTSTP] = "Stopped",
    [SIGTTIN] = "Stopped (tty input)", [SIGTTOU] = "Stopped (tty output)",
    [SIGURG] = "Urgent I/O condition", [SIGXCPU] = "CPU time limit exceeded",
    [SIGXFSZ] = "File size limit exceeded", [SIGVTALRM] = "Virtual timer expired",
    [SIGPROF] = "Profiling timer expired", [28] = "Window changed", [29] = "I/O possible",
    [30] = "Power failure", [31] = "Bad system call",
};

const char *signal_text(int number) {
    static char text[32];
    if (number > 0 && number < DIM(texts) && texts[number]) return texts[number];
    snprintf(text, sizeof text, "Real-time signal %d", number - 34);
    return text;
}

const char *signal_name(int number) {
    switch (number) {
    case TRAP_DEBUG: return "DEBUG";
    case TRAP_ERR: return "ERR";
    case TRAP_RETURN: return "RETURN";
    default: return number >= 0 && number < DIM(names) ? names[number] : NULL;
    }
}

static bool same_word(const char *a, const char *b) {
    for (; *a && *b; a++, b++)
        if ((*a | 32) != (*b | 32) && *a != *b) return false;
    return *a == *b;
}

int signal_number(const char *name) {
    if (*name && name[strspn(name, "0123456789")] == 0) {
        long n = strtol(name, NULL, 10);
        return n >= 0 && n < 65 && (n == 0 || names[n]) ? (int)n : -1;
    }
    const char *bare = name;
    if ((name[0] | 32) == 's' && (name[1] | 32) == 'i' && (name[2] | 32) == 'g') bare = name + 3;
    for (int i = 0; i < TRAP_COUNT; i++) {
        const char *n = signal_name(i);
        bool pseudo = i == TRAP_EXIT || i > 64;
        if (n && same_word(n, pseudo ? name : bare)) return i;
    }
    return same_word(bare, "CLD") ? SIGCHLD : same_word(bare, "POLL") ? 29 : -1;
}

/* ------------------------------------------------------------------ dispositions */

static void on_signal(int number) {
    if (number == SIGINT) interrupted = 1;
    pending[number] = 1;
    any_pending = 1;
}

static void set_disposition(int number, void (*handler)(int)) {
    struct sigaction sa;
    memset(&sa, 0, sizeof sa);
    sa.sa_handler = handler;
    sigemptyset(&sa.sa_mask);
    sigaction(number, &sa, NULL);
}

/* Those that end a shell which has an EXIT trap only after that trap ran. */
static bool is_terminating(const struct shell *sh, int number) {
    static const int numbers[] = {SIGHUP, SIGINT, SIGALRM, SIGTERM, SIGXCPU, SIGUSR1, SIGUSR2};
    if (!sh->exit_signals || sh->trap_set[number] || sh->ignored_at_start[number]) return false;
    for (int i = 0; i < DIM(numbers); i++)
        if (numbers[i] == number) return true;
    return false;
}

static bool catches_interrupt(const struct shell *sh) { return sh->session || sh->interactive; }

void signal_init(struct shell *sh) {
    for (int i = 1; i < 65; i++) {
        struct sigaction sa;
        if (!names[i] || sigaction(i, NULL, &sa) < 0) continue;
        sh->ignored_at_start[i] = sa.sa_handler == SIG_IGN;
    }
    if (catches_interrupt(sh)) set_disposition(SIGINT, on_signal);
    if (sh->interactive) {
        set_disposition(SIGTERM, SIG_IGN);
        set_disposition(SIGQUIT, SIG_IGN);
    }
}

bool signal_pending(void) { return any_pending != 0; }

bool signal_gives_up(void) { return interrupted && !interrupt_trapped; }

int signal_first_pending(void) {
    for (int i = 1; i < 65; i++)
        if (pending[i]) return i;
    return 0;
}

void signal_child_died(struct shell *sh, int sig) {
    /* A Ctrl-C that killed the foreground child came to the shell as well. */
    (void)sh;
    if (sig == SIGINT && interrupted) any_pending = 1;
}

void signal_child_ended(struct shell *sh) {
    if (!sh->trap_set[SIGCHLD]) return;
    pending[SIGCHLD] = 1;
    any_pending = 1;
}

void signal_child_defaults(struct shell *sh) {
    for (int i = 1; i < 65; i++)
        if ((sh->trap_set[i] && sh->traps[i] && *sh->traps[i]) || is_terminating(sh, i))
            set_disposition(i, SIG_DFL);
    if (catches_interrupt(sh)) set_disposition(SIGINT, SIG_DFL);
    if (sh->interactive) {
        set_disposition(SIGTERM, SIG_DFL);
        set_disposition(SIGQUIT, SIG_DFL);
    }
}

void signal_spawn_set(struct shell *sh, bool defaults[65]) {
    memset(defaults, 0, 65 * sizeof *defaults);
    for (int i = 1; i < 65; i++)
        if ((sh->trap_set[i] && sh->traps[i] && *sh->traps[i]) || is_terminating(sh, i))
            defaults[i] = true;
    if (catches_interrupt(sh) && !(sh->trap_set[SIGINT] && !*sh->traps[SIGINT]))
        defaults[SIGINT] = true;
    if (sh->interactive) defaults[SIGTERM] = defaults[SIGQUIT] = true;
}

/* ------------------------------------------------------------------ traps */

static void forget_inherited(struct shell *sh) {
    if (!sh->trap_inherited) return;
    sh->trap_inherited = false;
    for (int i = 0; i < TRAP_COUNT; i++) {
        if (sh->trap_set[i]) continue;
        free(sh->traps[i]);
        sh->traps[i] = NULL;
    }
}

void trap_set_command(struct shell *sh, int which, const char *command) {
    forget_inherited(sh);
    bool fixed = which > 0 && which < 65 && sh->ignored_at_start[which] && !sh->interactive;
    if (fixed && sh->subshell == 0) return; /* what the shell was told to ignore stays so */
    char *copy = command ? xstrdup(command) : NULL;
    free(sh->traps[which]);
    sh->traps[which] = copy;
    sh->trap_set[which] = command != NULL;
    interrupt_trapped = sh->trap_set[SIGINT];
    if (which == TRAP_EXIT && command && *command && sh->subshell == 0 && !sh->interactive) {
        sh->exit_signals = true;
        for (int i = 1; i < 65; i++)
            if (is_terminating(sh, i)) set_disposition(i, on_signal);
    }
    if (which == 0 || which > 64) return;
    if (sh->ignored_at_start[which] && !sh->interactive) return;
    if (which == SIGKILL || which == SIGSTOP) return;
    if (command && !*command) set_disposition(which, SIG_IGN);
    else if (command) set_disposition(which, on_signal);
    else if ((which == SIGINT && catches_interrupt(sh)) || is_terminating(sh, which))
        set_disposition(which, on_signal);
    else set_disposition(which, SIG_DFL);
}

void trap_enter_subshell(struct shell *sh) {
    sh->trap_inherited = true;
    sh->in_trap = 0;
    for (int i = 1; i < 65; i++)
        if (is_terminating(sh, i)) set_disposition(i, SIG_DFL);
    sh->exit_signals = false;
    for (int i = 0; i < TRAP_COUNT; i++) {
        if (!sh->trap_set[i]) continue;
        bool ignored = !*sh->traps[i];
        if (i > 0 && i < 65) {
            if (ignored) continue;
            set_disposition(i, SIG_DFL);
        }
        if (i == TRAP_ERR && sh->opt[OPT_ERRTRACE]) continue;
        if ((i == TRAP_DEBUG || i == TRAP_RETURN) && sh->opt[OPT_FUNCTRACE]) continue;
        sh->trap_set[i] = false;
    }
    set_disposition(SIGINT, sh->trap_set[SIGINT] ? SIG_IGN
                            : sh->ignored_at_start[SIGINT] ? SIG_IGN : SIG_DFL);
    any_pending = interrupted = 0;
    interrupt_trapped = sh->trap_set[SIGINT];
    memset((void *)pending, 0, sizeof pending);
}

/* Runs a trap's text; $? is as before unless the trap ends the shell. */
static void run_trap_text(struct shell *sh, int which, int line) {
    int status = sh->status, was_status = sh->trap_status, was_line = sh->line;
    bool was_exec = sh->can_exec;
    const struct node *command = sh->command;
    char *text = xstrdup(sh->traps[which]);
    int *pipes = NULL, count = sh->pipe_count;
    if (count > 0) {
        pipes = xmalloc((size_t)count * sizeof *pipes);
        memcpy(pipes, sh->pipe_status, (size_t)count * sizeof *pipes);
    }
    sh->in_trap++;
    sh->trap_status = status;
    sh->can_exec = false;
    run_text(sh, text, strlen(text), line, NULL);
    sh->in_trap--;
    sh->trap_status = was_status;
    sh->can_exec = was_exec;
    sh->command = command;
    sh->line = was_line;
    if (sh->flow == FLOW_NONE || sh->flow == FLOW_DISCARD || sh->flow == FLOW_ABANDON) {
        sh->flow = FLOW_NONE;
        if (which != TRAP_DEBUG || !sh->shopt[SHOPT_EXTDEBUG]) sh->status = status;
        exec_set_pipestatus(sh, pipes, count);
    }
    free(pipes);
    free(text);
}

int trap_run(struct shell *sh, int which) {
    if (!sh->trap_set[which] || !sh->traps[which] || !*sh->traps[which]) return 0;
    bool *busy = which == TRAP_DEBUG ? &sh->in_debug_trap : which == TRAP_ERR   ? &sh->in_err_trap
                 : which == TRAP_RETURN ? &sh->in_return_trap
                                      : NULL;
    if (busy && *busy) return 0;
    if (which == TRAP_RETURN && sh->in_debug_trap) return 0;
    if (busy) *busy = true;
    run_trap_text(sh, which, which == TRAP_EXIT ? 1 : sh->line > 0 ? sh->line : 1);
    if (busy) *busy = false;
    return sh->status;
}

bool signal_interrupted(void) {
    bool was = interrupted != 0;
    interrupted = 0;
    if (was) pending[SIGINT] = 0;
    return was;
}

/* The EXIT trap, then the end that the signal is. */
static void end_by_signal(struct shell *sh, int number) {
    sh->exit_signals = false;
    sh->status = 128 + number;
    trap_exit(sh);
    out_flush(sh);
    set_disposition(number, SIG_DFL);
    kill(getpid(), number);
}

void signal_check(struct shell *sh) {
    if (!any_pending) return;
    any_pending = 0;
    for (int i = 1; i < 65; i++) {
        if (!pending[i]) continue;
        pending[i] = 0;
        if (sh->trap_set[i]) {
            if (i == SIGINT) interrupted = 0;
            if (sh->traps[i] && *sh->traps[i]) run_trap_text(sh, i, 1);
            if (sh->flow != FLOW_NONE) return;
        } else if (i == SIGINT && catches_interrupt(sh)) {
            interrupted = 0;
            sh->flow = FLOW_INTERRUPT;
            sh->status = 128 + SIGINT;
            return;
        } else if (is_terminating(sh, i)) {
            end_by_signal(sh, i);
        }
    }
}

void trap_exit(struct shell *sh) {
    if (!sh->trap_set[TRAP_EXIT]) return;
    char *text = sh->traps[TRAP_EXIT];
    sh->traps[TRAP_EXIT] = NULL;
    sh->trap_set[TRAP_EXIT] = false;
    int status = sh->status;
    sh->flow = FLOW_NONE;
    sh->can_exec = false;
    sh->loop_depth = 0;
    sh->in_trap++;
    sh->trap_status = status;
    if (text) run_text(sh, text, strlen(text), 1, NULL);
    sh->in_trap--;
    if (sh->flow != FLOW_EXIT) sh->status = status;
    sh->flow = FLOW_NONE;
    free(text);
}
