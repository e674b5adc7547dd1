/*
 * pr.c: puts text into pages and columns, for a printer.
 *
 * help pr:
 *   Usage: pr [OPTION]... [FILE]...
 *   Paginate or columnate FILE(s) for printing. With no FILE, or when FILE is -, read standard
 *   input.
 *
 *     +FIRST_PAGE[:LAST_PAGE], --pages=FIRST_PAGE[:LAST_PAGE]
 *                       begin [stop] printing with page FIRST_[LAST_]PAGE
 *     -COLUMN, --columns=COLUMN  output COLUMN columns and print columns down, unless -a is used
 *     -a, --across      print columns across rather than down
 *     -c, --show-control-chars  use hat notation (^G) and octal backslash notation
 *     -d, --double-space  double space the output
 *     -D, --date-format=FORMAT  use FORMAT for the header date
 *     -e[CHAR[WIDTH]], --expand-tabs[=CHAR[WIDTH]]
 *                       expand input CHARs (TABs) to tab WIDTH (8)
 *     -F, -f, --form-feed  use form feeds instead of newlines to separate pages
 *     -h, --header=HEADER  use a centered HEADER instead of filename in page header
 *     -i[CHAR[WIDTH]], --output-tabs[=CHAR[WIDTH]]
 *                       replace spaces with CHARs (TABs) to tab WIDTH (8)
 *     -J, --join-lines  merge full lines, turns off -W line truncation, no column alignment
 *     -l, --length=PAGE_LENGTH  set the page length to PAGE_LENGTH (66) lines
 *     -m, --merge       print all files in parallel, one in each column
 *     -n[SEP[DIGITS]], --number-lines[=SEP[DIGITS]]
 *                       number lines, use DIGITS (5) digits, then SEP (TAB)
 *     -N, --first-line-number=NUMBER  start counting with NUMBER at 1st line of first page
 *     -o, --indent=MARGIN  offset each line with MARGIN (zero) spaces
 *     -r, --no-file-warnings  omit warning when a file cannot be opened
 *     -s[CHAR], --separator[=CHAR]  separate columns by a single character (TAB)
 *     -S[STRING], --sep-string[=STRING]  separate columns by STRING
 *     -t, --omit-header  omit page headers and trailers; implied if PAGE_LENGTH <= 10
 *     -T, --omit-pagination  as -t, and eliminate any pagination by form feeds
 *     -v, --show-nonprinting  use octal backslash notation
 *     -w, --width=PAGE_WIDTH  set page width to PAGE_WIDTH (72) for multiple columns only
 *     -W, --page-width=PAGE_WIDTH  set page width to PAGE_WIDTH (72) always, truncate lines
 *         --help        display this help and exit
 *         --version     output version information and exit
 */
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"
#include "g_time.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HEADER_LINES = 5, FOOTER_LINES = 5 };

/* An input, and what its next line is. */
typedef struct {
    const char *name;
    int fd;
    g_reader in;
    g_text line; /* the line that was read */
    g_text rest; /* of the same input line, behind a form feed */
    bool has_rest, done;
    bool unterminated; /* the last line has no end: that of the file is known */
    bool page_done;    /* a form feed ended its page */
    bool full;         /* its last page was: a form feed that follows at once ends that one */
} source;

typedef struct {
    /* What was asked for */
    int columns, length, width, margin;
    bool across, merge, double_space, form_feed, headers, keep_form_feed, quiet;
    bool controls, octal, number, join, truncate, align;
    uint64_t first_page, last_page;
    int64_t first_number;
    bool has_first_number;
    char tab_in, tab_out, number_end;
    int tab_in_width, tab_out_width, digits;
    bool expand, compress;
    const char *separator, *header, *date_format;
    size_t separator_len;
    /* What follows from it */
    int body, column_width, number_width;
    /* Where it stands */
    int column; /* of the output line */
    int blanks; /* that stand there and are not written yet */
    int64_t line_number;
    uint64_t page;
    bool at_end;   /* the page before met the end of all input */
    bool printing; /* the page is one of those asked for */
    char *date, *title;
} pager;

