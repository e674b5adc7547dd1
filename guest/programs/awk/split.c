/*
 * split.c: how text is cut into fields, for records, split() and patsplit().
 */
#include "awk.h"
#include "lib/utf8/utf8.h"

#include <stdlib.h>

static splitter current; /* of records */
static int mode = V_FS;  /* which variable decides: the one set last */
static bool paragraphs;

static size_t char_length(const char *s, size_t len) {
    uint32_t code;
    int n = awk.bytes ? 0 : pf_utf8_decode(s, len, &code);
    return n > 0 ? (size_t)n : 1;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n';
}

static void cut(range *r, size_t start, size_t end) {
    r->start = (ptrdiff_t)start;
    r->end = (ptrdiff_t)end;
}

static bool next_by_blanks(const char *s, size_t len, split_state *state, range *field,
                           range *separator) {
    size_t at = state->at;
    while (at < len && is_blank(s[at])) at++;
    if (at == len) return false;
    size_t start = at;
    while (at < len && !is_blank(s[at])) at++;
    cut(field, start, at);
    start = at;
    while (at < len && is_blank(s[at])) at++;
    cut(separator, start, at);
    state->at = at;
    return true;
}

static bool next_by_char(const splitter *sp, const char *s, size_t len, split_state *state,
                         range *field, range *separator) {
    size_t at = state->at, end = len;
    if (sp->newline) {
        for (end = at; end < len && (unsigned char)s[end] != sp->separator && s[end] != '\n';)
            end++;
    } else {
        const char *found = memchr(s + at, sp->separator, len - at);
        if (found) end = (size_t)(found - s);
    }
    cut(field, at, end);
    cut(separator, end, end < len ? end + 1 : end);
    state->done = end == len;
    state->at = end + 1;
    return true;
}

static bool next_by_regex(const splitter *sp, const char *s, size_t len, split_state *state,
                          range *field, range *separator) {
    size_t at = state->at;
    for (size_t from = at; from < len;) {
        range r;
        if (!regex_search(sp->regex, s, len, from, from > 0, &r, 1)) break;
        if (r.end == r.start) { /* nothing separates nothing */
            if ((size_t)r.start >= len) break;
            from = (size_t)r.start + char_length(s + r.start, len - (size_t)r.start);
            continue;
        }
        if (sp->newline) {
            const char *line = memchr(s + at, '\n', (size_t)r.start - at);
            if (line) cut(&r, (size_t)(line - s), (size_t)(line - s) + 1);
        }
        cut(field, at, (size_t)r.start);
        *separator = r;
        state->at = (size_t)r.end;
        return true;
    }
    const char *line = sp->newline ? memchr(s + at, '\n', len - at) : NULL;
    if (line) {
        cut(field, at, (size_t)(line - s));
        cut(separator, (size_t)(line - s), (size_t)(line - s) + 1);
        state->at = (size_t)(line - s) + 1;
        return true;
    }
    cut(field, at, len);
    cut(separator, len, len);
    state->done = true;
    return true;
}

/* FPAT: fields are what matches. `at` is the end of the field before. */
static bool next_by_pattern(const splitter *sp, const char *s, size_t len, split_state *state,
                            range *field, range *separator) {
    size_t before = state->at, from = before;
    for (;;) {
        /* Each search begins a text of its own: ^ matches there. */
        if (!regex_search(sp->regex, s + from, len - from, 0, false, field, 1)) return false;
        field->start += (ptrdiff_t)from;
        field->end += (ptrdiff_t)from;
        if (field->end > field->start) break;
        /* An empty match counts, but not right behind a field. */
        if (state->count == 0 || (size_t)field->start > before) break;
        if (from >= len) return false;
        from = (size_t)field->start + char_length(s + from, len - from);
        if (from > len) return false;
    }
    cut(separator, before, (size_t)field->start); /* the one in front */
    state->at = (size_t)field->end;
    return true;
}

static bool next_by_width(const splitter *sp, const char *s, size_t len, split_state *state,
                          range *field, range *separator) {
    if (state->count >= sp->width_count || state->at >= len) return false;
    const struct split_width *w = &sp->widths[state->count];
    size_t at = state->at;
    for (int64_t i = 0; i < w->skip && at < len; i++) at += char_length(s + at, len - at);
    if (at >= len) return false;
    size_t end = w->width < 0 ? len : at;
    for (int64_t i = 0; i < w->width && end < len; i++) end += char_length(s + end, len - end);
    cut(field, at, end);
    cut(separator, end, end);
    state->at = end;
    return true;
}

bool split_next(const splitter *sp, const char *s, size_t len, split_state *state, range *field,
                range *separator) {
    bool found = false;
    if (state->done) return false;
    if (len == 0) {
        state->done = true;
        return false;
    }
    switch (sp->kind) {
    case SPLIT_BLANKS: found = next_by_blanks(s, len, state, field, separator); break;
    case SPLIT_CHAR: found = next_by_char(sp, s, len, state, field, separator); break;
    case SPLIT_REGEX: found = next_by_regex(sp, s, len, state, field, separator); break;
    case SPLIT_FPAT: found = next_by_pattern(sp, s, len, state, field, separator); break;
    case SPLIT_WIDTHS: found = next_by_width(sp, s, len, state, field, separator); break;
    case SPLIT_CHARS:
        if (state->at >= len) break;
        cut(field, state->at, state->at + char_length(s + state->at, len - state->at));
        cut(separator, (size_t)field->end, (size_t)field->end);
        state->at = (size_t)field->end;
        found = true;
        break;
    case SPLIT_NONE:
        cut(field, 0, len);
        cut(separator, len, len);
        found = state->done = true;
        break;
    }
    if (found)
        state->count++;
    else
        state->done = true;
    return found;
}

