/*
 * strings.c: prints the printable sequences in files.
 *
 * help strings:
 *   Usage: strings [option(s)] [file(s)]
 *   Display printable strings in [file(s)] (stdin by default)
 *
 *     -a - --all                 scan the entire file, not just the data section (always done)
 *     -d --data                  (ignored)
 *     -f --print-file-name       print the name of the file before each string
 *     -n <number>                locate & print any sequence of at least <number> characters
 *       --bytes=<number>           (default 4)
 *     -<number>                  the same
 *     -t --radix={o,d,x}         print the location of the string in base 8, 10 or 16
 *     -o                         an alias for --radix=o
 *     -w --include-all-whitespace  include all whitespace as valid string characters
 *     -e --encoding={s,S,b,l,B,L}  7-bit characters, 8-bit ones, {b,l} of 16 bits, {B,L} of 32
 *     -s --output-separator=<string>  string used to separate strings in output
 *     -h --help                  display this information
 */
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    uint64_t min;
    bool name, spaces, eight_bits;
    size_t unit;     /* bytes of a character */
    bool big_endian; /* the highest of them first */
    char radix; /* 0: no location */
    const char *separator;
} finder;

static bool part_of_string(const finder *f, unsigned char c) {
    if (c == '\t' || (c >= 32 && c < 127)) return true;
    if (f->spaces && (c >= 9 && c <= 13)) return true;
    return f->eight_bits && c > 127;
}

static void begin_string(const finder *f, const char *name, uint64_t offset) {
    if (f->name) g_outf("%s: ", name);
    if (f->radix == 'o') g_outf("%7" PRIo64 " ", offset);
    if (f->radix == 'd') g_outf("%7" PRIu64 " ", offset);
    if (f->radix == 'x') g_outf("%7" PRIx64 " ", offset);
}

static void search(const finder *f, int fd, const char *name) {
    g_reader in;
    char *bytes;
    g_text start = {0}; /* of a run that is still too short */
    uint64_t offset = 0, run = 0;
    g_reader_init(&in, fd, '\n');
    for (size_t n; (n = g_read_some(&in, &bytes)) > 0;) {
        for (size_t i = 0; i < n; i++, offset++) {
            if (!part_of_string(f, (unsigned char)bytes[i])) {
                if (run >= f->min) g_outs(f->separator);
                run = 0;
                start.len = 0;
                continue;
            }
            run++;
            if (run > f->min) {
                g_outc(bytes[i]);
                continue;
            }
            g_text_addc(&start, bytes[i]);
            if (run == f->min) {
                begin_string(f, name, offset + 1 - run);
                g_out(start.s, start.len);
            }
        }
    }
    if (run >= f->min) g_outs(f->separator);
    g_text_free(&start);
    g_reader_free(&in);
}

/* A character of several bytes; true when it may be part of a string. */
static bool wide_part(const finder *f, const unsigned char *p, char *c) {
    uint32_t value = 0;
    for (size_t i = 0; i < f->unit; i++)
        value = value << 8 | p[f->big_endian ? i : f->unit - 1 - i];
    *c = (char)value;
    return value < 256 && part_of_string(f, (unsigned char)value);
}

/* Strings of wide characters may begin at any byte. */
static void search_wide(const finder *f, int fd, const char *name) {
    size_t len, at = 0;
    char *bytes = g_read_all(fd, &len), c;
    if (!bytes) g_die_errno(1, errno, "%s", name);
    const unsigned char *p = (const unsigned char *)bytes;
    g_text run = {0};
    while (len - at >= f->unit) {
        size_t start = at;
        run.len = 0;
        for (; len - at >= f->unit && wide_part(f, p + at, &c); at += f->unit) g_text_addc(&run, c);
        if (run.len >= f->min) {
            begin_string(f, name, start);
            g_out(run.s, run.len);
            g_outs(f->separator);
        }
        if (len - at >= f->unit) at++;
    }
    g_text_free(&run);
    free(bytes);
}

static void search_input(const finder *f, int fd, const char *name) {
    if (f->unit > 1)
        search_wide(f, fd, name);
    else
        search(f, fd, name);
}

static void set_encoding(finder *f, const char *text) {
    static const char letters[] = "sSblBL";
    if (!*text || text[1] || !strchr(letters, *text)) g_usage(NULL);
    f->eight_bits = *text == 'S';
    f->unit = strchr("sS", *text) ? 1 : strchr("bl", *text) ? 2 : 4;
    f->big_endian = strchr("bB", *text) != NULL;
}

static bool search_file(const finder *f, const char *name) {
    struct stat st;
    if (stat(name, &st) < 0) {
        if (errno == ENOENT)
            g_warn("'%s': No such file", name);
        else
            g_warn("Warning: could not locate '%s'.  reason: %s", name, strerror(errno));
        return false;
    }
    if (S_ISDIR(st.st_mode)) {
        g_warn("Warning: '%s' is a directory", name);
        return false;
    }
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        g_warn_errno(errno, "%s", name);
        return false;
    }
    search_input(f, fd, name);
    close(fd);
    return true;
}

static uint64_t length_value(const char *text) {
    uint64_t value;
    enum g_number_result result = g_parse_unsigned(text, "", &value, NULL);
    if (result != G_NUMBER_OK) g_die(1, "invalid integer argument %s", text);
    if (value == 0) g_die(1, "invalid minimum string length 0");
    return value;
}

static const g_long longs[] = {{"all", 'a', G_NONE},
                               {"data", 'd', G_NONE},
                               {"print-file-name", 'f', G_NONE},
                               {"bytes", 'n', G_REQUIRED},
                               {"radix", 't', G_REQUIRED},
                               {"include-all-whitespace", 'w', G_NONE},
                               {"encoding", 'e', G_REQUIRED},
                               {"output-separator", 's', G_REQUIRED},
                               {0}};

int strings_main(int argc, char **argv) {
    finder f = {.min = 4, .unit = 1, .separator = "\n"};
    g_text old = {0};
    bool good = true;
    g_options o = g_options_of(argc, argv, "adfn:ot:we:s:h0123456789", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'a':
        case 'd': break;
        case 'f': f.name = true; break;
        case 'n': f.min = length_value(o.arg); break;
        case 'o': f.radix = 'o'; break;
        case 't':
            if (!*o.arg || o.arg[1] || !strchr("odx", *o.arg))
                g_usage("invalid radix %s", g_quote(o.arg));
            f.radix = *o.arg;
            break;
        case 'w': f.spaces = true; break;
        case 'e': set_encoding(&f, o.arg); break;
        case 's': f.separator = o.arg; break;
        case 'h': g_outs(g_help()); return 0;
        default: g_text_addc(&old, (char)option); f.min = length_value(old.s);
        }
    /* "-" is an old way to say -a. */
    bool named = false;
    for (int i = o.at; i < argc; i++) named = named || strcmp(argv[i], "-") != 0;
    if (!named) search_input(&f, STDIN_FILENO, "{standard input}");
    for (int i = o.at; i < argc; i++)
        if (strcmp(argv[i], "-") != 0 && !search_file(&f, argv[i])) good = false;
    return !good;
}
