/*
 * pipeline.c: pipelines, background commands, coprocesses: several processes at once.
 */
#include "sh.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

struct stage_io {
    int in, out;  /* -1: as the shell's */
    int other;    /* the next stage's input, which this one must not hold */
    bool err_too; /* |& */
};

/* Pipes lie above the standard descriptors, so that moving them there is simple. */
static bool make_pipe(struct shell *sh, int fds[2]) {
    if (pipe(fds) < 0) {
        sh_error(sh, "pipe error: %s", strerror(errno));
        return false;
    }
    for (int i = 0; i < 2; i++) {
        if (fds[i] > 2)
            fcntl(fds[i], F_SETFD, FD_CLOEXEC);
        else
            fds[i] = redir_move_high(fds[i]);
    }
    return true;
}

static void child_io(struct shell *sh, const struct stage_io *io) {
    if (io->in >= 0) sh->stdin_given++;
    if (io->other >= 0) close(io->other);
    if (io->in >= 0) {
        dup2(io->in, 0);
        close(io->in);
    }
    if (io->out >= 0) {
        dup2(io->out, 1);
        close(io->out);
    }
}

static _Noreturn void run_stage(struct shell *sh, struct node *n, const struct stage_io *io) {
    child_io(sh, io);
    if (io->err_too) {
        /* after the command's own redirections: they come first in its list already */
        static struct redir to_out = {.kind = R_DUP_OUT, .fd = 2};
        static struct part text = {.kind = PART_TEXT, .s = "1", .n = 1};
        static struct word one = {.text = "1", .len = 1, .flags = W_PLAIN | W_PURE, .parts = &text};
        to_out.target = &one;
        struct redir **tail = &n->redirs;
        while (*tail) tail = &(*tail)->next;
        *tail = &to_out;
    }
    n->flags &= (uint8_t)~NF_BACKGROUND;
    if (n->kind != N_SIMPLE) job_forget_all(sh);
    else sh->debug_done = true;
    if (n->kind == N_SUBSHELL) exec_subshell_here(sh, n);
    int status = exec_node(sh, n);
    process_exit(sh, sh->flow == FLOW_NONE ? status : sh_fatal_status(sh, sh->status));
}

/* A stage that is a program with nothing to compute needs no copy of the shell. -1: it does. */
static pid_t spawn_stage(struct shell *sh, struct node *n, const struct stage_io *io, pid_t group) {
    if (n->kind != N_SIMPLE || !(n->flags & NF_PURE) || n->simple.count == 0) return -1;
    if (!launch_possible(n->redirs)) return -1;
    const struct word *name = n->simple.words[0];
    if (!(name->flags & W_PLAIN) || builtin_find(sh, name->text) || func_find(sh, name->text))
        return -1;
    if (sh->trap_set[TRAP_DEBUG] || sh->opt[OPT_XTRACE] || sh->opt[OPT_NOUNSET]) return -1;
    arena_mark mark = arena_here(&sh->tmp);
    struct strings args = {0};
    struct launch l = {.count = 0};
    pid_t pid = -1;
    int error;
    sh->line = n->line + sh->line_shift;
    if (!expand_words(sh, n->simple.words, n->simple.count, &args)) {
        sh->flow = FLOW_NONE; /* once more in a child, which says so */
    } else if (args.n > 0) {
        sh->hash_kept = true;
        const char *path = *args.v[0] ? path_find(sh, args.v[0], &error) : NULL;
        sh->hash_kept = false;
        if (path) {
            if (io->in >= 0) launch_add(&l, io->in, 0);
            if (io->out >= 0) launch_add(&l, io->out, 1);
            if (!n->redirs || launch_redirs(sh, n->redirs, &l) == LAUNCH_OK) {
                if (io->err_too) launch_add(&l, 1, 2);
                char **env = var_environ_of(sh, path);
                pid = process_spawn(sh, path, args.v, env, l.fds, l.count, group, &error);
            }
        }
    }
    launch_close(&l);
    arena_release(&sh->tmp, mark);
    return pid;
}

