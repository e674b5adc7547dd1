/*
 * parallel_run.c: runs the jobs, at most so many at a time, and gives out what they printed.
 *
 * What a job prints goes to files without names until it has ended; with -k until those before it
 * have been given out as well. With -u it goes where it goes.
 */
#include "parallel.h"
#include "g_in.h"
#include "g_interval.h"
#include "g_out.h"
#include "g_time.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum state { WAITING, RUNNING, ENDED, SHOWN };

typedef struct {
    const words *args;
    char *command;
    enum state state;
    pid_t pid;
    size_t slot;
    int out, err, in; /* -1: none */
    int status;       /* as wait() gave it */
    uint64_t tries;
    double began, took;
    bool timed_out;
} job;

typedef struct {
    parallel *p;
    job *jobs;
    size_t count, next, shown, ended, failed, succeeded;
    bool *slots;
    int running, log;
    bool stopped;
    int halt_status;
} runner;

static double now(void) {
    g_moment m = g_now();
    return (double)m.seconds + m.nanoseconds / 1e9;
}

/* A file that has no name. */
static int spool(void) {
    const char *dir = getenv("TMPDIR");
    char *name = g_alloc((dir ? strlen(dir) : 4) + 16);
    sprintf(name, "%s/parXXXXXX", dir && *dir ? dir : "/tmp");
    int fd = mkstemp(name);
    if (fd < 0) g_die_errno(255, errno, "%s", name);
    unlink(name);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    free(name);
    return fd;
}

static void set_number(const char *name, size_t value) {
    char text[24];
    snprintf(text, sizeof text, "%zu", value);
    setenv(name, text, 1);
}

static bool start(runner *r, job *j) {
    posix_spawn_file_actions_t actions;
    const parallel *p = r->p;
    size_t number = (size_t)(j - r->jobs) + 1;
    for (j->slot = 0; r->slots[j->slot]; j->slot++) continue;
    r->slots[j->slot] = true;
    free(j->command);
    j->command = parallel_command(p, j->args, number, j->slot + 1);
    if (p->trace) fprintf(stderr, "%s\n", j->command);
    j->began = now();
    j->tries++;
    if (p->dry_run) {
        if (!p->verbose) g_outf("%s\n", j->command);
        j->state = ENDED;
        return false;
    }
    if (!p->ungrouped) {
        j->out = spool();
        j->err = spool();
    }
    set_number("PARALLEL_SEQ", number);
    set_number("PARALLEL_JOBSLOT", j->slot + 1);
    posix_spawn_file_actions_init(&actions);
    if (j->in >= 0)
        posix_spawn_file_actions_adddup2(&actions, j->in, STDIN_FILENO);
    else if (number > 1 || p->source_count == 0 || p->no_arguments)
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (j->out >= 0) posix_spawn_file_actions_adddup2(&actions, j->out, STDOUT_FILENO);
    if (j->err >= 0) posix_spawn_file_actions_adddup2(&actions, j->err, STDERR_FILENO);
    if (p->directory) posix_spawn_file_actions_addchdir_np(&actions, p->directory);
    char *argv[] = {(char *)"bash", (char *)"-c", j->command, NULL};
    g_out_flush();
    int error = posix_spawnp(&j->pid, "bash", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error) g_die_errno(255, error, "bash");
    j->state = RUNNING;
    r->running++;
    return true;
}

/* ------------------------------------------------------------------ what they printed */

static void put_tagged(const char *tag, int fd, int to) {
    g_reader in;
    g_line line;
    g_text text = {0};
    g_reader_init(&in, fd, '\n');
    while (g_read_line(&in, &line)) {
        g_text_adds(&text, tag);
        g_text_addc(&text, '\t');
        g_text_add(&text, line.s, line.len);
        if (line.terminated) g_text_addc(&text, '\n');
        if (to == STDOUT_FILENO)
            g_out(text.s, text.len);
        else if (write(to, text.s, text.len) < 0)
            break;
        text.len = 0;
    }
    g_text_free(&text);
    g_reader_free(&in);
}

