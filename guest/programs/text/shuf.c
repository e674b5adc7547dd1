/*
 * shuf.c: random permutations. With --random-source the choices are those of GNU's shuf.
 *
 * help shuf:
 *   Usage: shuf [OPTION]... [FILE]
 *     or:  shuf -e [OPTION]... [ARG]...
 *     or:  shuf -i LO-HI [OPTION]...
 *   Write a random permutation of the input lines to standard output.
 *
 *     -e, --echo                treat each ARG as an input line
 *     -i, --input-range=LO-HI   treat each number LO through HI as an input line
 *     -n, --head-count=COUNT    output at most COUNT lines
 *     -o, --output=FILE         write result to FILE instead of standard output
 *         --random-source=FILE  get random bytes from FILE
 *     -r, --repeat              output lines can be repeated
 *     -z, --zero-terminated     line delimiter is NUL, not newline
 *         --help                display this help and exit
 *         --version             output version information and exit
 */
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "pf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* So many times more to choose from than is wanted: see permute_few(). */
enum { MANY = 32 };

/* Random numbers from bytes; `left` is what the last number did not use, below or at `left_max`. */
typedef struct {
    const char *name; /* of --random-source */
    int fd;
    g_reader in;
    unsigned char pool[256];
    size_t used;
    uint64_t left, left_max;
} chooser;

static unsigned char random_byte(chooser *c) {
    if (c->used == sizeof c->pool) {
        if (!c->name) {
            if (getentropy(c->pool, sizeof c->pool) < 0)
                g_die_errno(1, errno, "getting random bytes");
        } else {
            size_t have = 0;
            while (have < sizeof c->pool) {
                ssize_t n = g_read(c->fd, c->pool + have, sizeof c->pool - have);
                if (n < 0) g_die_errno(1, errno, "%s: read error", g_quotef(c->name));
                if (n == 0) break;
                have += (size_t)n;
            }
            if (have == 0) g_die(1, "%s: end of file", g_quote(c->name));
            /* The bytes stand at the end of the pool. */
            memmove(c->pool + sizeof c->pool - have, c->pool, have);
            c->used = sizeof c->pool - have;
            return c->pool[c->used++];
        }
        c->used = 0;
    }
    return c->pool[c->used++];
}

/* A number from 0 to `most`, every one as likely. */
static uint64_t choose(chooser *c, uint64_t most) {
    uint64_t number = c->left, max = c->left_max, choices = most + 1;
    for (;;) {
        while (max < most) {
            number = number << 8 | random_byte(c);
            max = max << 8 | 0xff;
        }
        if (max == most) {
            c->left = c->left_max = 0;
            return number;
        }
        uint64_t excess = max - most, unusable = excess % choices, last = max - unusable;
        uint64_t result = number % choices;
        if (number <= last) {
            c->left = number / choices;
            c->left_max = excess / choices;
            return result;
        }
        number = result;
        max = unusable - 1;
    }
}

typedef struct {
    const char **lines; /* NULL: numbers from `low` */
    size_t *lens;
    uint64_t count, low;
    char end;
} input;

static void put(const input *in, uint64_t index) {
    if (in->lines)
        g_out(in->lines[index], in->lens[index]);
    else
        g_out_decimal(in->low + index);
    g_outc(in->end);
}

static void read_lines(input *in, const char *name) {
    int fd = g_open_input(name);
    if (fd < 0) g_exit(1);
    size_t len, cap = 0;
    char *all = g_read_all(fd, &len);
    if (!all) g_die_errno(1, errno, "read error");
    g_close_input(fd);
    for (char *s = all, *end = all + len; s < end;) {
        char *stop = memchr(s, in->end, (size_t)(end - s));
        if (!stop) stop = end;
        if (in->count == cap) {
            in->lines = g_more(in->lines, &cap, sizeof *in->lines);
            in->lens = g_resize(in->lens, cap, sizeof *in->lens);
        }
        in->lines[in->count] = s;
        in->lens[in->count++] = (size_t)(stop - s);
        s = stop + 1;
    }
    static const char *nothing[1];
    if (!in->lines) in->lines = nothing;
}

static void take_arguments(input *in, char **argv, int count) {
    in->lines = g_resize(NULL, (size_t)count + 1, sizeof *in->lines);
    in->lens = g_resize(NULL, (size_t)count + 1, sizeof *in->lens);
    for (int i = 0; i < count; i++) {
        in->lines[i] = argv[i];
        in->lens[i] = strlen(argv[i]);
    }
    in->count = (uint64_t)count;
}

/* What stands at a place of the permutation, in a table for those that are not themselves. */
typedef struct {
    uint64_t place, value;
    bool used;
} moved;

static moved *find_moved(moved *table, size_t mask, uint64_t place) {
    size_t at = (size_t)((place * 0x9e3779b97f4a7c15u) >> 32) & mask;
    while (table[at].used && table[at].place != place) at = (at + 1) & mask;
    return &table[at];
}

