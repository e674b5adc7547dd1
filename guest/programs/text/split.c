/*
 * split.c: splits a file into pieces.
 *
 * help split:
 *   Usage: split [OPTION]... [FILE [PREFIX]]
 *   Output pieces of FILE to PREFIXaa, PREFIXab, ...; default size is 1000 lines, and default
 *   PREFIX is 'x'.
 *
 *     -a, --suffix-length=N   generate suffixes of length N (default 2)
 *         --additional-suffix=SUFFIX  append an additional SUFFIX to file names
 *     -b, --bytes=SIZE        put SIZE bytes per output file
 *     -C, --line-bytes=SIZE   put at most SIZE bytes of records per output file
 *     -d                      use numeric suffixes starting at 0, not alphabetic
 *         --numeric-suffixes[=FROM]  same as -d, but allow setting the start value
 *     -x                      use hex suffixes starting at 0, not alphabetic
 *         --hex-suffixes[=FROM]      same as -x, but allow setting the start value
 *     -e, --elide-empty-files  do not generate empty output files with '-n'
 *         --filter=COMMAND    write to shell COMMAND; file name is $FILE
 *     -l, --lines=NUMBER      put NUMBER lines/records per output file
 *     -n, --number=CHUNKS     generate CHUNKS output files: N by size, K/N the Kth of N to standard
 *                               output, l/N and l/K/N without splitting lines, r/N and r/K/N round
 *                               robin
 *     -t, --separator=SEP     use SEP instead of newline as the record separator; '\0' is NUL
 *     -u, --unbuffered        immediately copy input to output with '-n r/...'
 *         --verbose           print a diagnostic just before each output file is opened
 *         --help              display this help and exit
 *         --version           output version information and exit
 */
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_signal.h"
#include "g_spawn.h"
#include "g_text.h"
#include "pf.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum way { BY_LINES, BY_BYTES, BY_LINE_BYTES, CHUNK_BYTES, CHUNK_LINES, CHUNK_ROUND };

typedef struct {
    enum way way;
    bool chosen;
    uint64_t size; /* lines or bytes of a piece */
    uint64_t n, k; /* chunks; the one that goes to standard output, 0: all to files */
    const char *prefix, *more, *filter, *input;
    const char *alphabet;
    size_t suffix_len; /* 0: two, growing */
    uint64_t first;    /* number of the first file */
    char end;
    bool has_end, elide, verbose;
    uint64_t made; /* files so far */
    struct stat source; /* the input, which no piece may be */
} splitter;

/*
 * The name of file `index`. Names that grow keep their order: after yz comes zaaa, the last letter
 * as first one says that two more follow.
 */
static char *file_name(const splitter *s, uint64_t index) {
    size_t base = strlen(s->alphabet), len = s->suffix_len ? s->suffix_len : 2, lead = 0;
    uint64_t room = 1;
    for (size_t i = 0; i < len && room < UINT64_MAX / base; i++) room *= base;
    if (!s->suffix_len && s->first == 0) {
        uint64_t usable = room / base * (base - 1);
        while (index >= usable) {
            index -= usable;
            lead++;
            len++;
            room *= base;
            usable = room / base / base * (base - 1) * base;
        }
    } else if (index >= room) {
        g_die(1, "output file suffixes exhausted");
    }
    char suffix[80];
    if (lead + len > sizeof suffix) g_die(1, "output file suffixes exhausted");
    for (size_t i = 0; i < lead; i++) suffix[i] = s->alphabet[base - 1];
    for (size_t i = len; i-- > 0; index /= base) suffix[lead + i] = s->alphabet[index % base];
    g_text name = {0};
    g_text_adds(&name, s->prefix);
    g_text_add(&name, suffix, lead + len);
    g_text_adds(&name, s->more);
    return name.s;
}

/* A piece that is being written: a file, or a command's input. */
typedef struct {
    g_sink sink;
    char *name;
    pid_t child;
} piece;

