/*
 * cut.c: selected parts of lines.
 *
 * As in GNU, -c counts bytes.
 *
 * help cut:
 *   Usage: cut OPTION... [FILE]...
 *   Print selected parts of lines from each FILE to standard output.
 *
 *     -b, --bytes=LIST        select only these bytes
 *     -c, --characters=LIST   select only these characters
 *     -d, --delimiter=DELIM   use DELIM instead of TAB for field delimiter
 *     -f, --fields=LIST       select only these fields; also print any line that contains no
 *                               delimiter character, unless the -s option is specified
 *     -n                      (ignored)
 *         --complement        complement the set of selected bytes, characters or fields
 *     -s, --only-delimited    do not print lines not containing delimiters
 *         --output-delimiter=STRING  use STRING as the output delimiter; the default is to use the
 *                               input delimiter
 *     -z, --zero-terminated   line delimiter is NUL, not newline
 *         --help              display this help and exit
 *         --version           output version information and exit
 *
 *   LIST is made up of ranges separated by commas: N, N-, N-M or -M, counted from 1.
 */
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    size_t low, high; /* inclusive, counted from 1 */
} range;

typedef struct {
    range *ranges; /* sorted, apart from each other; ended by low = SIZE_MAX */
    size_t count;
    char mode; /* b, c or f */
    char delimiter, end;
    bool only_delimited;
    const char *out; /* output delimiter */
    size_t out_len;
    bool out_given;
} cutter;

static int compare(const void *a, const void *b) {
    const range *x = a, *y = b;
    return x->low < y->low ? -1 : x->low > y->low;
}

static size_t read_position(const char **at, bool fields) {
    size_t value = 0;
    const char *start = *at;
    for (; isdigit((unsigned char)**at); (*at)++) {
        size_t digit = (size_t)(**at - '0');
        if (value > (SIZE_MAX - 1 - digit) / 10) {
            char *text = g_copy_bytes(start, strspn(start, "0123456789"));
            g_usage(fields ? "field number %s is too large" : "byte/character offset %s is too large",
                    g_quote(text));
        }
        value = value * 10 + digit;
    }
    return value;
}

static void read_ranges(cutter *c, const char *list) {
    bool fields = c->mode == 'f';
    size_t cap = 0;
    const char *at = list;
    for (;;) {
        bool low_given = isdigit((unsigned char)*at) != 0;
        size_t low = low_given ? read_position(&at, fields) : 1, high = low;
        bool dash = *at == '-';
        if (dash) {
            at++;
            bool high_given = isdigit((unsigned char)*at) != 0;
            high = high_given ? read_position(&at, fields) : SIZE_MAX;
            bool ends = !*at || strchr(", \t-", *at);
            if (!low_given && !high_given && ends)
                g_usage("invalid range with no endpoint: -");
        }
        if (*at && *at != ',' && *at != ' ' && *at != '\t') {
            if (*at == '-')
                g_usage(fields ? "invalid field range" : "invalid byte or character range");
            g_usage(fields ? "invalid field value %s" : "invalid byte/character position %s",
                    g_quote(at));
        }
        if ((low_given && low == 0) || (!low_given && !dash) || (dash && high == 0))
            g_usage(fields ? "fields are numbered from 1"
                           : "byte/character positions are numbered from 1");
        if (high < low) g_usage("invalid decreasing range");
        if (c->count + 1 >= cap) c->ranges = g_more(c->ranges, &cap, sizeof *c->ranges);
        c->ranges[c->count++] = (range){low, high};
        if (!*at++) break;
    }
    qsort(c->ranges, c->count, sizeof *c->ranges, compare);
    size_t kept = 0;
    for (size_t i = 1; i < c->count; i++) {
        range *last = &c->ranges[kept];
        /* Ranges that touch stay apart: --output-delimiter shows their border. */
        if (c->ranges[i].low <= last->high) {
            if (c->ranges[i].high > last->high) last->high = c->ranges[i].high;
        } else {
            c->ranges[++kept] = c->ranges[i];
        }
    }
    c->count = kept + 1;
    c->ranges[c->count] = (range){SIZE_MAX, SIZE_MAX};
}

static void complement(cutter *c) {
    range *out = g_resize(NULL, c->count + 2, sizeof *out);
    size_t count = 0, next = 1;
    for (size_t i = 0; i < c->count; i++) {
        if (c->ranges[i].low > next) out[count++] = (range){next, c->ranges[i].low - 1};
        next = c->ranges[i].high == SIZE_MAX ? SIZE_MAX : c->ranges[i].high + 1;
    }
    if (next < SIZE_MAX) out[count++] = (range){next, SIZE_MAX};
    out[count] = (range){SIZE_MAX, SIZE_MAX};
    free(c->ranges);
    c->ranges = out;
    c->count = count;
}

