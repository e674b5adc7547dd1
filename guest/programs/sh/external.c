/*
 * external.c: commands that are programs: found, given their descriptors, spawned, waited for.
 *
 * The usual case is one posix_spawn with the redirections opened here. Redirections that a spawn
 * cannot do exactly (a FIFO whose open waits, {fd}>, expansions with side effects) go the way of
 * fork and exec.
 */
#include "sh.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------ redirections of a spawn */

bool launch_possible(const struct redir *r) {
    int count = 0;
    for (; r; r = r->next) {
        if (++count > 6 || r->fd_var || r->fd > 9) return false;
        if (r->target && !(r->target->flags & W_PURE)) return false;
    }
    return true;
}

void launch_add(struct launch *l, int from, int to) {
    l->fds[l->count++] = (struct spawn_fd){from, to};
}

void launch_close(struct launch *l) {
    for (int i = 0; i < l->opened_count; i++) close(l->opened[i]);
    l->opened_count = 0;
}

/* Is fd something that can be duplicated at this point of the list? */
static bool is_open(const struct launch *l, int fd) {
    for (int i = l->count - 1; i >= 0; i--)
        if (l->fds[i].to == fd) return l->fds[i].from >= 0;
    return fcntl(fd, F_GETFD) >= 0;
}

static enum launch_result launch_file(struct shell *sh, const struct redir *r, const char *path,
                                      int target, struct launch *l) {
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode))
        return S_ISDIR(st.st_mode)
                   ? (redir_open(sh, r, path) < 0 ? LAUNCH_FAILED : LAUNCH_NEEDS_FORK)
                   : LAUNCH_NEEDS_FORK;
    int fd = redir_open(sh, r, path);
    if (fd < 0) return LAUNCH_FAILED;
    fd = redir_move_high(fd);
    if (fd < 0) return LAUNCH_NEEDS_FORK;
    l->opened[l->opened_count++] = fd;
    launch_add(l, fd, target);
    if (r->kind == R_BOTH || r->kind == R_BOTH_APPEND) launch_add(l, 1, 2);
    return LAUNCH_OK;
}

static enum launch_result launch_dup(struct shell *sh, const struct redir *r, const char *word,
                                     int target, struct launch *l) {
    if (strcmp(word, "-") == 0) {
        launch_add(l, -1, target);
        return LAUNCH_OK;
    }
    if (!*word || word[strspn(word, "0123456789")] || strlen(word) > 6) return LAUNCH_NEEDS_FORK;
    int from = atoi(word);
    if (!is_open(l, from)) {
        sh_error(sh, "%s: %s", r->target->text, strerror(EBADF));
        return LAUNCH_FAILED;
    }
    launch_add(l, from, target);
    return LAUNCH_OK;
}

static enum launch_result launch_one(struct shell *sh, const struct redir *r, struct launch *l) {
    bool input = r->kind == R_IN || r->kind == R_INOUT || r->kind == R_DUP_IN ||
                 r->kind == R_HERE_DOC || r->kind == R_HERE_STRING;
    int target = r->fd >= 0 ? r->fd : input ? 0 : 1;
    if (r->kind == R_HERE_DOC || r->kind == R_HERE_STRING) {
        size_t n;
        char *text = redir_here_text(sh, r, &n);
        int fd = text ? redir_here(sh, text, n) : -1;
        if (fd < 0) return LAUNCH_FAILED;
        if ((fd = redir_move_high(fd)) < 0) return LAUNCH_FAILED;
        l->opened[l->opened_count++] = fd;
        launch_add(l, fd, target);
        return LAUNCH_OK;
    }
    char *word;
    if (!expand_redirect(sh, r->target, &word)) return LAUNCH_FAILED;
    if (r->kind == R_DUP_IN || r->kind == R_DUP_OUT) return launch_dup(sh, r, word, target, l);
    return launch_file(sh, r, word, target, l);
}

enum launch_result launch_redirs(struct shell *sh, const struct redir *r, struct launch *l) {
    for (; r; r = r->next) {
        enum launch_result result = launch_one(sh, r, l);
        if (result != LAUNCH_OK) return result;
    }
    return LAUNCH_OK;
}

/* ------------------------------------------------------------------ errors */

int exec_error_status(struct shell *sh, const char *name, const char *path, int error) {
    struct stat st;
    (void)name;
    bool there = stat(path, &st) == 0;
    if (there && S_ISDIR(st.st_mode)) {
        sh_error(sh, "%s: Is a directory", path);
        return 126;
    }
    if (error == ENOENT && there) { /* its interpreter is what is missing */
        sh_error(sh, "%s: cannot execute: required file not found", path);
        return 127;
    }
    if (error == ENOEXEC)
        sh_error(sh, "%s: cannot execute binary file: Exec format error", path);
    else if (error == E2BIG)
        sh_error(sh, "%s: Argument list too long", path);
    else
        sh_error(sh, "%s: %s", path, strerror(error));
    return error == ENOENT ? 127 : 126;
}

/* The command of a tool whose own name (`bank.pay`) is none; NULL when there is no such tool. */
static const char *tool_command(struct shell *sh, const char *name) {
    char *flat = arena_strndup(&sh->tmp, name, strlen(name));
    bool dotted = false;
    for (char *c = flat; *c; c++) {
        dotted = dotted || *c == '.';
        if (*c == '.' || *c == '-') *c = '_';
    }
    int error;
    const char *dirs = var_get(sh, "PATH");
    const char *path = dotted && dirs ? path_search(sh, dirs, flat, &error, 0) : NULL;
    return path && strncmp(path, "/tools/bin/", 11) == 0 ? flat : NULL;
}

