/*
 * builtin/jobs.c: jobs, fg, bg, disown, wait.
 */
#include "builtin.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

static void show_job(struct shell *sh, struct job *j, char style) {
    sb text = {0};
    job_format(sh, j, &text, style);
    out_put(sh, text.s, text.n);
    sb_free(&text);
    j->notified = true;
}

/* Ended jobs that were shown are forgotten. */
static void sweep(struct shell *sh) {
    for (struct job *j = job_list(sh), *next; j; j = next) {
        next = j->next;
        if (j->notified && !j->foreground && job_state(j) == JOB_DONE) job_free(sh, j);
    }
}

/* jobs -x: job specifications become process groups, then the command runs. */
static int jobs_execute(struct shell *sh, int argc, char **argv) {
    if (argc == 0) return 0;
    for (int i = 1; i < argc; i++) {
        struct job *j = argv[i][0] == '%' ? job_find(sh, argv[i], true) : NULL;
        if (j) argv[i] = arena_printf(&sh->tmp, "%ld", (long)j->group);
    }
    return exec_argv(sh, argc, argv, 0);
}

BUILTIN(jobs) {
    struct bopt o = bopt_new(argc, argv);
    char style = 0;
    bool running = false, stopped = false, changed = false;
    for (int c; (c = bopt_next(sh, &o, "lpnrsx", NULL));) {
        if (bopt_over(c)) return 2;
        if (c == 'x') return jobs_execute(sh, argc - o.index, argv + o.index);
        if (c == 'l' || c == 'p')
            style = (char)c;
        else if (c == 'r')
            running = true;
        else if (c == 's')
            stopped = true;
        else
            changed = true;
    }
    job_reap(sh);
    int status = 0;
    if (o.index < argc) {
        for (int i = o.index; i < argc; i++) {
            struct job *j = job_find(sh, argv[i], false);
            if (j)
                show_job(sh, j, style);
            else
                status = 1;
        }
    } else {
        for (struct job *j = job_list(sh); j; j = j->next) {
            enum job_state state = job_state(j);
            if (j->foreground || (running && state != JOB_RUNNING) ||
                (stopped && state != JOB_STOPPED) || (changed && j->notified))
                continue;
            show_job(sh, j, style);
        }
    }
    sweep(sh);
    return status;
}

static int no_job_control(struct shell *sh) {
    sh_builtin_error(sh, "no job control");
    return 1;
}

static int resume(struct shell *sh, const char *spec, bool foreground) {
    job_reap(sh);
    struct job *j = job_find(sh, spec ? spec : "", spec == NULL);
    if (!j) {
        if (!spec) sh_builtin_error(sh, "current: no such job");
        return 1;
    }
    if (job_state(j) == JOB_DONE) {
        sh_builtin_error(sh, "job has terminated");
        return 1;
    }
    if (!j->job_control) {
        sh_builtin_error(sh, "job %d started without job control", j->id);
        return 1;
    }
    if (!foreground && job_state(j) == JOB_RUNNING) {
        sh_builtin_error(sh, "job %d already in background", j->id);
        return 0;
    }
    job_set_current(sh, j);
    if (foreground) {
        out_printf(sh, "%s\n", j->text);
        out_flush(sh);
    } else {
        out_printf(sh, "[%d]%s %s &\n", j->id, sh->posix ? "" : "+", j->text);
    }
    return job_continue(sh, j, foreground);
}

BUILTIN(fg) {
    if (!sh->opt[OPT_MONITOR]) return no_job_control(sh);
    return resume(sh, argc > 1 ? argv[1] : NULL, true);
}

BUILTIN(bg) {
    if (!sh->opt[OPT_MONITOR]) return no_job_control(sh);
    if (argc <= 1) return resume(sh, NULL, false);
    int status = 0;
    for (int i = 1; i < argc; i++)
        if (resume(sh, argv[i], false)) status = 1;
    return status;
}

