/*
 * g_file.h: paths and contents of files.
 */
#ifndef G_FILE_H
#define G_FILE_H

#include "g_program.h"

#include <sys/stat.h>

/* Copies everything from one descriptor to another, inside the kernel where it can. 0 or an errno
 * value; *reading tells on which side it failed. */
int g_copy_data(int from, int to, bool *reading);

/* DIR/NAME in fresh memory; no second slash. */
char *g_join(const char *dir, const char *name);
/* The last part of a path, ignoring slashes at its end; "/" for the root. Fresh memory. */
char *g_base(const char *path);
/* As a name inside a path: where the last part begins. */
const char *g_last_part(const char *path);
void g_strip_slashes(char *path); /* Cuts slashes off the end of a path in place; "/" stays. */
/* Whether ".." is one of its parts. */
bool g_path_climbs(const char *path);
/* Whether two paths are one name in one directory, however they are written. */
bool g_same_entry(const char *a, const char *b);
/* Makes the directories that PATH lies in, with mode 0777 less the umask. What cannot be made shows
 * when PATH is. */
void g_make_parents(const char *path);

/* What a symbolic link holds, in fresh memory; NULL with errno. */
char *g_read_link(const char *path);
/* … from the directory `dir`, as readlinkat() */
char *g_read_link_at(int dir, const char *path);

/* realpath(1)'s modes. Fresh memory, or NULL with errno. */
enum g_canonical { G_ALL_EXIST, G_ALL_BUT_LAST, G_ANY_MISSING };
/* The path without links (unless `keep_links`), "." and "..", as `mode` allows. */
char *g_canonicalize(const char *path, enum g_canonical mode, bool keep_links);
char *g_working_directory(void); /* Fresh memory, or NULL with errno. */

/* Asks on stderr (the caller has printed the question); true for an answer that begins with y. */
bool g_yes(void);

#endif
