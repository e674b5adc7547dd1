/*
 * process.c: making and waiting for processes: the only file that calls fork, spawn and waitpid.
 */
#include "history.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

int status_of_wait(int status) {
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
    if (WIFSTOPPED(status)) return 128 + WSTOPSIG(status);
    return 0;
}

/* ------------------------------------------------------------------ subshells */

/* A background command without job control must not die of Ctrl-C, nor read the script's input:
 * what a pipe or a compound command's redirection gave it, it may. */
static void background_defaults(struct shell *sh) {
    if (sh->opt[OPT_MONITOR]) return;
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    if (sh->stdin_given > 0) return;
    int fd = open("/dev/null", O_RDONLY);
    if (fd > 0) {
        dup2(fd, 0);
        close(fd);
    }
}

static void become_subshell(struct shell *sh, enum fork_kind kind, pid_t group) {
    sh->subshell++;
    sh->flow = FLOW_NONE;
    sh->fatal = false;
    sh->loop_depth = 0;
    sh->can_exec = true;
    sh->interactive = false;
    sh->session = false;
    sh->out.n = 0;
    if (sh->opt[OPT_MONITOR] && group >= 0) setpgid(0, group);
    trap_enter_subshell(sh);
    if (kind == FORK_BACKGROUND) background_defaults(sh);
    if (kind == FORK_BACKGROUND)
        job_forget_all(sh);
    else
        job_inherit_all(sh);
    sh->opt[OPT_MONITOR] = false;
}

pid_t process_fork(struct shell *sh, enum fork_kind kind, pid_t group) {
    pid_t pid = fork();
    if (pid == 0) {
        become_subshell(sh, kind, group);
    } else if (pid < 0) {
        sh_error(sh, "fork: %s",
                 errno == EAGAIN ? "retry: Resource temporarily unavailable" : strerror(errno));
    } else if (sh->opt[OPT_MONITOR] && group >= 0) {
        setpgid(pid, group);
    }
    return pid;
}

_Noreturn void process_exit(struct shell *sh, int status) {
    sh->status = status;
    trap_exit(sh);
    out_flush(sh);
    history_save(sh);
    _exit(sh->status & 255);
}

/* ------------------------------------------------------------------ programs */

pid_t process_spawn(struct shell *sh, const char *path, char **argv, char **envp,
                    const struct spawn_fd *fds, int nfds, pid_t group, int *error) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    sigset_t defaults;
    bool reset[65];
    short flags = POSIX_SPAWN_SETSIGDEF;
    pid_t pid = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attr);
    for (int i = 0; i < nfds; i++) {
        if (fds[i].from < 0)
            posix_spawn_file_actions_addclose(&actions, fds[i].to);
        else
            posix_spawn_file_actions_adddup2(&actions, fds[i].from, fds[i].to);
    }
    signal_spawn_set(sh, reset);
    sigemptyset(&defaults);
    for (int i = 1; i < 65; i++)
        if (reset[i]) sigaddset(&defaults, i);
    posix_spawnattr_setsigdefault(&attr, &defaults);
    if (sh->opt[OPT_MONITOR] && group >= 0) {
        flags |= POSIX_SPAWN_SETPGROUP;
        posix_spawnattr_setpgroup(&attr, group);
    }
    posix_spawnattr_setflags(&attr, flags);
    *error = posix_spawn(&pid, path, &actions, &attr, argv, envp);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attr);
    return *error ? -1 : pid;
}

_Noreturn void exec_replace(struct shell *sh, const char *path, char **argv, char **envp) {
    signal_child_defaults(sh);
    execve(path, argv, envp);
    int error = errno;
    if (error == ENOEXEC) error = exec_script(sh, path, argv, envp);
    _exit(exec_error_status(sh, argv[0], path, error));
}

/* A file that the system cannot execute is a script for this shell, if it looks like text. */
int exec_script(struct shell *sh, const char *path, char **argv, char **envp) {
    char start[80];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, start, sizeof start) : -1;
    if (fd >= 0) close(fd);
    if (n < 0) return errno;
    const char *line_end = memchr(start, '\n', (size_t)n);
    size_t first = line_end ? (size_t)(line_end - start) : (size_t)n;
    if (memchr(start, 0, first)) return ENOEXEC;
    if (n >= 4 && memcmp(start, "\177ELF", 4) == 0) return ENOEXEC;
    int argc = 0;
    while (argv[argc]) argc++;
    char **again = arena_alloc(&sh->tmp, ((size_t)argc + 2) * sizeof *again);
    again[0] = (char *)"bash";
    again[1] = (char *)path;
    for (int i = 1; i <= argc; i++) again[i + 1] = argv[i];
    execve("/proc/self/exe", again, envp);
    execve("/bin/bash", again, envp);
    return errno;
}

/* ------------------------------------------------------------------ waiting */

void job_note_child(struct shell *sh, pid_t pid, int status) {
    int index;
    struct job *j = job_by_pid(sh, pid, &index);
    bool ended = !WIFSTOPPED(status) && !WIFCONTINUED(status);
    if (ended && sh->jobs->pending_children > 0) sh->jobs->pending_children--;
    if (ended) signal_child_ended(sh);
    if (!j) {
        job_remember(sh, pid, status);
        return;
    }
    struct process *p = &j->processes[index];
    if (WIFCONTINUED(status)) {
        p->state = JOB_RUNNING;
    } else {
        p->status = status;
        p->state = ended ? JOB_DONE : JOB_STOPPED;
    }
    if (!ended || job_state(j) == JOB_DONE) j->notified = false;
    if (ended && j->coproc) coproc_ended(sh, j);
}

int job_wait_pid(struct shell *sh, pid_t pid, const struct node *n) {
    bool others = sh->jobs->pending_children > 0;
    int status;
    for (;;) {
        /* Those in the background as well: a program that asks meanwhile must not find a process
         * that has ended. */
        pid_t got = waitpid(sh->jobs->pending_children > 0 ? -1 : pid, &status, 0);
        if (got == pid) break;
        if (got > 0) {
            job_note_child(sh, got, status);
            continue;
        }
        if (got < 0 && errno == EINTR) continue;
        return 127;
    }
    if (WIFSIGNALED(status)) {
        if (n) job_report_child(sh, pid, status, n);
        signal_child_died(sh, WTERMSIG(status));
    }
    signal_child_ended(sh);
    if (n && others) job_settle_background(sh);
    return status_of_wait(status);
}

void job_reap(struct shell *sh) {
    while (sh->jobs->pending_children > 0) {
        int status;
        pid_t pid = waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED);
        if (pid == 0) return;
        if (pid < 0) {
            if (errno == EINTR) continue;
            sh->jobs->pending_children = 0;
            return;
        }
        job_note_child(sh, pid, status);
    }
}

int job_wait_any(struct shell *sh) {
    int status;
    pid_t pid = waitpid(-1, &status, sh->opt[OPT_MONITOR] ? WUNTRACED : 0);
    if (pid < 0) return errno == EINTR ? -2 : -1;
    job_note_child(sh, pid, status);
    return pid;
}
