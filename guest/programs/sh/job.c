/*
 * job.c: the table of jobs: jobs that run in the background, that stopped, and how they ended.
 */
#include "sh.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Ended children that were no job (process substitutions): `wait PID` may still ask. */
enum { REMEMBERED = 32 };
struct ended {
    pid_t pid;
    int status;
};

struct job_table {
    struct jobs jobs;
    struct ended ended[REMEMBERED];
    int next_ended;
};

static struct job_table *table_of(struct shell *sh) {
    return (struct job_table *)sh->jobs;
}

void job_init(struct shell *sh) {
    sh->jobs = xcalloc(1, sizeof(struct job_table));
}

void job_remember(struct shell *sh, pid_t pid, int status) {
    struct job_table *t = table_of(sh);
    t->ended[t->next_ended] = (struct ended){pid, status};
    t->next_ended = (t->next_ended + 1) % REMEMBERED;
}

bool job_recall(struct shell *sh, pid_t pid, int *status) {
    struct job_table *t = table_of(sh);
    for (int i = 0; i < REMEMBERED; i++)
        if (t->ended[i].pid == pid) {
            *status = status_of_wait(t->ended[i].status);
            return true;
        }
    return false;
}

void job_keep_status(struct shell *sh, struct job *j) {
    for (int i = 0; i < j->count; i++)
        job_remember(sh, j->processes[i].pid, j->processes[i].status);
}

struct job *job_list(struct shell *sh) {
    return sh->jobs->first;
}

static int next_id(struct shell *sh) {
    int id = 0;
    for (const struct job *j = sh->jobs->first; j; j = j->next)
        if (j->id > id) id = j->id;
    return id + 1;
}

struct job *job_new(struct shell *sh, const struct node *n, bool background) {
    struct job *j = xcalloc(1, sizeof *j);
    j->node = n;
    j->foreground = !background;
    j->job_control = sh->opt[OPT_MONITOR];
    if (background) {
        j->id = next_id(sh);
        struct job **at = &sh->jobs->first;
        while (*at) at = &(*at)->next;
        *at = j;
        job_set_current(sh, j);
    }
    return j;
}

void job_add(struct job *j, pid_t pid) {
    j->processes = xrealloc(j->processes, ((size_t)j->count + 1) * sizeof *j->processes);
    j->processes[j->count++] = (struct process){pid, 0, JOB_RUNNING, NULL};
    if (j->group == 0) j->group = pid;
}

void job_add_ended(struct job *j, int status) {
    j->processes = xrealloc(j->processes, ((size_t)j->count + 1) * sizeof *j->processes);
    j->processes[j->count++] = (struct process){0, (status & 255) << 8, JOB_DONE, NULL};
}

static struct job *by_id(struct shell *sh, int id) {
    for (struct job *j = sh->jobs->first; j; j = j->next)
        if (j->id == id) return j;
    return NULL;
}

struct job *job_current(struct shell *sh) {
    return by_id(sh, sh->jobs->current);
}
struct job *job_previous(struct shell *sh) {
    return by_id(sh, sh->jobs->previous);
}

void job_set_current(struct shell *sh, struct job *j) {
    if (sh->jobs->current == j->id) return;
    sh->jobs->previous = sh->jobs->current;
    sh->jobs->current = j->id;
}

/* The newest other job takes the place of one that went. */
static void settle_current(struct shell *sh) {
    struct jobs *t = sh->jobs;
    if (!by_id(sh, t->current)) {
        t->current = t->previous;
        t->previous = 0;
    }
    int best = 0;
    for (struct job *j = t->first; j; j = j->next)
        if (j->id != t->current && j->id > best) best = j->id;
    if (!by_id(sh, t->current)) {
        t->current = best;
        best = 0;
        for (struct job *j = t->first; j; j = j->next)
            if (j->id != t->current && j->id > best) best = j->id;
    }
    if (!by_id(sh, t->previous)) t->previous = best;
}

void job_free(struct shell *sh, struct job *j) {
    struct job **at = &sh->jobs->first;
    while (*at && *at != j) at = &(*at)->next;
    if (*at) *at = j->next;
    settle_current(sh);
    for (int i = 0; i < j->count; i++) free(j->processes[i].text);
    free(j->processes);
    free(j->text);
    free(j->dir);
    free(j->coproc);
    free(j);
}

void job_forget_all(struct shell *sh) {
    while (sh->jobs->first) job_free(sh, sh->jobs->first);
    sh->jobs->pending_children = 0;
}

void job_inherit_all(struct shell *sh) {
    sh->jobs->pending_children = 0;
    for (struct job *j = sh->jobs->first; j; j = j->next) j->inherited = true;
}

void job_forget_inherited(struct shell *sh) {
    for (struct job *next, *j = sh->jobs->first; j; j = next) {
        next = j->next;
        if (j->inherited) job_free(sh, j);
    }
}

enum job_state job_state(const struct job *j) {
    bool stopped = false;
    for (int i = 0; i < j->count; i++) {
        if (j->processes[i].state == JOB_RUNNING) return JOB_RUNNING;
        stopped |= j->processes[i].state == JOB_STOPPED;
    }
    return stopped ? JOB_STOPPED : JOB_DONE;
}

