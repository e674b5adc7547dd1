/*
 * builtin.h: the functions behind the builtins, for table.c; each file says what is in it.
 */
#ifndef SH_BUILTIN_H
#define SH_BUILTIN_H

#include "../sh.h"

#define BUILTIN(name) int b_##name(struct shell *sh, int argc, char **argv)

/* control.c */
BUILTIN(true);
BUILTIN(false);
BUILTIN(break);
BUILTIN(return);
BUILTIN(exit);
BUILTIN(logout);
BUILTIN(eval);
BUILTIN(source);
BUILTIN(exec);
BUILTIN(command);
BUILTIN(builtin);
BUILTIN(shift);
BUILTIN(let);
BUILTIN(times);
BUILTIN(caller);
BUILTIN(suspend);
/* echo.c, printf.c */
BUILTIN(echo);
BUILTIN(printf);
/* read.c, mapfile.c */
BUILTIN(read);
BUILTIN(mapfile);
/* test.c */
BUILTIN(test);
/* declare.c */
BUILTIN(declare);
BUILTIN(local);
BUILTIN(export);
BUILTIN(readonly);
/* unset.c */
BUILTIN(unset);
/* set.c */
BUILTIN(set);
BUILTIN(shopt);
/* cd.c, dirs.c */
BUILTIN(cd);
BUILTIN(pwd);
BUILTIN(dirs);
BUILTIN(pushd);
BUILTIN(popd);
/* alias.c */
BUILTIN(alias);
BUILTIN(unalias);
/* type.c */
BUILTIN(type);
BUILTIN(hash);
BUILTIN(enable);
BUILTIN(help);
/* jobs.c, kill.c, wait.c */
BUILTIN(jobs);
BUILTIN(fg);
BUILTIN(bg);
BUILTIN(disown);
BUILTIN(kill);
BUILTIN(wait);
/* trapcmd.c */
BUILTIN(trap);
/* tool.c */
BUILTIN(tool);
/* getopts.c */
BUILTIN(getopts);
/* umask.c */
BUILTIN(umask);
BUILTIN(ulimit);
/* compgen.c */
/* Keeps what `complete` was told for a command, as its words. */
void complete_keep(struct shell *sh, const char *name, const char *text);
void complete_give(struct shell *sh, sb *out); /* as records of state.h */
BUILTIN(compgen);
BUILTIN(complete);
/* history.c */
BUILTIN(history);
BUILTIN(fc);
BUILTIN(unsupported);
BUILTIN(compopt);

/* Prints what `help NAME` does; nothing for a name that is no topic. */
void b_print_help(struct shell *sh, const char *name);
int type_describe(struct shell *sh, const char *name, const char *mode); /* type.c; see there */
void signal_table(struct shell *sh); /* kill.c: prints all signals, in columns */
int cd_to(struct shell *sh, const char *dir, bool physical); /* cd.c: says what is wrong */

/* What bopt_next() returned says that the builtin is over: --help, or a wrong option. */
static inline bool bopt_over(int c) { return c == '?' || c > 0xff; }

#endif
