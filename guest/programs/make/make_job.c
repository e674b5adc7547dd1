/*
 * make_job.c: recipes that run: a process for each line, several recipes at a time with -j.
 *
 * Makes that start each other share a number of jobs: the first one puts a byte for each job but
 * one into a pipe, and who starts a second job at the same time takes a byte out until that has
 * ended.
 */
#include "make.h"
#include "g_out.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    char *text;
    bool silent, ignore, recursive;
    unsigned line; /* of the recipe, from 0 */
} command;

typedef struct job {
    struct job *next;
    target *target;
    command *commands;
    size_t count, at;
    char **environment;
    pid_t pid;
    bool has_token, any;
    char token;
} job;

unsigned job_slots = 1;
int jobserver[2] = {-1, -1};
static job *running;
static volatile sig_atomic_t caught;

bool jobs_running(void) {
    return running != NULL;
}

static void on_signal(int number) {
    caught = number;
}

void jobs_begin(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < 4; i++) {
        struct sigaction action = {.sa_handler = on_signal}, old;
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

/* @ - + in front of a command. */
static const char *prefix(const char *s, command *c) {
    for (;; s++) {
        if (*s == '@')
            c->silent = true;
        else if (*s == '-')
            c->ignore = true;
        else if (*s == '+')
            c->recursive = true;
        else if (*s != ' ' && *s != '\t')
            return s;
    }
}

static void add_command(job *j, size_t *cap, command c, const char *text, size_t len) {
    char *copy = g_copy_bytes(text, len);
    const char *s = prefix(copy, &c);
    if (!*s) {
        free(copy);
        return;
    }
    if (j->count == *cap) j->commands = g_more(j->commands, cap, sizeof *j->commands);
    c.text = g_copy_string(s);
    j->commands[j->count++] = c;
    free(copy);
}

/* A line may expand to several, between newlines without a backslash. */
static void add_lines(job *j, size_t *cap, command c, const char *text) {
    const char *start = text;
    for (const char *s = text;; s++) {
        if (*s == '\\' && s[1]) {
            s++;
            continue;
        }
        if (*s && *s != '\n') continue;
        add_command(j, cap, c, start, (size_t)(s - start));
        if (!*s) return;
        start = s + 1;
    }
}

/* In $(…) a continued line is one blank; elsewhere the shell joins it. */
static char *join_in_references(const char *text) {
    g_text out = {0};
    g_text_adds(&out, "");
    for (const char *s = text; *s;) {
        const char *close =
            *s == '$' && (s[1] == '(' || s[1] == '{')
                ? closing_bracket(s + 2, s + strlen(s), s[1], s[1] == '(' ? ')' : '}')
                : NULL;
        if (!close) {
            if (*s == '$' && s[1]) g_text_addc(&out, *s++);
            g_text_addc(&out, *s++);
            continue;
        }
        while (s < close) {
            if (s[0] != '\\' || s[1] != '\n') {
                g_text_addc(&out, *s++);
                continue;
            }
            while (out.len && (out.s[out.len - 1] == ' ' || out.s[out.len - 1] == '\t')) out.len--;
            for (s += 2; *s == ' ' || *s == '\t';) s++;
            g_text_addc(&out, ' ');
        }
    }
    return out.s;
}

static void add_one_shell(job *j, size_t *cap, const recipe *r) {
    g_text script = {0};
    command c = {0};
    for (size_t i = 0; i < r->count; i++) {
        command line = {0};
        const char *s = prefix(r->lines[i], i ? &line : &c);
        char *text = expanded(i && s == r->lines[i] ? r->lines[i] : s);
        if (i) g_text_addc(&script, '\n');
        g_text_adds(&script, text);
        free(text);
        if (strstr(r->lines[i], "$(MAKE)") || strstr(r->lines[i], "${MAKE}")) c.recursive = true;
    }
    if (!script.len) return;
    c.text = script.s;
    if (j->count == *cap) j->commands = g_more(j->commands, cap, sizeof *j->commands);
    j->commands[j->count++] = c;
}

static void expand_recipe(job *j) {
    const recipe *r = j->target->recipe;
    scope *saved = current_scope;
    place at = now_at;
    size_t cap = 0;
    current_scope = target_scope(j->target);
    now_at = r->where;
    if (opt.one_shell) add_one_shell(j, &cap, r);
    for (size_t i = 0; !opt.one_shell && i < r->count; i++) {
        command c = {.line = (unsigned)i};
        const char *s = prefix(r->lines[i], &c);
        if (strstr(s, "$(MAKE)") || strstr(s, "${MAKE}")) c.recursive = true;
        now_at.line = r->where.line + (unsigned)i;
        char *joined = join_in_references(s), *text = expanded(joined);
        free(joined);
        add_lines(j, &cap, c, text);
        free(text);
    }
    j->environment = variable_environment();
    current_scope = saved;
    now_at = at;
}

static void give_back(job *j) {
    if (!j->has_token) return;
    j->has_token = false;
    while (write(jobserver[1], &j->token, 1) < 0 && errno == EINTR) {
    }
}

/* Waits until another job may start. */
static void take_slot(job *j) {
    if (jobserver[0] < 0) {
        while (job_slots && running) {
            unsigned count = 0;
            for (job *r = running; r; r = r->next) count++;
            if (count < job_slots || !job_wait()) return;
        }
        return;
    }
    while (running) {
        ssize_t n = read(jobserver[0], &j->token, 1);
        if (n == 1) {
            j->has_token = true;
            return;
        }
        if (!job_wait()) return;
    }
}

static void report(job *j, int status, bool ignored) {
    const command *c = &j->commands[j->at];
    const recipe *r = j->target->recipe;
    const char *stars = ignored ? "" : "*** ", *end = ignored ? " (ignored)" : "";
    g_text where = {0};
    if (r->where.line)
        g_text_addf(&where, "%s:%u", r->where.file, r->where.line + c->line);
    else
        g_text_adds(&where, r->where.file);
    if (WIFSIGNALED(status))
        make_error(NULL, "%s[%s: %s] %s%s%s", stars, where.s, j->target->entry.name,
                   strsignal(WTERMSIG(status)), WCOREDUMP(status) ? " (core dumped)" : "", end);
    else
        make_error(NULL, "%s[%s: %s] Error %d%s", stars, where.s, j->target->entry.name,
                   WEXITSTATUS(status), end);
    g_text_free(&where);
}

/* A file that a failed recipe has begun to write is not to pass for a good one. */
static void delete_one(target *t) {
    struct stat st;
    if (t->phony || target_is_precious(t) || stat(t->path, &st) != 0 || !S_ISREG(st.st_mode))
        return;
    if (t->time != TIME_NONE && t->time != TIME_UNKNOWN &&
        t->time == (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec + 1)
        return;
    make_error(NULL, "*** Deleting file '%s'", t->path);
    unlink(t->path);
}

static void delete_targets(target *t) {
    if (!t->together_count) delete_one(t);
    for (size_t i = 0; i < t->together_count; i++) delete_one(t->together[i]);
}

static void end_job(job *j, enum outcome outcome) {
    for (job **at = &running; *at; at = &(*at)->next)
        if (*at == j) {
            *at = j->next;
            break;
        }
    give_back(j);
    if (outcome == OUTCOME_FAILED && opt.delete_on_error) delete_targets(j->target);
    target *t = j->target;
    if (j->any) t->ran = true;
    if (outcome == OUTCOME_GOOD && opt.touch && !t->phony && !opt.dry_run) target_touch(t);
    target_finish(t, outcome);
    free(j);
}

/* What a command that has ended leaves: true when the recipe is over. */
static bool command_ended(job *j, int status) {
    if (!WIFEXITED(status) || WEXITSTATUS(status)) {
        const command *c = &j->commands[j->at];
        bool ignored = c->ignore || opt.ignore || opt.ignore_all || j->target->ignore;
        if (opt.question && WIFEXITED(status) && WEXITSTATUS(status) == 1) {
            end_job(j, OUTCOME_OUTDATED);
            return true;
        }
        report(j, status, ignored);
        if (!ignored) {
            end_job(j, OUTCOME_FAILED);
            return true;
        }
    }
    j->at++;
    return false;
}

/* Starts commands until one runs or the recipe is over. */
static void go_on(job *j) {
    while (j->at < j->count) {
        const command *c = &j->commands[j->at];
        bool quiet = c->silent || opt.silent || opt.silent_all || j->target->silent;
        if (opt.question && !c->recursive) {
            end_job(j, OUTCOME_OUTDATED);
            return;
        }
        if (opt.touch && !c->recursive) {
            j->at++;
            continue;
        }
        if (!quiet || opt.dry_run || opt.trace) {
            g_outf("%s\n", c->text);
            g_out_flush();
        }
        j->any = true;
        commands_started++;
        if (opt.dry_run && !c->recursive) {
            j->at++;
            continue;
        }
        for (int i = 0; i < 2; i++)
            if (jobserver[i] >= 0) fcntl(jobserver[i], F_SETFD, c->recursive ? 0 : FD_CLOEXEC);
        j->pid = run_command(c->text, j->environment, opt.one_shell, -1);
        if (j->pid > 0) return;
        if (command_ended(j, 127 << 8)) return;
    }
    end_job(j, OUTCOME_GOOD);
}

static void trace(const target *t) {
    const recipe *r = t->recipe;
    variable *newer = variable_find_in(t->run_scope, "?", 1, NULL);
    if (r->where.line)
        g_outf("%s:%u: ", r->where.file, r->where.line);
    else
        g_outs("<builtin>: ");
    if (newer && *newer->value)
        g_outf("update target '%s' due to: %s\n", t->path, newer->value);
    else
        g_outf("target '%s' does not exist\n", t->path);
}

void job_start(target *t) {
    job *j = g_zalloc(sizeof *j);
    j->target = t;
    expand_recipe(j);
    if (opt.trace && j->count) trace(t);
    t->state = RUNNING;
    if (t->together_count)
        for (size_t i = 0; i < t->together_count; i++) t->together[i]->state = RUNNING;
    if (j->count && !opt.dry_run) take_slot(j);
    j->next = running;
    running = j;
    go_on(j);
}

static void die_of_signal(void) {
    int number = caught;
    for (job *j = running; j; j = j->next)
        if (number == SIGTERM || number == SIGHUP) kill(j->pid, number);
    for (job *j = running, *next; j; j = next) {
        int status;
        next = j->next;
        while (waitpid(j->pid, &status, 0) < 0 && errno == EINTR) {
        }
        if (!WIFEXITED(status) || WEXITSTATUS(status)) report(j, status, false);
        delete_targets(j->target);
    }
    g_out_flush();
    signal(number, SIG_DFL);
    raise(number);
    make_end(2);
}

bool job_wait(void) {
    int status;
    pid_t pid;
    if (!running) return false;
    g_out_flush();
    while ((pid = waitpid(-1, &status, 0)) < 0 && errno == EINTR && !caught) {
    }
    if (caught) die_of_signal();
    if (pid < 0) return false;
    for (job *j = running; j; j = j->next) {
        if (j->pid != pid) continue;
        if (!command_ended(j, status)) go_on(j);
        return true;
    }
    return true;
}
