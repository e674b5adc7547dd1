/*
 * uuencode.c: uuencode, uudecode: bytes as lines of plain characters, and back.
 *
 * help uuencode:
 *   Usage: uuencode [-m] [INFILE] REMOTEFILE
 *   Encode INFILE, or standard input, for a file that is to be called REMOTEFILE.
 *
 *     -m, --base64          use base64 encoding
 *         --help            display this help and exit
 *         --version         output version information and exit
 *
 * help uudecode:
 *   Usage: uudecode [-o FILE] [-c] [INFILE]...
 *   Decode INFILEs, or standard input, into the files that they name.
 *
 *     -o, --output-file=FILE  write to FILE; - and /dev/stdout are standard output
 *     -c, --ignore-chmod      do not set the file's mode
 *         --help              display this help and exit
 *         --version           output version information and exit
 */
#include "g_file.h"
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static char classic(unsigned value) {
    return (char)(value ? value + ' ' : '`');
}

static void put_group(const unsigned char *s, size_t len, bool plain64) {
    unsigned char in[3] = {s[0], len > 1 ? s[1] : 0, len > 2 ? s[2] : 0};
    unsigned parts[4] = {in[0] >> 2, (in[0] & 3u) << 4 | in[1] >> 4,
                         (in[1] & 15u) << 2 | in[2] >> 6, in[2] & 63u};
    for (size_t i = 0; i < 4; i++) {
        if (plain64)
            g_outc(i > len ? '=' : base64[parts[i]]);
        else
            g_outc(classic(parts[i]));
    }
}

static void encode(const unsigned char *s, size_t len, bool plain64) {
    for (size_t at = 0; at < len; at += 45) {
        size_t line = len - at < 45 ? len - at : 45;
        if (!plain64) g_outc(classic((unsigned)line));
        for (size_t i = 0; i < line; i += 3) put_group(s + at + i, line - i, plain64);
        g_outc('\n');
    }
    g_outs(plain64 ? "====\n" : "`\nend\n");
}