/* Output: blanks wait until something follows, and then may become tabs. */

static void send_byte(const pager *p, char c) {
    if (p->printing) g_outc(c);
}

static void send_blanks(pager *p) {
    int at = p->column, goal = at + p->blanks;
    p->blanks = 0;
    for (int next; goal - at > 1 &&
                   (next = at / p->tab_out_width * p->tab_out_width + p->tab_out_width) <= goal;
         at = next)
        send_byte(p, p->tab_out);
    for (; at < goal; at++) send_byte(p, ' ');
    p->column = goal;
}

static void put_byte(pager *p, char c) {
    if (p->compress && c == ' ') {
        p->blanks++;
        return;
    }
    if (p->blanks > 0) send_blanks(p);
    send_byte(p, c);
    if (c == '\b')
        p->column -= p->column > 0;
    else if (isprint((unsigned char)c))
        p->column++;
}

static void end_line(pager *p) {
    p->blanks = p->column = 0;
    send_byte(p, '\n');
}

static void go_to(pager *p, int column) {
    if (p->compress) {
        p->blanks = column - p->column;
    } else {
        for (; p->column < column; p->column++) send_byte(p, ' ');
    }
}

static void put_separator(pager *p) {
    for (size_t i = 0; i < p->separator_len; i++) {
        if (p->separator[i] == ' ') {
            p->blanks++;
            continue;
        }
        if (p->blanks > 0) send_blanks(p);
        send_byte(p, p->separator[i]);
        p->column++;
    }
    if (p->blanks > 0) send_blanks(p);
}

/* A byte of input as what is shown of it; how many columns that takes. */
static int show(const pager *p, unsigned char c, int at, char *out, int *len) {
    if (c == (unsigned char)p->tab_in || (c == '\t' && (p->expand || p->controls || p->octal))) {
        int width = (c == (unsigned char)p->tab_in ? p->tab_in_width : 8);
        width -= at % width;
        if (p->expand) {
            memset(out, ' ', (size_t)width);
            *len = width;
        } else {
            out[0] = (char)c;
            *len = 1;
        }
        return width;
    }
    *len = 1;
    out[0] = (char)c;
    if (isprint(c)) return 1;
    if (p->octal || (p->controls && c >= 0x80)) {
        *len = 4;
        out[0] = '\\';
        for (int i = 1; i < 4; i++) out[i] = (char)('0' + (c >> (9 - 3 * i) & 7));
        return 4;
    }
    if (p->controls) {
        *len = 2;
        out[0] = '^';
        out[1] = (char)(c ^ 0x40);
        return 2;
    }
    if (c == '\b') return -1;
    return c == '\t' ? 8 - at % 8 : 0;
}

static void put_number(pager *p) {
    char text[32];
    int n = snprintf(text, sizeof text, "%*lld", p->digits, (long long)p->line_number++);
    for (const char *s = text + n - p->digits; *s; s++) put_byte(p, *s);
    if (p->columns > 1 && p->number_end == '\t') {
        for (int i = p->digits; i < p->number_width; i++) put_byte(p, ' ');
    } else {
        put_byte(p, p->number_end);
        if (p->number_end == '\t')
            p->column = p->column / p->tab_out_width * p->tab_out_width + p->tab_out_width;
    }
}

/* The text of a cell. With -m the number belongs to the line. */
static void put_cell(pager *p, const char *s, size_t len) {
    int at = 0, limit = p->truncate ? p->column_width : -1;
    if (p->number && !p->merge) {
        put_number(p);
        at += p->truncate ? p->number_width : 0;
    }
    for (size_t i = 0; i < len; i++) {
        char out[64];
        int count, width = show(p, (unsigned char)s[i], at, out, &count);
        if (limit >= 0 && at + width > limit) break;
        at += width;
        if (at < 0) at = 0;
        for (int k = 0; k < count; k++) put_byte(p, out[k]);
    }
}

