/*
 * cpio.h: what the parts of cpio share.
 *
 * cpio.c reads the options, cpio_format.c knows the headers, cpio_out.c makes archives, cpio_in.c
 * lists and extracts them, cpio_make.c makes files, for extracting and for -p.
 */
#ifndef CPIO_H
#define CPIO_H

#include "g_in.h"
#include "g_text.h"

#include <sys/stat.h>

enum cpio_format { CPIO_NONE, CPIO_BIN, CPIO_ODC, CPIO_NEWC, CPIO_CRC };

typedef struct {
    char mode; /* i o p t */
    enum cpio_format format;
    const char *archive, *directory, *destination;
    bool make_directories, keep_time, unconditional, verbose, dots, quiet, null_names, dereference;
    bool link_files, nonmatching, numeric, to_stdout, relative_names, no_owner;
    bool renumber, no_device;
    size_t block; /* the archive is a multiple of this many bytes */
    char **patterns;
    size_t pattern_count, pattern_cap;
    int status;
} cpio_options;

/* A member as its header tells. The name is owned. */
typedef struct {
    uint32_t mode, uid, gid, nlink, mtime, dev_major, dev_minor, rdev_major, rdev_minor, check;
    uint64_t ino, size;
    char *name;
} cpio_member;

/* The archive as bytes, read or written. */
typedef struct {
    int fd;
    uint64_t bytes; /* passed so far */
    g_reader in;
    char *have; /* bytes of the reader that are at hand */
    size_t left;
    char *out;
    size_t used;
} cpio_stream;

/* cpio_format.c */
/* Reads so many bytes; an archive that ends before is the end of the command. */
void cpio_read(cpio_stream *s, void *to, size_t len);
void cpio_skip(cpio_stream *s, uint64_t len); /* Passes over bytes. */
/* The next header, of whichever format; *format says what it was. False: the end of the archive. */
bool cpio_read_header(cpio_stream *s, enum cpio_format *format, cpio_member *m);
/* How many bytes stand behind a name or data of that length, for the format's alignment. */
size_t cpio_padding(enum cpio_format format, uint64_t len);
void cpio_write(cpio_stream *s, const void *bytes, size_t len); /* Failure ends the command. */
void cpio_write_header(cpio_stream *s, enum cpio_format format, const cpio_member *m);
void cpio_flush(cpio_stream *s); /* Sends what is buffered. */

void cpio_create(cpio_options *o);  /* cpio_out.c: -o. */
void cpio_extract(cpio_options *o); /* cpio_in.c: -i and -t. */
void cpio_pass(cpio_options *o);    /* cpio_pass.c: -p. */

/* cpio_make.c */
/* Whether the place of a new file is free, or was made so. What is newer stays, which is said. */
bool cpio_clear_way(cpio_options *o, const cpio_member *m, const char *name);
/* Makes anything but regular files and symbolic links. */
void cpio_make_special(cpio_options *o, const cpio_member *m, const char *name);
void cpio_make_symlink(cpio_options *o, const cpio_member *m, const char *name, const char *target);
int cpio_make_file(cpio_options *o, const char *name); /* A descriptor, or -1 once that was said. */
/* Mode, owner and time of what was made; closes fd when there is one. */
void cpio_finish(cpio_options *o, const cpio_member *m, const char *name, int fd);
/* A second name for the file; false when it could not be had. */
bool cpio_make_link(cpio_options *o, const char *target, const char *name);
void cpio_finish_directories(cpio_options *o); /* Their times, once nothing is put into them. */
/* Files with several names: the first of them that was made; NULL, and `name` is kept. */
const char *cpio_known_link(const cpio_member *m, const char *name);

/* Says what went wrong, with the text of `error` unless that is 0; the status becomes 2 in the
 * end. */
void cpio_error(cpio_options *o, int error, const char *format, ...) G_PRINTF(3, 4);
/* For each member: its name with -v, a dot with -V. */
void cpio_show(const cpio_options *o, const char *name);
/* "2 blocks", as the command's last words. */
void cpio_show_blocks(const cpio_options *o, uint64_t bytes);
/* The next name of standard input, with -o without ./ in front; NULL at the end. */
char *cpio_next_name(const cpio_options *o, g_reader *in);
void cpio_of_stat(const struct stat *st, cpio_member *m); /* All but the name. */

#endif
