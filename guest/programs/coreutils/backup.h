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

/* What the command line says of backups. Zero-initialised: nothing. */
typedef struct {
    bool wanted;
    const char *control, *suffix; /* NULL: not given */
} backup_request;

/* Takes -b and --backup[=CONTROL] ('b', arg NULL without CONTROL) or -S ('S'). */
void backup_option(backup_request *request, int option, const char *arg);
/* With the environment's words where none were given; a wrong one ends the command. */
backup_options backup_choose(const backup_request *request);
/* The name that the next backup of `path` gets, in fresh memory. */
char *backup_name(const backup_options *o, const char *path);
/* Renames the file and returns the backup's name (fresh memory); NULL when there was no file. */
char *backup_file(const backup_options *o, const char *path);

#endif
