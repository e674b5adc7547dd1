/* files.h: the files of a sandbox, shown to people. files.c */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include "pinfold.h"

#include <stdbool.h>

/* One line: mode, size, time, path. */
void files_list_one(const char *path, const pf_file_info *info);
/* One line for everything below a directory: mode, size, time, path. */
void files_list(pf_sandbox *sandbox, const char *path);
/* A file to standard output; false: standard error says why not. */
bool files_print(pf_sandbox *sandbox, const char *path);

/* Copies what is at `path` in the sandbox to the host: a file, also into a directory, or a
 * directory that is new or empty there. False with a complaint. */
bool files_copy_out(pf_sandbox *sandbox, const char *path, const char *host);

#endif
