/*
 * diff_lines.c: splits files into lines and gives lines that count as equal the same number.
 *
 * What the options ignore (case, white space) is left out of a line's hash and of the comparison
 * here; from then on only the numbers are compared.
 */
#include "diff.h"
#include "pf.h"

#include <ctype.h>
#include <stdlib.h>

static void split(diff_side *side) {
    size_t cap = 0;
    const char *p = side->text, *end = side->text + side->len;
    side->no_newline = side->len > 0 && end[-1] != '\n';
    while (p < end) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        stop = stop ? stop + 1 : end;
        if (side->line_count == cap) side->lines = g_more(side->lines, &cap, sizeof *side->lines);
        side->lines[side->line_count++] = (diff_line){p, (size_t)(stop - p)};
        p = stop;
        if (side->line_count % 4096 == 0) pf_yield();
    }
}

/* Reads a line as the options see it, one byte at a time; -1 at its end. */
typedef struct {
    const diff_options *o;
    const unsigned char *p, *end;
    size_t column, spaces; /* spaces: of an expanded tab that are still to come */
    bool unmatched_space;
} reader;

static reader reader_start(const diff_options *o, const diff_line *line) {
    const unsigned char *s = (const unsigned char *)line->s;
    size_t len = line->len;
    if (len > 0 && s[len - 1] == '\n') len--;
    if (o->space == SPACE_TRAILING || o->space == SPACE_TABS_AND_TRAILING ||
        o->space == SPACE_AMOUNT)
        while (len > 0 && isspace(s[len - 1])) len--;
    return (reader){.o = o, .p = s, .end = s + len};
}

static int expand(reader *r, int c) {
    if (c == '\b' && r->column > 0)
        r->column--;
    else if (c == '\r')
        r->column = 0;
    else if (c == '\t') {
        r->spaces = r->o->tab - r->column % r->o->tab;
        r->column += r->spaces--;
        return ' ';
    } else
        r->column++;
    return c;
}

static int next_byte(reader *r) {
    if (r->spaces > 0) {
        r->spaces--;
        return ' ';
    }
    if (r->p == r->end) return -1;
    int c = *r->p++;
    switch (r->o->space) {
    case SPACE_NONE:
        while (isspace(c)) {
            if (r->p == r->end) return -1;
            c = *r->p++;
        }
        break;
    case SPACE_AMOUNT:
        if (isspace(c)) {
            while (r->p < r->end && isspace(*r->p)) r->p++;
            return ' ';
        }
        break;
    case SPACE_TAB_EXPANSION:
    case SPACE_TABS_AND_TRAILING: c = expand(r, c); break;
    case SPACE_TRAILING:
    case SPACE_EXACT: break;
    }
    return r->o->ignore_case ? tolower(c) : c;
}

static bool exact(const diff_options *o) {
    return o->space == SPACE_EXACT && !o->ignore_case;
}

static size_t text_len(const diff_line *line) {
    return line->len - (line->len > 0 && line->s[line->len - 1] == '\n');
}

static uint32_t hash(const diff_options *o, const diff_line *line) {
    uint64_t h = 14695981039346656037u; /* FNV-1a */
    if (exact(o)) {
        for (size_t i = 0, len = text_len(line); i < len; i++)
            h = (h ^ (unsigned char)line->s[i]) * 1099511628211u;
    } else {
        reader r = reader_start(o, line);
        for (int c; (c = next_byte(&r)) >= 0;) h = (h ^ (unsigned)c) * 1099511628211u;
    }
    return (uint32_t)(h ^ (h >> 32));
}

static bool equal(const diff_options *o, const diff_line *a, const diff_line *b) {
    if (exact(o)) return text_len(a) == text_len(b) && memcmp(a->s, b->s, text_len(a)) == 0;
    reader ra = reader_start(o, a), rb = reader_start(o, b);
    for (;;) {
        int ca = next_byte(&ra), cb = next_byte(&rb);
        if (ca != cb) return false;
        if (ca < 0) return true;
    }
}

/* A last line without its line end equals only another such, unless space at line ends is ignored
 * or the output cannot tell. */
static bool is_open(const diff_pair *pair, const diff_side *side, size_t at) {
    return side->no_newline && at + 1 == side->line_count && pair->o->space < SPACE_TRAILING &&
           !diff_is_script(pair->o);
}

typedef struct {
    const diff_line *line;
    uint32_t hash, next;
    bool open;
} line_class;

uint32_t diff_classify(diff_pair *pair) {
    for (int f = 0; f < 2; f++) split(&pair->side[f]);
    size_t total = pair->side[0].line_count + pair->side[1].line_count, cap = 0;
    size_t buckets = 64;
    while (buckets < total) buckets *= 2;
    uint32_t *heads = g_zalloc(buckets * sizeof *heads), count = 1;
    line_class *known = g_more(NULL, &cap, sizeof *known); /* [0] is unused */
    for (int f = 0; f < 2; f++) {
        diff_side *side = &pair->side[f];
        side->classes = g_resize(NULL, side->line_count + 1, sizeof *side->classes);
        for (size_t i = 0; i < side->line_count; i++) {
            const diff_line *line = &side->lines[i];
            uint32_t h = hash(pair->o, line), *head = &heads[h & (buckets - 1)], at = *head;
            bool open = is_open(pair, side, i);
            while (at && !(known[at].hash == h && known[at].open == open &&
                           equal(pair->o, known[at].line, line)))
                at = known[at].next;
            if (!at) {
                if (count == cap) known = g_more(known, &cap, sizeof *known);
                known[count] = (line_class){line, h, *head, open};
                at = *head = count++;
            }
            side->classes[i] = at;
            if (i % 1024 == 0) pf_yield();
        }
    }
    free(known);
    free(heads);
    return count;
}