/* Input */

/* The next line into src->line; false at the end of the file or, with *page_break set, of the page.
 */
static bool next_line(source *src) {
    g_line line;
    if (src->done || src->page_done) return false;
    if (!src->has_rest) {
        if (!g_read_line(&src->in, &line)) {
            src->done = true;
            return false;
        }
        src->rest.len = 0;
        src->unterminated = !line.terminated;
        g_text_add(&src->rest, line.s, line.len);
    }
    src->has_rest = false;
    src->line.len = 0;
    bool full = src->full;
    src->full = false;
    if (full && src->rest.len && src->rest.s[0] == '\f') {
        src->rest.len--;
        memmove(src->rest.s, src->rest.s + 1, src->rest.len);
        src->has_rest = src->rest.len > 0;
        return next_line(src);
    }
    char *feed = src->rest.len ? memchr(src->rest.s, '\f', src->rest.len) : NULL;
    if (!feed) {
        g_text_add(&src->line, src->rest.s, src->rest.len);
        return true;
    }
    size_t before = (size_t)(feed - src->rest.s), after = src->rest.len - before - 1;
    g_text_add(&src->line, src->rest.s, before);
    memmove(src->rest.s, feed + 1, after);
    src->rest.len = after;
    src->has_rest = after > 0;
    src->page_done = true;
    return before > 0;
}

static bool open_source(const pager *p, source *src, const char *name) {
    *src = (source){.name = name};
    src->fd = STDIN_FILENO;
    if (strcmp(name, "-") != 0 && (src->fd = open(name, O_RDONLY | O_CLOEXEC)) < 0) {
        if (!p->quiet) g_warn_errno(errno, "%s", g_quotef(name));
        return false;
    }
    g_reader_init(&src->in, src->fd, '\n');
    return true;
}

static bool close_source(source *src) {
    bool good = src->in.error == 0;
    if (!good) g_warn_errno(src->in.error, "%s", g_quotef(src->name));
    g_reader_free(&src->in);
    g_text_free(&src->line);
    g_text_free(&src->rest);
    g_close_input(src->fd);
    return good;
}

/* Pages */

static void set_title(pager *p, const char *name, int fd) {
    struct stat st;
    struct timespec now;
    if (fd == STDIN_FILENO || fstat(fd, &st) < 0) {
        clock_gettime(CLOCK_REALTIME, &now);
        st.st_mtim = now;
    }
    g_civil c;
    g_civil_local(st.st_mtim.tv_sec, &c);
    free(p->date);
    p->date = g_strftime(p->date_format ? p->date_format : "%Y-%m-%d %H:%M", &c, st.st_mtim.tv_sec,
                         (int)st.st_mtim.tv_nsec, NULL);
    p->title = (char *)(p->header ? p->header : strcmp(name, "-") == 0 ? "" : name);
}

static void begin_page(pager *p) {
    if (p->has_first_number && p->page == p->first_page) p->line_number = p->first_number;
    p->printing = p->page >= p->first_page && p->page <= p->last_page;
    p->column = p->blanks = 0;
    if (!p->headers || !p->printing) return;
    char number[40];
    snprintf(number, sizeof number, "Page %llu", (unsigned long long)p->page);
    int room = p->width - (int)(g_text_width(p->date, strlen(p->date)) +
                                g_text_width(p->title, strlen(p->title)) + strlen(number));
    if (room < 0) room = 0;
    int left = room / 2;
    go_to(p, p->margin);
    if (p->blanks > 0) send_blanks(p);
    p->column = 0;
    g_outf("\n\n%*s%s%*s%s%*s%s\n\n\n", p->margin, "", p->date, left, " ", p->title, room - left,
           " ", number);
}

