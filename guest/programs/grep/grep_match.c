/*
 * grep_match.c: finding the lines and the matches in them.
 *
 * The regex runs over whole blocks, in which ^ and $ match at line ends; only where a match could
 * depend on its line's ends in another way (a match over a line end, the anchors \` and \', lines
 * ended by NUL) the line is looked at alone.
 */
#include "grep.h"
#include "grep_perl.h"
#include "grep_words.h"
#include "lib/utf8/utf8.h"
#include "g_regex.h"

#include <stdlib.h>
#include <string.h>

struct grep_matcher {
    const grep_options *o;
    pf_regex *re;      /* NULL: not compiled yet, words does nearly all */
    grep_perl *perl;   /* -P: instead of re */
    pf_regex *literal; /* -P: what is in every line that matches; NULL: not known */
    grep_words *words; /* many fixed patterns: instead of re */
    bool whole_word, whole_line, line_by_line, utf8, never;
    bool only_ends; /* of lines matter, not where they begin: they are counted */
    char end;
};

/* Whether the patterns have an anchor of the whole text, which is the line here. */
static bool has_text_anchor(const grep_options *o) {
    if (o->fixed) return false;
    for (size_t i = 0; i + 1 < o->patterns.len; i++) {
        if (o->patterns.s[i] != '\\') continue;
        i++;
        if (o->patterns.s[i] == '`' || o->patterns.s[i] == '\'') return true;
    }
    return false;
}

/* GNU grep refuses [:space:] where [[:space:]] was meant; the first bracket is looked at. */
static void check_brackets(const char *p, const char *end) {
    while (p < end && *p != '[') p += 1 + (*p == '\\' && p + 1 < end);
    if (end - p < 4 || p[1] != ':') return;
    const char *close = memchr(p + 2, ']', (size_t)(end - p - 2));
    if (close && close > p + 2 && close[-1] == ':')
        g_die(2, "character class syntax is [[:space:]], not [:space:]");
}

/* Operators that have nothing to repeat, in extended syntax. */
static void warn_misplaced(const char *p, const char *end) {
    bool start = true;
    for (; p < end; p++) {
        if (*p == '\\') {
            p++;
            start = false;
        } else if (*p == '[') {
            const char *close = p + 2 < end ? memchr(p + 2, ']', (size_t)(end - p - 2)) : NULL;
            if (!close) return;
            p = close;
            start = false;
        } else if (start && (*p == '*' || *p == '+' || *p == '?')) {
            g_warn("warning: %c at start of expression", *p);
            return;
        } else if (start && *p == '{') {
            g_warn("warning: {...} at start of expression");
            return;
        } else {
            start = *p == '(' || *p == '|' || *p == '^' || *p == '\n';
        }
    }
}

static pf_regex *compile(const grep_matcher *m, const grep_options *o) {
    const char *message;
    pf_regex *re;
    unsigned flags = PF_RE_GREP | (m->line_by_line && o->end == '\0' ? 0 : PF_RE_NEWLINE);
    if (o->fixed) flags |= PF_RE_LITERAL;
    else if (o->extended) flags |= PF_RE_EXTENDED;
    if (o->ignore_case) flags |= PF_RE_ICASE;
    if (!m->utf8) flags |= PF_RE_BYTES;
    int status = pf_regex_compile(&re, o->patterns.s ? o->patterns.s : "", o->patterns.len, flags,
                                  &g_regex_host, &message);
    if (status != PF_RE_OK) g_die(2, "%s", message);
    return re;
}

grep_matcher *grep_matcher_new(const grep_options *o) {
    grep_matcher *m = g_zalloc(sizeof *m);
    m->o = o;
    m->utf8 = g_utf8_locale();
    m->whole_word = o->whole_word && !o->whole_line;
    m->whole_line = o->whole_line;
    m->end = o->end;
    m->line_by_line = o->end == '\0' || has_text_anchor(o);
    m->never = !o->any_pattern;
    m->only_ends = o->count && !o->invert && !m->whole_word && !m->whole_line;
    if (m->never) return m;
    if (o->perl) {
        m->perl = grep_perl_new(o);
        m->literal = grep_perl_literal(o);
        m->line_by_line = true;
        m->whole_word = m->whole_line = false;
        return m;
    }
    m->words = grep_words_new(o, m->utf8);
    if (m->words) return m;
    if (!o->fixed) check_brackets(o->patterns.s, o->patterns.s + o->patterns.len);
    if (o->extended) warn_misplaced(o->patterns.s, o->patterns.s + o->patterns.len);
    m->re = compile(m, o);
    return m;
}

static bool search(grep_matcher *m, const char *text, size_t len, size_t from, pf_range *range) {
    if (m->perl) return grep_perl_search(m->perl, text, len, from, range);
    if (m->words) {
        enum grep_words_result found = grep_words_search(m->words, text, len, from, range);
        if (found != WORDS_UNSURE) return found == WORDS_FOUND;
    }
    if (!m->re) m->re = compile(m, m->o);
    int status = pf_regex_search(m->re, text, len, from, 0, range, 1);
    if (status == PF_RE_NOMEM) g_die(2, "memory exhausted");
    if (status == PF_RE_LIMIT) g_die(2, "the pattern's back-references take too long on this text");
    return status == PF_RE_OK;
}

