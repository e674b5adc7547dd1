/*
 * g_out.c: fast, checked output.
 *
 * Called by every command. Never writes less than it was given without an error.
 */
#include "g_out.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define OUT_BUFFER (64u << 10)

g_sink g_stdout = {.fd = STDOUT_FILENO};

static void write_through(g_sink *sink, const char *bytes, size_t len) {
    while (len > 0 && !sink->error) {
        ssize_t n = write(sink->fd, bytes, len);
        if (n < 0) {
            if (errno == EINTR) continue;
            sink->error = errno;
            return;
        }
        bytes += n;
        len -= (size_t)n;
    }
}

int g_sink_flush(g_sink *sink) {
    size_t len = sink->len;
    sink->len = 0;
    if (len) write_through(sink, sink->buf, len);
    return sink->error;
}

void g_sink_put(g_sink *sink, const void *bytes, size_t len) {
    if (sink->error) return;
    if (!sink->buf) {
        sink->buf = g_alloc(OUT_BUFFER);
        sink->cap = OUT_BUFFER;
    }
    if (len >= sink->cap) {
        g_sink_flush(sink);
        write_through(sink, bytes, len);
        return;
    }
    if (len > sink->cap - sink->len) g_sink_flush(sink);
    memcpy(sink->buf + sink->len, bytes, len);
    sink->len += len;
    if (sink->line_buffered && memchr(bytes, '\n', len)) g_sink_flush(sink);
}

void g_sink_free(g_sink *sink) {
    free(sink->buf);
    sink->buf = NULL;
    sink->len = sink->cap = 0;
}

/* Ends the command after a failed write. The error is cleared first: g_die flushes again. */
static void check_stdout(void) {
    if (!g_stdout.error) return;
    int error = g_stdout.error;
    g_stdout.error = 0;
    g_stdout.len = 0;
    g_write_error(error);
}

void g_out_slow(const void *bytes, size_t len) {
    if (!g_stdout.buf) {
        const char *mode = getenv("_STDBUF_O"); /* set by stdbuf */
        if (mode) g_stdout.line_buffered = *mode == 'L' || *mode == '0';
        else if (isatty(g_stdout.fd)) g_stdout.line_buffered = true;
    }
    g_sink_put(&g_stdout, bytes, len);
    check_stdout();
}

void g_out_flush(void) {
    g_sink_flush(&g_stdout);
    check_stdout();
}

void g_out_block(const void *bytes, size_t len) {
    g_out_flush();
    write_through(&g_stdout, bytes, len);
    check_stdout();
}

void g_out_line_buffered(bool on) {
    g_out_slow("", 0); /* so that the first output does not decide otherwise */
    g_stdout.line_buffered = on;
}

void g_outf(const char *format, ...) {
    char small[512];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (length < 0) g_die(g_failure(), "write error: bad format");
    if ((size_t)length < sizeof small) {
        g_out(small, (size_t)length);
        return;
    }
    char *large = g_alloc((size_t)length + 1);
    va_start(args, format);
    vsnprintf(large, (size_t)length + 1, format, args);
    va_end(args);
    g_out(large, (size_t)length);
    free(large);
}

void g_out_fill(char c, size_t count) {
    char block[64];
    memset(block, c, sizeof block);
    for (; count >= sizeof block; count -= sizeof block) g_out(block, sizeof block);
    g_out(block, count);
}

void g_out_decimal(uint64_t value) {
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    g_out(digits + at, sizeof digits - at);
}
