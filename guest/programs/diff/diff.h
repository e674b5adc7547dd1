/*
 * diff.h: what the parts of diff share.
 *
 * diff.c reads the options, diff_dir.c pairs the files of directories, diff_file.c loads and
 * compares two files, diff_lines.c gives equal lines equal numbers, diff_match.c finds what
 * changed, and diff_normal.c, diff_context.c, diff_side.c print it with the help of diff_print.c.
 * diff3.c compares two files with a third, and diff3_merge.c merges the three.
 */
#ifndef DIFF_H
#define DIFF_H

#include "g_text.h"
#include "lib/regex/regex.h"

#include <sys/stat.h>

enum diff_style {
    STYLE_NONE,
    STYLE_NORMAL,
    STYLE_UNIFIED,
    STYLE_CONTEXT,
    STYLE_ED,
    STYLE_RCS,
    STYLE_FORWARD_ED,
    STYLE_FORMATS,
    STYLE_SIDE,
    STYLE_BRIEF
};

/* How much white space counts, from all of it to none of it. */
enum diff_space {
    SPACE_EXACT,
    SPACE_TAB_EXPANSION,
    SPACE_TRAILING,
    SPACE_TABS_AND_TRAILING,
    SPACE_AMOUNT,
    SPACE_NONE
};

/* What formats are for; lines have the first three. */
enum diff_group { DIFF_OLD, DIFF_NEW, DIFF_UNCHANGED, DIFF_CHANGED, DIFF_GROUPS };

typedef struct {
    enum diff_style style;
    enum diff_space space;
    bool ignore_case, ignore_blank_lines, strip_cr, text, minimal;
    bool recursive, new_file, new_second_only, report_identical, no_dereference, ignore_name_case;
    bool expand_tabs, initial_tab, bare_empty; /* bare_empty: --suppress-blank-empty */
    bool left_column, hide_common, color;
    int64_t context;
    int64_t horizon; /* lines of the common beginning and end that are searched all the same */
    size_t width, tab;
    pf_regex *ignore_lines;   /* -I, several joined; NULL: none */
    pf_regex *function_lines; /* -F and -p */
    const char *labels[2];
    g_text exclude; /* NUL-terminated patterns */
    const char *starting_file;
    const char *group_formats[DIFF_GROUPS], *line_formats[DIFF_CHANGED]; /* NULL: the usual */
    g_text switches; /* the options as given, for the heading of files found in directories */
} diff_options;

/* One line: a range of the file's text, with its line end where there is one. */
typedef struct {
    const char *s;
    size_t len;
} diff_line;

/* A file that takes part. */
typedef struct {
    const char *name; /* as messages and headings show it */
    bool absent;      /* -N: counts as empty */
    bool is_stdin;
    struct stat st;
    char *text;
    size_t len;
    bool no_newline; /* the last line has no line end */
    diff_line *lines;
    size_t line_count;
    uint32_t *classes; /* equal for lines that count as equal, across both files; from 1 */
    bool *changed;     /* with one more false on either side */
} diff_side;

/* Consecutive lines that differ: from line0/line1 (0-based), so many deleted and inserted. */
typedef struct {
    size_t line0, line1, deleted, inserted;
    bool ignorable;
} diff_change;

/* A script for ed, which cannot tell whether the last line has an end. */
static inline bool diff_is_script(const diff_options *o) {
    return o->style == STYLE_ED || o->style == STYLE_FORWARD_ED;
}

typedef struct {
    const diff_options *o;
    diff_side side[2];
    diff_change *changes;
    size_t change_count;
} diff_pair;

/* diff_dir.c: compares two operands of whatever kind. Returns 0 same, 1 different, 2 trouble. */
int diff_operands(const diff_options *o, const char *name0, const char *name1);

/* diff_file.c: two files that are no directories. `heading` is printed before the first output. */
int diff_files(const diff_options *o, diff_side *side0, diff_side *side1, const char *heading);
bool diff_load(diff_side *side); /* Reads the whole text; false when that failed, which is said. */
void diff_strip_returns(diff_side *side); /* Takes carriage returns off the ends of lines. */
bool diff_is_binary(const diff_side *side); /* Whether its beginning has a NUL. */

/* diff_lines.c: fills lines and classes of both sides. Returns how many classes there are. */
uint32_t diff_classify(diff_pair *pair);
/* diff_match.c: marks the changed lines and lists the changes. */
void diff_match(diff_pair *pair, uint32_t classes);

/* diff_print.c */
bool diff_line_is_blank(const diff_line *line); /* Nothing but white space. */
/* Marks changes that -B and -I leave out; true when one is left. */
bool diff_mark_ignorable(diff_pair *pair);
/* The changes [first .. result) belong to one hunk; context lines are on both sides. */
size_t diff_hunk_end(const diff_pair *pair, size_t first);
/* A line behind its prefix ("<", "+", …), with tabs as the options want them. */
void diff_put_line(const diff_options *o, const char *prefix, const diff_line *line);
/* A file's name as patch(1) can read it back: quoted as in C when it has to be. */
void diff_add_name(g_text *to, const char *name);
/* Begin and end of a coloured piece: nothing without --color. */
void diff_color(const diff_options *o, const char *code);
void diff_plain(const diff_options *o); /* The end of it. */
/* The line that names the function around line `at` of side 0: false when there is none. */
bool diff_function(const diff_pair *pair, size_t at, size_t *line);

/* Each prints all changes. */
void diff_put_normal(const diff_pair *pair);
void diff_put_ed(const diff_pair *pair); /* -e: a script for ed, from the end to the beginning. */
void diff_put_forward_ed(const diff_pair *pair); /* -f: as ed, but forwards. */
void diff_put_rcs(const diff_pair *pair); /* -n: as RCS keeps it. */
void diff_put_context(const diff_pair *pair); /* -c: with stars. */
void diff_put_unified(const diff_pair *pair); /* -u: with plus and minus. */
void diff_put_side(const diff_pair *pair); /* -y: in two columns. */

/* diff_format.c: what options say; another text than before is wrong usage. */
void diff_set_group_format(diff_options *o, enum diff_group which, const char *option,
                           const char *value);
void diff_set_line_format(diff_options *o, enum diff_group which, const char *option,
                          const char *value); /* The same of lines. */
void diff_set_ifdef(diff_options *o, const char *name); /* Formats for the C preprocessor. */
void diff_settle_formats(diff_options *o); /* Fills in those that nobody gave. */
/* Whether something is printed of what is equal in both files. */
bool diff_formats_show_equal(const diff_options *o);
void diff_put_formats(const diff_pair *pair); /* Prints both files by formats. */

#endif