int job_status(const struct shell *sh, const struct job *j) {
    int status = j->count ? status_of_wait(j->processes[j->count - 1].status) : 0;
    if (!sh->opt[OPT_PIPEFAIL]) return status;
    for (int i = j->count - 1; i >= 0; i--) {
        int one = status_of_wait(j->processes[i].status);
        if (one) return one;
    }
    return 0;
}

struct job *job_by_pid(struct shell *sh, pid_t pid, int *index) {
    for (struct job *j = sh->jobs->first; j; j = j->next)
        for (int i = 0; i < j->count; i++)
            if (j->processes[i].pid == pid) {
                if (index) *index = i;
                return j;
            }
    return NULL;
}

/* %1 %+ %- %name %?text */
struct job *job_find(struct shell *sh, const char *spec, bool quiet) {
    const char *s = *spec == '%' ? spec + 1 : spec;
    struct job *found = NULL;
    if (*s == 0 || strcmp(s, "%") == 0 || strcmp(s, "+") == 0) {
        found = job_current(sh);
    } else if (strcmp(s, "-") == 0) {
        found = job_previous(sh);
        if (!found) found = job_current(sh);
    } else if (s[strspn(s, "0123456789")] == 0) {
        found = by_id(sh, atoi(s));
    } else {
        bool inside = *s == '?';
        const char *text = inside ? s + 1 : s;
        for (struct job *j = sh->jobs->first; j; j = j->next) {
            bool hit =
                inside ? strstr(j->text, text) != NULL : strncmp(j->text, text, strlen(text)) == 0;
            if (!hit) continue;
            if (found) {
                if (!quiet) sh_builtin_error(sh, "%s: ambiguous job spec", text);
                return NULL;
            }
            found = j;
        }
    }
    if (!found && !quiet) sh_builtin_error(sh, "%s: no such job", spec);
    return found;
}

/* ------------------------------------------------------------------ the foreground */

static void hand_terminal(struct shell *sh, pid_t group) {
    if (sh->tty < 0 || !sh->opt[OPT_MONITOR]) return;
    tcsetpgrp(sh->tty, group);
}

static void note_foreground(struct shell *sh, struct job *j) {
    int *all = xmalloc((size_t)(j->count ? j->count : 1) * sizeof *all);
    for (int i = 0; i < j->count; i++) all[i] = status_of_wait(j->processes[i].status);
    exec_set_pipestatus(sh, all, j->count);
    free(all);
}

/* A job that was in the foreground and stopped joins the table. */
static void keep_stopped(struct shell *sh, struct job *j) {
    if (j->id == 0) {
        j->id = next_id(sh);
        struct job **at = &sh->jobs->first;
        while (*at) at = &(*at)->next;
        *at = j;
    }
    j->foreground = false;
    job_settle_text(sh, j);
    job_set_current(sh, j);
    sb line = {0};
    sb_putc(&line, '\n');
    job_format(sh, j, &line, 0);
    sh_write_err(line.s, line.n);
    sb_free(&line);
    j->notified = true;
}

/* For `p` of the foreground's `j`, or for whoever changes before it does. */
static void wait_foreground(struct shell *sh, struct job *j, struct process *p) {
    int status;
    bool others = sh->jobs->pending_children > 0;
    pid_t got = waitpid(others ? -1 : p->pid, &status, j->job_control ? WUNTRACED : 0);
    if (got < 0 && errno == EINTR) return;
    for (int i = 0; i < j->count && others && got > 0; i++)
        if (j->processes[i].pid == got) p = &j->processes[i];
    if (got > 0 && p->pid != got) {
        job_note_child(sh, got, status);
        return;
    }
    p->state = got > 0 && WIFSTOPPED(status) ? JOB_STOPPED : JOB_DONE;
    p->status = got > 0 ? status : 127 << 8;
}

int job_wait_foreground(struct shell *sh, struct job *j) {
    bool others = sh->jobs->pending_children > 0;
    hand_terminal(sh, j->group);
    for (int i = 0; i < j->count; i++) {
        struct process *p = &j->processes[i];
        while (p->state == JOB_RUNNING) wait_foreground(sh, j, p);
    }
    hand_terminal(sh, getpgrp());
    note_foreground(sh, j);
    int status = job_status(sh, j);
    if (job_state(j) == JOB_STOPPED) {
        keep_stopped(sh, j);
        return status;
    }
    if (j->count > 0 && WIFSIGNALED(j->processes[j->count - 1].status)) {
        job_report(sh, j);
        signal_child_died(sh, WTERMSIG(j->processes[j->count - 1].status));
    }
    job_free(sh, j);
    if (others) job_settle_background(sh);
    return status;
}

int job_continue(struct shell *sh, struct job *j, bool foreground) {
    for (int i = 0; i < j->count; i++)
        if (j->processes[i].state == JOB_STOPPED) j->processes[i].state = JOB_RUNNING;
    if (foreground) hand_terminal(sh, j->group);
    if (j->job_control)
        killpg(j->group, SIGCONT);
    else
        for (int i = 0; i < j->count; i++) kill(j->processes[i].pid, SIGCONT);
    if (!foreground) return 0;
    j->foreground = true;
    if (sh->jobs->pending_children >= j->count) sh->jobs->pending_children -= j->count;
    return job_wait_foreground(sh, j);
}
