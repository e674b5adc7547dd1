/*
 * fmt.c: fills paragraphs. Breaks lines where the sum of the costs of all lines is least, with
 * GNU's costs, so that the same lines come out.
 *
 * help fmt:
 *   Usage: fmt [-WIDTH] [OPTION]... [FILE]...
 *   Reformat each paragraph in the FILE(s), writing to standard output.
 *
 *     -c, --crown-margin        preserve indentation of first two lines
 *     -p, --prefix=STRING       reformat only lines beginning with STRING, reattaching the prefix
 *                               to reformatted lines
 *     -s, --split-only          split long lines, but do not refill
 *     -t, --tagged-paragraph    indentation of first line different from second
 *     -u, --uniform-spacing     one space between words, two after sentences
 *     -w, --width=WIDTH         maximum line width (default of 75 columns)
 *     -g, --goal=WIDTH          goal width (default of 93% of width)
 *         --help                display this help and exit
 *         --version             output version information and exit
 */
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"
#include "pf.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* Costs are squares of how much something disturbs. */
enum {
    LINE = 70 * 70,
    WIDOW = 200 * 200,    /* the last word of a sentence at the start of a line, by its length */
    ORPHAN = 150 * 150,   /* the first word of a sentence at the end of a line */
    SENTENCE = 50 * 50,   /* what is won by breaking behind a sentence */
    NO_BREAK = 600 * 600, /* behind a period that may not end a sentence */
    PAREN = 40 * 40,
    PUNCTUATION = 40 * 40,
};

typedef struct {
    size_t start;   /* in the paragraph's text */
    int len, space; /* columns of the word and of the blanks behind it */
    bool paren, period, punctuation, final;
    int line_len; /* of the best line that begins here */
    int64_t best;
    size_t next; /* the word that begins the line after it */
} word;

typedef struct {
    bool crown, tagged, split, uniform;
    int width, goal;
    const char *prefix; /* without blanks around it */
    int prefix_lead, prefix_len,
        prefix_full; /* blanks in front; its length without and with those behind */
    word *words;
    size_t count, cap;
    g_text text;
    bool tabs; /* the input had tabs: so has the output */
    int prefix_indent, first_indent, other_indent;
    int last_line_len;
} filler;

static int64_t square(int64_t n) {
    return n * n;
}
static int64_t short_cost(int64_t n) {
    return square(n * 10);
}
static int64_t ragged_cost(int64_t n) {
    return short_cost(n) / 2;
}

static int64_t base_cost(const filler *f, size_t i) {
    const word *w = &f->words[i];
    int64_t cost = LINE;
    if (i > 0) {
        const word *before = w - 1;
        if (before->period)
            cost += before->final ? -SENTENCE : NO_BREAK;
        else if (before->punctuation)
            cost -= PUNCTUATION;
        else if (i > 1 && w[-2].final)
            cost += WIDOW / (before->len + 2);
    }
    if (w->paren)
        cost -= PAREN;
    else if (w->final)
        cost += ORPHAN / (w->len + 2);
    return cost;
}

static int64_t line_cost(const filler *f, size_t next, int len) {
    if (next == f->count) return 0;
    int64_t cost = short_cost(f->goal - len);
    const word *w = &f->words[next];
    if (w->next != f->count) cost += ragged_cost(len - w->line_len);
    return cost;
}

/* From the last word to the first: the best way to go on from each. */
static void choose_breaks(filler *f) {
    for (size_t start = f->count; start-- > 0;) {
        word *first = &f->words[start];
        int len = (start == 0 ? f->first_indent : f->other_indent) + first->len;
        int64_t best = INT64_MAX;
        for (size_t next = start + 1;; next++) {
            int64_t cost = line_cost(f, next, len) + (next == f->count ? 0 : f->words[next].best);
            if (start == 0 && f->last_line_len > 0) cost += ragged_cost(len - f->last_line_len);
            if (cost < best) {
                best = cost;
                first->next = next;
                first->line_len = len;
            }
            if (next == f->count) break;
            len += f->words[next - 1].space + f->words[next].len;
            if (len >= f->width) break;
        }
        first->best = best + base_cost(f, start);
        if (start % 1024 == 0) pf_yield();
    }
}

static int put_blanks(const filler *f, int column, int count) {
    int target = column + count;
    if (f->tabs) {
        int stop = target / 8 * 8;
        if (column + 1 < stop)
            for (; column < stop; column = column / 8 * 8 + 8) g_outc('\t');
    }
    if (target > column) g_out_fill(' ', (size_t)(target - column));
    return target;
}

