/*
 * sed.h: the program of sed and what its parts share.
 *
 * A script becomes an array of commands; blocks and branches are indices into it, so executing it
 * needs no recursion. sed_parse.c makes it, sed_run.c executes it, sed_replace.c is the s command,
 * sed_files.c reads input and writes output.
 */
#ifndef SED_H
#define SED_H

#include "g_in.h"
#include "g_out.h"
#include "g_text.h"
#include "lib/regex/regex.h"

/* A regular expression of the script; the empty one stands for the last one used. */
typedef struct {
    pf_regex *re; /* NULL: the empty expression */
} sed_regex;

enum sed_address_kind {
    ADDRESS_NONE,
    ADDRESS_LINE, /* first */
    ADDRESS_STEP, /* first ~ step */
    ADDRESS_LAST, /* $ */
    ADDRESS_REGEX,
    ADDRESS_ZERO,     /* 0, only before a regex */
    ADDRESS_PLUS,     /* second address: +N */
    ADDRESS_MULTIPLE, /* second address: ~N */
};

typedef struct {
    enum sed_address_kind kind;
    uint64_t first, step;
    sed_regex regex;
} sed_address;

/* A part of a replacement: text, then the group whose text follows (-1: none), and a change of
 * case that begins here. */
enum sed_case { CASE_KEEP, CASE_NONE, CASE_UPPER, CASE_LOWER, CASE_UPPER_ONE, CASE_LOWER_ONE };
typedef struct {
    const char *text;
    size_t len;
    int group;
    enum sed_case change;
} sed_piece;

typedef struct sed_output {
    const char *name;
    g_sink sink;
    bool standard;        /* goes through g_out */
    bool missing_newline; /* the last line written had none: one is due before anything else */
    struct sed_output *next;
} sed_output;

typedef struct sed_input_file {
    const char *name;
    g_reader in;
    bool open;
    struct sed_input_file *next;
} sed_input_file;

enum { Y_BYTE = 1 << 24 };

typedef struct {
    char name; /* the command's letter */
    bool negated;
    sed_address from, to;
    /* State of a range */
    bool active; /* inside the range */
    bool ended;  /* a range was there: one that begins at a line number does not come again */
    uint64_t range_end;
    size_t target; /* { b t T: index to go on at */
    const char *label;
    g_text text;     /* a i c: the text; r: the file; :label */
    uint64_t number; /* q Q: status; l L: width */
    sed_output *out;
    sed_input_file *read; /* R */
    /* s */
    sed_regex regex;
    sed_piece *pieces;
    size_t piece_count;
    bool global, print, print_before, evaluate, changes_case; /* print_before: p in front of e */
    int max_group;
    uint64_t occurrence;
    /* y: for bytes a table, for characters pairs in order; Y_BYTE marks a byte of no character */
    unsigned char *table;
    uint32_t *map;
    size_t map_count;
} sed_command;

typedef struct {
    sed_command *commands;
    size_t count, cap;
    bool quiet, extended, separate, unbuffered, sandbox, posix;
    const char *in_place; /* NULL: no; otherwise the suffix of backups, maybe "" */
    bool follow_links;
    char end;
    uint64_t line_width; /* of l */
    sed_output *outputs;
    sed_input_file *reads;
    int status;
} sed_program;

/* sed_parse.c: adds the commands of one -e text or -f file. Ends with a message when it is wrong.
 */
void sed_add_expression(sed_program *p, const char *text);
/* The same of a -f file; "-": standard input. */
void sed_add_file(sed_program *p, const char *name);
/* After all of them: labels and blocks. */
void sed_finish(sed_program *p);

/* sed_run.c: the exit status. */
int sed_run(sed_program *p, char **files, int count);
/* Finds with the expression, or with the last one used when it is empty. */
bool sed_search(sed_program *p, const sed_regex *r, const char *s, size_t len, size_t from,
                pf_range *ranges, size_t count);

/* sed_replace.c: whether something was replaced; the result takes the place of `space`. */
bool sed_replace(sed_program *p, const sed_command *c, g_text *space, g_text *spare);
/* y: exchanges characters in `space`; `spare` is scratch. */
void sed_translate(const sed_command *c, g_text *space, g_text *spare);

/* sed_execute.c: runs `space` by the shell, whose output takes its place. */
void sed_execute_space(const sed_program *p, g_text *space, g_text *spare);
/* Runs a command of the script; its output goes to `out` at once. */
void sed_execute_text(sed_program *p, const g_text *command, sed_output *out);

/* sed_files.c */
typedef struct sed_input sed_input;
/* Reads `count` files in order, none opened yet; none: standard input. sed_input_end() ends it. */
sed_input *sed_input_new(sed_program *p, char **files, int count);
/* The next line into `space`; *chomped tells whether it had its end. False at the end. */
bool sed_input_line(sed_input *in, g_text *space, bool *chomped);
/* Is the line that was read the last one ($)? Looks at the files to come. */
bool sed_input_is_last(sed_input *in);
uint64_t sed_input_number(const sed_input *in); /* The number of that line. */
/* The file that it is from; "-": standard input. */
const char *sed_input_name(const sed_input *in);
/* Closes everything; a file that is edited in place takes its new text. */
void sed_input_end(sed_input *in);
/* Where lines go: standard output, or the file that is edited in place. */
sed_output *sed_input_output(sed_input *in);
/* Writes a line; without `newline`, its end is missing until something follows. */
void sed_put(sed_program *p, sed_output *out, const char *s, size_t len, bool newline);
void sed_put_raw(sed_output *out, const char *s, size_t len); /* Writes bytes as they are. */
/* Writes the line end that is missing, if one is. */
void sed_put_missing_newline(sed_program *p, sed_output *out);
void sed_flush(sed_output *out); /* Sends what is buffered; ends the command when that fails. */
/* The output of this name, opened and emptied at its first use; owned by the program. */
sed_output *sed_open_output(sed_program *p, const char *name);
/* The file of r or R, opened at its first use; a missing one is empty. Owned by the program. */
sed_input_file *sed_open_read(sed_program *p, const char *name);

#endif