static void end_page(pager *p, int lines, bool feed) {
    if (p->headers && lines == 0) { /* a form feed alone stands for an empty line */
        send_byte(p, '\n');
        lines = 1;
    }
    if (p->headers && p->form_feed) {
        send_byte(p, '\f');
    } else if (p->headers) {
        for (; lines < p->body + FOOTER_LINES; lines++) send_byte(p, '\n');
    } else if (feed && p->keep_form_feed) {
        send_byte(p, '\f');
    }
    p->page++;
}

/* In front of the cell in `column`: its place and the separator. */
static void begin_cell(pager *p, int column) {
    if (column == 0) {
        go_to(p, p->margin);
        if (p->blanks > 0) send_blanks(p);
        return;
    }
    if (p->align)
        go_to(p, p->margin + (p->merge && p->number ? p->number_width : 0) +
                     column * (p->column_width + (int)p->separator_len) - (int)p->separator_len);
    put_separator(p);
}

typedef struct {
    char **lines;
    size_t *lens;
    size_t count, cap;
} cells;

static void keep_cell(cells *c, const g_text *line) {
    if (c->count == c->cap) {
        c->cap = c->cap ? c->cap * 2 : 64;
        c->lines = g_resize(c->lines, c->cap, sizeof *c->lines);
        c->lens = g_resize(c->lens, c->cap, sizeof *c->lens);
    }
    c->lens[c->count] = line->len;
    c->lines[c->count++] = g_copy_bytes(line->len ? line->s : "", line->len);
}

/* One page of a file; false when there was nothing left. */
static bool put_page(pager *p, source *src) {
    static cells page;
    page.count = 0;
    src->page_done = false;
    int rows = p->double_space ? p->body / 2 : p->body;
    size_t most = (size_t)rows * (size_t)p->columns;
    while (page.count < most && next_line(src)) keep_cell(&page, &src->line);
    bool feed = src->page_done;
    src->full = page.count == most && !feed;
    if (page.count == 0 && !feed) return false;
    begin_page(p);
    size_t columns = (size_t)p->columns, count = page.count;
    size_t height = (count + columns - 1) / columns,
           full = count % columns ? count % columns : columns;
    int lines = 0;
    int64_t first_number = p->line_number;
    for (size_t row = 0; row < height; row++) {
        for (size_t column = 0; column < columns; column++) {
            size_t i = p->across ? row * columns + column
                       : column < full || full == columns
                           ? column * height + row
                           : full * height + (column - full) * (height - 1) + row;
            bool there = p->across ? i < count : row < (column < full ? height : height - 1);
            if (!there) break;
            begin_cell(p, (int)column);
            p->line_number = first_number + (int64_t)i;
            put_cell(p, page.lines[i], page.lens[i]);
        }
        end_line(p);
        lines++;
        /* Columns are known to be at their end, a file is so only when a cell was missing. */
        bool ended = columns > 1 && count < most && (!p->across || count % columns != 0 || feed);
        if (ended && !p->headers && row + 1 == height) break;
        if (p->double_space && lines < p->body) {
            send_byte(p, '\n');
            lines++;
        }
    }
    p->line_number = first_number + (int64_t)count;
    for (size_t i = 0; i < count; i++) free(page.lines[i]);
    end_page(p, lines, feed);
    p->at_end = src->done;
    return true;
}

/* Whether a file may have more for this page. */
static bool any_ready(const source *files, int count) {
    for (int i = 0; i < count; i++)
        if (!files[i].done && !files[i].page_done && !(files[i].unterminated && !files[i].has_rest))
            return true;
    return false;
}

