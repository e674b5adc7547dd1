/*
 * g_option.h: command line options as GNU's getopt_long reads them.
 *
 * Clusters (-la), values attached or apart (-n5, -n 5), long options with = or a following value,
 * unambiguous prefixes of long names, operands anywhere, "--". --help and --version are answered
 * here. Wrong options are reported in GNU's words and end the command with g_failure().
 */
#ifndef G_OPTION_H
#define G_OPTION_H

#include "g_program.h"

enum { G_NONE = 0, G_REQUIRED = 1, G_OPTIONAL = 2 };

typedef struct {
    const char *name; /* without the dashes; the table ends with a NULL name */
    int value;        /* what g_option returns: a short option's letter, or above 255 */
    int argument;     /* G_NONE, G_REQUIRED, G_OPTIONAL */
} g_long;

enum { G_OPTION_HELP = 0x1000, G_OPTION_VERSION = 0x1001 };

typedef struct {
    int argc;
    char **argv;
    const char *shorts; /* as getopt's: "ab:c::"; a leading '+' stops at the first operand */
    const g_long *longs;
    int at;             /* next argument to look at; after -1 the first operand */
    int first_operand, last_operand; /* operands skipped so far, moved behind the options */
    const char *cluster;
    const char *arg;  /* value of the option just returned, or NULL */
    const char *name; /* its long name in full when it was long, otherwise NULL */
} g_options;

/* The options of a command line, from argv[1] on. `longs` may be NULL; nothing is copied. */
g_options g_options_of(int argc, char **argv, const char *shorts, const g_long *longs);
/* The next option's value; -1 at the end, when argv[at .. argc) are the operands. */
int g_option(g_options *o);

/* For commands that only know --help and --version: returns the index of the first operand. */
int g_no_options(int argc, char **argv);
/* For commands that take no options, but --help or --version when it is their only argument: prints
 * what is asked for, and ends the command. */
void g_standard_option(int argc, char **argv);

/*
 * A value that is one of several words, by unambiguous prefix (GNU's argmatch). `words` holds
 * groups of synonyms: each word has its value; the list ends with NULL. Wrong values end the
 * command with the list of the valid ones. `option` is what the message names, e.g. "--color".
 */
typedef struct {
    const char *word;
    int value;
} g_word;
/* The value of the word that `text` is, or begins alone. */
int g_match_word(const char *option, const char *text, const g_word *words);
/* The same without abbreviations. */
int g_match_whole_word(const char *option, const char *text, const g_word *words);

/* Whether _POSIX2_VERSION asks for a POSIX in which operands like +1 are file names. */
bool g_plus_is_a_name(void);

/* "missing operand" and "extra operand 'x'" in GNU's words. */
_Noreturn void g_missing_operand(const char *after);
/* "extra operand 'x'", the hint, and the end. */
_Noreturn void g_extra_operand(const char *operand);
void g_print_version(void); /* What --version prints. */

#endif
