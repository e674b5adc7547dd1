/*
 * pattern.c: shell patterns: * ? [set] and, with PAT_EXT, ?(a|b) *(…) +(…) @(…) !(…).
 *
 * A backslash takes the next character literally; the expander puts one before quoted characters.
 * One '*' needs no recursion: only the last one seen can still give way. Extended groups recurse,
 * bounded by GLOB_DEPTH_MAX and by a budget of steps, after which nothing matches.
 */
#include "sh.h"

#include <pf.h>
#include <wctype.h>

struct matcher {
    unsigned flags;
    const char *start; /* of the text, for a leading period */
    int depth;
    long steps;
};

enum { STEPS_MAX = 20000000 };

static uint32_t fold(uint32_t c) {
    if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
    return (uint32_t)towlower((wint_t)c);
}

static const char *group_end(const char *p, const char *pe);

/* A closed extended group starts at p. */
static bool is_ext(const char *p, const char *pe, unsigned flags) {
    return (flags & PAT_EXT) && pe - p >= 2 && p[1] == '(' &&
           (*p == '?' || *p == '*' || *p == '+' || *p == '@' || *p == '!') && group_end(p + 1, pe);
}

/* ------------------------------------------------------------------ [sets] */

static bool class_has(const char *name, size_t n, uint32_t c) {
    char text[16];
    if (n >= sizeof text) return false;
    memcpy(text, name, n);
    text[n] = 0;
    if (strcmp(text, "ascii") == 0) return c < 0x80;
    if (strcmp(text, "word") == 0) return c == '_' || iswalnum((wint_t)c);
    wctype_t type = wctype(text);
    return type && iswctype((wint_t)c, type);
}

/* The end of a set that starts behind its '[': the place of its ']', NULL when it is none. */
static const char *set_end(const char *p, const char *pe) {
    if (p < pe && (*p == '!' || *p == '^')) p++;
    if (p < pe && *p == ']') p++;
    for (; p < pe && *p != ']'; p++) {
        if (*p == '\\' && p + 1 < pe) {
            p++;
        } else if (*p == '[' && p + 1 < pe && (p[1] == ':' || p[1] == '.' || p[1] == '=')) {
            char kind = p[1];
            const char *q = p + 2;
            while (q + 1 < pe && !(q[0] == kind && q[1] == ']')) q++;
            if (q + 1 < pe) p = q + 1;
        }
    }
    return p < pe ? p : NULL;
}

/* One member of a set at *p: a character (also [.x.] and [=x=]), or true from *in when a class. */
static uint32_t set_member(const char **p, const char *end, uint32_t c, bool *class, bool *in) {
    const char *s = *p;
    int len;
    *class = false;
    if (*s == '[' && s + 1 < end && (s[1] == ':' || s[1] == '.' || s[1] == '=')) {
        const char *q = s + 2;
        while (q + 1 < end && !(q[0] == s[1] && q[1] == ']')) q++;
        if (q + 1 < end) {
            *p = q + 2;
            if (s[1] == ':') {
                *class = true;
                *in = class_has(s + 2, (size_t)(q - s - 2), c);
                return 0;
            }
            return u8_decode(s + 2, (size_t)(q - s - 2), &len);
        }
    }
    if (*s == '\\' && s + 1 < end) s++;
    uint32_t member = u8_decode(s, (size_t)(end - s), &len);
    *p = s + len;
    return member;
}

static bool set_has(const char *p, const char *end, uint32_t c, unsigned flags) {
    bool negated = *p == '!' || *p == '^', found = false;
    if (negated) p++;
    uint32_t folded = flags & PAT_ICASE ? fold(c) : c;
    while (p < end) {
        bool class, in = false;
        uint32_t low = set_member(&p, end, c, &class, &in);
        if (class) {
            found |= in;
            if (!in && (flags & PAT_ICASE) && !found) continue;
            continue;
        }
        uint32_t high = low;
        if (p + 1 < end && *p == '-') {
            p++;
            bool ignored;
            high = set_member(&p, end, c, &class, &ignored);
        }
        if (c >= low && c <= high) found = true;
        if ((flags & PAT_ICASE) &&
            ((folded >= fold(low) && folded <= fold(high)) ||
             ((uint32_t)towupper((wint_t)c) >= low && (uint32_t)towupper((wint_t)c) <= high)))
            found = true;
    }
    return found != negated;
}

/* ------------------------------------------------------------------ matching */

static bool match(struct matcher *m, const char *p, const char *pe, const char *s, const char *se);

