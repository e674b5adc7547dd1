/*
 * brace.c: {a,b} and {1..5}, on the source text of a word, before anything else is expanded.
 */
#include "sh.h"

#include <pf.h>

enum { BRACE_DEPTH_MAX = 60, BRACE_MAX = 1000000 };

struct bracer {
    struct shell *sh;
    int depth;
    bool too_many;
};

/* Steps over quotes and ${…} $(…) `…`, whose braces and commas do not count; 0 when s[i] starts none. */
size_t brace_skip(const char *s, size_t i) {
    if (s[i] == '\\') return s[i + 1] ? i + 2 : i + 1;
    if (s[i] == '\'') {
        const char *end = strchr(s + i + 1, '\'');
        return end ? (size_t)(end - s) + 1 : strlen(s);
    }
    if (s[i] == '"' || s[i] == '`') {
        size_t j = i + 1;
        for (; s[j] && s[j] != s[i]; j++) {
            if (s[j] == '\\' && s[j + 1]) j++;
        }
        return s[j] ? j + 1 : j;
    }
    if (s[i] == '$' && (s[i + 1] == '{' || s[i + 1] == '(')) {
        char open = s[i + 1], close = open == '{' ? '}' : ')';
        int depth = 0;
        size_t j = i + 1;
        while (s[j]) {
            if (s[j] == '\\' || s[j] == '\'' || s[j] == '"') {
                j = brace_skip(s, j);
                continue;
            }
            if (s[j] == open) depth++;
            else if (s[j] == close && --depth == 0) return j + 1;
            j++;
        }
        return j;
    }
    return 0;
}

/* Finds the brace that closes the one at `open`, which is the first one behind a separator: {a},b} is
 * `a}` and `b`. Sets *comma when a comma stands anywhere between them, so that they hold no range. */
static ptrdiff_t matching(const char *s, size_t open, bool *comma) {
    int depth = 0;
    bool separated = false;
    *comma = false;
    if (open == 0 && s[1] == '}') return -1; /* {} begins a word as itself */
    for (size_t i = open; s[i];) {
        size_t next = brace_skip(s, i);
        if (next) {
            i = next;
            continue;
        }
        if (s[i] == '{') depth++;
        else if (s[i] == ',') *comma = true;
        if (depth == 1 && (s[i] == ',' || (s[i] == '.' && s[i + 1] == '.' && s[i + 2] != '}')))
            separated = true;
        if (s[i] == '}' && depth == 1 && separated) return (ptrdiff_t)i;
        if (s[i] == '}' && depth > 1) depth--;
        i++;
    }
    return -1;
}

/* ------------------------------------------------------------------ {x..y..step} */

struct range {
    int64_t from, to, step;
    int width;  /* zero padded to this */
    bool chars;
};

static bool read_int(const char *s, size_t n, int64_t *out) {
    char text[32];
    if (n == 0 || n >= sizeof text) return false;
    memcpy(text, s, n);
    text[n] = 0;
    const char *digits = text[0] == '-' || text[0] == '+' ? text + 1 : text;
    if (!*digits || digits[strspn(digits, "0123456789")]) return false;
    char *end;
    errno = 0;
    *out = strtoll(text, &end, 10);
    return errno == 0;
}

static bool letter(const char *s, size_t n) {
    return n == 1 && ((s[0] | 32) >= 'a' && (s[0] | 32) <= 'z');
}

static int padding(const char *s, size_t n) {
    size_t sign = s[0] == '-' || s[0] == '+';
    return n > sign + 1 && s[sign] == '0' ? (int)n : 0;
}

static bool parse_range(const char *s, size_t n, struct range *r) {
    const char *end = s + n, *dots = NULL, *more = NULL;
    for (const char *p = s; p + 1 < end; p++)
        if (p[0] == '.' && p[1] == '.') {
            if (!dots) dots = p++;
            else if (!more) more = p++;
            else return false;
        }
    if (!dots) return false;
    const char *to = dots + 2;
    size_t from_n = (size_t)(dots - s), to_n = (size_t)((more ? more : end) - to);
    r->step = 1;
    if (more && !read_int(more + 2, (size_t)(end - more - 2), &r->step)) return false;
    if (letter(s, from_n) && letter(to, to_n)) {
        r->chars = true;
        r->from = (unsigned char)s[0];
        r->to = (unsigned char)to[0];
        r->width = 0;
    } else {
        r->chars = false;
        if (!read_int(s, from_n, &r->from) || !read_int(to, to_n, &r->to)) return false;
        int a = padding(s, from_n), b = padding(to, to_n);
        r->width = a || b ? (int)(from_n > to_n ? from_n : to_n) : 0;
    }
    if (r->step == 0) r->step = 1;
    if (r->step == INT64_MIN) return false;
    if (r->step < 0) r->step = -r->step;
    return true;
}

