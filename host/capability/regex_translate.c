/*
 * host/capability/regex_translate.c: see regex_translate.h.
 *
 * One pass over the pattern; groups need a counter only, because what is allowed inside them is
 * what is allowed outside.
 */
#include "regex_translate.h"

#include "host/base/utf8.h"
#include "regex_set.h"
#include "lib/hex/hex.h"

#include <stdlib.h>
#include <string.h>

struct translator {
    const char *pattern;
    size_t len, at;
    struct base_buf *out;
    const char *why; /* set once: what cannot be translated */
    size_t open;     /* groups */
    bool atom;       /* what was written last can be repeated */
    struct regex_set set, other;
};

static void fail(struct translator *t, const char *why) {
    if (!t->why) t->why = why;
}

/* ---- reading */

static void put(struct translator *t, const char *text, size_t len) {
    base_buf_add(t->out, text, len);
}

static void put_set(struct translator *t) {
    if (!regex_set_write(t->out, &t->set, &t->other))
        fail(t, "has a character class that nothing is in");
    if (t->set.full) fail(t, "has a character class that is too large");
}

static bool more(const struct translator *t) {
    return t->at < t->len && !t->why;
}

static uint32_t read_point(struct translator *t) {
    uint32_t point = 0;
    size_t n = base_utf8_decode(t->pattern + t->at, t->len - t->at, &point);
    if (n == 0) fail(t, "is not valid UTF-8");
    t->at += n ? n : 1;
    return point;
}

static uint32_t read_hex(struct translator *t, int digits) {
    uint32_t value = 0;
    for (int i = 0; i < digits; i++) {
        int d = t->at < t->len ? pf_hex(t->pattern[t->at]) : -1;
        if (d < 0) {
            fail(t, "has a \\x or \\u without its hexadecimal digits");
            return 0;
        }
        value = value * 16 + (uint32_t)d;
        t->at++;
    }
    return value;
}

static uint32_t read_unicode(struct translator *t) {
    uint32_t value = 0;
    if (t->at < t->len && t->pattern[t->at] == '{') {
        for (t->at++; t->at < t->len && pf_hex(t->pattern[t->at]) >= 0; t->at++)
            if (value <= REGEX_LAST_POINT)
                value = value * 16 + (uint32_t)pf_hex(t->pattern[t->at]);
        if (t->at >= t->len || t->pattern[t->at] != '}' || t->pattern[t->at - 1] == '{')
            fail(t, "has a \\u{ without its number and }");
        t->at++;
    } else {
        value = read_hex(t, 4);
        if (value >= 0xD800 && value <= 0xDBFF && t->len - t->at >= 6 &&
            t->pattern[t->at] == '\\' && t->pattern[t->at + 1] == 'u') {
            t->at += 2;
            uint32_t low = read_hex(t, 4);
            if (low >= 0xDC00 && low <= 0xDFFF)
                value = 0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00);
        }
    }
    if (value > REGEX_LAST_POINT || (value >= 0xD800 && value <= 0xDFFF))
        fail(t, "has a \\u that is not a character");
    return value;
}