static void cut_bytes(const cutter *c, const g_line *line) {
    bool any = false;
    for (const range *r = c->ranges; r->low <= line->len; r++) {
        size_t high = r->high < line->len ? r->high : line->len;
        if (any && c->out_given) g_out(c->out, c->out_len);
        g_out(line->s + r->low - 1, high - r->low + 1);
        any = true;
    }
    g_outc(c->end);
}

static void cut_fields(const cutter *c, const g_line *line) {
    const char *at = line->s, *stop = line->s + line->len;
    const char *next = line->len ? memchr(at, c->delimiter, line->len) : NULL;
    if (!next) {
        if (c->only_delimited) return;
        g_out(line->s, line->len);
        g_outc(c->end);
        return;
    }
    bool any = false;
    const range *r = c->ranges;
    for (size_t field = 1; at; field++) {
        if (field > r->high) r++;
        if (r->low == SIZE_MAX) break;
        if (field >= r->low) {
            if (any) g_out(c->out, c->out_len);
            if (r->high == SIZE_MAX && c->out_len == 1 && *c->out == c->delimiter) {
                g_out(at, (size_t)(stop - at)); /* all of the rest as it stands */
                break;
            }
            g_out(at, (size_t)((next ? next : stop) - at));
            any = true;
        }
        at = next ? next + 1 : NULL;
        next = at && at < stop ? memchr(at, c->delimiter, (size_t)(stop - at)) : NULL;
    }
    g_outc(c->end);
}

static int cut_file(const cutter *c, const char *name) {
    int fd = g_open_input(name);
    if (fd < 0) return 1;
    g_reader in;
    g_line line;
    g_reader_init(&in, fd, c->end);
    if (c->mode == 'f' && c->delimiter == c->end) {
        /* The delimiter is the line end: all of the file is one line of such fields. */
        size_t len;
        char *all = g_read_all(fd, &len);
        if (!all) in.error = errno;
        line = (g_line){all, len, true};
        if (len && all[len - 1] == c->end) line.len--;
        if (len) cut_fields(c, &line);
        free(all);
    } else if (c->mode == 'f') {
        while (g_read_line(&in, &line)) cut_fields(c, &line);
    } else {
        while (g_read_line(&in, &line)) cut_bytes(c, &line);
    }
    if (in.error) g_warn_errno(in.error, "%s", g_quotef(name));
    int status = in.error != 0;
    g_reader_free(&in);
    g_close_input(fd);
    return status;
}

enum { COMPLEMENT = 256, OUTPUT };
static const g_long longs[] = {{"bytes", 'b', G_REQUIRED},
                               {"characters", 'c', G_REQUIRED},
                               {"fields", 'f', G_REQUIRED},
                               {"delimiter", 'd', G_REQUIRED},
                               {"only-delimited", 's', G_NONE},
                               {"output-delimiter", OUTPUT, G_REQUIRED},
                               {"complement", COMPLEMENT, G_NONE},
                               {"zero-terminated", 'z', G_NONE},
                               {0}};

int cut_main(int argc, char **argv) {
    cutter c = {.delimiter = '\t', .end = '\n'};
    const char *list = NULL, *delimiter = NULL;
    bool invert = false;
    g_options o = g_options_of(argc, argv, "b:c:d:f:nsz", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'b': case 'c': case 'f':
            if (list) g_usage("only one list may be specified");
            c.mode = (char)option;
            list = o.arg;
            break;
        case 'd':
            if (o.arg[0] && o.arg[1]) g_usage("the delimiter must be a single character");
            delimiter = o.arg;
            c.delimiter = o.arg[0];
            break;
        case 's': c.only_delimited = true; break;
        case 'z': c.end = '\0'; break;
        case OUTPUT:
            c.out = o.arg;
            c.out_len = *o.arg ? strlen(o.arg) : 1; /* an empty one stands for NUL */
            c.out_given = true;
            break;
        case COMPLEMENT: invert = true; break;
        }
    if (!list) g_usage("you must specify a list of bytes, characters, or fields");
    if (delimiter && c.mode != 'f')
        g_usage("an input delimiter may be specified only when operating on fields");
    if (c.only_delimited && c.mode != 'f')
        g_usage("suppressing non-delimited lines makes sense\n\tonly when operating on fields");
    read_ranges(&c, list);
    if (invert) complement(&c);
    if (!c.out_given) {
        c.out = &c.delimiter;
        c.out_len = 1;
    }
    int status = 0;
    if (o.at == argc) status = cut_file(&c, "-");
    for (int i = o.at; i < argc; i++) status |= cut_file(&c, argv[i]);
    return status;
}
