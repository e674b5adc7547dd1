/*
 * line_range.c: see line_range.h.
 */
#include "line_range.h"
#include "function.h"

#include "g_regex.h"

ranged_text lines_of(const char *data, size_t size, const char *path) {
    ranged_text text = {NULL, 0, path, size && data[size - 1] != '\n'};
    size_t cap = 0;
    for (size_t at = 0; at < size;) {
        const char *end = memchr(data + at, '\n', size - at);
        size_t len = end ? (size_t)(end - data) - at : size - at;
        if ((size_t)text.count == cap) text.lines = g_more(text.lines, &cap, sizeof *text.lines);
        text.lines[text.count++] = (range_line){data + at, len};
        at += len + 1;
    }
    return text;
}

/* The first line from `from` (0: the first one) that has the pattern; -1: none. */
static long find_line(const ranged_text *text, const char *pattern, long from, bool heads) {
    pf_regex *regex;
    const char *message;
    pf_range found[1];
    if (pf_regex_compile(&regex, pattern, strlen(pattern), PF_RE_NEWLINE, &g_regex_host, &message) != PF_RE_OK)
        die("-L parameter '%s' starting at line %ld: %s", pattern, from + 1, message);
    for (; from < text->count; from++) {
        const range_line *line = &text->lines[from];
        if (pf_regex_search(regex, line->s, line->len, 0, 0, found, 1) != PF_RE_OK) continue;
        if (!heads || is_function_head(line->s, line->len)) break;
    }
    pf_regex_free(regex);
    return from < text->count ? from : -1;
}

/* Behind a pattern that ends with `mark`, or at the end of the text. */
static const char *pattern_end(const char *at, char mark) {
    while (*at && *at != mark) at += 1 + (*at == '\\' && at[1]);
    return at;
}

/* One end of a range. `begin`: below 0, where a search starts; above, the line behind the other end. */
static const char *read_place(const ranged_text *text, const char *at, long begin, long *place) {
    char *end;
    long number;
    if (begin >= 1 && (*at == '+' || *at == '-')) {
        number = strtol(at + 1, &end, 10);
        if (end == at + 1) return at;
        if (!number) die("-L invalid empty range");
        if (*at == '+') *place = begin + number - 2;
        else *place = begin - number > 0 ? begin - number : 1;
        return end;
    }
    number = strtol(at, &end, 10);
    if (end != at) {
        if (number <= 0) die("-L invalid line number: %ld", number);
        *place = number;
        return end;
    }
    if (begin < 0) {
        begin = *at == '^' ? 1 : -begin;
        if (*at == '^') at++;
    }
    const char *close = *at == '/' ? pattern_end(at + 1, '/') : "";
    if (!*close) return at;
    char *pattern = g_copy_bytes(at + 1, (size_t)(close - at - 1));
    long line = find_line(text, pattern, begin - 1, false);
    if (line < 0) die("-L parameter '%s' starting at line %ld: No match", pattern, begin);
    *place = line + 1;
    free(pattern);
    return close + 1;
}

/* ":head": from this head of a function to the next one. */
static bool read_function(const ranged_text *text, const char *at, long anchor, long *first, long *last) {
    if (*at == '^') anchor = 1, at++;
    const char *end = pattern_end(++at, ':');
    if (end == at || *end) return false;
    function_rules(text->path);
    long line = find_line(text, at, anchor - 1, true);
    if (line < 0) die("-L parameter '%s' starting at line %ld: no match", at, anchor);
    *first = *last = line + 1;
    while (*last < text->count && !is_function_head(text->lines[*last].s, text->lines[*last].len)) ++*last;
    return true;
}

bool read_range(const ranged_text *text, const char *range, long anchor, long *first, long *last) {
    *first = *last = 0;
    if (anchor < 1) anchor = 1;
    if (anchor > text->count) anchor = text->count + 1;
    if (*range == ':' || (*range == '^' && range[1] == ':')) return read_function(text, range, anchor, first, last);
    range = read_place(text, range, -anchor, first);
    if (*range == ',') range = read_place(text, range + 1, *first + 1, last);
    if (*range) return false;
    if (*first && *last && *last < *first) {
        long swap = *first;
        *first = *last;
        *last = swap;
    }
    return true;
}

static const char *skip_place(const char *at) {
    if (*at == '+' || *at == '-') at++;
    if (*at == '^') at++;
    if (*at == '/') {
        at = pattern_end(at + 1, '/');
        return at + (*at == '/');
    }
    return at + strspn(at, "0123456789");
}

const char *range_end(const char *argument) {
    const char *at = argument;
    if (*at == ':' || (*at == '^' && at[1] == ':')) {
        at = pattern_end(at + 1 + (*at == '^'), ':');
    } else {
        at = skip_place(at);
        if (*at == ',') at = skip_place(at + 1);
    }
    return *at == ':' && at[1] ? at : NULL;
}