/* The place behind the group's ')' ; NULL when it is not closed. */
static const char *group_end(const char *p, const char *pe) {
    int depth = 0;
    for (; p < pe; p++) {
        if (*p == '\\' && p + 1 < pe) {
            p++;
        } else if (*p == '[') {
            const char *end = set_end(p + 1, pe);
            if (end) p = end;
        } else if (*p == '(') {
            depth++;
        } else if (*p == ')' && --depth == 0) {
            return p + 1;
        }
    }
    return NULL;
}

/* The end of the alternative that starts at p, inside a group that ends at pe. */
static const char *alternative_end(const char *p, const char *pe) {
    int depth = 0;
    for (; p < pe; p++) {
        if (*p == '\\' && p + 1 < pe) {
            p++;
        } else if (*p == '[') {
            const char *end = set_end(p + 1, pe);
            if (end && end < pe) p = end;
        } else if (*p == '(') {
            depth++;
        } else if (*p == ')') {
            depth--;
        } else if (*p == '|' && depth == 0) {
            return p;
        }
    }
    return pe;
}

static bool any_alternative(struct matcher *m, const char *p, const char *pe, const char *s,
                            const char *se) {
    for (;;) {
        const char *end = alternative_end(p, pe);
        if (match(m, p, end, s, se)) return true;
        if (end == pe) return false;
        p = end + 1;
    }
}

static bool at_period(struct matcher *m, const char *s, const char *se) {
    return (m->flags & PAT_PERIOD) && s == m->start && s < se && *s == '.';
}

/* p is at the kind character of a group; `kind` says what it is taken for. */
static bool match_group(struct matcher *m, const char *p, const char *pe, const char *s,
                        const char *se, char kind) {
    const char *rest = group_end(p + 1, pe);
    const char *in = p + 2, *in_end = rest - 1;
    if (m->depth >= GLOB_DEPTH_MAX) return false;
    if (kind == '!') {
        if (at_period(m, s, se)) return false;
        for (const char *t = se;; t--) {
            if (match(m, rest, pe, t, se) && !any_alternative(m, in, in_end, s, t)) return true;
            if (t == s) return false;
        }
    }
    if ((kind == '?' || kind == '*') && match(m, rest, pe, s, se)) return true;
    for (const char *t = kind == '*' ? s + 1 : s; t <= se; t++) {
        if (!any_alternative(m, in, in_end, s, t)) continue;
        if (match(m, rest, pe, t, se)) return true;
        if ((kind == '*' || kind == '+') && t > s) { /* once more */
            m->depth++;
            bool ok = match_group(m, p, pe, t, se, '*');
            m->depth--;
            if (ok) return true;
        }
    }
    return false;
}

/* Matches one pattern element that is neither * nor a group; the text position after it, or NULL.
 * *next becomes the pattern position after the element. */
static const char *match_one(struct matcher *m, const char *p, const char *pe, const char *s,
                             const char *se, const char **next) {
    int len, plen;
    if (*p == '?') {
        *next = p + 1;
        if (at_period(m, s, se) || ((m->flags & PAT_PATH) && *s == '/')) return NULL;
        return s + u8_len(s, (size_t)(se - s));
    }
    if (*p == '[') {
        const char *end = set_end(p + 1, pe);
        if (end) {
            *next = end + 1;
            if (at_period(m, s, se) || ((m->flags & PAT_PATH) && *s == '/')) return NULL;
            uint32_t c = u8_decode(s, (size_t)(se - s), &len);
            return set_has(p + 1, end, c, m->flags) ? s + len : NULL;
        }
    }
    if (*p == '\\' && p + 1 < pe) p++;
    if (!(m->flags & PAT_ICASE)) {
        *next = p + 1;
        return *p == *s ? s + 1 : NULL;
    }
    uint32_t a = u8_decode(p, (size_t)(pe - p), &plen), b = u8_decode(s, (size_t)(se - s), &len);
    *next = p + plen;
    return fold(a) == fold(b) ? s + len : NULL;
}

