/*
 * xxd.c: hexadecimal dumps and back.
 *
 * Deviation: no EBCDIC (-E).
 *
 * help xxd:
 *   Usage:
 *          xxd [options] [infile [outfile]]
 *       or
 *          xxd -r [-s [-]offset] [-c cols] [-ps] [infile [outfile]]
 *   Options:
 *       -a          a single '*' replaces lines of NUL bytes
 *       -b          binary digits instead of hexadecimal ones
 *       -C          capitalize variable names in C include file style (-i)
 *       -c cols     format <cols> octets per line: 16 (-i: 12, -ps: 30, -b: 6)
 *       -d          show the offset in decimal instead of hex
 *       -e          little-endian dump
 *       -g bytes    number of octets per group in normal output: 2 (-e: 4)
 *       -h          print this summary
 *       -i          output in C include file style
 *       -l len      stop after <len> octets
 *       -n name     set the variable name used in C include output (-i)
 *       -o off      add <off> to the displayed file position
 *       -ps         output in plain hexdump style
 *       -r          reverse operation: convert hexdump into binary
 *       -r -s off   revert with <off> added to file positions found in hexdump
 *       -s [+][-]seek  start at <seek> bytes abs. (or +: rel.) infile offset
 *       -u          use upper case hex letters
 */
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"
#include "pf.h"
#include "lib/hex/hex.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum style { HEX, BITS, PLAIN, INCLUDE, LITTLE };

typedef struct {
    enum style style;
    bool skip_zeros, capitals, decimal, upper, reverse, has_limit, has_columns;
    int64_t columns, group; /* group -1: the style's own */
    int64_t limit, offset, seek;
    bool seek_from_end, seek_relative;
    const char *name, *input;
} dumper;

static const char *digits(const dumper *d) {
    return d->upper ? "0123456789ABCDEF" : "0123456789abcdef";
}

static void put_byte(const dumper *d, unsigned char c) {
    const char *hex = digits(d);
    if (d->style == BITS) {
        for (int bit = 7; bit >= 0; bit--) g_outc((char)('0' + (c >> bit & 1)));
        return;
    }
    g_outc(hex[c >> 4]);
    g_outc(hex[c & 15]);
}

static void put_line(const dumper *d, uint64_t offset, const unsigned char *p, int64_t n) {
    int64_t group = d->group, cells = d->columns;
    int wide = d->style == BITS ? 8 : 2;
    g_outf(d->decimal ? "%08" PRIu64 ":" : "%08" PRIx64 ":", offset);
    g_outc(' ');
    for (int64_t i = 0; i < cells; i++) {
        if (i > 0 && group > 0 && i % group == 0) g_outc(' ');
        int64_t at = d->style == LITTLE ? i / group * group + (group - 1 - i % group) : i;
        if (at < n)
            put_byte(d, p[at]);
        else
            g_out_fill(' ', (size_t)wide);
    }
    g_outs("  ");
    for (int64_t i = 0; i < n; i++) g_outc(p[i] >= 32 && p[i] < 127 ? (char)p[i] : '.');
    g_outc('\n');
}

/* The next `want` bytes within the limit; fewer at the end. */
static int64_t read_row(dumper *d, int fd, unsigned char *to, int64_t want) {
    int64_t have = 0;
    if (d->has_limit && want > d->limit) want = d->limit;
    while (have < want) {
        ssize_t n = g_read(fd, to + have, (size_t)(want - have));
        if (n < 0) g_die_errno(2, errno, "%s", d->input ? d->input : "stdin");
        if (n == 0) break;
        have += n;
    }
    if (d->has_limit) d->limit -= have;
    return have;
}

static bool all_zero(const unsigned char *p, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (p[i]) return false;
    return true;
}

/* -a: of several lines of zeros the first is shown, then a star; the file's last line always. */
static void dump_lines(dumper *d, int fd) {
    unsigned char *row = g_alloc((size_t)d->columns), *zero = NULL;
    uint64_t offset = (uint64_t)(d->seek + d->offset), zero_offset = 0;
    int64_t n, zero_len = 0;
    unsigned zeros = 0;
    while ((n = read_row(d, fd, row, d->columns)) > 0) {
        if (d->skip_zeros && all_zero(row, n)) {
            zeros++;
            if (zeros == 1)
                put_line(d, offset, row, n);
            else {
                zero = row;
                zero_len = n;
                zero_offset = offset;
            }
            if (zeros == 3) g_outs("*\n");
        } else {
            if (zeros == 2) {
                unsigned char *blank = g_zalloc((size_t)d->columns);
                put_line(d, zero_offset, blank, zero_len);
                free(blank);
            }
            zeros = 0;
            put_line(d, offset, row, n);
        }
        offset += (uint64_t)n;
    }
    if (zeros >= 2 && zero) {
        memset(row, 0, (size_t)d->columns);
        put_line(d, zero_offset, row, zero_len);
    }
    free(row);
}

