/*
 * grep.h: what the parts of grep share.
 */
#ifndef GREP_H
#define GREP_H

#include "g_text.h"
#include "lib/regex/regex.h"

enum grep_list { LIST_NOTHING, LIST_MATCHING, LIST_OTHERS };
enum grep_binary { BINARY_REPORT, BINARY_TEXT, BINARY_SKIP };

typedef struct {
    /* Matching */
    bool extended, fixed, perl, ignore_case, whole_word, whole_line, invert;
    g_text patterns; /* one per line */
    bool any_pattern;
    /* What is printed */
    bool count, only_matching, quiet, no_messages, line_numbers, byte_offsets, align_tabs;
    bool name_nul, line_buffered, color;
    int with_names; /* -1: when there can be several files */
    enum grep_list list;
    enum grep_binary binary;
    int64_t max_count; /* -1: no limit */
    int64_t before, after;
    bool context;          /* asked for, if only of no lines: groups are then told apart */
    bool any_printed;      /* in whatever file */
    const char *separator; /* between groups of context; NULL: none */
    const char *label;
    char end; /* of lines */
    /* Which files */
    bool recursive, follow, skip_directories, skip_devices, read_devices;
    g_text include, exclude, exclude_dirs; /* NUL-terminated patterns */
    bool has_include;
    /* Colours */
    const char *color_match, *color_file, *color_line, *color_byte, *color_separator;
    /* State */
    const char *file;  /* the one being read, for messages */
    bool failed;       /* something could not be read: status 2 */
    bool out_known;    /* what standard output is, to notice a file read and written */
    uint64_t out_dev, out_ino;
} grep_options;

/* grep_match.c */
typedef struct grep_matcher grep_matcher;
/* Compiles the patterns of the options, which stay the caller's; wrong ones end the command. */
grep_matcher *grep_matcher_new(const grep_options *o);
/*
 * The first line of text[from .. len) that matches: its range without the line end (of a line that
 * is only counted: where the match in it begins). `from` is at the beginning of a line and the text
 * ends with a line end. False when there is none.
 */
bool grep_next_line(grep_matcher *m, const char *text, size_t len, size_t from, pf_range *line);
/* The next match in one line from `from` on; empty ones too. */
bool grep_next_match(grep_matcher *m, const char *line, size_t len, size_t from, pf_range *match);

/* grep_file.c: true when a line was selected. */
bool grep_file(grep_options *o, grep_matcher *m, int fd, const char *name);

/* grep_tree.c: one operand, which may be a directory. */
bool grep_operand(grep_options *o, grep_matcher *m, const char *path);

#endif
