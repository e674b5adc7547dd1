/*
 * csplit.c: splits a file at lines that match.
 *
 * help csplit:
 *   Usage: csplit [OPTION]... FILE PATTERN...
 *   Output pieces of FILE separated by PATTERN(s) to files 'xx00', 'xx01', ..., and output byte
 *   counts of each piece to standard output.
 *
 *     -b, --suffix-format=FORMAT  use sprintf FORMAT instead of %02d
 *     -f, --prefix=PREFIX         use PREFIX instead of 'xx'
 *     -k, --keep-files            do not remove output files on errors
 *         --suppress-matched      suppress the lines matching PATTERN
 *     -n, --digits=DIGITS         use specified number of digits instead of 2
 *     -s, --quiet, --silent       do not print counts of output file sizes
 *     -z, --elide-empty-files     remove empty output files
 *         --help                  display this help and exit
 *         --version               output version information and exit
 *
 *   Each PATTERN may be:
 *     INTEGER            copy up to but not including specified line number
 *     /REGEXP/[OFFSET]   copy up to but not including a matching line
 *     %REGEXP%[OFFSET]   skip to, but not including a matching line
 *     {INTEGER}          repeat the previous pattern specified number of times
 *     {*}                repeat the previous pattern as many times as possible
 */
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"
#include "g_regex.h"
#include "pf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const char *text;
    pf_regex *re; /* NULL: a line number */
    uint64_t line;
    int64_t offset;
    bool skip, forever;
    uint64_t repeat;
} pattern;

typedef struct {
    const char *prefix, *format;
    int digits;
    bool keep, quiet, elide, suppress;
    char *all;
    size_t *starts; /* of lines; starts[count] is the end */
    uint64_t count;
    uint64_t next;    /* first line that is not written yet, from 0 */
    uint64_t current; /* the line where the last search ended, from 1 */
    uint64_t files;
} splitter;

static char *file_name(const splitter *s, uint64_t number) {
    g_text name = {0};
    g_text_adds(&name, s->prefix);
    if (!s->format) {
        g_text_addf(&name, "%0*" PRIu64, s->digits, number);
        return name.s;
    }
    const char *percent = s->format;
    while (*percent && (*percent != '%' || percent[1] == '%')) percent += 1 + (*percent == '%');
    g_text_add(&name, s->format, (size_t)(percent - s->format));
    char spec[32], *t = spec;
    *t++ = *percent++;
    while (*percent && strchr("-+ #0123456789.'", *percent) && t < spec + 20) *t++ = *percent++;
    char text[64];
    *t++ = 'l';
    *t++ = 'l';
    *t++ = *percent == 'i' || *percent == 'd' ? 'd' : *percent;
    *t = '\0';
    snprintf(text, sizeof text, spec, (long long)number);
    g_text_adds(&name, text);
    g_text_adds(&name, percent + 1);
    return name.s;
}

static _Noreturn void fail(splitter *s) {
    for (uint64_t i = 0; !s->keep && i < s->files; i++) {
        char *name = file_name(s, i);
        unlink(name);
        free(name);
    }
    g_exit(1);
}

