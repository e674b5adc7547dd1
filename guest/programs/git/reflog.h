/*
 * reflog.h: git reflog expire and delete.
 */
#ifndef REFLOG_H
#define REFLOG_H

int shorten_reflogs(int argc, char **argv); /* argv[0] is "expire" or "delete"; the status. */

#endif
