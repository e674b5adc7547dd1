/*
 * dos2unix.c: dos2unix and unix2dos: change the ends of lines in files.
 *
 * help dos2unix unix2dos:
 *   Usage: @NAME@ [OPTION]... [FILE]...
 *     or:  @NAME@ [OPTION]... -n INFILE OUTFILE...
 *   Convert the line ends of text files in place; without FILE, from standard input to standard
 *   output. dos2unix makes CR LF to LF, unix2dos LF to CR LF. Binary files are skipped.
 *
 *     -f, --force         convert binary files, too
 *     -k, --keepdate      keep the date of the output file same as the input file
 *     -n, --newfile       write to a new file: pairs of an input and an output file
 *     -o, --oldfile       write to the old file (default)
 *     -q, --quiet         suppress all warnings and messages
 *         --help          display this help and exit
 *         --version       output version information and exit
 */
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"
#include "g_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    bool to_dos, force, keep_date, quiet;
} converter;

static void convert(const converter *c, const char *s, size_t len, g_text *out) {
    g_text_add(out, "", 0);
    for (size_t i = 0; i < len; i++) {
        if (!c->to_dos && s[i] == '\r' && i + 1 < len && s[i + 1] == '\n') continue;
        if (c->to_dos && s[i] == '\n' && (i == 0 || s[i - 1] != '\r')) g_text_addc(out, '\r');
        g_text_addc(out, s[i]);
    }
}

static bool is_binary(const char *s, size_t len) {
    for (size_t i = 0; i < len; i++) {
        unsigned char b = (unsigned char)s[i];
        if (b < 32 && !strchr("\t\n\r\f\b\a\v\33", b)) return true;
        if (b == 0) return true;
    }
    return false;
}

static int convert_file(const converter *c, const char *from, const char *to) {
    struct stat st;
    int fd = open(from, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0) {
        g_warn("%s: %s", from, strerror(errno));
        return errno;
    }
    if (!S_ISREG(st.st_mode)) {
        if (!c->quiet) g_warn("Skipping %s, not a regular file.", from);
        close(fd);
        return 0;
    }
    size_t len;
    char *s = g_read_all(fd, &len);
    close(fd);
    if (!s) g_die_errno(1, errno, "%s", from);
    if (!c->force && is_binary(s, len)) {
        if (!c->quiet) g_warn("Skipping binary file %s", from);
        free(s);
        return 0;
    }
    if (!c->quiet) {
        const char *format = c->to_dos ? "DOS" : "Unix";
        if (from == to)
            g_warn("converting file %s to %s format...", from, format);
        else
            g_warn("converting file %s to file %s in %s format...", from, to, format);
    }
    g_text out = {0};
    convert(c, s, len, &out);
    free(s);
    fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, st.st_mode & 0777);
    if (fd < 0) g_die_errno(1, errno, "Failed to open %s", to);
    g_sink sink = {.fd = fd};
    g_sink_put(&sink, out.s, out.len);
    int error = g_sink_flush(&sink);
    if (error) g_die_errno(1, error, "Failed to write %s", to);
    struct timespec times[2] = {st.st_atim, st.st_mtim};
    if (c->keep_date) futimens(fd, times);
    close(fd);
    g_sink_free(&sink);
    g_text_free(&out);
    return 0;
}

static const g_long longs[] = {{"force", 'f', G_NONE},   {"keepdate", 'k', G_NONE},
                               {"newfile", 'n', G_NONE}, {"oldfile", 'o', G_NONE},
                               {"quiet", 'q', G_NONE},   {0}};

int dos2unix_main(int argc, char **argv) {
    const char *slash = strrchr(g_name(), '/');
    converter c = {.to_dos = strcmp(slash ? slash + 1 : g_name(), "unix2dos") == 0};
    bool pairs = false;
    int status = 0;
    g_options o = g_options_of(argc, argv, "fknoq", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'f': c.force = true; break;
        case 'k': c.keep_date = true; break;
        case 'n': pairs = true; break;
        case 'o': pairs = false; break;
        case 'q': c.quiet = true; break;
        }
    if (o.at == argc) {
        size_t len;
        char *s = g_read_all(STDIN_FILENO, &len);
        if (!s) g_die_errno(1, errno, "read error");
        g_text out = {0};
        convert(&c, s, len, &out);
        g_out(out.s, out.len);
        return 0;
    }
    if (pairs && (argc - o.at) % 2)
        g_die(1, "target of file %s not specified in new-file mode", argv[argc - 1]);
    for (int i = o.at; i < argc; i += pairs ? 2 : 1) {
        int error = convert_file(&c, argv[i], argv[i + (pairs ? 1 : 0)]);
        if (error) status = error;
    }
    return status;
}