static int put_line(filler *f, size_t from, size_t to, int indent) {
    int column = put_blanks(f, 0, f->prefix_indent);
    g_outs(f->prefix);
    column += f->prefix_len;
    column = put_blanks(f, column, indent - column);
    for (size_t i = from; i < to; i++) {
        const word *w = &f->words[i];
        g_out(f->text.s + w->start, (size_t)w->len);
        column += w->len;
        if (i + 1 < to) column = put_blanks(f, column, w->space);
    }
    g_outc('\n');
    return column;
}

static void put_paragraph(filler *f) {
    if (f->count == 0) return;
    f->words[f->count - 1].period = f->words[f->count - 1].final =
        true; /* a paragraph ends a sentence */
    choose_breaks(f);
    for (size_t i = 0; i < f->count; i = f->words[i].next)
        f->last_line_len =
            put_line(f, i, f->words[i].next, i == 0 ? f->first_indent : f->other_indent);
    f->last_line_len = 0;
    f->count = 0;
    f->text.len = 0;
}

static void look_at(const filler *f, word *w) {
    const char *s = f->text.s + w->start, *end = s + w->len - 1;
    w->paren = *s && strchr("(['`\"", *s) != NULL;
    w->punctuation = ispunct((unsigned char)*end);
    while (end > s && strchr(")]'\"", *end)) end--;
    w->period = strchr(".?!", *end) != NULL;
}

/* A line of input: where its text begins, and in which column. */
typedef struct {
    const char *s;
    size_t len;
    int indent, prefix_indent;
    bool blank, foreign; /* nothing but the prefix; without the prefix */
} input_line;

static int advance(filler *f, const char *s, size_t len, size_t *at, int column) {
    for (; *at < len && (s[*at] == ' ' || s[*at] == '\t'); ++*at) {
        if (s[*at] == '\t') {
            f->tabs = true;
            column = column / 8 * 8 + 8;
        } else {
            column++;
        }
    }
    return column;
}

static void look_at_line(filler *f, const g_line *line, input_line *out) {
    size_t at = 0;
    int column = advance(f, line->s, line->len, &at, 0);
    *out = (input_line){.prefix_indent = f->prefix_lead < column ? f->prefix_lead : column};
    if (f->prefix_len > 0) {
        out->prefix_indent = column;
        size_t size = strlen(f->prefix);
        if (line->len - at < size || memcmp(line->s + at, f->prefix, size) != 0 ||
            column < f->prefix_lead) {
            out->foreign = true;
        } else {
            at += size;
            column = advance(f, line->s, line->len, &at, column + f->prefix_len);
        }
    }
    out->s = line->s + at;
    out->len = line->len - at;
    out->indent = column;
    out->blank = out->len == 0;
    if (!out->foreign && !out->blank && f->prefix_len > 0 &&
        column < out->prefix_indent + f->prefix_full)
        out->foreign = true;
}

static void add_words(filler *f, const input_line *line) {
    int column = line->indent;
    for (size_t at = 0; at < line->len;) {
        size_t end = at + 1; /* a control character that is no blank is a word */
        while (end < line->len && !isspace((unsigned char)line->s[end])) end++;
        if (f->count == f->cap) f->words = g_more(f->words, &f->cap, sizeof *f->words);
        word *w = &f->words[f->count++];
        *w = (word){.start = f->text.len, .len = (int)(end - at)};
        g_text_add(&f->text, line->s + at, end - at);
        look_at(f, w);
        column += w->len;
        at = end;
        int before = column;
        while (at < line->len && (line->s[at] == ' ' || line->s[at] == '\t')) {
            if (line->s[at] == '\t') {
                f->tabs = true;
                column = column / 8 * 8 + 8;
            } else {
                column++;
            }
            at++;
        }
        w->space = column - before;
        w->final = w->period && (at == line->len || w->space > 1);
        if (at == line->len || f->uniform) w->space = w->final ? 2 : 1;
    }
}

/* Whether the line goes on with the paragraph. */
static bool goes_on(filler *f, const input_line *line, int lines) {
    if (line->blank || line->foreign || line->prefix_indent != f->prefix_indent) return false;
    if (f->split) return false;
    if (f->crown || f->tagged) {
        if (lines == 1) return !f->tagged || line->indent != f->first_indent;
        return line->indent == f->other_indent;
    }
    return line->indent == f->first_indent;
}

