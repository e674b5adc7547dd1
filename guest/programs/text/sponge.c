/*
 * sponge.c: takes in all of its input before it writes, so that the file may be the one that is
 * read.
 *
 * help sponge:
 *   Usage: sponge [-a] [FILE]
 *   Soak up standard input and write it to FILE (or standard output).
 *
 *     -a             append to FILE
 *         --help     display this help and exit
 *         --version  output version information and exit
 */
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int sponge_main(int argc, char **argv) {
    bool append = false;
    g_options o = g_options_of(argc, argv, "a", NULL);
    while (g_option(&o) >= 0) append = true;
    if (argc - o.at > 1) g_extra_operand(argv[o.at + 1]);
    size_t len;
    char *s = g_read_all(STDIN_FILENO, &len);
    if (!s) g_die_errno(1, errno, "failed to read standard input");
    if (o.at < argc) {
        int fd =
            open(argv[o.at], O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0666);
        if (fd < 0) g_die_errno(1, errno, "error opening output file %s", g_quotef(argv[o.at]));
        g_stdout.fd = fd;
    }
    g_out(s, len);
    return 0;
}
