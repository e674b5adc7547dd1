/*
 * builtin/readline.h: reading input a line at a time without taking bytes that belong to others;
 * for read and mapfile.
 */
#ifndef SH_READLINE_H
#define SH_READLINE_H

#include "../sh.h"

struct input {
    int fd;
    bool seekable;     /* read ahead, and give back what was not used */
    int64_t deadline;  /* monotonic ns; 0: none */
    char buf[128];
    int n, at;
};

enum input_end { INPUT_EOF = -1, INPUT_TIMEOUT = -2, INPUT_ERROR = -3, INPUT_SIGNAL = -4 };

void input_open(struct input *in, int fd, int64_t timeout_ns); /* timeout < 0: none */
int input_byte(struct shell *sh, struct input *in);            /* a byte, or enum input_end */
void input_close(struct input *in);                            /* gives back what was read ahead */

#endif