static bool plain_char(splitter *sp, unsigned char c, bool is_fs) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (c >= 0x80 || (awk.ignore_case && letter && is_fs)) return false;
    sp->kind = SPLIT_CHAR;
    sp->separator = c;
    return true;
}

void split_by(splitter *sp, value *v, bool is_fs) {
    char room[NUMBER_TEXT_MAX];
    size_t len;
    const char *s = value_bytes(v, awk.convfmt, room, &len);
    bool regex = v->kind == REGEX;
    memset(sp, 0, sizeof *sp);
    if (is_fs) sp->newline = paragraphs;
    if (len == 0) {
        sp->kind = SPLIT_CHARS;
        return;
    }
    if (len == 1 && !regex && s[0] == ' ') {
        sp->kind = SPLIT_BLANKS;
        return;
    }
    if (len == 1 && (!regex || !strchr("^$.[|()*+?{\\", s[0])) &&
        plain_char(sp, (unsigned char)s[0], is_fs))
        return;
    /* Lines of a paragraph are fields only where FS is one character. */
    sp->newline = sp->newline && len == 1;
    /* One character, written as a regular expression. */
    if (len == 2 && s[0] == '\\' && s[1] && strchr("|.*+?()[]{}^$\\", s[1]) &&
        plain_char(sp, (unsigned char)s[1], is_fs))
        return;
    if (len == 3 && s[0] == '[' && s[2] == ']' && s[1] != '^' && s[1] != '\\' &&
        plain_char(sp, (unsigned char)s[1], is_fs))
        return;
    sp->kind = SPLIT_REGEX;
    sp->regex = regex_of(v);
}

void split_parse_widths(splitter *sp, const char *s, size_t len) {
    memset(sp, 0, sizeof *sp);
    sp->kind = SPLIT_WIDTHS;
    size_t cap = 0;
    for (size_t at = 0; at < len;) {
        if (is_blank(s[at])) {
            at++;
            continue;
        }
        struct split_width w = {0, 0};
        if (s[at] == '*') {
            at++;
            w.width = -1;
            if (at < len && !is_blank(s[at]))
                awk_fatal("`*' must be the last designator in FIELDWIDTHS");
        } else {
            for (int part = 0; part < 2; part++) {
                int64_t n = 0;
                size_t digits = at;
                for (; at < len && s[at] >= '0' && s[at] <= '9' && n < INT32_MAX; at++)
                    n = n * 10 + s[at] - '0';
                if (digits == at && part == 1 && at < len && s[at] == '*') {
                    at++;
                    n = -1;
                } else if (digits == at || n == 0) {
                    awk_fatal("invalid FIELDWIDTHS value, for field %d, near `%.*s'",
                              (int)sp->width_count + 1, (int)(len - digits), s + digits);
                }
                if (part == 0 && at < len && s[at] == ':') {
                    w.skip = n;
                    at++;
                    continue;
                }
                w.width = n;
                break;
            }
        }
        if (sp->width_count == cap) sp->widths = g_more(sp->widths, &cap, sizeof *sp->widths);
        sp->widths[sp->width_count++] = w;
    }
}

/* A regular expression that lasts until FS or FPAT changes again. */
static awk_regex *own_regex(const char *s, size_t len) {
    static awk_regex *owned;
    const awk_text *source = owned ? regex_source(owned) : NULL;
    if (source && source->len == len && memcmp(source->s, s, len) == 0) return owned;
    if (owned) regex_free(owned);
    owned = regex_constant(s, len);
    return owned;
}

splitter *split_current(void) {
    return &current;
}

const char *split_mode_name(void) {
    return mode == V_FS ? "FS" : mode == V_FPAT ? "FPAT" : "FIELDWIDTHS";
}

void split_fs_changed(int special) {
    if (special == V_FS || special == V_FPAT || special == V_FIELDWIDTHS) mode = special;
    record_split_all();
    size_t rs_len;
    char room[NUMBER_TEXT_MAX];
    value_bytes(&awk.globals[V_RS], awk.convfmt, room, &rs_len);
    paragraphs = rs_len == 0;
    if (current.widths) free(current.widths);
    size_t len;
    const char *s = value_bytes(&awk.globals[mode], awk.convfmt, room, &len);
    if (mode == V_FIELDWIDTHS) {
        split_parse_widths(&current, s, len);
    } else if (mode == V_FPAT) {
        memset(&current, 0, sizeof current);
        current.kind = SPLIT_FPAT;
        current.regex = own_regex(s, len);
    } else {
        split_by(&current, &awk.globals[V_FS], true);
        if (current.kind == SPLIT_REGEX) current.regex = own_regex(s, len);
    }
}
