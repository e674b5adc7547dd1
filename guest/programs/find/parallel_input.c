/*
 * parallel_input.c: the arguments of the jobs, from ::: lists, files and standard input.
 */
#include "parallel.h"
#include "g_in.h"
#include "lib/regex/regex.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

void words_add(words *list, char *text) {
    if (list->n == list->cap) list->v = g_more(list->v, &list->cap, sizeof *list->v);
    list->v[list->n++] = text;
}

void parallel_add_source(parallel *p, bool linked) {
    if (p->source_count == p->source_cap)
        p->sources = g_more(p->sources, &p->source_cap, sizeof *p->sources);
    p->sources[p->source_count++] =
        (source){.linked = linked || (p->link && p->source_count > 0), .wraps = p->link && !linked};
}

void parallel_read(parallel *p, const char *file) {
    int fd = strcmp(file, "-") == 0 ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0) g_die(255, "Error: Cannot open input file `%s': %s.", file, strerror(errno));
    g_reader in;
    g_line line;
    g_reader_init(&in, fd, p->end);
    while (g_read_line(&in, &line)) {
        if (p->skip_empty && line.len == 0) continue;
        words_add(&p->sources[p->source_count - 1].values, g_copy_bytes(line.s, line.len));
    }
    g_reader_free(&in);
    if (fd != STDIN_FILENO) close(fd);
}

static char *trimmed(const parallel *p, const char *s, size_t n) {
    bool left = p->trim && strchr(p->trim, 'l'), right = p->trim && strchr(p->trim, 'r');
    while (left && n > 0 && isspace((unsigned char)*s)) s++, n--;
    while (right && n > 0 && isspace((unsigned char)s[n - 1])) n--;
    return g_copy_bytes(s, n);
}

/* A value as columns. */
static void add_columns(const parallel *p, pf_regex *separator, const char *value, words *out) {
    size_t n = strlen(value), from = 0, at = 0;
    pf_range match;
    while (separator && at <= n &&
           pf_regex_search(separator, value, n, at, 0, &match, 1) == PF_RE_OK) {
        if (match.end == match.start) {
            at = (size_t)match.end + 1;
            continue;
        }
        words_add(out, trimmed(p, value + from, (size_t)match.start - from));
        from = at = (size_t)match.end;
    }
    words_add(out, trimmed(p, value + from, n - from));
}

static pf_regex *compile(const parallel *p) {
    pf_regex *re = NULL;
    const char *message;
    if (!p->separator) return NULL;
    const char *text = strcmp(p->separator, "\\t") == 0 ? "\t" : p->separator;
    if (pf_regex_compile(&re, text, strlen(text), PF_RE_EXTENDED, NULL, &message) != PF_RE_OK)
        g_die(255, "Error: --colsep: %s", message);
    return re;
}

static words *new_record(parallel *p) {
    if (p->record_count == p->record_cap)
        p->records = g_more(p->records, &p->record_cap, sizeof *p->records);
    p->records[p->record_count] = (words){0};
    return &p->records[p->record_count++];
}

/* How many values a group of linked sources has: its shortest list, or its longest if they wrap. */
static size_t group_size(const parallel *p, size_t first, size_t *behind) {
    size_t size = p->sources[first].values.n, i = first + 1;
    for (; i < p->source_count && p->sources[i].linked; i++) {
        size_t n = p->sources[i].values.n;
        if (p->sources[i].wraps ? n > size : n < size) size = n;
    }
    *behind = i;
    return size;
}

/* The values of every combination; the last group changes fastest. */
static void combine(parallel *p, pf_regex *separator, size_t group, size_t *chosen) {
    if (group == p->source_count) {
        words *record = new_record(p);
        for (size_t i = 0; i < p->source_count; i++) {
            const words *values = &p->sources[i].values;
            const char *value = values->n ? values->v[chosen[i] % values->n] : "";
            add_columns(p, separator, value, record);
        }
        return;
    }
    size_t behind, size = group_size(p, group, &behind);
    for (size_t k = 0; k < size; k++) {
        for (size_t i = group; i < behind; i++) chosen[i] = k;
        combine(p, separator, behind, chosen);
    }
}

/* The first value of each source is a name for it. */
static void take_header(parallel *p, pf_regex *separator) {
    for (size_t i = 0; i < p->source_count; i++) {
        words *values = &p->sources[i].values;
        if (values->n == 0) continue;
        add_columns(p, separator, values->v[0], &p->names);
        memmove(values->v, values->v + 1, --values->n * sizeof *values->v);
    }
}

/* -N, -m and -X: the arguments of several records for one job. */
static void join_records(parallel *p) {
    size_t n = p->per_job;
    if (p->spread) {
        size_t even = (p->record_count + (size_t)p->jobs - 1) / (size_t)p->jobs;
        if (n == 0 || n > even) n = even;
    }
    if (n < 2) return;
    size_t to = 0;
    for (size_t i = 0; i < p->record_count; i += n) {
        words all = p->records[i];
        for (size_t k = i + 1; k < i + n && k < p->record_count; k++)
            for (size_t c = 0; c < p->records[k].n; c++) words_add(&all, p->records[k].v[c]);
        p->records[to++] = all;
    }
    p->record_count = to;
}

void parallel_make_records(parallel *p) {
    pf_regex *separator = compile(p);
    size_t *chosen = g_zalloc((p->source_count + 1) * sizeof *chosen);
    if (p->header) take_header(p, separator);
    if (p->source_count > 0) combine(p, separator, 0, chosen);
    join_records(p);
    free(chosen);
    pf_regex_free(separator);
}
