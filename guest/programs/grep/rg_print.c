/*
 * rg_print.c: searches one file and prints what was found.
 */
#include "rg.h"
#include "g_in.h"
#include "g_out.h"
#include "pf.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* A file is binary when a NUL byte is in as much as this of its beginning. */
enum { SNIFF = 65536 };
/* Bytes that are searched at a time, and the rest of the line. */
enum { BLOCK = 32768 };

typedef struct {
    rg_options *o;
    const char *name; /* NULL: not shown */
    const char *s;
    size_t len;
    int64_t matches, lines;
    size_t counted; /* line numbers are known up to here */
    int64_t line;
    size_t printed;      /* behind the last line that was printed */
    bool any;            /* something was printed */
    size_t pending_from; /* context after: begins here */
    int64_t pending;
} search;

static void color(const rg_options *o, const char *codes) {
    if (o->color) g_outs(codes);
}

void rg_put_path(const rg_options *o, const char *path) {
    for (; *path; path++) g_outc(*path == '/' && o->path_separator ? o->path_separator : *path);
}

static void put_path(const search *f) {
    color(f->o, "\033[0m\033[35m");
    rg_put_path(f->o, f->name);
    color(f->o, "\033[0m");
}

static int64_t line_number(search *f, size_t at) {
    while (f->counted < at) {
        const char *end = memchr(f->s + f->counted, '\n', at - f->counted);
        if (!end) break;
        f->line++;
        f->counted = (size_t)(end + 1 - f->s);
    }
    return f->line;
}

static void put_number(const search *f, int64_t number, const char *separator) {
    color(f->o, "\033[0m\033[32m");
    g_outf("%lld", (long long)number);
    color(f->o, "\033[0m");
    g_outs(separator);
}

/* Path, line number, column and offset in front of a line. */
static void put_prefix(search *f, size_t at, size_t column, size_t offset, bool match) {
    rg_options *o = f->o;
    const char *separator = match ? o->match_separator : o->context_separator;
    if (f->name && !o->heading) {
        put_path(f);
        if (o->null_names)
            g_outc('\0');
        else
            g_outs(separator);
    }
    if (o->line_numbers > 0) put_number(f, line_number(f, at), separator);
    if (o->column && match) g_outf("%zu%s", column, separator);
    if (o->byte_offset) g_outf("%zu%s", offset, separator);
}

/* Before the first line of a file, and where lines are left out. */
static void begin_lines(search *f, size_t at) {
    rg_options *o = f->o;
    bool context = o->before > 0 || o->after > 0;
    if (!f->any) {
        if (o->heading) {
            if (o->printed_file) g_outc('\n');
            if (f->name) {
                put_path(f);
                g_outc('\n');
            }
        } else if (context && o->printed_file && o->separator) {
            g_outf("%s\n", o->separator);
        }
    } else if (context && at > f->printed && o->separator) {
        g_outf("%s\n", o->separator);
    }
    f->any = o->printed_file = true;
}

static void put_line_text(const search *f, size_t from, size_t to) {
    if (f->o->trim)
        while (from < to && (f->s[from] == ' ' || f->s[from] == '\t')) from++;
    g_out(f->s + from, to - from);
}

/* $1, ${name}, $0 and $$ of -r. */
static void put_replacement(const search *f, const char *r, const pf_range *groups, size_t count) {
    for (; *r; r++) {
        if (*r != '$') {
            g_outc(*r);
            continue;
        }
        if (r[1] == '$') {
            g_outc('$');
            r++;
            continue;
        }
        bool braces = r[1] == '{';
        const char *name = r + 1 + braces, *end = name;
        while (braces ? *end && *end != '}' : isalnum((unsigned char)*end) || *end == '_') end++;
        if (end == name) {
            g_outc('$');
            continue;
        }
        char *stop;
        long number = strtol(name, &stop, 10);
        if (stop != end) number = rg_regex_group(name, (size_t)(end - name));
        if (number >= 0 && (size_t)number < count && groups[number].start >= 0)
            g_out(f->s + groups[number].start, (size_t)(groups[number].end - groups[number].start));
        r = braces ? end : end - 1;
    }
}

static size_t step(const search *f, const pf_range *match) {
    size_t end = (size_t)match->end;
    if (match->end > match->start) return end;
    end++;
    while (end < f->len && ((unsigned char)f->s[end] & 0xc0) == 0x80) end++;
    return end;
}

/* Whether what is to be printed, with its line end, has more than -M allows. */
static bool too_long(const search *f, size_t len) {
    return f->o->max_columns > 0 && (int64_t)len > f->o->max_columns;
}

static void put_matched(search *f, size_t from, size_t to);

/* What stands for a line that is too long. `matches`: they are known, and not only that it has
 * some. */