static int uuencode(int argc, char **argv) {
    static const g_long longs[] = {{"base64", 'm', G_NONE}, {0}};
    bool plain64 = false;
    g_options o = g_options_of(argc, argv, "m", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        if (option == 'm') plain64 = true;
    int count = argc - o.at, fd = STDIN_FILENO;
    if (count < 1 || count > 2) g_usage(NULL);
    unsigned mode = 0666;
    struct stat st;
    if (count == 2) {
        fd = open(argv[o.at], O_RDONLY | O_CLOEXEC);
        if (fd < 0) g_die_errno(1, errno, "fopen-ing %s", argv[o.at]);
    }
    if (fstat(fd, &st) == 0) mode = st.st_mode & 0777;
    if (count == 1) {
        mode_t mask = umask(0);
        umask(mask);
        mode = 0666 & ~mask;
    }
    size_t len;
    char *text = g_read_all(fd, &len);
    if (!text) g_die_errno(1, errno, "read error");
    const char *name = argv[argc - 1];
    g_outf("begin%s %o %s\n", plain64 ? "-base64" : "", mode, name);
    encode((const unsigned char *)text, len, plain64);
    return 0;
}

static int value64(int c) {
    const char *p = c ? strchr(base64, c) : NULL;
    return p ? (int)(p - base64) : -1;
}

static void decode64(g_sink *out, const char *s, size_t len) {
    unsigned bits = 0, count = 0;
    for (size_t i = 0; i < len && s[i] != '='; i++) {
        int value = value64((unsigned char)s[i]);
        if (value < 0) continue;
        bits = bits << 6 | (unsigned)value;
        if (++count % 4 == 1) continue;
        unsigned shift = count % 4 == 2 ? 4 : count % 4 == 3 ? 2 : 0;
        char byte = (char)(bits >> shift);
        g_sink_put(out, &byte, 1);
    }
}

static void decode_classic(g_sink *out, const char *s, size_t len) {
    size_t want = (size_t)((s[0] - ' ') & 63);
    for (size_t at = 1; want > 0; at += 4) {
        unsigned v[4];
        for (size_t i = 0; i < 4; i++) v[i] = at + i < len ? (unsigned)(s[at + i] - ' ') & 63 : 0;
        char bytes[3] = {(char)(v[0] << 2 | v[1] >> 4), (char)(v[1] << 4 | v[2] >> 2),
                         (char)(v[2] << 6 | v[3])};
        size_t now = want < 3 ? want : 3;
        g_sink_put(out, bytes, now);
        want -= now;
    }
}

/* As sharutils says it, in two lines. */
static int fatal(const char *name, const char *text) {
    g_out_flush();
    fprintf(stderr, "%s fatal error:\n%s: %s\n", g_name(), name, text);
    return 2;
}

/* 0, or the status of what is wrong. */
static int decode_body(g_reader *in, g_sink *out, const char *name, bool plain64) {
    g_line line;
    while (g_read_line(in, &line)) {
        if (line.len && line.s[line.len - 1] == '\r') line.len--;
        if (plain64) {
            if (line.len == 4 && memcmp(line.s, "====", 4) == 0) return 0;
            decode64(out, line.s, line.len);
            continue;
        }
        if (line.len == 0 || ((line.s[0] - ' ') & 63) == 0) {
            if (g_read_line(in, &line) && line.len >= 3 && memcmp(line.s, "end", 3) == 0) return 0;
            return fatal(name, "No `end' line");
        }
        decode_classic(out, line.s, line.len);
    }
    return fatal(name, "Short file");
}

static int decode_file(const char *name, int fd, const char *to, bool keep_mode) {
    g_reader in;
    g_line line;
    bool plain64 = false, encoded = false;
    g_reader_init(&in, fd, '\n');
    const char *s = NULL;
    while (!s && g_read_line(&in, &line)) {
        if (line.len < 6 || memcmp(line.s, "begin", 5) != 0) continue;
        s = line.s + 5;
        size_t left = line.len - 5;
        if (left > 7 && memcmp(s, "-base64", 7) == 0) plain64 = true, s += 7, left -= 7;
        if (left > 8 && memcmp(s, "-encoded", 8) == 0) encoded = true, s += 8, left -= 8;
        if (*s != ' ' || s[1] < '0' || s[1] > '7') s = NULL, plain64 = encoded = false;
    }
    if (!s) {
        return fatal(name, "Invalid or missing 'begin' line");
    }
    char *header = g_copy_bytes(s, (size_t)(line.s + line.len - s)), *end;
    mode_t mode = (mode_t)strtoul(header, &end, 8) & 0777;
    while (*end == ' ') end++;
    size_t len = strlen(end);
    while (len && (end[len - 1] == '\r' || end[len - 1] == ' ')) end[--len] = '\0';
    if (encoded) g_die(1, "%s: encoded file names are not supported", name);
    const char *target = to ? to : end;
    bool standard = strcmp(target, "/dev/stdout") == 0 || strcmp(target, "-") == 0;
    int out =
        standard ? STDOUT_FILENO : open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (out < 0) {
        g_warn_errno(errno, "%s: %s", name, target);
        return 4;
    }
    if (!standard && !keep_mode) fchmod(out, mode);
    g_sink sink = {.fd = out};
    int status = decode_body(&in, &sink, name, plain64);
    int error = g_sink_flush(&sink);
    g_sink_free(&sink);
    if (!standard && close(out) != 0 && !error) error = errno;
    if (error) g_warn_errno(error, "%s", target);
    g_reader_free(&in);
    free(header);
    return error ? 4 : status;
}

static int uudecode(int argc, char **argv) {
    static const g_long longs[] = {
        {"output-file", 'o', G_REQUIRED}, {"ignore-chmod", 'c', G_NONE}, {0}};
    const char *to = NULL;
    bool keep_mode = false;
    int status = 0;
    g_options o = g_options_of(argc, argv, "o:c", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (option == 'o') to = o.arg;
        if (option == 'c') keep_mode = true;
    }
    if (o.at == argc) return decode_file("standard input", STDIN_FILENO, to, keep_mode);
    for (int i = o.at; i < argc; i++) {
        int fd = open(argv[i], O_RDONLY | O_CLOEXEC);
        if (fd < 0) {
            g_warn_errno(errno, "%s", argv[i]);
            status = 4;
            continue;
        }
        int one = decode_file(argv[i], fd, to, keep_mode);
        if (one) status = one;
        close(fd);
    }
    return status;
}

int uuencode_main(int argc, char **argv) {
    return strcmp(g_last_part(g_name()), "uudecode") == 0 ? uudecode(argc, argv)
                                                          : uuencode(argc, argv);
}