static bool match_run(struct matcher *m, const char *p, const char *pe, const char *s,
                      const char *se) {
    const char *star = NULL, *star_text = NULL;
    for (;;) {
        if (--m->steps < 0) return false;
        if ((m->steps & 4095) == 0) pf_yield();
        if (p < pe && is_ext(p, pe, m->flags)) {
            if (match_group(m, p, pe, s, se, *p)) return true;
        } else if (p < pe && *p == '*') {
            if (at_period(m, s, se)) return false;
            while (p < pe && *p == '*' && !is_ext(p, pe, m->flags)) p++;
            if (p == pe) return !(m->flags & PAT_PATH) || !memchr(s, '/', (size_t)(se - s));
            star = p;
            star_text = s;
            continue;
        } else if (p == pe) {
            if (s == se) return true;
        } else if (s < se) {
            const char *next, *t = match_one(m, p, pe, s, se, &next);
            if (t) {
                p = next;
                s = t;
                continue;
            }
        }
        if (!star || star_text >= se) return false;
        if ((m->flags & PAT_PATH) && *star_text == '/') return false;
        star_text += (unsigned char)*star_text < 0x80
                         ? 1 : u8_len(star_text, (size_t)(se - star_text));
        s = star_text;
        p = star;
    }
}

static bool match(struct matcher *m, const char *p, const char *pe, const char *s, const char *se) {
    if (m->depth >= GLOB_DEPTH_MAX) return false;
    m->depth++;
    bool ok = match_run(m, p, pe, s, se);
    m->depth--;
    return ok;
}

bool pattern_match(const char *pattern, const char *text, size_t n, unsigned flags) {
    struct matcher m = {.flags = flags, .start = text, .steps = STEPS_MAX};
    return match(&m, pattern, pattern + strlen(pattern), text, text + n);
}

bool pattern_special(const char *pattern, unsigned flags) {
    const char *pe = pattern + strlen(pattern);
    for (const char *p = pattern; p < pe; p++) {
        if (*p == '\\' && p + 1 < pe) p++;
        else if (*p == '*' || *p == '?') return true;
        else if (*p == '[' && set_end(p + 1, pe)) return true;
        else if (is_ext(p, pe, flags)) return true;
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
        if (is_ext(p, pe, flags) || *p == '*') return -1;
        const char *end = *p == '[' ? set_end(p + 1, pe) : NULL;
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
    if (flags & PAT_ICASE || p == pe || is_ext(p, pe, flags)) return -1;
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

ptrdiff_t pattern_prefix(const char *pattern, const char *s, size_t n, bool longest,
                         unsigned flags) {
    const char *pe = pattern + strlen(pattern);
    int fixed = fixed_length(pattern, pe, flags, (flags & PAT_COUNTED) != 0);
    if (fixed >= 0) {
        size_t len = u8_offset(s, n, (size_t)fixed);
        if (u8_count(s, len) < (size_t)fixed) return -1;
        return pattern_match(pattern, s, len, flags) ? (ptrdiff_t)len : -1;
    }
    int last = last_literal(pattern, pe, flags);
    int first = first_literal(pattern, pe, flags);
    if (first >= 0 && (n == 0 || (unsigned char)s[0] != first)) return -1;
    for (size_t i = 0; i <= n; i++) {
        size_t len = longest ? n - i : i;
        if (inside_character(s, len, n)) continue;
        if (last >= 0 && (len == 0 || (unsigned char)s[len - 1] != last)) continue;
        if (pattern_match(pattern, s, len, flags)) return (ptrdiff_t)len;
    }
    return -1;
}

ptrdiff_t pattern_suffix(const char *pattern, const char *s, size_t n, bool longest,
                         unsigned flags) {
    const char *pe = pattern + strlen(pattern);
    int first = first_literal(pattern, pe, flags), last = last_literal(pattern, pe, flags);
    if (last >= 0 && (n == 0 || (unsigned char)s[n - 1] != last)) return -1;
    for (size_t i = 0; i <= n; i++) {
        size_t at = longest ? i : n - i;
        if (inside_character(s, at, n)) continue;
        if (first >= 0 && (at == n || (unsigned char)s[at] != first)) continue;
        if (pattern_match(pattern, s + at, n - at, flags)) return (ptrdiff_t)at;
    }
    return -1;
}

ptrdiff_t pattern_find(const char *pattern, const char *s, size_t n, size_t from, size_t *len,
                       unsigned flags) {
    int first = first_literal(pattern, pattern + strlen(pattern), flags);
    flags |= PAT_COUNTED;
    for (size_t at = from; at <= n; at++) {
        if (first >= 0) {
            const char *hit = memchr(s + at, first, n - at);
            if (!hit) return -1;
            at = (size_t)(hit - s);
        } else if (inside_character(s, at, n)) {
            continue;
        }
        ptrdiff_t got = pattern_prefix(pattern, s + at, n - at, true, flags);
        if (got < 0) continue;
        *len = (size_t)got;
        return (ptrdiff_t)at;
    }
    return -1;
}
