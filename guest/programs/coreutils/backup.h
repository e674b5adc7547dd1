/*
 * backup.h: backups of files that cp, mv, ln and install would overwrite.
 */
#ifndef BACKUP_H
#define BACKUP_H

#include "g_program.h"

typedef struct {
    enum { BACKUP_NONE = 0, BACKUP_SIMPLE, BACKUP_NUMBERED, BACKUP_EXISTING } mode;
    const char *suffix;
} backup_options;

/* From --backup=CONTROL (NULL: $VERSION_CONTROL or "existing") and -S; ends on a wrong word. */
backup_options backup_choose(bool wanted, const char *control, const char *suffix);
/* The name that the next backup of `path` gets, in fresh memory. */
char *backup_name(const backup_options *o, const char *path);
/* Renames the file and returns the backup's name (fresh memory); NULL when there was no file. */
char *backup_file(const backup_options *o, const char *path);

#endif