static void dump_plain(dumper *d, int fd) {
    unsigned char block[4096];
    int64_t n, column = 0;
    while ((n = read_row(d, fd, block, sizeof block)) > 0) {
        for (int64_t i = 0; i < n; i++) {
            put_byte(d, block[i]);
            if (++column == d->columns) {
                g_outc('\n');
                column = 0;
            }
        }
    }
    if (column > 0) g_outc('\n');
}

static void put_name(const dumper *d, const char *name) {
    if (isdigit((unsigned char)*name)) g_outs("__");
    for (const char *s = name; *s; s++) {
        char c = isalnum((unsigned char)*s) ? *s : '_';
        g_outc(d->capitals ? (char)toupper((unsigned char)c) : c);
    }
}

static void dump_include(dumper *d, int fd) {
    const char *name = d->name ? d->name : d->input;
    unsigned char block[4096];
    int64_t n, total = 0;
    if (name) {
        g_outs("unsigned char ");
        put_name(d, name);
        g_outs("[] = {\n");
    }
    while ((n = read_row(d, fd, block, sizeof block)) > 0) {
        for (int64_t i = 0; i < n; i++, total++) {
            if (total == 0)
                g_outs("  ");
            else
                g_outs(total % d->columns == 0 ? ",\n  " : ", ");
            g_outs(d->upper ? "0X" : "0x");
            put_byte(d, block[i]);
        }
    }
    if (total > 0) g_outc('\n');
    if (!name) return;
    g_outs("};\nunsigned int ");
    put_name(d, name);
    g_outs(d->capitals ? "_LEN" : "_len");
    g_outf(" = %" PRId64 ";\n", total);
}

static void revert_plain(const char *s, size_t len) {
    int high = -1;
    for (size_t i = 0; i < len; i++) {
        int value = pf_hex(s[i]);
        if (value < 0) {
            if (s[i] != '\n' && s[i] != '\r') high = -1;
            continue;
        }
        if (high < 0) {
            high = value;
            continue;
        }
        g_outc((char)(high << 4 | value));
        high = -1;
    }
}

/* "ADDRESS: hex hex  text": the bytes go to the address; gaps become zeros. */
static void revert_line(const dumper *d, const g_line *line, int64_t *at) {
    size_t i = 0;
    int64_t address = 0;
    while (i < line->len && line->s[i] == ' ') i++;
    size_t first = i;
    for (int value; i < line->len && (value = pf_hex(line->s[i])) >= 0; i++)
        address = address << 4 | value;
    if (i == first) return;
    if (i < line->len && line->s[i] == ':') i++;
    address += d->seek;
    if (address < *at && lseek(STDOUT_FILENO, 0, SEEK_CUR) < 0)
        g_die(5, "Sorry, cannot seek backwards.");
    if (address != *at) {
        g_out_flush();
        if (lseek(STDOUT_FILENO, address, SEEK_SET) < 0) g_out_fill('\0', (size_t)(address - *at));
        *at = address;
    }
    int64_t count = 0;
    for (unsigned blanks = 0; i < line->len && count < d->columns;) {
        int high = pf_hex(line->s[i]);
        int low = i + 1 < line->len ? pf_hex(line->s[i + 1]) : -1;
        if (high >= 0 && low >= 0) {
            g_outc((char)(high << 4 | low));
            ++*at;
            count++;
            i += 2;
            blanks = 0;
        } else if (line->s[i] == ' ' && (blanks == 0 || count == 0)) {
            blanks++;
            i++;
        } else {
            return;
        }
    }
}

static void revert(const dumper *d, int fd) {
    if (d->style == PLAIN) {
        size_t len;
        char *all = g_read_all(fd, &len);
        if (!all) g_die_errno(2, errno, "read");
        revert_plain(all, len);
        free(all);
        return;
    }
    g_reader in;
    g_line line;
    int64_t at = 0;
    g_reader_init(&in, fd, '\n');
    while (g_read_line(&in, &line)) revert_line(d, &line, &at);
    g_reader_free(&in);
}

static _Noreturn void usage(void) {
    g_out_flush();
    g_stdout.fd = STDERR_FILENO;
    g_outs(g_help());
    g_exit(1);
}

static int64_t number(const char *text) {
    return text ? (int64_t)strtoll(text, NULL, 0) : (usage(), 0);
}

/* The value behind an option: attached, or the next argument. `word` is the option in full. */
static const char *value_of(char **argv, int argc, int *i, const char *word) {
    const char *attached = argv[*i] + (argv[*i][1] == '-' ? 3 : 2);
    if (*attached && strncmp(attached, word, strlen(word)) != 0) return attached;
    if (*i + 1 >= argc) usage();
    return argv[++*i];
}

