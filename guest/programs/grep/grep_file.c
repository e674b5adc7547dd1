/*
 * grep_file.c: goes through one file and prints what is selected, with its context.
 *
 * The file is read in blocks of whole lines. In front of a block stay the lines that may still be
 * printed as leading context. Positions are offsets in the buffer; `base` is where the buffer's
 * first byte lies in the file.
 */
#include "g_in.h"
#include "g_out.h"
#include "g_quote.h"
#include "grep.h"
#include "lib/utf8/utf8.h"
#include "pf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK (96u << 10)

typedef struct {
    grep_options *o;
    grep_matcher *m;
    const char *name; /* as shown */
    int fd;
    char *buf;
    size_t len, cap;    /* bytes in the buffer */
    uint64_t base;
    uint64_t line;      /* number of the line at `counted` */
    size_t counted;     /* offset up to which lines are counted */
    size_t printed;     /* offset up to which lines were printed (or need not be) */
    bool any_printed;
    bool gap; /* lines behind the printed ones are gone from the buffer */
    int number_width;   /* -T: of line numbers and offsets */
    int64_t pending;    /* lines of trailing context still to print */
    int64_t selected;   /* lines selected so far */
    bool binary;        /* a NUL was seen: nothing more is printed, the file is only named */
    bool hidden;        /* a selected line could not be printed */
    bool done;
} scan;

static void color_on(const scan *s, const char *color) {
    if (s->o->color && *color) {
        g_outs("\33[");
        g_outs(color);
        g_outs("m\33[K");
    }
}

static void color_off(const scan *s, const char *color) {
    if (s->o->color && *color) g_outs("\33[m\33[K");
}

static void put_colored(const scan *s, const char *color, const char *text, size_t len) {
    color_on(s, color);
    g_out(text, len);
    color_off(s, color);
}

static void put_separator(const scan *s, char c) {
    put_colored(s, s->o->color_separator, &c, 1);
}

static void put_name(const scan *s) {
    put_colored(s, s->o->color_file, s->name, strlen(s->name));
}

