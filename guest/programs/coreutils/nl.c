/*
 * nl.c: numbers lines.
 *
 * help nl:
 *   Usage: nl [OPTION]... [FILE]...
 *   Write each FILE to standard output, with line numbers added.
 *
 *     -b, --body-numbering=STYLE      use STYLE for numbering body lines
 *     -d, --section-delimiter=CC      use CC for logical page delimiters
 *     -f, --footer-numbering=STYLE    use STYLE for numbering footer lines
 *     -h, --header-numbering=STYLE    use STYLE for numbering header lines
 *     -i, --line-increment=NUMBER     line number increment at each line
 *     -l, --join-blank-lines=NUMBER   group of NUMBER empty lines counted as one
 *     -n, --number-format=FORMAT      insert line numbers according to FORMAT: ln left justified,
 *                                       rn right justified, rz right justified with zeros
 *     -p, --no-renumber               do not reset line numbers for each section
 *     -s, --number-separator=STRING   add STRING after (possible) line number
 *     -v, --starting-line-number=NUMBER  first line number for each section
 *     -w, --number-width=NUMBER       use NUMBER columns for line numbers
 *         --help                      display this help and exit
 *         --version                   output version information and exit
 *
 *   Default options are: -bt -d'\:' -fn -hn -i1 -l1 -n'rn' -s<TAB> -v1 -w6
 *   STYLE is one of: a number all lines, t number only nonempty lines, n number no lines,
 *   pBRE number only lines that contain a match for the basic regular expression, BRE.
 */
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "pf.h"
#include "g_regex.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char style; /* a, t, n, p */
    pf_regex *re;
} section;

typedef struct {
    section header, body, footer;
    const section *now;
    const char *delimiter;
    size_t delimiter_len;
    int64_t increment, first, number;
    uint64_t blank_group, blanks;
    bool left, zeros, keep_counting, overflow;
    const char *separator;
    int width;
} numberer;

/* False, after a message, when the style is none. */
static bool set_style(section *s, const char *text, const char *what) {
    switch (*text) {
    case 'a': case 't': case 'n':
        if (!text[1]) {
            s->style = *text;
            return true;
        }
        break;
    case 'p': {
        const char *message;
        unsigned flags = PF_RE_NEWLINE | PF_RE_LENIENT | (g_utf8_locale() ? 0 : PF_RE_BYTES);
        if (pf_regex_compile(&s->re, text + 1, strlen(text + 1), flags, &g_regex_host, &message))
            g_die(1, "%s", message);
        s->style = 'p';
        return true;
    }
    }
    g_warn("invalid %s numbering style: %s", what, g_quote(text));
    return false;
}

static void put_number(numberer *n) {
    if (n->overflow) g_die(1, "line number overflow");
    const char *format = n->left ? "%-*lld%s" : n->zeros ? "%0*lld%s" : "%*lld%s";
    g_outf(format, n->width, (long long)n->number, n->separator);
    n->overflow = __builtin_add_overflow(n->number, n->increment, &n->number);
}

static void skip_number(const numberer *n) {
    g_out_fill(' ', (size_t)n->width + strlen(n->separator));
}

static void put_line(numberer *n, const g_line *line) {
    bool numbered = false;
    pf_range range;
    switch (n->now->style) {
    case 'a':
        if (n->blank_group > 1) {
            if (line->len > 0 || ++n->blanks == n->blank_group) {
                numbered = true;
                n->blanks = 0;
            }
        } else {
            numbered = true;
        }
        break;
    case 't': numbered = line->len > 0; break;
    case 'p':
        numbered = pf_regex_search(n->now->re, line->s, line->len, 0, 0, &range, 1) == PF_RE_OK;
        break;
    }
    if (numbered) put_number(n);
    else skip_number(n);
    g_out(line->s, line->len);
    g_outc('\n');
}