static struct job *job_of_argument(struct shell *sh, const char *arg) {
    int64_t pid;
    if (*arg != '%' && parse_int64(arg, &pid)) {
        struct job *j = job_by_pid(sh, (pid_t)pid, NULL);
        if (!j) sh_builtin_error(sh, "%s: no such job", arg);
        return j;
    }
    return job_find(sh, arg, false);
}

BUILTIN(disown) {
    struct bopt o = bopt_new(argc, argv);
    bool all = false, running = false, mark = false;
    for (int c; (c = bopt_next(sh, &o, "ahr", NULL));) {
        if (bopt_over(c)) return 2;
        if (c == 'a')
            all = true;
        else if (c == 'r')
            running = true;
        else
            mark = true;
    }
    if (o.index >= argc && (all || running)) {
        for (struct job *j = job_list(sh), *next; j; j = next) {
            next = j->next;
            if (running && job_state(j) != JOB_RUNNING) continue;
            if (mark)
                j->nohup = true;
            else
                job_free(sh, j);
        }
        return 0;
    }
    if (o.index >= argc) {
        struct job *j = job_current(sh);
        if (!j) {
            sh_builtin_error(sh, "current: no such job");
            return 1;
        }
        if (mark)
            j->nohup = true;
        else
            job_free(sh, j);
        return 0;
    }
    int status = 0;
    for (int i = o.index; i < argc; i++) {
        struct job *j = job_of_argument(sh, argv[i]);
        if (!j)
            status = 1;
        else if (mark)
            j->nohup = true;
        else
            job_free(sh, j);
    }
    return status;
}

/* ------------------------------------------------------------------ wait */

/* A trapped signal ends the wait with 128 + its number. */
static int interrupted_status(struct shell *sh) {
    int signal = signal_first_pending();
    signal_check(sh);
    return signal > 0 ? 128 + signal : 128 + SIGINT;
}

/* Has a signal come that ends a wait? That of a child does not. */
static bool wait_interrupted(int got) {
    int first = signal_first_pending();
    return signal_pending() && (got == -2 || (first > 0 && first != SIGCHLD));
}

/* Waits until the job is done; its status, or that of an interrupting signal (negative). */
static int wait_job(struct shell *sh, struct job *j) {
    while (job_state(j) == JOB_RUNNING) {
        int got = wait_interrupted(0) ? -2 : job_wait_any(sh);
        if (wait_interrupted(got)) return -interrupted_status(sh);
        if (got == -1) break;
    }
    return 0;
}

static int job_result(struct shell *sh, struct job *j, pid_t pid) {
    if (pid <= 0) return job_status(sh, j);
    for (int i = 0; i < j->count; i++)
        if (j->processes[i].pid == pid) return status_of_wait(j->processes[i].status);
    return 127;
}

static void forget_done(struct shell *sh, struct job *j) {
    if (job_state(j) == JOB_DONE) {
        if (!j->notified && !sh->interactive) job_report(sh, j);
        if (!sh->posix) job_keep_status(sh, j);
        job_free(sh, j);
    }
}

static int wait_one(struct shell *sh, const char *arg) {
    int64_t pid = 0;
    struct job *j;
    if (*arg == '%') {
        j = job_find(sh, arg, false);
        if (!j) return 127;
    } else {
        if (!parse_int64(arg, &pid)) {
            sh_builtin_error(sh, "`%s': not a pid or valid job spec", arg);
            return 1;
        }
        j = job_by_pid(sh, (pid_t)pid, NULL);
        if (!j) {
            int status;
            if (job_recall(sh, (pid_t)pid, &status)) return status;
            status = sh->jobs->pending_children > 0 ? job_wait_pid(sh, (pid_t)pid, NULL) : 127;
            if (status == 127)
                sh_builtin_error(sh, "pid %ld is not a child of this shell", (long)pid);
            return status;
        }
    }
    int interrupted = wait_job(sh, j);
    if (interrupted < 0) return -interrupted;
    int status = job_result(sh, j, (pid_t)pid);
    forget_done(sh, j);
    return status;
}

