/*
 * exec.c: executes the tree: lists, conditions, groups, subshells, what errors mean (set -e, ERR).
 *
 * Every function returns the status and looks at sh->flow after each thing it ran.
 */
#include "sh.h"

#include <fcntl.h>
#include <pf.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

enum { STEPS_PER_YIELD = 64 };

void exec_step(struct shell *sh) {
    if (--sh->steps <= 0) {
        sh->steps = STEPS_PER_YIELD;
        pf_yield();
    }
    if (signal_pending()) signal_check(sh);
}

void exec_set_pipestatus(struct shell *sh, const int *status, int count) {
    if (count > sh->pipe_count || !sh->pipe_status)
        sh->pipe_status = xrealloc(sh->pipe_status, (size_t)(count > 0 ? count : 1) * sizeof(int));
    if (count > 0) memcpy(sh->pipe_status, status, (size_t)count * sizeof(int));
    sh->pipe_count = count;
}

void trap_failed(struct shell *sh) {
    if (sh->ignore_errors > 0 || sh->flow != FLOW_NONE || sh->status == 0) return;
    trap_run(sh, TRAP_ERR);
}

void exec_failed(struct shell *sh) {
    if (sh->ignore_errors > 0 || sh->flow != FLOW_NONE || sh->status == 0) return;
    trap_failed(sh);
    if (sh->flow != FLOW_NONE) return;
    if (sh->opt[OPT_ERREXIT]) sh->flow = FLOW_EXIT;
}

/* ------------------------------------------------------------------ lists and conditions */

int exec_list(struct shell *sh, struct node *first) {
    bool can_exec = sh->can_exec;
    int status = 0;
    for (struct node *n = first; n; n = n->next) {
        sh->can_exec = can_exec && !n->next;
        status = n->flags & NF_BACKGROUND ? exec_background(sh, n) : exec_node(sh, n);
        if (sh->flow != FLOW_NONE) break;
    }
    sh->can_exec = can_exec;
    return status;
}

/* A command whose failure is an answer and not an error. */
static int exec_condition(struct shell *sh, struct node *n) {
    bool can_exec = sh->can_exec;
    sh->can_exec = false;
    sh->ignore_errors++;
    int status = exec_node(sh, n);
    sh->ignore_errors--;
    sh->can_exec = can_exec;
    return status;
}

static int exec_and_or(struct shell *sh, struct node *n) {
    int status = exec_condition(sh, n->pair.left);
    if (sh->flow != FLOW_NONE) return status;
    bool go_on = n->kind == N_AND ? status == 0 : status != 0;
    return go_on ? exec_node(sh, n->pair.right) : status;
}

static int exec_if(struct shell *sh, struct node *n) {
    for (;;) {
        int status = exec_condition(sh, n->branch.cond);
        if (sh->flow != FLOW_NONE) return status;
        if (status == 0) return exec_node(sh, n->branch.then);
        struct node *other = n->branch.otherwise;
        if (!other) return sh->status = 0;
        if (other->kind != N_IF || other->redirs) return exec_node(sh, other);
        n = other;
    }
}

static int exec_not(struct shell *sh, struct node *n) {
    int status = n->wrap.body ? exec_condition(sh, n->wrap.body) : 0;
    if (sh->flow != FLOW_NONE) return status;
    return sh->status = !status;
}

static bool redirects_stdin(const struct redir *r) {
    for (; r; r = r->next) {
        bool reads = r->kind == R_IN || r->kind == R_INOUT || r->kind == R_DUP_IN ||
                     r->kind == R_HERE_DOC || r->kind == R_HERE_STRING;
        if (!r->fd_var && (r->fd == 0 || (r->fd < 0 && reads))) return true;
    }
    return false;
}

static int exec_subshell(struct shell *sh, struct node *n) {
    struct job *j = sh->opt[OPT_MONITOR] ? job_new(sh, n, false) : NULL;
    sh->line = n->line + sh->line_shift;
    if (!sh->in_trap) sh->command = n;
    pid_t pid = process_fork(sh, FORK_FOREGROUND, 0);
    if (pid < 0) return sh->status = 254;
    if (pid > 0) {
        if (j) {
            job_add(j, pid);
            return sh->status = job_wait_foreground(sh, j);
        }
        int status = job_wait_pid(sh, pid, n);
        exec_set_pipestatus(sh, &status, 1);
        return sh->status = status;
    }
    sh->stdin_given = 0;
    exec_subshell_here(sh, n);
}

_Noreturn void exec_subshell_here(struct shell *sh, struct node *n) {
    job_forget_all(sh);
    sh->in_parens = true;
    if (redirects_stdin(n->redirs)) sh->stdin_given = 1;
    if (n->redirs && !redir_do(sh, n->redirs, NULL)) process_exit(sh, 1);
    int status = exec_node(sh, n->wrap.body);
    process_exit(sh, sh->flow == FLOW_NONE ? status : sh->status);
}