static void put_long(search *f, size_t from, size_t to, bool context, bool matches) {
    rg_options *o = f->o;
    size_t cut = to, count, after = 0, all = 0;
    if (o->preview) { /* -M characters of it */
        cut = from;
        for (int64_t shown = 0; cut < to && shown < o->max_columns; shown++) do
                cut++;
            while (cut < to && ((unsigned char)f->s[cut] & 0xc0) == 0x80);
    }
    pf_range g[RG_GROUPS];
    for (size_t look = from; matches && rg_regex_search(to, look, g, &count);
         look = step(f, &g[0])) {
        all++;
        after += (size_t)g[0].start >= cut;
    }
    if (!o->preview) {
        if (matches)
            g_outf("[Omitted long line with %zu matches]", all);
        else
            g_outs(context ? "[Omitted long context line]" : "[Omitted long matching line]");
        return;
    }
    if (matches && !o->only_matching)
        put_matched(f, from, cut);
    else
        g_out(f->s + from, cut - from);
    if (matches)
        g_outf(" [... %zu more match%s]", after, after == 1 ? "" : "es");
    else
        g_outs(" [... omitted end of long line]");
}

/* The text of a line, with its matches coloured or replaced. */
static void put_matched(search *f, size_t from, size_t to) {
    rg_options *o = f->o;
    size_t at = from, count;
    if (o->trim)
        while (at < to && (f->s[at] == ' ' || f->s[at] == '\t')) at++;
    pf_range g[RG_GROUPS];
    for (size_t look = at; rg_regex_search(to, look, g, &count);) {
        size_t start = (size_t)g[0].start, end = (size_t)g[0].end;
        if (start >= at) {
            g_out(f->s + at, start - at);
            if (o->replacement || end > start) color(o, "\033[0m\033[1m\033[31m");
            if (o->replacement)
                put_replacement(f, o->replacement, g, count);
            else
                g_out(f->s + start, end - start);
            if (o->replacement || end > start) color(o, "\033[0m");
            at = end;
        }
        look = step(f, &g[0]);
    }
    if (at < to) g_out(f->s + at, to - at);
}

static size_t line_end(const search *f, size_t at) {
    const char *end = memchr(f->s + at, '\n', f->len - at);
    return end ? (size_t)(end - f->s) : f->len;
}

static void put_newline(size_t end) {
    (void)end;
    g_outc('\n');
}

static void put_only_matches(search *f, size_t from, size_t to) {
    rg_options *o = f->o;
    size_t count;
    pf_range g[RG_GROUPS];
    for (size_t look = from; rg_regex_search(to, look, g, &count); look = step(f, &g[0])) {
        size_t start = (size_t)g[0].start, end = (size_t)g[0].end;
        if (end == start && !o->vimgrep) continue;
        begin_lines(f, from);
        put_prefix(f, o->multiline ? start : from, start - from + 1, start, true);
        if (o->vimgrep && too_long(f, to + 1 - from)) {
            put_long(f, from, to, false, true);
        } else if (o->vimgrep) {
            put_matched(f, from, to);
        } else if (too_long(f, end - start)) {
            put_long(f, start, end, false, o->preview);
        } else {
            color(o, "\033[0m\033[1m\033[31m");
            if (o->replacement)
                put_replacement(f, o->replacement, g, count);
            else
                g_out(f->s + start, end - start);
            color(o, "\033[0m");
        }
        g_outc('\n');
    }
    f->printed = to + 1;
}

static void put_context(search *f, size_t from, size_t to) {
    while (from < to) {
        size_t end = line_end(f, from);
        begin_lines(f, from);
        put_prefix(f, from, 0, from, false);
        if (too_long(f, end + 1 - from))
            put_long(f, from, end, true, false);
        else
            put_line_text(f, from, end);
        put_newline(end);
        f->printed = end + 1;
        from = end + 1;
    }
}

static size_t back(const search *f, size_t from, int64_t lines, size_t limit) {
    while (lines-- > 0 && from > limit) {
        const char *end = from >= 2 ? memrchr(f->s, '\n', from - 1) : NULL;
        from = end ? (size_t)(end + 1 - f->s) : 0;
    }
    return from < limit ? limit : from;
}

/* Context behind the last match, up to `limit`. */
static void put_pending(search *f, size_t limit) {
    size_t from = f->pending_from;
    for (; f->pending > 0 && from < limit && from < f->len; f->pending--) {
        size_t end = line_end(f, from);
        put_context(f, from, end + 1 < f->len ? end + 1 : f->len);
        from = end + 1;
    }
    f->pending = 0;
}