/* A line with one of every file; false when none has one on this page. */
static bool put_merged_line(pager *p, source *files, int count, bool *begun) {
    bool any = false, feed = false, *there = g_zalloc((size_t)count * sizeof *there);
    for (int i = 0; i < count; i++) {
        bool done = files[i].page_done;
        there[i] = next_line(&files[i]);
        any = any || there[i];
        feed = feed || (files[i].page_done && !done);
    }
    if ((any || feed) && !*begun) {
        begin_page(p);
        *begun = true;
    }
    if (any) {
        begin_cell(p, 0);
        /* Nothing follows the last cell of a page. */
        bool more = any_ready(files, count);
        int last = count - 1;
        while (last > 0 && !there[last]) last--;
        /* Of what is not printed, the first file's lines count. */
        if (p->number && (p->printing || there[0])) put_number(p);
        for (int i = 0; i < count; i++) {
            if (i > 0) begin_cell(p, i);
            if (there[i]) put_cell(p, files[i].line.s, files[i].line.len);
            if (there[i] && !more && i >= last) break;
        }
        end_line(p);
    }
    free(there);
    return any;
}

/* A page with a file in every column. */
static bool put_merged_page(pager *p, source *files, int count) {
    int lines = 0;
    bool begun = false, feed = false;
    for (int i = 0; i < count; i++) files[i].page_done = false;
    while (lines < p->body && put_merged_line(p, files, count, &begun)) {
        lines++;
        if (p->double_space && lines < p->body) {
            send_byte(p, '\n');
            lines++;
        }
    }
    for (int i = 0; i < count; i++) {
        files[i].full = lines >= p->body && !files[i].page_done;
        feed = feed || files[i].page_done;
    }
    if (!begun) return false;
    end_page(p, lines, feed);
    p->at_end = true;
    for (int i = 0; i < count; i++) p->at_end = p->at_end && files[i].done;
    return true;
}

/* A page that nothing is left for counts, unless the one before it met the end of the input. */
static void tell_page_count(const pager *p) {
    uint64_t count = p->page - p->at_end;
    if (count < p->first_page && p->first_page > 1)
        g_warn("starting page number %llu exceeds page count %llu",
               (unsigned long long)p->first_page, (unsigned long long)count);
}

/* Options */

static int positive(const char *text, const char *problem) {
    uint64_t value;
    if (g_parse_unsigned(text, "", &value, NULL) == G_NUMBER_OK && value == 0)
        g_die_errno(1, ERANGE, "%s: %s", problem, g_quote(text));
    return (int)g_number(text, "", 1, INT32_MAX, problem);
}

/* "[CHAR[NUMBER]]" of -e, -i and -n. */
static void char_and_number(const char *arg, char option, char *c, int *number) {
    if (!arg) return;
    if (!isdigit((unsigned char)*arg)) *c = *arg++;
    if (!*arg) return;
    uint64_t value;
    if (g_parse_unsigned(arg, "", &value, NULL) != G_NUMBER_OK || value == 0 || value > 1000) {
        g_warn("'-%c' extra characters or invalid number in the argument: %s", option,
               g_quote(arg));
        g_usage(NULL);
    }
    *number = (int)value;
}

static bool page_range(pager *p, const char *text) {
    const char *end;
    uint64_t first, last = UINT64_MAX;
    if (g_parse_unsigned(text, "", &first, &end) != G_NUMBER_OK || end == text) return false;
    if (*end == ':' && g_parse_unsigned(end + 1, "", &last, &end) != G_NUMBER_OK) return false;
    if (*end || first == 0 || last < first) return false;
    p->first_page = first;
    p->last_page = last;
    return true;
}

/* What the options said besides the pager's own settings. */
struct asked {
    bool separator, old_separator, old_width; /* -S, -s, -w */
    bool columns_given;
    g_text columns; /* digits of -COLUMN */
};