static void start_filter(const splitter *s, piece *p) {
    int ends[2];
    if (pipe(ends) < 0) g_die_errno(1, errno, "cannot create pipe");
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    setenv("FILE", p->name, 1);
    int kept = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    char *argv[] = {"sh", "-c", (char *)(uintptr_t)s->filter, NULL};
    /* A command that does not read all of its part ends neither this one nor the next command. */
    static void (*usual)(int);
    if (s->made == 1) usual = signal(SIGPIPE, SIG_IGN);
    signal(SIGPIPE, usual);
    p->child = g_spawn(argv, NULL, G_STDIN_SAME);
    signal(SIGPIPE, SIG_IGN);
    if (p->child < 0) g_die_errno(1, errno, "failed to run command: \"sh -c %s\"", s->filter);
    if (kept >= 0) {
        dup2(kept, STDIN_FILENO);
        close(kept);
    }
    p->sink.fd = ends[1];
}

static piece *open_piece(splitter *s) {
    piece *p = g_zalloc(sizeof *p);
    p->name = file_name(s, s->first + s->made++);
    if (s->verbose && !s->filter) g_outf("creating file %s\n", g_quoteaf(p->name));
    if (s->verbose && s->filter) g_outf("executing with FILE=%s\n", g_quotef(p->name));
    if (s->filter) {
        start_filter(s, p);
        return p;
    }
    p->sink.fd = open(p->name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    struct stat st;
    if (p->sink.fd < 0 || fstat(p->sink.fd, &st) < 0)
        g_die_errno(1, errno, "%s", g_quotef(p->name));
    if (st.st_ino == s->source.st_ino && st.st_dev == s->source.st_dev)
        g_die(1, "%s would overwrite input; aborting", g_quoteaf(p->name));
    if (S_ISREG(st.st_mode) && ftruncate(p->sink.fd, 0) < 0)
        g_die_errno(1, errno, "%s: error truncating", g_quotef(p->name));
    return p;
}

static void close_piece(const splitter *s, piece *p) {
    if (!p) return;
    int error = g_sink_flush(&p->sink);
    if (error && !(s->filter && error == EPIPE)) g_die_errno(1, error, "%s", g_quotef(p->name));
    close(p->sink.fd);
    g_sink_free(&p->sink);
    if (p->child > 0) {
        int ended = g_wait(p->child), status = g_exit_status(ended);
        if (WIFSIGNALED(ended) && WTERMSIG(ended) == SIGPIPE) status = 0;
        if (WIFSIGNALED(ended) && status != 0)
            g_die(status, "with FILE=%s, signal %s from command: %s", p->name,
                  g_signal_name(WTERMSIG(ended)), s->filter);
        if (status != 0)
            g_die(status, "with FILE=%s, exit %d from command: %s", p->name, status, s->filter);
    }
    free(p->name);
    free(p);
}

static void split_bytes(splitter *s, int fd) {
    g_reader in;
    char *bytes;
    piece *p = NULL;
    uint64_t room = 0;
    g_reader_init(&in, fd, '\n');
    for (size_t n; (n = g_read_some(&in, &bytes)) > 0;) {
        while (n > 0) {
            if (room == 0) {
                close_piece(s, p);
                p = open_piece(s);
                room = s->size;
            }
            size_t part = n < room ? n : (size_t)room;
            g_sink_put(&p->sink, bytes, part);
            bytes += part;
            n -= part;
            room -= part;
        }
    }
    close_piece(s, p);
    if (in.error) g_die_errno(1, in.error, "%s", g_quotef(s->input));
}

static void split_lines(splitter *s, int fd) {
    g_reader in;
    g_line line;
    piece *p = NULL;
    uint64_t lines = 0, used = 0;
    g_reader_init(&in, fd, s->end);
    while (g_read_line(&in, &line)) {
        size_t len = line.len + line.terminated;
        const char *text = line.s;
        bool full = s->way == BY_LINES ? lines == s->size : used + len > s->size;
        if (p && full && used > 0) {
            close_piece(s, p);
            p = NULL;
        }
        /* A line that is too long for any piece (-C) is cut. */
        while (s->way == BY_LINE_BYTES && len > s->size) {
            piece *cut = open_piece(s);
            g_sink_put(&cut->sink, text, (size_t)s->size);
            close_piece(s, cut);
            text += s->size;
            len -= (size_t)s->size;
        }
        if (len == 0) continue;
        if (!p) {
            p = open_piece(s);
            lines = used = 0;
        }
        g_sink_put(&p->sink, text, len - (len > 0 && line.terminated));
        if (line.terminated) g_sink_put(&p->sink, &s->end, 1);
        used += len;
        lines++;
    }
    close_piece(s, p);
    if (in.error) g_die_errno(1, in.error, "%s", g_quotef(s->input));
}

/* Chunk `number` (from 1): to its file, or to standard output when it is the one asked for. */
static void put_chunk(splitter *s, uint64_t number, const char *bytes, size_t len) {
    if (s->k) {
        if (number == s->k) g_out(bytes, len);
        return;
    }
    if (len == 0 && s->elide) return;
    piece *p = open_piece(s);
    g_sink_put(&p->sink, bytes, len);
    close_piece(s, p);
}

static void chunk_bytes(splitter *s, const char *all, size_t len) {
    size_t size = len / s->n ? len / s->n : 1, at = 0;
    for (uint64_t i = 1; i <= s->n; i++) {
        size_t part = i == s->n || size > len - at ? len - at : size;
        put_chunk(s, i, all + at, part);
        at += part;
    }
}

/* A chunk goes on to the end of the line that reaches its boundary. */
static void chunk_lines(splitter *s, const char *all, size_t len) {
    size_t size = len / s->n ? len / s->n : 1, at = 0;
    for (uint64_t i = 1; i <= s->n; i++) {
        size_t boundary = i == s->n || i * size > len ? len : (size_t)i * size, end = at;
        if (at < boundary) {
            const char *stop = memchr(all + boundary - 1, s->end, len - boundary + 1);
            end = stop ? (size_t)(stop + 1 - all) : len;
        }
        put_chunk(s, i, all + at, end - at);
        at = end;
    }
}

static void chunk_round(splitter *s, const char *all, size_t len) {
    g_text *chunks = s->k ? NULL : g_zalloc((size_t)s->n * sizeof *chunks);
    uint64_t turn = 0;
    for (size_t at = 0; at < len;) {
        const char *stop = memchr(all + at, s->end, len - at);
        size_t end = stop ? (size_t)(stop + 1 - all) : len;
        if (s->k) {
            if (turn + 1 == s->k) g_out(all + at, end - at);
        } else {
            g_text_add(&chunks[turn], all + at, end - at);
        }
        turn = (turn + 1) % s->n;
        at = end;
    }
    for (uint64_t i = 0; !s->k && i < s->n; i++)
        put_chunk(s, i + 1, chunks[i].s ? chunks[i].s : "", chunks[i].len);
    free(chunks);
}

static uint64_t size_value(const char *text, const char *problem) {
    uint64_t value;
    enum g_number_result result = g_parse_unsigned(text, G_SIZES, &value, NULL);
    if (result == G_NUMBER_OVERFLOW)
        g_die_errno(1, EOVERFLOW, "%s: %s", problem, g_quote(text));
    if (result != G_NUMBER_OK) g_die(1, "%s: %s", problem, g_quote(text));
    if (value == 0) g_die_errno(1, ERANGE, "%s: %s", problem, g_quote(text));
    return value;
}

static uint64_t line_count(const char *text) {
    uint64_t value;
    enum g_number_result result = g_parse_unsigned(text, "", &value, NULL);
    if (result == G_NUMBER_OK && value == 0)
        g_die_errno(1, ERANGE, "invalid number of lines: %s", g_quote(text));
    if (result == G_NUMBER_OVERFLOW)
        g_die_errno(1, EOVERFLOW, "invalid number of lines: %s", g_quote(text));
    if (result != G_NUMBER_OK)
        g_die(1, "invalid number of lines: %s", g_quote(text));
    return value;
}

static void set_way(splitter *s, enum way way) {
    if (s->chosen) g_usage("cannot split in more than one way");
    s->chosen = true;
    s->way = way;
}

/* N, K/N, l/N, l/K/N, r/N, r/K/N */
static void read_chunks(splitter *s, const char *text) {
    const char *rest = text;
    set_way(s, CHUNK_BYTES);
    if ((*rest == 'l' || *rest == 'r') && rest[1] == '/') {
        s->way = *rest == 'l' ? CHUNK_LINES : CHUNK_ROUND;
        rest += 2;
    }
    const char *slash = strchr(rest, '/');
    s->n = size_value(slash ? slash + 1 : rest, "invalid number of chunks");
    if (!slash) return;
    char *k = g_copy_bytes(rest, (size_t)(slash - rest));
    if (!isdigit((unsigned char)*k)) g_die(1, "invalid chunk number: %s", g_quote(k));
    s->k = size_value(k, "invalid chunk number");
    if (s->k > s->n) g_die_errno(1, ERANGE, "invalid chunk number: %s", g_quote(k));
    free(k);
}

static void set_separator(splitter *s, const char *text) {
    if (!*text) g_die(1, "empty record separator");
    char end = *text;
    if (text[1]) {
        if (strcmp(text, "\\0") != 0) g_die(1, "multi-character separator %s", g_quote(text));
        end = '\0';
    }
    if (s->has_end && s->end != end) g_die(1, "multiple separator characters specified");
    s->end = end;
    s->has_end = true;
}

static void set_numbers(splitter *s, const char *alphabet, const char *from) {
    s->alphabet = alphabet;
    if (!from) return;
    char *end;
    errno = 0;
    s->first = strtoull(from, &end, strlen(alphabet) == 16 ? 16 : 10);
    if (strspn(from, alphabet) != strlen(from) || !*from || errno)
        g_usage("%s: invalid start value for %s suffix", g_quote(from),
                strlen(alphabet) == 16 ? "hexadecimal" : "numerical");
}

/* With -n the length of the suffixes is what that many files need. */
static void fit_suffixes(splitter *s) {
    if (s->way < CHUNK_BYTES && s->first == 0) return;
    size_t base = strlen(s->alphabet), need = 1;
    uint64_t last = s->way < CHUNK_BYTES ? s->first
                    : s->first < s->n    ? s->first + s->n - 1
                                         : s->n - 1; /* as GNU: a later start is not counted */
    for (uint64_t v = last; v >= base; v /= base) need++;
    if (s->way >= CHUNK_BYTES && s->suffix_len && s->suffix_len < need)
        g_die(1, "the suffix length needs to be at least %zu", need);
    if (!s->suffix_len) s->suffix_len = need > 2 ? need : 2;
}

enum { ADDITIONAL = 256, FILTER, VERBOSE, NUMERIC, HEX };
static const g_long longs[] = {{"bytes", 'b', G_REQUIRED},
                               {"lines", 'l', G_REQUIRED},
                               {"line-bytes", 'C', G_REQUIRED},
                               {"number", 'n', G_REQUIRED},
                               {"elide-empty-files", 'e', G_NONE},
                               {"unbuffered", 'u', G_NONE},
                               {"suffix-length", 'a', G_REQUIRED},
                               {"additional-suffix", ADDITIONAL, G_REQUIRED},
                               {"numeric-suffixes", NUMERIC, G_OPTIONAL},
                               {"hex-suffixes", HEX, G_OPTIONAL},
                               {"filter", FILTER, G_REQUIRED},
                               {"verbose", VERBOSE, G_NONE},
                               {"separator", 't', G_REQUIRED},
                               {0}};

static void read_options(splitter *s, g_options *o) {
    static const char decimal[] = "0123456789", hex[] = "0123456789abcdef";
    g_text old = {0}; /* -NUM, digit by digit */
    for (int option; (option = g_option(o)) >= 0;) {
        switch (option) {
        case 'a': {
            uint64_t value;
            if (g_parse_unsigned(o->arg, "", &value, NULL) != G_NUMBER_OK || value > 64)
                g_die(1, "invalid suffix length: %s", g_quote(o->arg));
            s->suffix_len = (size_t)value;
            break;
        }
        case ADDITIONAL:
            if (strchr(o->arg, '/'))
                g_usage("invalid suffix %s, contains directory separator", g_quote(o->arg));
            s->more = o->arg;
            break;
        case 'b':
            set_way(s, BY_BYTES);
            s->size = size_value(o->arg, "invalid number of bytes");
            break;
        case 'C':
            set_way(s, BY_LINE_BYTES);
            s->size = size_value(o->arg, "invalid number of bytes");
            break;
        case 'l':
            set_way(s, BY_LINES);
            s->size = line_count(o->arg);
            break;
        case 'n': read_chunks(s, o->arg); break;
        case 'd':
        case NUMERIC: set_numbers(s, decimal, option == 'd' ? NULL : o->arg); break;
        case 'x':
        case HEX: set_numbers(s, hex, option == 'x' ? NULL : o->arg); break;
        case 'e': s->elide = true; break;
        case 'u': break; /* nothing is kept back longer than it must */
        case FILTER: s->filter = o->arg; break;
        case VERBOSE: s->verbose = true; break;
        case 't': set_separator(s, o->arg); break;
        default:
            if (s->chosen && !old.len) g_usage("cannot split in more than one way");
            g_text_addc(&old, (char)option);
            s->chosen = true;
            s->size = size_value(old.s, "invalid number of lines");
        }
    }
}

int split_main(int argc, char **argv) {
    splitter s = {.size = 1000,
                  .prefix = "x",
                  .more = "",
                  .input = "-",
                  .end = '\n',
                  .alphabet = "abcdefghijklmnopqrstuvwxyz"};
    g_options o = g_options_of(argc, argv, "0123456789C:a:b:del:n:t:ux", longs);
    read_options(&s, &o);
    if (s.k) g_set_write_error(1, "-: %s");
    if (s.k && s.filter) g_usage("--filter does not process a chunk extracted to stdout");
    if (o.at < argc) s.input = argv[o.at++];
    if (o.at < argc) s.prefix = argv[o.at++];
    if (o.at < argc) g_extra_operand(argv[o.at]);
    fit_suffixes(&s);
    int fd = strcmp(s.input, "-") == 0 ? STDIN_FILENO : open(s.input, O_RDONLY | O_CLOEXEC);
    if (fd < 0) g_die_errno(1, errno, "cannot open %s for reading", g_quoteaf(s.input));
    if (fstat(fd, &s.source) < 0) g_die_errno(1, errno, "%s", g_quotef(s.input));
    if (s.way == BY_BYTES) {
        split_bytes(&s, fd);
    } else if (s.way < CHUNK_BYTES) {
        split_lines(&s, fd);
    } else {
        size_t len;
        char *all = g_read_all(fd, &len);
        if (!all) g_die_errno(1, errno, "%s", g_quotef(s.input));
        if (s.way == CHUNK_BYTES)
            chunk_bytes(&s, all, len);
        else if (s.way == CHUNK_LINES)
            chunk_lines(&s, all, len);
        else
            chunk_round(&s, all, len);
    }
    return 0;
}
