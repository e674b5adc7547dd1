/*
 * host/capability/regex_set.c: see regex_set.h.
 */
#include "regex_set.h"

#include "host/base/utf8.h"

#include <stdlib.h>
#include <string.h>

void regex_set_clear(struct regex_set *s) {
    s->count = 0;
    s->full = false;
}

void regex_set_add(struct regex_set *s, uint32_t from, uint32_t to) {
    if (s->count == REGEX_RANGES)
        s->full = true;
    else
        s->ranges[s->count++] = (struct regex_range){from, to};
}

static int order_ranges(const void *a, const void *b) {
    uint32_t x = ((const struct regex_range *)a)->from, y = ((const struct regex_range *)b)->from;
    return x < y ? -1 : x > y;
}

static void set_settle(struct regex_set *s) {
    qsort(s->ranges, s->count, sizeof *s->ranges, order_ranges);
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++) {
        struct regex_range r = s->ranges[i];
        if (n && r.from <= s->ranges[n - 1].to + 1) {
            if (r.to > s->ranges[n - 1].to) s->ranges[n - 1].to = r.to;
        } else {
            s->ranges[n++] = r;
        }
    }
    s->count = n;
}

void regex_set_invert(struct regex_set *s, struct regex_set *scratch) {
    set_settle(s);
    regex_set_clear(scratch);
    uint32_t next = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (s->ranges[i].from > next) regex_set_add(scratch, next, s->ranges[i].from - 1);
        next = s->ranges[i].to + 1;
    }
    if (next <= REGEX_LAST_POINT) regex_set_add(scratch, next, REGEX_LAST_POINT);
    memcpy(s->ranges, scratch->ranges, scratch->count * sizeof *s->ranges);
    s->count = scratch->count;
    s->full = s->full || scratch->full;
}

void regex_set_add_class(struct regex_set *s, char letter) {
    static const struct regex_range digit[] = {{'0', '9'}};
    static const struct regex_range word[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    static const struct regex_range space[] = {
        {'\t', '\r'},     {' ', ' '},       {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
        {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF},
    };
    const struct regex_range *ranges = digit;
    size_t count = sizeof digit / sizeof *digit;
    if (letter == 'w' || letter == 'W') {
        ranges = word;
        count = sizeof word / sizeof *word;
    } else if (letter == 's' || letter == 'S') {
        ranges = space;
        count = sizeof space / sizeof *space;
    }
    bool rest = letter >= 'A' && letter <= 'Z';
    uint32_t next = 0;
    for (size_t i = 0; i < count; i++) {
        if (!rest)
            regex_set_add(s, ranges[i].from, ranges[i].to);
        else if (ranges[i].from > next)
            regex_set_add(s, next, ranges[i].from - 1);
        next = ranges[i].to + 1;
    }
    if (rest) regex_set_add(s, next, REGEX_LAST_POINT);
}

/* ---- writing bracket expressions */

static void put_point(struct base_buf *out, uint32_t point) {
    char bytes[4];
    base_buf_add(out, bytes, base_utf8_encode(point, bytes));
}

static void put_range(struct base_buf *out, uint32_t from, uint32_t to) {
    /* No text holds a surrogate. */
    if (from < 0xD800 && to > 0xDFFF) {
        put_range(out, from, 0xD7FF);
        from = 0xE000;
    }
    if (from >= 0xD800 && from <= 0xDFFF) from = 0xE000;
    if (to >= 0xD800 && to <= 0xDFFF) to = 0xD7FF;
    if (from > to) return;
    put_point(out, from);
    if (to > from + 1) base_buf_add(out, "-", 1);
    if (to > from) put_point(out, to);
}

static bool set_has(const struct regex_set *s, uint32_t point) {
    for (size_t i = 0; i < s->count; i++)
        if (point >= s->ranges[i].from && point <= s->ranges[i].to) return true;
    return false;
}

/* The inside of a bracket expression. ] [ ^ and - mean something there, unless they stand where
 * they cannot: ] first, - last, [ before neither : nor = nor a dot, ^ not first. */
static void put_members(struct base_buf *out, const struct regex_set *s, bool negated) {
    bool first = true;
    if (set_has(s, ']')) {
        base_buf_add(out, "]", 1);
        first = false;
    }
    for (size_t i = 0; i < s->count; i++) {
        uint32_t from = s->ranges[i].from, to = s->ranges[i].to;
        static const char special[] = "-[]^"; /* in the order of their code points */
        for (const char *c = special; *c; c++) {
            uint32_t point = (unsigned char)*c;
            if (from > point || to < point) continue;
            if (from < point) {
                put_range(out, from, point - 1);
                first = false;
            }
            from = point + 1;
        }
        if (from <= to) first = false;
        put_range(out, from, to);
    }
    bool dash = set_has(s, '-'), caret = set_has(s, '^');
    if (set_has(s, '[')) {
        base_buf_add(out, "[", 1);
        first = false;
    }
    if (caret && first && !negated && dash) {
        base_buf_add(out, "-", 1);
        dash = false;
    }
    if (caret) base_buf_add(out, "^", 1);
    if (dash) base_buf_add(out, "-", 1);
}

void regex_literal_write(struct base_buf *out, uint32_t point) {
    if (point < 0x80 && point && strchr("^.[$()|*+?{\\", (int)point)) base_buf_add(out, "\\", 1);
    put_point(out, point);
}

bool regex_set_write(struct base_buf *out, struct regex_set *s, struct regex_set *scratch) {
    set_settle(s);
    bool negated = set_has(s, REGEX_LAST_POINT);
    if (negated) regex_set_invert(s, scratch);
    if (s->count == 0 && !negated) return false;
    if (s->count == 0) {
        base_buf_add(out, ".", 1); /* lib/regex without PF_RE_NEWLINE: any character at all */
    } else if (s->count == 1 && s->ranges[0].from == s->ranges[0].to && !negated) {
        regex_literal_write(out, s->ranges[0].from);
    } else {
        base_buf_add(out, negated ? "[^" : "[", negated ? 2 : 1);
        put_members(out, s, negated);
        base_buf_add(out, "]", 1);
    }
    return true;
}
