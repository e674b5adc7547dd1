/*
 * calls.c: the loop that answers a script's calls.
 *
 * Calls go to child processes (job.c), several at once when the script made several. Calls that a
 * capability wants approved are asked about at the terminal (approve.c) while no other call is on
 * its way.
 */
#include "run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "approve.h"
#include "job.h"
#include "web.h"

static void expect(pf_status status, const pf_error *error) {
    if (status != PF_OK) die("%s", error->message);
}

/* The method is the canonical form of the name: dots are slashes, mcp: is gone. */
static bool names(const char *name, const char *method) {
    if (!strncmp(name, "mcp:", 4)) name += 4;
    size_t at = 0;
    while (name[at] && (name[at] == '.' ? '/' : name[at]) == method[at]) at++;
    return !name[at] && !method[at];
}

const char *command_of(const struct pairs *commands, const char *method) {
    for (size_t i = 0; i < commands->count; i++)
        if (names(commands->items[i].name, method)) return commands->items[i].value;
    return NULL;
}

bool is_pure(const struct arguments *arguments, const char *method) {
    for (size_t i = 0; i < arguments->pure_count; i++)
        if (names(arguments->pure[i], method)) return true;
    return false;
}

static void fail(pf_sandbox *sandbox, uint64_t id, const char *message) {
    pf_error error;
    expect(pf_sandbox_fail(sandbox, id, PF_FAILED, message, &error), &error);
}

/* A capability wants somebody to approve the call: a script that a command runs has no one to
 * ask. */
static void deny(pf_sandbox *sandbox, const pf_call *call) {
    char message[512];
    pf_error error;
    snprintf(message, sizeof message,
             "%.200s is denied: it needs approval, and nobody is here to give it", call->method);
    expect(pf_sandbox_fail(sandbox, call->id, PF_FAILURE_DENIED, message, &error), &error);
}

static void begin_call(pf_sandbox *sandbox, const struct arguments *arguments, struct jobs *jobs,
                       const pf_call *call) {
    const char *command = command_of(&arguments->tools, call->method);
    char message[512];
    if (call->ask) {
        deny(sandbox, call);
        return;
    }
    if (!command && arguments->http_count && !strcmp(call->method, WEB_METHOD)) {
        if (web_start(jobs, call->id, call->params, call->params_len)) return;
        fail(sandbox, call->id, "the request could not be made: no process can be started");
        return;
    }
    if (command && job_start(jobs, call->id, command, call->params, call->params_len)) return;
    snprintf(message, sizeof message, "%.200s cannot be run: %s", command ? command : call->method,
             command ? strerror(errno) : "it has no command");
    fail(sandbox, call->id, message);
}

/* JSON is the result as it is; other text is a string; nothing is null. */
struct reply reply_of(struct job *job) {
    char message[512];
    struct text *result = &job->result;
    struct reply reply = {.kind = PF_FAILED};
    if (result->len > JOB_OUTPUT_MAX)
        snprintf(message, sizeof message, "%.200s printed too much", job->command);
    else if (WIFSIGNALED(job->status))
        snprintf(message, sizeof message, "%.200s was killed by signal %d", job->command,
                 WTERMSIG(job->status));
    else if (WEXITSTATUS(job->status))
        snprintf(message, sizeof message, "%.200s failed with status %d", job->command,
                 WEXITSTATUS(job->status));
    else {
        reply.ok = true;
        if (result->len && result->data[result->len - 1] == '\n') result->len--;
        if (!result->len) text_puts(result, "null");
        if (pf_json_check(result->data, result->len, NULL) == PF_OK)
            text_add(&reply.text, result->data, result->len);
        else
            text_json(&reply.text, result->data, result->len);
        return reply;
    }
    text_puts(&reply.text, message);
    return reply;
}

static void answer(pf_sandbox *sandbox, struct job *job) {
    pf_error error;
    if (web_is(job)) {
        expect(web_answer(sandbox, job, &error), &error);
        return;
    }
    struct reply reply = reply_of(job);
    expect(reply_give(sandbox, job->id, &reply, &error), &error);
    reply_free(&reply);
}

/* Nothing to answer: the guest sleeps, or waits for what cannot happen. False: it is
 * beyond help. */
static bool go_on(pf_sandbox *sandbox, int *attempts) {
    pf_error error;
    int64_t wait = pf_sandbox_wait_ns(sandbox);
    if (wait >= 0) {
        struct timespec time = {wait / 1000000000, wait % 1000000000};
        nanosleep(&time, NULL); /* a signal ends it, which is right */
    } else {
        if (++*attempts > 3) return false;
        pf_sandbox_interrupt(sandbox);
    }
    expect(pf_sandbox_advance(sandbox, &error), &error);
    return true;
}

void drive(pf_sandbox *sandbox, const struct arguments *arguments) {
    struct jobs jobs = {.count = 0};
    int attempts = 0;
    /* A call that somebody is asked about, when all others are answered; 0: none. */
    uint64_t asks = 0;
    pf_error error;
    while (pf_sandbox_running(sandbox)) {
        pf_call call;
        if (!asks && jobs.count < JOBS_MAX && pf_sandbox_step(sandbox, &call, &error) == PF_OK) {
            if (call.ask && arguments->approve) asks = call.id;
            else begin_call(sandbox, arguments, &jobs, &call);
        } else if (asks && jobs.count == 0) {
            approve_call(sandbox, arguments, asks);
            asks = 0;
        } else if (jobs.count == 0) {
            if (!go_on(sandbox, &attempts))
                die("the script waits for something that cannot happen any more");
        } else {
            struct job job;
            if (job_wait(&jobs, pf_sandbox_wait_ns(sandbox), &job)) {
                answer(sandbox, &job);
                job_free(&job);
            } else
                expect(pf_sandbox_advance(sandbox, &error), &error);
        }
    }
    jobs_kill(&jobs); /* the run ended without their answers */
}