static void report_missing(struct shell *sh, const char *name) {
    const char *hint = command_hint(name), *tool = hint ? NULL : tool_command(sh, name);
    sb shown = sb_in(&sh->tmp);
    bool control = false;
    for (const char *s = name; *s; s++) control |= (unsigned char)*s < ' ' || *s == 0x7f;
    if (control) quote_dollar(&shown, name);
    else sb_puts(&shown, name);
    sh_error(sh, "%s: command not found", sb_str(&shown));
    if (!hint && !tool) return;
    sb line = {0};
    sb_printf(&line, hint ? "hint: %s\n" : "hint: use %s\n", hint ? hint : tool);
    sh_write_err(line.s, line.n);
    sb_free(&line);
}

/* NAME is nowhere on PATH: said with the command's own redirections in place. */
static int not_found(struct shell *sh, char **argv, const struct node *n) {
    struct redir_undo *undo = NULL;
    if (n && !exec_redirs(sh, n, &undo)) return 1;
    struct func *handler = func_find(sh, "command_not_found_handle");
    int status = 127;
    if (handler) {
        int argc = 0;
        while (argv[argc]) argc++;
        char **args = arena_alloc(&sh->tmp, ((size_t)argc + 2) * sizeof *args);
        args[0] = handler->entry.key;
        memcpy(args + 1, argv, ((size_t)argc + 1) * sizeof *args);
        status = exec_function(sh, handler, argc + 1, args);
    } else {
        const char *search = var_get(sh, "PATH");
        if (search && *search)
            report_missing(sh, argv[0]);
        else
            sh_error(sh, "%s: %s", argv[0], strerror(ENOENT));
    }
    redir_undo(sh, undo);
    return status;
}

/* ------------------------------------------------------------------ running */

static int wait_foreground(struct shell *sh, pid_t pid, const struct node *n) {
    if (sh->opt[OPT_MONITOR] && n) {
        struct job *j = job_new(sh, n, false);
        job_add(j, pid);
        return job_wait_foreground(sh, j);
    }
    return job_wait_pid(sh, pid, n);
}

static int fork_and_exec(struct shell *sh, const char *path, char **argv, const struct node *n) {
    char **env = var_environ_of(sh, path);
    pid_t pid = process_fork(sh, FORK_FOREGROUND, 0);
    if (pid < 0) return 254;
    if (pid == 0) {
        if (n && !exec_redirs(sh, n, NULL)) _exit(1);
        exec_replace(sh, path, argv, env);
    }
    return wait_foreground(sh, pid, n);
}

static int spawn_and_wait(struct shell *sh, const char *path, char **argv, const struct node *n,
                          bool *use_fork) {
    struct launch l = {.count = 0};
    *use_fork = false;
    bool temps = n && n->redirs && n->simple.assigns;
    if (temps) var_show_temps(sh, false);
    enum launch_result ready = launch_redirs(sh, n ? n->redirs : NULL, &l);
    if (temps) var_show_temps(sh, true);
    int error = 0, status = 1;
    if (ready == LAUNCH_NEEDS_FORK) {
        *use_fork = true;
    } else if (ready == LAUNCH_OK) {
        char **env = var_environ_of(sh, path);
        pid_t pid = process_spawn(sh, path, argv, env, l.fds, l.count, 0, &error);
        if (pid >= 0)
            status = wait_foreground(sh, pid, n);
        else
            *use_fork = true; /* says what is wrong from inside the redirections */
    }
    launch_close(&l);
    return status;
}

static bool has_traps(const struct shell *sh) {
    for (int i = 0; i < TRAP_COUNT; i++)
        if (sh->trap_set[i] && sh->traps[i] && *sh->traps[i]) return true;
    return false;
}

/* The programs of /tools/bin do what the builtin `tool` does: a call needs no process of its own. */
static bool is_tool(const char *path) { return strncmp(path, "/tools/bin/", 11) == 0; }

static int call_tool(struct shell *sh, char **argv, const struct node *n) {
    struct redir_undo *undo = NULL;
    if (n && !redir_do(sh, n->redirs, &undo)) return 1;
    int argc = 0;
    while (argv[argc]) argc++;
    int status = builtin_run(sh, builtin_find_any("tool"), argc, argv);
    redir_undo(sh, undo);
    return status;
}

/* Runs the program at `path`, in the shell's place when nothing follows. */
static int run_program(struct shell *sh, const char *path, char **argv, const struct node *n) {
    if (sh->can_exec && !has_traps(sh)) {
        if (n && !exec_redirs(sh, n, NULL)) return 1;
        exec_replace(sh, path, argv, var_environ_of(sh, path));
    }
    if (is_tool(path)) return call_tool(sh, argv, n);
    if (launch_possible(n ? n->redirs : NULL)) {
        bool use_fork;
        int status = spawn_and_wait(sh, path, argv, n, &use_fork);
        if (!use_fork) return status;
    }
    return fork_and_exec(sh, path, argv, n);
}

int exec_external(struct shell *sh, char **argv, const struct node *n) {
    int error;
    if (sh->restricted && strchr(argv[0], '/')) {
        sh_error(sh, "%s: restricted: cannot specify `/' in command names", argv[0]);
        return 1;
    }
    const char *path = *argv[0] ? path_find(sh, argv[0], &error) : NULL;
    return path ? run_program(sh, path, argv, n) : not_found(sh, argv, n);
}

int exec_program_at(struct shell *sh, const char *path, char **argv) {
    return run_program(sh, path, argv, NULL);
}
