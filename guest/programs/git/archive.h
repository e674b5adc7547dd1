/*
 * archive.h: what `git archive` writes: formats, and where their bytes go.
 *
 * cmd_archive.c walks the tree, archive_tar.c and archive_zip.c write one entry after another.
 */
#ifndef ARCHIVE_H
#define ARCHIVE_H

#include "git.h"

typedef struct {
    const char *path; /* a directory's ends in a slash */
    unsigned mode;    /* as in a tree */
    git_oid id;
    const char *data; /* of a link its target */
    size_t len;
} archive_entry;

typedef struct {
    const char *commit; /* its name, or NULL for a tree */
    git_time_t time;    /* of everything in it */
    int level;          /* of compression; -1: the usual */
} archive_facts;

typedef struct {
    void (*begin)(const archive_facts *facts);
    void (*entry)(const archive_entry *entry);
    void (*end)(void);
} archive_format;

extern const archive_format archive_tar, archive_zip;

/* ---- cmd_archive.c: bytes of the archive, on their way through gzip where that is asked for */
void archive_write(const void *bytes, size_t len); /* Ends the command when it cannot write. */

#endif
