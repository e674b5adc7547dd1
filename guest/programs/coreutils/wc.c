/*
 * wc.c: counts lines, words, characters and bytes.
 *
 * Lines alone are counted by words of memory; lines and words in one pass over the bytes; only
 * characters beyond ASCII, and widths, are looked at one by one.
 *
 * help wc:
 *   Usage: wc [OPTION]... [FILE]...
 *     or:  wc [OPTION]... --files0-from=F
 *   Print newline, word, and byte counts for each FILE, and a total line if more than one FILE is
 *   specified. A word is a non-zero-length sequence of printable characters delimited by white
 *   space. With no FILE, or when FILE is -, read standard input.
 *
 *     -c, --bytes            print the byte counts
 *     -m, --chars            print the character counts
 *     -l, --lines            print the newline counts
 *         --files0-from=F    read input from the files specified by NUL-terminated names in file F
 *     -L, --max-line-length  print the maximum display width
 *     -w, --words            print the word counts
 *         --help             display this help and exit
 *         --version          output version information and exit
 */
#include "g_file.h"
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "lib/utf8/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK (64u << 10)

typedef struct {
    uint64_t lines, words, chars, bytes, width;
} counts;

typedef struct {
    bool lines, words, chars, bytes, width;
    int columns; /* of each number */
} what;

#define ONES  0x0101010101010101ull
#define HIGHS 0x8080808080808080ull

/* Short lines: counting bytes is faster than searching each. Eight are compared at once; each byte of
 * `sums` counts for one place, so they are added up before one can overflow. */
static uint64_t count_lines(const char *s, size_t len) {
    uint64_t lines = 0, sums, w;
    const char *end = s + len;
    while (end - s >= 8) {
        size_t words = (size_t)(end - s) / 8;
        sums = 0;
        for (size_t i = words < 255 ? words : 255; i > 0; i--, s += 8) {
            memcpy(&w, s, 8);
            w ^= ONES * '\n';
            sums += (~(((w & ~HIGHS) + ~HIGHS) | w) & HIGHS) >> 7;
        }
        uint64_t pairs = (sums & 0x00ff00ff00ff00ffull) + (sums >> 8 & 0x00ff00ff00ff00ffull);
        lines += pairs * 0x0001000100010001ull >> 48;
    }
    for (; s < end; s++) lines += *s == '\n';
    return lines;
}

/* 1: white space, 2: printable, 0: neither (in the C sense). */
static int kind_of(unsigned char c) {
    if (c == ' ' || (c >= '\t' && c <= '\r')) return 1;
    return c > ' ' && c < 0x7f ? 2 : 0;
}

/* Words of bytes, when no character above 127 can matter. */
static void count_words(counts *n, const char *s, size_t len, bool *in_word) {
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)s[i];
        int kind = kind_of(c);
        n->lines += c == '\n';
        if (kind == 1) {
            n->words += *in_word;
            *in_word = false;
        } else if (kind == 2) {
            *in_word = true;
        }
    }
}

typedef struct {
    bool in_word;
    uint64_t column;
    char cut[4]; /* a character cut off by the end of a block */
    size_t cut_len;
} state;

static void line_ends(counts *n, state *st) {
    if (st->column > n->width) n->width = st->column;
    st->column = 0;
}

static void count_ascii(counts *n, state *st, unsigned char c) {
    n->chars++;
    switch (c) {
    case '\n': n->lines++; /* fallthrough */
    case '\r': case '\f': line_ends(n, st); break;
    case '\t': st->column += 8 - st->column % 8; break;
    case ' ': st->column++; break;
    case '\v': break;
    default:
        if (c > ' ' && c < 0x7f) {
            st->column++;
            st->in_word = true;
        }
        return;
    }
    n->words += st->in_word;
    st->in_word = false;
}

static void count_wide(counts *n, state *st, uint32_t code) {
    n->chars++;
    if (!pf_uni_is(code, PF_UNI_PRINT)) return;
    int width = pf_uni_width(code);
    if (width > 0) st->column += (uint64_t)width;
    bool space = pf_uni_is(code, PF_UNI_SPACE) || code == 0xa0 || code == 0x2007 ||
                 code == 0x202f || code == 0x2060;
    if (!space) {
        st->in_word = true;
        return;
    }
    n->words += st->in_word;
    st->in_word = false;
}