/* A line of one, two or three delimiters begins a footer, body or header. */
static bool section_line(numberer *n, const g_line *line) {
    size_t d = n->delimiter_len;
    if (d == 0 || line->len % d || line->len == 0 || line->len / d > 3) return false;
    for (size_t i = 0; i < line->len; i += d)
        if (memcmp(line->s + i, n->delimiter, d) != 0) return false;
    const section *const next[] = {&n->footer, &n->body, &n->header};
    n->now = next[line->len / d - 1];
    if (!n->keep_counting) {
        n->number = n->first;
        n->overflow = false;
    }
    n->blanks = 0;
    g_outc('\n');
    return true;
}

static void number_line(void *context, const g_line *line) {
    if (!section_line(context, line)) put_line(context, line);
}

static int64_t number(const char *text, int64_t min, int64_t max, const char *problem) {
    int64_t value;
    enum g_number_result result = g_parse_signed(text, "", &value, NULL);
    if (result == G_NUMBER_OVERFLOW || (result == G_NUMBER_OK && (value < min || value > max)))
        g_die_errno(1, value < min ? ERANGE : EOVERFLOW, "%s: %s", problem, g_quote(text));
    if (result != G_NUMBER_OK) g_die(1, "%s: %s", problem, g_quote(text));
    return value;
}

static const g_long longs[] = {
    {"header-numbering", 'h', G_REQUIRED},     {"body-numbering", 'b', G_REQUIRED},
    {"footer-numbering", 'f', G_REQUIRED},     {"starting-line-number", 'v', G_REQUIRED},
    {"line-increment", 'i', G_REQUIRED},       {"no-renumber", 'p', G_NONE},
    {"join-blank-lines", 'l', G_REQUIRED},     {"number-separator", 's', G_REQUIRED},
    {"number-width", 'w', G_REQUIRED},         {"number-format", 'n', G_REQUIRED},
    {"section-delimiter", 'd', G_REQUIRED},    {0}};

int nl_main(int argc, char **argv) {
    numberer n = {.header = {.style = 'n'}, .body = {.style = 't'}, .footer = {.style = 'n'},
                  .delimiter = "\\:", .delimiter_len = 2, .increment = 1, .first = 1,
                  .blank_group = 1, .separator = "\t", .width = 6};
    char one[] = "\\:"; /* a delimiter of one character keeps the second one */
    bool good = true; /* as GNU: styles and the format are complained about together */
    g_options o = g_options_of(argc, argv, "h:b:f:v:i:pl:s:w:n:d:", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'h': good &= set_style(&n.header, o.arg, "header"); break;
        case 'b': good &= set_style(&n.body, o.arg, "body"); break;
        case 'f': good &= set_style(&n.footer, o.arg, "footer"); break;
        case 'v':
            n.first = number(o.arg, INT64_MIN, INT64_MAX, "invalid starting line number");
            break;
        case 'i':
            n.increment = number(o.arg, INT64_MIN, INT64_MAX, "invalid line number increment");
            break;
        case 'p': n.keep_counting = true; break;
        case 'l':
            n.blank_group =
                (uint64_t)number(o.arg, 1, INT64_MAX, "invalid line number of blank lines");
            break;
        case 's': n.separator = o.arg; break;
        case 'w': n.width = (int)number(o.arg, 1, INT32_MAX, "invalid line number field width"); break;
        case 'n':
            n.left = strcmp(o.arg, "ln") == 0;
            n.zeros = strcmp(o.arg, "rz") == 0;
            if (!n.left && !n.zeros && strcmp(o.arg, "rn") != 0) {
                g_warn("invalid line numbering format: %s", g_quote(o.arg));
                good = false;
            }
            break;
        case 'd':
            if (strlen(o.arg) == 1) one[0] = *o.arg;
            n.delimiter = strlen(o.arg) == 1 ? one : o.arg;
            n.delimiter_len = strlen(n.delimiter);
            break;
        }
    if (!good) g_usage(NULL);
    n.number = n.first;
    n.now = &n.body;
    return g_each_line(argc - o.at, argv + o.at, number_line, &n);
}
