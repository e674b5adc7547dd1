/*
 * rev.c: reverses the characters of lines.
 *
 * help rev:
 *   Usage: rev [OPTION] [FILE]...
 *   Reverse lines characterwise.
 *
 *     -0, --zero     use the byte '\0' as line separator
 *     -h, --help     display this help and exit
 *     -V, --version  output version information and exit
 */
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"
#include "lib/utf8/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void put_reversed(const char *s, size_t len, bool utf8) {
    while (len > 0) {
        uint32_t code;
        int n = utf8 && (unsigned char)s[len - 1] >= 0x80 ? pf_utf8_decode_last(s, len, &code) : 1;
        if (n == 0) n = 1;
        g_out(s + len - n, (size_t)n);
        len -= (size_t)n;
    }
}

static const g_long longs[] = {{"zero", '0', G_NONE}, {0}};

int rev_main(int argc, char **argv) {
    char end = '\n';
    int status = 0;
    bool utf8 = g_utf8_locale();
    g_options o = g_options_of(argc, argv, "0hV", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (option == '0') end = '\0';
        if (option == 'h') {
            g_outs(g_help());
            return 0;
        }
        if (option == 'V') {
            g_print_version();
            return 0;
        }
    }
    for (int i = o.at; i < argc || i == o.at; i++) {
        int fd = i < argc ? open(argv[i], O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
        if (fd < 0) {
            g_warn_errno(errno, "cannot open %s", argv[i]);
            status = 1;
            continue;
        }
        g_reader in;
        g_line line;
        g_text whole = {0};
        g_reader_init(&in, fd, end);
        while (g_read_line(&in, &line)) {
            /* A line is a string: what stands behind a NUL is lost, and with it that the line ended. */
            const char *nul = memchr(line.s, '\0', line.len);
            g_text_add(&whole, line.s, nul ? (size_t)(nul - line.s) : line.len);
            if (nul) continue;
            put_reversed(whole.s, whole.len, utf8);
            whole.len = 0;
            if (line.terminated) g_outc(end);
        }
        put_reversed(whole.s, whole.len, utf8);
        g_text_free(&whole);
        g_reader_free(&in);
        g_close_input(fd);
    }
    return status;
}
