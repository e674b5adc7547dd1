/*
 * rg.h: what the parts of rg share.
 *
 * rg.c reads the options, rg_walk.c finds files, rg_ignore.c knows what .gitignore and its kin say,
 * rg_types.c the file types, rg_regex.c matches, rg_print.c searches one file and prints.
 */
#ifndef RG_H
#define RG_H

#include "g_text.h"
#include "lib/regex/regex.h"

/* One pattern of an ignore file or of -g. */
typedef struct {
    char *pattern;
    bool include;  /* begins with ! (in -g: does not) */
    bool only_dir; /* ends in a slash */
    bool anchored; /* has a slash: matches from the directory of its file on */
} rg_glob;

typedef struct {
    rg_glob *globs;
    size_t count, cap;
} rg_globs;

typedef struct {
    /* What is searched for */
    g_text pattern; /* several joined with |, groups around */
    bool any_pattern, fixed, ignore_case, smart_case, whole_word, whole_line, invert, multiline,
        dot_all, null_data;
    /* What is printed */
    bool files, files_with, files_without, count, count_matches, only_matching, quiet, column,
        byte_offset, heading, trim;
    bool vimgrep, null_names, passthru, color, json;
    int line_numbers, names; /* -1: not said */
    const char *replacement, *separator, *match_separator, *context_separator;
    char path_separator; /* 0: as it is */
    bool preview;        /* of lines longer than max_columns */
    int64_t before, after, max_count, max_columns;
    /* Which files */
    bool hidden, no_ignore, no_vcs_ignore, no_parent_ignore, follow, text, no_messages,
        no_require_git, one_device;
    int64_t max_depth, max_size;
    rg_globs overrides;
    g_text type_names, not_type_names; /* NUL-terminated; what they stand for is known at the end */
    g_text types, not_types;           /* NUL-terminated globs */
    bool has_types, ignore_name_case;
    g_text ignore_files; /* --ignore-file */
    /* State */
    bool matched, failed, show_names, searched;
    bool printed_file; /* something of an earlier file is in the output */
} rg_options;

/* rg_ignore.c */
/* Reads one line of an ignore file into the list; blank lines and comments are none. */
void rg_globs_add(rg_globs *list, const char *line, size_t len);
/* Reads an ignore file into the list; one that cannot be opened is empty. */
void rg_globs_read(rg_globs *list, const char *path);
void rg_globs_free(rg_globs *list); /* Frees what the list holds; empty afterwards. */
/* 1: ignored, -1: included again, 0: nothing said. `path` is relative to the list's directory. */
int rg_globs_match(const rg_globs *list, const char *path, bool directory, bool any_case);
/* Whether a glob covers all of the text. */
bool rg_glob_fits(const char *pattern, const char *text, bool any_case);

/* rg_types.c */
/* Appends the type's globs; false when there is no such type. */
bool rg_type_globs(const char *name, g_text *globs);
void rg_type_list(void); /* Prints what --type-list does. */
/* NAME:GLOB or NAME:include:NAME,NAME; false when it is neither. */
bool rg_type_add(const char *definition);
/* Forgets what came with the type. */
void rg_type_clear(const char *name);

/* rg_walk.c */
/* Calls `visit` for each file below `root` that no rule leaves out. `implicit`: no path was
 * given. */
void rg_walk(rg_options *o, const char *root, bool implicit,
             void (*visit)(rg_options *o, const char *path));

/* rg_regex.c */
/* Compiles the patterns of the options; wrong ones end the command. `perl_syntax`: -P. */
void rg_regex_init(const rg_options *o, bool perl_syntax);
/* The text that is searched from now on; it has to stay. */
void rg_regex_text(const char *s, size_t len);
/* The next match in text[0 .. end) from `from` on, and its groups (up to RG_GROUPS). */
enum { RG_GROUPS = 32 };
/* False: none. `groups` are ranges of the text; *count of them are set. */
bool rg_regex_search(size_t end, size_t from, pf_range groups[RG_GROUPS], size_t *count);
/* Whether lines may be searched some at a time: no match is lost. */
bool rg_regex_by_line(void);
/* Number of a named group, or -1. */
int rg_regex_group(const char *name, size_t len);

/* rg_print.c */
/* Prints a path with the separator of the options. */
void rg_put_path(const rg_options *o, const char *path);
/* `name` NULL: standard input. `given`: named on the command line. */
void rg_search_file(rg_options *o, int fd, const char *name, bool given);

#endif
