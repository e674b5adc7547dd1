/*
 * commands.h: the subcommands but `run`. Each gets its own name as argv[0] and gives the program's
 * exit status.
 */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

int shell_command(int argc, char **argv);      /* shell.c */
int replay_command(int argc, char **argv);     /* replay.c */
int trace_command(int argc, char **argv);      /* trace.c */
int snapshot_command(int argc, char **argv);   /* snapshot.c */
int verify_command(int argc, char **argv);     /* verify.c */
int policy_command(int argc, char **argv);     /* policy.c */
int completion_command(int argc, char **argv); /* completion.c */

/* The name of a subcommand, for completion; NULL past the last. main.c */
const char *command_name(int index);

#endif