static void settle(pager *p, const struct asked *asked, int files) {
    bool has_separator = asked->separator, old_separator = asked->old_separator;
    bool old_width = asked->old_width;
    if (p->merge) p->columns = files;
    if (old_width && p->columns == 1 && (p->merge || asked->columns_given)) p->truncate = !p->join;
    if (old_width && p->columns == 1 && !p->merge) old_width = false;
    if (!has_separator && old_separator && !old_width && !p->truncate &&
        (p->merge || p->columns > 1))
        p->join = true;
    if (old_separator) has_separator = true;
    p->body = p->length - HEADER_LINES - FOOTER_LINES;
    if (p->body <= 0) {
        p->headers = false;
        p->keep_form_feed = true;
    }
    if (!p->headers) p->body = p->length;
    if (p->double_space) p->body = p->body < 2 ? 2 : p->body / 2 * 2;
    if (p->columns > 1) {
        if (!has_separator) {
            p->separator = p->join ? "\t" : " ";
            p->separator_len = 1;
        } else if (!p->join && strcmp(p->separator, "\t") == 0) {
            p->separator = " ";
        }
        p->truncate = !p->join;
        p->align = !p->join;
        if (strcmp(p->separator, "\t") != 0) p->expand = true;
        p->compress = true;
    }
    p->number_width = !p->number              ? 0
                      : p->number_end == '\t' ? p->digits / 8 * 8 + 8
                                              : p->digits + 1;
    int room =
        p->width - (p->merge ? p->number_width : 0) - (p->columns - 1) * (int)p->separator_len;
    p->column_width = room / p->columns;
    if (p->column_width < 1) g_die(1, "page width too narrow");
}

enum { PAGES = 256, COLUMNS };
static const g_long longs[] = {{"pages", PAGES, G_REQUIRED},
                               {"columns", COLUMNS, G_REQUIRED},
                               {"across", 'a', G_NONE},
                               {"show-control-chars", 'c', G_NONE},
                               {"double-space", 'd', G_NONE},
                               {"date-format", 'D', G_REQUIRED},
                               {"expand-tabs", 'e', G_OPTIONAL},
                               {"form-feed", 'f', G_NONE},
                               {"header", 'h', G_REQUIRED},
                               {"output-tabs", 'i', G_OPTIONAL},
                               {"join-lines", 'J', G_NONE},
                               {"length", 'l', G_REQUIRED},
                               {"merge", 'm', G_NONE},
                               {"number-lines", 'n', G_OPTIONAL},
                               {"first-line-number", 'N', G_REQUIRED},
                               {"indent", 'o', G_REQUIRED},
                               {"no-file-warnings", 'r', G_NONE},
                               {"separator", 's', G_OPTIONAL},
                               {"sep-string", 'S', G_OPTIONAL},
                               {"omit-header", 't', G_NONE},
                               {"omit-pagination", 'T', G_NONE},
                               {"show-nonprinting", 'v', G_NONE},
                               {"width", 'w', G_REQUIRED},
                               {"page-width", 'W', G_REQUIRED},
                               {0}};

static void one_option(pager *p, struct asked *asked, const g_options *o, int option) {
    switch (option) {
    case PAGES:
        if (!page_range(p, o->arg)) g_die(1, "invalid page range %s", g_quote(o->arg));
        break;
    case COLUMNS:
        p->columns = positive(o->arg, "invalid number of columns");
        asked->columns_given = true;
        asked->columns.len = 0;
        break;
    case 'a': p->across = true; break;
    case 'b': break; /* balanced columns: always */
    case 'c': p->controls = true; break;
    case 'd': p->double_space = true; break;
    case 'D': p->date_format = o->arg; break;
    case 'e':
        char_and_number(o->arg, 'e', &p->tab_in, &p->tab_in_width);
        p->expand = true;
        break;
    case 'f':
    case 'F': p->form_feed = true; break;
    case 'h': p->header = o->arg; break;
    case 'i':
        char_and_number(o->arg, 'i', &p->tab_out, &p->tab_out_width);
        p->compress = true;
        break;
    case 'J': p->join = true; break;
    case 'l': p->length = positive(o->arg, "'-l PAGE_LENGTH' invalid number of lines"); break;
    case 'm': p->merge = true; break;
    case 'n':
        p->number = true;
        char_and_number(o->arg, 'n', &p->number_end, &p->digits);
        break;
    case 'N':
        p->has_first_number = true;
        if (g_parse_signed(o->arg, "", &p->first_number, NULL) != G_NUMBER_OK)
            g_die(1, "'-N NUMBER' invalid starting line number: %s", g_quote(o->arg));
        break;
    case 'o':
        p->margin = (int)g_number(o->arg, "", 0, INT32_MAX, "'-o MARGIN' invalid line offset");
        break;
    case 'r': p->quiet = true; break;
    case 's':
        asked->old_separator = true;
        if (!asked->separator) {
            p->separator = o->arg ? o->arg : "\t";
            p->separator_len = strlen(p->separator);
        }
        break;
    case 'S':
        asked->separator = true;
        p->separator = o->arg ? o->arg : "";
        p->separator_len = strlen(p->separator);
        break;
    case 't':
        p->headers = false;
        p->keep_form_feed = true;
        break;
    case 'T':
        p->headers = false;
        p->keep_form_feed = false;
        break;
    case 'v': p->octal = true; break;
    case 'w':
        asked->old_width = true;
        p->width = positive(o->arg, "'-w PAGE_WIDTH' invalid number of characters");
        break;
    case 'W':
        p->truncate = true;
        p->width = positive(o->arg, "'-W PAGE_WIDTH' invalid number of characters");
        break;
    default: /* -COLUMN */ g_text_addc(&asked->columns, (char)option); asked->columns_given = true;
    }
}

