/*
 * make_flags.h: options, from the command line and from MAKEFLAGS, and what of them makes below
 * see.
 */
#ifndef MAKE_FLAGS_H
#define MAKE_FLAGS_H

#include "make.h"

typedef struct {
    char **list;
    size_t count, cap;
} string_list;

typedef struct {
    string_list folders, files, goals, assignments, old_files, new_files, evals, includes;
    bool jobs_given;
} make_arguments;

extern int jobserver[2]; /* make_job.c: the pipe of the jobs that are free, or -1 */

void flags_from_environment(make_arguments *a); /* Those of MAKEFLAGS, from a make above. */
/* Those of the command line; wrong ones end make. */
void flags_from_arguments(make_arguments *a, int argc, char **argv);
/* Sets MAKEFLAGS and its kin, and the variables of the command line. */
void flags_variables(make_arguments *a);
/* A makefile may have changed MAKEFLAGS. */
void flags_from_makefile(make_arguments *a);

#endif
