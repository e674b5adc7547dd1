/* stdio.h: wasi-libc's, and what it leaves out: pipes to commands, temporary files. */
#ifndef PF_POSIX_STDIO_H
#define PF_POSIX_STDIO_H

/* wasi-libc declares these two as deprecated. */
#define tmpnam  __pf_wasi_tmpnam
#define tmpfile __pf_wasi_tmpfile
#include_next <stdio.h>
#undef tmpnam
#undef tmpfile
#ifndef SEEK_SET
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#endif

#ifdef __cplusplus
extern "C" {
#endif

FILE *popen(const char *, const char *);
int pclose(FILE *);
FILE *tmpfile(void);
char *ctermid(char *);
int renameat(int, const char *, int, const char *);
int renameat2(int, const char *, int, const char *, unsigned);
#define RENAME_NOREPLACE 1
#define P_tmpdir  "/tmp"
#define L_ctermid 20

#ifdef __cplusplus
}
#endif

#endif
