/*
 * web.h: requests of scripts: --http and --secret.
 *
 * A request is a call of the tool http/request. It is made by a process of its own, this program
 * again, which loads libcurl: job.c runs it as it runs the commands of other tools.
 */
#ifndef CLI_WEB_H
#define CLI_WEB_H

#include "arguments.h"
#include "job.h"
#include "pinfold.h"
#include "text.h"

#define WEB_METHOD "http/request"
/* The hidden command that makes a request, and how it is run. */
#define WEB_COMMAND "http-request"

/* Declares the tool, and the variables with placeholders. Ends the program when something
 * is wrong. */
void web_add(pf_options *options, const struct arguments *arguments);
/* Adds what --http grants to a policy's list of capabilities; `first`: it is empty so far. */
void web_grant(struct text *policy, const struct arguments *arguments, bool first);

/* Starts the job of a request: `params` are those of the call. False: it cannot be started. */
bool web_start(struct jobs *jobs, uint64_t id, const char *params, size_t len);
/* Is it the job of a request? */
bool web_is(const struct job *job);
/* Answers the call: with what came, or why nothing did. */
pf_status web_answer(pf_sandbox *sandbox, const struct job *job, pf_error *error);

/* The hidden command. */
int web_main(void);

#endif