/* After a backslash: a character, or a class letter in *letter. */
static uint32_t read_escape(struct translator *t, char *letter) {
    *letter = 0;
    if (t->at >= t->len) {
        fail(t, "ends with a backslash");
        return 0;
    }
    uint32_t c = read_point(t);
    switch (c) {
    case 'd':
    case 'D':
    case 'w':
    case 'W':
    case 's':
    case 'S': *letter = (char)c; return 0;
    case 't': return '\t';
    case 'n': return '\n';
    case 'v': return '\v';
    case 'f': return '\f';
    case 'r': return '\r';
    case 'x': return read_hex(t, 2);
    case 'u': return read_unicode(t);
    case 'b':
    case 'B': fail(t, "has a word boundary (\\b), which this language does not have"); return 0;
    case 'p':
    case 'P': fail(t, "has a Unicode property (\\p), which this language does not have"); return 0;
    case 'k': fail(t, "has a back-reference, which cannot be matched in linear time"); return 0;
    default: break;
    }
    if (c >= '1' && c <= '9')
        fail(t, "has a back-reference, which cannot be matched in linear time");
    else if (c == '0' || c == '_' || c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
        fail(t, "has an escape that this language does not have");
    return c;
}

/* One end of a range in brackets. */
static uint32_t read_member(struct translator *t, char *letter) {
    *letter = 0;
    if (t->pattern[t->at] != '\\') {
        if (t->pattern[t->at] == '[' && t->at + 1 < t->len && strchr(":.=", t->pattern[t->at + 1]))
            fail(t, "has a [: in brackets: write the characters out, as in [0-9a-f]");
        return read_point(t);
    }
    t->at++;
    if (t->at < t->len && t->pattern[t->at] == 'b') { /* in brackets it is a backspace */
        t->at++;
        return '\b';
    }
    return read_escape(t, letter);
}

static void read_brackets(struct translator *t) {
    t->at++;
    bool negated = t->at < t->len && t->pattern[t->at] == '^';
    if (negated) t->at++;
    regex_set_clear(&t->set);
    while (more(t) && t->pattern[t->at] != ']') {
        char letter, to_letter = 0;
        uint32_t from = read_member(t, &letter), to = from;
        if (t->len - t->at >= 2 && t->at < t->len && t->pattern[t->at] == '-' &&
            t->pattern[t->at + 1] != ']') {
            t->at++;
            to = read_member(t, &to_letter);
            if (letter || to_letter) fail(t, "has a range that starts or ends with a class");
            if (to < from) fail(t, "has a range that ends before it starts");
        }
        if (letter)
            regex_set_add_class(&t->set, letter);
        else
            regex_set_add(&t->set, from, to);
    }
    if (t->at >= t->len) fail(t, "has a [ without its ]");
    t->at++;
    if (t->why) return;
    if (negated) regex_set_invert(&t->set, &t->other);
    put_set(t);
    t->atom = true;
}

static void read_group(struct translator *t) {
    t->at++;
    if (t->at < t->len && t->pattern[t->at] == '?') {
        const char *rest = t->pattern + t->at;
        size_t left = t->len - t->at;
        if (left >= 2 && rest[1] == ':') {
            t->at += 2;
        } else if ((left >= 2 && (rest[1] == '=' || rest[1] == '!')) ||
                   (left >= 3 && rest[1] == '<' && (rest[2] == '=' || rest[2] == '!'))) {
            fail(t, "has a look-ahead or look-behind, which cannot be matched in linear time");
        } else if (left >= 3 && (rest[1] == '<' || (rest[1] == 'P' && rest[2] == '<'))) {
            while (t->at < t->len && t->pattern[t->at] != '>') t->at++;
            t->at++;
        } else {
            fail(t, "has a kind of group that this language does not have");
        }
    }
    put(t, "(", 1);
    t->open++;
    t->atom = false;
}

static size_t read_count(struct translator *t) {
    size_t value = 0, start = t->at;
    while (t->at < t->len && t->pattern[t->at] >= '0' && t->pattern[t->at] <= '9') {
        value = value * 10 + (size_t)(t->pattern[t->at++] - '0');
        if (value > 1000) fail(t, "repeats something more than 1000 times");
        if (t->why) return 0;
    }
    if (t->at == start) fail(t, "has a { that is not a repetition: write \\{");
    return value;
}

static void read_repetition(struct translator *t) {
    size_t start = t->at;
    if (!t->atom) fail(t, "repeats nothing");
    if (t->pattern[t->at++] == '{') {
        size_t least = read_count(t);
        if (more(t) && t->pattern[t->at] == ',') {
            t->at++;
            if (t->at < t->len && t->pattern[t->at] != '}' && read_count(t) < least)
                fail(t, "has a repetition whose end is below its start");
        }
        if (t->at >= t->len || t->pattern[t->at] != '}')
            fail(t, "has a { that is not a repetition: write \\{");
        t->at++;
    }
    if (t->why) return;
    put(t, t->pattern + start, t->at - start);
    /* A lazy repetition finds another match, but it finds one exactly when the greedy one does. */
    if (t->at < t->len && t->pattern[t->at] == '?') t->at++;
    if (t->at < t->len && t->pattern[t->at] == '+') fail(t, "has a possessive repetition");
    t->atom = false;
}

static void read_backslash(struct translator *t) {
    char letter;
    t->at++;
    uint32_t c = read_escape(t, &letter);
    if (t->why) return;
    regex_set_clear(&t->set);
    if (letter)
        regex_set_add_class(&t->set, letter);
    else
        regex_set_add(&t->set, c, c);
    put_set(t);
    t->atom = true;
}

/* Any character but a line's end. */
static void read_dot(struct translator *t) {
    t->at++;
    regex_set_clear(&t->set);
    regex_set_add(&t->set, '\n', '\n');
    regex_set_add(&t->set, '\r', '\r');
    regex_set_add(&t->set, 0x2028, 0x2029);
    regex_set_invert(&t->set, &t->other);
    put_set(t);
    t->atom = true;
}

static void read_one(struct translator *t) {
    switch (t->pattern[t->at]) {
    case '(': read_group(t); break;
    case ')':
        if (t->open == 0) {
            fail(t, "has a ) without its (");
            break;
        }
        t->open--;
        t->at++;
        put(t, ")", 1);
        t->atom = true;
        break;
    case '[': read_brackets(t); break;
    case '*':
    case '+':
    case '?':
    case '{': read_repetition(t); break;
    case '\\': read_backslash(t); break;
    case '.': read_dot(t); break;
    case '|':
    case '^':
    case '$':
        put(t, t->pattern + t->at++, 1);
        t->atom = false;
        break;
    default: regex_literal_write(t->out, read_point(t)); t->atom = true;
    }
}

const char *cap_regex_translate(struct base_buf *out, const char *pattern, size_t len, size_t *at) {
    struct translator *t = calloc(1, sizeof *t);
    if (!t) {
        out->failed = true;
        return NULL;
    }
    t->pattern = pattern;
    t->len = len;
    t->out = out;
    if (len > CAP_REGEX_MAX) fail(t, "is longer than 4096 bytes");
    while (more(t) && !out->failed) read_one(t);
    if (t->open && !out->failed) fail(t, "has a ( without its )");
    *at = t->at < len ? t->at : len;
    const char *why = t->why;
    free(t);
    return why;
}
