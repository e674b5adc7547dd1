/*
 * arguments.h: the command line, read.
 *
 * Filled by arguments_parse(), which ends the program on anything it does not understand. Pointers
 * lead into argv; nothing is freed.
 */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One option value of the form NAME=VALUE or HOST:GUEST. */
struct pair {
    char *name, *value;
};

struct pairs {
    struct pair *items;
    size_t count;
};

struct arguments {
    const char *code;     /* -c CODE, or NULL */
    const char *file;     /* run FILE, "-" for standard input, or NULL */
    char **words;         /* the script's own arguments */
    size_t word_count;
    const char *language; /* or NULL: found out */
    const char *policy;   /* a file, or NULL */
    const char *input;    /* --stdin FILE, or NULL */
    const char *clock, *seed;   /* or NULL */
    const char *record;         /* a file to make, or NULL */
    const char *restore, *snapshot, *key; /* files, or NULL */
    bool portable;                        /* the snapshot */
    uint64_t counter, min_counter;        /* of snapshot and of restore; 0: none */
    struct pairs tools, files, outs, env, limits; /* of outs, the value is the sandbox's */
    const char *cwd;                              /* or NULL: /workspace */
    char **http;          /* rules of --http */
    size_t http_count;
    struct pairs secrets; /* of --secret */
    bool approve;         /* somebody at the terminal is asked */
    char **pure;          /* tools that change nothing */
    size_t pure_count;
    struct pairs simulated; /* what a preview runs instead of a tool */
    struct pairs mounts, copies; /* read-only, copy-on-write */
    const char *changes;         /* a tar file to make, "-": a list, or NULL */
    bool json, redact;
};

/* `argv` from a command word on, if there was one; `command` is "run", "shell" or "-c". */
void arguments_parse(struct arguments *out, int argc, char **argv, const char *command);
void usage(void);
/* Adds the value of an option, split at a separator that must be there, with something
 * before it. */
void add_pair(struct pairs *pairs, const char *option, char *text, char *separator,
              const char *form);

#endif