/* How many bytes from the start on are ASCII, found by words: up to seven may be left out. */
static size_t ascii_words(const char *s, size_t len) {
    size_t at = 0;
    for (uint64_t w; len - at >= 8; at += 8) {
        memcpy(&w, s + at, 8);
        if (w & HIGHS) break;
    }
    return at;
}

/* Whole characters of s[0 .. len); returns how many bytes at the end are a cut one. */
static size_t count_text(counts *n, const what *w, state *st, const char *s, size_t len, bool utf8,
                         bool last) {
    for (size_t i = 0; i < len;) {
        unsigned char c = (unsigned char)s[i];
        size_t plain = w->width ? 0 : ascii_words(s + i, len - i);
        if (plain) {
            n->chars += plain;
            if (w->words) count_words(n, s + i, plain, &st->in_word);
            else if (w->lines) n->lines += count_lines(s + i, plain);
            i += plain;
            continue;
        }
        if (c < 0x80) {
            count_ascii(n, st, c);
            i++;
            continue;
        }
        if (!utf8) {
            n->chars++;
            i++;
            continue;
        }
        uint32_t code;
        int size = pf_utf8_decode(s + i, len - i, &code);
        if (size == 0) {
            if (!last && len - i < 4 && pf_utf8_is_cut(s + i, len - i)) return len - i;
            i++;
            continue;
        }
        count_wide(n, st, code);
        i += (size_t)size;
    }
    return 0;
}

static int count_fd(int fd, const what *w, counts *n, char *block) {
    memset(n, 0, sizeof *n);
    bool utf8 = g_utf8_locale();
    bool decode = w->width || ((w->words || w->chars) && utf8);
    struct stat file;
    if ((w->bytes || w->chars) && !w->lines && !w->words && !decode && fstat(fd, &file) == 0 &&
        S_ISREG(file.st_mode) && file.st_size > 0) {
        off_t at = lseek(fd, 0, SEEK_CUR);
        if (at >= 0 && file.st_size >= at) {
            n->bytes = n->chars = (uint64_t)(file.st_size - at);
            lseek(fd, 0, SEEK_END);
            return 0;
        }
    }
    state st = {0};
    size_t held = 0;
    for (;;) {
        ssize_t got = g_read(fd, block + held, BLOCK - held);
        if (got < 0) return errno;
        n->bytes += (uint64_t)got;
        size_t len = held + (size_t)got;
        held = 0;
        if (decode) {
            held = count_text(n, w, &st, block, len, utf8, got == 0);
            memmove(block, block + len - held, held);
        } else if (w->words) {
            count_words(n, block, len, &st.in_word);
        } else if (w->lines) {
            n->lines += count_lines(block, len);
        }
        if (got == 0) break;
    }
    if (!utf8) n->chars = n->bytes;
    n->words += st.in_word;
    line_ends(n, &st);
    return 0;
}

static void put_counts(const what *w, const counts *n, const char *name) {
    const uint64_t values[] = {n->lines, n->words, n->chars, n->bytes, n->width};
    const bool shown[] = {w->lines, w->words, w->chars, w->bytes, w->width};
    bool first = true;
    for (int i = 0; i < 5; i++) {
        if (!shown[i]) continue;
        g_outf("%s%*llu", first ? "" : " ", w->columns, (unsigned long long)values[i]);
        first = false;
    }
    if (name) {
        g_outc(' ');
        if (strchr(name, '\n')) g_outs(g_quotef(name));
        else g_outs(name);
    }
    g_outc('\n');
}

