/*
 * option.h: options of commands as git's parse-options reads them, one table per command.
 *
 * Long names may be abbreviated; --no-NAME unsets what can be unset. Operands may stand between
 * options. Wrong usage prints git's message and the usage that follows from the table, status 129.
 */
#ifndef OPTION_H
#define OPTION_H

#include <stdbool.h>

enum option_kind {
    OPT_END,
    OPT_GROUP,  /* a heading in the usage */
    OPT_FLAG,   /* *(int *)value = 1, --no-: 0 */
    OPT_COUNT,  /* counts up */
    OPT_SET,    /* *(int *)value = number */
    OPT_STRING, /* *(char **)value */
    OPT_MAYBE,  /* a string that only = gives (or, short, what is attached); `text` without */
    OPT_NUMBER, /* *(int *)value */
    OPT_LIST,   /* appends to *(string_list *)value */
    OPT_CALL,   /* call(option, argument or NULL, unset) */
    OPT_CALL_MAYBE, /* the same, the argument may be missing; with `text` it may stand apart */
    OPT_CALL_NONE,  /* the same without an argument */
    OPT_CALL_BARE, /* the same, of an argument that is this letter alone, without a dash */
    OPT_TABLE,  /* value: another table */
};

/* The place of an int, in a table: another type is a warning, where `void *` would take it. */
#define INT_OPTION(place) (1 ? (place) : (int *)0)
/* The most common row: *(int *)value = 1. `text` is for the usage, NULL hides it there. */
#define FLAG(letter, name, field, text) \
    {OPT_FLAG, letter, name, INT_OPTION(&(field)), NULL, text, 0, NULL, NULL, 0}

typedef struct option option;
struct option {
    enum option_kind kind;
    char letter;
    const char *name;
    void *value;
    const char *argument; /* what the usage calls it */
    const char *help;     /* NULL: the usage does not show it */
    int number;
    const char *text;
    void (*call)(const option *o, const char *argument, bool unset);
    bool no_negation;
};

typedef struct {
    char **items;
    int count;
} string_list;
void list_add(string_list *list, const char *text); /* A copy of the text; items[count] is NULL. */

enum option_flags {
    KEEP_DASHDASH = 1,   /* "--" stays among the operands */
    STOP_AT_OPERAND = 2, /* the first operand ends the options */
    KEEP_UNKNOWN = 4,    /* unknown options become operands */
    NUMBERS = 8,         /* -5 is given to the option whose kind is OPT_NUMBER and letter '#' */
    UNRECOGNIZED = 16,   /* unknown: "fatal: unrecognized argument: x", as log's family says */
    INVALID = 32,        /* unknown: "error: invalid option: x", as diff says */
};

/* Reads argv[1 ..]; moves the operands to argv[0 ..] and returns how many there are. `usage` are the
 * lines behind "usage: ", one per form. */
extern int options_operands; /* while options are read: operands before this one */
/* Ends the command on wrong ones. `flags`: enum option_flags. */
int options(int argc, char **argv, const option *table, const char *usage, unsigned flags);
/* The message (when there is one), then the usage of the table last read, status 129. */
_Noreturn void usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "the value of the option just read is no number" */
_Noreturn void option_not_a_number(const option *o, const char *text);
/* A whole number with a suffix k, m or g. */
bool parse_number(const char *text, long *value);

#endif