/* Redirections that fail print their message: only the child may then try them. */
static bool redirs_harmless(const struct redir *r) {
    for (; r; r = r->next)
        if (r->kind != R_DUP_OUT && r->kind != R_DUP_IN && r->kind != R_HERE_DOC &&
            r->kind != R_HERE_STRING)
            return false;
    return true;
}

static pid_t start_stage(struct shell *sh, struct node *n, const struct stage_io *io, pid_t group,
                         enum fork_kind kind) {
    pid_t pid = -1;
    if (kind == FORK_FOREGROUND && redirs_harmless(n->redirs)) pid = spawn_stage(sh, n, io, group);
    if (pid >= 0) return pid;
    pid = process_fork(sh, kind, group);
    if (pid == 0) run_stage(sh, n, io);
    return pid;
}

pid_t exec_spawn(struct shell *sh, struct node *n, int out) {
    struct stage_io io = {-1, out, -1, false};
    int line = sh->line;
    bool plain = !(n->flags & NF_BACKGROUND) && redirs_harmless(n->redirs);
    pid_t pid = plain ? spawn_stage(sh, n, &io, -1) : -1;
    sh->line = line;
    return pid;
}

/* What a stage that needed no process printed goes into the pipe: what has no room there, in a process. */
static bool put_output(struct shell *sh, struct job *j, const sb *out, int status,
                       const struct stage_io *io) {
    ssize_t n = 0;
    if (out->n > 0) {
        fcntl(io->out, F_SETFL, O_WRONLY | O_NONBLOCK);
        n = write(io->out, out->s, out->n);
    }
    if (n == (ssize_t)out->n) {
        job_add_ended(j, status);
        return true;
    }
    size_t written = n > 0 ? (size_t)n : 0;
    fcntl(io->out, F_SETFL, O_WRONLY);
    pid_t pid = process_fork(sh, FORK_FOREGROUND, j->group);
    if (pid == 0) {
        child_io(sh, io);
        write_all(1, out->s + written, out->n - written);
        _exit(status);
    }
    if (pid > 0) job_add(j, pid);
    return pid > 0;
}

/* A stage before the last. 1: its output is in the pipe. 0: it needs a process. -1: it cannot be had. */
static int stage_in_place(struct shell *sh, const struct node *n, struct job *j,
                          const struct stage_io *io) {
    sb out = {0};
    int status;
    if (io->err_too || !inplace_run(sh, n, false, &out, &status)) return 0;
    bool ok = put_output(sh, j, &out, status, io);
    sb_free(&out);
    return ok ? 1 : -1;
}

/* The last stage in this shell (lastpipe). */
static int run_last_here(struct shell *sh, struct node *n, int in) {
    int saved = fcntl(0, F_DUPFD_CLOEXEC, 100);
    bool can_exec = sh->can_exec;
    dup2(in, 0);
    close(in);
    sh->can_exec = false;
    int status = exec_node(sh, n);
    sh->can_exec = can_exec;
    if (saved >= 0) {
        dup2(saved, 0);
        close(saved);
    } else {
        close(0);
    }
    return status;
}

static int wait_pipeline(struct shell *sh, struct job *j, bool last_here, int last_status) {
    if (!last_here) return job_wait_foreground(sh, j);
    int count = j->count;
    int *all = xmalloc(((size_t)count + 1) * sizeof *all);
    int status = last_status;
    job_wait_foreground(sh, j);
    memcpy(all, sh->pipe_status, (size_t)count * sizeof *all);
    all[count] = last_status;
    exec_set_pipestatus(sh, all, count + 1);
    if (sh->opt[OPT_PIPEFAIL])
        for (int i = count; i >= 0 && status == 0; i--) status = all[i];
    free(all);
    return status;
}