static uint64_t put_file(int fd, int to, const char *tag) {
    if (fd < 0) return 0;
    off_t size = lseek(fd, 0, SEEK_END);
    lseek(fd, 0, SEEK_SET);
    if (to == STDERR_FILENO) g_out_flush();
    if (tag) {
        put_tagged(tag, fd, to);
    } else {
        char block[8192];
        for (ssize_t n; (n = g_read(fd, block, sizeof block)) > 0;) {
            if (to == STDOUT_FILENO)
                g_out(block, (size_t)n);
            else if (write(to, block, (size_t)n) < 0)
                break;
        }
    }
    close(fd);
    return size > 0 ? (uint64_t)size : 0;
}

static char *tag_of(const runner *r, const job *j) {
    const parallel *p = r->p;
    if (!p->tagged) return NULL;
    return parallel_fill(p, p->tag ? p->tag : "{}", j->args, (size_t)(j - r->jobs) + 1,
                         j->slot + 1);
}

static void show(runner *r, job *j) {
    char *tag = tag_of(r, j);
    if (r->p->verbose) g_outf("%s\n", j->command);
    uint64_t bytes = put_file(j->out, STDOUT_FILENO, tag);
    put_file(j->err, STDERR_FILENO, tag);
    g_out_flush();
    j->state = SHOWN;
    if (r->log >= 0) {
        int code = WIFSIGNALED(j->status) ? 0 : WEXITSTATUS(j->status);
        dprintf(r->log, "%zu\t:\t%.3f\t%10.3f\t0\t%llu\t%d\t%d\t%s\n", (size_t)(j - r->jobs) + 1,
                j->began, j->took, (unsigned long long)bytes, code,
                WIFSIGNALED(j->status) ? WTERMSIG(j->status) : 0, j->command);
    }
    free(tag);
}

static void show_ready(runner *r) {
    if (!r->p->keep_order) return;
    while (r->shown < r->count && r->jobs[r->shown].state >= ENDED) {
        if (r->jobs[r->shown].state == ENDED) show(r, &r->jobs[r->shown]);
        r->shown++;
    }
}

/* ------------------------------------------------------------------ ends */

static void kill_all(runner *r) {
    for (size_t i = 0; i < r->next; i++)
        if (r->jobs[i].state == RUNNING) kill(r->jobs[i].pid, SIGTERM);
}

static bool reached(const runner *r, size_t count) {
    double want = r->p->halt_count;
    if (want < 1) return count >= 3 && (double)count / (double)r->count >= want;
    return (double)count >= want;
}

static void check_halt(runner *r, const job *j, bool good) {
    const parallel *p = r->p;
    if (p->halt == HALT_NEVER || r->stopped || p->halt_success != good) return;
    g_out_flush();
    fprintf(stderr, "parallel: This job %s:\n%s\n", good ? "succeeded" : "failed", j->command);
    if (!reached(r, good ? r->succeeded : r->failed)) return;
    r->stopped = true;
    int code = WIFSIGNALED(j->status) ? 128 + WTERMSIG(j->status) : WEXITSTATUS(j->status);
    r->halt_status = code;
    if (p->halt == HALT_NOW)
        kill_all(r);
    else if (r->running > 0)
        fprintf(stderr, "parallel: Starting no more jobs. Waiting for %d jobs to finish.\n",
                r->running);
}

static void over(runner *r, job *j, int status) {
    bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    j->status = status;
    j->took = now() - j->began;
    r->slots[j->slot] = false;
    if (!good && j->tries < r->p->tries && !r->stopped) {
        if (j->out >= 0) close(j->out);
        if (j->err >= 0) close(j->err);
        if (j->in >= 0) lseek(j->in, 0, SEEK_SET);
        j->out = j->err = -1;
        start(r, j);
        return;
    }
    j->state = ENDED;
    r->ended++;
    if (good)
        r->succeeded++;
    else
        r->failed++;
    bool killed = r->stopped && r->p->halt == HALT_NOW;
    if (!r->p->keep_order && !killed)
        show(r, j);
    else if (!killed)
        show_ready(r);
    if (j->timed_out) {
        fprintf(stderr,
                "parallel: Warning: This job was killed because it timed out:\n"
                "parallel: Warning: %s\n",
                j->command);
    }
    check_halt(r, j, good);
    if (j->in >= 0) close(j->in);
}

