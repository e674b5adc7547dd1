/*
 * output.c: the output of builtins: gathered, then written when the builtin ends, or whole lines
 * before a message is written.
 */
#include "sh.h"

#include <unistd.h>

enum { OUT_CHUNK = 8192 };

int write_all(int fd, const char *s, size_t n) {
    while (n > 0) {
        ssize_t got = write(fd, s, n);
        if (got < 0 && errno == EINTR && !signal_gives_up()) continue;
        if (got < 0) return -1;
        s += got;
        n -= (size_t)got;
    }
    return 0;
}

/* Writes what builtins print, or keeps it: inplace.c. */
static int write_out(struct shell *sh, const char *s, size_t n) {
    if (!sh->capture) return write_all(1, s, n);
    sb_put(sh->capture, s, n);
    return 0;
}

int out_flush(struct shell *sh) {
    int result = sh->out_failed ? -1 : 0;
    if (result < 0) errno = EPIPE;
    if (sh->out.n > 0 && result == 0) result = write_out(sh, sh->out.s, sh->out.n);
    sh->out.n = 0;
    sh->out_failed = false;
    if (sh->out.cap > 4 * OUT_CHUNK) sb_free(&sh->out);
    return result;
}

void out_put(struct shell *sh, const char *s, size_t n) {
    sb_put(&sh->out, s, n);
    if (sh->out.n < OUT_CHUNK) return;
    if (write_out(sh, sh->out.s, sh->out.n) < 0) sh->out_failed = true;
    sh->out.n = 0;
}

void out_flush_lines(struct shell *sh) {
    size_t n = sh->out.n;
    while (n && sh->out.s[n - 1] != '\n') n--;
    if (!n) return;
    if (write_out(sh, sh->out.s, n) < 0) sh->out_failed = true;
    memmove(sh->out.s, sh->out.s + n, sh->out.n - n);
    sh->out.n -= n;
}

void out_puts(struct shell *sh, const char *s) { out_put(sh, s, strlen(s)); }

void out_putc(struct shell *sh, char c) { out_put(sh, &c, 1); }

void out_printf(struct shell *sh, const char *format, ...) {
    va_list args;
    va_start(args, format);
    sb_vprintf(&sh->out, format, args);
    va_end(args);
    out_put(sh, "", 0);
}
