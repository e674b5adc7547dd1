/* run.h: one script from its text to its exit status. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "arguments.h"
#include "pinfold.h"
#include "text.h"

/* Runs what the arguments say; gives the exit status for the program. */
int run_script(const struct arguments *arguments);

/* Lets a sandbox that was restored complete the run that is on in it. */
int run_restored(const struct arguments *arguments);

/* Its parts, for `pinfold shell`. A sandbox with what the arguments say in it; ends the program
 * when that cannot be. */
pf_sandbox *sandbox_of(const struct arguments *arguments);
/* The settings that the arguments say. */
pf_options *options_of(const struct arguments *arguments);
/* Answers calls until the run is over. calls.c */
void drive(pf_sandbox *sandbox, const struct arguments *arguments);
/* Frees it; ends the program with a message when its recording is incomplete. */
void end_sandbox(pf_sandbox *sandbox);
/* Says on standard error what limits did. */
void explain(const pf_result *result);
/* Ctrl-C goes to this sandbox; NULL: ends the program again. */
void interrupt_by_keyboard(pf_sandbox *sandbox);
/* Where --snapshot says. */
void save_snapshot(pf_sandbox *sandbox, const struct arguments *arguments);

/* language.c: the language of a script by its name (NULL: none) and its first line; NULL when they
 * ask for one that does not run here. */
const char *language_of(const char *path, const char *code);
/* bounds.c: the value of --max-seconds, and what the limits of a recording may be at most. */
double seconds_of(const char *text);
pf_options *replay_limits(const struct pairs *limits);
/* limits.c */
void add_limits(pf_options *options, const struct pairs *limits);
/* One of them, by the library's name, or what it is by default. */
uint64_t limit_of(const struct pairs *limits, const char *name);
/* Reads a file ("-": standard input) that the sandbox takes up to a limit, and not much of one that
 * has more: that ends the program. `what` is the file in the message, `name` the limit. */
void read_within(struct text *text, const char *path, const char *what, const char *name,
                 uint64_t limit);
/* policy.c: the capabilities, from --policy or one for each tool. */
void add_policy(pf_options *options, const struct arguments *arguments);
/* report.c: a result as one line of JSON on standard output. */
void report_json(const pf_result *result);

#endif