/* Until one ends; with --timeout it looks at the clock between. */
static void wait_one(runner *r) {
    int status;
    pid_t pid;
    for (;;) {
        bool watch = r->p->timeout > 0;
        pid = waitpid(-1, &status, watch ? WNOHANG : 0);
        if (pid < 0 && errno == EINTR) continue;
        if (pid != 0) break;
        for (size_t i = 0; i < r->next; i++) {
            job *j = &r->jobs[i];
            if (j->state != RUNNING || j->timed_out || now() - j->began < r->p->timeout) continue;
            j->timed_out = true;
            kill(j->pid, SIGTERM);
        }
        g_sleep(0.02);
    }
    if (pid < 0) {
        r->running = 0;
        return;
    }
    for (size_t i = 0; i < r->next; i++) {
        if (r->jobs[i].pid != pid || r->jobs[i].state != RUNNING) continue;
        r->running--;
        over(r, &r->jobs[i], status);
        return;
    }
}

/* ------------------------------------------------------------------ --pipe */

static void add_block(runner *r, size_t *cap, const char *bytes, size_t len) {
    static const words none;
    if (r->count == *cap) r->jobs = g_more(r->jobs, cap, sizeof *r->jobs);
    int fd = spool();
    for (size_t done = 0; done < len;) {
        ssize_t n = write(fd, bytes + done, len - done);
        if (n < 0 && errno != EINTR) g_die_errno(255, errno, "write error");
        if (n > 0) done += (size_t)n;
    }
    lseek(fd, 0, SEEK_SET);
    r->jobs[r->count++] = (job){.args = &none, .out = -1, .err = -1, .in = fd};
}

/* Standard input in pieces of whole lines: so many, or so many bytes. */
static void read_blocks(runner *r) {
    g_reader in;
    g_line line;
    g_text block = {0};
    size_t lines = 0, cap = 0, want = r->p->per_job;
    g_reader_init(&in, STDIN_FILENO, r->p->end);
    while (g_read_line(&in, &line)) {
        g_text_add(&block, line.s, line.len);
        if (line.terminated) g_text_addc(&block, r->p->end);
        lines++;
        if (want ? lines < want : block.len < r->p->block) continue;
        add_block(r, &cap, block.s, block.len);
        block.len = lines = 0;
    }
    if (block.len) add_block(r, &cap, block.s, block.len);
    g_text_free(&block);
    g_reader_free(&in);
}

/* ------------------------------------------------------------------ */

/* --resume: what the log names was done. */
static void skip_done(runner *r, const char *log) {
    int fd = open(log, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    g_reader in;
    g_line line;
    g_reader_init(&in, fd, '\n');
    while (g_read_line(&in, &line)) {
        size_t number = strtoul(line.s, NULL, 10);
        if (number >= 1 && number <= r->count) r->jobs[number - 1].state = SHOWN;
    }
    g_reader_free(&in);
    close(fd);
}

static void open_log(runner *r) {
    const parallel *p = r->p;
    r->log = -1;
    if (!p->joblog) return;
    if (p->resume) skip_done(r, p->joblog);
    bool fresh = !p->resume || access(p->joblog, F_OK) < 0;
    r->log = open(p->joblog, O_WRONLY | O_CREAT | O_CLOEXEC | (fresh ? O_TRUNC : O_APPEND), 0666);
    if (r->log < 0) g_die_errno(255, errno, "Error: Cannot write to --joblog %s", p->joblog);
    if (fresh)
        dprintf(r->log,
                "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n");
}

int parallel_run(parallel *p) {
    runner r = {.p = p, .count = p->record_count};
    bool first = true;
    if (p->pipe) {
        read_blocks(&r);
    } else {
        r.jobs = g_zalloc((r.count + 1) * sizeof *r.jobs);
        for (size_t i = 0; i < r.count; i++)
            r.jobs[i] = (job){.args = &p->records[i], .out = -1, .err = -1, .in = -1};
    }
    open_log(&r);
    r.slots = g_zalloc(((size_t)p->jobs + 1) * sizeof *r.slots);
    for (; r.next < r.count && !r.stopped;) {
        if (r.running >= p->jobs) {
            wait_one(&r);
            continue;
        }
        job *j = &r.jobs[r.next++];
        if (j->state == SHOWN) continue;
        if (!first && p->delay > 0) g_sleep(p->delay);
        first = false;
        if (!start(&r, j)) {
            r.slots[j->slot] = false;
            if (!p->keep_order) show(&r, j);
        }
        show_ready(&r);
    }
    while (r.running > 0) wait_one(&r);
    show_ready(&r);
    if (r.log >= 0) close(r.log);
    if (r.stopped) return r.halt_status;
    return r.failed > 100 ? 101 : (int)r.failed;
}
