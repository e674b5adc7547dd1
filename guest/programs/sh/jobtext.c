/*
 * jobtext.c: jobs as text: what `jobs` shows, and what a shell says of jobs that ended.
 *
 * Without a prompt bash speaks of a job only when a signal killed its last process, and it does so
 * when a child it was waiting for has ended: `bash: line 1:    42 Killed    sleep 9 | cat`.
 */
#include "sh.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef WCOREDUMP
#define CORE_DUMPED(status) WCOREDUMP(status)
#else
#define CORE_DUMPED(status) 0
#endif

static char *text_of(const struct node *n) {
    sb text = {0};
    print_command(&text, n);
    return sb_str(&text);
}

void job_settle_text(struct shell *sh, struct job *j) {
    if (j->text) return;
    const char *dir = var_get(sh, "PWD");
    j->text = text_of(j->node);
    j->dir = xstrdup(dir ? dir : "");
    if (j->node->kind != N_PIPE || j->count < 2) return;
    int i = 0;
    for (const struct node *s = j->node->list.first; s && i < j->count; s = s->next)
        j->processes[i++].text = text_of(s);
}

static void state_text(const struct shell *sh, const struct process *p, enum job_state state, sb *out) {
    if (state == JOB_RUNNING)
        sb_puts(out, "Running");
    else if (state == JOB_STOPPED)
        sb_printf(out, sh->posix ? "Stopped(SIG%s)" : "Stopped", signal_name(WSTOPSIG(p->status)));
    else if (WIFSIGNALED(p->status))
        sb_puts(out, signal_text(WTERMSIG(p->status)));
    else if (WEXITSTATUS(p->status))
        sb_printf(out, "Exit %d", WEXITSTATUS(p->status));
    else
        sb_puts(out, "Done");
}

static void put_state(const struct shell *sh, const struct process *p, enum job_state state, sb *out) {
    sb text = {0};
    state_text(sh, p, state, &text);
    sb_printf(out, "%-24s", sb_str(&text));
    if (state == JOB_DONE && CORE_DUMPED(p->status)) sb_puts(out, "(core dumped) ");
    sb_free(&text);
}

/* " &" of a running job, and where it was started when that is not here. */
static void put_rest(struct shell *sh, const struct job *j, sb *out) {
    const char *dir = var_get(sh, "PWD");
    if (job_state(j) == JOB_RUNNING && !j->foreground) sb_puts(out, " &");
    if (dir && *j->dir && strcmp(dir, j->dir) != 0) sb_printf(out, "  (wd: %s)", j->dir);
    sb_putc(out, '\n');
}

/* A line for each process; a state that repeats is not written again. */
static void put_processes(struct shell *sh, const struct job *j, sb *out) {
    for (int i = 0; i < j->count; i++) {
        const struct process *p = &j->processes[i];
        bool same = i > 0 && p[-1].state == p->state && p[-1].status == p->status;
        sb_printf(out, "%s%5ld ", i ? "     " : "", (long)p->pid);
        if (same)
            sb_printf(out, "%22s", "");
        else
            put_state(sh, p, p->state, out);
        if (i > 0) sb_puts(out, "| ");
        sb_puts(out, p->text ? p->text : j->text);
        if (i < j->count - 1) sb_putc(out, '\n');
    }
    put_rest(sh, j, out);
}

void job_format(struct shell *sh, struct job *j, sb *out, char style) {
    if (style == 'p') {
        sb_printf(out, "%ld\n", (long)j->processes[0].pid);
        return;
    }
    job_settle_text(sh, j);
    if (style != 'n') {
        char mark = j->id == sh->jobs->current ? '+' : j->id == sh->jobs->previous ? '-' : ' ';
        sb_printf(out, "[%d]%c ", j->id, mark);
    }
    if (style) {
        put_processes(sh, j, out);
        return;
    }
    sb_putc(out, ' ');
    put_state(sh, &j->processes[j->count - 1], job_state(j), out);
    sb_puts(out, j->text);
    put_rest(sh, j, out);
}

/* ------------------------------------------------------------------ what is said unasked */

static void say(struct shell *sh, struct job *j, char style) {
    sb line = {0};
    job_format(sh, j, &line, style);
    if (style == 'n') {
        int here = sh->error_line;
        if (line.n > 0) line.n--;
        if (sh->line == 0 && here == 0) sh->error_line = 1;
        sh_error(sh, "%s", sb_str(&line));
        sh->error_line = here;
    } else {
        sh_write_err(line.s, line.n);
    }
    sb_free(&line);
}

static void say_signal(int status) {
    sb line = {0};
    sb_printf(&line, "%s%s\n", signal_text(WTERMSIG(status)),
              CORE_DUMPED(status) ? " (core dumped)" : "");
    sh_write_err(line.s, line.n);
    sb_free(&line);
}

void job_report(struct shell *sh, struct job *j) {
    int status = j->processes[j->count - 1].status;
    int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (sh->trace_depth > 0) return; /* command substitutions are silent */
    if (sh->posix && sh->command_string && !sh->session) return; /* and so is sh -c */
    bool quiet = sig == 0 || sig == SIGINT || sig == SIGPIPE;
    if (!quiet && sig != SIGTERM && !sh->interactive && !sh->trap_set[sig])
        say(sh, j, 'n');
    else if (!j->foreground && j->job_control && (sig || sh->interactive || sh->command_string))
        say(sh, j, 0);
    else if (j->foreground && !quiet)
        say_signal(status);
}

void job_report_child(struct shell *sh, pid_t pid, int status, const struct node *n) {
    struct process p = {pid, status, JOB_DONE, NULL};
    struct job j = {.count = 1, .processes = &p, .node = n, .foreground = true};
    job_report(sh, &j);
    free(j.text);
    free(j.dir);
}

void job_settle_background(struct shell *sh) {
    job_reap(sh);
    for (struct job *j = sh->jobs->first; j; j = j->next) /* the foreground may have read the rest */
        if (j->coproc && job_state(j) == JOB_DONE) coproc_ended(sh, j);
    if (sh->interactive) return;
    for (struct job *j = sh->jobs->first, *next; j; j = next) {
        next = j->next;
        if (j->foreground || job_state(j) != JOB_DONE) continue;
        bool killed = WIFSIGNALED(j->processes[j->count - 1].status);
        if (!killed && !sh->command_string && !j->job_control) continue;
        if (!j->notified) job_report(sh, j);
        job_keep_status(sh, j);
        job_free(sh, j);
    }
}

void job_notify(struct shell *sh) {
    for (struct job *j = sh->jobs->first; j;) {
        struct job *next = j->next;
        if (!j->notified && !j->foreground && job_state(j) != JOB_RUNNING) {
            say(sh, j, 0);
            j->notified = true;
            if (job_state(j) == JOB_DONE) job_free(sh, j);
        }
        j = next;
    }
}
