/*
 * grep.h: git grep: patterns and how they are combined, and the lines of one text.
 */
#ifndef GREP_H
#define GREP_H

#include "color.h"

#include "g_regex.h"

typedef struct {
    const char *s;
    size_t len;
} grep_line;

/* ---- grep_expr.c */
enum { GREP_BASIC, GREP_EXTENDED, GREP_FIXED };
extern int grep_icase, grep_kind, grep_word; /* how patterns are read */
enum grep_token { GREP_PATTERN, GREP_AND, GREP_NOT, GREP_OPEN, GREP_CLOSE };
/* The next token of the command line; the text of a pattern may have several lines. */
void grep_add(enum grep_token token, const char *text);
bool grep_has_patterns(void); /* Was one given? */
void grep_compile(bool all_match); /* After the last one; dies as git does for what is no expression. */
/* Whether the line is one, and where it first matches: -1 nowhere. `inverted`: the same of --not. */
bool grep_hit(const grep_line *line, long *column, long *inverted);
/* The first match of any pattern at or behind `from`. */
bool grep_next(const grep_line *line, size_t from, pf_range *found);
void grep_clear_hits(void); /* Before a text, for --all-match: */
void grep_collect(const grep_line *line); /* looks at each of its lines, */
bool grep_all_hit(void); /* and says whether each pattern was somewhere. */

/* ---- grep_show.c */
typedef struct {
    int number, list, list_not, count, invert, no_name, only, quiet, heading, break_, null, text, no_binary;
    int column, all_match, max_count, function, whole, before, after;
} grep_options;
extern grep_options grep_how;
void grep_colors(int when); /* What --color said. */
/* Shows what is to be shown of a text. `path` is for its attributes. Whether there was a hit. */
bool grep_text(const char *name, const char *path, const char *data, size_t size);

#endif
