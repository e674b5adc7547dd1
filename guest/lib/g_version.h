/*
 * g_version.h: the order of version numbers in names: sort -V, ls -v.
 */
#ifndef G_VERSION_H
#define G_VERSION_H

#include <stddef.h>

/* < 0, 0, > 0: file1 < file2 < file10, 1.0~rc < 1.0, as GNU's filevercmp. */
int g_version_compare(const char *a, size_t a_len, const char *b, size_t b_len);

#endif