/* One selected line, or with -U several. */
static void selected(search *f, size_t from, size_t to) {
    rg_options *o = f->o;
    f->lines++;
    o->matched = true;
    if (o->count_matches || o->count) {
        size_t count;
        pf_range g[RG_GROUPS];
        if (o->count_matches && !o->invert)
            for (size_t look = from; rg_regex_search(to, look, g, &count); look = step(f, &g[0]))
                f->matches++;
        else
            f->matches++;
        return;
    }
    if (o->quiet || o->files_with || o->files_without) return;
    put_pending(f, from);
    if (o->before > 0) put_context(f, back(f, from, o->before, f->printed), from);
    if ((o->only_matching || o->vimgrep) && !o->invert) {
        put_only_matches(f, from, to);
    } else {
        size_t column = 1, count;
        pf_range g[RG_GROUPS];
        if (o->column && !o->invert && rg_regex_search(to, from, g, &count))
            column = (size_t)g[0].start - from + 1;
        for (size_t at = from; at <= to;) {
            size_t end = line_end(f, at);
            if (end > to) end = to;
            begin_lines(f, at);
            put_prefix(f, at, column, at, true);
            if (too_long(f, end + 1 - at))
                put_long(f, at, end, false,
                         (o->color || o->replacement || o->column) && !o->invert);
            else if ((o->color || o->replacement) && !o->invert)
                put_matched(f, at, end);
            else
                put_line_text(f, at, end);
            put_newline(end);
            at = end + 1;
        }
    }
    f->printed = to + 1;
    f->pending = o->after;
    f->pending_from = to + 1;
}

/* The next selected line from `at` on; what a match covers may be several lines with -U. */
static bool next_selected(search *f, size_t at, size_t *from, size_t *to) {
    size_t count;
    pf_range g[RG_GROUPS];
    while (at < f->len) {
        /* PCRE2 looks ahead for characters that a match needs: bounded, for many matches. */
        size_t stop = f->len - at > BLOCK && rg_regex_by_line() ? line_end(f, at + BLOCK) : f->len;
        if (!rg_regex_search(stop, at, g, &count)) {
            at = stop + 1;
            continue;
        }
        size_t start = (size_t)g[0].start, end = (size_t)g[0].end;
        if (start >= f->len && f->s[f->len - 1] == '\n') return false;
        const char *before = start > 0 ? memrchr(f->s, '\n', start) : NULL;
        *from = before ? (size_t)(before + 1 - f->s) : 0;
        *to = line_end(f, f->o->multiline && end > start && f->s[end - 1] == '\n' ? end - 1
                          : f->o->multiline                                       ? end
                                                                                  : *from);
        if (f->o->multiline || end <= *to) return true;
        /* It went over the line's end: look at the line alone. */
        if (rg_regex_search(*to, *from, g, &count)) return true;
        at = *to + 1;
    }
    return false;
}

static void search_text(search *f) {
    rg_options *o = f->o;
    size_t at = 0;
    while (at < f->len && !(o->max_count >= 0 && f->lines >= o->max_count)) {
        size_t from, to;
        bool found = next_selected(f, at, &from, &to);
        if (!o->invert) {
            if (!found) break;
            if (o->passthru) put_context(f, at, from);
            selected(f, from, to);
            at = to + 1;
        } else {
            size_t stop = found ? from : f->len;
            while (at < stop && !(o->max_count >= 0 && f->lines >= o->max_count)) {
                size_t end = line_end(f, at);
                selected(f, at, end);
                at = end + 1;
            }
            if (!found) break;
            at = to + 1;
        }
        if (o->matched && f->lines > 0 && (o->quiet || o->files_with || o->files_without)) return;
        pf_yield();
    }
    if (o->passthru)
        put_context(f, at, f->len);
    else
        put_pending(f, f->len);
}

static void put_result(search *f) {
    rg_options *o = f->o;
    if (o->quiet) return;
    if (o->files_with || o->files_without) {
        if ((f->lines > 0) == o->files_without || !f->name) return;
        put_path(f);
        g_outc(o->null_names ? '\0' : '\n');
    } else if ((o->count || o->count_matches) && f->matches > 0) {
        if (f->name) {
            put_path(f);
            g_outc(o->null_names ? '\0' : ':');
        }
        g_outf("%lld\n", (long long)f->matches);
    }
}

void rg_search_file(rg_options *o, int fd, const char *name, bool given) {
    size_t len;
    char *s = g_read_all(fd, &len);
    o->searched = true;
    if (!s) {
        if (!o->no_messages)
            fprintf(stderr, "%s: %s (os error %d)\n", name ? name : "<stdin>", strerror(errno),
                    errno);
        o->failed = true;
        return;
    }
    bool always_named = o->files_with || o->files_without;
    search f = {.o = o,
                .name = o->show_names || always_named ? (name ? name : "<stdin>") : NULL,
                .s = s,
                .len = len,
                .line = 1};
    rg_regex_text(s, len);
    const char *nul = o->text ? NULL : memchr(s, '\0', given ? len : len < SNIFF ? len : SNIFF);
    if (nul && !given) { /* binary files are passed over */
        free(s);
        return;
    }
    bool summary = o->quiet || o->files_with || o->files_without || o->count || o->count_matches;
    if (nul && !summary) {
        size_t from, to;
        if (next_selected(&f, 0, &from, &to)) {
            o->matched = true;
            if (f.name) g_outf("%s: ", f.name);
            g_outf("binary file matches (found \"\\0\" byte around offset %zu)\n",
                   (size_t)(nul - s));
        }
    } else {
        bool before = o->matched;
        search_text(&f);
        put_result(&f);
        if (o->files_without) o->matched = before || f.lines == 0;
    }
    free(s);
}