/* -m: all files beside each other. */
static int print_merged(pager *p, const struct asked *asked, char **names, int count) {
    source *files = g_resize(NULL, (size_t)count, sizeof *files);
    int open_files = 0, status = 0;
    for (int i = 0; i < count; i++) {
        if (open_source(p, &files[open_files], names[i]))
            open_files++;
        else
            status = 1;
    }
    if (open_files == 0) return status;
    settle(p, asked, open_files);
    p->line_number = p->first_number;
    p->page = 1;
    set_title(p, "-", open_files == 1 ? files[0].fd : STDIN_FILENO);
    while (p->page <= p->last_page && put_merged_page(p, files, open_files)) {
    }
    tell_page_count(p);
    for (int i = 0; i < open_files; i++) status |= !close_source(&files[i]);
    return status;
}

static int print_file(pager *p, const char *name) {
    source src;
    if (!open_source(p, &src, name)) return 1;
    set_title(p, name, src.fd);
    p->page = 1;
    p->at_end = false;
    p->line_number = p->first_number;
    while (p->page <= p->last_page && put_page(p, &src)) {
    }
    tell_page_count(p);
    return !close_source(&src);
}

int pr_main(int argc, char **argv) {
    pager p = {.columns = 1,
               .length = 66,
               .width = 72,
               .headers = true,
               .first_page = 1,
               .last_page = UINT64_MAX,
               .first_number = 1,
               .tab_in = '\t',
               .tab_out = '\t',
               .number_end = '\t',
               .tab_in_width = 8,
               .tab_out_width = 8,
               .digits = 5,
               .separator = "",
               .page = 1};
    struct asked asked = {0};
    g_options o =
        g_options_of(argc, argv, "0123456789D:FJN:S::TW:abcde::fh:i::l:mn::o:rs::tvw:", longs);
    for (int option; (option = g_option(&o)) >= 0;) one_option(&p, &asked, &o, option);
    if (asked.columns.len) p.columns = positive(asked.columns.s, "invalid number of columns");
    if (p.merge && asked.columns_given)
        g_die(1, "cannot specify number of columns when printing in parallel");
    if (p.merge && p.across)
        g_die(1, "cannot specify both printing across and printing in parallel");
    int count = 0, status = 0;
    static char *standard_input[] = {"-", NULL};
    char **names = argv + o.at;
    for (int i = o.at; i < argc; i++)
        if (argv[i][0] != '+' || !page_range(&p, argv[i] + 1)) names[count++] = argv[i];
    if (count == 0) {
        names = standard_input;
        count = 1;
    }
    if (p.merge) return print_merged(&p, &asked, names, count);
    settle(&p, &asked, 1);
    for (int i = 0; i < count; i++) status |= print_file(&p, names[i]);
    return status;
}
