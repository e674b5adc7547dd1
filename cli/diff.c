/* diff.c: two texts, line by line. See approve.h. */
#include "approve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a person reads; matching costs memory and time for the product of the lines that differ, and
 * a script decides how many those are. */
#define LINE_MAX_BYTES 400
#define CELLS_MAX      ((size_t)250000)
#define SHOWN_MAX      20
#define CONTEXT        3

void add_line(struct text *out, const char *indent, const char *sign, const char *text,
              size_t len) {
    text_puts(out, indent);
    text_puts(out, sign);
    size_t cut = len < LINE_MAX_BYTES ? len : LINE_MAX_BYTES;
    while (cut < len && cut && ((unsigned char)text[cut] & 0xC0) == 0x80) cut--;
    text_printable(out, text, cut);
    text_puts(out, cut < len ? "…\n" : "\n");
}

struct line {
    const char *text;
    size_t len;
};
struct side {
    struct line *lines;
    size_t count;
};

static struct side split(const char *data, size_t len) {
    struct side side = {0};
    size_t capacity = 0;
    for (size_t at = 0; at < len;) {
        const char *end = memchr(data + at, '\n', len - at);
        size_t n = end ? (size_t)(end - data) - at : len - at;
        if (side.count == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            side.lines = realloc(side.lines, capacity * sizeof *side.lines);
            if (!side.lines) die("out of memory");
        }
        side.lines[side.count++] = (struct line){data + at, n};
        at += n + 1;
    }
    return side;
}

static bool same(const struct line *a, const struct line *b) {
    return a->len == b->len && !memcmp(a->text, b->text, a->len);
}

/* Steps from one text to the other: ' ', '-' and '+', in their order. */
static char *script(const struct line *a, size_t n, const struct line *b, size_t m) {
    uint32_t *longest = calloc((n + 1) * (m + 1), sizeof *longest);
    char *steps = malloc(n + m + 1), *at = steps;
    if (!longest || !steps) die("out of memory");
#define LONGEST(i, j) longest[(i) * (m + 1) + (j)]
    for (size_t i = n; i-- > 0;)
        for (size_t j = m; j-- > 0;) {
            uint32_t down = LONGEST(i + 1, j), right = LONGEST(i, j + 1);
            LONGEST(i, j) = same(&a[i], &b[j]) ? LONGEST(i + 1, j + 1) + 1
                            : down > right     ? down
                                               : right;
        }
    for (size_t i = 0, j = 0; i < n || j < m;) {
        if (i < n && j < m && same(&a[i], &b[j])) *at++ = ' ', i++, j++;
        else if (j == m || (i < n && LONGEST(i + 1, j) >= LONGEST(i, j + 1))) *at++ = '-', i++;
        else *at++ = '+', j++;
    }
#undef LONGEST
    *at = '\0';
    free(longest);
    return steps;
}

static void head(struct text *out, const char *indent, size_t a, size_t n, size_t b, size_t m) {
    char line[100];
    snprintf(line, sizeof line, "%s@@ -%zu,%zu +%zu,%zu @@\n", indent, n ? a + 1 : a, n,
             m ? b + 1 : b, m);
    text_puts(out, line);
}

/* Of the steps, those near a change. */
static bool is_near(const char *steps, size_t count, size_t at) {
    size_t from = at < CONTEXT ? 0 : at - CONTEXT, to = at + CONTEXT;
    for (size_t i = from; i <= to && i < count; i++)
        if (steps[i] != ' ') return true;
    return false;
}

static void show_hunks(struct text *out, const char *indent, const struct side *old,
                       const struct side *new, size_t skip, const char *steps) {
    size_t count = strlen(steps), a = skip, b = skip;
    for (size_t at = 0; at < count;) {
        if (!is_near(steps, count, at)) {
            a++, b++, at++;
            continue;
        }
        size_t end = at, n = 0, m = 0;
        for (; end < count && is_near(steps, count, end); end++) {
            n += steps[end] != '+';
            m += steps[end] != '-';
        }
        head(out, indent, a, n, b, m);
        for (; at < end; at++) {
            const struct line *line = steps[at] == '+' ? &new->lines[b] : &old->lines[a];
            add_line(out, indent, (char[]){steps[at], '\0'}, line->text, line->len);
            a += steps[at] != '+';
            b += steps[at] != '-';
        }
    }
}

static void show_some(struct text *out, const char *indent, const char *sign,
                      const struct line *lines, size_t count) {
    for (size_t i = 0; i < count && i < SHOWN_MAX; i++)
        add_line(out, indent, sign, lines[i].text, lines[i].len);
    if (count <= SHOWN_MAX) return;
    char line[80];
    snprintf(line, sizeof line, "%s… %zu more lines …\n", indent, count - SHOWN_MAX);
    text_puts(out, line);
}

void diff_show(struct text *out, const char *indent, const char *old_data, size_t old_len,
               const char *new_data, size_t new_len) {
    struct side old = split(old_data, old_len), new = split(new_data, new_len);
    size_t least = old.count < new.count ? old.count : new.count, begin = 0, end = 0;
    while (begin < least && same(&old.lines[begin], &new.lines[begin])) begin++;
    while (end < least - begin &&
           same(&old.lines[old.count - 1 - end], &new.lines[new.count - 1 - end]))
        end++;
    size_t n = old.count - begin - end, m = new.count - begin - end;
    if (n && m && n > CELLS_MAX / m) {
        char line[120];
        snprintf(line, sizeof line, "%s@@ line %zu: %zu lines out, %zu lines in @@\n", indent,
                 begin + 1, n, m);
        text_puts(out, line);
        show_some(out, indent, "-", old.lines + begin, n);
        show_some(out, indent, "+", new.lines + begin, m);
    } else if (n + m > 2000) {
        head(out, indent, begin, n, begin, m);
        show_some(out, indent, "-", old.lines + begin, n);
        show_some(out, indent, "+", new.lines + begin, m);
    } else {
        size_t before = begin < CONTEXT ? begin : CONTEXT, after = end < CONTEXT ? end : CONTEXT;
        char *steps = script(old.lines + begin - before, n + before + after,
                             new.lines + begin - before, m + before + after);
        show_hunks(out, indent, &old, &new, begin - before, steps);
        free(steps);
    }
    bool before = old_len && old_data[old_len - 1] == '\n';
    bool now = new_len && new_data[new_len - 1] == '\n';
    if (old_len && new_len && before != now) {
        text_puts(out, indent);
        text_puts(out, now ? "(now with a newline at its end)\n"
                           : "(now without a newline at its end)\n");
    }
    free(old.lines);
    free(new.lines);
}
