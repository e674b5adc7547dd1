/*
 * job.h: tool commands that run.
 *
 * A job is one call on its way: a child process that reads the arguments as JSON on its standard
 * input and prints the result. Up to JOBS_MAX run at once; run.c gives them calls and takes
 * results.
 */
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include <stdint.h>
#include <sys/types.h>

#include "text.h"

#define JOBS_MAX 16
/* A command that prints more than this is killed. */
#define JOB_OUTPUT_MAX (64u << 20)

struct job {
    uint64_t id;         /* of the call */
    const char *command; /* as given with --tool */
    pid_t pid;
    int input, output; /* our ends of its pipes, -1 once closed */
    struct text arguments;
    size_t written; /* of the arguments */
    struct text result;
    int status; /* of waitpid(), once it is over */
};

struct jobs {
    struct job items[JOBS_MAX];
    size_t count;
};

/* The words of a command, NULL-terminated, in one block to be freed; NULL: a quote has no end. */
char **split_command(const char *command);

/* Starts a command. False with errno set when it cannot be run. */
bool job_start(struct jobs *jobs, uint64_t id, const char *command, const char *arguments,
               size_t len);
/* Waits until a job is over, and moves it to *out: true. False when `timeout_ns` (-1: none) has
 * passed or a signal came. */
bool job_wait(struct jobs *jobs, int64_t timeout_ns, struct job *out);
void job_free(struct job *job);
/* Ends all that still run. */
void jobs_kill(struct jobs *jobs);

#endif