static bool word_before(const grep_matcher *m, const char *s, size_t at) {
    if (at == 0) return false;
    unsigned char c = (unsigned char)s[at - 1];
    uint32_t code = c;
    if (c >= 0x80 && (!m->utf8 || !pf_utf8_decode_last(s, at, &code))) return false;
    return code == '_' || pf_uni_is(code, PF_UNI_ALNUM);
}

static bool word_after(const grep_matcher *m, const char *s, size_t len, size_t at) {
    if (at >= len) return false;
    unsigned char c = (unsigned char)s[at];
    uint32_t code = c;
    if (c >= 0x80 && (!m->utf8 || !pf_utf8_decode(s + at, len - at, &code))) return false;
    return code == '_' || pf_uni_is(code, PF_UNI_ALNUM);
}

/* As GNU: a match that does not end at a word's border is tried shorter, then further on. */
static bool word_match(grep_matcher *m, const char *line, size_t len, size_t from,
                       pf_range *match) {
    for (size_t at = from; at <= len && search(m, line, len, at, match);) {
        size_t start = (size_t)match->start, end = (size_t)match->end;
        if (!word_before(m, line, start)) {
            for (;;) {
                if (!word_after(m, line, len, end)) {
                    match->end = (ptrdiff_t)end;
                    return true;
                }
                pf_range shorter;
                if (end == start) break;
                size_t limit = end - 1;
                if (!search(m, line, limit, start, &shorter) || (size_t)shorter.start != start)
                    break;
                end = (size_t)shorter.end;
            }
        }
        at = start + 1;
        while (at < len && m->utf8 && ((unsigned char)line[at] & 0xc0) == 0x80) at++;
    }
    return false;
}

bool grep_next_match(grep_matcher *m, const char *line, size_t len, size_t from, pf_range *match) {
    if (m->never) return false;
    if (m->whole_line) {
        if (from > 0) return false;
        *match = (pf_range){0, (ptrdiff_t)len};
        if (m->words) {
            enum grep_words_result found = grep_words_whole(m->words, line, len);
            if (found != WORDS_UNSURE) return found == WORDS_FOUND;
        }
        if (!m->re) m->re = compile(m, m->o);
        return pf_regex_fullmatch(m->re, line, len) == PF_RE_OK;
    }
    if (m->whole_word) return word_match(m, line, len, from, match);
    return search(m, line, len, from, match);
}

/* The line around text[at]; `from` is the beginning of a line at or before it. */
static pf_range line_around(const char *text, size_t len, size_t from, size_t at, char end) {
    const char *before = at > from ? memrchr(text + from, end, at - from) : NULL;
    const char *after = memchr(text + at, end, len - at);
    return (pf_range){before ? before + 1 - text : (ptrdiff_t)from,
                      after ? after - text : (ptrdiff_t)len};
}

static bool next_by_line(grep_matcher *m, const char *text, size_t len, size_t from,
                         pf_range *line) {
    while (from < len) {
        pf_range match;
        size_t at = from;
        if (m->literal) {
            int found = pf_regex_search(m->literal, text, len, from, 0, &match, 1);
            if (found != PF_RE_OK) return false;
            at = (size_t)match.start;
        }
        *line = line_around(text, len, from, at, m->end);
        size_t length = (size_t)(line->end - line->start);
        if (grep_next_match(m, text + line->start, length, 0, &match)) return true;
        from = (size_t)line->end + 1;
    }
    return false;
}

bool grep_next_line(grep_matcher *m, const char *text, size_t len, size_t from, pf_range *line) {
    if (m->never) return false;
    if (m->line_by_line) return next_by_line(m, text, len, from, line);
    while (from < len) {
        pf_range match;
        bool unsure = false;
        if (m->words) {
            enum grep_words_result found = grep_words_search(m->words, text, len, from, &match);
            if (found == WORDS_NONE) return false;
            unsure = found == WORDS_UNSURE;
        } else if (!search(m, text, len - 1, from, &match)) {
            /* The last line end is no line of its own. */
            return false;
        }
        if (m->only_ends) {
            const char *after = memchr(text + match.start, '\n', len - (size_t)match.start);
            *line = (pf_range){match.start, after ? after - text : (ptrdiff_t)len};
            if (!unsure && match.end <= line->end) return true;
        }
        *line = line_around(text, len, from, (size_t)match.start, '\n');
        bool sure = !unsure && !m->whole_word && !m->whole_line && match.end <= line->end;
        if (sure) return true;
        size_t length = (size_t)(line->end - line->start);
        if (grep_next_match(m, text + line->start, length, 0, &match)) return true;
        from = (size_t)line->end + 1;
    }
    return false;
}