/* What a command of its own process is for the traps of this one. */
static void debug_stage(struct shell *sh, const struct node *n) {
    if (!sh->in_trap && (n->kind == N_SIMPLE || n->kind == N_SUBSHELL)) sh->command = n;
    if (n->kind != N_SIMPLE || !sh->trap_set[TRAP_DEBUG]) return;
    sh->line = n->line + sh->line_shift;
    trap_run(sh, TRAP_DEBUG);
}

/* Starts every stage; false when one could not be. With `here`, the last one is left to do. */
static bool start_stages(struct shell *sh, struct node *n, struct job *j, bool here, int *last_in,
                         enum fork_kind kind) {
    int in = -1, index = 0;
    for (struct node *s = n->list.first; s; s = s->next, index++) {
        int fds[2] = {-1, -1};
        bool last = !s->next;
        if (last && here) break;
        if (!last && !make_pipe(sh, fds)) return false;
        struct stage_io io = {in, fds[1], fds[0], (s->flags & NF_PIPE_ERR) != 0};
        debug_stage(sh, s);
        int done = last || kind != FORK_FOREGROUND ? 0 : stage_in_place(sh, s, j, &io);
        pid_t pid = done ? done : start_stage(sh, s, &io, j->group, kind);
        if (in >= 0) close(in);
        if (fds[1] >= 0) close(fds[1]);
        in = fds[0];
        if (pid < 0) {
            if (in >= 0) close(in);
            return false;
        }
        if (!done) job_add(j, pid);
    }
    *last_in = in;
    return true;
}

static bool ends_in_subshell(const struct node *n) {
    const struct node *last = n->list.first;
    while (last->next) last = last->next;
    return last->kind == N_SUBSHELL;
}

int exec_pipeline(struct shell *sh, struct node *n) {
    bool here = sh->shopt[SHOPT_LASTPIPE] && !sh->opt[OPT_MONITOR];
    struct job *j = job_new(sh, n, false);
    int in = -1, last_status = 0;
    sh->line = n->line + sh->line_shift;
    if (!start_stages(sh, n, j, here, &in, FORK_FOREGROUND)) {
        job_wait_foreground(sh, j);
        return sh->status = 254;
    }
    if (here) {
        struct node *last = n->list.first;
        while (last->next) last = last->next;
        sh->ignore_errors++;
        last_status = run_last_here(sh, last, in);
        sh->ignore_errors--;
    }
    int status = wait_pipeline(sh, j, here, last_status);
    if (sh->flow == FLOW_NONE) sh->status = status;
    if (sh->jobs->pending_children > 0) job_reap(sh);
    /* As in bash, a subshell at the end fails by itself, before the pipeline does. */
    if (!here && ends_in_subshell(n)) trap_failed(sh);
    return status;
}

/* ------------------------------------------------------------------ & */

static void announce(struct shell *sh, const struct job *j) {
    if (!sh->interactive) return;
    sb line = {0};
    sb_printf(&line, "[%d] %ld\n", j->id, (long)sh->last_background);
    sh_write_err(line.s, line.n);
    sb_free(&line);
}

int exec_background(struct shell *sh, struct node *n) {
    struct job *j = job_new(sh, n, true);
    sh->line = n->line + sh->line_shift;
    bool ok = true;
    while (n->kind == N_NOT && n->wrap.body) n = n->wrap.body; /* `! a &` has the status of a */
    if (n->kind == N_PIPE && !n->redirs) {
        int in;
        ok = start_stages(sh, n, j, false, &in, FORK_BACKGROUND);
    } else {
        struct stage_io io = {-1, -1, -1, false};
        debug_stage(sh, n);
        pid_t pid = process_fork(sh, FORK_BACKGROUND, 0);
        if (pid == 0) run_stage(sh, n, &io);
        ok = pid > 0;
        if (ok) job_add(j, pid);
    }
    if (j->count > 0) sh->last_background = j->processes[j->count - 1].pid;
    sh->jobs->pending_children += j->count;
    if (j->count == 0) {
        job_free(sh, j);
    } else {
        job_settle_text(sh, j);
        announce(sh, j);
    }
    return sh->status = ok ? 0 : 254;
}

