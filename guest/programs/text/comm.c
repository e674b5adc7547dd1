/*
 * comm.c: compares two sorted files line by line.
 *
 * help comm:
 *   Usage: comm [OPTION]... FILE1 FILE2
 *   Compare sorted files FILE1 and FILE2 line by line.
 *
 *     -1                      suppress column 1 (lines unique to FILE1)
 *     -2                      suppress column 2 (lines unique to FILE2)
 *     -3                      suppress column 3 (lines that appear in both files)
 *         --check-order       check that the input is correctly sorted
 *         --nocheck-order     do not check that the input is correctly sorted
 *         --output-delimiter=STR  separate columns with STR
 *         --total             output a summary
 *     -z, --zero-terminated   line delimiter is NUL, not newline
 *         --help              display this help and exit
 *         --version           output version information and exit
 */
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"

#include <errno.h>
#include <string.h>

enum check { CHECK_UNPAIRED, CHECK_ALWAYS, CHECK_NEVER };

typedef struct {
    const char *name;
    g_reader in;
    g_text line, last;
    bool there, has_last, told; /* told: disorder was reported */
} side;

typedef struct {
    side sides[2];
    bool hide[3], unpaired, total;
    enum check check;
    const char *delimiter;
    size_t delimiter_len;
    char end;
    uint64_t counts[3];
} comparer;

static int compare(const g_text *a, const g_text *b) {
    size_t len = a->len < b->len ? a->len : b->len;
    int order = len ? memcmp(a->s, b->s, len) : 0;
    return order ? order : (a->len > b->len) - (a->len < b->len);
}

/* The line just read must not be below the one before; once there were unpaired lines, or always.
 */
static void check_order(comparer *c, side *s) {
    if (c->check == CHECK_NEVER || s->told || !s->has_last) return;
    if (c->check == CHECK_UNPAIRED && !c->unpaired) return;
    if (compare(&s->last, &s->line) <= 0) return;
    s->told = true;
    int number = (int)(s - c->sides) + 1;
    if (c->check == CHECK_ALWAYS) g_die(1, "file %d is not in sorted order", number);
    g_warn("file %d is not in sorted order", number);
}

static void advance(comparer *c, side *s) {
    g_line line;
    if (s->there) {
        g_text spare = s->last;
        s->last = s->line;
        s->line = spare;
        s->has_last = true;
    }
    s->there = g_read_line(&s->in, &line);
    if (s->in.error) g_die_errno(1, s->in.error, "%s", g_quotef(s->name));
    if (!s->there) {
        /* GNU compares the last two lines once more when the file ends. */
        return;
    }
    s->line.len = 0;
    g_text_add(&s->line, line.s, line.len);
    check_order(c, s);
}

static void put(comparer *c, int column, const g_text *line) {
    c->counts[column]++;
    if (c->hide[column]) return;
    for (int i = 0; i < column; i++)
        if (!c->hide[i]) g_out(c->delimiter, c->delimiter_len);
    g_out(line->s, line->len);
    g_outc(c->end);
}

static void put_total(const comparer *c) {
    for (int i = 0; i < 3; i++) {
        g_out_decimal(c->counts[i]);
        g_out(c->delimiter, c->delimiter_len);
    }
    g_outs("total");
    g_outc(c->end);
}

static int run(comparer *c) {
    side *a = &c->sides[0], *b = &c->sides[1];
    advance(c, a);
    advance(c, b);
    while (a->there || b->there) {
        int order = !a->there ? 1 : !b->there ? -1 : compare(&a->line, &b->line);
        if (order) c->unpaired = true;
        put(c, order == 0 ? 2 : order < 0 ? 0 : 1, order <= 0 ? &a->line : &b->line);
        if (order <= 0) advance(c, a);
        if (order >= 0) advance(c, b);
    }
    if (c->total) put_total(c);
    if (a->told || b->told) g_die(1, "input is not in sorted order");
    return 0;
}

enum { CHECK = 256, NOCHECK, DELIMITER, TOTAL };
static const g_long longs[] = {{"check-order", CHECK, G_NONE},
                               {"nocheck-order", NOCHECK, G_NONE},
                               {"output-delimiter", DELIMITER, G_REQUIRED},
                               {"total", TOTAL, G_NONE},
                               {"zero-terminated", 'z', G_NONE},
                               {0}};

int comm_main(int argc, char **argv) {
    comparer c = {.delimiter = NULL, .end = '\n'};
    g_options o = g_options_of(argc, argv, "123z", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case '1':
        case '2':
        case '3': c.hide[option - '1'] = true; break;
        case 'z': c.end = '\0'; break;
        case CHECK: c.check = CHECK_ALWAYS; break;
        case NOCHECK: c.check = CHECK_NEVER; break;
        case DELIMITER:
            if (c.delimiter && strcmp(c.delimiter, o.arg) != 0)
                g_die(1, "multiple output delimiters specified");
            c.delimiter = o.arg;
            c.delimiter_len = *o.arg ? strlen(o.arg) : 1; /* empty: a NUL */
            break;
        case TOTAL: c.total = true; break;
        }
    if (!c.delimiter) {
        c.delimiter = "\t";
        c.delimiter_len = 1;
    }
    if (argc - o.at < 2) g_missing_operand(o.at < argc ? argv[o.at] : NULL);
    if (argc - o.at > 2) g_extra_operand(argv[o.at + 2]);
    for (int i = 0; i < 2; i++) {
        c.sides[i].name = argv[o.at + i];
        int fd = g_open_input(argv[o.at + i]);
        if (fd < 0) return 1;
        g_reader_init(&c.sides[i].in, fd, c.end);
    }
    return run(&c);
}
