/*
 * ed.h: the parts of ed: its lines (ed_buffer.c), substitution (ed_subst.c), commands (ed.c).
 */
#ifndef ED_H
#define ED_H

#include "g_in.h"
#include "g_text.h"
#include "lib/regex/regex.h"

/* A line; never changed once made, so that undo and the cut buffer only keep pointers. */
struct ed_line {
    size_t len;
    char text[];
};

/* Lines 1..count; undo keeps them as they were before the last command that changed them. */
struct ed_lines {
    struct ed_line **line; /* line[0] is unused */
    size_t count, cap, dot;
};

struct ed {
    struct ed_lines now, before, cut;
    bool can_undo, modified, warned, quiet, silent, help, extended, restricted;
    const struct ed_line *marks[26];
    char *file, *prompt;
    bool prompting;
    const char *error;  /* of the command that failed, for h and H */
    const char *said;   /* the last error */
    g_reader *input;
    const char *at;     /* the rest of the command line */
    g_text *global;     /* what is left of the list of commands of g, when one runs */
    size_t global_at;
    int print;          /* suffixes p, n, l: bits 1, 2, 4 */
    pf_regex *pattern;  /* the last one */
    g_text replacement;
    int sub_flags;      /* of the last substitution: print bits */
    long sub_number;    /* which match; 0: all */
    bool sub_done;
};

enum ed_result { DONE, FAILED, WARNED, QUIT };

struct ed_addresses {
    size_t first, last;
    int count; /* 0: none were given, and both are the current line */
};

/* Each that answers a bool answers false with ed->error set when it cannot. */

/* Puts `count` lines behind line `after`; dot is the last of them. */
void ed_insert(struct ed *ed, size_t after, struct ed_line *const *lines, size_t count);
/* Removes the lines from first to last, with their marks. */
void ed_delete(struct ed *ed, size_t first, size_t last);
/* A line of its own, without its end; never freed alone, since undo may hold it. */
struct ed_line *ed_line_new(const char *text, size_t len);
/* Appends a line, which stays what it is. */
void ed_lines_add(struct ed_lines *lines, struct ed_line *line);
/* What undo goes back to, once anything changes; at the beginning of a command, or of g. */
void ed_remember(struct ed *ed);
bool ed_undo(struct ed *ed); /* Exchanges what is and what was; a second one undoes the first. */

/* Reads a pattern that begins behind `delimiter` and compiles it; an empty one is the last. */
bool ed_pattern(struct ed *ed, char delimiter);
/* Does the last pattern match somewhere in the line? */
bool ed_matches(struct ed *ed, const struct ed_line *line);
/* s of the lines from first to last; ed->at stands behind the s. */
bool ed_substitute(struct ed *ed, size_t first, size_t last);
/* p, n and l behind a command, up to the end of its line. */
bool ed_suffix(struct ed *ed);
/* The next line of commands or of text: from the list of g, or the input. False at the end. */
bool ed_next_line(struct ed *ed, g_text *line);

void ed_blanks(struct ed *ed); /* Skips blanks at ed->at. */
/* Reads the addresses in front of a command. */
bool ed_addresses(struct ed *ed, struct ed_addresses *a);
/* Lines of a command, first to last without addresses; they exist. */
bool ed_check(struct ed *ed, struct ed_addresses *a, size_t first, size_t last);

/* The name behind a command, or the current one. */
bool ed_name(struct ed *ed, const char **name);
void ed_set_file(struct ed *ed, const char *name); /* The name is copied. */
/* The file that ed was called with. */
void ed_start(struct ed *ed, const char *name);
/* e and E (`forced`): another file, or a command's output, in place of the buffer. */
enum ed_result ed_edit(struct ed *ed, bool forced);
enum ed_result ed_read(struct ed *ed, size_t after); /* r: puts a file behind line `after`. */
/* w and W (`how`), with q behind it. */
enum ed_result ed_write(struct ed *ed, struct ed_addresses *a, char how);
enum ed_result ed_shell(struct ed *ed); /* ! and a command. */

#endif
