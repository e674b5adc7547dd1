/*
 * approve.h: `--approve`: a person at the terminal decides about calls that ask, and is shown what
 * would come of each answer before.
 *
 * approve.c asks and accepts; consequence.c answers a preview and lets it run on; changes.c
 * compares the files of two sandboxes; diff.c two texts, line by line.
 */
#ifndef CLI_APPROVE_H
#define CLI_APPROVE_H

#include "arguments.h"
#include "job.h"
#include "pinfold.h"
#include "text.h"

/* Asks about a call that waits while no other is being answered. Whatever is said, it is answered
 * when this returns, or was given up by the script. */
void approve_call(pf_sandbox *sandbox, const struct arguments *arguments, uint64_t id);

/* What a command says to a call. */
struct reply {
    bool ok;
    pf_failure kind;
    struct text text; /* JSON, or why it failed */
};
void reply_free(struct reply *reply);
/* Of a job that is over. calls.c */
struct reply reply_of(struct job *job);
/* Answers with it. */
pf_status reply_give(pf_sandbox *sandbox, uint64_t id, const struct reply *reply, pf_error *error);
/* Runs a command with these arguments until it is over; approve.c */
struct reply reply_from(const char *command, const char *params, size_t len);
/* The commands of a method, or NULL: --tool, --simulate. calls.c */
const char *command_of(const struct pairs *commands, const char *method);
bool is_pure(const struct arguments *arguments, const char *method);

/* A call of a tool that changes nothing, and what it gave. */
struct made {
    struct text method, params;
    struct reply reply;
};

/* What would come of one answer. */
struct consequence {
    const char *label;
    struct reply reply;
    bool known;          /* else nothing can be shown; `why` says why */
    bool cut;            /* it ran for too long: it cannot be had as it is */
    struct text why;
    pf_sandbox *sandbox; /* the preview, or NULL */
    struct made *made;   /* by it, in their order */
    size_t made_count;
    struct text out[2];  /* what it wrote from the answer on, as it was */
    struct text pieces; /* in their order: a byte for the stream, eight for the length, the bytes */
    struct text lines;   /* what a person is shown, printable */
};
void consequence_free(struct consequence *c);
/* Lets a preview of `sandbox` go on with the reply, up to the next call that may
 * change something. */
void consequence_explore(struct consequence *c, pf_sandbox *sandbox, pf_sandbox *before,
                         uint64_t id, const struct arguments *arguments);

/* Adds a line or more for each file that differs, in lines of `indent`. */
void changes_show(struct text *out, pf_sandbox *before, pf_sandbox *after,
                  const struct arguments *arguments);
/* Adds the lines that differ, as `diff -u` writes them, without its head. */
void diff_show(struct text *out, const char *indent, const char *old, size_t old_len,
               const char *new, size_t new_len);
/* One printable line with its end, cut when it is long. */
void add_line(struct text *out, const char *indent, const char *sign, const char *text, size_t len);

#endif
