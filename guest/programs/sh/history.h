/*
 * history.h: the list of commands behind `history` and `fc`. A command's number is base + its
 * place.
 */
#ifndef SH_HISTORY_H
#define SH_HISTORY_H

#include "sh.h"

enum { HISTORY_MAX = 10000 }; /* commands, whatever HISTSIZE says */

void history_note(struct shell *sh, const char *text, size_t n); /* Adds what was just read. */
void history_offer(struct shell *sh, const char *text); /* Adds it, if HISTCONTROL and HISTIGNORE let. */
void history_add(struct shell *sh, const char *text); /* Appends a command as it is. */
void history_remove(struct shell *sh, int from, int to); /* places [from, to) */
void history_shrink(struct shell *sh);                   /* to HISTSIZE */
/* false: errno */
bool history_read(struct shell *sh, const char *path);
/* From place `from` on; `append`: behind what is in the file. */
bool history_write(struct shell *sh, const char *path, int from, bool append);
void history_load(struct shell *sh); /* `set -o history`: what HISTFILE has */
void history_save(struct shell *sh); /* the shell ends: what is new goes there */
void history_cut_file(struct shell *sh, const char *path, int64_t lines); /* to its last lines */

/* histexpand.c */
enum history_expanded { HISTORY_SAME, HISTORY_CHANGED, HISTORY_PRINT, HISTORY_FAILED };
/* Expands !… in a line. `quote`: ' or " where the line begins within such quotes, else 0. On failure
 * `out` holds the message; HISTORY_PRINT: the line is to be shown, not to be run. */
enum history_expanded history_expand(struct shell *sh, const char *line, char quote, sb *out);

#endif
