/*
 * pattern.c: shell patterns: * ? [set] and, with PAT_EXT, ?(a|b) *(…) +(…) @(…) !(…); matches a
 * pattern with all of a text, its beginning, its end, or a part.
 *
 * A backslash takes the next character literally; the expander puts one before quoted characters.
 * Without groups only the last '*' seen can still give way, which is quick where it need not often;
 * a search that tries too much goes on with an automaton, as patterns with groups do at once.
 */
#include "pattern.h"

#include <pf.h>

/* Elements tried per byte of a text before another way is taken. */
enum { PLAIN_TRIES = 32 };

static const char *end_of(const char *s) {
    return s + strlen(s);
}

static bool has_groups(const char *p, const char *pe, unsigned flags) {
    for (; p < pe; p++) {
        if (*p == '\\' && p + 1 < pe)
            p++;
        else if (pattern_is_group(p, pe, flags))
            return true;
    }
    return false;
}

/* A pattern without groups; *tried grows by the number of elements that were looked at. */
static bool match_plain(const struct subject *text, const char *p, const char *pe, size_t *tried) {
    const char *s = text->start, *se = text->end, *star = NULL, *star_text = NULL;
    for (;;) {
        if ((++*tried & 4095) == 0) pf_yield();
        if (p < pe && *p == '*') {
            if (pattern_at_period(text, s)) return false;
            while (p < pe && *p == '*') p++;
            if (p == pe) return !(text->flags & PAT_PATH) || !memchr(s, '/', (size_t)(se - s));
            star = p;
            star_text = s;
            continue;
        }
        if (p == pe) {
            if (s == se) return true;
        } else if (s < se) {
            const char *next, *t = pattern_one(text, p, pe, s, &next);
            if (t) {
                p = next;
                s = t;
                continue;
            }
        }
        if (!star || star_text >= se) return false;
        if ((text->flags & PAT_PATH) && *star_text == '/') return false;
        star_text +=
            (unsigned char)*star_text < 0x80 ? 1 : u8_len(star_text, (size_t)(se - star_text));
        s = star_text;
        p = star;
    }
}

bool pattern_match(const char *pattern, const char *text, size_t n, unsigned flags) {
    struct subject subject = {text, text + n, flags};
    const char *pe = end_of(pattern);
    size_t tried = 0;
    if (!has_groups(pattern, pe, flags)) return match_plain(&subject, pattern, pe, &tried);
    struct automaton *a = automaton_new(pattern, pe, flags);
    bool ok = automaton_match(a, &subject, MATCH_ALL) != NULL;
    automaton_free(a);
    return ok;
}

bool pattern_special(const char *pattern, unsigned flags) {
    const char *pe = pattern + strlen(pattern);
    for (const char *p = pattern; p < pe; p++) {
        if (*p == '\\' && p + 1 < pe)
            p++;
        else if (*p == '*' || *p == '?')
            return true;
        else if (*p == '[' && pattern_set_end(p + 1, pe))
            return true;
        else if (pattern_is_group(p, pe, flags))
            return true;
    }
    return false;
}

size_t pattern_unescape(char *s) {
    char *to = s;
    for (const char *from = s; *from; from++) {
        if (*from == '\\' && from[1]) from++;
        *to++ = *from;
    }
    *to = 0;
    return (size_t)(to - s);
}

unsigned pattern_flags(const struct shell *sh, bool icase) {
    return (sh->shopt[SHOPT_EXTGLOB] ? PAT_EXT : 0u) | (icase ? PAT_ICASE : 0u);
}

/* ------------------------------------------------------------------ parts of a text */

/* Number of characters that every match has; -1 when that varies. As bash counts them for ${x/p/r}
 * (`counted`), a ] right after [^ ends the set, so that such patterns never match there. */
static int fixed_length(const char *p, const char *pe, unsigned flags, bool counted) {
    int n = 0;
    while (p < pe) {
        if (pattern_is_group(p, pe, flags) || *p == '*') return -1;
        const char *end = *p == '[' ? pattern_set_end(p + 1, pe) : NULL;
        if (end && counted && (p[1] == '^' || p[1] == '!') && p[2] == ']') end = p + 2;
        if (end) {
            p = end + 1;
        } else {
            if (*p == '\\' && p + 1 < pe) p++;
            p += u8_len(p, (size_t)(pe - p));
        }
        n++;
    }
    return n;
}

/* The last byte that every match ends in, or -1. */
static int last_literal(const char *p, const char *pe, unsigned flags) {
    if (flags & PAT_ICASE || p == pe) return -1;
    char c = pe[-1];
    if (strchr("*?])", c)) return -1;
    return (unsigned char)c;
}

static int first_literal(const char *p, const char *pe, unsigned flags) {
    if (flags & PAT_ICASE || p == pe || pattern_is_group(p, pe, flags)) return -1;
    if (*p == '\\') return pe - p > 1 ? (unsigned char)p[1] : -1;
    return strchr("*?[", *p) ? -1 : (unsigned char)*p;
}

