/* run.h: one script from its text to its exit status. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "arguments.h"
#include "pinfold.h"

/* Runs what the arguments say; gives the exit status for the program. */
int run_script(const struct arguments *arguments);

/* language.c: the language of a script by its name (NULL: none) and its first line. */
const char *language_of(const char *path, const char *code);
/* limits.c */
void add_limits(pf_options *options, const struct pairs *limits);
/* policy.c: the capabilities, from --policy or one for each tool. */
void add_policy(pf_options *options, const struct arguments *arguments);
/* `pinfold policy check FILE`: the program's status. */
int policy_command(int argc, char **argv);
/* report.c: a result as one line of JSON on standard output. */
void report_json(const pf_result *result);

#endif