static bool fill(filler *f, int fd) {
    g_reader in;
    g_line line;
    int lines = 0; /* of the paragraph so far */
    g_reader_init(&in, fd, '\n');
    f->tabs = false;
    while (g_read_line(&in, &line)) {
        input_line now;
        look_at_line(f, &line, &now);
        if (lines > 0 && !goes_on(f, &now, lines)) {
            put_paragraph(f);
            lines = 0;
        }
        if (now.blank || now.foreign) {
            if (now.foreign && now.len > 0)
                g_out(line.s, line.len);
            else if (!now.foreign && f->prefix_len > 0) {
                put_blanks(f, 0, now.prefix_indent);
                g_outs(f->prefix);
            }
            if (line.terminated || !now.foreign) g_outc('\n');
            continue;
        }
        if (lines == 0) {
            f->prefix_indent = now.prefix_indent;
            f->first_indent = now.indent;
            /* -t: one line alone keeps the indent of the paragraph before, or a new one to differ.
             */
            if (!f->tagged || f->split)
                f->other_indent = now.indent;
            else if (f->other_indent == now.indent)
                f->other_indent = now.indent > 0 ? 0 : 3;
        } else if (lines == 1 && (f->crown || f->tagged)) {
            f->other_indent = now.indent;
        }
        add_words(f, &now);
        lines++;
    }
    put_paragraph(f);
    bool good = in.error == 0;
    if (!good) g_warn("read error");
    g_reader_free(&in);
    return good;
}

static void set_prefix(filler *f, const char *text) {
    f->prefix_lead = (int)strspn(text, " ");
    text += f->prefix_lead;
    char *copy = g_copy_string(text);
    f->prefix_full = (int)strlen(copy);
    size_t len = strlen(copy);
    while (len > 0 && copy[len - 1] == ' ') len--;
    copy[len] = '\0';
    f->prefix = copy;
    f->prefix_len = (int)len;
}

static int width_value(const char *text, uint64_t max) {
    uint64_t value;
    enum g_number_result result = g_parse_unsigned(text, "", &value, NULL);
    if (result == G_NUMBER_OVERFLOW || (result == G_NUMBER_OK && value > max))
        g_die_errno(1, value > INT32_MAX ? EOVERFLOW : ERANGE, "invalid width: %s", g_quote(text));
    if (result != G_NUMBER_OK) g_die(1, "invalid width: %s", g_quote(text));
    return (int)value;
}

static const g_long longs[] = {{"crown-margin", 'c', G_NONE},    {"prefix", 'p', G_REQUIRED},
                               {"split-only", 's', G_NONE},      {"tagged-paragraph", 't', G_NONE},
                               {"uniform-spacing", 'u', G_NONE}, {"width", 'w', G_REQUIRED},
                               {"goal", 'g', G_REQUIRED},        {0}};

int fmt_main(int argc, char **argv) {
    filler f = {.prefix = ""};
    const char *width = NULL, *goal = NULL;
    bool good = true;
    if (argc > 1 && argv[1][0] == '-' &&
        isdigit((unsigned char)argv[1][1])) { /* -WIDTH, first only */
        width = argv[1] + 1;
        argv[1] = argv[0];
        argv++;
        argc--;
    }
    g_options o = g_options_of(argc, argv, "0123456789cstuw:p:g:", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'c': f.crown = true; break;
        case 's': f.split = true; break;
        case 't': f.tagged = true; break;
        case 'u': f.uniform = true; break;
        case 'w': width = o.arg; break;
        case 'g': goal = o.arg; break;
        case 'p': set_prefix(&f, o.arg); break;
        default:
            g_usage("invalid option -- %c; -WIDTH is recognized only when it is the first\noption; "
                    "use -w N instead",
                    option);
        }
    if (f.crown) f.tagged = false;
    f.width = 75;
    if (width) f.width = width_value(width, 2500);
    if (goal) {
        f.goal = width_value(goal, width ? (uint64_t)f.width : 75);
        if (!width) f.width = f.goal + 10;
    } else {
        f.goal = f.width * 187 / 200;
    }
    if (o.at == argc) good = fill(&f, 0);
    for (int i = o.at; i < argc; i++) {
        int fd = strcmp(argv[i], "-") == 0 ? 0 : open(argv[i], O_RDONLY | O_CLOEXEC);
        if (fd < 0) {
            g_warn_errno(errno, "cannot open %s for reading", g_quoteaf(argv[i]));
            good = false;
            continue;
        }
        good &= fill(&f, fd);
        g_close_input(fd);
    }
    return !good;
}
