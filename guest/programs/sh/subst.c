/*
 * subst.c: $( ) `…` <( ) >( ): commands whose output, or input, is a word.
 */
#include "sh.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ------------------------------------------------------------------ $( ) */

static void trim_newlines(sb *out, size_t from) {
    while (out->n > from && out->s[out->n - 1] == '\n') out->n--;
}

static void drop_nuls(struct shell *sh, sb *out, size_t from) {
    char *nul = memchr(out->s + from, 0, out->n - from);
    if (!nul) return;
    size_t to = (size_t)(nul - out->s);
    for (size_t i = to; i < out->n; i++)
        if (out->s[i]) out->s[to++] = out->s[i];
    out->n = to;
    sh_error(sh, "warning: command substitution: ignored null byte in input");
}

static bool read_output(struct shell *sh, int fd, sb *out) {
    size_t from = out->n;
    sb_grow(out, 512);
    for (;;) {
        if (out->cap - out->n < 256) sb_grow(out, out->cap);
        ssize_t n = read(fd, out->s + out->n, out->cap - out->n);
        if (n < 0 && errno == EINTR) {
            signal_check(sh);
            if (sh->flow != FLOW_NONE) return false;
            continue;
        }
        if (n <= 0) break;
        out->n += (size_t)n;
    }
    drop_nuls(sh, out, from);
    trim_newlines(out, from);
    return true;
}

/* $(<file): the file itself. false: not of that form. */
static bool is_file_read(const struct node *n) {
    return n->kind == N_SIMPLE && n->simple.count == 0 && !n->simple.assigns && n->redirs &&
           !n->redirs->next && n->redirs->kind == R_IN && n->redirs->fd <= 0 && !n->redirs->fd_var;
}

static bool read_file_into(struct shell *sh, const struct node *n, sb *out) {
    char *path;
    if (!expand_redirect(sh, n->redirs->target, &path)) return sh->flow == FLOW_NONE;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    sh->last_cmdsub_status = sh->status = fd < 0;
    if (fd < 0) {
        sh_error(sh, "%s: %s", path, strerror(errno));
        return true;
    }
    bool ok = read_output(sh, fd, out);
    close(fd);
    return ok;
}

/* What the child does: a parsed command, or a text still to be parsed. */
struct body {
    struct node *cmd;
    const char *text;
    size_t n;
    int line;
};

/* bash counts the lines of a $( ) from the line of the command around it. */
static int first_line(const struct node *n) {
    switch (n->kind) {
    case N_LIST:
    case N_PIPE: return first_line(n->list.first);
    case N_AND:
    case N_OR: return first_line(n->pair.left);
    default: return n->line;
    }
}

static _Noreturn void run_body(struct shell *sh, const struct body *body, const int fds[2]) {
    close(fds[0]);
    if (fds[1] != 1) {
        dup2(fds[1], 1);
        close(fds[1]);
    } else {
        fcntl(1, F_SETFD, 0);
    }
    if (!sh->shopt[SHOPT_INHERIT_ERREXIT] && !sh->posix) sh->opt[OPT_ERREXIT] = false;
    sh->trace_depth += body->cmd && body->cmd->kind != N_TEXT; /* run_text() counts itself */
    if (body->cmd && sh->line > 0) sh->line_shift = sh->line - first_line(body->cmd);
    int status = body->cmd ? exec_node(sh, body->cmd)
                           : run_text(sh, body->text, body->n, body->line, "command substitution");
    process_exit(sh, sh->flow == FLOW_NONE ? status : sh->status);
}

/* The lines of a $( ) as run_body() has them, for what runs without a copy of the shell. */
static void shift_lines(struct shell *sh, const struct body *body) {
    if (sh->line > 0) sh->line_shift = sh->line - first_line(body->cmd);
}

/* A program with nothing to compute is started as it is. -1: it needs a copy of the shell. */
static pid_t spawn_body(struct shell *sh, const struct body *body, const int fds[2]) {
    int shift = sh->line_shift;
    if (!body->cmd || fds[0] <= 2 || fds[1] <= 2) return -1;
    shift_lines(sh, body);
    pid_t pid = exec_spawn(sh, body->cmd, fds[1]);
    sh->line_shift = shift;
    return pid;
}

