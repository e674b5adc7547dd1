/* job.c: see job.h. */
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static void close_end(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

/* posix_spawnp() with `in` and `out` as standard input and output; gives an errno. */
static int spawn(pid_t *pid, char **words, int in, int out) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE); /* ignored here, but not there */
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    error = posix_spawnp(pid, words[0], &actions, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

bool job_start(struct jobs *jobs, uint64_t id, const char *command, const char *arguments,
               size_t len) {
    struct job job = {.id = id, .command = command, .input = -1, .output = -1};
    int input[2] = {-1, -1}, output[2] = {-1, -1}, error = EINVAL;
    char **words = split_command(command);
    if (!words || !words[0]) goto out;
    error = 0;
    if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0) error = errno;
    if (!error) error = spawn(&job.pid, words, input[0], output[1]);
    if (!error) {
        job.input = input[1];
        job.output = output[0];
        input[1] = output[0] = -1;
        fcntl(job.input, F_SETFL, O_NONBLOCK);
        text_add(&job.arguments, arguments, len);
        jobs->items[jobs->count++] = job;
    }
out:
    for (int i = 0; i < 2; i++) {
        close_end(&input[i]);
        close_end(&output[i]);
    }
    free(words);
    errno = error;
    return !error;
}

static void feed(struct job *job) {
    ssize_t count =
        write(job->input, job->arguments.data + job->written, job->arguments.len - job->written);
    if (count > 0) job->written += (size_t)count;
    /* A command that does not read its arguments is no error. */
    if (job->written == job->arguments.len || (count < 0 && errno != EAGAIN && errno != EINTR))
        close_end(&job->input);
}

static void drain(struct job *job) {
    char data[65536];
    ssize_t count = read(job->output, data, sizeof data);
    if (count > 0) text_add(&job->result, data, (size_t)count);
    if (job->result.len > JOB_OUTPUT_MAX) kill(job->pid, SIGKILL);
    if (count == 0 || (count < 0 && errno != EINTR) || job->result.len > JOB_OUTPUT_MAX)
        close_end(&job->output);
}

static void take(struct jobs *jobs, size_t index, struct job *out) {
    *out = jobs->items[index];
    jobs->items[index] = jobs->items[--jobs->count];
    close_end(&out->input);
    close_end(&out->output);
    while (waitpid(out->pid, &out->status, 0) < 0 && errno == EINTR) {
    }
}

bool job_wait(struct jobs *jobs, int64_t timeout_ns, struct job *out) {
    for (;;) {
        struct pollfd fds[2 * JOBS_MAX];
        for (size_t i = 0; i < jobs->count; i++) {
            if (jobs->items[i].output < 0) {
                take(jobs, i, out);
                return true;
            }
            fds[2 * i] = (struct pollfd){.fd = jobs->items[i].input, .events = POLLOUT};
            fds[2 * i + 1] = (struct pollfd){.fd = jobs->items[i].output, .events = POLLIN};
        }
        struct timespec limit = {timeout_ns / 1000000000, timeout_ns % 1000000000};
        int ready = ppoll(fds, 2 * jobs->count, timeout_ns < 0 ? NULL : &limit, NULL);
        if (ready <= 0) return false;
        for (size_t i = 0; i < jobs->count; i++) {
            if (fds[2 * i].revents) feed(&jobs->items[i]);
            if (fds[2 * i + 1].revents) drain(&jobs->items[i]);
        }
    }
}

void job_free(struct job *job) {
    free(job->arguments.data);
    free(job->result.data);
}

void jobs_kill(struct jobs *jobs) {
    for (size_t i = 0; i < jobs->count; i++) kill(jobs->items[i].pid, SIGTERM);
    while (jobs->count) {
        struct job job;
        take(jobs, 0, &job);
        job_free(&job);
    }
}
