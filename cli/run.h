/* run.h: one script from its text to its exit status. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "arguments.h"
#include "pinfold.h"

/* Runs what the arguments say; gives the exit status for the program. */
int run_script(const struct arguments *arguments);

/* Its parts, for `pinfold shell`. A sandbox with what the arguments say in it; ends the program when
 * that cannot be. */
pf_sandbox *sandbox_of(const struct arguments *arguments);
/* Answers calls until the run is over. */
void drive(pf_sandbox *sandbox, const struct arguments *arguments);
/* Frees it; ends the program with a message when its recording is incomplete. */
void end_sandbox(pf_sandbox *sandbox);
/* Says on standard error what limits did. */
void explain(const pf_result *result);
/* Ctrl-C goes to this sandbox; NULL: ends the program again. */
void interrupt_by_keyboard(pf_sandbox *sandbox);
void save_snapshot(pf_sandbox *sandbox, const char *path);

/* language.c: the language of a script by its name (NULL: none) and its first line. */
const char *language_of(const char *path, const char *code);
/* limits.c */
void add_limits(pf_options *options, const struct pairs *limits);
/* policy.c: the capabilities, from --policy or one for each tool. */
void add_policy(pf_options *options, const struct arguments *arguments);
/* report.c: a result as one line of JSON on standard output. */
void report_json(const pf_result *result);

#endif
