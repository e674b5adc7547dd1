/*
 * single.h: what gzip, bzip2, xz and zstd have in common: one file in, one file out.
 */
#ifndef SINGLE_H
#define SINGLE_H

#include "codec.h"

#include <sys/stat.h>

typedef struct {
    bool decompress, to_stdout, force, keep, test, verbose, quiet;
    int level;          /* -1: usual */
    const char *suffix; /* with the dot */
} single_options;

/* What a file became. */
typedef struct {
    enum unpack_error error;
    int error_number; /* of reading or writing */
    bool write_failed, trailing_garbage;
    uint64_t taken, given;
    char *name; /* gzip's header: owned */
    int64_t mtime;
} single_result;

/* Packs or unpacks everything from one descriptor to another (-1: only tests). */
void single_pack(int in, int out, enum codec codec, const pack_hints *hints, single_result *result);
/* `pass_plain`: what does not begin as the format does is copied as it is. */
void single_unpack(int in, int out, enum codec codec, bool pass_plain, single_result *result);

/* Creates the file beside the input; -1 with errno (EEXIST when it is there and `force` is not
 * given). */
int single_create(const char *name, bool force);
/* Gives the new file what the old one had: mode and time. Closes it; 0 or an errno value. */
int single_finish(int fd, const struct stat *like);
/* NAME without the suffix and with another, in fresh memory; NULL when it does not end so. */
char *single_replace_suffix(const char *name, const char *suffix, const char *with);
/* Reads -1 … -9 and such from the letters of a cluster: true when `option` is a level. */
static inline bool single_level(int option, int *level) {
    if (option < '0' || option > '9') return false;
    *level = option - '0';
    return true;
}

#endif
