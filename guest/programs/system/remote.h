/*
 * remote.h: names of files on other hosts, which scp and rsync are given.
 */
#ifndef REMOTE_H
#define REMOTE_H

#include <stdbool.h>

/* host:path, [::1]:path and scheme://…, where the colon comes before a slash. */
bool remote_path(const char *path);
/* Ends the command when one of them is such a name, and says what to do instead. */
void remote_refuse(int count, char **paths, int status);

#endif
