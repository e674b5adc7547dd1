/*
 * g_out.h: fast, checked output.
 *
 * Standard output goes through one buffer of 64 KiB; a line-buffered mode serves terminals and
 * commands that must show each line at once. A failed write ends the command there and then with
 * "NAME: write error: reason" and its failure status, so callers never check. Other files use a
 * g_sink of their own, whose errors are returned.
 */
#ifndef G_OUT_H
#define G_OUT_H

#include "g_program.h"

#include <string.h>

typedef struct {
    int fd;
    int error;         /* errno of the first failed write; what follows it is dropped */
    bool line_buffered;
    char *buf;         /* allocated at first use */
    size_t len, cap;
} g_sink;

extern g_sink g_stdout;

/* Put bytes into a sink; the rest of the family is for standard output. */
void g_sink_put(g_sink *sink, const void *bytes, size_t len);
int g_sink_flush(g_sink *sink); /* 0 or the sink's error */
void g_sink_free(g_sink *sink); /* Frees the buffer; its contents are lost. */

/* What g_out() does when the buffer has no room, or is sent at each line. */
void g_out_slow(const void *bytes, size_t len);
void g_out_flush(void); /* Sends what is buffered; ends the command when that fails. */
void g_outf(const char *format, ...) G_PRINTF(1, 2); /* As printf(). */
/* Set line buffering, as `stdbuf -oL` or a terminal would have it. */
void g_out_line_buffered(bool on);
/* Writes all of it at once, unbuffered, after what is buffered. For large blocks. */
void g_out_block(const void *bytes, size_t len);

static inline void g_out(const void *bytes, size_t len) {
    if (g_stdout.cap - g_stdout.len > len && !g_stdout.line_buffered) {
        memcpy(g_stdout.buf + g_stdout.len, bytes, len);
        g_stdout.len += len;
    } else {
        g_out_slow(bytes, len);
    }
}
static inline void g_outs(const char *s) { g_out(s, strlen(s)); }
static inline void g_outc(char c) {
    if (g_stdout.cap - g_stdout.len > 1 && !g_stdout.line_buffered)
        g_stdout.buf[g_stdout.len++] = c;
    else
        g_out_slow(&c, 1);
}
/* `count` times the same character. */
void g_out_fill(char c, size_t count);
void g_out_decimal(uint64_t value); /* A number in decimal. */

#endif
