/*
 * guest/lib/toolcmd.h: the command `tool`, which calls the host's tools from a shell.
 *
 *     tool NAME [--PARAM VALUE]... [--FLAG] [--json OBJECT] [--raw]
 *     tool NAME < args.json
 *     tool --list [PREFIX] | --search WORD | --help [NAME]
 *
 * Called by the program `tool` (also as the command of a single tool, whose name is then argv[0])
 * and by the shell as a builtin. It never exits and keeps nothing between calls; standard streams
 * are flushed on return. What tools there are it reads from the files that the host wrote below
 * /tools.
 */
#ifndef TOOLCMD_H
#define TOOLCMD_H

#include <stdbool.h>
#include <stddef.h>

/* Statuses, besides 0. */
#define TOOLCMD_FAILED  1   /* the tool failed, or the text on standard input is wrong */
#define TOOLCMD_USAGE   2   /* an unknown or missing option, or a value of the wrong type */
#define TOOLCMD_DENIED  126 /* no capability, or a spent one */
#define TOOLCMD_UNKNOWN 127 /* no such tool */

/* The whole command; returns its status. Not to be called from two threads. */
int toolcmd_main(int argc, char **argv);

/* The shell's answer to "was I interrupted?", asked when a wait ends with EINTR; then the call is
 * cancelled and the status is 130. NULL (a program): signals kill, or the wait goes on. */
extern bool (*toolcmd_interrupted)(void);

/* The shell's: takes the result, with its line end, in place of standard output. NULL: it is
 * printed. */
extern bool (*toolcmd_result)(const char *text, size_t len);

#endif