/* ------------------------------------------------------------------ coproc */

static void set_coproc_variables(struct shell *sh, const char *name, int in, int out, pid_t pid) {
    char text[24];
    struct var *v = var_make(sh, name);
    var_clear(sh, v);
    var_to_array(sh, v);
    snprintf(text, sizeof text, "%d", in);
    if (var_assign_index(sh, v, 0, text, false)) {
        snprintf(text, sizeof text, "%d", out);
        var_assign_index(sh, v, 1, text, false);
    }
    snprintf(text, sizeof text, "%ld", (long)pid);
    var_set(sh, arena_printf(&sh->tmp, "%s_PID", name), text);
}

static int coproc_fd(struct shell *sh, const char *name, int index) {
    const struct var *v = var_find(sh, name);
    const char *text = v && (v->flags & V_ARRAY) ? array_get(var_array(v), index) : NULL;
    return text && *text ? atoi(text) : -1;
}

void coproc_ended(struct shell *sh, struct job *j) {
    if (j->coproc_gone) return;
    int in = coproc_fd(sh, j->coproc, 0), out = coproc_fd(sh, j->coproc, 1);
    struct pollfd unread = {.fd = in, .events = POLLIN};
    if (in >= 0 && poll(&unread, 1, 0) > 0 && (unread.revents & POLLIN)) return;
    if (in >= 0) close(in);
    if (out >= 0) close(out);
    j->coproc_gone = true;
    const char *builtin = sh->builtin;
    sh->builtin = NULL; /* whoever waits is not to blame */
    var_unset(sh, j->coproc);
    arena_mark mark = arena_here(&sh->tmp);
    var_unset(sh, arena_printf(&sh->tmp, "%s_PID", j->coproc));
    arena_release(&sh->tmp, mark);
    sh->builtin = builtin;
}

int exec_coproc(struct shell *sh, struct node *n) {
    int to[2], from[2];
    sh->line = n->line + sh->line_shift;
    if (!name_ok(n->wrap.name)) {
        sh_error(sh, "`%s': not a valid identifier", n->wrap.name);
        return sh->status = 1;
    }
    if (!make_pipe(sh, to)) return sh->status = 1;
    if (!make_pipe(sh, from)) {
        close(to[0]);
        close(to[1]);
        return sh->status = 1;
    }
    for (struct job *old = job_list(sh); old; old = old->next)
        if (old->coproc && !old->coproc_gone && job_state(old) == JOB_RUNNING)
            sh_error(sh, "warning: execute_coproc: coproc [%ld:%s] still exists",
                     (long)old->processes[0].pid, old->coproc);
    struct job *j = job_new(sh, n, true);
    pid_t pid = process_fork(sh, FORK_BACKGROUND, 0);
    if (pid == 0) {
        struct stage_io io = {to[0], from[1], to[1], false};
        close(from[0]);
        run_stage(sh, n->wrap.body, &io);
    }
    close(to[0]);
    close(from[1]);
    if (pid < 0) {
        close(to[1]);
        close(from[0]);
        job_free(sh, j);
        return sh->status = 254;
    }
    job_add(j, pid);
    job_settle_text(sh, j);
    j->coproc = xstrdup(n->wrap.name);
    sh->jobs->pending_children++;
    sh->last_background = pid;
    int in = fcntl(from[0], F_DUPFD_CLOEXEC, 60), out = fcntl(to[1], F_DUPFD_CLOEXEC, 60);
    close(from[0]);
    close(to[1]);
    arena_mark mark = arena_here(&sh->tmp);
    set_coproc_variables(sh, n->wrap.name, in, out, pid);
    arena_release(&sh->tmp, mark);
    announce(sh, j);
    return sh->status = 0;
}
