/*
 * guest/lib/tool_args.h: a command line and a tool's schema to the JSON object of a call.
 *
 * Pure: reads nothing, prints nothing. The host checks the result against the schema again; what is
 * refused here is what can be explained better in terms of the command line.
 */
#ifndef TOOL_ARGS_H
#define TOOL_ARGS_H

#include "tool_schema.h"

enum tool_args_outcome {
    TOOL_ARGS_OK,    /* json and len are set */
    TOOL_ARGS_HELP,  /* --help was asked for */
    TOOL_ARGS_EMPTY, /* no parameter was given: the object may come from standard input */
    TOOL_ARGS_BAD,   /* error is set */
    TOOL_ARGS_NO_MEMORY,
};

struct tool_args {
    char *json; /* the parameters as a JSON object; malloc'ed, the caller frees it */
    size_t len;
    bool raw; /* --raw: print a string without its quotes */
    char error[400];
};

/*
 * The arguments after the tool's name. TOOL_ARGS_EMPTY is answered instead of an error about a
 * missing parameter when there was no option for any, and json is not set.
 */
enum tool_args_outcome tool_args_parse(struct tool_args *args, struct tool_schema schema, int argc,
                                       char *const *argv);
/* The same for an object given as text. Blank text is an empty object. */
enum tool_args_outcome tool_args_from_text(struct tool_args *args, struct tool_schema schema,
                                           const char *text, size_t len);

#endif