static void set_seek(dumper *d, const char *text) {
    if (*text == '+') {
        d->seek_relative = true;
        text++;
    }
    if (*text == '-') {
        d->seek_from_end = true;
        text++;
    }
    d->seek = number(text);
}

/* As xxd does: the first letter decides, the rest of a word does not matter. False: no option. */
static bool read_option(dumper *d, char **argv, int argc, int *i) {
    const char *text = argv[*i];
    if (text[0] != '-' || !text[1]) return false;
    if (text[1] == '-' && text[2]) text++;
    switch (text[1]) {
    case 'a': d->skip_zeros = true; break;
    case 'b': d->style = BITS; break;
    case 'C': d->capitals = true; break;
    case 'c':
        if (strncmp(text + 2, "ap", 2) == 0) {
            d->capitals = true;
            break;
        }
        d->columns = number(value_of(argv, argc, i, "ol"));
        d->has_columns = true;
        break;
    case 'd': d->decimal = true; break;
    case 'E': g_die(1, "-E (EBCDIC) is not supported");
    case 'e': d->style = LITTLE; break;
    case 'g': d->group = number(value_of(argv, argc, i, "roup")); break;
    case 'i': d->style = INCLUDE; break;
    case 'l':
        d->limit = number(value_of(argv, argc, i, "en"));
        d->has_limit = true;
        break;
    case 'n': d->name = value_of(argv, argc, i, "ame"); break;
    case 'o': d->offset = number(value_of(argv, argc, i, "ff")); break;
    case 'p': d->style = PLAIN; break;
    case 'r': d->reverse = true; break;
    case 's': set_seek(d, value_of(argv, argc, i, "eek")); break;
    case 'u': d->upper = true; break;
    case 'v': g_print_version(); g_exit(0);
    case '-': (*i)++; return false;
    default: usage();
    }
    return true;
}

static void choose_layout(dumper *d) {
    static const int columns[] = {16, 6, 30, 12, 16}, groups[] = {2, 1, 0, 0, 4};
    if (!d->has_columns || (d->columns == 0 && d->style != PLAIN)) d->columns = columns[d->style];
    if (d->style != PLAIN && (d->columns < 1 || d->columns > 256))
        g_die(1, "invalid number of columns (max. 256).");
    if (d->group < 0 || d->group > d->columns)
        d->group = d->group < 0 ? groups[d->style] : d->columns;
    if (d->style == LITTLE) {
        if (d->group < 1 || d->group & (d->group - 1))
            g_die(1, "number of octets per group must be a power of 2 with -e.");
        d->columns = (d->columns + d->group - 1) / d->group * d->group;
    }
}

static void seek_input(dumper *d, int fd) {
    if (d->seek == 0 && !d->seek_from_end) return;
    off_t at = d->seek_from_end ? lseek(fd, -d->seek, SEEK_END)
                                : lseek(fd, d->seek, d->seek_relative ? SEEK_CUR : SEEK_SET);
    if (at >= 0) {
        d->seek = at;
        return;
    }
    if (d->seek_from_end) g_die(4, "Sorry, cannot seek.");
    unsigned char waste[4096];
    for (int64_t left = d->seek; left > 0;) {
        ssize_t n = g_read(fd, waste, left < (int64_t)sizeof waste ? (size_t)left : sizeof waste);
        if (n <= 0) g_die(4, "Sorry, cannot seek.");
        left -= n;
    }
}

int xxd_main(int argc, char **argv) {
    dumper d = {.group = -1};
    int i = 1;
    g_set_write_error(3, "%s");
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        g_outs(g_help());
        return 0;
    }
    while (i < argc && read_option(&d, argv, argc, &i)) i++;
    if (argc - i > 2) usage();
    choose_layout(&d);
    int fd = STDIN_FILENO;
    if (i < argc && strcmp(argv[i], "-") != 0) {
        d.input = argv[i];
        fd = open(argv[i], O_RDONLY | O_CLOEXEC);
        if (fd < 0) g_die_errno(2, errno, "%s", argv[i]);
    }
    if (i + 1 < argc && strcmp(argv[i + 1], "-") != 0) {
        int out =
            open(argv[i + 1], O_WRONLY | O_CREAT | O_CLOEXEC | (d.reverse ? 0 : O_TRUNC), 0666);
        if (out < 0) g_die_errno(3, errno, "%s", argv[i + 1]);
        dup2(out, STDOUT_FILENO);
    }
    if (d.reverse) {
        revert(&d, fd);
        return 0;
    }
    seek_input(&d, fd);
    if (d.style == PLAIN)
        dump_plain(&d, fd);
    else if (d.style == INCLUDE)
        dump_include(&d, fd);
    else
        dump_lines(&d, fd);
    return 0;
}