bool exec_begin(struct shell *sh, struct node *n, bool part) {
    sh->line = n->line + sh->line_shift;
    if (!sh->in_trap) sh->command = n;
    if (!part) exec_step(sh);
    trap_run(sh, TRAP_DEBUG);
    return sh->flow == FLOW_NONE;
}

static int exec_arith(struct shell *sh, struct node *n) {
    int64_t value;
    arena_mark mark = arena_here(&sh->tmp);
    if (!exec_begin(sh, n, false)) return sh->status;
    if (sh->opt[OPT_XTRACE])
        exec_trace_text(sh, arena_printf(&sh->tmp, "(( %s ))", n->arith.expr->text));
    bool ok = expand_arith(sh, n->arith.expr, &value, "((");
    arena_release(&sh->tmp, mark);
    if (!ok && sh->flow == FLOW_EXIT) return sh->status;
    if (!ok && sh->flow == FLOW_DISCARD) sh->flow = FLOW_NONE;
    sh->status = !ok || value == 0;
    exec_set_pipestatus(sh, &sh->status, 1);
    return sh->status;
}

static int exec_define(struct shell *sh, struct node *n) {
    const char *name = n->func.name;
    sh->line = n->line + sh->line_shift;
    if (sh->posix && builtin_find_any(name) && (builtin_find_any(name)->flags & B_SPECIAL)) {
        sh_error(sh, "`%s': is a special builtin", name);
        sh->flow = FLOW_EXIT;
        return sh->status = 2;
    }
    if (sh->posix && !name_ok(name)) {
        sh_error(sh, "`%s': not a valid identifier", name);
        sh->flow = FLOW_EXIT;
        return sh->status = 2;
    }
    if (strpbrk(name, "$`'\"\\")) {
        sh_error(sh, "`%s': not a valid identifier", name);
        return sh->status = 1;
    }
    func_define(sh, n, n->func.tree);
    return sh->status;
}

/* ------------------------------------------------------------------ time */

static int64_t timeval_us(struct timeval tv) {
    return (int64_t)tv.tv_sec * 1000000 + tv.tv_usec;
}

struct times {
    int64_t real, user, sys;
};

static struct times times_now(void) {
    struct rusage self, children;
    struct timeval tv;
    gettimeofday(&tv, NULL);
    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &children);
    return (struct times){timeval_us(tv), timeval_us(self.ru_utime) + timeval_us(children.ru_utime),
                          timeval_us(self.ru_stime) + timeval_us(children.ru_stime)};
}

static void put_time(sb *out, int64_t us, int digits, bool minutes) {
    if (us < 0) us = 0;
    int64_t seconds = us / 1000000;
    if (minutes) sb_printf(out, "%" PRId64 "m", seconds / 60);
    sb_printf(out, "%" PRId64, minutes ? seconds % 60 : seconds);
    if (digits > 0) {
        char fraction[8];
        snprintf(fraction, sizeof fraction, "%06d", (int)(us % 1000000));
        sb_printf(out, ".%.*s", digits, fraction);
    }
    if (minutes) sb_putc(out, 's');
}

/* TIMEFORMAT: %R %U %S with a precision and l, %P, %%. */
static void format_times(sb *out, const char *f, struct times t) {
    for (; *f; f++) {
        if (*f != '%') {
            sb_putc(out, *f);
            continue;
        }
        f++;
        int digits = 3;
        bool minutes = false;
        if (*f >= '0' && *f <= '9') {
            digits = *f++ - '0';
            if (digits > 3) digits = 3;
        }
        if (*f == 'l') {
            minutes = true;
            f++;
        }
        switch (*f) {
        case 'R': put_time(out, t.real, digits, minutes); break;
        case 'U': put_time(out, t.user, digits, minutes); break;
        case 'S': put_time(out, t.sys, digits, minutes); break;
        case 'P':
            sb_printf(out, "%.2f",
                      t.real > 0 ? 100.0 * (double)(t.user + t.sys) / (double)t.real : 0.0);
            break;
        case '%': sb_putc(out, '%'); break;
        case 0: return;
        default: sb_putc(out, '%'); sb_putc(out, *f);
        }
    }
}

int exec_time(struct shell *sh, struct node *n) {
    bool can_exec = sh->can_exec;
    struct times start = times_now();
    sh->can_exec = false;
    int status = n->wrap.body ? exec_node(sh, n->wrap.body) : 0;
    sh->can_exec = can_exec;
    struct times end = times_now();
    struct times spent = {end.real - start.real, end.user - start.user, end.sys - start.sys};
    const char *format = var_get(sh, "TIMEFORMAT");
    if (n->flags & NF_POSIX_TIME) format = "real %2R\nuser %2U\nsys %2S";
    if (!format) format = "\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS";
    if (*format) {
        sb out = {0};
        format_times(&out, format, spent);
        sb_putc(&out, '\n');
        sh_write_err(out.s, out.n);
        sb_free(&out);
    }
    return status;
}

