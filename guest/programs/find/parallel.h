/*
 * parallel.h: what the parts of parallel share.
 *
 * parallel.c reads the command line, parallel_input.c the arguments, parallel_command.c puts them
 * into the command, parallel_run.c runs the jobs.
 */
#ifndef PARALLEL_H
#define PARALLEL_H

#include "g_text.h"

#include <sys/types.h>

/* Texts that grow. */
typedef struct {
    char **v;
    size_t n, cap;
} words;
void words_add(words *list, char *text);

/* Where arguments come from: one ::: or :::: of the command line. */
typedef struct {
    words values;
    bool linked; /* :::+: goes along with the source in front of it */
    bool wraps;  /* --link: begins again at its end */
    char *name;  /* of --header */
} source;

enum halt_when { HALT_NEVER, HALT_SOON, HALT_NOW };

typedef struct {
    source *sources;
    size_t source_count, source_cap;
    words *records; /* the arguments of each job */
    size_t record_count, record_cap;
    words names;   /* of the columns: --header */
    char *command; /* NULL: the arguments are it */
    const char *replace, *joblog, *separator, *tag, *trim, *directory;
    char end; /* of a record */
    int jobs;
    size_t per_job; /* -N; 0: one */
    bool spread, context, keep_order, dry_run, verbose, trace, ungrouped, tagged, quote, skip_empty;
    bool resume, link, header, pipe, no_arguments;
    enum halt_when halt;
    bool halt_success;
    double halt_count; /* below 1: a part of all */
    uint64_t tries;
    double timeout, delay;
    uint64_t block;
} parallel;

void parallel_add_source(parallel *p, bool linked); /* An empty one. */
/* The records of a file ("-": standard input) as values of the last source. */
void parallel_read(parallel *p, const char *file);
void parallel_make_records(parallel *p); /* From the sources, the arguments of each job. */

/* The command of a job in fresh memory; `number` from 1, `slot` from 1. */
char *parallel_command(const parallel *p, const words *args, size_t number, size_t slot);
/* The text with its {} replaced and not quoted: a tag. Fresh memory. */
char *parallel_fill(const parallel *p, const char *text, const words *args, size_t number,
                    size_t slot);

int parallel_run(parallel *p); /* Runs everything; the exit status. */

#endif