static int wait_all(struct shell *sh) {
    for (;;) {
        bool running = false;
        for (struct job *j = job_list(sh); j; j = j->next)
            if (job_state(j) == JOB_RUNNING && !j->foreground) running = true;
        /* Of the process substitutions, `wait` waits for the last one while it is $!. */
        int status;
        if (sh->last_procsub > 0 && sh->last_procsub == sh->last_background &&
            !job_recall(sh, sh->last_procsub, &status))
            running = true;
        if (!running) break;
        int got = wait_interrupted(0) ? -2 : job_wait_any(sh);
        if (wait_interrupted(got)) return interrupted_status(sh);
        if (got == -1) break;
    }
    for (struct job *j = job_list(sh), *next; j; j = next) {
        next = j->next;
        forget_done(sh, j);
    }
    return 0;
}

static bool among(struct shell *sh, const struct job *j, int n, char **specs) {
    if (n == 0) return true;
    for (int i = 0; i < n; i++) {
        int64_t pid;
        struct job *k = *specs[i] == '%'              ? job_find(sh, specs[i], true)
                        : parse_int64(specs[i], &pid) ? job_by_pid(sh, (pid_t)pid, NULL)
                                                      : NULL;
        if (k == j) return true;
    }
    return false;
}

/* wait -n: the next job to end. */
static int wait_next(struct shell *sh, int n, char **specs, const char *var) {
    for (int i = 0; i < n; i++) {
        int64_t pid;
        if (*specs[i] == '%' || parse_int64(specs[i], &pid)) continue;
        sh_builtin_error(sh, "`%s': not a pid or valid job spec", specs[i]);
    }
    job_reap(sh);
    for (int i = 0; i < n; i++) {
        int64_t pid;
        if (*specs[i] == '%') job_find(sh, specs[i], false);
        else if (parse_int64(specs[i], &pid) && !job_by_pid(sh, (pid_t)pid, NULL))
            sh_builtin_error(sh, "%s: no such job", specs[i]);
    }
    for (;;) {
        bool running = false;
        job_reap(sh);
        for (struct job *j = job_list(sh); j; j = j->next) {
            if (j->foreground || !among(sh, j, n, specs)) continue;
            if (job_state(j) != JOB_DONE) {
                running = true;
                continue;
            }
            int status = job_status(sh, j);
            if (var) {
                char *pid = arena_printf(&sh->tmp, "%ld", (long)j->processes[j->count - 1].pid);
                if (!assign_text(sh, var, pid, false)) return 1;
            }
            forget_done(sh, j);
            return status;
        }
        if (!running) return 127;
        int got = wait_interrupted(0) ? -2 : job_wait_any(sh);
        if (wait_interrupted(got)) return interrupted_status(sh);
        if (got == -1) return 127;
    }
}

BUILTIN(wait) {
    struct bopt o = bopt_new(argc, argv);
    bool next = false;
    const char *var = NULL;
    for (int c; (c = bopt_next(sh, &o, "fnp:", NULL));) {
        if (bopt_over(c)) return 2;
        if (c == 'n')
            next = true;
        else if (c == 'p')
            var = o.arg;
    }
    if (var) {
        if (!assign_valid_lhs(var)) {
            sh_builtin_error(sh, "`%s': not a valid identifier", var);
            return 1;
        }
        if (!var_unset(sh, var)) return 1;
    }
    job_forget_inherited(sh);
    if (next) return wait_next(sh, argc - o.index, argv + o.index, var);
    if (o.index >= argc) return wait_all(sh);
    int status = 0;
    for (int i = o.index; i < argc && sh->flow == FLOW_NONE; i++) {
        status = wait_one(sh, argv[i]);
        if (var && status != 127) {
            struct job *j = *argv[i] == '%' ? job_find(sh, argv[i], true) : NULL;
            const char *pid = j ? arena_printf(&sh->tmp, "%ld", (long)j->group) : argv[i];
            assign_text(sh, var, pid, false);
        }
    }
    return status;
}
