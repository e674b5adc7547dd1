/*
 * paste.c: joins lines of files side by side.
 *
 * help paste:
 *   Usage: paste [OPTION]... [FILE]...
 *   Write lines consisting of the sequentially corresponding lines from each FILE, separated by
 *   TABs, to standard output.
 *
 *     -d, --delimiters=LIST   reuse characters from LIST instead of TABs
 *     -s, --serial            paste one file at a time instead of in parallel
 *     -z, --zero-terminated   line delimiter is NUL, not newline
 *         --help              display this help and exit
 *         --version           output version information and exit
 */
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    char *bytes;
    bool *empty; /* "\0": nothing between the fields */
    size_t count;
} delimiters;

static delimiters read_delimiters(const char *text) {
    static const char letters[] = "bfnrtv\\", bytes[] = "\b\f\n\r\t\v\\";
    size_t len = strlen(text);
    delimiters d = {g_alloc(len + 1), g_zalloc(len + 1), 0};
    for (const char *p = text; *p; p++) {
        char c = *p;
        bool empty = false;
        if (c == '\\') {
            const char *known = p[1] ? strchr(letters, p[1]) : NULL;
            if (!p[1]) g_die(1, "delimiter list ends with an unescaped backslash: %s", text);
            p++;
            empty = *p == '0';
            c = known ? bytes[known - letters] : *p;
        }
        d.bytes[d.count] = c;
        d.empty[d.count++] = empty;
    }
    if (d.count == 0) {
        d.count = 1;
        d.empty[0] = true;
    }
    return d;
}

static void put_delimiter(const delimiters *d, size_t index) {
    index %= d->count;
    if (!d->empty[index]) g_outc(d->bytes[index]);
}

static int open_file(const char *name) {
    return strcmp(name, "-") == 0 ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
}

static int paste_serial(char **names, int count, const delimiters *d, char end) {
    int status = 0;
    for (int i = 0; i < count; i++) {
        int fd = open_file(names[i]);
        if (fd < 0) {
            g_warn_errno(errno, "%s", g_quotef(names[i]));
            status = 1;
            continue;
        }
        g_reader in;
        g_line line;
        g_reader_init(&in, fd, end);
        for (size_t n = 0; g_read_line(&in, &line); n++) {
            if (n > 0) put_delimiter(d, n - 1);
            g_out(line.s, line.len);
        }
        g_outc(end);
        if (in.error) {
            g_warn_errno(in.error, "%s", g_quotef(names[i]));
            status = 1;
        }
        g_reader_free(&in);
        g_close_input(fd);
    }
    return status;
}

static int paste_parallel(char **names, int count, const delimiters *d, char end) {
    g_reader *in = g_zalloc((size_t)count * sizeof *in);
    g_reader standard = {0};
    g_reader_init(&standard, STDIN_FILENO, end);
    int open_count = count, status = 0;
    for (int i = 0; i < count; i++) {
        int fd = open_file(names[i]);
        if (fd < 0) g_die_errno(1, errno, "%s", g_quotef(names[i]));
        g_reader_init(&in[i], fd, end);
    }
    bool *done = g_zalloc((size_t)count * sizeof *done);
    while (open_count > 0) {
        bool any = false;
        size_t waiting = 0; /* delimiters of ended files not yet written */
        for (int i = 0; i < count; i++) {
            g_line line;
            /* Several "-" take turns on one input. */
            g_reader *reader = in[i].fd == STDIN_FILENO ? &standard : &in[i];
            bool got = !done[i] && g_read_line(reader, &line);
            if (!got && !done[i]) {
                done[i] = true;
                open_count--;
                if (reader->error) {
                    g_warn_errno(reader->error, "%s", g_quotef(names[i]));
                    status = 1;
                }
            }
            if (got) {
                for (size_t w = waiting; w > 0; w--) put_delimiter(d, (size_t)i - w);
                waiting = 0;
                any = true;
                g_out(line.s, line.len);
            }
            waiting++;
        }
        if (!any) break;
        /* The last file's delimiter is the line end. */
        for (size_t w = waiting; w > 1; w--) put_delimiter(d, (size_t)count - w);
        g_outc(end);
    }
    return status;
}

static const g_long longs[] = {{"delimiters", 'd', G_REQUIRED},
                               {"serial", 's', G_NONE},
                               {"zero-terminated", 'z', G_NONE},
                               {0}};

int paste_main(int argc, char **argv) {
    const char *list = "\t";
    bool serial = false;
    char end = '\n';
    g_options o = g_options_of(argc, argv, "d:sz", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (option == 'd') list = strcmp(o.arg, "\\0") == 0 ? "" : o.arg;
        if (option == 's') serial = true;
        if (option == 'z') end = '\0';
    }
    static char *only_stdin[] = {"-"};
    char **names = o.at < argc ? argv + o.at : only_stdin;
    int count = o.at < argc ? argc - o.at : 1;
    delimiters d = read_delimiters(list);
    return (serial ? paste_serial : paste_parallel)(names, count, &d, end);
}
