/* stdlib.h: wasi-libc's, and what it leaves out: paths, temporary files, processes. */
#ifndef PF_POSIX_STDLIB_H
#define PF_POSIX_STDLIB_H

#include_next <stdlib.h>
#include <sys/wait.h>

#ifdef __cplusplus
extern "C" {
#endif

char *realpath(const char *__restrict, char *__restrict);
char *canonicalize_file_name(const char *);
int mkstemp(char *);
int mkostemp(char *, int);
int mkstemps(char *, int);
int mkostemps(char *, int, int);
char *mkdtemp(char *);
char *mktemp(char *);
int system(const char *);
int getloadavg(double *, int);
void *memalign(size_t, size_t);

#ifdef __cplusplus
}
#endif

#endif