/* Wide enough for the sum of the sizes; 7 when a size cannot be known. As GNU. */
static int column_width(const what *w, char **names, int count) {
    int numbers = w->lines + w->words + w->chars + w->bytes + w->width;
    if (count <= 1 && numbers == 1) return 1;
    int minimum = 1;
    uint64_t total = 0;
    for (int i = 0; i < count; i++) {
        struct stat st;
        int failed = strcmp(names[i], "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(names[i], &st);
        if (failed < 0) continue;
        if (!S_ISREG(st.st_mode)) minimum = 7;
        else total += (uint64_t)st.st_size;
    }
    int width = 1;
    for (; total >= 10; total /= 10) width++;
    return width > minimum ? width : minimum;
}

static int count_file(const what *w, const char *name, bool shown, counts *total, char *block) {
    int fd = g_open_input(name);
    if (fd < 0) return 1;
    counts n;
    int error = count_fd(fd, w, &n, block);
    if (error) g_warn_errno(error, "%s", g_quotef(name));
    g_close_input(fd);
    put_counts(w, &n, shown ? name : NULL);
    total->lines += n.lines;
    total->words += n.words;
    total->chars += n.chars;
    total->bytes += n.bytes;
    if (n.width > total->width) total->width = n.width;
    return error != 0;
}

/* The NUL-terminated names that a file holds. */
static char **names_from(const char *list, int *count) {
    int fd = strcmp(list, "-") == 0 ? STDIN_FILENO : open(list, O_RDONLY | O_CLOEXEC);
    if (fd < 0) g_die_errno(1, errno, "cannot open %s for reading", g_quoteaf(list));
    size_t len, cap = 0;
    char *bytes = g_read_all(fd, &len), **names = NULL;
    if (!bytes) g_die_errno(1, errno, "%s: read error", g_quotef(list));
    *count = 0;
    for (size_t at = 0; at < len; at += strlen(bytes + at) + 1) {
        if ((size_t)*count == cap) names = g_more(names, &cap, sizeof *names);
        names[(*count)++] = bytes + at;
    }
    return names;
}

enum { FILES0 = 256 };
static const g_long longs[] = {{"bytes", 'c', G_NONE},
                               {"chars", 'm', G_NONE},
                               {"lines", 'l', G_NONE},
                               {"words", 'w', G_NONE},
                               {"files0-from", FILES0, G_REQUIRED},
                               {"max-line-length", 'L', G_NONE},
                               {0}};

int wc_main(int argc, char **argv) {
    what w = {0};
    const char *list = NULL;
    g_set_write_error(1, "write error");
    g_options o = g_options_of(argc, argv, "clLmw", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'c': w.bytes = true; break;
        case 'm': w.chars = true; break;
        case 'l': w.lines = true; break;
        case 'w': w.words = true; break;
        case 'L': w.width = true; break;
        case FILES0: list = o.arg; break;
        }
    if (!w.bytes && !w.chars && !w.lines && !w.words && !w.width)
        w.lines = w.words = w.bytes = true;
    static char *only_stdin[] = {"-"};
    int count = argc - o.at, status = 0;
    char **names = argv + o.at;
    bool shown = count > 0 || list;
    if (list) {
        if (count > 0) {
            g_warn("extra operand %s\nfile operands cannot be combined with --files0-from",
                   g_quoteaf(names[0]));
            g_usage(NULL);
        }
        names = names_from(list, &count);
    } else if (count == 0) {
        names = only_stdin;
        count = 1;
    }
    struct stat list_file;
    bool known = !list || (strcmp(list, "-") == 0 ? fstat(STDIN_FILENO, &list_file)
                                                  : stat(list, &list_file)) == 0;
    if (list) known = known && S_ISREG(list_file.st_mode);
    w.columns = known ? column_width(&w, names, count) : 1;
    char *block = g_alloc(BLOCK);
    counts total = {0};
    for (int i = 0; i < count; i++) {
        if (list && !*names[i]) {
            g_warn("%s:%d: invalid zero-length file name", list, i + 1);
            status = 1;
            continue;
        }
        if (!*names[i] || (list && strcmp(list, "-") == 0 && strcmp(names[i], "-") == 0)) {
            g_warn(*names[i] ? "when reading file names from stdin, no file name of '-' allowed"
                             : "invalid zero-length file name");
            status = 1;
            continue;
        }
        status |= count_file(&w, names[i], shown, &total, block);
    }
    if (count > 1) put_counts(&w, &total, "total");
    return status;
}
