/*
 * file.h: what the parts of file share.
 *
 * file.c reads the options, file_magic.c knows formats by their bytes, file_text.c kinds of text.
 */
#ifndef FILE_H
#define FILE_H

#include "g_text.h"

/* What a file is: in words, as a media type and as an encoding. */
typedef struct {
    g_text words;
    const char *mime;     /* constant */
    const char *encoding; /* constant */
} file_kind;

/* False when the bytes say nothing. `whole`: all of the file is there. */
bool file_magic(const unsigned char *b, size_t len, file_kind *kind);
/* Tells what text it is, if it is one. `whole`: the bytes are the whole file. */
void file_text(const unsigned char *b, size_t len, bool whole, file_kind *kind);
/* What "#!" at the beginning names; its words, or NULL. */
const char *file_script(const unsigned char *b, size_t len, const char **mime, bool *before,
                        char *room, size_t size);

#endif