static void put_number(const scan *s, const char *color, uint64_t value, int width) {
    char text[32];
    size_t at = sizeof text;
    do {
        text[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    while ((int)(sizeof text - at) < width) text[--at] = ' ';
    put_colored(s, color, text + at, sizeof text - at);
}

static uint64_t line_number(scan *s, size_t at) {
    const char *p = s->buf + s->counted, *end = s->buf + at;
    while (p < end && (p = memchr(p, s->o->end, (size_t)(end - p)))) {
        s->line++;
        p++;
    }
    s->counted = at;
    return s->line;
}

/* What stands in front of a line: file, line number, offset, each followed by `mark`. */
static void put_head(scan *s, size_t line, size_t at, char mark) {
    const grep_options *o = s->o;
    bool any = false;
    if (o->with_names > 0) {
        put_name(s);
        if (o->name_nul) g_outc('\0');
        else put_separator(s, mark);
        any = !o->name_nul;
    }
    if (o->line_numbers) {
        put_number(s, o->color_line, line_number(s, line), s->number_width);
        put_separator(s, mark);
        any = true;
    }
    if (o->byte_offsets) {
        put_number(s, o->color_byte, s->base + at, s->number_width);
        put_separator(s, mark);
        any = true;
    }
    if (o->align_tabs && any) g_outc('\t');
}

/* Whether a line can go to a terminal as text. */
static bool printable(const scan *s, const char *text, size_t len) {
    if (s->o->binary == BINARY_TEXT || !g_utf8_locale()) return true;
    return pf_utf8_valid_len(text, len) == len;
}

/* The next match in a line that is not empty, from *from on, which moves behind it. */
static bool next_shown(scan *s, const char *line, size_t len, size_t *from, pf_range *match) {
    while (*from <= len && grep_next_match(s->m, line, len, *from, match)) {
        bool empty = match->end == match->start;
        *from = (size_t)match->end + empty;
        if (!empty) return true;
    }
    return false;
}

static void put_matches(scan *s, size_t start, size_t end, char mark) {
    const char *line = s->buf + start;
    size_t len = end - start;
    pf_range match;
    for (size_t from = 0; next_shown(s, line, len, &from, &match);) {
        size_t a = (size_t)match.start, b = (size_t)match.end;
        if (!printable(s, line + a, b - a)) {
            s->hidden = true;
            break;
        }
        put_head(s, start, start + a, mark);
        put_colored(s, s->o->color_match, line + a, b - a);
        g_outc(s->o->end);
    }
}

static void put_colored_line(scan *s, size_t start, size_t end) {
    const char *line = s->buf + start;
    size_t len = end - start, at = 0;
    pf_range match;
    for (size_t from = 0; next_shown(s, line, len, &from, &match);) {
        size_t a = (size_t)match.start, b = (size_t)match.end;
        g_out(line + at, a - at);
        put_colored(s, s->o->color_match, line + a, b - a);
        at = b;
    }
    g_out(line + at, len - at);
}

/* One line, [start, end) without its terminator. `mark` is ':' when selected, '-' as context. */
static void put_line(scan *s, size_t start, size_t end, char mark) {
    const grep_options *o = s->o;
    if (!o->only_matching && !printable(s, s->buf + start, end - start)) {
        s->hidden = true;
        return;
    }
    bool matching = (mark == ':') != o->invert;
    if (o->only_matching) {
        if (matching) put_matches(s, start, end, mark);
    } else {
        put_head(s, start, start, mark);
        if (o->color && matching) put_colored_line(s, start, end);
        else g_out(s->buf + start, end - start);
        g_outc(o->end);
    }
    if (o->line_buffered) g_out_flush();
    s->any_printed = s->o->any_printed = true;
}

static size_t end_of_line(const scan *s, size_t start) {
    const char *end = memchr(s->buf + start, s->o->end, s->len - start);
    return end ? (size_t)(end - s->buf) : s->len;
}

/* Trailing context up to `limit`, the beginning of a line. */
static void put_pending(scan *s, size_t limit) {
    while (s->pending > 0 && s->printed < limit) {
        size_t end = end_of_line(s, s->printed);
        put_line(s, s->printed, end, '-');
        s->printed = end + 1;
        s->pending--;
    }
}

/* Where the `count` lines in front of `at` begin, not before `floor`. */
static size_t lines_before(const scan *s, size_t at, size_t floor, int64_t count) {
    while (count-- > 0 && at > floor) {
        const char *before =
            at > floor + 1 ? memrchr(s->buf + floor, s->o->end, at - 1 - floor) : NULL;
        at = before ? (size_t)(before + 1 - s->buf) : floor;
    }
    return at;
}

static bool prints_lines(const scan *s) {
    const grep_options *o = s->o;
    return !o->count && !o->quiet && o->list == LIST_NOTHING && !s->binary;
}

/* One selected line at [start, end). */
static void select_line(scan *s, size_t start, size_t end) {
    const grep_options *o = s->o;
    s->selected++;
    if (prints_lines(s)) {
        put_pending(s, start);
        size_t from = lines_before(s, start, s->printed, o->before);
        if (o->any_printed && o->context && o->separator &&
            (from > s->printed || s->gap || !s->any_printed)) {
            put_colored(s, o->color_separator, o->separator, strlen(o->separator));
            g_outc('\n');
        }
        s->gap = false;
        s->printed = from;
        while (s->printed < start) {
            size_t line_end = end_of_line(s, s->printed);
            put_line(s, s->printed, line_end, '-');
            s->printed = line_end + 1;
        }
        put_line(s, start, end, ':');
        s->printed = end + 1;
        s->pending = o->after;
    } else if (!o->count || o->quiet || o->list != LIST_NOTHING) {
        s->done = true; /* one is enough to know */
    }
    if (o->max_count >= 0 && s->selected >= o->max_count) s->done = true;
}

/* Lines [from, to) that are all selected or all not. */
static void select_range(scan *s, size_t from, size_t to) {
    const grep_options *o = s->o;
    bool plain = prints_lines(s) && !o->with_names && !o->line_numbers && !o->byte_offsets &&
                 !o->color && !o->only_matching && !o->before && !o->after && o->max_count < 0 &&
                 !o->line_buffered && from < to && printable(s, s->buf + from, to - from);
    if (plain) { /* everything at once */
        g_out(s->buf + from, to - from);
        s->printed = to;
        s->selected++;
        return;
    }
    while (from < to && !s->done) {
        size_t end = end_of_line(s, from);
        select_line(s, from, end);
        from = end + 1;
    }
}

/* The block [from, limit) of whole lines. */
static void scan_block(scan *s, size_t from, size_t limit) {
    const grep_options *o = s->o;
    pf_range line;
    int steps = 0;
    while (!s->done && from < limit && grep_next_line(s->m, s->buf, limit, from, &line)) {
        size_t start = (size_t)line.start, end = (size_t)line.end;
        if (o->invert) select_range(s, from, start);
        else select_line(s, start, end);
        from = end + 1;
        if (++steps % 512 == 0) pf_yield();
    }
    if (o->invert && !s->done) select_range(s, from, limit);
    if (!s->done || o->max_count >= 0) {
        /* What follows -m's last line is context, though it may match. */
        if (prints_lines(s)) put_pending(s, limit);
    }
}

/* Moves what is kept to the front: from the earliest line that may still be printed. */
static void make_room(scan *s, size_t keep) {
    if (s->counted < keep && s->o->line_numbers) line_number(s, keep);
    memmove(s->buf, s->buf + keep, s->len - keep);
    s->len -= keep;
    s->base += keep;
    s->counted = s->counted > keep ? s->counted - keep : 0;
    if (s->printed < keep) s->gap = true;
    s->printed = s->printed > keep ? s->printed - keep : 0;
    if (s->cap - s->len < BLOCK) {
        s->cap = s->cap * 2 + BLOCK;
        s->buf = g_realloc(s->buf, s->cap + 1);
    }
}

static void look_for_nul(scan *s, size_t from) {
    const grep_options *o = s->o;
    if (s->binary || o->binary == BINARY_TEXT || o->end == '\0') return;
    if (memchr(s->buf + from, '\0', s->len - from)) s->binary = true;
}

/* NUL bytes end lines in a binary file, so that one match does not name the whole of it. */
static void split_at_nul(scan *s, size_t from) {
    if (!s->binary) return;
    char *p = s->buf + from, *end = s->buf + s->len;
    while (p < end && (p = memchr(p, '\0', (size_t)(end - p)))) *p++ = '\n';
}

static int scan_all(scan *s) {
    size_t unscanned = 0; /* offset of the first line not looked at */
    for (;;) {
        size_t keep = unscanned;
        if (s->o->before > 0)
            keep = lines_before(s, unscanned, s->printed < unscanned ? s->printed : unscanned,
                                s->o->before);
        if (s->pending > 0 && s->printed < keep) keep = s->printed;
        make_room(s, keep);
        unscanned -= keep;
        size_t had = s->len;
        ssize_t n = g_read(s->fd, s->buf + s->len, s->cap - s->len);
        if (n < 0) return errno;
        s->len += (size_t)n;
        look_for_nul(s, had);
        if (s->binary && s->o->binary == BINARY_SKIP) {
            s->selected = 0;
            return 0;
        }
        split_at_nul(s, had);
        size_t limit = s->len;
        if (n == 0) {
            if (s->len > unscanned && s->buf[s->len - 1] != s->o->end) {
                s->buf[s->len++] = s->o->end; /* a last line without its end */
                limit = s->len;
            }
        } else {
            const char *last = memrchr(s->buf + had, s->o->end, (size_t)n);
            if (!last) continue;
            limit = (size_t)(last + 1 - s->buf);
        }
        scan_block(s, unscanned, limit);
        unscanned = limit;
        if (n == 0 || (s->done && s->pending <= 0)) return 0;
    }
}

static bool is_output(const grep_options *o, const struct stat *st) {
    return o->out_known && S_ISREG(st->st_mode) && (uint64_t)st->st_ino == o->out_ino &&
           (uint64_t)st->st_dev == o->out_dev && !o->quiet && o->list == LIST_NOTHING &&
           o->max_count != 0;
}

static void put_result(scan *s) {
    const grep_options *o = s->o;
    if (o->count && !o->quiet && o->list == LIST_NOTHING) {
        if (o->with_names > 0) {
            put_name(s);
            if (o->name_nul) g_outc('\0');
            else put_separator(s, ':');
        }
        g_out_decimal((uint64_t)s->selected);
        g_outc('\n');
        if (o->line_buffered) g_out_flush();
    }
    bool listed =
        o->list == LIST_MATCHING ? s->selected > 0 : o->list == LIST_OTHERS && s->selected == 0;
    if (listed && !o->quiet) {
        put_name(s);
        g_outc(o->name_nul ? '\0' : '\n');
        if (o->line_buffered) g_out_flush();
    }
    bool unseen = s->hidden || (s->binary && s->selected > 0);
    if (unseen && o->binary == BINARY_REPORT && !o->count && !o->quiet && o->list == LIST_NOTHING)
        g_warn("%s: binary file matches", s->name);
}

bool grep_file(grep_options *o, grep_matcher *m, int fd, const char *name) {
    struct stat st;
    scan s = {.o = o, .m = m, .name = name, .fd = fd, .line = 1};
    o->file = name;
    if (fstat(fd, &st) == 0 && is_output(o, &st) &&
        (fd != STDIN_FILENO || lseek(fd, 0, SEEK_CUR) < st.st_size)) {
        if (!o->no_messages) g_warn("%s: input file is also the output", g_quotef(name));
        o->failed = true;
        return false;
    }
    if (o->align_tabs) { /* wide enough for any position in the file */
        s.number_width = S_ISREG(st.st_mode) ? 1 : 19;
        for (int64_t size = S_ISREG(st.st_mode) ? st.st_size : 0; size >= 10; size /= 10)
            s.number_width++;
    }
    int error = 0;
    if (o->max_count != 0) error = scan_all(&s);
    if (error) {
        if (!o->no_messages) g_warn_errno(error, "%s", name);
        o->failed = true;
    }
    if (!error || s.selected > 0) put_result(&s);
    /* Leave standard input behind the last line that was used. */
    if (fd == STDIN_FILENO && s.done && S_ISREG(st.st_mode) && o->max_count >= 0)
        lseek(fd, (off_t)(s.base + s.printed), SEEK_SET);
    free(s.buf);
    return s.selected > 0;
}
