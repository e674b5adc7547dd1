/*
 * files.h: bzip2, xz and zstd, which differ in their words: going through the operands.
 */
#ifndef FILES_H
#define FILES_H

#include "single.h"

/* What happened to one file, for the command to say in its words. */
enum files_event {
    FILES_NO_INPUT, /* errno value in `number` */
    FILES_DIRECTORY,
    FILES_HAS_SUFFIX, /* to be compressed, but its name says it is */
    FILES_NO_SUFFIX,  /* to be decompressed, but its name does not say of what */
    FILES_EXISTS,     /* the output (name in `output`) */
    FILES_NO_OUTPUT,  /* errno value in `number` */
    FILES_BAD,        /* result->error says what is wrong with the data */
    FILES_WRITE,      /* errno value in `number` */
    FILES_GARBAGE,    /* fine, but something follows */
    FILES_DONE,
};

typedef struct {
    enum files_event event;
    const char *name;   /* as in messages */
    const char *output; /* name of the file made; NULL: standard output or none */
    int number;
    const single_result *result;
} files_report;

typedef struct {
    enum codec codec;
    single_options s;
    const char *stdin_name;
    const char *const (*suffixes)[2]; /* endings and what they become; ends with NULL */
    const char *guess;                /* put behind names whose ending says nothing; NULL: refuse */
    bool keep_always, remove;         /* zstd keeps its input unless it is told to --rm */
    const char *output;               /* -o */
    bool zstd_suffix_free;            /* compress what is compressed already, too */
    int status;
    /* Says what happened and gives the exit status that this means. */
    int (*say)(const single_options *s, const files_report *report);
} files_job;

/* Runs over the operands, or standard input when there are none: the highest status. */
int files_run(files_job *job, int count, char **operands);

#endif