/* No match begins or ends there. A byte that belongs to no valid character stands for itself. */
static bool inside_character(const char *s, size_t at, size_t n) {
    for (size_t back = 0; back < 4 && back <= at && at < n; back++) {
        if (((unsigned char)s[at - back] & 0xc0) == 0x80) continue;
        return u8_len(s + at - back, n - at + back) > (int)back && back > 0;
    }
    return false;
}

/* A pattern that is looked for in several places. */
struct search {
    const char *p, *pe;
    unsigned flags;
    int first, last; /* the bytes in which every match begins and ends, or -1 */
    int fixed;       /* the characters that every match has, or -1 */
    bool groups;
    bool anywhere; /* begins with *: a match somewhere is a match from any place before, too */
    struct automaton *automaton; /* once it is needed */
};

static struct search search_begin(const char *pattern, unsigned flags) {
    const char *p = pattern, *pe = end_of(pattern);
    return (struct search){
        .p = p,
        .pe = pe,
        .flags = flags,
        .first = first_literal(p, pe, flags),
        .last = last_literal(p, pe, flags),
        .fixed = fixed_length(p, pe, flags, (flags & PAT_COUNTED) != 0),
        .groups = has_groups(p, pe, flags),
        .anywhere =
            *p == '*' && !pattern_is_group(p, pe, flags) && !(flags & (PAT_PATH | PAT_PERIOD)),
    };
}

static void search_end(struct search *q) {
    if (q->automaton) automaton_free(q->automaton);
}

static const char *search_run(struct search *q, const struct subject *text,
                              enum automaton_goal goal) {
    if (!q->automaton) q->automaton = automaton_new(q->p, q->pe, q->flags);
    return automaton_match(q->automaton, text, goal);
}

static bool search_all(struct search *q, const char *s, size_t n, size_t *tried) {
    struct subject text = {s, s + n, q->flags};
    if (q->groups) return search_run(q, &text, MATCH_ALL) != NULL;
    return match_plain(&text, q->p, q->pe, tried);
}

static ptrdiff_t search_prefix(struct search *q, const char *s, size_t n, bool longest) {
    struct subject text = {s, s + n, q->flags};
    size_t tried = 0;
    if (q->fixed >= 0) {
        size_t len = u8_offset(s, n, (size_t)q->fixed);
        if (u8_count(s, len) < (size_t)q->fixed) return -1;
        return search_all(q, s, len, &tried) ? (ptrdiff_t)len : -1;
    }
    if (q->first >= 0 && (n == 0 || (unsigned char)s[0] != q->first)) return -1;
    for (size_t i = 0; i <= n && !q->groups && tried < PLAIN_TRIES * (n + PLAIN_TRIES); i++) {
        size_t len = longest ? n - i : i;
        bool possible = !inside_character(s, len, n) &&
                        (q->last < 0 || (len > 0 && (unsigned char)s[len - 1] == q->last));
        if (possible && search_all(q, s, len, &tried)) return (ptrdiff_t)len;
        if (i == n) return -1;
    }
    const char *end = search_run(q, &text, longest ? MATCH_LONGEST : MATCH_SHORTEST);
    return end ? end - s : -1;
}

static ptrdiff_t search_suffix(struct search *q, const char *s, size_t n, bool longest) {
    size_t tried = 0;
    if (q->last >= 0 && (n == 0 || (unsigned char)s[n - 1] != q->last)) return -1;
    if (q->anywhere && longest) return search_all(q, s, n, &tried) ? 0 : -1;
    for (size_t i = 0; i <= n; i++) {
        size_t at = longest ? i : n - i;
        if (inside_character(s, at, n)) continue;
        if (q->first >= 0 && (at == n || (unsigned char)s[at] != q->first)) continue;
        if (search_all(q, s + at, n - at, &tried)) return (ptrdiff_t)at;
    }
    return -1;
}

ptrdiff_t pattern_prefix(const char *pattern, const char *s, size_t n, bool longest,
                         unsigned flags) {
    struct search q = search_begin(pattern, flags);
    ptrdiff_t len = search_prefix(&q, s, n, longest);
    search_end(&q);
    return len;
}

ptrdiff_t pattern_suffix(const char *pattern, const char *s, size_t n, bool longest,
                         unsigned flags) {
    struct search q = search_begin(pattern, flags);
    while (q.anywhere && !longest) q = search_begin(q.p + 1, flags); /* nothing for a leading * */
    ptrdiff_t at = search_suffix(&q, s, n, longest);
    search_end(&q);
    return at;
}

ptrdiff_t pattern_find(const char *pattern, const char *s, size_t n, size_t from, size_t *len,
                       unsigned flags) {
    struct search q = search_begin(pattern, flags | PAT_COUNTED);
    ptrdiff_t found = -1;
    for (size_t at = from; at <= n && found < 0; at++) {
        if (q.first >= 0) {
            const char *hit = memchr(s + at, q.first, n - at);
            if (!hit) break;
            at = (size_t)(hit - s);
        } else if (inside_character(s, at, n)) {
            continue;
        }
        ptrdiff_t got = search_prefix(&q, s + at, n - at, true);
        if (got >= 0) {
            *len = (size_t)got;
            found = (ptrdiff_t)at;
        }
        if (q.anywhere) break;
    }
    search_end(&q);
    return found;
}
