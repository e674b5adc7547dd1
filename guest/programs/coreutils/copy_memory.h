/*
 * copy_memory.h: what one command has copied so far; copy_tree.c and mv ask it.
 *
 * Three questions: where a source went (hard links stay hard links), whether a file was written by
 * this command (it must not be overwritten by another operand), whether an operand was given twice.
 */
#ifndef COPY_MEMORY_H
#define COPY_MEMORY_H

#include "g_program.h"

#include <sys/stat.h>

typedef struct copy_memory copy_memory;

copy_memory *copy_memory_new(void); /* An empty one. */
void copy_memory_free(copy_memory *memory); /* Frees all that was noted. */

/* Where the source `st` went; NULL: nowhere yet. Owned by the memory. */
const char *copy_recall(const copy_memory *m, const struct stat *st);
/* Notes that the source `st` went to `path`, which is copied. */
void copy_remember(copy_memory *m, const struct stat *st, const char *path);

/* Whether this command made the file `st` under the name `path`. */
bool copy_was_made(const copy_memory *m, const char *path, const struct stat *st);
/* Notes that it did. */
void copy_note_made(copy_memory *m, const char *path, const struct stat *st);

/* Whether the operand `path` was given before; notes it otherwise. */
bool copy_given_before(copy_memory *m, const char *path, const struct stat *st);

#endif