/* ------------------------------------------------------------------ dispatch */

static int exec_compound(struct shell *sh, struct node *n) {
    switch (n->kind) {
    case N_LIST: return exec_list(sh, n->list.first);
    case N_PIPE: return exec_pipeline(sh, n);
    case N_AND:
    case N_OR: return exec_and_or(sh, n);
    case N_NOT: return exec_not(sh, n);
    case N_TIME: return exec_time(sh, n);
    case N_SUBSHELL: return exec_subshell(sh, n);
    case N_GROUP: return exec_node(sh, n->wrap.body);
    case N_IF: return exec_if(sh, n);
    case N_WHILE:
    case N_UNTIL: return exec_while(sh, n);
    case N_FOR: return exec_for(sh, n);
    case N_SELECT: return exec_select(sh, n);
    case N_ARITH_FOR: return exec_arith_for(sh, n);
    case N_CASE: return exec_case(sh, n);
    case N_FUNCTION: return exec_define(sh, n);
    case N_ARITH: return exec_arith(sh, n);
    case N_COND: return exec_cond(sh, n);
    case N_COPROC: return exec_coproc(sh, n);
    case N_TEXT:
        return run_text(sh, n->text.source, n->text.n, n->line, "command substitution");
    default: return exec_simple(sh, n);
    }
}

/* Kinds whose own failure counts; in the others it is that of a command inside. */
static bool counts_as_command(int kind) {
    return kind == N_SUBSHELL || kind == N_ARITH || kind == N_COND || kind == N_PIPE;
}

static int exec_redirected(struct shell *sh, struct node *n) {
    struct redir_undo *undo = NULL;
    struct procsub *subs = procsub_mark(sh);
    arena_mark mark = arena_here(&sh->tmp);
    bool can_exec = sh->can_exec;
    sh->line = n->line + sh->line_shift;
    bool ok = redir_do(sh, n->redirs, &undo);
    arena_release(&sh->tmp, mark);
    int status;
    if (ok) {
        bool given = redirects_stdin(n->redirs);
        sh->can_exec = false;
        sh->stdin_given += given;
        status = exec_compound(sh, n);
        sh->stdin_given -= given;
        sh->can_exec = can_exec;
        redir_undo(sh, undo);
        if (status && counts_as_command(n->kind)) exec_failed(sh);
    } else {
        status = sh->status = 1;
        exec_failed(sh);
    }
    procsub_close(sh, subs);
    return status;
}

int exec_node(struct shell *sh, struct node *n) {
    if (sh->opt[OPT_NOEXEC] && !sh->interactive) return 0;
    if (n->kind == N_SIMPLE) return exec_simple(sh, n);
    if (sh_deep(sh)) return sh->status;
    if (n->redirs && n->kind != N_SUBSHELL) return exec_redirected(sh, n);
    int status = exec_compound(sh, n);
    if (status && counts_as_command(n->kind)) exec_failed(sh);
    return status;
}

/* ------------------------------------------------------------------ set -x */

static void put_trace(struct shell *sh, const char *text, size_t n) {
    if (write_all(sh->trace_fd, text, n) < 0) { /* as bash: nothing to be done */
    }
}

/* PS4, its first character once more for each level of eval or function. */
static void put_prefix(struct shell *sh, sb *out) {
    const char *ps4 = var_get(sh, "PS4");
    if (!ps4) return;
    sh->opt[OPT_XTRACE] = false;
    int status = sh->status;
    char *text = prompt_expand(sh, ps4);
    sh->status = status;
    sh->opt[OPT_XTRACE] = true;
    if (!text || !*text) return;
    int first = u8_len(text, strlen(text));
    for (int i = 1; i < sh->eval_depth + sh->trace_depth; i++) sb_put(out, text, (size_t)first);
    sb_puts(out, text);
}

void exec_trace_text(struct shell *sh, const char *text) {
    arena_mark mark = arena_here(&sh->tmp);
    sb out = sb_in(&sh->tmp);
    put_prefix(sh, &out);
    sb_puts(&out, text);
    sb_putc(&out, '\n');
    put_trace(sh, out.s, out.n);
    arena_release(&sh->tmp, mark);
}

void exec_trace(struct shell *sh, const char *const *words, int n) {
    arena_mark mark = arena_here(&sh->tmp);
    sb out = sb_in(&sh->tmp);
    for (int i = 0; i < n; i++) {
        if (i) sb_putc(&out, ' ');
        quote_trace(&out, words[i]);
    }
    exec_trace_text(sh, sb_str(&out));
    arena_release(&sh->tmp, mark);
}