/* Lines s->next .. end go to the next file, or nowhere. */
static void write_piece(splitter *s, uint64_t end, bool skip) {
    size_t from = s->starts[s->next], len = s->starts[end] - from;
    s->next = end;
    if (skip || (s->elide && len == 0)) return;
    char *name = file_name(s, s->files);
    g_sink sink = {.fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
    if (sink.fd < 0) {
        g_warn_errno(errno, "%s", g_quotef(name));
        fail(s);
    }
    s->files++;
    g_sink_put(&sink, s->all + from, len);
    int error = g_sink_flush(&sink);
    close(sink.fd);
    g_sink_free(&sink);
    if (error) {
        g_warn_errno(error, "write error for %s", g_quote(name));
        fail(s);
    }
    if (!s->quiet) g_outf("%zu\n", len);
    free(name);
}

static _Noreturn void line_error(splitter *s, const pattern *p, uint64_t repetition) {
    g_out_flush();
    char *shown = g_copy_string(g_quote(p->text));
    if (repetition)
        g_warn("%s: line number out of range on repetition %" PRIu64, shown, repetition);
    else
        g_warn("%s: line number out of range", shown);
    if (s->next < s->count) write_piece(s, s->count, false);
    fail(s);
}

static void at_line(splitter *s, const pattern *p, uint64_t repetition) {
    uint64_t last = p->line * (repetition + 1);
    if (last - 1 > s->count) {
        write_piece(s, s->count, false);
        line_error(s, p, repetition);
    }
    if (last - 1 < s->next) last = s->next + 1;
    write_piece(s, last - 1, false);
    if (s->next >= s->count && !s->suppress) line_error(s, p, repetition);
    if (s->suppress && s->next < s->count) s->next++;
    s->current = s->next;
}

/* False when {*} has found everything. */
static bool at_match(splitter *s, const pattern *p, uint64_t repetition) {
    pf_range range;
    uint64_t line = s->current; /* from 0: the line behind the last match */
    for (; line < s->count; line++) {
        size_t start = s->starts[line], end = s->starts[line + 1];
        if (end > start && s->all[end - 1] == '\n') end--;
        if (line % 256 == 0) pf_yield();
        if (pf_regex_search(p->re, s->all + start, end - start, 0, 0, &range, 1) == PF_RE_OK) break;
    }
    if (line == s->count) {
        if (p->forever) {
            write_piece(s, s->count, p->skip);
            return false;
        }
        char *shown = g_copy_string(g_quote(p->text));
        if (!p->skip) write_piece(s, s->count, false);
        g_out_flush();
        if (repetition)
            g_warn("%s: match not found on repetition %" PRIu64, shown, repetition);
        else
            g_warn("%s: match not found", shown);
        fail(s);
    }
    int64_t end = (int64_t)line + p->offset;
    if (end < (int64_t)s->next || end > (int64_t)s->count) {
        /* Behind the end: what is left has been written. Before the beginning: nothing. */
        write_piece(s, end < (int64_t)s->next ? s->next : s->count, p->skip);
        char *shown = g_copy_string(g_quote(p->text));
        g_out_flush();
        g_warn("%s: line number out of range", shown);
        fail(s);
    }
    write_piece(s, (uint64_t)end, p->skip);
    s->current = p->offset > 0 ? (uint64_t)end + 1 : line + 1;
    if (s->suppress && s->next < s->count) s->next++;
    return true;
}

static void read_lines(splitter *s, const char *name) {
    int fd = strcmp(name, "-") == 0 ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    size_t len, cap = 0;
    if (fd < 0) g_die_errno(1, errno, "cannot open %s for reading", g_quoteaf(name));
    s->all = g_read_all(fd, &len);
    if (!s->all) g_die_errno(1, errno, "read error");
    for (size_t at = 0;;) {
        if (s->count == cap) s->starts = g_more(s->starts, &cap, sizeof *s->starts);
        s->starts[s->count] = at;
        if (at == len) break;
        const char *end = memchr(s->all + at, '\n', len - at);
        at = end ? (size_t)(end + 1 - s->all) : len;
        s->count++;
    }
}

static void read_regex(pattern *p, const char *text) {
    const char *close = strrchr(text + 1, *text), *message;
    if (!close) g_die(1, "%s: closing delimiter '%c' missing", text, *text);
    p->skip = *text == '%';
    unsigned flags = PF_RE_LENIENT | (g_utf8_locale() ? 0 : PF_RE_BYTES);
    if (pf_regex_compile(&p->re, text + 1, (size_t)(close - text - 1), flags, &g_regex_host,
                         &message) != PF_RE_OK)
        g_die(1, "%s: invalid regular expression: %s", g_quote(text), message);
    const char *offset = close + 1;
    if (*offset &&
        g_parse_signed(*offset == '+' ? offset + 1 : offset, "", &p->offset, NULL) != G_NUMBER_OK)
        g_die(1, "%s: integer expected after delimiter", g_quote(text));
}

static void read_repeat(pattern *p, const char *text) {
    size_t len = strlen(text);
    if (len < 2 || text[len - 1] != '}')
        g_die(1, "%s: '}' is required in repeat count", g_quote(text));
    if (strcmp(text, "{*}") == 0) {
        p->forever = true;
        return;
    }
    char *copy = g_copy_bytes(text + 1, len - 2);
    if (g_parse_unsigned(copy, "", &p->repeat, NULL) != G_NUMBER_OK)
        g_die(1, "%s}: integer required between '{' and '}'", g_quote_bytes(text, len - 1));
    free(copy);
}

static void read_pattern(pattern *p, char **argv, int *i, int argc) {
    const char *text = argv[*i];
    *p = (pattern){.text = text};
    if (*text == '/' || *text == '%')
        read_regex(p, text);
    else if (g_parse_unsigned(text, "", &p->line, NULL) != G_NUMBER_OK)
        g_die(1, "%s: invalid pattern", g_quote(text));
    else if (p->line == 0)
        g_die(1, "%s: line number must be greater than zero", text);
    if (*i + 1 < argc && argv[*i + 1][0] == '{') read_repeat(p, argv[++*i]);
}

enum { SUPPRESS = 256 };
static const g_long longs[] = {{"digits", 'n', G_REQUIRED},
                               {"quiet", 'q', G_NONE},
                               {"silent", 's', G_NONE},
                               {"keep-files", 'k', G_NONE},
                               {"elide-empty-files", 'z', G_NONE},
                               {"prefix", 'f', G_REQUIRED},
                               {"suffix-format", 'b', G_REQUIRED},
                               {"suppress-matched", SUPPRESS, G_NONE},
                               {0}};

static void check_format(const char *format) {
    const char *s = format;
    while (*s && (*s != '%' || s[1] == '%')) s += 1 + (*s == '%');
    if (!*s) g_die(1, "missing %% conversion specification in suffix");
    s++;
    s += strspn(s, "-+ #0123456789.'");
    if (!*s) g_die(1, "missing conversion specifier in suffix");
    if (!strchr("diouxX", *s)) g_die(1, "invalid conversion specifier in suffix: %c", *s);
    for (s++; *s; s++) {
        if (*s != '%') continue;
        if (s[1] != '%') g_die(1, "too many %% conversion specifications in suffix");
        s++;
    }
}

int csplit_main(int argc, char **argv) {
    splitter s = {.prefix = "xx", .digits = 2};
    g_options o = g_options_of(argc, argv, "f:b:kn:sqz", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'f': s.prefix = o.arg; break;
        case 'b':
            check_format(o.arg);
            s.format = o.arg;
            break;
        case 'k': s.keep = true; break;
        case 'n': s.digits = (int)g_number(o.arg, "", 0, 200, "invalid number"); break;
        case 's':
        case 'q': s.quiet = true; break;
        case 'z': s.elide = true; break;
        case SUPPRESS: s.suppress = true; break;
        }
    if (argc - o.at < 2) g_missing_operand(o.at < argc ? argv[o.at] : NULL);
    const char *file = argv[o.at++];
    pattern *patterns = g_zalloc((size_t)argc * sizeof *patterns);
    size_t count = 0;
    uint64_t last_line = 0;
    for (int i = o.at; i < argc; i++) {
        pattern *p = &patterns[count++];
        read_pattern(p, argv, &i, argc);
        if (p->re) continue;
        if (p->line < last_line)
            g_die(1, "line number %s is smaller than preceding line number, %" PRIu64,
                  g_quote(p->text), last_line);
        if (p->line == last_line)
            g_warn("warning: line number %s is the same as preceding line number",
                   g_quote(p->text));
        last_line = p->line;
    }
    read_lines(&s, file);
    for (size_t i = 0; i < count; i++) {
        pattern *p = &patterns[i];
        for (uint64_t n = 0; p->forever || n <= p->repeat; n++) {
            if (p->re) {
                if (!at_match(&s, p, n)) {
                    return 0;
                }
            } else {
                at_line(&s, p, n);
            }
        }
    }
    write_piece(&s, s.count, false);
    return 0;
}
