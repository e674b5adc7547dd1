/*
 * diff_color.h: colours of differences, and white space that a line should not have.
 */
#ifndef DIFF_COLOR_H
#define DIFF_COLOR_H

#include "diff.h"

enum diff_part { PART_CONTEXT, PART_META, PART_FRAG, PART_FUNC, PART_OLD, PART_NEW, PART_COMMIT, PART_WHITE, PARTS };

bool diff_colored(void);              /* by diffs.color and the configuration */
const char *diff_code(int part);      /* "" without colours */
const char *diff_reset(void);         /* "" without colours */
/* Puts a part's colour around each line from `from` to the end. */
void diff_paint(g_text *out, size_t from, int part);
/* "@@ -1 +1 @@ function" with its line end. */
void diff_add_hunk_head(g_text *out, const char *head, size_t len);
/* A line of a hunk behind its mark (' ', '+', '-'); `at_end`: an empty line that is new at the file's end. */
void diff_add_line(g_text *out, char mark, const char *text, size_t len, bool at_end);

/* ---- white space: core.whitespace */
enum { WHITE_AT_EOL = 1, WHITE_AT_EOF = 2, WHITE_BEFORE_TAB = 4, WHITE_NO_TAB = 8, WHITE_TAB = 16, WHITE_CR = 32 };
unsigned white_rule(void);
/* What is wrong with a line (without its end), as the bits above. */
unsigned white_check(const char *line, size_t len, unsigned rule);
/* "trailing whitespace, space before tab in indent"; fresh memory. */
char *white_text(unsigned wrong);
/* The first of the empty lines that this side has more at its end than the other, from 1; 0: none. */
size_t white_new_at_end(const char *old, size_t old_len, const char *new_, size_t new_len);

#endif