static char *range_item(struct shell *sh, const struct range *r, int64_t n) {
    if (r->chars) {
        if (n == '\\') return arena_strdup(&sh->tmp, "''"); /* a backslash alone goes */
        if (n == '`') return arena_strdup(&sh->tmp, "\\`");
        return arena_printf(&sh->tmp, "%c", (int)n);
    }
    return arena_printf(&sh->tmp, "%0*" PRId64, r->width, n);
}

static void expand_range(struct bracer *b, const struct range *r, struct strings *out) {
    bool up = r->from <= r->to;
    int64_t n = r->from;
    for (;;) {
        if (out->n >= BRACE_MAX) {
            b->too_many = true;
            return;
        }
        if ((out->n & 1023) == 1023) pf_yield();
        strings_add(b->sh, out, range_item(b->sh, r, n));
        uint64_t left = up ? (uint64_t)r->to - (uint64_t)n : (uint64_t)n - (uint64_t)r->to;
        if (left < (uint64_t)r->step) return;
        n += up ? r->step : -r->step;
    }
}

/* ------------------------------------------------------------------ expansion */

static void expand_text(struct bracer *b, const char *s, struct strings *out);

/* The comma-separated texts between s[from] and s[to], each expanded. */
static void expand_list(struct bracer *b, const char *s, size_t from, size_t to,
                        struct strings *out) {
    int depth = 0;
    size_t start = from;
    for (size_t i = from; i <= to;) {
        size_t next = i < to ? brace_skip(s, i) : 0;
        if (next) {
            i = next < to ? next : to;
            continue;
        }
        if (i == to || (s[i] == ',' && depth == 0)) {
            expand_text(b, arena_strndup(&b->sh->tmp, s + start, i - start), out);
            start = i + 1;
        } else {
            if (s[i] == '{') depth++;
            else if (s[i] == '}' && depth > 0) depth--;
        }
        i++;
    }
}

/* Finds the first brace expression of s: its braces and its results. */
static bool first_brace(struct bracer *b, const char *s, size_t *open, size_t *close,
                        struct strings *items) {
    for (size_t i = 0; s[i];) {
        size_t next = brace_skip(s, i);
        if (next) {
            i = next;
            continue;
        }
        if (s[i] == '{') {
            bool comma;
            ptrdiff_t end = matching(s, i, &comma);
            struct range r;
            *open = i;
            *close = (size_t)end;
            if (end > 0 && comma) {
                expand_list(b, s, i + 1, (size_t)end, items);
                return true;
            }
            if (end > 0 && parse_range(s + i + 1, (size_t)end - i - 1, &r)) {
                expand_range(b, &r, items);
                return true;
            }
        }
        i++;
    }
    return false;
}

static void expand_text(struct bracer *b, const char *s, struct strings *out) {
    struct shell *sh = b->sh;
    struct strings items = {0}, tails = {0};
    size_t open, close;
    if (b->depth >= BRACE_DEPTH_MAX || !first_brace(b, s, &open, &close, &items)) {
        strings_add(sh, out, (char *)s);
        return;
    }
    b->depth++;
    expand_text(b, s + close + 1, &tails);
    b->depth--;
    for (int i = 0; i < items.n && !b->too_many; i++) {
        for (int j = 0; j < tails.n; j++) {
            if (out->n >= BRACE_MAX) {
                b->too_many = true;
                break;
            }
            if ((out->n & 1023) == 1023) pf_yield();
            if (open == 0 && !tails.v[j][0]) {
                strings_add(sh, out, items.v[i]);
                continue;
            }
            sb text = sb_in(&sh->tmp);
            sb_put(&text, s, open);
            sb_puts(&text, items.v[i]);
            sb_puts(&text, tails.v[j]);
            strings_add(sh, out, sb_str(&text));
        }
    }
}

bool brace_expand(struct shell *sh, const char *text, struct strings *out) {
    struct bracer b = {.sh = sh};
    struct strings items = {0};
    size_t open, close;
    arena_mark mark = arena_here(&sh->tmp);
    if (!first_brace(&b, text, &open, &close, &items)) {
        arena_release(&sh->tmp, mark);
        return false;
    }
    expand_text(&b, text, out);
    if (b.too_many)
        sh_expand_error(sh, "brace expansion: more than %d elements", BRACE_MAX);
    return true;
}