/* A few of many: memory for what is wanted only. */
static void permute_few(const input *in, chooser *c, uint64_t wanted) {
    size_t size = 64;
    while (size < 2 * wanted) size *= 2;
    moved *table = g_zalloc(size * sizeof *table);
    uint64_t *order = g_resize(NULL, (size_t)wanted, sizeof *order);
    for (uint64_t i = 0; i < wanted; i++) {
        if (i % 4096 == 0) pf_yield();
        uint64_t j = i + choose(c, in->count - i - 1);
        /* i is never looked at again; only j gets what stood there. */
        const moved *here = find_moved(table, size - 1, i);
        uint64_t kept = here->used ? here->value : i;
        moved *there = find_moved(table, size - 1, j);
        order[i] = there->used ? there->value : j;
        *there = (moved){j, kept, true};
    }
    for (uint64_t i = 0; i < wanted; i++) put(in, order[i]);
    free(order);
    free(table);
}

/* The first `wanted` of a permutation. */
static void permute(const input *in, chooser *c, uint64_t wanted) {
    if (wanted < SIZE_MAX / sizeof(moved) / 4 && in->count / MANY > wanted) {
        permute_few(in, c, wanted);
        return;
    }
    if (in->count > SIZE_MAX / sizeof(uint64_t) / 2) g_die(1, "memory exhausted");
    uint64_t *order = g_resize(NULL, (size_t)in->count, sizeof *order);
    for (uint64_t i = 0; i < in->count; i++) order[i] = i;
    for (uint64_t i = 0; i < wanted; i++) {
        if (i % 4096 == 0) pf_yield();
        uint64_t j = i + choose(c, in->count - i - 1), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    for (uint64_t i = 0; i < wanted; i++) put(in, order[i]);
    free(order);
}

static void read_range(input *in, const char *text) {
    uint64_t low, high;
    const char *rest;
    if (g_parse_unsigned(text, "", &low, &rest) == G_NUMBER_BAD || *rest != '-')
        g_die(1, "invalid input range: %s", g_quote(text));
    enum g_number_result result = g_parse_unsigned(rest + 1, "", &high, NULL);
    if (result != G_NUMBER_OK && result != G_NUMBER_OVERFLOW)
        g_die(1, "invalid input range: %s", g_quote(rest + 1));
    if (result != G_NUMBER_OK || (low > high && low - high != 1) ||
        (low == 0 && high == UINT64_MAX))
        g_die_errno(1, result == G_NUMBER_OVERFLOW ? EOVERFLOW : 0, "invalid input range: %s",
                    g_quote(text));
    in->low = low;
    in->count = high - low + 1;
}

enum { SOURCE = 256 };
static const g_long longs[] = {{"echo", 'e', G_NONE},
                               {"input-range", 'i', G_REQUIRED},
                               {"head-count", 'n', G_REQUIRED},
                               {"output", 'o', G_REQUIRED},
                               {"random-source", SOURCE, G_REQUIRED},
                               {"repeat", 'r', G_NONE},
                               {"zero-terminated", 'z', G_NONE},
                               {0}};

int shuf_main(int argc, char **argv) {
    input in = {.end = '\n'};
    chooser c = {.fd = -1, .used = sizeof c.pool};
    bool echo = false, range = false, repeat = false, has_count = false;
    uint64_t wanted = UINT64_MAX;
    const char *output = NULL;
    g_options o = g_options_of(argc, argv, "ei:n:o:rz", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        switch (option) {
        case 'e': echo = true; break;
        case 'i':
            if (range) g_die(1, "multiple -i options specified");
            range = true;
            read_range(&in, o.arg);
            break;
        case 'n': {
            uint64_t value;
            enum g_number_result result = g_parse_unsigned(o.arg, "", &value, NULL);
            if (result != G_NUMBER_OK && result != G_NUMBER_OVERFLOW)
                g_die(1, "invalid line count: %s", g_quote(o.arg));
            if (value < wanted) wanted = value;
            has_count = true;
            break;
        }
        case 'o':
            if (output && strcmp(output, o.arg) != 0) g_die(1, "multiple output files specified");
            output = o.arg;
            break;
        case 'r': repeat = true; break;
        case 'z': in.end = '\0'; break;
        case SOURCE:
            if (c.name && strcmp(c.name, o.arg) != 0) g_die(1, "multiple random sources specified");
            c.name = o.arg;
            break;
        }
    }
    if (echo && range) g_usage("cannot combine -e and -i options");
    if (!echo && argc - o.at > (range ? 0 : 1)) g_extra_operand(argv[o.at + !range]);
    if (c.name && (c.fd = open(c.name, O_RDONLY | O_CLOEXEC)) < 0)
        g_die_errno(1, errno, "%s", g_quotef(c.name));
    if (echo)
        take_arguments(&in, argv + o.at, argc - o.at);
    else if (!range && (wanted > 0 || repeat))
        read_lines(&in, o.at < argc ? argv[o.at] : "-");
    if (output) {
        int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (fd < 0) g_die_errno(1, errno, "%s", g_quotef(output));
        dup2(fd, STDOUT_FILENO);
    }
    if (repeat) {
        if (in.count == 0 && wanted > 0) g_die(1, "no lines to repeat");
        for (uint64_t i = 0; !has_count || i < wanted; i++) {
            if (i % 4096 == 0) pf_yield();
            put(&in, choose(&c, in.count - 1));
        }
        return 0;
    }
    permute(&in, &c, wanted < in.count ? wanted : in.count);
    return 0;
}
