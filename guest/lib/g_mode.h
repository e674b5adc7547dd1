/*
 * g_mode.h: file modes as text, and mode changes as chmod reads them.
 */
#ifndef G_MODE_H
#define G_MODE_H

#include "g_program.h"

#include <sys/stat.h>

/* "drwxr-xr-x" with a NUL: 10 characters. */
void g_mode_string(mode_t mode, char out[11]);
/* The type in words as stat prints it: "regular file", "directory" … */
const char *g_type_name(const struct stat *st);

typedef struct g_mode_change g_mode_change;
/* Octal or symbolic (u+x,go-w); NULL when malformed. Free with free(). */
g_mode_change *g_mode_parse(const char *text);
/* The mode that `old` becomes; `mask` counts where no u, g, o or a is given. */
mode_t g_mode_apply(const g_mode_change *change, mode_t old, bool directory, mode_t mask);
/* A list that sets exactly `mode` (chmod --reference). */
g_mode_change *g_mode_exactly(mode_t mode);

#endif