/* False: the command needs a process. */
static bool run_in_place(struct shell *sh, const struct body *body, sb *out) {
    int shift = sh->line_shift, status;
    if (!body->cmd) return false;
    sb printed = {0}; /* `out` may lie in the arena that the command uses */
    shift_lines(sh, body);
    bool done = inplace_run(sh, body->cmd, true, &printed, &status);
    sh->line_shift = shift;
    if (done) {
        size_t from = out->n;
        sb_put(out, printed.s ? printed.s : "", printed.n);
        if (printed.n > 0) drop_nuls(sh, out, from);
        trim_newlines(out, from);
        sh->status = sh->last_cmdsub_status = status;
    }
    sb_free(&printed);
    return done;
}

static bool run_substitution(struct shell *sh, const struct body *body, sb *out) {
    int fds[2];
    if (run_in_place(sh, body, out)) return sh->flow == FLOW_NONE;
    if (pipe2(fds, O_CLOEXEC) < 0) {
        sh_expand_error(sh, "cannot make pipe for command substitution: %s", strerror(errno));
        return false;
    }
    pid_t pid = spawn_body(sh, body, fds);
    if (pid < 0) pid = process_fork(sh, FORK_CMDSUB, -1);
    if (pid == 0) run_body(sh, body, fds);
    close(fds[1]);
    if (pid < 0) {
        close(fds[0]);
        sh->flow = FLOW_DISCARD;
        sh->status = 254;
        return false;
    }
    bool ok = read_output(sh, fds[0], out);
    close(fds[0]);
    sh->status = sh->last_cmdsub_status = job_wait_pid(sh, pid, NULL);
    return ok && sh->flow == FLOW_NONE;
}

bool subst_command(struct shell *sh, struct node *cmd, sb *out) {
    if (cmd->kind == N_LIST && !cmd->list.first) {
        sh->last_cmdsub_status = sh->status = 0;
        return true;
    }
    if (is_file_read(cmd)) return read_file_into(sh, cmd, out);
    struct body body = {.cmd = cmd};
    return run_substitution(sh, &body, out);
}

bool subst_backquote(struct shell *sh, const char *text, size_t n, int line, sb *out) {
    const char *start = text + strspn(text, " \t");
    if (*start == '<' && start[1] != '<' && start[1] != '(') {
        struct tree *t = parse_text(sh, text, n, line, "command substitution");
        bool simple = t && t->root && is_file_read(t->root);
        bool ok = simple && read_file_into(sh, t->root, out);
        tree_drop(t);
        if (simple) return ok;
    }
    struct body body = {.text = text, .n = n, .line = line};
    return run_substitution(sh, &body, out);
}

/* ------------------------------------------------------------------ <( ) */

struct procsub {
    struct procsub *next;
    int fd;
    pid_t pid;
};

/* Moves fd to a high number that programs do not use by chance. */
static int move_to_top(int fd) {
    for (int top = 63; top > 9; top--) {
        if (fcntl(top, F_GETFD) >= 0) continue;
        if (dup2(fd, top) < 0) break;
        close(fd);
        return top;
    }
    return fd;
}

char *subst_process(struct shell *sh, struct node *cmd, bool output) {
    int fds[2];
    if (pipe(fds) < 0) {
        sh_expand_error(sh, "cannot make pipe for process substitution: %s", strerror(errno));
        return NULL;
    }
    int mine = fds[output ? 1 : 0], its = fds[output ? 0 : 1];
    pid_t pid = process_fork(sh, FORK_CMDSUB, -1);
    if (pid == 0) {
        close(mine);
        int target = output ? 0 : 1;
        if (its != target) {
            dup2(its, target);
            close(its);
        }
        procsub_inherited(sh);
        int status = exec_node(sh, cmd);
        process_exit(sh, sh->flow == FLOW_NONE ? status : sh->status);
    }
    close(its);
    if (pid < 0) {
        close(mine);
        return NULL;
    }
    struct procsub *p = xmalloc(sizeof *p);
    *p = (struct procsub){sh->procsubs, move_to_top(mine), pid};
    sh->procsubs = p;
    sh->jobs->pending_children++;
    sh->last_background = sh->last_procsub = pid;
    return arena_printf(&sh->tmp, "/dev/fd/%d", p->fd);
}

struct procsub *procsub_mark(struct shell *sh) { return sh->procsubs; }

void procsub_close(struct shell *sh, struct procsub *until) {
    while (sh->procsubs != until) {
        struct procsub *p = sh->procsubs;
        sh->procsubs = p->next;
        close(p->fd);
        free(p);
    }
}

void procsub_inherited(struct shell *sh) { procsub_close(sh, NULL); }
