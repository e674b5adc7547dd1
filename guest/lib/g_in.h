/*
 * g_in.h: fast input, by blocks and by lines.
 *
 * Binary safe: a line is a range of bytes, its end is found with memchr, and whether it had a
 * terminator is told, so that a missing final newline can be kept. Reads 64 KiB at a time and
 * yields once per block.
 */
#ifndef G_IN_H
#define G_IN_H

#include "g_program.h"

#include <sys/types.h>

typedef struct {
    char *s;         /* in the reader's buffer: valid until the next call */
    size_t len;      /* without the terminator */
    bool terminated; /* false only for a last line without one */
} g_line;

typedef struct {
    int fd;
    char end;   /* line terminator: '\n' or '\0' */
    bool eof;
    int error;  /* errno of a failed read; reading then ends */
    char *buf;
    size_t start, len, cap; /* unread bytes are buf[start .. len) */
} g_reader;

/* Begins to read lines from fd; takes no memory yet. */
void g_reader_init(g_reader *in, int fd, char end);
/* The next line; false at the end of the input or after an error. */
bool g_read_line(g_reader *in, g_line *line);
/* Any number of bytes that are at hand: a range of the buffer, empty at the end. */
size_t g_read_some(g_reader *in, char **bytes);
/* Gives back the buffer; does not close fd. */
void g_reader_free(g_reader *in);

/* read(2) that is not interrupted and yields. */
ssize_t g_read(int fd, void *buf, size_t len);
/* Goes over *count ends of lines in at .. stop, and takes those found off *count: the byte behind
 * the last one, or `stop` when there are fewer. */
char *g_skip_lines(char *at, char *stop, char end, uint64_t *count);
/* Everything until the end, with a NUL behind it; NULL with errno set. */
char *g_read_all(int fd, size_t *len);

/*
 * Opens an operand: "-" is standard input. On failure says "NAME: OPERAND: reason" and returns -1.
 * g_close_input closes what g_open_input opened.
 */
int g_open_input(const char *operand);
void g_close_input(int fd); /* Closes it, unless it is standard input. */

/*
 * Gives every line of the operands to `use`, in order; without operands those of standard input.
 * One that cannot be read is reported and the rest still is. Returns 0, or 1 when one failed.
 */
int g_each_line(int count, char **operands, void (*use)(void *context, const g_line *line),
                void *context);

#endif
