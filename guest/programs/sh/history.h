/*
 * history.h: the list of commands behind `history` and `fc`. A command's number is base + its
 * place.
 */
#ifndef SH_HISTORY_H
#define SH_HISTORY_H

#include "sh.h"

enum { HISTORY_MAX = 10000 }; /* commands, whatever HISTSIZE says */

/* Adds what was just read; verbatim: its newlines stay (here-documents, quotes). */
void history_note(struct shell *sh, const char *text, size_t n, bool verbatim);
void history_add(struct shell *sh, const char *text); /* Appends a command as it is. */
void history_remove(struct shell *sh, int from, int to); /* places [from, to) */
void history_shrink(struct shell *sh);                   /* to HISTSIZE */
/* false: errno */
bool history_read(struct shell *sh, const char *path);
/* From place `from` on; `append`: behind what is in the file. */
bool history_write(struct shell *sh, const char *path, int from, bool append);
void history_cut_file(struct shell *sh, const char *path, int64_t lines); /* to its last lines */

#endif
