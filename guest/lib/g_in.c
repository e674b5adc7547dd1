/*
 * g_in.c: fast input, by blocks and by lines.
 *
 * Called by every command that reads. Never looks at the bytes beyond searching the line end.
 */
#include "g_in.h"
#include "g_quote.h"
#include "pf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define IN_BLOCK (64u << 10)

void g_reader_init(g_reader *in, int fd, char end) {
    memset(in, 0, sizeof *in);
    in->fd = fd;
    in->end = end;
}

void g_reader_free(g_reader *in) {
    free(in->buf);
    in->buf = NULL;
    in->start = in->len = in->cap = 0;
}

ssize_t g_read(int fd, void *buf, size_t len) {
    pf_yield();
    for (;;) {
        ssize_t n = read(fd, buf, len);
        if (n >= 0 || errno != EINTR) return n;
    }
}

/* Reads one more block behind the unread bytes; false at the end. */
static bool fill(g_reader *in) {
    if (in->eof) return false;
    if (in->start > 0) {
        memmove(in->buf, in->buf + in->start, in->len - in->start);
        in->len -= in->start;
        in->start = 0;
    }
    if (in->cap - in->len < IN_BLOCK) {
        in->cap = in->cap ? in->cap * 2 : IN_BLOCK;
        in->buf = g_realloc(in->buf, in->cap);
    }
    ssize_t n = g_read(in->fd, in->buf + in->len, in->cap - in->len);
    if (n <= 0) {
        if (n < 0) in->error = errno;
        in->eof = true;
        return false;
    }
    in->len += (size_t)n;
    return true;
}

bool g_read_line(g_reader *in, g_line *line) {
    size_t seen = 0;
    for (;;) {
        size_t have = in->len - in->start;
        char *from = in->buf + in->start;
        char *end = have > seen ? memchr(from + seen, in->end, have - seen) : NULL;
        if (end) {
            line->s = from;
            line->len = (size_t)(end - from);
            line->terminated = true;
            in->start += line->len + 1;
            return true;
        }
        seen = have;
        if (fill(in)) continue;
        if (have == 0) return false;
        line->s = in->buf + in->start;
        line->len = have;
        line->terminated = false;
        in->start = in->len;
        return true;
    }
}

size_t g_read_some(g_reader *in, char **bytes) {
    if (in->start == in->len) {
        in->start = in->len = 0;
        if (!fill(in)) return 0;
    }
    *bytes = in->buf + in->start;
    size_t len = in->len - in->start;
    in->start = in->len;
    return len;
}

char *g_skip_lines(char *at, char *stop, char end, uint64_t *count) {
    while (*count > 0) {
        char *found = memchr(at, end, (size_t)(stop - at));
        if (!found) return stop;
        at = found + 1;
        --*count;
    }
    return at;
}

char *g_read_all(int fd, size_t *len) {
    size_t cap = IN_BLOCK, at = 0;
    char *buf = g_alloc(cap + 1);
    for (;;) {
        if (at == cap) {
            cap *= 2;
            buf = g_realloc(buf, cap + 1);
        }
        ssize_t n = g_read(fd, buf + at, cap - at);
        if (n < 0) {
            int error = errno;
            free(buf);
            errno = error;
            return NULL;
        }
        if (n == 0) break;
        at += (size_t)n;
    }
    buf[at] = '\0';
    *len = at;
    return buf;
}

int g_open_input(const char *operand) {
    if (strcmp(operand, "-") == 0) return STDIN_FILENO;
    int fd = open(operand, O_RDONLY | O_CLOEXEC);
    if (fd < 0) g_warn_errno(errno, "%s", g_quotef(operand));
    return fd;
}

void g_close_input(int fd) {
    if (fd > STDIN_FILENO) close(fd);
}

static int each_line_of(const char *operand, void (*use)(void *, const g_line *), void *context) {
    int fd = g_open_input(operand);
    if (fd < 0) return 1;
    g_reader in;
    g_line line;
    g_reader_init(&in, fd, '\n');
    while (g_read_line(&in, &line)) use(context, &line);
    if (in.error) g_warn_errno(in.error, "%s", g_quotef(operand));
    int status = in.error != 0;
    g_reader_free(&in);
    g_close_input(fd);
    return status;
}

int g_each_line(int count, char **operands, void (*use)(void *context, const g_line *line),
                void *context) {
    int status = 0;
    if (count == 0) return each_line_of("-", use, context);
    for (int i = 0; i < count; i++) status |= each_line_of(operands[i], use, context);
    return status;
}
