/*
 * edit.h: lines from a terminal, with editing and a history; what `pinfold shell` reads with.
 *
 * libedit does the work when the machine has it. It is looked for when it is needed, so that the
 * program neither needs it to be built nor to start; without it (or with TERM=dumb) lines come as
 * the terminal itself edits them.
 */
#ifndef CLI_EDIT_H
#define CLI_EDIT_H

#include "text.h"

enum edit_line { EDIT_LINE, EDIT_END, EDIT_INTERRUPT };

/* Adds to `found`, one a line, what the word that ends `line` can become; returns where in `line`
 * that word begins. */
typedef size_t (*edit_complete_fn)(void *user, const char *line, struct text *found);

/* Takes hold of the terminal on standard input and loads the history. One at a time. */
void edit_open(edit_complete_fn complete, void *user);
/* Adds a line with its newline to `line` (EDIT_LINE). Without a terminal no prompt is shown, and of
 * a line that is longer only `most` bytes are added. */
enum edit_line edit_read(struct text *line, const char *prompt, size_t most);
/* Remembers a command, which may have several lines, here and in the history's file. */
void edit_remember(const char *command);
void edit_close(void);

/* history.c: the file, one command a line; a newline in a command is `\n` there, a backslash `\\`.
 * Calls `add` with each of the newest commands, oldest first. */
void history_load(void (*add)(const char *command));
void history_append(const char *command);

#endif
